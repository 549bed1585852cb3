//! Kernels of 128-bit vectors.

use super::{CHAINED, Kernel, many};

pub(super) fn kernels() -> Vec<Kernel> {
    let of_two = |name, operator: &str| {
        many(name, "", &format!("(local.set $v ({operator} (local.get $v) (local.get $u)))"))
    };
    let of_one = |name, operator: &str| {
        many(name, "", &format!("(local.set $v ({operator} (local.get $v)))"))
    };
    let shift = |name, operator: &str| {
        many(name, "", &format!("(local.set $v ({operator} (local.get $v) (local.get $b)))"))
    };
    vec![
        of_two("i8x16 add", "i8x16.add").with_deviation(CHAINED),
        of_two("i16x8 saturating add", "i16x8.add_sat_s").with_deviation(CHAINED),
        of_two("i32x4 multiply", "i32x4.mul"),
        of_two("i64x2 multiply", "i64x2.mul"),
        of_two("i16x8 dot", "i32x4.dot_i16x8_s"),
        of_two("i8x16 shuffle", "i8x16.shuffle 0 17 2 19 4 21 6 23 8 25 10 27 12 29 14 31"),
        of_two("i8x16 swizzle", "i8x16.swizzle"),
        of_two("i8x16 greater", "i8x16.gt_s").with_deviation(CHAINED),
        of_two("f32x4 add", "f32x4.add"),
        of_two("f32x4 multiply", "f32x4.mul"),
        of_two("f32x4 divide", "f32x4.div"),
        of_two("f32x4 minimum", "f32x4.min"),
        of_two("f64x2 add", "f64x2.add"),
        of_two("f64x2 divide", "f64x2.div"),
        of_one("f64x2 square root", "f64x2.sqrt"),
        of_one("f32x4 to i32x4", "i32x4.trunc_sat_f32x4_u"),
        of_one("i8x16 popcnt", "i8x16.popcnt"),
        of_one("i16x8 extend", "i16x8.extend_low_i8x16_s").with_deviation(CHAINED),
        shift("i8x16 shift", "i8x16.shl"),
        shift("i64x2 shift signed", "i64x2.shr_s"),
        many(
            "v128 bitwise",
            "",
            "(local.set $v (v128.xor (v128.and (local.get $v) (local.get $u))
               (v128.not (local.get $v))))",
        ),
        many(
            "v128 bitselect",
            "",
            "(local.set $v (v128.bitselect (local.get $v) (local.get $u) (local.get $v)))",
        ),
        many(
            "v128 lanes",
            "",
            "(local.set $v (i32x4.replace_lane 1 (local.get $v)
               (i32x4.extract_lane 2 (local.get $v))))",
        ),
        many(
            "v128 bitmask splat",
            "",
            "(local.set $v (i8x16.splat (i8x16.bitmask (local.get $v))))",
        ),
        many("v128 all true", "", "(local.set $v (i32x4.splat (i32x4.all_true (local.get $v))))"),
        many(
            "v128 load store",
            "",
            "(v128.store offset=8192 (i32.and (local.get $w) (i32.const 0x70))
               (i8x16.add (local.get $u)
                 (v128.load offset=8192 (i32.and (local.get $w) (i32.const 0x70)))))
             (local.set $w (i32.add (local.get $w) (i32.const 48)))",
        ),
        many(
            "v128 load splat lane",
            "",
            "(local.set $v (i8x16.add (local.get $v)
               (v128.load32_lane offset=8192 1 (local.get $b)
                 (v128.load8_splat offset=8200 (local.get $b)))))
             (local.set $b (i32.xor (local.get $b) (i32.const 12)))",
        ),
    ]
}
