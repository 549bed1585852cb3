//! Runs cargo and reports its progress to the [`Listener`] in place of its status lines. Warnings
//! and errors are always shown in full.

use std::collections::HashSet;
use std::io::{BufRead, BufReader, IsTerminal, Read};
use std::process::{Command, ExitStatus, Stdio};

use anyhow::{Context, Result, bail};

use crate::command::{command_line, run};
use crate::output::{Listener, Units, listener};

/// The words at the beginning of the status lines that are not shown. Others are: `Blocking` says
/// why nothing happens.
const STATUS: [&str; 15] = [
    "Adding",
    "Building",
    "Checking",
    "Compiling",
    "Documenting",
    "Downloaded",
    "Downloading",
    "Executable",
    "Finished",
    "Fresh",
    "Generated",
    "Locking",
    "Running",
    "Scraping",
    "Updating",
];

/// A line that is not shown either: each of several builds holds this lock for a moment.
const WAITS_FOR_PACKAGE_CACHE: &str = "    Blocking waiting for file lock on package cache";

/// Runs a cargo command that compiles and runs nothing. `rest` are the arguments after the options,
/// such as `-- -D warnings`.
pub fn compile(command: &mut Command, rest: &[&str]) -> Result<()> {
    let Some(listener) = listener() else {
        return run(command.args(rest));
    };
    let shown = [&*command_line(command), &*rest.join(" ")].join(" ");
    let compilation = run_quietly(command, rest, listener)?;
    if !compilation.status.success() {
        bail!("`{}` failed ({})", shown.trim_end(), compilation.status);
    }
    Ok(())
}

/// How a cargo command ended, and what it said.
pub(crate) struct Compilation {
    pub status: ExitStatus,
    /// Its messages in JSON, one in a line, without those of compilers.
    pub messages: String,
    /// How many different warnings the compilers gave.
    pub warnings: usize,
}

/// Runs a cargo command that compiles.
pub(crate) fn compile_with_messages(command: &mut Command) -> Result<Compilation> {
    if let Some(listener) = listener() {
        return run_quietly(command, &[], listener);
    }
    command.args(["--message-format", "json"]).stdout(Stdio::piped()).stderr(Stdio::inherit());
    let shown = command_line(command);
    let context = || format!("cannot run `{shown}`");
    let mut child = command.spawn().with_context(context)?;
    let stdout = child.stdout.take().with_context(context)?;
    let read = show_messages(stdout, |text| eprint!("{text}"));
    let status = child.wait().with_context(context)?;
    let (messages, warnings) = read.with_context(context)?;
    Ok(Compilation { status, messages, warnings })
}

fn run_quietly(
    command: &mut Command,
    rest: &[&str],
    listener: &'static dyn Listener,
) -> Result<Compilation> {
    let shown = command_line(command);
    let context = || format!("cannot run `{shown}`");
    let colours = std::io::stderr().is_terminal()
        && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    let format = if colours { "json-diagnostic-rendered-ansi" } else { "json" };
    command.args(["--message-format", format]).args(rest);
    if colours && std::env::var_os("CARGO_TERM_COLOR").is_none() {
        command.env("CARGO_TERM_COLOR", "always");
    }
    command.env("CARGO_TERM_PROGRESS_WHEN", "always").env("CARGO_TERM_PROGRESS_WIDTH", "80");
    command.env_remove("CARGO_TERM_QUIET").env_remove("CARGO_TERM_VERBOSE");
    listener.units(None);
    let mut child =
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().with_context(context)?;
    let stdout = child.stdout.take().with_context(context)?;
    let stderr = child.stderr.take().with_context(context)?;
    let messages = std::thread::spawn(move || show_messages(stdout, |text| listener.text(text)));
    let read = show_status(stderr, listener);
    let messages = messages.join().map_err(|_| anyhow::anyhow!("a thread panicked"));
    let status = child.wait().with_context(context)?;
    listener.units(None);
    read.with_context(context)?;
    let (messages, warnings) = messages.and_then(|read| Ok(read?)).with_context(context)?;
    Ok(Compilation { status, messages, warnings })
}

/// Reads cargo's messages and shows those of compilers. Returns the others, and the number of
/// warnings.
fn show_messages(stdout: impl Read, show: impl Fn(&str)) -> std::io::Result<(String, usize)> {
    let mut others = String::new();
    let mut diagnostics = Diagnostics::default();
    for line in BufReader::new(stdout).lines() {
        let line = line?;
        match diagnostics.read(&line) {
            Message::Text(text) => show(&text),
            Message::Repeated => {}
            Message::Other => others.extend([line.as_str(), "\n"]),
        }
    }
    Ok((others, diagnostics.warnings))
}

/// A line of cargo's standard output.
#[derive(Debug, PartialEq, Eq)]
enum Message {
    /// A warning or an error of a compiler, as text for people.
    Text(String),
    /// A warning or an error that was shown before, of the same crate as a library and as a test.
    Repeated,
    /// Any other message, such as one about a built file.
    Other,
}

/// The warnings and errors that were shown.
#[derive(Default)]
struct Diagnostics {
    shown: HashSet<String>,
    warnings: usize,
}

