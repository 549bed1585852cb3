//! Delay of stopping an engine that exceeds its deadline: from deadline and grace to the return of
//! `choose`, for each kind of engine in turns.

use std::sync::Arc;
use std::time::{Duration, Instant};

use sandboard_abi::{Limits, Unit};
use sandboard_engine::{Caps, EngineSource, FaultCode, NullListener};
use sandboard_tests::{gomoku, jailed_native};

use crate::guests::{FULL, LOOP, SMALL, guest, jailed_guest, started};
use crate::progress;
use crate::table::{Bar, Table, median};

const KILLS: u64 = 1000;
const DEADLINE: Duration = Duration::from_millis(50);
/// Number of measurements of a single fill.
const FILLS: usize = 15;

/// A kind of engine that does not return.
struct Guest {
    what: &'static str,
    source: Box<dyn EngineSource>,
    fault: &'static str,
    p50_ms: f64,
    p99_ms: Option<f64>,
    delay_ms: Vec<f64>,
}

pub(crate) fn measure(table: &mut Table) {
    let mut guests = [
        kind("an endless loop", SMALL, LOOP, 1.0, Some(5.0)),
        kind("a flood of `left`", SMALL, "(loop (drop (call $left)) (br 0))", 1.0, Some(5.0)),
        kind("a flood of `legal`", SMALL, LEGAL, 1.0, Some(5.0)),
        kind("64 MiB of memory.fill in a loop", FULL, FILL_LOOP, 2.0, None),
        Guest {
            source: Box::new(jailed_guest(SMALL, LOOP)),
            ..kind("an endless loop, wasm in an engine process", SMALL, LOOP, 1.0, Some(5.0))
        },
        Guest {
            source: Box::new(jailed_native("faulty", Caps::default()).expect("it loads")),
            fault: "loop",
            ..kind("an endless loop, native in an engine process", SMALL, LOOP, 1.0, Some(5.0))
        },
    ];
    let progress = progress::bar("kill", KILLS);
    for _ in 0..KILLS {
        for guest in &mut guests {
            guest.delay_ms.push(delay_ms(guest));
        }
        progress.inc(1);
    }
    progress.finish_and_clear();
    for guest in &guests {
        report(table, guest);
    }
    single_fills(table);
}

/// Requests all legal moves of the empty board repeatedly.
const LEGAL: &str = "(loop (call $legal (i32.const 0) (i32.const 0) (i32.const 16)) (br 0))";
const FILL_LOOP: &str =
    "(loop (memory.fill (i32.const 0) (i32.const 1) (i32.const 0x4000000)) (br 0))";
/// Fills all pages except the first, which has the answer.
const FILL_ONCE: &str = "(memory.fill (i32.const 0x10000) (i32.const 1) (i32.const 0x3ff0000))";

fn kind(what: &'static str, pages: u32, choose: &str, p50_ms: f64, p99_ms: Option<f64>) -> Guest {
    let source = Box::new(guest(pages, choose));
    Guest { what, source, fault: "", p50_ms, p99_ms, delay_ms: Vec::new() }
}

/// Stops a new instance: milliseconds from its deadline to the return of `choose`.
fn delay_ms(guest: &Guest) -> f64 {
    let limits = Limits {
        unit: Unit::Wall,
        call_max: Some(DEADLINE.as_micros() as u64),
        ..Limits::default()
    };
    let mut engine = guest.source.open(Arc::new(NullListener), 1).expect("it opens");
    let options: &[_] = if guest.fault.is_empty() { &[] } else { &[("fault", guest.fault)] };
    engine.start(&gomoku(options)).expect("it starts");
    let began = Instant::now();
    let fault = engine.choose(&limits, &[]).expect_err("it cannot come back");
    let took = began.elapsed();
    assert_eq!(fault.code, FaultCode::Timeout, "{fault}");
    // A stop before the deadline would be an error.
    let delay = took.checked_sub(DEADLINE).expect("no engine is stopped before its deadline");
    delay.as_secs_f64() * 1e3
}

fn report(table: &mut Table, guest: &Guest) {
    let mut delay = guest.delay_ms.clone();
    delay.sort_by(f64::total_cmp);
    let at = |share: f64| delay[((delay.len() - 1) as f64 * share).round() as usize];
    let what = guest.what;
    table.add(
        format!("delay of a stop, {what}: p50"),
        at(0.5),
        "ms",
        Some(Bar::AtMost(guest.p50_ms)),
    );
    table.add("  p99", at(0.99), "ms", guest.p99_ms.map(Bar::AtMost));
    table.add("  the latest", at(1.0), "ms", None);
}

/// The time of one uninterrupted fill: the maximum delay that it can cause.
fn single_fills(table: &mut Table) {
    let module = guest(FULL, FILL_ONCE);
    let (mut first_ms, mut again_ms) = (Vec::new(), Vec::new());
    for _ in 0..FILLS {
        let mut engine = started(&module);
        let mut fill_ms = || {
            let began = Instant::now();
            engine.choose(&Limits::default(), &[]).expect("it comes back");
            began.elapsed().as_secs_f64() * 1e3
        };
        first_ms.push(fill_ms());
        again_ms.push(fill_ms());
    }
    table.add("one memory.fill of 64 MiB, fresh memory", median(first_ms), "ms", None);
    table.add("one memory.fill of 64 MiB, memory in use", median(again_ms), "ms", None);
}
