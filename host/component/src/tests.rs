//! Tests of the crate.

mod core_modules;
mod interface;
mod memory;
mod text;
mod values;
