//! The keyboard thread: parses lines into events of the bout. Decides nothing; explains what it
//! cannot parse.

use std::io::BufRead;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rustyline::error::ReadlineError;

use super::commands::{self, Request};
use super::gate::{InputGate, State};
use super::tty::{Keyboard, Output};
use sandboard_bout::driver::{InputEvent, InputSender};
use sandboard_common::line_reader::next_line;

/// How long a prompt waits for the board, before it appears while an engine thinks.
const PROMPT_DELAY: Duration = Duration::from_millis(100);

const PROMPT: &str = "> ";

/// The state shared by the keyboard thread and the screen.
#[derive(Debug, Default)]
pub(super) struct InputContext {
    /// The state of the bout.
    pub gate: InputGate,
    /// The legal moves, separated by blanks.
    pub legal: Mutex<String>,
}

impl InputContext {
    /// The legal moves as a list.
    pub(super) fn legal_moves(&self) -> Vec<String> {
        let legal = self.legal.lock().unwrap_or_else(PoisonError::into_inner);
        legal.split_ascii_whitespace().map(str::to_owned).collect()
    }
}

/// Reads lines that are edited at a terminal. Its own messages go straight to the terminal between
/// two lines: the output of the bout may be waiting for the next line to begin.
pub(super) fn edited(mut keyboard: Keyboard, input: &InputSender, context: &InputContext) {
    let output = &Output::plain(false);
    while context.gate.settle(PROMPT_DELAY) {
        let event = match keyboard.readline(PROMPT) {
            Ok(line) => understand(&line, context, output),
            Err(ReadlineError::Interrupted | ReadlineError::Eof) => Some(InputEvent::Quit),
            Err(ReadlineError::Signal(_)) => None,
            Err(error) => {
                output.say(&format!("cannot read the terminal: {error}\n"));
                Some(InputEvent::Quit)
            }
        };
        if let Some(event) = event
            && !send(event, input, context)
        {
            break;
        }
    }
}

/// Reads lines as they arrive, and sends each event when it can be processed.
pub(super) fn plain(
    lines: &mut dyn BufRead,
    input: &InputSender,
    context: &InputContext,
    output: &Output,
) {
    loop {
        let event = match next_line(lines) {
            Ok(Some(Ok(line))) => match commands::parse(&line) {
                Ok(Request::Event(event)) => Some(event),
                // Answers must be in the order of the lines.
                _ if !context.gate.wait_for(None) => return,
                _ => understand(&line, context, output),
            },
            Ok(Some(Err(reason))) => {
                output.say(&format!("{reason}\n"));
                None
            }
            Ok(None) => Some(InputEvent::Quit),
            Err(error) => {
                output.say(&format!("cannot read standard input: {error}\n"));
                Some(InputEvent::Quit)
            }
        };
        let Some(event) = event else { continue };
        if !context.gate.wait_for(Some(&event)) || !send(event, input, context) {
            return;
        }
    }
}

/// The event of a line. Other requests are answered here.
fn understand(line: &str, context: &InputContext, output: &Output) -> Option<InputEvent> {
    match commands::parse(line) {
        Ok(Request::Event(event)) => return Some(event),
        Ok(Request::Help) => output.say(&commands::commands_help()),
        Ok(Request::Moves) => output.say(&format!("{}\n", wrapped(&context.legal_moves()))),
        Ok(Request::Nothing) => (),
        Err(reason) => output.say(&format!("{reason}\n")),
    }
    None
}

/// Sends an event to the bout. False: stop reading.
fn send(event: InputEvent, input: &InputSender, context: &InputContext) -> bool {
    let quits = event == InputEvent::Quit;
    match event {
        // The bout's only answer is the engine's move, so it does not become busy.
        InputEvent::MoveNow => context.gate.stop_requested(),
        _ => context.gate.set(State::Busy),
    }
    input.send(event) && !quits
}

/// Words in lines of at most 78 columns.
fn wrapped(words: &[String]) -> String {
    let mut text = String::new();
    let mut column = 0;
    for word in words {
        if column > 0 && column + word.len() + 1 > 78 {
            text.push('\n');
            column = 0;
        }
        if column > 0 {
            text.push(' ');
            column += 1;
        }
        text.push_str(word);
        column += word.len();
    }
    if text.is_empty() { "no legal moves".into() } else { text }
}
