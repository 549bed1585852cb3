//! Where the output of a build goes: to standard error as it is, or to a [`Listener`], which shows
//! progress instead. Never prints to standard output.

use std::io::{BufRead, BufReader, Read};
use std::process::{Command, ExitStatus};
use std::sync::OnceLock;

use anyhow::{Context, Result};

use crate::command::command_line;

/// How much cargo has done of its current command. A unit is a crate to compile or a build script
/// to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Units {
    /// Finished units, including those that were up to date.
    pub done: u64,
    /// All units of the command.
    pub total: u64,
}

/// Shows the progress of a build in place of the output of its commands.
pub trait Listener: Send + Sync {
    /// Shows text that a person must read, such as the warnings of a compiler.
    fn text(&self, text: &str);
    /// Receives the progress of cargo; None when a cargo command begins or ends.
    fn units(&self, units: Option<Units>);
    /// A program prints to the terminal itself from now on (true), or no longer (false).
    fn hand_over(&self, to_program: bool);
}

static LISTENER: OnceLock<Box<dyn Listener>> = OnceLock::new();

/// Installs the listener of this process, for good. Without one, commands print to standard error
/// themselves.
pub fn listen(listener: Box<dyn Listener>) {
    // The first one remains.
    let _ = LISTENER.set(listener);
}

pub(crate) fn listener() -> Option<&'static dyn Listener> {
    LISTENER.get().map(|listener| &**listener)
}

/// Shows a line that a person must read.
pub fn note(text: &str) {
    match listener() {
        Some(listener) => listener.text(&format!("{text}\n")),
        None => eprintln!("{text}"),
    }
}

/// Shows a line only if there is no listener.
pub fn detail(text: &str) {
    if listener().is_none() {
        eprintln!("{text}");
    }
}

/// While it exists, a program prints to the terminal itself.
pub(crate) struct HandedOver;

impl HandedOver {
    pub(crate) fn new() -> HandedOver {
        if let Some(listener) = listener() {
            listener.hand_over(true);
        }
        HandedOver
    }
}

impl Drop for HandedOver {
    fn drop(&mut self) {
        if let Some(listener) = listener() {
            listener.hand_over(false);
        }
    }
}

/// Runs a command and passes on every line of its standard output and standard error, in the order
/// in which they were written.
pub(crate) fn capture(command: &mut Command, mut line: impl FnMut(&str)) -> Result<ExitStatus> {
    let context = command_line(command);
    let context = || format!("cannot run `{context}`");
    let (reader, writer) = std::io::pipe().with_context(context)?;
    command.stdout(writer.try_clone().with_context(context)?).stderr(writer);
    let child = command.spawn();
    // Closes this process's end, so that reading ends with the command.
    command.stdout(std::io::stderr()).stderr(std::process::Stdio::inherit());
    let mut child = child.with_context(context)?;
    let read = lines(reader, &mut line);
    let status = child.wait().with_context(context)?;
    read.with_context(context)?;
    Ok(status)
}

/// Passes on every line, with its line feed if it has one.
fn lines(from: impl Read, line: &mut impl FnMut(&str)) -> std::io::Result<()> {
    let mut reader = BufReader::new(from);
    let mut bytes = Vec::new();
    while reader.read_until(b'\n', &mut bytes)? > 0 {
        line(&String::from_utf8_lossy(&bytes));
        bytes.clear();
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_keep_their_order_and_their_bytes() {
        let check = |input: &[u8], expected: &[&str]| {
            let mut found = Vec::new();
            lines(input, &mut |line: &str| found.push(line.to_owned())).unwrap();
            assert_eq!(found, expected);
        };
        check(b"", &[]);
        check(b"a\n\nb", &["a\n", "\n", "b"]);
        check(b"\xff\r\n", &["\u{fffd}\r\n"]);
    }

    #[cfg(unix)]
    #[test]
    fn both_streams_of_a_command_are_captured_in_order() {
        let mut command = Command::new("sh");
        command.args(["-c", "echo one; echo two >&2; echo three; exit 3"]);
        let mut text = String::new();
        let status = capture(&mut command, |line| text.push_str(line)).unwrap();
        assert_eq!((text.as_str(), status.code()), ("one\ntwo\nthree\n", Some(3)));
    }
}
