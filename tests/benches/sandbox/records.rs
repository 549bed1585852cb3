//! Records of bouts on fuel are reproducible: bouts are played and all their moves replayed, by the
//! same code, by code compiled at another optimisation level with another allocator, and by an
//! interpreter, while more threads than cores keep the machine busy.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;

use sandboard_bout::driver as bout;
use sandboard_bout::driver::{
    BoutSetup, EnginePlayer, NullObserver, Participant, RecordDestination,
};
use sandboard_bout::record::Record;
use sandboard_bout::referee::{BoutSettings, TimeoutPolicy};
use sandboard_bout::replay::{CallScript, VerifyOutcome, verify};
use sandboard_bout::start::StartPosition;
use sandboard_engine::{Caps, EngineSource};
use sandboard_engine_wasm::{
    Allocator, Metering, OptLevel, Runtime, RuntimeKind, RuntimeOptions, WasmModule,
};
use sandboard_games::{GameInfo, Games};
use sandboard_tests::built;

use crate::progress;
use crate::table::{Bar, Table};

const RECORDS: usize = 1000;
/// Searching engines, a random mover, and an engine that runs out of fuel at its fifth move.
const ENGINES: [(&str, &[(&str, &str)]); 3] = [
    ("gomoku-alpha", &[]),
    ("random-mover", &[]),
    ("faulty", &[("fault", "report-then-loop"), ("at", "5")]),
];
const BUDGETS: [&str; 3] = ["fuel:1e6/move", "fuel:4e6/move", "fuel:5e7+1e6"];

/// The engines, compiled with the same options.
struct Compiled {
    sources: Vec<Arc<dyn EngineSource>>,
}

impl Compiled {
    fn with(options: RuntimeOptions) -> Self {
        let runtime = Runtime::new().with_options(options);
        let load = |(name, _): &(&str, _)| -> Arc<dyn EngineSource> {
            let path: PathBuf = built(&format!("{name}.wasm"));
            let bytes = std::fs::read(path).expect("the component can be read");
            let caps = Caps::default();
            let module =
                WasmModule::load(&runtime, &bytes, Metering::Fuel, caps, Default::default());
            Arc::new(module.expect("it loads"))
        };
        Self { sources: ENGINES.iter().map(load).collect() }
    }
}

/// Results of the records for one set of options.
#[derive(Default)]
struct Tally {
    verified: AtomicUsize,
    other: AtomicUsize,
    choices: AtomicUsize,
}

pub(crate) fn measure(table: &mut Table) {
    let usual = Compiled::with(RuntimeOptions::default());
    let unoptimised = Compiled::with(RuntimeOptions {
        opt_level: OptLevel::None,
        allocator: Allocator::OnDemand,
        ..RuntimeOptions::default()
    });
    let kind = RuntimeKind::Wasmi;
    let interpreted = Compiled::with(RuntimeOptions { kind, ..RuntimeOptions::default() });
    let ways = [
        ("as they were played", &usual),
        ("unoptimised, on demand", &unoptimised),
        ("by the interpreter", &interpreted),
    ];
    let tallies = [Tally::default(), Tally::default(), Tally::default()];
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
                        for ((_, compiled), tally) in ways.iter().zip(&tallies) {
                            check(&record, compiled, tally);
                        }
                        progress.inc(1);
                    }
                })
            })
            .collect();
        // Full load: the same number of threads that only use CPU time.
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
        let all = Some(Bar::AtLeast(RECORDS as f64));
        table.add(format!("records verified, {way}"), count(&tally.verified), "", all);
        let none = Some(Bar::AtMost(0.0));
        table.add("  that differ or cannot be verified", count(&tally.other), "", none);
        table.add("  moves replayed", count(&tally.choices), "", None);
    }
    let seconds = began.elapsed().as_secs_f64();
    table.add("records played and verified", RECORDS as f64 / seconds, "/s", None);
}

/// Plays the bout of this number; the record as it is read back.
fn play(index: usize, compiled: &Compiled) -> Record {
    let game: &'static GameInfo = Games::default().find("gomoku").expect("it is there");
    let variant = game.variant(["freestyle-15", "standard-15"][index % 2]).expect("it is one");
    let player = |seat: usize| {
        let engine = [index % 3, (index / 3) % 3][seat];
        let (name, options) = ENGINES[engine];
        let options = options.iter().map(|(name, value)| ((*name).into(), (*value).into()));
        let engine = EnginePlayer {
            options: options.collect(),
            ..EnginePlayer::new(compiled.sources[engine].clone(), name)
        };
        Participant {
            name: name.into(),
            seats: vec![seat as u8],
            budget: BUDGETS[index % BUDGETS.len()].parse().expect("it is a budget"),
            engine: Some(engine),
            ponders: false,
        }
    };
    let on_timeout = if index % 4 < 2 { TimeoutPolicy::Loss } else { TimeoutPolicy::PlayReported };
    let setup = BoutSetup {
        start: StartPosition::new(game, variant, None),
        seed: index as u64,
        settings: BoutSettings { on_timeout, ..BoutSettings::default() },
        players: vec![player(0), player(1)],
        hint: None,
        output_listener: None,
        destination: RecordDestination::Unsaved,
        resumed_from: None,
    };
    let report = bout::run(setup, None, &mut NullObserver).expect("it begins");
    Record::parse(&report.record.to_json(), &Games::default()).expect("it is a record")
}

fn check(record: &Record, compiled: &Compiled, tally: &Tally) {
    let script =
        CallScript::from_record(record, &Games::default()).expect("the record is consistent");
    let mut verified = record.result.as_ref().is_some_and(|result| result.counts());
    for (player, seated) in record.players.iter().enumerate() {
        let engine = ENGINES.iter().position(|(name, _)| *name == seated.name);
        let source = &*compiled.sources[engine.expect("the player is one of the engines")];
        match verify(record, &script, player, source, |_, _| ()) {
            VerifyOutcome::Verified { choices, .. } => {
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
