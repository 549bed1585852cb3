//! The fuel of small functions, operator by operator: at each call of the host, and at the end.

use wasmtime::OptLevel;

use super::run::{DEEP, ENOUGH, End, Engines, Report};

/// A module whose export `run` has this body. `$note` is a host function. Its call costs 151 parts:
/// the price of `call`, and 1 for its argument.
fn module(body: &str) -> Vec<u8> {
    let text = format!(
        r#"(module
          (import "host" "note" (func $note (param i32)))
          (memory (export "memory") 1 3)
          (table $table 4 8 funcref)
          (type $unary (func (param i32) (result i32)))
          (global $global (export "global") (mut i32) (i32.const 0))
          (data $data "0123456789")
          (elem $elements func $leaf $leaf)
          (elem (i32.const 0) func $leaf $caller)
          (func $leaf (param i32) (result i32) (local.get 0))
          (func $caller (param i32) (result i32) (call $leaf (local.get 0)))
          (func $pair (param i32) (result i32 i32) (local.get 0) (local.get 0))
          (func (export "run") (local $a i32) (local $b i64) (local $v v128) {body}))"#
    );
    wat::parse_str(text).unwrap_or_else(|error| panic!("{error}\n{body}"))
}

fn run(module: &[u8], fuel: i64) -> Report {
    Engines::new(OptLevel::Speed).instrumented(module, fuel, DEEP)
}

/// Checks the fuel that is spent since the function was entered: at each call of the host, and at
/// the end. The runtime must count the same.
#[track_caller]
fn check(body: &str, expected: &[i64]) {
    let module = module(body);
    let report = run(&module, ENOUGH);
    let spent = |report: &Report| {
        let [instantiated, called] = &report.calls[..] else { panic!("{report:?}") };
        assert!(matches!(called.end, End::Returned(_)), "{body}: {report:?}");
        let points = report.host_calls.iter().chain([&called.spent]);
        points.map(|point| point - instantiated.spent).collect::<Vec<_>>()
    };
    assert_eq!(spent(&report), expected, "{body}");
    let original = Engines::new(OptLevel::Speed).original(&module, ENOUGH);
    assert_eq!(spent(&original), expected, "{body}: the runtime counts something else");
    assert_eq!(report.state, original.state, "{body}");
    // With exactly this fuel it ends, and with one part less it does not.
    let total = expected.last().unwrap();
    assert_eq!(run(&module, *total).calls[1].end, End::Returned(String::new()), "{body}");
    assert_eq!(run(&module, total - 1).calls[1].end, End::OutOfFuel, "{body}");
}

#[test]
fn entering_a_function_costs_one_part() {
    check("", &[1]);
    check("nop", &[1]);
}

#[test]
fn each_class_has_its_price() {
    check("(drop (i32.const 5))", &[1 + 1]);
    check("(drop (v128.const i64x2 0 0))", &[1 + 1]);
    check("(local.set $a (local.get $a))", &[1 + 2]);
    check("(drop (i32.add (i32.const 1) (i32.const 2)))", &[1 + 4]);
    check("(drop (i32.clz (i32.const 1)))", &[1 + 1 + 5]);
    check("(drop (select (i32.const 1) (i32.const 2) (i32.const 1)))", &[1 + 3 + 4]);
    check("(global.set $global (global.get $global))", &[1 + 4 + 4]);
    check("(drop (i32.mul (i32.const 1) (i32.const 2)))", &[1 + 2 + 13]);
    check("(drop (i32.div_u (i32.const 1) (i32.const 2)))", &[1 + 2 + 160]);
    check("(drop (i32.load (i32.const 0)))", &[1 + 1 + 15]);
    check("(i32.store (i32.const 0) (i32.const 7))", &[1 + 2 + 5]);
    check("(drop (f64.abs (f64.const 1)))", &[1 + 1 + 5]);
    check("(drop (f64.add (f64.const 1) (f64.const 2)))", &[1 + 2 + 60]);
    check("(drop (i32.trunc_sat_f64_s (f64.const 1)))", &[1 + 1 + 75]);
    check("(drop (f64.sqrt (f64.const 1)))", &[1 + 1 + 200]);
    check("(drop (i8x16.add (local.get $v) (local.get $v)))", &[1 + 2 + 10]);
    check("(drop (i32x4.mul (local.get $v) (local.get $v)))", &[1 + 2 + 22]);
    check("(drop (i32x4.splat (i32.const 1)))", &[1 + 1 + 50]);
    check("(drop (f32x4.add (local.get $v) (local.get $v)))", &[1 + 2 + 75]);
    check("(drop (f32x4.min (local.get $v) (local.get $v)))", &[1 + 2 + 150]);
    check("(drop (table.get $table (i32.const 0)))", &[1 + 1 + 24]);
    check("(drop (ref.func $leaf))", &[1 + 255]);
    check("(drop (ref.is_null (ref.null func)))", &[1 + 1 + 2]);
    check("(data.drop $data)", &[1 + 255]);
    check("(drop (memory.size))", &[1 + 2]);
    check("(local.set $b (i64.extend8_s (local.get $b)))", &[1 + 1 + 2 + 1]);
}

