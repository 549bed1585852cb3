//! The start of a bout: an arena of games that end after their first move, less that move.

use std::sync::Arc;

use sandboard_host::engine::wasm::Metering;
use sandboard_host::engine::{Caps, EngineSource};
use sandboard_tests::wasm;

use crate::stage::Games;
use crate::table::{Bar, Table, median};

const TURNS: usize = 7;
const PAIRS: u32 = 2000;

pub fn measure(table: &mut Table) {
    let source = wasm("random-mover", Metering::Fuel, Caps::default()).expect("it loads");
    let source: Arc<dyn EngineSource> = Arc::new(source);
    let games =
        |plies_max| Games { source: &source, pairs: PAIRS, budget: "fuel:1e8/move", plies_max };
    games(1).play();
    let mut costs = Vec::new();
    for _ in 0..TURNS {
        costs.push((games(1).play().cpu_us_per_game(), games(2).play().cpu_us_per_game()));
    }
    // What a second ply adds, the first costs as well.
    let start = costs.iter().map(|(one, two)| (one - (two - one)) / 1000.0);
    let what = "a game beside its plies: two instances, bout, record, store; CPU";
    table.add(what, median(start.collect()), "ms", Some(Bar::AtMost(0.1)));
}
