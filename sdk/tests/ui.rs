//! The compiler's messages for common mistakes in an engine.
#![forbid(unsafe_code)]

use std::process::Command;

/// Whether this is the Rust version that the project names. The compiler's own part of a message
/// changes every few versions, so messages are compared with that version only.
fn is_project_version() -> bool {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version = Command::new(rustc).arg("--version").output().expect("rustc runs");
    let version = String::from_utf8_lossy(&version.stdout).into_owned();
    version.starts_with(&format!("rustc {}.", env!("CARGO_PKG_RUST_VERSION")))
}

#[test]
fn messages_say_what_to_write() {
    if !is_project_version() {
        eprintln!("messages not compared: this is not rustc {}", env!("CARGO_PKG_RUST_VERSION"));
        return;
    }
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}
