//! Engines in processes of their own, each in its jail: what the host says to such a
//! worker, what the worker does, and an [`Engine`](crate::engine::Engine) that is one.

#[cfg(target_os = "linux")]
mod compile;
#[cfg(target_os = "linux")]
pub(crate) mod death;
pub mod frame;
#[cfg(target_os = "linux")]
mod instance;
#[cfg(target_os = "linux")]
pub(crate) mod leash;
mod limits;
pub mod message;
#[cfg(target_os = "linux")]
mod serve;
#[cfg(target_os = "linux")]
mod workers;

#[cfg(not(target_os = "linux"))]
mod absent;

pub use limits::CompileLimits;

#[cfg(not(target_os = "linux"))]
pub use absent::{WorkerSource, Workers, serve};
#[cfg(target_os = "linux")]
pub use {
    serve::serve,
    workers::{WorkerSource, Workers},
};
