//! Kernels of locals, integers, floats and globals.

use super::{CHAINED, Kernel, RANDOM, many, single};

pub(super) fn kernels() -> Vec<Kernel> {
    let plain = |name, once| many(name, "", once);
    vec![
        single("loop", "", ""),
        plain(
            "locals",
            "(local.set $a (local.get $b)) (local.set $b (local.get $w))
             (local.set $w (local.get $a))",
        )
        .with_deviation("values that stay in registers are not moved"),
        plain(
            "i32 add xor, chained",
            "(local.set $a (i32.xor (i32.add (local.get $a) (i32.const 77)) (local.get $b)))",
        )
        .with_deviation(CHAINED),
        plain(
            "i32 add xor, four at a time",
            "(local.set $a (i32.xor (i32.add (local.get $b) (i32.const 77)) (local.get $w)))
             (local.set $w (i32.xor (i32.add (local.get $a) (i32.const 5)) (local.get $b)))
             (local.set $c (i64.xor (i64.add (local.get $d) (i64.const 3)) (local.get $e)))
             (local.set $e (i64.xor (i64.add (local.get $c) (i64.const 9)) (local.get $d)))",
        ),
        plain(
            "i64 rotate shift or",
            "(local.set $c (i64.or (i64.rotl (local.get $c) (i64.const 7))
               (i64.shr_u (local.get $d) (i64.const 9))))",
        ),
        plain("i64 multiply, chained", "(local.set $c (i64.mul (local.get $c) (local.get $d)))"),
        plain(
            "i64 clz ctz popcnt",
            "(local.set $c (i64.add (local.get $c)
               (i64.popcnt (i64.add (i64.clz (local.get $c)) (i64.ctz (local.get $c))))))",
        ),
        plain(
            "i32 compare select",
            "(local.set $a (select (local.get $a) (i32.add (local.get $b) (i32.const 1))
               (i32.lt_s (local.get $a) (local.get $b))))",
        )
        .with_deviation(CHAINED),
        plain(
            "i32 divide",
            "(local.set $a (i32.div_u (i32.const 0x7fffffff)
               (i32.or (local.get $a) (i32.const 1))))",
        ),
        plain(
            "i32 divide signed",
            "(local.set $a (i32.div_s (i32.const 0x7fffffff)
               (i32.or (local.get $a) (i32.const 1))))",
        ),
        plain(
            "i32 remainder",
            "(local.set $a (i32.rem_u (i32.const 0x7fffffff)
               (i32.or (local.get $a) (i32.const 0x101))))",
        ),
        plain(
            "i64 divide",
            "(local.set $c (i64.div_u (i64.const 0x7fffffffffffffff)
               (i64.or (local.get $c) (i64.const 1))))",
        ),
        plain(
            "i64 remainder signed",
            "(local.set $c (i64.rem_s (i64.const 0x7fffffffffffffff)
               (i64.or (local.get $c) (i64.const 0x10001))))",
        ),
        plain("random step", RANDOM).with_deviation(CHAINED),
        plain("f64 add", "(local.set $x (f64.add (local.get $x) (local.get $y)))"),
        plain("f64 multiply", "(local.set $x (f64.mul (local.get $x) (local.get $y)))"),
        plain(
            "f32 multiply add",
            "(local.set $z (f32.add (f32.mul (local.get $z) (f32.const 0.9)) (f32.const 0.1)))",
        ),
        plain(
            "f64 divide",
            "(local.set $x (f64.div (local.get $y) (f64.add (local.get $x) (f64.const 1))))",
        ),
        plain(
            "f64 square root",
            "(local.set $x (f64.sqrt (f64.add (local.get $x) (f64.const 1))))",
        ),
        plain(
            "f64 minimum maximum",
            "(local.set $x (f64.min (f64.max (local.get $x) (local.get $y)) (f64.const 3)))",
        ),
        plain(
            "f64 nearest floor",
            "(local.set $x (f64.nearest (f64.floor (f64.add (local.get $x) (local.get $y)))))",
        ),
        plain(
            "f64 to i64 and back",
            "(local.set $x (f64.convert_i64_s (i64.trunc_sat_f64_s (local.get $x))))",
        ),
        plain(
            "f64 to u32 and back, trapping",
            "(local.set $x (f64.convert_i32_u (i32.trunc_f64_u (local.get $x))))",
        ),
        plain(
            "u64 to f64 and back",
            "(local.set $c (i64.trunc_sat_f64_u (f64.convert_i64_u (local.get $c))))",
        ),
        many(
            "global",
            "(global $g (mut i64) (i64.const 0))",
            "(global.set $g (i64.add (global.get $g) (i64.const 1)))",
        ),
    ]
}
