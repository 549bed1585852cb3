//! Each NaN that an operator computes has the same bits, in each runtime.

use wasmtime::OptLevel;

use super::interpreter::Interpreter;
use super::run::{DEEP, ENOUGH, End, Engines};
use crate::instrument;

/// Operands: NaNs with a sign and a payload, and a number.
const F32: [&str; 2] = ["(f32.const -nan:0x212345)", "(f32.const 1)"];
const F64: [&str; 2] = ["(f64.const -nan:0x4123456789abc)", "(f64.const 1)"];
const F32X4: [&str; 2] = ["(v128.const f32x4 -nan:0x212345 nan 2 3)", "(v128.const f32x4 1 1 1 1)"];
const F64X2: [&str; 2] = ["(v128.const f64x2 -nan:0x4123456789abc 2)", "(v128.const f64x2 1 1)"];

/// What a function returns that has this body and a result of this type.
fn result(ty: &str, body: &str) -> String {
    let module = format!(r#"(module (func (export "run") (result {ty}) {body}))"#);
    let module = wat::parse_str(&module).unwrap_or_else(|error| panic!("{error}\n{body}"));
    let report = Engines::new(OptLevel::Speed).instrumented(&module, ENOUGH, DEEP);
    assert_eq!(Interpreter::new().instrumented(&module, ENOUGH, DEEP), report, "{body}");
    match &report.calls[1].end {
        End::Returned(value) => value.clone(),
        end => panic!("{body}: {end:?}"),
    }
}

/// Checks the result of each of these operators with these operands.
fn check(ty: &str, operators: &str, operands: &str, expected: &str) {
    for operator in operators.split(' ') {
        let body = format!("({operator} {operands})");
        assert_eq!(result(ty, &body), expected, "{body}");
    }
}

#[test]
fn a_computed_nan_is_the_canonical_one() {
    let nan = format!("F32({})", 0x7fc0_0000_u32);
    check("f32", "f32.add f32.sub f32.mul f32.div f32.min f32.max", &F32.concat(), &nan);
    check("f32", "f32.sqrt f32.ceil f32.floor f32.trunc f32.nearest", F32[0], &nan);
    check("f32", "f32.demote_f64", F64[0], &nan);
    check("f32", "f32.div", "(f32.const 0) (f32.const 0)", &nan);
    check("f32", "f32.sub", "(f32.const inf) (f32.const inf)", &nan);
    let nan = format!("F64({})", 0x7ff8_0000_0000_0000_u64);
    check("f64", "f64.add f64.sub f64.mul f64.div f64.min f64.max", &F64.concat(), &nan);
    check("f64", "f64.sqrt f64.ceil f64.floor f64.trunc f64.nearest", F64[0], &nan);
    check("f64", "f64.promote_f32", F32[0], &nan);
}

#[test]
fn each_lane_of_a_vector_has_the_canonical_nan() {
    let lanes = |lanes: [f32; 4]| {
        let bits = lanes.map(|lane| if lane.is_nan() { 0x7fc0_0000 } else { lane.to_bits() });
        let vector =
            bits.iter().rev().fold(0_u128, |vector, bits| vector << 32 | u128::from(*bits));
        format!("v128 {vector:x}")
    };
    const NAN: f32 = f32::NAN;
    check("v128", "f32x4.add", &F32X4.concat(), &lanes([NAN, NAN, 3.0, 4.0]));
    check("v128", "f32x4.sub", &F32X4.concat(), &lanes([NAN, NAN, 1.0, 2.0]));
    check("v128", "f32x4.mul f32x4.div f32x4.max", &F32X4.concat(), &lanes([NAN, NAN, 2.0, 3.0]));
    check("v128", "f32x4.min", &F32X4.concat(), &lanes([NAN, NAN, 1.0, 1.0]));
    let root = [NAN, NAN, 2_f32.sqrt(), 3_f32.sqrt()];
    check("v128", "f32x4.sqrt", F32X4[0], &lanes(root));
    let rounding = "f32x4.ceil f32x4.floor f32x4.trunc f32x4.nearest";
    check("v128", rounding, F32X4[0], &lanes([NAN, NAN, 2.0, 3.0]));
    check("v128", "f32x4.demote_f64x2_zero", F64X2[0], &lanes([NAN, 2.0, 0.0, 0.0]));
    let lanes = |high: f64| {
        let vector = u128::from(high.to_bits()) << 64 | 0x7ff8_0000_0000_0000;
        format!("v128 {vector:x}")
    };
    check("v128", "f64x2.add", &F64X2.concat(), &lanes(3.0));
    check("v128", "f64x2.sub f64x2.min", &F64X2.concat(), &lanes(1.0));
    check("v128", "f64x2.mul f64x2.div f64x2.max", &F64X2.concat(), &lanes(2.0));
    check("v128", "f64x2.sqrt", F64X2[0], &lanes(2_f64.sqrt()));
    let rounding = "f64x2.ceil f64x2.floor f64x2.trunc f64x2.nearest";
    check("v128", rounding, F64X2[0], &lanes(2.0));
    let promoted = "(v128.const f32x4 -nan:0x212345 2 5 5)";
    check("v128", "f64x2.promote_low_f32x4", promoted, &lanes(2.0));
}

#[test]
fn operators_that_move_a_nan_keep_its_bits() {
    let bits = |bits: u32| format!("F32({bits})");
    check("f32", "f32.neg f32.abs", F32[0], &bits(0x7fa1_2345));
    check("f32", "f32.copysign", &F32.concat(), &bits(0x7fa1_2345));
    check("f32", "f32.reinterpret_i32", "(i32.const 0xffa12345)", &bits(0xffa1_2345));
    // The lesser of two is the first one unless the second is less.
    let first = 0x4040_0000_4000_0000_7fc0_0000_ffa1_2345_u128;
    check("v128", "f32x4.pmax", &F32X4.concat(), &format!("v128 {first:x}"));
}

#[test]
fn only_code_that_is_reached_gets_this_code() {
    let length = |body: &str| {
        let module = format!("(module (func (result f32) {body}))");
        instrument(&wat::parse_str(module).unwrap()).unwrap().len()
    };
    let add = "(f32.add (f32.const 1) (f32.const 1))";
    let drop = "(drop (f32.const 1)) (f32.const 1)";
    assert!(length(add) > length(drop) + 10);
    // The operands take as many bytes.
    assert_eq!(length(&format!("unreachable {add}")), length(&format!("unreachable {drop}")));
}
