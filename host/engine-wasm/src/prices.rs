//! The prices of fuel: of every operator that a module may contain, and of every import. Charges
//! nothing itself: the runtime and the imports do. Reasons and measured times are part of the
//! table; `docs/fuel.md` shows it to authors.
//!
//! A unit of fuel is about a nanosecond on the reference machine. Operators take less, so prices
//! are in parts of a unit.

mod imports;
mod operators;

#[cfg(test)]
mod tests;

use wasmtime::{OperatorCost, VariableOperatorCost};

pub(crate) use imports::{ASSET, CELL, LEFT, LEGAL, LOG, LOOK, PROBE, REPORT, STORE};
pub use imports::{IMPORT_PRICES, ImportPrice};
pub use operators::PRICE_CLASSES;

/// The version of the price table. A record's amounts of fuel are valid for one version only, so
/// any changed price needs a new version. So does a change of the stub of WASI, which burns fuel in
/// core modules, and of the sentences of traps, which records contain. Version 2 has the prices of
/// version 1: the stub logs what programs print, and a trap names its function.
pub const PRICES_VERSION: u32 = 2;

/// Parts of a unit of fuel. Many parts are needed because an engine executes six to fourteen
/// operators in a nanosecond. More are not possible because the highest price is 255 parts.
pub const PARTS_PER_UNIT: u64 = 60;

/// Maximum fuel of a call that the runtime can count, in parts of a unit.
const PARTS_MAX: u64 = 1 << 62;

/// Operators with the same price.
#[derive(Clone, Copy, Debug)]
pub struct PriceClass {
    /// What the operators do.
    pub name: &'static str,
    /// The price of each operator, in parts of a unit.
    pub parts: u8,
    /// The reason for the price: what the compiled code does, and the measured time.
    pub reason: &'static str,
    /// Names of the operators in the runtime.
    pub operators: &'static [&'static str],
}

/// Prices of operators by their size at run time, in parts of a unit.
///
/// A byte that is filled or copied has the lowest possible price, 0.02 units, and takes 0.007 to
/// 0.02 ns in the cache, more when memory is touched for the first time. An element of a table
/// takes 0.3 to 0.8 ns. A page has the highest possible price, 4 units, although its first use
/// takes 4 to 8 µs. That is acceptable because the memory cap limits the number of pages, and each
/// has only one first use.
const SIZE_PRICES: VariableOperatorCost = VariableOperatorCost {
    memory_copy_per_byte: 1,
    memory_fill_per_byte: 1,
    memory_init_per_byte: 1,
    memory_grow_per_page: 255,
    table_copy_per_element: 45,
    table_fill_per_element: 18,
    table_init_per_element: 45,
    table_grow_per_element: 18,
    // Garbage collection is off.
    array_copy_per_element: 255,
    array_fill_per_element: 255,
    array_new_data_per_element: 255,
    array_init_data_per_element: 255,
    array_new_elem_per_element: 255,
    array_init_elem_per_element: 255,
    array_new_default_per_element: 255,
    array_new_per_element: 255,
};

/// The prices of all operators in the runtime's format.
pub(crate) fn operator_cost() -> OperatorCost {
    OperatorCost { variable: SIZE_PRICES, ..operators::operator_cost() }
}

/// Converts units to parts, limited to what can be counted.
pub(crate) fn parts(units: u64) -> u64 {
    units.saturating_mul(PARTS_PER_UNIT).min(PARTS_MAX)
}

/// Converts parts to units, rounded down.
pub(crate) fn units_floor(parts: u64) -> u64 {
    parts / PARTS_PER_UNIT
}

/// Converts parts to units, rounded up.
pub(crate) fn units_ceil(parts: u64) -> u64 {
    parts.div_ceil(PARTS_PER_UNIT)
}
