//! Running other programs and telling people about it. Never prints to standard
//! output: that belongs to the answers and to the programs run.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

/// Runs a program to its end; an error names the command and how it ended.
pub fn run(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("cannot run `{}`", show(command)))?;
    if !status.success() {
        bail!("`{}` failed ({status})", show(command));
    }
    Ok(())
}

/// What a program printed, if it could be run and succeeded.
pub fn output(command: &mut Command) -> Option<String> {
    let output = command.stderr(std::process::Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Whether a program of this name is on the search path.
pub fn on_path(program: &str) -> bool {
    found_in(&search_path(), program).is_some()
}

/// The folders that programs are looked for in.
pub fn search_path() -> Vec<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).collect()
}

/// The program of this name in the first of these folders that has one.
pub fn found_in(folders: &[PathBuf], program: &str) -> Option<PathBuf> {
    let file = format!("{program}{}", std::env::consts::EXE_SUFFIX);
    folders.iter().map(|folder| folder.join(&file)).find(|path| path.is_file())
}

/// A command as one would type it: the variables that were set, the program, its arguments.
pub fn show(command: &Command) -> String {
    let set = command.get_envs().filter_map(|(name, value)| {
        Some(format!("{}={}", name.to_string_lossy(), quoted(&value?.to_string_lossy())))
    });
    let program = std::path::Path::new(command.get_program());
    let name = match program.file_stem() {
        Some(stem) if stem == "cargo" && program.parent() != Some("/usr/bin".as_ref()) => {
            "cargo".into()
        }
        _ => program.to_string_lossy(),
    };
    let arguments = command.get_args().map(|argument| quoted(&argument.to_string_lossy()));
    set.chain([quoted(&name)]).chain(arguments).collect::<Vec<_>>().join(" ")
}

/// A word as a shell takes it.
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    // cargo separates the flags of CARGO_ENCODED_RUSTFLAGS by a control character.
    format!("'{}'", word.replace('\'', "'\\''").replace('\u{1f}', "\\x1f"))
}

/// The canonical path, as compilers and manifests take it: Windows writes some as `\\\\?\\C:\\…`,
/// which is not what cargo calls the same folder.
pub fn canonical(path: &Path) -> std::io::Result<PathBuf> {
    let path = std::fs::canonicalize(path)?;
    let plain = path.to_str().and_then(|text| text.strip_prefix(r"\\?\"));
    Ok(match plain.filter(|rest| rest.as_bytes().get(1) == Some(&b':')) {
        Some(plain) => PathBuf::from(plain),
        None => path,
    })
}

/// The cargo that runs this program, so that nested calls use the same one; else
/// the one on the search path.
pub fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_shown_as_typed() {
        let mut command = Command::new("/usr/bin/cargo");
        command.args(["build", "-p", "a b"]).env("RUSTFLAGS", "-C x").env_remove("CARGO");
        assert_eq!(show(&command), "RUSTFLAGS='-C x' /usr/bin/cargo build -p 'a b'");
    }
}
