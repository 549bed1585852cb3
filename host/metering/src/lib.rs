//! Rewrites a WebAssembly module so that it counts its own fuel and the depth of its own stack.
//! Fuel, out of fuel and stack overflow are then properties of the module: every runtime gives the
//! same numbers. This crate runs nothing.
//!
//! [`instrument`] rewrites a core module. [`PRICE_CLASSES`] and [`SIZE_PRICES`] are the prices. The
//! rest of this page is the contract: another implementation that follows it gets the same numbers.
//! A change of these rules needs a new [`INSTRUMENTATION_VERSION`].
//!
//! # Counters
//!
//! Two mutable globals are the counters. `fuel` is an `i64`: the remaining fuel in parts of a unit.
//! `stack` is an `i32`: the remaining stack in slots. The instrumented module imports both from
//! [`COUNTER_MODULE`], after its own imports. So several modules and the host share one pair of
//! counters. A module that imports from this name itself is refused.
//!
//! The host sets both counters before a call, to values that are not negative; `fuel` to at most
//! 2^62 parts. At least one of them is negative if a call ended because of a counter:
//!
//! | after a call | meaning |
//! |---|---|
//! | `stack` is negative | stack overflow |
//! | else `fuel` is negative | out of fuel, whether the call trapped or returned |
//! | else | the call ended, or trapped for a reason of its own |
//!
//! # Fuel
//!
//! Control *reaches* an operator if it does so in the structure of the function: the operator does
//! not follow `br`, `br_table`, `return` or `unreachable` within its block, and each block around
//! it is reached. Whether a condition can be true does not matter. Operators that control does not
//! reach cost nothing. They are ignored in all rules on this page.
//!
//! The operators that control reaches are cut into **segments**. A segment begins
//!
//! - with the first operator of a function,
//! - after `loop`, `if` and `else`,
//! - after `br_if`,
//! - after `call` and `call_indirect`,
//! - after an operator that is charged by a size known at run time (see below),
//! - after the `end` of a `block` or `if` to whose label a branch leads, of an `if` without `else`,
//!   and of an `if` with `else` if control reaches the end of its first arm.
//!
//! The price of a segment is the sum of the prices of its operators. Operators of
//! [`PRICE_CLASSES`] have the price of their class. The first segment of a function costs
//! [`ENTRY_PARTS`] more. A segment is charged at its beginning, before any of its operators is
//! executed. The host's functions charge `fuel` themselves.
//!
//! Operators of [`SIZE_PRICES`] cost more by the size that they get: the operand on top of the
//! stack, as an unsigned number. If the operator directly before is `i32.const`, this constant is
//! the size, and the additional price belongs to the segment. In all other cases the size is known
//! at run time. The segment then ends with the operator, whose fixed price belongs to the segment.
//! The additional price is charged when the operands were computed, before the operator is
//! executed. Growth is charged even if it fails.
//!
//! The price of a segment is limited to 2^61 parts.
//!
//! # Out of fuel
//!
//! The counter may become negative. It is *checked* after the charge of a segment
//!
//! - that begins after `loop`,
//! - that ends with `call` or `call_indirect`,
//! - that has an operator with a constant size,
//!
//! and after the charge for a size known at run time. If it is negative, `fuel` becomes -1 and the
//! module traps (`unreachable`). So no call and no operator of [`SIZE_PRICES`] is executed without
//! fuel, and each loop and recursion ends without fuel. Fuel of exactly the price is enough. A
//! checked segment that cannot be paid for ends out of fuel even if one of its operators would
//! trap.
//!
//! The global `fuel` gets the current value when a segment that ends with a call has been charged
//! and checked, and when a function returns. So it is exact whenever a call begins, and after a
//! call. If a trap for another reason ends the call, the value that was written last remains: what
//! the function that trapped has charged since then is lost.
//!
//! # Stack
//!
//! The **frame** of a function is, in slots: [`FRAME_SLOTS`], plus 1 for each parameter and local,
//! plus the highest number of operands after any operator that control reaches. Types do not
//! matter. The idea is that of [finite-wasm](https://github.com/near/finite-wasm), which counts
//! bytes.
//!
//! A call *returns* unless the segment that begins after it has the price 0 and ends with
//! `unreachable`. Calls and segments are those that control reaches. What a function takes of
//! `stack` depends on its calls:
//!
//! | function | takes its frame |
//! |---|---|
//! | with a call that returns | when it is entered |
//! | with calls that do not return, and more than [`LEAF_SLOTS`] slots | when it is entered |
//! | with calls that do not return, and at most [`LEAF_SLOTS`] slots | before each of these calls |
//! | without calls, and more than [`LEAF_SLOTS`] slots | never, but it must be available at entry |
//! | without calls, and at most [`LEAF_SLOTS`] slots | never |
//!
//! A frame that is taken is subtracted from `stack`. One that was taken at entry is added again
//! when the function returns. If the counter becomes negative, the module traps (`unreachable`)
//! with a negative `stack`. At entry this happens before the function is charged any fuel. Before a
//! call it happens at the beginning of the segment that ends with the call, after its fuel was
//! charged and checked and before the global `fuel` is written. After any trap `stack` may be lower
//! than before the call, so the host sets it again.
//!
//! The host provides as much stack of the machine as the slots need, and in addition one frame of
//! [`LEAF_SLOTS`] slots. Under Wasmtime 48 on x86-64, 16 bytes a slot are enough for the values of
//! the module. An optimising compiler can keep more: it may compute a product once for two uses,
//! and keep it across a call. So the stack of the machine can end although `stack` is not negative.
//! That depends on the runtime: a host must not report it as a stack overflow of these rules.
//!
//! # NaN
//!
//! The specification of WebAssembly lets a runtime choose the sign and the payload of a NaN that an
//! operator computes. Here each such NaN is the positive quiet one without a payload. That holds
//! for `add`, `sub`, `mul`, `div`, `sqrt`, `min`, `max`, `ceil`, `floor`, `trunc`, `nearest`,
//! `demote` and `promote`, of single floats and in each lane of vectors. All other operators keep
//! the bits of a NaN or compute no float. The code for it costs no fuel: the prices of the
//! operators contain it.
//!
//! # Instantiation
//!
//! A start function is charged as any other. [`initialization_parts`] is the price of what
//! instantiation does before: the host charges it. Constant expressions are free.
//!
//! # What remains of a module
//!
//! Functions, tables, memories and segments keep their indices. Globals that the module defines
//! move by 2. Types are added at the end. Custom sections are copied, except for `metadata.code.*`,
//! which refer to offsets in functions. The section `name` is written again.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod added_globals;
mod emit;
mod error;
mod growth;
mod initialization;
mod module;
mod nan;
mod placement;
mod plan;
mod prices;

