//! The prices of fuel: of every operator that a module may contain, and of every import. Charges
//! nothing itself: the runtime and the imports do. Reasons and measured times are part of the
//! table; `docs/fuel.md` shows it to authors.
//!
//! A unit of fuel is about a nanosecond on the reference machine. Operators take less, so prices
//! are in parts of a unit.

mod imports;
#[cfg(not(target_family = "wasm"))]
mod operators;

#[cfg(test)]
mod tests;

pub(crate) use imports::{ASSET, CELL, LEFT, LEGAL, LOG, LOOK, PROBE, REPORT, STORE};
pub use imports::{IMPORT_PRICES, ImportPrice};
#[cfg(not(target_family = "wasm"))]
pub(crate) use operators::operator_cost;
pub use sandboard_metering::{PARTS_PER_UNIT, PRICE_CLASSES, PriceClass};

/// The version of the price table. A record's amounts of fuel are valid for one version only, so
/// any changed price needs a new version. So does a change of the stub of WASI, which burns fuel in
/// core modules, and of the sentences of traps, which records contain. Version 2 has the prices of
/// version 1: the stub logs what programs print, and a trap names its function.
pub const PRICES_VERSION: u32 = 2;

/// Maximum fuel of a call that the runtime can count, in parts of a unit.
const PARTS_MAX: u64 = 1 << 62;

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
