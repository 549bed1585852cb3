//! Two engines are exported at once.

use sandboard_sdk::export_engine;

struct Mine;
struct Other;

export_engine!(Mine, Other);

fn main() {}
