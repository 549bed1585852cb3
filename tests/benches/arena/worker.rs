//! Overhead of running each instance in a jailed engine process.

use std::sync::Arc;

use sandboard_engine::{Caps, EngineSource};
use sandboard_engine_wasm::Metering;
use sandboard_tests::{jailed_wasm, wasm};

use crate::stage::Games;
use crate::table::{Table, median};

const TURNS: usize = 5;
const PAIRS: u32 = 20;

pub(crate) fn measure(table: &mut Table) {
    let metering = Metering::Fuel;
    let here: Arc<dyn EngineSource> =
        Arc::new(wasm("random-mover", metering, Caps::default()).expect("it loads"));
    let jailed: Arc<dyn EngineSource> =
        Arc::new(jailed_wasm("random-mover", metering, Caps::default()).expect("it loads"));
    let games =
        |source, plies_max| Games { source, pairs: PAIRS, budget: "fuel:1e8/move", plies_max };
    let wall_ms = |source, plies_max| {
        let cost = games(source, plies_max).play();
        (cost.wall.as_secs_f64() * 1e3 / cost.games as f64, cost.plies as f64 / cost.games as f64)
    };
    let (mut starts, mut plies, mut own) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..TURNS {
        let (short, one) = wall_ms(&jailed, 1);
        let (whole, many) = wall_ms(&jailed, 20_000);
        let per_ply = (whole - short) / (many - one);
        plies.push(per_ply * 1e3);
        starts.push(short - per_ply);
        let (whole, many) = wall_ms(&here, 20_000);
        own.push(whole * 1e3 / many);
    }
    table.add(
        "jailed engine processes: start of a game, two processes, wall",
        median(starts),
        "ms",
        None,
    );
    table.add("  a ply, wall", median(plies), "µs", None);
    table.add("  a ply in this process, wall, start included", median(own), "µs", None);
}
