//! Everything that crosses a crate border, as one test binary.
#![forbid(unsafe_code)]

mod arena;
mod build;
mod c;
mod check;
mod cli;
mod docs;
mod engines;
mod fuel;
mod header;
mod manifest;
mod suite;
mod terminal;
#[cfg(unix)]
mod walk;
