//! Exports a type that implements neither trait.

use sandboard_sdk::export_engine;

struct Mine;

export_engine!(Mine);

fn main() {}
