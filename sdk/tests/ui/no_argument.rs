//! Nothing is exported.

use sandboard_sdk::export_engine;

export_engine!();

fn main() {}
