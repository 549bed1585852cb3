//! Processes that may do next to nothing: they compute, read the files that they are handed,
//! and talk on one channel. Knows nothing of engines.
//!
//! The host asks a zygote, a process of its own binary with one thread, which forks an init for
//! each inmate; the init gives up all it may, forks the inmate, listens to its standard output,
//! waits for it and reports its end. Linux only; elsewhere [`Jail::start`] says what is absent.
#![allow(unsafe_code)]

mod end;
mod layers;
mod order;

#[cfg(target_os = "linux")]
mod confine;
#[cfg(target_os = "linux")]
mod examine;
#[cfg(target_os = "linux")]
pub(crate) mod files;
#[cfg(target_os = "linux")]
mod filter;
#[cfg(target_os = "linux")]
mod host;
#[cfg(target_os = "linux")]
mod init;
#[cfg(target_os = "linux")]
mod mounts;
#[cfg(target_os = "linux")]
pub mod probe;
#[cfg(target_os = "linux")]
mod program;
#[cfg(target_os = "linux")]
mod spaces;
#[cfg(target_os = "linux")]
mod wire;
#[cfg(target_os = "linux")]
mod zygote;

#[cfg(not(target_os = "linux"))]
mod absent;

#[cfg(not(target_os = "linux"))]
pub use absent::{Inmate, Jail, Killer, zygote_main};
#[cfg(target_os = "linux")]
pub use host::{Inmate, Jail, Killer};
#[cfg(target_os = "linux")]
pub use zygote::zygote_main;

pub use crate::sys::cpu::CpuClock;
pub use end::{Death, End, signal_name};
pub use layers::{Layer, LayerState, Layers, Trial};
pub use order::{Cell, Channel, JailError, Order, Program, Role, Zygote};
pub use order::{PROGRAM_FOLDER, PROGRAM_FOLDERS, SHARED_FOLDER};
