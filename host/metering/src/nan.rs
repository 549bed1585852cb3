//! Makes every NaN that an operator computes the same. WebAssembly leaves the sign and the payload
//! of a computed NaN open, so that processors and runtimes give different ones.

use wasm_encoder::{Instruction, ValType};
use wasmparser::Operator;

/// The bits of the one NaN: quiet, positive, without a payload.
const NAN_F32: u32 = 0x7fc0_0000;
const NAN_F64: u64 = 0x7ff8_0000_0000_0000;

/// How the floats in a value are arranged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Floats {
    F32,
    F64,
    F32x4,
    F64x2,
}

impl Floats {
    /// What an operator leaves on the stack if it may compute a NaN. None: it computes no float, or
    /// it only moves one and keeps its bits.
    pub(crate) fn computed_by(operator: &Operator<'_>) -> Option<Self> {
        use Operator as O;
        Some(match operator {
            O::F32Add | O::F32Sub | O::F32Mul | O::F32Div | O::F32Sqrt => Self::F32,
            O::F32Min | O::F32Max | O::F32DemoteF64 => Self::F32,
            O::F32Ceil | O::F32Floor | O::F32Trunc | O::F32Nearest => Self::F32,
            O::F64Add | O::F64Sub | O::F64Mul | O::F64Div | O::F64Sqrt => Self::F64,
            O::F64Min | O::F64Max | O::F64PromoteF32 => Self::F64,
            O::F64Ceil | O::F64Floor | O::F64Trunc | O::F64Nearest => Self::F64,
            O::F32x4Add | O::F32x4Sub | O::F32x4Mul | O::F32x4Div | O::F32x4Sqrt => Self::F32x4,
            O::F32x4Min | O::F32x4Max | O::F32x4DemoteF64x2Zero => Self::F32x4,
            O::F32x4Ceil | O::F32x4Floor | O::F32x4Trunc | O::F32x4Nearest => Self::F32x4,
            O::F64x2Add | O::F64x2Sub | O::F64x2Mul | O::F64x2Div | O::F64x2Sqrt => Self::F64x2,
            O::F64x2Min | O::F64x2Max | O::F64x2PromoteLowF32x4 => Self::F64x2,
            O::F64x2Ceil | O::F64x2Floor | O::F64x2Trunc | O::F64x2Nearest => Self::F64x2,
            _ => return None,
        })
    }

    /// The type of the value.
    pub(crate) fn ty(self) -> ValType {
        match self {
            Self::F32 => ValType::F32,
            Self::F64 => ValType::F64,
            Self::F32x4 | Self::F64x2 => ValType::V128,
        }
    }

    /// Replaces each NaN in the value on top of the stack. `local` has its type. A float that
    /// differs from itself is a NaN.
    pub(crate) fn canonicalize(self, local: u32) -> [Instruction<'static>; 6] {
        use Instruction as I;
        let (nan, equal, select) = match self {
            Self::F32 => (I::F32Const(f32::from_bits(NAN_F32).into()), I::F32Eq, I::Select),
            Self::F64 => (I::F64Const(f64::from_bits(NAN_F64).into()), I::F64Eq, I::Select),
            Self::F32x4 => (I::V128Const(lanes(NAN_F32.into(), 32)), I::F32x4Eq, I::V128Bitselect),
            Self::F64x2 => (I::V128Const(lanes(NAN_F64.into(), 64)), I::F64x2Eq, I::V128Bitselect),
        };
        [I::LocalTee(local), nan, I::LocalGet(local), I::LocalGet(local), equal, select]
    }
}

/// A vector whose lanes of this number of bits have the same value.
const fn lanes(bits: u128, width: u32) -> i128 {
    let mut vector = bits;
    let mut filled = width;
    while filled < 128 {
        vector |= vector << filled;
        filled *= 2;
    }
    vector.cast_signed()
}
