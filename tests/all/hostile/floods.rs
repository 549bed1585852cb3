//! Engines that flood the host with calls and output.

use std::sync::Arc;
use std::time::{Duration, Instant};

use sandboard_abi::Limits;
use sandboard_bout::driver::EngineOutput;
use sandboard_engine::{Caps, EngineSource};
use sandboard_engine_wasm::Metering;
use sandboard_tests::RecordingListener;

use super::guest::{Guest, small, with_component};
use super::harness::{Harness, Terms};

const ANSWER: &str = "(call $pick) (i32.const 1024)";
const REPORT: &str = "
    (call $report (i32.const 1) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0)
      (i64.const 0) (i64.const 0) (i32.const 4096) (i32.const %))";

/// A report with this number of bytes at address 4096.
fn report(bytes: usize) -> String {
    REPORT.replace('%', &bytes.to_string())
}

fn log(bytes: usize) -> String {
    format!("(call $log (i32.const 2) (i32.const 4096) (i32.const {bytes}))")
}

/// Runs `body` `count` times, then moves.
fn times(count: u32, body: &str) -> Guest {
    let choose = format!(
        "(local $n i32)
         (loop $next
           {body}
           (local.set $n (i32.add (local.get $n) (i32.const 1)))
           (br_if $next (i32.lt_u (local.get $n) (i32.const {count}))))
         {ANSWER}"
    );
    Guest::with("choose", &choose)
}

/// Runs `body` forever; the text `book` is at 4096.
fn loop_forever(body: &str) -> Guest {
    let choose = format!("(loop $ever {body} (br $ever)) (unreachable)");
    Guest::with("choose", &choose).and("more", r#"(data (i32.const 4096) "book")"#)
}

pub(super) fn slow_host_call(harness: &Harness) {
    // The host itself is slow, because of a slow listener.
    let slow = |_: usize, _: EngineOutput<'_>| {
        let began = Instant::now();
        while began.elapsed() < Duration::from_millis(150) {
            std::hint::spin_loop();
        }
    };
    let on_time = " on time: it did not answer within 20 ms and 50 ms of grace";
    let terms = || Terms { output_listener: Some(Arc::new(slow)), ..Terms::within("20ms/move") };
    harness.loses(&times(1, &report(0)), terms(), on_time);
    // The same if no engine code runs afterwards that could be interrupted.
    let choose = format!("(call $pick) {} (i32.const 1024)", report(0));
    let post =
        r#"(func (export "cabi_post_sandboard:engine/engine@1.0.0#choose") (param i32) %post%)"#;
    let bytes = Guest::with("choose", &choose).bytes_where(post, "");
    let source = super::guest::load(&bytes, Metering::Deadline, Caps::default()).unwrap();
    let record = harness.bout(Arc::new(source), terms());
    let sentence = &super::harness::result(&record).sentence;
    assert_eq!(*sentence, format!("hostile (black) loses{on_time}"));
    // The size of one request is limited.
    let asset =
        "(call $asset (i32.const 4096) (i32.const 4) (i64.const 0) (i32.const %) (i32.const 512))";
    let sentence = "asked for 1048577 bytes at once; at most 1048576";
    harness.faults(
        &loop_forever(&asset.replace('%', "1048577")),
        Terms::default(),
        "protocol",
        sentence,
    );
    let spaces = "(memory.fill (i32.const 100000) (i32.const 32) (i32.const 65537))";
    let look = "(call $look (i32.const 100000) (i32.const %) (i32.const 512))";
    let long = |bytes: &str, kind: u32| {
        // At 512 is the kind of the answer: 1 is an error, which is no fault.
        let kind = format!(
            "(if (i32.ne (i32.load8_u (i32.const 512)) (i32.const {kind})) (then (unreachable)))"
        );
        let look = look.replace('%', bytes);
        Guest::with("choose", &format!("{spaces} {look} {kind} {ANSWER}"))
    };
    harness.plays(&long("65536", 0), Terms::default());
    harness.plays(&long("65537", 1), Terms::default());
}

