//! The start of a bout: an arena of games that end after their first move, minus the cost of that
//! move.

use std::sync::Arc;

use sandboard_engine::{Caps, EngineSource};
use sandboard_engine_wasm::Metering;
use sandboard_tests::wasm;

use crate::stage::Games;
use crate::table::{Bar, Table, median};

const TURNS: usize = 7;
const PAIRS: u32 = 2000;

pub(crate) fn measure(table: &mut Table) {
    let source = wasm("random-mover", Metering::Fuel, Caps::default()).expect("it loads");
    let source: Arc<dyn EngineSource> = Arc::new(source);
    let games =
        |plies_max| Games { source: &source, pairs: PAIRS, budget: "fuel:1e8/move", plies_max };
    games(1).play();
    let mut costs = Vec::new();
    for _ in 0..TURNS {
        costs.push((games(1).play().cpu_us_per_game(), games(2).play().cpu_us_per_game()));
    }
    // The cost of the second ply estimates that of the first.
    let start = costs.iter().map(|(one, two)| (one - (two - one)) / 1000.0);
    let what = "a game without its plies: two instances, bout, record, store; CPU";
    table.add(what, median(start.collect()), "ms", Some(Bar::AtMost(0.1)));
}
