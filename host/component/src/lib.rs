//! WebAssembly components as core modules, independent of a runtime. [`Program`] takes a component
//! apart: into its core modules, and how they are wired. [`canonical`] converts the values that
//! cross the interface. So a runtime needs nothing but core modules, with functions, memories,
//! tables and globals as imports. This crate runs nothing.
//!
//! [`ENGINE`] and [`JUDGE`] are the interfaces that the host knows. Only what they use is
//! supported: no resources, no asynchronous calls, and no calls from one component to another.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod canonical;
mod engine;
pub mod judge;
mod program;
mod types;

pub use engine::ENGINE;
pub use judge::JUDGE;
pub use program::{
    FEATURES, Instance, Interface, Lifted, Options, Program, ProgramError, Source, Wiring,
};
pub use types::{Function, Type};

#[cfg(test)]
mod tests;
