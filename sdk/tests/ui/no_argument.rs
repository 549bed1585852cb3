//! Exports no type.

use sandboard_sdk::export_engine;

export_engine!();

fn main() {}
