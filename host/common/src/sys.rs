//! System calls that the standard library does not offer: CPU clocks, idle time, the limit on open
//! files, the C heap. Results are `None` where the system lacks the feature; nothing is decided
//! here.
#![allow(unsafe_code)]

pub mod cpu;
#[cfg(target_os = "linux")]
pub mod heap;
pub mod machine;
mod open_files;

pub use open_files::raise_open_files;
