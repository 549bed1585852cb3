//! CPU time per ply of a whole bout: referee, clocks, record and two sandboxed random movers, on
//! one thread.

use std::sync::Arc;
use std::time::Instant;

use sandboard_bout::driver::{
    BoutSetup, EnginePlayer, NullObserver, Participant, RecordDestination, run,
};
use sandboard_bout::referee::BoutSettings;
use sandboard_bout::start::StartPosition;
use sandboard_engine::{Caps, EngineSource};
use sandboard_engine_wasm::Metering;
use sandboard_games::Games;
use sandboard_tests::wasm;

use crate::table::{Bar, Table};

const GAMES: u64 = 5000;

pub(crate) fn measure(table: &mut Table) {
    let source: Arc<dyn EngineSource> =
        Arc::new(wasm("random-mover", Metering::Deadline, Caps::default()).expect("it loads"));
    play(&source, GAMES / 10);
    let (wall, cpu_ticks) = (Instant::now(), cpu_ticks());
    let plies = play(&source, GAMES);
    let wall_s = wall.elapsed().as_secs_f64();
    let cpu_s = (self::cpu_ticks() - cpu_ticks) as f64 / TICKS_PER_SECOND;
    let plies_f = plies as f64;
    let budget = "1s/move, wasm";
    table.add(
        format!("random mover against itself, {budget}: CPU per ply"),
        cpu_s * 1e6 / plies_f,
        "µs",
        Some(Bar::AtMost(4.0)),
    );
    table.add(
        "  plies per second of one core",
        plies_f / cpu_s,
        "plies/s",
        Some(Bar::AtLeast(250_000.0)),
    );
    table.add("  plies per second, wall", plies_f / wall_s, "plies/s", None);
    table.add("  games per second, wall", GAMES as f64 / wall_s, "games/s", None);
    table.add("  plies per game", plies_f / GAMES as f64, "plies", None);
}

fn play(source: &Arc<dyn EngineSource>, games: u64) -> u64 {
    (0..games).map(|seed| bout(source, seed)).sum()
}

fn bout(source: &Arc<dyn EngineSource>, seed: u64) -> u64 {
    let game = Games::default().find("gomoku").expect("gomoku is a game");
    let variant = game.variant("freestyle").expect("freestyle is a variant");
    let player = |seat: u8| Participant {
        name: format!("player {seat}"),
        seats: vec![seat],
        budget: "1s/move".parse().expect("a budget"),
        engine: Some(EnginePlayer::new(source.clone(), "random-mover")),
        ponders: false,
    };
    let setup = BoutSetup {
        start: StartPosition::new(game, variant, None),
        seed,
        settings: BoutSettings::default(),
        players: vec![player(0), player(1)],
        hint: None,
        output_listener: None,
        destination: RecordDestination::Unsaved,
        resumed_from: None,
    };
    let report = run(setup, None, &mut NullObserver).expect("the bout begins");
    assert!(report.result.is_some(), "the bout ended");
    report.record.plies.len() as u64
}

const TICKS_PER_SECOND: f64 = 100.0;

/// CPU time of this process in ticks, all threads, user and system.
fn cpu_ticks() -> u64 {
    let stat = std::fs::read_to_string("/proc/self/stat").expect("this bench needs Linux's /proc");
    let after_name = stat.rsplit(')').next().expect("a stat line has a name");
    let fields: Vec<&str> = after_name.split_ascii_whitespace().collect();
    let ticks = |index: usize| fields[index].parse::<u64>().expect("ticks are a number");
    ticks(11) + ticks(12)
}
