//! What everything costs under a budget of fuel: every operator of the modules
//! that we admit, and every import. A table and nothing else; the runtime and the
//! imports charge by it. Its reasons and the times behind them are in it, and in
//! `docs/fuel.md` for authors.
//!
//! A unit of fuel is meant to be a nanosecond of the reference machine. Operators
//! take less, so prices are in parts of a unit.

mod imports;
mod operators;

#[cfg(test)]
mod tests;

use wasmtime::{OperatorCost, VariableOperatorCost};

pub use imports::{
    ASSET, CELL, IMPORTS, ImportPrice, LEFT, LEGAL, LOG, LOOK, PROBE, REPORT, STORE,
};
pub use operators::CLASSES;

/// The number of this table of prices. What a record says of fuel holds for one
/// number only: a price is never changed under the same one.
pub const PRICES_VERSION: u32 = 1;

/// Parts of a unit of fuel, in which all prices are. So many, since an engine runs through six to
/// fourteen operators in a nanosecond; no more, since the dearest price is 255 parts.
pub const PARTS_PER_UNIT: u64 = 32;

/// What the runtime counts in one call at most.
const PARTS_MAX: u64 = 1 << 62;

/// Operators of one price, and why it is theirs.
#[derive(Clone, Copy, Debug)]
pub struct Class {
    /// What they do.
    pub what: &'static str,
    /// What one of them costs, in parts of a unit.
    pub parts: u8,
    /// Why so much: what the compiled code does, and the time that was measured.
    pub why: &'static str,
    /// Their names, as the runtime has them.
    pub operators: &'static [&'static str],
}

/// What work costs whose size shows only when it is done, in parts of a unit.
///
/// A byte that is filled or copied has the smallest price there is, 0.03 units, and takes 0.009 to
/// 0.02 ns in the cache, more where the memory is touched for the first time. An element of a table
/// takes 0.3 to 0.8 ns. A page is charged what can be charged, 8 units of the 4 to 8 µs that its
/// first use takes: there are no more pages than the cap on memory admits, and each comes
/// into use once.
const SIZED: VariableOperatorCost = VariableOperatorCost {
    memory_copy_per_byte: 1,
    memory_fill_per_byte: 1,
    memory_init_per_byte: 1,
    memory_grow_per_page: 255,
    table_copy_per_element: 24,
    table_fill_per_element: 10,
    table_init_per_element: 24,
    table_grow_per_element: 10,
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

/// The prices of all operators, for the runtime.
pub fn operator_cost() -> OperatorCost {
    OperatorCost { variable: SIZED, ..operators::table() }
}

/// So many units in parts, at most what can be counted.
pub fn parts(units: u64) -> u64 {
    units.saturating_mul(PARTS_PER_UNIT).min(PARTS_MAX)
}

/// So many parts in units, an unfinished one left out.
pub fn whole_units(parts: u64) -> u64 {
    parts / PARTS_PER_UNIT
}

/// So many parts in units, an unfinished one counted.
pub fn units_begun(parts: u64) -> u64 {
    parts.div_ceil(PARTS_PER_UNIT)
}
