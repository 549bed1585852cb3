//! Runs the real binary with `--json` and a data folder of its own.

use std::path::Path;
use std::process::Command;

use sandboard_tests::{binary, root, trust_samples};
use serde_json::Value;
use tempfile::TempDir;

/// A data folder in which the native sample engines are trusted.
pub(crate) fn home() -> TempDir {
    let home = tempfile::tempdir().expect("a folder can be made");
    trust_samples(home.path());
    home
}

/// Runs a command; the last line of its output as JSON. Panics with its error output if it fails.
pub(crate) fn json(home: &Path, words: &[&str]) -> Value {
    let output = Command::new(binary())
        .args(words)
        .args(["--json", "--engines-dir"])
        .arg(root().join("engines-dir"))
        .env("SANDBOARD_HOME", home)
        .current_dir(root())
        .output()
        .expect("the host runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    let text = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(text.lines().last().unwrap_or_default())
        .unwrap_or_else(|error| panic!("{words:?}: {error}; standard error: {errors}"))
}
