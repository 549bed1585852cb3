//! Plies per second of one core with all work of an arena, and of the same bouts without an arena:
//! random movers, gomoku, wasm, a new instance for each player and game.

use std::sync::Arc;

use sandboard_bout::driver::{
    BoutSetup, EnginePlayer, NullObserver, Participant, RecordDestination, run,
};
use sandboard_bout::referee::BoutSettings;
use sandboard_engine::{Caps, EngineSource};
use sandboard_engine_wasm::Metering;
use sandboard_tests::wasm;

use crate::parts::setting;
use crate::stage::{Cost, Games, cpu_s, start};
use crate::table::{Bar, Table, median};

const TURNS: usize = 7;
const FUEL: &str = "fuel:1e8/move";
const WALL: &str = "1s/move";

pub(crate) fn measure(table: &mut Table) {
    let pairs = setting("pairs", "1000").parse().expect("a number");
    let load = |metering| -> Arc<dyn EngineSource> {
        Arc::new(wasm("random-mover", metering, Caps::default()).expect("it loads"))
    };
    let (on_fuel, on_time) = (load(Metering::Fuel), load(Metering::Deadline));
    let games = |source, budget| Games { source, pairs, budget, plies_max: 20_000 };
    games(&on_fuel, FUEL).play();
    let by_runtime = load(Metering::RuntimeFuel);
    let mut fuel = Vec::new();
    let mut runtime = Vec::new();
    let mut time = Vec::new();
    let mut bare = Vec::new();
    for _ in 0..TURNS {
        fuel.push(games(&on_fuel, FUEL).play());
        runtime.push(games(&by_runtime, FUEL).play());
        time.push(games(&on_time, WALL).play());
        bare.push(bouts(&on_fuel, pairs));
    }
    let per_ply = |costs: &[Cost]| median(costs.iter().map(Cost::cpu_us_per_ply).collect());
    let plies = |costs: &[Cost]| {
        median(costs.iter().map(|it| it.plies as f64 / it.wall.as_secs_f64()).collect())
    };
    let all = per_ply(&fuel);
    table.add("arena on fuel, all included: CPU per ply", all, "µs", Some(Bar::AtMost(5.0)));
    table.add(
        "  plies per second of one core",
        1e6 / all,
        "plies/s",
        Some(Bar::AtLeast(200_000.0)),
    );
    table.add("  plies per second, wall, one game at a time", plies(&fuel), "plies/s", None);
    table.add("arena on fuel that the runtime counts: CPU per ply", per_ply(&runtime), "µs", None);
    table.add("arena on wall time: CPU per ply", per_ply(&time), "µs", None);
    table.add("the same bouts on fuel without an arena: CPU per ply", median(bare), "µs", None);
    let first = fuel[0];
    table.add("plies per game", first.plies as f64 / first.games as f64, "plies", None);
    table.add(
        "kept on disk per game",
        first.disk_bytes as f64 / first.games as f64 / 1024.0,
        "KiB",
        None,
    );
}

/// CPU microseconds per ply of the bouts alone: without store, statistics and serialization.
fn bouts(source: &Arc<dyn EngineSource>, pairs: u32) -> f64 {
    let before = cpu_s();
    let plies: usize = (0..2 * u64::from(pairs)).map(|seed| bout(source, seed)).sum();
    (cpu_s() - before) * 1e6 / plies as f64
}

fn bout(source: &Arc<dyn EngineSource>, seed: u64) -> usize {
    let player = |seat: u8| Participant {
        name: format!("player {seat}"),
        seats: vec![seat],
        budget: FUEL.parse().expect("a budget"),
        engine: Some(EnginePlayer::new(source.clone(), "random-mover")),
        ponders: false,
    };
    let setup = BoutSetup {
        start: start(),
        seed,
        settings: BoutSettings { undo: false, ..BoutSettings::default() },
        players: vec![player(0), player(1)],
        hint: None,
        output_listener: None,
        destination: RecordDestination::Unsaved,
        resumed_from: None,
    };
    run(setup, None, &mut NullObserver).expect("the bout begins").record.plies.len()
}
