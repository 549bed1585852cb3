//! Tests of whole runs: properties that hold for every method, and benchmarks on known functions.

mod benchmarks;
pub(crate) mod functions;
mod properties;
