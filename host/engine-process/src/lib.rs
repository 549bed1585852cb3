//! Engines in jailed processes, one process for each game. Our own backends (wasm and native) run
//! in *engine processes*; [`external`] runs programs that speak a protocol.
//!
//! Entry points: [`EngineProcesses`] makes sources of engines and compiles components;
//! [`external::ExternalSource`] runs an external engine; [`serve`] is the code of an engine
//! process. The host trusts nothing that a process sends: it checks each answer as untrusted input.
//! This crate knows no catalog and decides no permission.
#![forbid(unsafe_code)]

pub mod external;
pub mod frame;
pub mod message;

#[cfg(target_os = "linux")]
mod compile;
#[cfg(target_os = "linux")]
mod engine_process;
#[cfg(target_os = "linux")]
mod engine_processes;
#[cfg(target_os = "linux")]
mod faults;
mod limits;
#[cfg(target_os = "linux")]
mod serve;
#[cfg(target_os = "linux")]
mod watchdog;

#[cfg(not(target_os = "linux"))]
mod unsupported;

pub use limits::CompileLimits;

#[cfg(not(target_os = "linux"))]
pub use unsupported::{EngineProcessSource, EngineProcesses, serve};
#[cfg(target_os = "linux")]
pub use {
    engine_processes::{EngineProcessSource, EngineProcesses},
    serve::serve,
};
