//! The terminal itself: where texts go so that they do not run into a line that
//! is being typed, and its mode, which is put back at the end whatever the
//! thread at the keyboard is doing.

use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, Result};
use rustyline::completion::Completer;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::MemHistory;
use rustyline::validate::Validator;
use rustyline::{Config, Editor, ExternalPrinter, Helper};

use super::reader::Desk;
use super::words;

/// A text that changes nothing on a screen; an empty one would be given a line.
const UP_AND_DOWN: &str = "\x1b[A\n";

/// Where what a bout has to say goes; cloned freely.
#[derive(Clone)]
pub struct Output(Arc<Mutex<Way>>);

enum Way {
    /// Straight to a stream.
    Plain { to_stderr: bool },
    /// Above the line that is being typed.
    Above { printer: Box<dyn ExternalPrinter + Send>, mode: Mode },
}

/// The editor of lines.
pub type Keyboard = Editor<Completion, MemHistory>;

/// Lines edited at the terminal, and the output that goes with it.
pub fn edited(desk: Arc<Desk>) -> Result<(Output, Option<Keyboard>)> {
    let mode = Mode::now();
    let config = Config::builder().bracketed_paste(false).auto_add_history(true).build();
    let history = MemHistory::with_config(&config);
    let editor = Editor::with_history(config, history);
    let mut editor: Keyboard = editor.context("cannot edit lines at this terminal")?;
    editor.set_helper(Some(Completion { desk }));
    let Ok(printer) = editor.create_external_printer() else {
        return Ok((Output::plain(false), None));
    };
    let way = Way::Above { printer: Box::new(printer), mode };
    Ok((Output(Arc::new(Mutex::new(way))), Some(editor)))
}

impl Output {
    /// To standard output, or to standard error.
    pub fn plain(to_stderr: bool) -> Self {
        Self(Arc::new(Mutex::new(Way::Plain { to_stderr })))
    }

    /// Shows whole lines. A stream that takes no more is nobody's loss here: the
    /// bout goes on, and its record is written.
    pub fn say(&self, text: &str) {
        match &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            Way::Plain { to_stderr: true } => drop(write(&mut std::io::stderr().lock(), text)),
            Way::Plain { to_stderr: false } => drop(write(&mut std::io::stdout().lock(), text)),
            Way::Above { printer, .. } => drop(printer.print(text.to_owned())),
        }
    }

    /// The bout is over: from here on texts go straight to the terminal, whose
    /// mode is as it was, below everything that was said before.
    pub fn leave(&self) {
        let mut way = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Way::Above { printer, mode } = &mut *way {
            // The channel behind the printer holds one text: when a second one
            // after it is taken, it is on the screen.
            let mut nothing = || printer.print(UP_AND_DOWN.to_owned());
            drop(nothing().and_then(|()| nothing()));
            mode.restore();
            // Nobody types in the line of the prompt any more.
            drop(write(&mut std::io::stdout().lock(), "\r\x1b[K"));
            *way = Way::Plain { to_stderr: false };
        }
    }
}

fn write(to: &mut dyn Write, text: &str) -> std::io::Result<()> {
    to.write_all(text.as_bytes())?;
    to.flush()
}

/// The terminal's mode, where the system has such a thing.
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
pub struct Completion {
    desk: Arc<Desk>,
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
        let commands = if at == 0 { Some(words::names().map(str::to_owned)) } else { None };
        let moves = self.desk.legal_moves();
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
