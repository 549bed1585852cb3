//! Tests of the crate.

mod interface;
mod memory;
mod program;
mod text;
mod values;
