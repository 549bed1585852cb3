//! The parts of a bench by name, and the running of those that were asked for.

use crate::table::Table;

/// A part by name.
pub type Part = (&'static str, fn(&mut Table));

/// What the command line says; cargo adds flags of its own.
fn words() -> impl Iterator<Item = String> {
    std::env::args().skip(1).filter(|word| !word.starts_with('-'))
}

/// A figure that the command line sets, as `name=value`, or the usual one.
#[allow(dead_code, reason = "not every bench has figures to set")]
pub fn setting(name: &str, usual: &str) -> String {
    let set = words().filter_map(|word| {
        let (key, value) = word.split_once('=')?;
        (key == name).then(|| value.to_owned())
    });
    set.last().unwrap_or_else(|| usual.to_owned())
}

/// Runs the parts that the command line names, all of them where it names none.
/// Prints a table and writes it; a name that no part has ends the process.
pub fn run(bench: &'static str, parts: &[Part]) {
    let wanted: Vec<String> = words().filter(|word| !word.contains('=')).collect();
    if let Some(word) = wanted.iter().find(|word| parts.iter().all(|(name, _)| name != word)) {
        let names: Vec<&str> = parts.iter().map(|(name, _)| *name).collect();
        eprintln!("there is no part `{word}`; there are: {}", names.join(", "));
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