#[test]
fn sizes_known_in_advance_are_charged() {
    check("(memory.fill (i32.const 0) (i32.const 1) (i32.const 300))", &[1 + 3 + 90 + 300]);
    check("(memory.copy (i32.const 0) (i32.const 1) (i32.const 0))", &[1 + 3 + 90]);
    check("(memory.init $data (i32.const 0) (i32.const 0) (i32.const 10))", &[1 + 3 + 90 + 10]);
    check("(drop (memory.grow (i32.const 2)))", &[1 + 1 + 255 + 2 * 255]);
    check(
        "(table.fill $table (i32.const 0) (ref.null func) (i32.const 3))",
        &[1 + 3 + 90 + 3 * 18],
    );
    check("(table.copy (i32.const 0) (i32.const 1) (i32.const 2))", &[1 + 3 + 90 + 2 * 45]);
    check(
        "(table.init $table $elements (i32.const 0) (i32.const 0) (i32.const 2))",
        &[1 + 3 + 90 + 2 * 45],
    );
    check("(drop (table.grow $table (ref.null func) (i32.const 3)))", &[1 + 2 + 255 + 3 * 18]);
}

#[test]
fn sizes_known_at_run_time_are_charged() {
    let size = "(local.set $a (i32.const 2))";
    let check = |body: &str, parts: i64| check(&format!("{size} {body}"), &[1 + 2 + parts]);
    check("(memory.fill (i32.const 0) (i32.const 1) (local.get $a))", 3 + 90 + 2);
    check("(memory.copy (i32.const 0) (i32.const 1) (local.get $a))", 3 + 90 + 2);
    check("(memory.init $data (i32.const 0) (i32.const 0) (local.get $a))", 3 + 90 + 2);
    check("(drop (memory.grow (local.get $a)))", 1 + 255 + 2 * 255);
    check("(table.fill $table (i32.const 0) (ref.null func) (local.get $a))", 3 + 90 + 2 * 18);
    check("(table.copy (i32.const 0) (i32.const 1) (local.get $a))", 3 + 90 + 2 * 45);
    check(
        "(table.init $table $elements (i32.const 0) (i32.const 0) (local.get $a))",
        3 + 90 + 2 * 45,
    );
    check("(drop (table.grow $table (ref.null func) (local.get $a)))", 2 + 255 + 2 * 18);
}

#[test]
fn growth_that_fails_is_charged() {
    check("(drop (memory.grow (i32.const 9)))", &[1 + 1 + 255 + 9 * 255]);
    check(
        "(local.set $a (i32.const 9)) (drop (memory.grow (local.get $a)))",
        &[1 + 2 + 1 + 255 + 9 * 255],
    );
    // 4,294,967,295 pages: a size has no sign.
    check("(drop (memory.grow (i32.const -1)))", &[1 + 1 + 255 + 0xffff_ffff * 255]);
    check(
        "(local.set $a (i32.const -1)) (drop (memory.grow (local.get $a)))",
        &[1 + 2 + 1 + 255 + 0xffff_ffff * 255],
    );
}

