//! Puts the client that was built in `web/dist` into the program, as a table of its files. Where
//! it was not built, the table is empty, and the server says how to build it. Puts in the sources of
//! the SDK, too, so that `sandboard new` needs no clone.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let own = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    fs::write(out.join("sdk.rs"), sdk(&own.join(".."))?)?;
    let dist = own.join("web/dist");
    // A folder that is not there would count as changed at every build.
    if fs::create_dir_all(&dist).is_ok() {
        println!("cargo::rerun-if-changed=web/dist");
    }
    let mut files = Vec::new();
    collect(&dist, "", &mut files)?;
    files.sort();
    let mut table = String::from("static FILES: &[File] = &[\n");
    for (path, file) in &files {
        let file = file.to_string_lossy();
        let _ = writeln!(table, "    File {{ path: {path:?}, bytes: include_bytes!({file:?}) }},");
    }
    table += "];\n";
    fs::write(out.join("client.rs"), table)
}

/// What the SDK is made of, from the workspace's root.
const SDK: [&str; 3] = ["abi", "games", "sdk"];
/// How its files are called; what else lies there is an editor's.
const KINDS: [&str; 5] = [".rs", ".toml", ".wit", ".h", ".md"];
/// What of these folders only the project's own tests read.
const TESTS: [&str; 3] = ["tests", "tests.rs", "shim"];

/// The table of the SDK's files: those of its crates, a workspace of these alone, the lock file.
fn sdk(root: &Path) -> io::Result<String> {
    let mut files = Vec::new();
    for name in SDK {
        println!("cargo::rerun-if-changed=../{name}");
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
        println!("cargo::rerun-if-changed=../{name}");
        let text = fs::read_to_string(root.join(name))?;
        let text = if name == "Cargo.toml" { workspace(&text) } else { text };
        let _ = writeln!(table, "    ({name:?}, {text:?}),");
    }
    Ok(table + "];\n")
}

/// The workspace's manifest with no other member than those of the SDK.
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
        match entry.file_type()?.is_dir() {
            true => collect(&entry.path(), &path, files)?,
            false => files.push((path, entry.path())),
        }
    }
    Ok(())
}
