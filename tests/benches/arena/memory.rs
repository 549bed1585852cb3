//! Memory over many short games: the process's memory after a tenth of them and after all.

use std::sync::Arc;

use sandboard_engine::{Caps, EngineSource};
use sandboard_engine_wasm::Metering;
use sandboard_tests::wasm;

use crate::parts::setting;
use crate::processes::memory_bytes;
use crate::stage::Games;
use crate::table::Table;

pub(crate) fn measure(table: &mut Table) {
    let games: u32 = setting("games", "100000").parse().expect("a number");
    let source = wasm("random-mover", Metering::Fuel, Caps::default()).expect("it loads");
    let source: Arc<dyn EngineSource> = Arc::new(source);
    let play =
        |pairs| Games { source: &source, pairs, budget: "fuel:1e8/move", plies_max: 12 }.play();
    let mib = || memory_bytes(std::process::id()) as f64 / f64::from(1 << 20);
    play(games / 20);
    let after_tenth = mib();
    let cost = play(games / 2);
    let after_all = mib();
    table.add(format!("memory after {} short games", games / 10), after_tenth, "MiB", None);
    table.add(format!("memory after {} more", cost.games), after_all, "MiB", None);
    let each = (after_all - after_tenth) * f64::from(1 << 20) / cost.games as f64;
    table.add("  bytes for each of those", each, "bytes", None);
    table.add("  games a second", cost.games as f64 / cost.wall.as_secs_f64(), "games/s", None);
}
