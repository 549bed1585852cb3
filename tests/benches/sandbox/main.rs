//! What the sandbox costs and what it holds: `cargo xtask bench sandbox`, or some
//! parts of it by name. Prints a table and writes `target/bench-sandbox.json`.

#![forbid(unsafe_code)]

mod fuel;
#[path = "../border/table.rs"]
mod table;

use table::Table;

/// A part by name.
type Part = (&'static str, fn(&mut Table));

const PARTS: &[Part] = &[("fuel", fuel::measure)];

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let wanted: Vec<_> = arguments[1..].iter().filter(|word| !word.starts_with('-')).collect();
    if let Some(word) = wanted.iter().find(|word| PARTS.iter().all(|(name, _)| name != **word)) {
        eprintln!("there is no part `{word}`");
        std::process::exit(2);
    }
    let mut table = Table::default();
    for (name, measure) in PARTS {
        if wanted.is_empty() || wanted.iter().any(|word| word == name) {
            measure(&mut table);
        }
    }
    table.finish();
}
