//! Runs other programs, and shows their command lines in messages. Never prints to standard output,
//! which belongs to results and to the programs that are run.

use std::ffi::OsString;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

use anyhow::{Context, Result, bail};

use crate::output::{self, HandedOver};

/// Runs a program to its end, which prints itself. An error names the command line and the exit
/// status.
pub fn run(command: &mut Command) -> Result<()> {
    let handed_over = HandedOver::new();
    let status =
        command.status().with_context(|| format!("cannot run `{}`", command_line(command)))?;
    drop(handed_over);
    check_status(command, status)
}

/// Like [`run`], but gives every line of the program's standard output to `line`, without its end,
/// and prints none of them. Bytes that are no UTF-8 become replacement characters. An error names
/// the command line and, if the program ran, the exit status.
pub fn run_with_lines(command: &mut Command, mut line: impl FnMut(&str)) -> Result<()> {
    let _handed_over = HandedOver::new();
    command.stdout(Stdio::piped());
    let child = command.spawn();
    let mut child = child.with_context(|| format!("cannot run `{}`", command_line(command)))?;
    let mut output = BufReader::new(child.stdout.take().context("its output is a pipe")?);
    let mut bytes = Vec::new();
    let cannot_read = || "cannot read the program's output";
    while output.read_until(b'\n', &mut bytes).with_context(cannot_read)? > 0 {
        line(String::from_utf8_lossy(&bytes).trim_end_matches(['\r', '\n']));
        bytes.clear();
    }
    let status = child.wait().context("cannot wait for the program's end")?;
    check_status(command, status)
}

/// Runs a tool that prints how it gets on, such as npm. With a listener, its output is shown only
/// if it fails, and then entirely.
pub fn run_tool(command: &mut Command) -> Result<()> {
    let Some(listener) = output::listener() else { return run(command) };
    let mut text = String::new();
    let status = output::capture(command, |line| text.push_str(line))?;
    if !status.success() {
        listener.text(&text);
    }
    check_status(command, status)
}

/// Runs a compiler that prints only warnings and errors, which are always shown.
pub fn run_compiler(command: &mut Command) -> Result<()> {
    let status = compiler_status(command)?;
    check_status(command, status)
}

/// Like [`run_compiler`], but returns the exit status.
pub(crate) fn compiler_status(command: &mut Command) -> Result<ExitStatus> {
    match output::listener() {
        Some(listener) => output::capture(command, |line| listener.text(line)),
        None => command.status().with_context(|| format!("cannot run `{}`", command_line(command))),
    }
}

fn check_status(command: &Command, status: ExitStatus) -> Result<()> {
    if !status.success() {
        bail!("`{}` failed ({status})", command_line(command));
    }
    Ok(())
}

/// The standard output of a program. None: it could not be run or failed.
pub fn stdout_of(command: &mut Command) -> Option<String> {
    let output = command.stderr(std::process::Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Whether a program of this name is on the search path.
pub fn is_on_path(program: &str) -> bool {
    find_program_in(&search_path(), program).is_some()
}

/// The folders of the search path, `$PATH`.
pub fn search_path() -> Vec<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).collect()
}

/// The program with this name (without `.exe`) in the first folder that has it.
pub fn find_program_in(folders: &[PathBuf], program: &str) -> Option<PathBuf> {
    let file = format!("{program}{}", std::env::consts::EXE_SUFFIX);
    folders.iter().map(|folder| folder.join(&file)).find(|path| path.is_file())
}

/// A command as a person would type it: the variables that were set, the program, its arguments.
pub fn command_line(command: &Command) -> String {
    let set = command.get_envs().filter_map(|(name, value)| {
        Some(format!("{}={}", name.to_string_lossy(), shell_quote(&value?.to_string_lossy())))
    });
    let program = std::path::Path::new(command.get_program());
    let name = match program.file_stem() {
        Some(stem) if stem == "cargo" && program.parent() != Some("/usr/bin".as_ref()) => {
            "cargo".into()
        }
        _ => program.to_string_lossy(),
    };
    let arguments = command.get_args().map(|argument| shell_quote(&argument.to_string_lossy()));
    set.chain([shell_quote(&name)]).chain(arguments).collect::<Vec<_>>().join(" ")
}

/// Quotes a word for a POSIX shell, where necessary.
pub fn shell_quote(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    // cargo separates the flags of CARGO_ENCODED_RUSTFLAGS by a control character.
    format!("'{}'", word.replace('\'', "'\\''").replace('\u{1f}', "\\x1f"))
}

/// The canonical path without the prefix `\\\\?\\` of Windows: cargo names the same folder without
/// it.
pub fn canonical_path(path: &Path) -> std::io::Result<PathBuf> {
    let path = std::fs::canonicalize(path)?;
    let plain = path.to_str().and_then(|text| text.strip_prefix(r"\\?\"));
    Ok(match plain.filter(|rest| rest.as_bytes().get(1) == Some(&b':')) {
        Some(plain) => PathBuf::from(plain),
        None => path,
    })
}

/// Cargo's home folder: `$CARGO_HOME`, else `.cargo` in the home folder of the user. `None`: there
/// is neither.
pub fn cargo_home() -> Option<PathBuf> {
    let set = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    set.or_else(|| Some(std::env::home_dir()?.join(".cargo")))
}

/// The cargo that runs this program (`$CARGO`), else the one on the search path.
pub fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(unix)]
    fn lines_of_output_are_passed_on_and_a_failure_is_an_error() {
        let check = |script: &str, expected: &[&str], error: Option<&str>| {
            let mut lines = Vec::new();
            let mut command = Command::new("sh");
            command.args(["-c", script]);
            let outcome = run_with_lines(&mut command, |line| lines.push(line.to_owned()));
            assert_eq!(lines, expected, "{script}");
            let found = outcome.err().map(|error| error.to_string()).unwrap_or_default();
            assert_eq!(!found.is_empty(), error.is_some(), "{script}: {found}");
            assert!(found.contains(error.unwrap_or_default()), "{script}: {found}");
        };
        check("printf 'a\\n\\nb\\r\\n'", &["a", "", "b"], None);
        check("printf 'no end'; exit 3", &["no end"], Some("failed (exit status: 3)"));
        check("printf '\\377\\n'", &["\u{fffd}"], None);
        check("echo elsewhere >&2", &[], None);
    }

    #[test]
    fn a_command_line_is_shown_as_typed() {
        let mut command = Command::new("/usr/bin/cargo");
        command.args(["build", "-p", "a b"]).env("RUSTFLAGS", "-C x").env_remove("CARGO");
        assert_eq!(command_line(&command), "RUSTFLAGS='-C x' /usr/bin/cargo build -p 'a b'");
    }
}
