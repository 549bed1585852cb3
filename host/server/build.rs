//! Embeds the browser client, built in `web/dist`, and the pages that work without a server, built
//! in `web/dist-verify` and `web/dist-published`, into the binary as a table of files. What was not
//! built is not in the table; the server says so.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let own = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    let mut files = Vec::new();
    for folder in ["web/dist", "web/dist-verify", "web/dist-published"] {
        // Cargo treats a missing folder as changed, and would rebuild every time.
        if fs::create_dir_all(own.join(folder)).is_ok() {
            println!("cargo::rerun-if-changed={folder}");
        }
        collect(&own.join(folder), "", &mut files)?;
    }
    files.sort();
    let mut table = String::from("static FILES: &[File] = &[\n");
    for (path, file) in &files {
        let file = file.to_string_lossy();
        let _ = writeln!(table, "    File {{ path: {path:?}, bytes: include_bytes!({file:?}) }},");
    }
    table += "];\n";
    fs::write(out.join("client.rs"), table)
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