#[test]
fn a_call_of_the_host_has_paid_for_what_precedes_it_and_for_nothing_after_it() {
    check("(call $note (i32.const 1))", &[152, 152]);
    check("(call $note (i32.const 1)) (drop (i32.const 1))", &[152, 153]);
    check("(call $note (i32.const 1)) (call $note (i32.const 1))", &[152, 303, 303]);
    // The operands are computed first.
    check("(call $note (i32.div_u (i32.const 9) (i32.const 3)))", &[1 + 2 + 160 + 150, 313]);
    check("(block (call $note (i32.const 1)) (drop (i32.const 1)))", &[152, 153]);
}

#[test]
fn calls_charge_the_caller_and_the_callee() {
    check("(drop (call $leaf (i32.const 1)))", &[1 + 1 + 150 + 1 + 1]);
    check("(drop (call $caller (i32.const 1)))", &[1 + 1 + 150 + (1 + 1 + 150) + 2]);
    check(
        "(drop (call_indirect (type $unary) (i32.const 1) (i32.const 1)))",
        &[1 + 2 + 175 + (1 + 1 + 150) + 2],
    );
    check("(call $pair (i32.const 1)) drop drop", &[1 + 1 + 150 + 3]);
}

#[test]
fn branches_charge_what_is_executed() {
    let note = "(call $note (i32.const 1))";
    check("(block (br 0) (drop (i32.const 1)))", &[1 + 8]);
    check("(block (br_if 0 (i32.const 1)) (drop (i32.const 1)))", &[1 + 1 + 8]);
    check("(block (br_if 0 (i32.const 0)) (drop (i32.const 1)))", &[1 + 1 + 8 + 1]);
    check("(if (i32.const 1) (then (drop (i32.const 1))))", &[1 + 1 + 8 + 1]);
    check("(if (i32.const 0) (then (drop (i32.const 1))))", &[1 + 1 + 8]);
    let arms = "(then (drop (i32.const 1))) (else (drop (i32.clz (i32.const 1))))";
    check(&format!("(if (i32.const 1) {arms}) {note}"), &[1 + 1 + 8 + 1 + 151, 162]);
    check(&format!("(if (i32.const 0) {arms}) {note}"), &[1 + 1 + 8 + 6 + 151, 167]);
    check(&format!("(return) {note}"), &[1 + 8]);
    check("(br 0)", &[1 + 8]);
    check("(br_if 0 (i32.const 1)) (drop (i32.const 1))", &[1 + 1 + 8]);
    check("(br_if 0 (i32.const 0)) (drop (i32.const 1))", &[1 + 1 + 8 + 1]);
    check("(block (block (br_table 0 1 2 (i32.const 0))) (drop (i32.const 1)))", &[1 + 1 + 90 + 1]);
    check("(block (block (br_table 0 1 2 (i32.const 1))) (drop (i32.const 1)))", &[1 + 1 + 90]);
    check("(block (block (br_table 0 1 2 (i32.const 9))) (drop (i32.const 1)))", &[1 + 1 + 90]);
}

#[test]
fn a_label_that_control_cannot_reach_begins_nothing() {
    // The branch to the outer block is never reached.
    check("(block (block (br 0) (br 1)) (drop (i32.const 1))) (drop (i32.const 1))", &[1 + 8 + 2]);
    check("(if (i32.const 1) (then (return)) (else (nop))) (drop (i32.const 1))", &[1 + 1 + 16]);
    check("(if (i32.const 0) (then (return)) (else (nop))) (drop (i32.const 1))", &[1 + 1 + 8 + 1]);
    check("(block (return) (memory.fill (i32.const 0) (i32.const 0) (i32.const 9)))", &[1 + 8]);
    check("(block (return) (memory.grow) (drop))", &[1 + 8]);
    check("(block (return) (loop (br 0) (call $note (i32.const 1))) (br_table 0 1 0 1))", &[1 + 8]);
}