impl Diagnostics {
    fn read(&mut self, line: &str) -> Message {
        // Messages about files are many, and are read later.
        if !line.contains("compiler-message") {
            return Message::Other;
        }
        let message = serde_json::from_str::<serde_json::Value>(line).unwrap_or_default();
        if message["reason"] != "compiler-message" {
            return Message::Other;
        }
        match message["message"]["rendered"].as_str() {
            Some(text) if self.shown.insert(text.to_owned()) => {
                // The last message of a crate only counts the others.
                let counts = message["message"]["spans"].as_array().is_some_and(Vec::is_empty);
                self.warnings += usize::from(message["message"]["level"] == "warning" && !counts);
                Message::Text(text.to_owned())
            }
            _ => Message::Repeated,
        }
    }
}

/// Reads cargo's standard error, reports the progress and shows what is no status line.
fn show_status(stderr: impl Read, listener: &dyn Listener) -> std::io::Result<()> {
    let mut lines = StatusLines::default();
    let mut reader = BufReader::new(stderr);
    loop {
        let bytes = reader.fill_buf()?;
        if bytes.is_empty() {
            lines.end().into_iter().for_each(|event| event.tell(listener));
            return Ok(());
        }
        bytes.iter().filter_map(|byte| lines.push(*byte)).for_each(|event| event.tell(listener));
        let length = bytes.len();
        reader.consume(length);
    }
}

/// What a part of cargo's standard error says.
#[derive(Debug, PartialEq, Eq)]
enum Event {
    Units(Units),
    Text(String),
}

impl Event {
    fn tell(self, listener: &dyn Listener) {
        match self {
            Event::Units(units) => listener.units(Some(units)),
            Event::Text(text) => listener.text(&text),
        }
    }
}

/// Divides cargo's standard error into lines. A progress bar ends with a carriage return, and the
/// next line overwrites it.
#[derive(Default)]
struct StatusLines {
    line: Vec<u8>,
    /// What the last carriage return has ended.
    overwritten: Vec<u8>,
}

impl StatusLines {
    fn push(&mut self, byte: u8) -> Option<Event> {
        match byte {
            b'\r' => {
                self.overwritten = std::mem::take(&mut self.line);
                progress(&without_colours(&self.overwritten)).map(Event::Units)
            }
            b'\n' => self.end_line(),
            _ => {
                self.line.push(byte);
                None
            }
        }
    }

    /// The rest after the last line end.
    fn end(&mut self) -> Option<Event> {
        if self.line.is_empty() { None } else { self.end_line() }
    }

    fn end_line(&mut self) -> Option<Event> {
        let overwritten = std::mem::take(&mut self.overwritten);
        let line = std::mem::take(&mut self.line);
        // With `\r\n`, the carriage return belongs to the line end.
        let line = if line.is_empty() { overwritten } else { line };
        let plain = without_colours(&line);
        if is_status(&plain) {
            return None;
        }
        let text = String::from_utf8_lossy(&line);
        // What erases a progress bar, which was not printed.
        Some(Event::Text(format!("{}\n", text.trim_start_matches("\x1b[K"))))
    }
}

/// The text without escape sequences such as `ESC [ 1 m`.
fn without_colours(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let mut parts = text.split("\x1b[");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(|letter: char| letter.is_ascii_alphabetic());
        plain.push_str(end.map_or("", |end| &part[end + 1..]));
    }
    plain
}

/// The figures of a progress bar such as `    Building [===>   ] 12/449: serde, syn`.
fn progress(line: &str) -> Option<Units> {
    let (_, figures) = line.strip_prefix("    Building [")?.split_once("] ")?;
    let figures = figures.split(':').next()?;
    let (done, total) = figures.trim_end().split_once('/')?;
    let units = Units { done: done.parse().ok()?, total: total.parse().ok()? };
    (units.done <= units.total).then_some(units)
}

