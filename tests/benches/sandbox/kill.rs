//! How late an engine is stopped that misses its deadline: from the deadline and
//! its grace to the return of `choose`. Each kind of engine in turns.

use std::sync::Arc;
use std::time::{Duration, Instant};

use sandboard_abi::{Limits, Unit};
use sandboard_host::engine::{Caps, Deaf, EngineSource, FaultCode};
use sandboard_tests::{gomoku, jailed_native};

use crate::guests::{FULL, LOOP, SMALL, guest, jailed_guest, started};
use crate::progress;
use crate::table::{Bar, Table, median};

const KILLS: u64 = 1000;
const DEADLINE: Duration = Duration::from_millis(50);
/// How often a single fill is measured.
const FILLS: usize = 15;

/// A kind of engine that does not come back.
struct Guest {
    what: &'static str,
    source: Box<dyn EngineSource>,
    fault: &'static str,
    p50_ms: f64,
    p99_ms: Option<f64>,
    late_ms: Vec<f64>,
}

pub fn measure(table: &mut Table) {
    let mut guests = [
        kind("an endless loop", SMALL, LOOP, 1.0, Some(5.0)),
        kind("a flood of `left`", SMALL, "(loop (drop (call $left)) (br 0))", 1.0, Some(5.0)),
        kind("a flood of `legal`", SMALL, LEGAL, 1.0, Some(5.0)),
        kind("64 MiB of memory.fill in a loop", FULL, FILL_LOOP, 2.0, None),
        Guest {
            source: Box::new(jailed_guest(SMALL, LOOP)),
            ..kind("an endless loop, wasm in a worker", SMALL, LOOP, 1.0, Some(5.0))
        },
        Guest {
            source: Box::new(jailed_native("faulty", Caps::default()).expect("it loads")),
            fault: "loop",
            ..kind("an endless loop, native in a worker", SMALL, LOOP, 1.0, Some(5.0))
        },
    ];
    let progress = progress::bar("kill", KILLS);
    for _ in 0..KILLS {
        for guest in &mut guests {
            guest.late_ms.push(late_ms(guest));
        }
        progress.inc(1);
    }
    progress.finish_and_clear();
    for guest in &guests {
        report(table, guest);
    }
    single_fills(table);
}

/// All legal moves of the empty board, again and again.
const LEGAL: &str = "(loop (call $legal (i32.const 0) (i32.const 0) (i32.const 16)) (br 0))";
const FILL_LOOP: &str =
    "(loop (memory.fill (i32.const 0) (i32.const 1) (i32.const 0x4000000)) (br 0))";
/// All but the first page, which holds the answer.
const FILL_ONCE: &str = "(memory.fill (i32.const 0x10000) (i32.const 1) (i32.const 0x3ff0000))";

fn kind(what: &'static str, pages: u32, choose: &str, p50_ms: f64, p99_ms: Option<f64>) -> Guest {
    let source = Box::new(guest(pages, choose));
    Guest { what, source, fault: "", p50_ms, p99_ms, late_ms: Vec::new() }
}

/// One kill of a fresh instance: by how much `choose` came back after its deadline.
fn late_ms(guest: &Guest) -> f64 {
    let limits = Limits {
        unit: Unit::Wall,
        call_max: Some(DEADLINE.as_micros() as u64),
        ..Limits::default()
    };
    let mut engine = guest.source.open(Arc::new(Deaf)).expect("it opens");
    let options: &[_] = if guest.fault.is_empty() { &[] } else { &[("fault", guest.fault)] };
    engine.start(&gomoku(options)).expect("it starts");
    let began = Instant::now();
    let fault = engine.choose(&limits, &[]).expect_err("it cannot come back");
    let took = began.elapsed();
    assert_eq!(fault.code, FaultCode::Timeout, "{fault}");
    // A deadline that is kept too early would be no lateness of 0.
    let late = took.checked_sub(DEADLINE).expect("nobody is killed before the deadline");
    late.as_secs_f64() * 1e3
}

fn report(table: &mut Table, guest: &Guest) {
    let mut late = guest.late_ms.clone();
    late.sort_by(f64::total_cmp);
    let at = |share: f64| late[((late.len() - 1) as f64 * share).round() as usize];
    let what = guest.what;
    table.add(format!("killed late, {what}: p50"), at(0.5), "ms", Some(Bar::AtMost(guest.p50_ms)));
    table.add("  p99", at(0.99), "ms", guest.p99_ms.map(Bar::AtMost));
    table.add("  the latest", at(1.0), "ms", None);
}

/// What one fill takes that nothing interrupts: the most that a kill can be late by it.
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
