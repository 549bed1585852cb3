//! Mistakes in an engine that the compiler finds: what an author then reads.
#![forbid(unsafe_code)]

use std::process::Command;

/// Compilers word their own part of a message anew every few versions: letter by letter it is
/// compared with the version that the project names, whoever has another one.
fn is_named_version() -> bool {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version = Command::new(rustc).arg("--version").output().expect("cargo has found it");
    let version = String::from_utf8_lossy(&version.stdout).into_owned();
    version.starts_with(&format!("rustc {}.", env!("CARGO_PKG_RUST_VERSION")))
}

#[test]
fn mistakes_are_answered_with_what_to_write() {
    if !is_named_version() {
        eprintln!("not compared: this is not rustc {}", env!("CARGO_PKG_RUST_VERSION"));
        return;
    }
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}
