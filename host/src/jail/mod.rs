//! Processes that may do next to nothing: they compute, read the files that they are handed,
//! and talk on one channel. Knows nothing of engines.
//!
//! The host asks a zygote, a process of its own binary with one thread, which forks an init for
//! each inmate; the init gives up all it may, forks the inmate, listens to its standard output,
//! waits for it and reports its end. Linux only; elsewhere [`Jail::start`] says what is absent.
#![allow(unsafe_code)]

mod absent;
mod end;
mod layers;
mod order;

pub use crate::sys::cpu::ProcessClock;
pub use absent::{Inmate, Jail, Killer};
pub use end::{Death, End, signal_name};
pub use layers::{Layer, LayerState, Layers};
pub use order::{Cell, Channel, JailError, Order, Role, Zygote};
