//! Exports two engines in one call.

use sandboard_sdk::export_engine;

struct Mine;
struct Other;

export_engine!(Mine, Other);

fn main() {}
