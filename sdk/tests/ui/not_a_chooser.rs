//! A type that implements nothing is exported.

use sandboard_sdk::export_engine;

struct Mine;

export_engine!(Mine);

fn main() {}
