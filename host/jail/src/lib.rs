//! Jailed processes: they can compute, read the files that the host passes to them, and talk to the
//! host on one channel. This crate knows nothing of engines or games.
//!
//! The host starts a *zygote*, a process of its own binary with one thread. For each jailed process
//! the zygote forks an *init* process. Init gives up its rights, forks the jailed process, reads
//! its standard output, waits for it and reports how it ended.
//!
//! Entry points: [`Jail::start`] starts the zygote, [`Jail::spawn`] makes a [`JailedProcess`], and
//! [`zygote_main`] is the code of the zygote. Linux only: on other systems [`Jail::start`] returns
//! [`JailError::Unsupported`].
#![deny(unsafe_code)]

mod exit;
mod layers;
mod request;

#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
mod exec;
#[cfg(target_os = "linux")]
pub mod files;
#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
mod init;
#[cfg(target_os = "linux")]
mod jailed_process;
#[cfg(target_os = "linux")]
mod memory_cgroups;
#[cfg(target_os = "linux")]
mod messages;
#[cfg(target_os = "linux")]
mod mounts;
#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
mod namespaces;
#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
pub mod probe;
#[cfg(target_os = "linux")]
mod process_watch;
#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
mod restrictions;
#[cfg(target_os = "linux")]
mod seccomp;
#[cfg(target_os = "linux")]
mod self_test;
#[cfg(target_os = "linux")]
mod supervisor;
#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
mod zygote;

#[cfg(not(target_os = "linux"))]
mod unsupported;

#[cfg(target_os = "linux")]
pub use jailed_process::{JailedProcess, KillHandle};
#[cfg(target_os = "linux")]
pub use supervisor::Jail;
#[cfg(not(target_os = "linux"))]
pub use unsupported::{Jail, JailedProcess, KillHandle, zygote_main};
#[cfg(target_os = "linux")]
pub use zygote::zygote_main;

pub use exit::{ExitCause, ExitReport, signal_name};
pub use layers::{Layer, LayerState, Layers, ProbeReport};
pub use request::{Channel, ChildContext, JailError, Program, Role, SpawnRequest, ZygoteHooks};
pub use sandboard_common::sys::cpu::CpuClock;
