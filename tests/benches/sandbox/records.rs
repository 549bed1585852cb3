//! That a fuel-clocked record holds on another day: bouts are played, and every
//! engine of their records is asked again, in half of them by code that was
//! compiled at another optimisation level and with another allocator, while
//! more threads than there are cores keep the machine busy.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;

use sandboard_games::GameInfo;
use sandboard_host::bout::{self, BoutSetup, EnginePlayer, Mover, Nobody, Participant, Place};
use sandboard_host::engine::wasm::{
    Allocator, Metering, OptLevel, Runtime, RuntimeOptions, WasmModule,
};
use sandboard_host::engine::{Caps, EngineSource};
use sandboard_host::record::{Record, Start};
use sandboard_host::referee::{OnTimeout, Settings};
use sandboard_host::replay::{Script, Verdict, verify};
use sandboard_tests::built;

use crate::progress;
use crate::table::{Bar, Table};

const RECORDS: usize = 1000;
/// Searches, a random mover, and an engine that runs out of fuel at its fifth move.
const ENGINES: [(&str, &[(&str, &str)]); 3] = [
    ("gomoku-alpha", &[]),
    ("random-mover", &[]),
    ("faulty", &[("fault", "report-then-loop"), ("at", "5")]),
];
const BUDGETS: [&str; 3] = ["fuel:1e6/move", "fuel:4e6/move", "fuel:5e7+1e6"];

/// The engines, compiled in one way.
struct Compiled {
    sources: Vec<Arc<dyn EngineSource>>,
}

impl Compiled {
    fn with(options: RuntimeOptions) -> Self {
        let runtime = Runtime::new().with_options(options);
        let load = |(name, _): &(&str, _)| -> Arc<dyn EngineSource> {
            let path: PathBuf = built(&format!("{name}.wasm"));
            let caps = Caps::default();
            let module =
                WasmModule::load_file(&runtime, &path, Metering::Fuel, caps, Default::default());
            Arc::new(module.expect("it loads"))
        };
        Self { sources: ENGINES.iter().map(load).collect() }
    }
}

/// What came of the records of one way of compiling.
#[derive(Default)]
struct Tally {
    verified: AtomicUsize,
    other: AtomicUsize,
    choices: AtomicUsize,
}

pub fn measure(table: &mut Table) {
    let usual = Compiled::with(RuntimeOptions::default());
    let unoptimised = Compiled::with(RuntimeOptions {
        opt_level: OptLevel::None,
        allocator: Allocator::OnDemand,
    });
    let ways = [("as they were played", &usual), ("unoptimised, on demand", &unoptimised)];
    let tallies = [Tally::default(), Tally::default()];
    let (next, over) = (AtomicUsize::new(0), AtomicBool::new(false));
    let progress = progress::bar("records", RECORDS as u64);
    let began = Instant::now();
    std::thread::scope(|scope| {
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        let workers: Vec<_> = (0..cores)
            .map(|_| {
                scope.spawn(|| {
                    loop {
                        let index = next.fetch_add(1, Ordering::SeqCst);
                        if index >= RECORDS {
                            return;
                        }
                        let record = play(index, &usual);
                        let way = index % ways.len();
                        check(&record, ways[way].1, &tallies[way]);
                        progress.inc(1);
                    }
                })
            })
            .collect();
        // Full load: as many threads again that do nothing but take time away.
        for _ in 0..cores {
            scope.spawn(|| {
                while !over.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        for worker in workers {
            worker.join().expect("a record is played and verified");
        }
        over.store(true, Ordering::SeqCst);
    });
    progress.finish_and_clear();
    for ((way, _), tally) in ways.iter().zip(&tallies) {
        let count = |counted: &AtomicUsize| counted.load(Ordering::SeqCst) as f64;
        let all = Some(Bar::AtLeast((RECORDS / ways.len()) as f64));
        table.add(format!("records verified, {way}"), count(&tally.verified), "", all);
        let none = Some(Bar::AtMost(0.0));
        table.add("  that differ or cannot be verified", count(&tally.other), "", none);
        table.add("  moves asked for again", count(&tally.choices), "", None);
    }
    let seconds = began.elapsed().as_secs_f64();
    table.add("records played and verified", RECORDS as f64 / seconds, "/s", None);
}

/// The bout of this number, as its record reads back.
fn play(index: usize, compiled: &Compiled) -> Record {
    let game: &'static GameInfo = sandboard_games::game("gomoku").expect("it is there");
    let variant = game.variant(["freestyle-15", "standard-15"][index % 2]).expect("it is one");
    let player = |seat: usize| {
        let engine = [index % 3, (index / 3) % 3][seat];
        let (name, options) = ENGINES[engine];
        let options = options.iter().map(|(name, value)| ((*name).into(), (*value).into()));
        let mover = EnginePlayer {
            options: options.collect(),
            ..EnginePlayer::new(compiled.sources[engine].clone(), name)
        };
        Participant {
            name: name.into(),
            seats: vec![seat as u8],
            budget: BUDGETS[index % BUDGETS.len()].parse().expect("it is a budget"),
            mover: Mover::Engine(mover),
            ponders: false,
        }
    };
    let on_timeout = if index % 4 < 2 { OnTimeout::Loss } else { OnTimeout::PlayReported };
    let setup = BoutSetup {
        start: Start { game, variant, position: None },
        seed: index as u64,
        settings: Settings { on_timeout, ..Settings::default() },
        players: vec![player(0), player(1)],
        hint: None,
        live: None,
        place: Place::Nowhere,
        resumed: None,
    };
    let report = bout::run(setup, None, &mut Nobody).expect("it begins");
    Record::parse(&report.record.to_json(), sandboard_games::game).expect("it is a record")
}

fn check(record: &Record, compiled: &Compiled, tally: &Tally) {
    let script = Script::of(record, sandboard_games::game).expect("it agrees with itself");
    let mut verified = record.result.as_ref().is_some_and(|result| result.counts());
    for (player, seated) in record.players.iter().enumerate() {
        let engine = ENGINES.iter().position(|(name, _)| *name == seated.name);
        let source = &*compiled.sources[engine.expect("it is one of ours")];
        match verify(record, &script, player, source, |_, _| ()) {
            Verdict::Verified { choices, .. } => {
                tally.choices.fetch_add(choices as usize, Ordering::SeqCst);
            }
            other => {
                eprintln!("bout {}, player {player}: {other:?}", record.seed);
                verified = false;
            }
        }
    }
    let count = if verified { &tally.verified } else { &tally.other };
    count.fetch_add(1, Ordering::SeqCst);
}
