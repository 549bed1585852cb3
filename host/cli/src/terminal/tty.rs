//! Accesses the terminal: prints texts above a line that is being typed, and restores the
//! terminal's mode at the end, whatever state the keyboard thread is in.

use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, Result};
use rustyline::completion::Completer;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::MemHistory;
use rustyline::validate::Validator;
use rustyline::{Config, Editor, ExternalPrinter, Helper};

use super::commands;
use super::reader::InputContext;
use crate::output;

/// A text that does not change the screen; an empty text would print a line.
const UP_AND_DOWN: &str = "\x1b[A\n";

/// Where the output of a bout goes; clones share it.
#[derive(Clone)]
pub(super) struct Output(Arc<Mutex<Sink>>);

enum Sink {
    /// Straight to a stream.
    Plain { to_stderr: bool },
    /// Above the line being typed.
    Above { printer: Box<dyn ExternalPrinter + Send>, mode: Mode },
}

/// The line editor.
pub(super) type Keyboard = Editor<Completion, MemHistory>;

/// Opens the line editor of the terminal, and the output that goes with it.
pub(super) fn edited(context: Arc<InputContext>) -> Result<(Output, Option<Keyboard>)> {
    let mode = Mode::now();
    let config = Config::builder().bracketed_paste(false).auto_add_history(true).build();
    let history = MemHistory::with_config(&config);
    let editor = Editor::with_history(config, history);
    let mut editor: Keyboard = editor.context("cannot edit lines at this terminal")?;
    editor.set_helper(Some(Completion { context }));
    let Ok(printer) = editor.create_external_printer() else {
        return Ok((Output::plain(false), None));
    };
    let sink = Sink::Above { printer: Box::new(printer), mode };
    Ok((Output(Arc::new(Mutex::new(sink))), Some(editor)))
}

impl Output {
    /// An output to standard output or standard error.
    pub(super) fn plain(to_stderr: bool) -> Self {
        Self(Arc::new(Mutex::new(Sink::Plain { to_stderr })))
    }

    /// Prints whole lines. Errors are ignored: a closed stream must not end the bout, whose record
    /// is still written.
    pub(super) fn say(&self, text: &str) {
        match &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            Sink::Plain { to_stderr: true } => drop(write(&mut output::stderr(), text)),
            Sink::Plain { to_stderr: false } => drop(write(&mut output::stdout(), text)),
            Sink::Above { printer, .. } => drop(printer.print(output::cleaned(text))),
        }
    }

    /// Ends editing after the bout: restores the terminal's mode. Later texts go straight to the
    /// terminal, below all earlier ones.
    pub(super) fn leave(&self) {
        let mut sink = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Sink::Above { printer, mode } = &mut *sink {
            // The printer's channel holds one text: when it accepts a second text after a
            // given one, that one is on the screen.
            let mut flush = || printer.print(UP_AND_DOWN.to_owned());
            drop(flush().and_then(|()| flush()));
            mode.restore();
            // The prompt's line is no longer used.
            drop(write(&mut std::io::stdout(), "\r\x1b[K"));
            *sink = Sink::Plain { to_stderr: false };
        }
    }
}

fn write(to: &mut dyn Write, text: &str) -> std::io::Result<()> {
    to.write_all(text.as_bytes())?;
    to.flush()
}

/// The terminal's mode, on systems that have one.
struct Mode {
    #[cfg(unix)]
    before: Option<rustix::termios::Termios>,
}

impl Mode {
    #[cfg(unix)]
    fn now() -> Self {
        Self { before: rustix::termios::tcgetattr(std::io::stdin()).ok() }
    }

    #[cfg(unix)]
    fn restore(&self) {
        if let Some(before) = &self.before {
            let now = rustix::termios::OptionalActions::Now;
            let _ = rustix::termios::tcsetattr(std::io::stdin(), now, before);
        }
    }

    #[cfg(not(unix))]
    fn now() -> Self {
        Self {}
    }

    #[cfg(not(unix))]
    fn restore(&self) {}
}

/// Completes commands and legal moves.
pub(super) struct Completion {
    context: Arc<InputContext>,
}

impl Completer for Completion {
    type Candidate = String;

    fn complete(
        &self,
        line: &str,
        pos: usize,
        _: &rustyline::Context<'_>,
    ) -> rustyline::Result<(usize, Vec<String>)> {
        let typed = line.get(..pos).unwrap_or_default();
        let (at, rest) = match typed.strip_prefix("move ") {
            Some(rest) => (pos - rest.len(), rest),
            None => (0, typed),
        };
        let commands = if at == 0 { Some(commands::names().map(str::to_owned)) } else { None };
        let moves = self.context.legal_moves();
        let all = moves.into_iter().chain(commands.into_iter().flatten());
        Ok((at, all.filter(|word| word.starts_with(rest)).collect()))
    }
}

impl Helper for Completion {}
impl Highlighter for Completion {}
impl Validator for Completion {}
impl Hinter for Completion {
    type Hint = String;
}
