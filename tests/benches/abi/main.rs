//! Costs of the ABI: starting an engine, one `choose`, a ply of a whole bout, and a search in the
//! sandbox compared with the same search outside.
//!
//! Single calls are sampled by criterion. Compared conditions are measured in one run, in turns, so
//! that noise affects both; the result is the ratio. Prints a table and writes
//! `target/bench-abi.json`.
//!
//! `cargo xtask bench abi`, or some parts of it: `… abi calls cold bout search`

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
    parts::run("abi", PARTS);
}