/// Whether a line is one of cargo's status lines that are not shown. Its first word is aligned to
/// the right in twelve columns.
fn is_status(line: &str) -> bool {
    let line = line.trim_end();
    line == WAITS_FOR_PACKAGE_CACHE
        || STATUS.iter().any(|word| {
            line.strip_prefix(&format!("{word:>12}")).is_some_and(|rest| rest.starts_with(' '))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_figures_of_a_progress_bar_are_read() {
        let check = |line: &str, expected: Option<(u64, u64)>| {
            let expected = expected.map(|(done, total)| Units { done, total });
            assert_eq!(progress(line), expected, "{line}");
        };
        check("    Building [====>    ] 12/449: serde, syn(build)", Some((12, 449)));
        check("    Building [         ] 0/1: e", Some((0, 1)));
        check("    Building [=======> ] 448/449", Some((448, 449)));
        check("    Building [=======> ] 448/449  ", Some((448, 449)));
        check("    Building [=>] 449/448: e", None);
        check("    Building [=>] 12/: e", None);
        check("    Building [=>] a/b: e", None);
        check("    Building something [=>] of mine", None);
        check("  Downloading [=>      ] 3/12: serde", None);
        check("Building [=>      ] 3/12: serde", None);
        check("    Building", None);
        check("", None);
    }

    #[test]
    fn only_status_lines_of_cargo_are_hidden() {
        let check = |line, hidden: bool| assert_eq!(is_status(line), hidden, "{line:?}");
        check("   Compiling serde v1.0.0", true);
        check("    Finished `dev` profile [unoptimized] target(s) in 0.20s", true);
        check("  Downloaded 3 crates (1.2 MB) in 0.5s", true);
        check("    Updating crates.io index", true);
        check("    Blocking waiting for file lock on build directory", false);
        check("    Blocking waiting for file lock on package cache", true);
        check("    Blocking waiting for file lock on package cache\n", true);
        check("    Blocking waiting for file lock on package cache lock", false);
        check("Compiling is what this build script says", false);
        check("  Compiling with two spaces", false);
        check("    Compiling with four spaces", false);
        check("   Compilings", false);
        check("     Warning a word of a build script", false);
        check("warning: unused manifest key", false);
        check("error: could not compile `e` (lib) due to 1 previous error", false);
        check("", false);
    }

    #[test]
    fn progress_and_text_are_separated() {
        let check = |input: &str, expected: &[Event]| {
            let mut lines = StatusLines::default();
            let mut events: Vec<Event> =
                input.bytes().filter_map(|byte| lines.push(byte)).collect();
            events.extend(lines.end());
            assert_eq!(events, expected, "{input:?}");
        };
        let units = |done, total| Event::Units(Units { done, total });
        let text = |text: &str| Event::Text(text.into());
        check("   Compiling e v0.1.0\n    Building [ ] 0/2: e   \r", &[units(0, 2)]);
        check(
            "    Building [>] 1/2: e   \rwarning: `e` is old\n  --> a\n\n",
            &[units(1, 2), text("warning: `e` is old\n"), text("  --> a\n"), text("\n")],
        );
        check("    Building [>] 1/2: e   \r    Finished `dev` in 1s\n", &[units(1, 2)]);
        check("error: a\r\n   Compiling b\r\n", &[text("error: a\n")]);
        check("error: no line end", &[text("error: no line end\n")]);
        let bar = "\x1b[1m\x1b[96m    Building\x1b[0m [=>] 1/2: e  \r\x1b[K";
        check(&format!("{bar}\x1b[1m\x1b[92m    Finished\x1b[0m in 1s\n"), &[units(1, 2)]);
        check(
            &format!("{bar}\x1b[31merror\x1b[0m: a\n"),
            &[units(1, 2), text("\x1b[31merror\x1b[0m: a\n")],
        );
        check("", &[]);
    }

    #[test]
    fn escape_sequences_are_removed() {
        let check = |text: &str, expected| assert_eq!(without_colours(text.as_bytes()), expected);
        check("\x1b[1m\x1b[38;5;9merror\x1b[0m: a[1m", "error: a[1m");
        check("plain", "plain");
        check("cut \x1b[1", "cut ");
    }

    #[test]
    fn a_diagnostic_is_shown_once() {
        let mut diagnostics = Diagnostics::default();
        let mut check = |line: &str, expected| assert_eq!(diagnostics.read(line), expected);
        let warning = r#"{"reason":"compiler-message","message":{"rendered":"warning: a\n"}}"#;
        check(warning, Message::Text("warning: a\n".into()));
        check(warning, Message::Repeated);
        check(&warning.replace(": a", ": b"), Message::Text("warning: b\n".into()));
        check(r#"{"reason":"compiler-message","message":{"rendered":null}}"#, Message::Repeated);
        check(
            r#"{"reason":"compiler-artifact","filenames":["/compiler-message"]}"#,
            Message::Other,
        );
        check("compiler-message, but not JSON", Message::Other);
    }

    #[test]
    fn warnings_are_counted_once() {
        let check = |messages: &[(&str, &str, &str)], expected: usize| {
            let lines = messages.iter().map(|(level, text, spans)| {
                format!(
                    "{{\"reason\":\"compiler-message\",\"message\":{{\"level\":\"{level}\",\
                     \"rendered\":\"{text}\",\"spans\":{spans}}}}}\n"
                )
            });
            let lines: String = lines.collect();
            let shown = std::cell::RefCell::new(String::new());
            let show = |text: &str| shown.borrow_mut().push_str(text);
            let (others, warnings) = show_messages(lines.as_bytes(), show).unwrap();
            assert_eq!((others.as_str(), warnings), ("", expected), "{messages:?}");
            assert_eq!(shown.borrow().is_empty(), messages.is_empty());
        };
        check(&[], 0);
        check(&[("warning", "a", "[1]")], 1);
        check(&[("warning", "a", "[1]"), ("warning", "b", "[1]")], 2);
        // The same warning of a library and of its test.
        check(&[("warning", "a", "[1]"), ("warning", "a", "[1]")], 1);
        // The number of warnings, at the end.
        check(&[("warning", "a", "[1]"), ("warning", "1 warning emitted", "[]")], 1);
        check(&[("error", "a", "[1]"), ("note", "b", "[1]")], 0);
    }
}
