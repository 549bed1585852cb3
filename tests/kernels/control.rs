//! Kernels of branches, calls and tables.

use super::{DEAREST, Kernel, RANDOM, many, single};

const UNFORESEEN: &str = "a mispredicted branch takes thirty times as long as a predicted one";
const CARRIED: &str = "values passed by a branch or call are charged where they are computed";

pub(super) fn kernels() -> Vec<Kernel> {
    let globals = "(global $g (mut i32) (i32.const 0)) (global $h (mut i32) (i32.const 0))";
    let functions = "(type $t (func (param i32) (result i32))) (table $t 8 8 funcref)
        (elem (i32.const 0) $f $g $f $g $f $g $f $g)
        (func $f (type $t) (i32.add (local.get 0) (i32.const 1)))
        (func $g (type $t) (i32.xor (local.get 0) (i32.const 1)))";
    let any = "(i32.and (i32.wrap_i64 (i64.shr_u (local.get $c) (i64.const 20))) (i32.const 7))";
    let plain_table = "(table $t 8 100 funcref)";
    vec![
        many(
            "if, foreseen",
            "",
            "(if (local.get $b)
               (then (local.set $a (i32.add (local.get $a) (i32.const 1))))
               (else (local.set $w (i32.add (local.get $w) (i32.const 1)))))",
        ),
        many(
            "if, not foreseen",
            globals,
            &format!(
                "{RANDOM} (if (i32.and {any} (i32.const 1))
                   (then (global.set $g (i32.add (global.get $g) (i32.const 1))))
                   (else (global.set $h (i32.add (global.get $h) (i32.const 1)))))"
            ),
        )
        .with_deviation(UNFORESEEN),
        many(
            "br_table, not foreseen",
            globals,
            &format!(
                "{RANDOM}
                 (block (block (block (block (br_table 0 1 2 3 {any}))
                   (local.set $a (i32.add (local.get $a) (i32.const 1))) (br 2))
                   (global.set $g (i32.add (global.get $g) (i32.const 1))) (br 1))
                   (global.set $h (i32.add (global.get $h) (i32.const 1))))"
            ),
        )
        .with_deviation(UNFORESEEN),
        many(
            "call",
            "(func $f (param i32) (result i32) (i32.add (local.get 0) (i32.const 1)))",
            "(local.set $a (call $f (local.get $a)))",
        ),
        many("call with 8 values", &wide(8), &wide_call(8)),
        single("call with 64 values", &wide(64), &wide_call(64)).with_deviation(CARRIED),
        many(
            "call_indirect",
            functions,
            "(local.set $a (call_indirect (type $t) (local.get $a) (i32.const 1)))",
        ),
        many(
            "call_indirect, not foreseen",
            functions,
            &format!("{RANDOM} (local.set $a (call_indirect (type $t) (local.get $a) {any}))"),
        ),
        single(
            "loop with 400 locals entered",
            &crowded(400),
            "(local.set $a (call $f (i32.const 1)))",
        )
        .with_deviation(CARRIED),
        many(
            "table get set",
            plain_table,
            "(table.set $t (i32.and (local.get $w) (i32.const 7))
               (table.get $t (i32.and (local.get $w) (i32.const 3))))
             (local.set $w (i32.add (local.get $w) (i32.const 1)))",
        ),
        single(
            "table fill 1000",
            "(table $t 1000 1000 funcref)",
            "(table.fill $t (i32.const 0) (ref.null func) (i32.const 1000))",
        ),
        single(
            "table copy 1000",
            "(table $t 2000 2000 funcref)",
            "(table.copy $t $t (i32.const 0) (i32.const 1000) (i32.const 1000))",
        ),
        single(
            "table init 1000",
            &format!("(table $t 1000 1000 funcref) (func $f) (elem $e func{})", " $f".repeat(1000)),
            "(table.init $t $e (i32.const 0) (i32.const 0) (i32.const 1000))",
        ),
        many(
            "table grow by nothing",
            plain_table,
            "(local.set $a (table.grow $t (ref.null func) (i32.const 0)))",
        )
        .with_deviation(DEAREST),
        many("table size", plain_table, "(local.set $a (i32.add (local.get $a) (table.size $t)))"),
        many("segment dropped", "(data $d \"d\") (elem $e func)", "(data.drop $d) (elem.drop $e)")
            .with_deviation(DEAREST),
        many(
            "function as a value",
            "(elem declare func $f) (func $f)",
            "(local.set $a (ref.is_null (ref.func $f)))",
        )
        .with_deviation(DEAREST),
    ]
}

fn wide(values: usize) -> String {
    format!(
        "(func $f (param{}) (result i32) (i32.add (local.get 0) (local.get {})))",
        " i32".repeat(values),
        values - 1
    )
}

fn wide_call(values: usize) -> String {
    format!("(local.set $a (call $f {}))", "(local.get $b)".repeat(values))
}

/// A function whose loop carries this number of values and exits at once.
fn crowded(locals: usize) -> String {
    let declared: String = (0..locals).map(|i| format!("(local $l{i} i32)")).collect();
    let used: String = (0..locals)
        .map(|i| format!("(local.set $l{i} (i32.add (local.get $l{i}) (i32.const {i})))"))
        .collect();
    format!(
        "(func $f (param $stop i32) (result i32) {declared}
           loop $l
             (br_if 1 (i32.const 9) (local.get $stop)) drop
             {used} (br $l)
           end
           (i32.const 1))"
    )
}