use wasmparser::WasmFeatures;

pub use error::InstrumentError;
pub use growth::{
    DefinedSizes, GROWTH_LEFT, GROWTH_MODULE, GROWTH_REFUSED, REFUSED_BY_RUNTIME, REFUSED_BYTES,
    REFUSED_ELEMENTS, TableLimits, defined_sizes, limit_growth,
};
pub use initialization::initialization_parts;
pub use module::instrument;
pub use prices::{ENTRY_PARTS, PARTS_PER_UNIT, PRICE_CLASSES, PriceClass, SIZE_PRICES, SizePrices};

/// The version of the rules on [this page](crate).
pub const INSTRUMENTATION_VERSION: u32 = 1;

/// The proposals that modules may use: those of WebAssembly 2.0, and extended constant expressions.
pub const FEATURES: WasmFeatures =
    WasmFeatures::WASM2.union(WasmFeatures::EXTENDED_CONST).difference(WasmFeatures::GC_TYPES);

/// The name of the module from which the counters are imported.
pub const COUNTER_MODULE: &str = "sandboard:metering";
/// The name of the counter of fuel, an `i64`.
pub const FUEL: &str = "fuel";
/// The name of the counter of the stack, an `i32`.
pub const STACK: &str = "stack";

/// The constant part of a frame, in slots.
pub const FRAME_SLOTS: u32 = 16;
/// The size up to which the frame of a function that calls no other is free, in slots.
pub const LEAF_SLOTS: u32 = 1024;

#[cfg(test)]
mod tests;
