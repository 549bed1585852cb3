//! The host's binary, run for its JSON, with a data folder of its own.

use std::path::Path;
use std::process::Command;

use sandboard_tests::{binary, root, trust_samples};
use serde_json::Value;
use tempfile::TempDir;

/// A data folder in which the native sample engines are trusted.
pub fn home() -> TempDir {
    let home = tempfile::tempdir().expect("a folder can be made");
    trust_samples(home.path());
    home
}

/// What a command prints as JSON, the last line of it. Panics with its words if it fails.
pub fn json(home: &Path, words: &[&str]) -> Value {
    let output = Command::new(binary())
        .args(words)
        .args(["--json", "--engines-dir"])
        .arg(root().join("engines-dir"))
        .env("SANDBOARD_HOME", home)
        .current_dir(root())
        .output()
        .expect("the host runs");
    let said = String::from_utf8_lossy(&output.stderr);
    let told = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(told.lines().last().unwrap_or_default())
        .unwrap_or_else(|error| panic!("{words:?}: {error}; it said: {said}"))
}
