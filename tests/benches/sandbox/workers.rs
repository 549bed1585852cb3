//! Latency of engine processes: from the request to the first answer, including process and jail,
//! and the round trip of a call.

use std::sync::Arc;
use std::time::Instant;

use sandboard_abi::Limits;
use sandboard_engine::{Caps, Engine, EngineSource, NullListener};
use sandboard_engine_wasm::Metering;
use sandboard_tests::{gomoku, jailed_native, jailed_wasm, wasm};

use crate::progress;
use crate::table::{Bar, Table};

const STARTS: u64 = 300;
const CALLS: u32 = 2_000;

pub(crate) fn measure(table: &mut Table) {
    let (name, caps) = ("random-mover", Caps::default());
    let kinds: [(&str, Box<dyn EngineSource>, Option<Bar>); 3] = [
        (
            "wasm in this process",
            Box::new(wasm(name, Metering::Deadline, caps).expect("it loads")),
            None,
        ),
        (
            "wasm in an engine process",
            Box::new(jailed_wasm(name, Metering::Deadline, caps).expect("it loads")),
            Some(Bar::AtMost(5.0)),
        ),
        (
            "native in an engine process",
            Box::new(jailed_native(name, caps).expect("it loads")),
            Some(Bar::AtMost(5.0)),
        ),
    ];
    let mut starts_ms = [const { Vec::new() }; 3];
    let progress = progress::bar("workers", STARTS);
    for _ in 0..STARTS {
        for ((_, source, _), starts_ms) in kinds.iter().zip(&mut starts_ms) {
            let began = Instant::now();
            drop(first_answer(&**source));
            starts_ms.push(began.elapsed().as_secs_f64() * 1e3);
        }
        progress.inc(1);
    }
    progress.finish_and_clear();
    for ((what, source, bar), mut starts_ms) in kinds.into_iter().zip(starts_ms) {
        starts_ms.sort_by(f64::total_cmp);
        let at = |share: f64| starts_ms[((starts_ms.len() - 1) as f64 * share) as usize];
        table.add(format!("start to first answer, {what}: p50"), at(0.5), "ms", bar);
        table.add("  p99", at(0.99), "ms", None);
        table.add("  a move played and taken back", call_us(&*source), "µs", None);
    }
}

/// An instance after its first move.
fn first_answer(source: &dyn EngineSource) -> Box<dyn Engine> {
    let mut engine = source.open(Arc::new(NullListener), 1).expect("it opens");
    engine.start(&gomoku(&[])).expect("it starts");
    engine.choose(&Limits::default(), &[]).expect("it answers");
    engine
}

/// The time of `played` and `taken-back` together, in microseconds.
fn call_us(source: &dyn EngineSource) -> f64 {
    let mut engine = first_answer(source);
    let began = Instant::now();
    for _ in 0..CALLS {
        engine.played("a1").expect("a move");
        engine.taken_back(1).expect("a move");
    }
    began.elapsed().as_secs_f64() * 1e6 / f64::from(CALLS)
}
