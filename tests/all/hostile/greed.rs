//! Engines that take all they can: memory, tables, stack, and time by bulk memory operations.

use sandboard_engine::Caps;
use sandboard_engine_wasm::Metering;

use super::guest::Guest;
use super::harness::{Harness, Terms};

const ANSWER: &str = "(call $pick) (i32.const 1024)";

/// Grows memory by 16 pages, then by single pages, until it fails.
const GROW: &str = "
    (loop $more (br_if $more (i32.ne (memory.grow (i32.const 16)) (i32.const -1))))
    (loop $more (br_if $more (i32.ne (memory.grow (i32.const 1)) (i32.const -1))))";

/// Writes to every page of 4 KiB the value that it has.
const TOUCH: &str = "
    (local $at i32)
    (loop $next
      (i32.store8 (local.get $at) (i32.load8_u (local.get $at)))
      (local.set $at (i32.add (local.get $at) (i32.const 4096)))
      (br_if $next
        (i32.lt_u (local.get $at) (i32.mul (memory.size) (i32.const 65536)))))";

const GROW_TABLE: &str = "
    (loop $more
      (br_if $more (i32.ne (table.grow $t (ref.null func) (i32.const 1000)) (i32.const -1))))";

pub(super) fn growth(harness: &Harness) {
    // It takes all its memory and continues to play.
    let touch = format!("{TOUCH} {GROW} (local.set $at (i32.const 0)) {}", &TOUCH[22..]);
    let record =
        harness.plays(&Guest::with("choose", &format!("{touch} {ANSWER}")), Terms::default());
    let peak = record.plies[0].spent.peak_memory_bytes.unwrap();
    let cap = Caps::default().memory_bytes;
    assert!((cap - 128 * 1024..=cap).contains(&peak), "{peak} of {cap} bytes");
    // A trap after a failed growth counts as memory fault.
    let guest = Guest::with("choose", &format!("{GROW} (unreachable)"));
    harness.faults(&guest, Terms::default(), "memory", "used up its 64 MiB of memory");
    let small = || {
        let caps = Caps { memory_bytes: 1 << 20, ..Caps::default() };
        Terms { caps, ..Terms::default() }
    };
    harness.faults(&guest, small(), "memory", "used up its 1 MiB of memory");
    // A limit of its own memory does not count as one.
    let guest = guest.and("memory", r#"(memory (export "memory") 4 8)"#);
    let trapped = "trapped: wasm `unreachable` instruction executed";
    harness.faults(&guest, Terms::default(), "crash", trapped);
    // Tables are limited and count as memory.
    let table = "(table $t 1 funcref)";
    let guest = Guest::with("choose", &format!("{GROW_TABLE} {ANSWER}")).and("more", table);
    let record = harness.plays(&guest, Terms::default());
    let peak = record.plies[0].spent.peak_memory_bytes.unwrap();
    assert!((8 * 99_000 + 4 * 65_536..9 * 100_000 + 4 * 65_536).contains(&peak), "{peak}");
    let guest = guest.and("choose", &format!("{GROW_TABLE} (unreachable)"));
    let sentence = "used up the 100000 elements of a table";
    harness.faults(&guest, Terms::default(), "memory", sentence);
    harness.faults(&guest, small(), "memory", "used up its 1 MiB of memory");
}

pub(super) fn recursion(harness: &Harness) {
    let used_up = "used up its 1024 KiB of stack";
    let deep = |body: &str| {
        let deep = format!("(func $deep (param i32) (result i32) {body})");
        Guest::with(
            "choose",
            "(i32.store (i32.const 600) (call $deep (i32.const 600))) (i32.const 1024)",
        )
        .and("more", &deep)
    };
    let call = "(call $deep (i32.add (local.get 0) (i32.const 1)))";
    let thin = format!("(i32.xor (local.get 0) {call})");
    // A hundred values that stay live across the call.
    let loads: String =
        (0..100).map(|n| format!("(i32.load offset={} (i32.const 0))", 8 * n)).collect();
    let fat = format!("{loads} {call} {}", "(i32.xor)".repeat(100));
    // Recursion through the host, whose answer calls the engine's realloc.
    let host = format!(
        "(global.set $top (i32.const 65536))
         (call $legal (i32.const 0) (i32.const 0) (i32.const 512)) {thin}"
    );
    for body in [&thin, &fat, &host] {
        harness.faults(&deep(body), Terms::default(), "stack", used_up);
    }
    let fuel = || Terms { metering: Metering::Fuel, ..Terms::within("fuel:1e9/move") };
    for body in [&thin, &fat, &host] {
        harness.faults(&deep(body), fuel(), "stack", "used up its 64512 slots of stack");
    }
    // Optimised code keeps each product across the call, so the machine's stack ends first.
    let products: String = (1..=1000)
        .map(|n| {
            let product = format!("(i32.mul (local.get 0) (i32.const {}))", 2 * n + 1);
            format!("(local.set $sum (i32.xor (local.get $sum) {product}))")
        })
        .collect();
    let kept = format!(
        "(local $sum i32) {products} (local.set $sum (i32.xor (local.get $sum) {call}))
         {products} (local.get $sum)"
    );
    harness.faults(&deep(&kept), fuel(), "stack", used_up);
    harness.faults(
        &deep(&thin).and("begin", "(drop (call $deep (i32.const 0)))"),
        Terms::default(),
        "stack",
        used_up,
    );
    // A call of the host from realloc is not allowed.
    let guest = Guest::with(
        "realloc",
        "(call $legal (i32.const 0) (i32.const 0) (i32.const 512)) (i32.const 65536)",
    );
    harness.faults(&guest, Terms::default(), "crash", "trapped: cannot leave component instance");
    let guest = deep(&thin).and("realloc", "(call $deep (i32.const 0))");
    harness.faults(&guest, Terms::default(), "stack", used_up);
}

pub(super) fn bulk_memory(harness: &Harness) {
    // 62.5 MiB each time, without the engine's own first bytes.
    let all = "(i32.const 65536) (i32.const 131072) (i32.const 65404928)";
    let fill = all.replace("131072", "0");
    let table = "(table $t 90000 funcref)";
    let sized = |body: &str| {
        Guest::with("choose", &format!("(loop $ever {body} (br $ever)) (unreachable)"))
            .and("memory", r#"(memory (export "memory") 1000)"#)
            .and("more", table)
    };
    let on_time = " on time: it did not answer within 100 ms and 50 ms of grace";
    let used_up = " on time: it used up its 1e6 units of fuel and 5e7 of grace";
    let copy = format!("(memory.copy {all})");
    let fill = format!("(memory.fill {fill})");
    let elements = "(table.fill $t (i32.const 0) (ref.null func) (i32.const 90000))";
    for body in [&fill[..], &copy, elements] {
        harness.loses(&sized(body), Terms::within("100ms/move"), on_time);
        // Fuel counts copied bytes; otherwise this would take hours.
        let fuel = Terms { metering: Metering::Fuel, ..Terms::within("fuel:1e6/move") };
        harness.loses(&sized(body), fuel, used_up);
    }
}
