//! Embeds the sources of the SDKs into the program, as a table of files, so that `sandboard new`
//! needs no checkout of Sandboard.

#![expect(clippy::disallowed_macros, reason = "Cargo reads the output of build scripts")]

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let own = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    fs::write(out.join("sdk.rs"), sdk(&own.join("../.."))?)
}

/// The folders of the SDKs for engines and games, relative to the workspace's root.
const SDK: [&str; 4] = ["abi", "games", "game-sdk", "sdk"];
/// The file extensions of its sources; other files there belong to editors.
const KINDS: [&str; 5] = [".rs", ".toml", ".wit", ".h", ".md"];
/// Files and folders that only the project's own tests use.
const TESTS: [&str; 3] = ["tests", "tests.rs", "shim"];

/// The table of the SDKs' files: those of its crates, a manifest of a workspace with only these
/// crates, the lock file.
fn sdk(root: &Path) -> io::Result<String> {
    let mut files = Vec::new();
    for name in SDK {
        println!("cargo::rerun-if-changed=../../{name}");
        collect(&root.join(name), name, &mut files)?;
    }
    files.retain(|(path, _)| {
        let is_kind = KINDS.iter().any(|kind| path.ends_with(kind));
        is_kind && !path.split('/').any(|part| TESTS.contains(&part) || part.starts_with('.'))
    });
    files.sort();
    let mut table = String::from("static SDK: &[(&str, &str)] = &[\n");
    for (path, file) in &files {
        let _ = writeln!(table, "    ({path:?}, include_str!({:?})),", file.to_string_lossy());
    }
    for name in ["Cargo.toml", "Cargo.lock"] {
        println!("cargo::rerun-if-changed=../../{name}");
        let text = fs::read_to_string(root.join(name))?;
        let text = if name == "Cargo.toml" { workspace(&text) } else { text };
        let _ = writeln!(table, "    ({name:?}, {text:?}),");
    }
    Ok(table + "];\n")
}

/// The workspace's manifest, with the crates of the SDKs as its only members.
fn workspace(text: &str) -> String {
    let mut inside = false;
    let kept = text.lines().filter_map(|line| {
        let begins = line.starts_with("members = ") || line.starts_with("exclude = ");
        inside = begins && !line.ends_with(']') || inside && line != "]";
        match (line.starts_with("members = "), begins || inside || line == "]") {
            (true, _) => Some(format!("members = {SDK:?}\n")),
            (_, true) => None,
            _ => Some(format!("{line}\n")),
        }
    });
    kept.collect()
}

fn collect(folder: &Path, name: &str, files: &mut Vec<(String, PathBuf)>) -> io::Result<()> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    for entry in entries {
        let entry = entry?;
        let own = entry.file_name().to_string_lossy().into_owned();
        let path = if name.is_empty() { own } else { format!("{name}/{own}") };
        // A link to a folder counts as the folder.
        match entry.path().is_dir() {
            true => collect(&entry.path(), &path, files)?,
            false => files.push((path, entry.path())),
        }
    }
    Ok(())
}
