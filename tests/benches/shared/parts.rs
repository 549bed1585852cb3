//! The named parts of a bench, and the command line that selects them.

use crate::table::Table;

/// A part by name.
pub(crate) type Part = (&'static str, fn(&mut Table));

/// The arguments without the flags that cargo adds.
fn words() -> impl Iterator<Item = String> {
    std::env::args().skip(1).filter(|word| !word.starts_with('-'))
}

/// A setting `name=value` of the command line, or its default.
#[allow(dead_code, reason = "not every bench has figures to set")]
pub(crate) fn setting(name: &str, default: &str) -> String {
    let set = words().filter_map(|word| {
        let (key, value) = word.split_once('=')?;
        (key == name).then(|| value.to_owned())
    });
    set.last().unwrap_or_else(|| default.to_owned())
}

/// Runs the parts that the command line names, or all. Prints a table and writes it. An unknown
/// part ends the process.
pub(crate) fn run(bench: &'static str, parts: &[Part]) {
    let wanted: Vec<String> = words().filter(|word| !word.contains('=')).collect();
    if let Some(word) = wanted.iter().find(|word| parts.iter().all(|(name, _)| name != word)) {
        let names: Vec<&str> = parts.iter().map(|(name, _)| *name).collect();
        eprintln!("unknown part `{word}`; the parts are: {}", names.join(", "));
        std::process::exit(2);
    }
    let mut table = Table::of(bench);
    for (name, measure) in parts {
        if wanted.is_empty() || wanted.iter().any(|word| word == name) {
            measure(&mut table);
        }
    }
    let target = std::env::var("CARGO_TARGET_DIR").unwrap_or_else(|_| "target".into());
    table.finish(&sandboard_tests::root().join(target));
}
