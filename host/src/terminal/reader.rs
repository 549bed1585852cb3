//! The thread at the keyboard: lines become wishes, wishes become events of the
//! bout. Decides nothing; what cannot be understood is said and forgotten.

use std::io::BufRead;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rustyline::error::ReadlineError;

use super::gate::{Gate, State};
use super::tty::{Keyboard, Output};
use super::words::{self, Wish};
use crate::bout::{PersonEvent, PersonInput};
use crate::cli::next_line;

/// How long a prompt waits for the board, before it appears while an engine thinks.
const MOMENT: Duration = Duration::from_millis(100);

const PROMPT: &str = "> ";

/// What the thread at the keyboard and the screen share.
#[derive(Debug, Default)]
pub struct Desk {
    /// Whose turn it is.
    pub gate: Gate,
    /// The legal moves, as a line.
    pub legal: Mutex<String>,
}

impl Desk {
    /// The legal moves.
    pub fn legal_moves(&self) -> Vec<String> {
        let legal = self.legal.lock().unwrap_or_else(PoisonError::into_inner);
        legal.split_ascii_whitespace().map(str::to_owned).collect()
    }
}

/// Reads lines edited at a terminal. What it says itself it says between two
/// lines, straight to the terminal: the bout's own output may be waiting for the
/// next line to be begun.
pub fn edited(mut keyboard: Keyboard, input: &PersonInput, desk: &Desk) {
    let output = &Output::plain(false);
    while desk.gate.settle(MOMENT) {
        let event = match keyboard.readline(PROMPT) {
            Ok(line) => understand(&line, desk, output),
            Err(ReadlineError::Interrupted | ReadlineError::Eof) => Some(PersonEvent::Quit),
            Err(ReadlineError::Signal(_)) => None,
            Err(error) => {
                output.say(&format!("cannot read the terminal: {error}\n"));
                Some(PersonEvent::Quit)
            }
        };
        if let Some(event) = event
            && !hand_in(event, input, desk)
        {
            break;
        }
    }
}

/// Reads lines as they come, each when it can be acted on.
pub fn plain(lines: &mut dyn BufRead, input: &PersonInput, desk: &Desk, output: &Output) {
    loop {
        let event = match next_line(lines) {
            Ok(Some(Ok(line))) => match words::parse(&line) {
                Ok(Wish::Event(event)) => Some(event),
                // Answers stand in the order of the lines.
                _ if !desk.gate.wait_for(None) => return,
                _ => understand(&line, desk, output),
            },
            Ok(Some(Err(reason))) => {
                output.say(&format!("{reason}\n"));
                None
            }
            Ok(None) => Some(PersonEvent::Quit),
            Err(error) => {
                output.say(&format!("cannot read standard input: {error}\n"));
                Some(PersonEvent::Quit)
            }
        };
        let Some(event) = event else { continue };
        if !desk.gate.wait_for(Some(&event)) || !hand_in(event, input, desk) {
            return;
        }
    }
}

/// The event that a line asks for; what is none is answered here.
fn understand(line: &str, desk: &Desk, output: &Output) -> Option<PersonEvent> {
    match words::parse(line) {
        Ok(Wish::Event(event)) => return Some(event),
        Ok(Wish::Help) => output.say(&words::words_help()),
        Ok(Wish::Moves) => output.say(&format!("{}\n", wrapped(&desk.legal_moves()))),
        Ok(Wish::Nothing) => (),
        Err(reason) => output.say(&format!("{reason}\n")),
    }
    None
}

/// Hands an event in. False: nothing more is to be read.
fn hand_in(event: PersonEvent, input: &PersonInput, desk: &Desk) -> bool {
    let quits = event == PersonEvent::Quit;
    match event {
        // Nothing comes of it but the move of the engine.
        PersonEvent::MoveNow => desk.gate.told(),
        _ => desk.gate.set(State::Busy),
    }
    input.send(event) && !quits
}

/// Words in lines of a terminal's width.
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
    if text.is_empty() { "there is no legal move".into() } else { text }
}