#[test]
fn each_iteration_of_a_loop_is_charged() {
    let count = "(local.tee $a (i32.add (local.get $a) (i32.const 1)))";
    let more = format!("(br_if 0 (i32.lt_u {count} (i32.const 10)))");
    let iteration = 1 + 1 + 2 + 1 + 1 + 2 + 8;
    check(&format!("(loop {more})"), &[1 + 8 + 10 * iteration]);
    check(&format!("(loop {more} (drop (i32.const 1)))"), &[1 + 8 + 10 * iteration + 1]);
    check("(loop) (loop) (drop (i32.const 1))", &[1 + 8 + 8 + 1]);
}

#[test]
fn results_pass_the_ends_of_blocks_and_functions() {
    check("(drop (block (result i32) (br 0 (i32.const 1))))", &[1 + 1 + 8]);
    check("(block (result i32 i64) (i32.const 1) (i64.const 2) (br 0)) drop drop", &[1 + 2 + 8]);
    check("(i32.const 1) (loop (param i32) (drop))", &[1 + 1 + 8]);
    check("(i32.const 1) (i32.const 1) (if (param i32) (then (drop)) (else (drop)))", &[1 + 2 + 8]);
}

/// Checks how the export `run` of a module ends, and what it returns.
#[track_caller]
fn check_module(text: &str, expected: End, spent: i64) {
    let module = wat::parse_str(text).unwrap();
    let report = run(&module, ENOUGH);
    let call = report.calls.last().unwrap();
    assert_eq!((&call.end, call.spent), (&expected, spent), "{text}");
    let original = Engines::new(OptLevel::Speed).original(&module, ENOUGH);
    assert_eq!(original.calls.last().unwrap().end, expected, "{text}");
}

#[test]
fn functions_return_their_results_by_every_way_out() {
    let returned = |values: &str| End::Returned(values.into());
    let check = |body: &str, spent: i64| {
        let text = format!(r#"(module (func (export "run") (result i32 i64) {body}))"#);
        check_module(&text, returned("I32(1) I64(2)"), spent);
    };
    check("(i32.const 1) (i64.const 2)", 3);
    check("(i32.const 1) (i64.const 2) return", 11);
    check("(i32.const 1) (i64.const 2) br 0", 11);
    check("(i32.const 1) (i64.const 2) (br_if 0 (i32.const 1)) (unreachable)", 12);
    let values = "(i32.const 1) (i64.const 2)";
    check(&format!("(block (result i32 i64) {values} (br_if 1 (i32.const 1))) unreachable"), 12);
    let table = "(br_table 0 1 (i32.const 1) (i64.const 2) (i32.const 0))";
    check(&format!("(block (result i32 i64) {table})"), 1 + 3 + 90);
    check(&table.replace("0 1 (", "0 0 ("), 1 + 3 + 90);
}

#[test]
fn traps_are_those_of_the_original() {
    let check = |body: &str, trap: &str, spent: i64| {
        let text = format!(
            r#"(module (import "host" "note" (func $note)) (memory 1)
              (func (export "run") {body}))"#
        );
        check_module(&text, End::Trapped(format!("wasm trap: {trap}")), spent);
    };
    // What the function has charged itself since its last call is in no global.
    check("unreachable", "wasm `unreachable` instruction executed", 0);
    check("(drop (i32.div_u (i32.const 1) (i32.const 0)))", "integer divide by zero", 0);
    let division = "(drop (i32.div_u (i32.const 1) (i32.const 0)))";
    check(&format!("call $note {division}"), "integer divide by zero", 151);
    check(&format!("{division} call $note"), "integer divide by zero", 151 + 162);
    check("(loop (br_if 0 (i32.load (i32.const -1))))", "out of bounds memory access", 0);
}