pub(super) fn calls(harness: &Harness) {
    let on_time = " on time: it did not answer within 100 ms and 50 ms of grace";
    let forget = "(global.set $top (i32.const 65536))";
    for body in [
        "(drop (call $left))",
        "(call $legal (i32.const 0) (i32.const 0) (i32.const 512))",
        "(call $look (i32.const 0) (i32.const 0) (i32.const 512))",
        "(call $asset (i32.const 4096) (i32.const 4) (i64.const 0) (i32.const 6) (i32.const 512))",
        "(call $log (i32.const 2) (i32.const 4096) (i32.const 4))",
        "(drop (call $cell (i32.const 63) (i32.const 2) (i64.const 1)))",
        "(drop (call $probe (i64.const 1)))",
        "(call $store (i64.const 1) (i64.const 2))",
    ] {
        let guest = loop_forever(&format!("{forget} {body}"));
        harness.loses(&guest, Terms::within("100ms/move"), on_time);
    }
    let flood = "reported more than 100000 lines in one call";
    harness.faults(&loop_forever(&report(4)), Terms::default(), "flood", flood);
    // That number in each move adds up to the limit of a game.
    let flood = "reported more than 1000000 lines in one game";
    let guest = times(100_000, &report(0));
    harness.faults(&guest, Terms::default(), "flood", flood);
    let flood = "reported and logged more than 64 MiB in one call";
    let spaces = "(memory.fill (i32.const 4096) (i32.const 32) (i32.const 65536))";
    for body in [report(65_536), log(65_536)] {
        let guest = times(2000, &format!("{spaces} {body}"));
        harness.faults(&guest, Terms::default(), "flood", flood);
    }
}

pub(super) fn logs(harness: &Harness) {
    let logging = |data: &str, bytes: usize| {
        Guest::with("choose", &format!("{} {ANSWER}", log(bytes)))
            .and("more", &format!("(data (i32.const 4096) \"{data}\")"))
            .and("memory", r#"(memory (export "memory") 40)"#)
    };
    // Control and bidirectional characters are escaped.
    let record = harness.plays(&logging(r"\1b[2J\07\t\e2\80\aebell\00", 12), Terms::default());
    assert_eq!(record.logs[0].text, r"\u{1b}[2J\u{7} \u{202e}bel");
    for (data, bytes, what) in [
        (r"\ff\fe", 2, "invalid utf-8 sequence of 1 bytes from index 0"),
        (r"ok\c3", 3, "incomplete utf-8 byte sequence from index 2"),
        (r"\ed\a0\80", 3, "invalid utf-8 sequence of 1 bytes from index 0"),
    ] {
        let sentence = format!("violated the ABI: {what}");
        harness.faults(&logging(data, bytes), Terms::default(), "protocol", &sentence);
    }
    let letters = "(memory.fill (i32.const 4096) (i32.const 120) (i32.const 1048577))";
    let long = |bytes: usize| {
        logging("", bytes).and("choose", &format!("{letters} {} {ANSWER}", log(bytes)))
    };
    let flood = "handed over more than 1024 KiB in one call";
    harness.faults(&long(1_048_577), Terms::default(), "flood", flood);
    let record = harness.plays(&long(1_000_000), Terms::default());
    assert_eq!(record.logs[0].text, format!("{}…", "x".repeat(4096)));
    assert!(record.plies[0].spent.logged_bytes >= 1_000_000);
    // 2 MB in each call: dropped, but counted.
    let flood = times(2000, &log(1000)).and("more", r#"(data (i32.const 4096) "flood")"#);
    let record = harness.plays(&flood, Terms::default());
    let kept: usize = record.logs.iter().map(|log| log.text.len()).sum();
    assert!((1..=64 * 1024).contains(&kept), "{kept} bytes in the record");
    let logged: Vec<u64> = record.plies.iter().map(|ply| ply.spent.logged_bytes).collect();
    assert_eq!(logged[2], 2 * logged[0], "{logged:?}");
    let letters = format!("(data (i32.const 4096) \"{}\")", "x".repeat(1000));
    quotas(harness, &times(2000, &log(1000)).and("more", &letters), 246);
    quotas(harness, &times(10_000, &log(0)), 4096);
}

/// A listener receives `in_a_call` texts in each call until the game's quota is used up.
fn quotas(harness: &Harness, guest: &Guest, in_a_call: usize) {
    harness.count_check();
    let listener = RecordingListener::new();
    let source = guest.load(Metering::Deadline, Caps::default());
    let mut engine = source.open(listener.clone(), 1).unwrap();
    engine.start(&small()).unwrap();
    let mut texts_of_call = || {
        engine.choose(&Limits::default(), &[]).unwrap();
        std::mem::take(&mut *listener.log.lock().unwrap()).len()
    };
    let calls: Vec<usize> = (0..6).map(|_| texts_of_call()).collect();
    assert_eq!(calls[..4], [in_a_call; 4]);
    assert!(calls[4] < 8 && calls[5] == 0, "{calls:?}");
}

pub(super) fn resources(harness: &Harness) {
    let with = |function: &str| {
        let text = format!("(component (type $r (resource (rep i32))) {function})");
        with_component(Guest::sound().bytes(), &text)
    };
    assert_eq!(harness.load_fault(&with("")), "", "a type alone");
    for function in ["resource.new", "resource.drop", "resource.rep"] {
        let refused = harness.load_fault(&with(&format!("(core func (canon {function} $r))")));
        let expected = "load: cannot be loaded: uses resources at byte ";
        assert!(refused.starts_with(expected), "{refused}");
    }
}
