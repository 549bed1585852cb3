//! Fuel that lives in the module.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod emit;
mod error;
mod initialization;
mod module;
mod plan;
mod prices;

use wasmparser::WasmFeatures;

pub use error::InstrumentError;
pub use initialization::initialization_parts;
pub use module::instrument;
pub use prices::{
    ENTRY_PARTS, PARTS_PER_UNIT, PRICE_CLASSES, PriceClass, SIZE_PRICES, SizePrices,
};

/// The version of the rules on this page.
pub const INSTRUMENTATION_VERSION: u32 = 1;

/// The proposals that modules may use.
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

/// Where the counters are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counters {
    /// The module imports them.
    Imported,
    /// The module defines and exports them.
    Exported {
        /// The initial fuel.
        fuel: i64,
        /// The initial stack, in slots.
        stack: i32,
    },
}

#[cfg(test)]
mod tests;
