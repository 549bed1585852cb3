//! WebAssembly components as core modules, independent of a runtime. [`CoreModules`] takes a
//! component apart: into its core modules, and how they are wired. [`canonical`] converts the
//! values that cross the interface. So a runtime needs nothing but core modules, with functions,
//! memories, tables and globals as imports. This crate runs nothing.
//!
//! [`ENGINE`] and [`JUDGE`] are the interfaces that the host knows. Only what they use is
//! supported: no resources, no asynchronous calls, and no calls from one component to another.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod canonical;
mod core_modules;
mod engine;
pub mod judge;
mod types;

pub use core_modules::{
    ComponentError, CoreModules, FEATURES, Instance, Interface, Lifted, Lowered, Options, Source,
    Wiring,
};
pub use engine::ENGINE;
pub use judge::JUDGE;
pub use types::{Function, Type};

#[cfg(test)]
mod tests;