/// Checks that the function `run` ends with this fuel left, and what it did before.
#[track_caller]
fn check_out_of_fuel(body: &str, fuel: i64, host_calls: &[i64], state: &str) {
    let report = run(&module(body), fuel);
    assert_eq!(report.calls[1], super::run::Call { end: End::OutOfFuel, spent: fuel + 1 });
    assert_eq!(report.host_calls, host_calls, "{body}");
    assert!(report.state.contains(&state.to_owned()), "{body}: {:?}", report.state);
}

#[test]
fn without_fuel_no_call_and_no_bulk_operation_happens() {
    let set = "(global.set $global (i32.const 1))";
    let call = "(call $note (i32.const 1))";
    // The segment with the call is charged and checked before any of it is executed.
    check_out_of_fuel(&format!("{set} {call}"), 5 + 151, &[], "global: I32(0)");
    check_out_of_fuel(&format!("{set} {call} {set} {call}"), 156 + 156, &[157], "global: I32(1)");
    check_out_of_fuel(&format!("{set} {call} {set} {call}"), 157, &[157], "global: I32(1)");
    let zeros = "memory: 65536 bytes, 0";
    let fill = "(memory.fill (i32.const 0) (i32.const 1) (i32.const 300))";
    check_out_of_fuel(fill, 93 + 300, &[], zeros);
    let fill = "(local.set $a (i32.const 300))
        (memory.fill (i32.const 0) (i32.const 1) (local.get $a))";
    check_out_of_fuel(fill, 95 + 300, &[], zeros);
    let grow = "(local.set $a (i32.const 1)) (drop (memory.grow (local.get $a)))";
    check_out_of_fuel(grow, 1 + 2 + 1 + 255 + 254, &[], zeros);
}

#[test]
fn a_loop_ends_without_fuel() {
    // The first iteration that cannot be paid for does not begin.
    let body = "(loop (global.set $global (i32.add (global.get $global) (i32.const 1))) (br 0))";
    check_out_of_fuel(body, 1 + 8 + 3 * 19 + 18, &[], "global: I32(3)");
    check_out_of_fuel(body, 1 + 8, &[], "global: I32(0)");
    check_out_of_fuel("(loop (br 0))", 1_000_000, &[], "global: I32(0)");
}

#[test]
fn recursion_ends_without_fuel() {
    let text = r#"(module (func $f (export "run") (call $f)))"#;
    check_module_end(text, 100_000, End::OutOfFuel);
    let text = r#"(module (table 1 funcref) (elem (i32.const 0) func $f)
      (func $f (export "run") (call_indirect (i32.const 0))))"#;
    check_module_end(text, 100_000, End::OutOfFuel);
}

#[track_caller]
fn check_module_end(text: &str, fuel: i64, expected: End) {
    let report = run(&wat::parse_str(text).unwrap(), fuel);
    assert_eq!(report.calls.last().unwrap().end, expected, "{text}");
}

#[test]
fn a_start_function_is_charged_as_any_other() {
    let text = r#"(module
      (import "host" "note" (func $note))
      (global $g (mut i32) (i32.const 0))
      (func $start (call $note) (global.set $g (i32.const 7)))
      (start $start)
      (func (export "run") (result i32) (global.get $g)))"#;
    let module = wat::parse_str(text).unwrap();
    let report = run(&module, ENOUGH);
    assert_eq!(report.host_calls, [151]);
    assert_eq!(report.calls[0].spent, 151 + 5);
    assert_eq!(report.calls[1].spent, 151 + 5 + 5);
    assert_eq!(report.calls[1].end, End::Returned("I32(7)".into()));
    assert_eq!(run(&module, 150).calls[0].end, End::OutOfFuel);
    assert_eq!(run(&module, 155).calls[0].end, End::OutOfFuel);
}

#[test]
fn deep_nesting_costs_as_much_as_without() {
    let nested = |depth: usize| {
        let inner = "(br_if 0 (i32.const 0))";
        format!("{} {inner} {}", "(block ".repeat(depth), ")".repeat(depth))
    };
    for depth in [1, 10, 1000] {
        check(&nested(depth), &[1 + 1 + 8]);
    }
}
