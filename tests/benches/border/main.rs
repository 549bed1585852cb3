//! What the border costs: starting an engine, one `choose`, a ply of a whole
//! bout, and a search in the sandbox against the same search outside it.
//!
//! Single calls are sampled by criterion. What is compared is measured in one
//! run, in turns, so that a noisy machine is noisy for both; the figure is the
//! ratio. Prints a table and writes `target/bench-border.json`.
//!
//! `cargo xtask bench border`, or some parts of it: `… border calls cold bout search`

#![forbid(unsafe_code)]

mod bout;
mod calls;
mod cold;
mod search;
mod table;

use table::Table;

/// A part by name.
type Part = (&'static str, fn(&mut Table));

const PARTS: &[Part] = &[
    ("calls", calls::measure),
    ("cold", cold::measure),
    ("bout", bout::measure),
    ("search", search::measure),
];

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if let [_, flag, module, cache] = &arguments[..]
        && flag == cold::FLAG
    {
        return cold::child(module, cache);
    }
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
