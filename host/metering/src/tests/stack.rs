//! The prices of frames, and what happens when the stack is used up.

use wasmtime::OptLevel;

use super::run::{ENOUGH, End, Engines};
use crate::{FRAME_SLOTS, LEAF_SLOTS};

/// Checks that a module needs a stack of this many slots to end.
#[track_caller]
fn check(text: &str, slots: u32) {
    let module = wat::parse_str(text).unwrap();
    let engines = Engines::new(OptLevel::Speed);
    let end = |slots| {
        let report = engines.instrumented(&module, ENOUGH, slots);
        report.calls.last().unwrap().end.clone()
    };
    let slots = slots.cast_signed();
    assert!(matches!(end(slots), End::Returned(_)), "{text}: {slots}: {:?}", end(slots));
    if slots > 0 {
        assert_eq!(end(slots - 1), End::StackOverflow, "{text}: {slots} - 1");
    }
}

/// A function that calls another with one operand, and this body before that.
fn caller(locals: &str, body: &str) -> String {
    format!(
        r#"(module (func $leaf (param i32))
          (func (export "run") {locals} {body} (call $leaf (i32.const 1))))"#
    )
}

#[test]
fn a_frame_has_a_constant_the_locals_and_the_highest_operands() {
    check(&caller("", ""), FRAME_SLOTS + 1);
    check(&caller("(local i32 i64 v128)", ""), FRAME_SLOTS + 4);
    check(&caller("(param i32)", ""), FRAME_SLOTS + 2);
    check(&caller("", "(drop (i32.add (i32.const 1) (i32.const 1)))"), FRAME_SLOTS + 2);
    check(&caller("", "(i32.const 1) (block (i32.const 1) drop) drop"), FRAME_SLOTS + 2);
    // Operands that are never computed do not count.
    let unreached = "(block (br 0) (i32.const 1) (i32.const 1) (i32.const 1) drop drop drop)";
    check(&caller("", unreached), FRAME_SLOTS + 1);
}

#[test]
fn a_function_that_calls_no_other_is_free_up_to_a_size() {
    let leaf = |locals: u32| {
        let locals = "i32 ".repeat(locals as usize);
        format!(r#"(module (func (export "run") (local {locals})))"#)
    };
    check(&leaf(0), 0);
    check(&leaf(LEAF_SLOTS - FRAME_SLOTS), 0);
    check(&leaf(LEAF_SLOTS - FRAME_SLOTS + 1), LEAF_SLOTS + 1);
    // A call that is never reached is none.
    check(r#"(module (func (export "run") (return) (call 0)))"#, 0);
}

/// A module whose function calls itself this many times.
fn recursion(times: u32, call: &str) -> String {
    format!(
        r#"(module (type $t (func (param i32))) (table 1 funcref) (elem (i32.const 0) func $f)
          (func $f (type $t)
            (if (local.get 0) (then {call})))
          (func (export "run") (call $f (i32.const {times}))))"#
    )
}

#[test]
fn each_call_takes_a_frame() {
    let direct = "(call $f (i32.sub (local.get 0) (i32.const 1)))";
    let indirect = "(call_indirect (type $t) (i32.sub (local.get 0) (i32.const 1)) (i32.const 0))";
    let run = FRAME_SLOTS + 1;
    for times in [0, 1, 7, 100] {
        check(&recursion(times, direct), run + (times + 1) * (FRAME_SLOTS + 1 + 2));
        check(&recursion(times, indirect), run + (times + 1) * (FRAME_SLOTS + 1 + 2));
    }
}

#[test]
fn frames_are_given_back_on_every_way_out() {
    let ways = [
        "",
        "return",
        "(br 0)",
        "(br_if 0 (i32.const 1)) (unreachable)",
        "(block (br_table 1 (i32.const 0)))",
        "(block (br_table 0 1 (i32.const 1)))",
        "(block (loop (br 2)))",
        "(if (i32.const 1) (then (return)))",
    ];
    for way in ways {
        let text = format!(
            r#"(module
              (func $leaf)
              (func $caller (call $leaf) {way})
              (func (export "run") (local $n i32)
                (loop
                  (call $caller)
                  (local.set $n (i32.add (local.get $n) (i32.const 1)))
                  (br_if 0 (i32.lt_u (local.get $n) (i32.const 1000))))))"#
        );
        check(&text, FRAME_SLOTS + 1 + 2 + FRAME_SLOTS + u32::from(way.contains("const")));
    }
}

