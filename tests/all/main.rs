//! Everything that crosses a crate border, as one test binary.
#![forbid(unsafe_code)]

mod arena;
mod build;
mod c;
mod cache;
mod check;
mod cli;
#[cfg(target_os = "linux")]
mod cpu;
mod docs;
mod engines;
mod fuel;
mod header;
mod hostile;
mod manifest;
mod suite;
mod terminal;
mod verify;
#[cfg(unix)]
mod walk;
