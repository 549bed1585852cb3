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
#[path = "../shared/parts.rs"]
mod parts;
mod search;
#[path = "../shared/searches.rs"]
mod searches;
#[path = "../shared/table.rs"]
mod table;

use parts::Part;

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
    parts::run("border", PARTS);
}
