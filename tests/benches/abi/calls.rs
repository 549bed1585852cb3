//! Single calls, by criterion: starting an engine, and the overhead of the host in `choose`. An
//! engine with one legal move has almost nothing to compute, so its `choose` is an upper bound of
//! that overhead.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use criterion::{BatchSize, Criterion};
use sandboard_abi::{Limits, Setup, Unit};
use sandboard_engine::{Caps, Engine, EngineSource, NullListener};
use sandboard_engine_native::CallMode;
use sandboard_engine_wasm::Metering;
use sandboard_tests::{gomoku, native, root, wasm};

use crate::table::{Bar, Table};

const LIMITS: Limits = Limits {
    unit: Unit::Wall,
    call_max: Some(1_000_000),
    game_left: None,
    increment: 0,
    moves_to_go: None,
    grace: 50_000,
    depth: None,
    nodes: None,
    lines: 1,
    others_left: Vec::new(),
    draw_offered: false,
};

pub(crate) fn measure(table: &mut Table) {
    let folder = root().join("target/criterion-abi");
    let mut criterion = Criterion::default()
        .output_directory(&folder)
        .without_plots()
        .warm_up_time(Duration::from_secs(1))
        .measurement_time(Duration::from_secs(4));
    let mut median_us = |name: &str, run: &mut dyn FnMut(&mut Criterion)| {
        run(&mut criterion);
        median_of(&folder.join(name).join("new/estimates.json")) / 1000.0
    };

    for (engine, bar) in [("random-mover", Some(Bar::AtMost(30.0))), ("gomoku-alpha", None)] {
        let source = wasm(engine, Metering::Deadline, Caps::default()).expect("it loads");
        let name = format!("start-{engine}");
        let us = median_us(&name, &mut |criterion| {
            criterion.bench_function(&name, |bencher| {
                bencher.iter_with_large_drop(|| drop(started(&source, &gomoku(&[]))));
            });
        });
        table.add(format!("instantiate + start + drop, {engine}, wasm"), us, "µs", bar);
    }

    let source = wasm("random-mover", Metering::Deadline, Caps::default()).expect("it loads");
    let us = median_us("choose-wasm", &mut |criterion| {
        criterion.bench_function("choose-wasm", |bencher| choose(bencher, &source));
    });
    table.add("choose with one legal move, wasm (host and ABI)", us, "µs", Some(Bar::AtMost(2.0)));

    let meterings =
        [("fuel", Metering::Fuel), ("fuel that the runtime counts", Metering::RuntimeFuel)];
    for (words, metering) in meterings {
        let source = wasm("random-mover", metering, Caps::default()).expect("it loads");
        let name = format!("start-{metering:?}");
        let us = median_us(&name, &mut |criterion| {
            criterion.bench_function(&name, |bencher| {
                bencher.iter_with_large_drop(|| drop(started(&source, &gomoku(&[]))));
            });
        });
        table.add(
            format!("instantiate + start + drop, random-mover, wasm, {words}"),
            us,
            "µs",
            None,
        );
        let name = format!("choose-{metering:?}");
        let us = median_us(&name, &mut |criterion| {
            criterion.bench_function(&name, |bencher| choose(bencher, &source));
        });
        table.add(format!("choose with one legal move, wasm, {words}"), us, "µs", None);
    }

    let source = native("random-mover", CallMode::Inline).expect("it loads");
    let us = median_us("choose-native", &mut |criterion| {
        criterion.bench_function("choose-native", |bencher| choose(bencher, &source));
    });
    table.add("choose with one legal move, native", us, "µs", Some(Bar::AtMost(0.5)));

    let source = native("random-mover", CallMode::OwnThread).expect("it loads");
    let us = median_us("choose-native-thread", &mut |criterion| {
        criterion.bench_function("choose-native-thread", |bencher| choose(bencher, &source));
    });
    table.add("choose with one legal move, native on its own thread", us, "µs", None);
}

fn started(source: &dyn EngineSource, setup: &Setup) -> Box<dyn Engine> {
    let mut engine = source.open(Arc::new(NullListener), 1).expect("it opens");
    engine.start(setup).expect("it starts");
    engine
}

fn choose(bencher: &mut criterion::Bencher, source: &dyn EngineSource) {
    let mut setup = gomoku(&[]);
    setup.start = ONE_EMPTY.into();
    bencher.iter_batched_ref(
        || started(source, &setup),
        |engine| {
            for _ in 0..CHOICES {
                engine.choose(&LIMITS, &[]).expect("it chooses");
            }
        },
        BatchSize::SmallInput,
    );
}

/// Calls per sample, so that the cost of reading the clock is negligible.
const CHOICES: u32 = 1000;

/// A board with one empty point and no five in a row.
const ONE_EMPTY: &str = "xxoox/ooxxo/xxoox/ooxxo/xxoo1 b";

/// The median that criterion wrote, in nanoseconds per call.
fn median_of(path: &PathBuf) -> f64 {
    let text = std::fs::read_to_string(path).expect("criterion has written its estimates");
    let json: serde_json::Value = serde_json::from_str(&text).expect("criterion writes JSON");
    let nanoseconds = json["median"]["point_estimate"].as_f64().expect("there is a median");
    let calls = if path.to_string_lossy().contains("/choose-") { CHOICES.into() } else { 1.0 };
    nanoseconds / calls
}
