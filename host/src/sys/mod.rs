//! What only the system knows and the standard library does not tell. Each part
//! says by its result where a system has nothing of the kind; none decides what
//! that means.
#![allow(unsafe_code)]

pub mod cpu;
mod files;
#[cfg(target_os = "linux")]
pub mod heap;

pub use files::raise_open_files;