#[test]
fn calls_that_do_not_return_take_the_frame() {
    // The second function is entered with 0, the third with 1.
    let text = |after: &str, body: &str| {
        format!(
            r#"(module
              (func $fail (call $leaf))
              (func $leaf)
              (func $check (param i32)
                (if (local.get 0) (then (call $fail) {after})) {body})
              (func (export "run") (call $check (i32.const 0))))"#
        )
    };
    let run = FRAME_SLOTS + 1;
    check(&text("unreachable", ""), run);
    check(&text("nop unreachable", ""), run);
    check(&text("", ""), run + FRAME_SLOTS + 2);
    check(&text("(drop (i32.const 1)) unreachable", ""), run + FRAME_SLOTS + 2);
    check(&text("return", ""), run + FRAME_SLOTS + 2);
    check(&text("unreachable", "(call $leaf)"), run + FRAME_SLOTS + 2);
    // Above the free size the frame is taken at entry.
    let locals = "i32 ".repeat(LEAF_SLOTS as usize);
    let large = text("unreachable", "").replace("(if", &format!("(local {locals}) (if"));
    check(&large, run + FRAME_SLOTS + 2 + LEAF_SLOTS);
}

#[test]
fn a_call_that_does_not_return_needs_its_frame() {
    let module = wat::parse_str(
        r#"(module (import "host" "note" (func $note))
          (func (export "run") (local i32) (call $note) unreachable))"#,
    );
    let module = module.unwrap();
    let engines = Engines::new(OptLevel::Speed);
    let run = |slots: u32| engines.instrumented(&module, ENOUGH, slots.cast_signed());
    let enough = run(FRAME_SLOTS + 1);
    assert_eq!(enough.host_calls, [151]);
    assert!(matches!(enough.calls[1].end, End::Trapped(_)), "{enough:?}");
    let short = run(FRAME_SLOTS);
    assert_eq!(short.calls[1].end, End::StackOverflow);
    assert!(short.host_calls.is_empty());
}

/// Bytes of the machine's stack that a slot needs at most.
const SLOT_BYTES: u32 = 16;

/// A function that calls itself for ever, with this many values that live across the call.
fn endless(ty: &str, values: u32) -> String {
    let load = format!("({ty}.load (i32.const 64))");
    let store: String = (0..values)
        .map(|n| format!("({ty}.store (i32.const 128) (local.get {}))", n + 1))
        .collect();
    let set: String = (0..values)
        .map(|n| format!("(i32.store (i32.const 64) (i32.const {n})) (local.set {} {load})", n + 1))
        .collect();
    format!(
        r#"(module (memory 1) (func $f (export "run") (param i32) (local {})
          {set} (call $f (i32.add (local.get 0) (i32.const 1))) {store}
          (i32.store (i32.const 0) (local.get 0))))"#,
        format!("{ty} ").repeat(values as usize)
    )
}

#[test]
fn the_counter_ends_before_the_stack_of_the_machine() {
    let check = || {
        for level in [OptLevel::Speed, OptLevel::None] {
            let engines = Engines::new(level);
            let slots = super::run::STACK_BYTES as u32 / SLOT_BYTES - LEAF_SLOTS;
            for ty in ["i32", "i64", "f64", "v128"] {
                for values in [0, 1, 10, 100, 900] {
                    let module = wat::parse_str(endless(ty, values)).unwrap();
                    let report = engines.instrumented(&module, ENOUGH, slots.cast_signed());
                    let call = report.calls.last().unwrap();
                    assert_eq!(call.end, End::StackOverflow, "{ty} {values}");
                    assert!(report.stack_left < 0, "{values} of {ty}: the machine's stack ended");
                }
            }
        }
    };
    std::thread::Builder::new().stack_size(32 << 20).spawn(check).unwrap().join().unwrap();
}
