//! The person's side of a bout: a thread that reads what is typed, and a screen
//! that shows what happens. Knows no rule of a game or a bout: moves go in as
//! texts, boards come out as pictures.

mod gate;
mod log;
mod reader;
mod screen;
mod texts;
mod tty;
mod words;

use std::sync::Arc;

use anyhow::Result;

pub use log::BoutLog;
pub use texts::Paint;
pub use words::words_help;

use crate::bout::{self, BoutReport, BoutSetup};
use gate::Gate;
use reader::Desk;
use screen::Screen;
use tty::Output;

/// How a bout is shown.
#[derive(Clone, Debug, Default)]
pub struct Manner {
    /// Everything goes to standard error: standard output is somebody else's.
    pub to_stderr: bool,
    /// Lines are edited at a terminal; else they are read as they come.
    pub editing: bool,
    /// Whether to use colours.
    pub colors: bool,
    /// What to type to go on.
    pub next: Next,
}

/// What a command line that goes on with a bout has to repeat.
#[derive(Clone, Debug, Default)]
pub struct Next {
    /// Options, each after a blank.
    pub arguments: String,
}

/// Plays a bout with people at this terminal.
pub fn play(setup: BoutSetup, manner: Manner) -> Result<BoutReport> {
    let (input, people) = bout::people();
    let desk = Arc::new(Desk { gate: Gate::default(), legal: Default::default() });
    let (output, hand) = match manner.editing {
        true => tty::edited(desk.clone())?,
        false => (Output::plain(manner.to_stderr), None),
    };
    let mut screen = Screen::new(output.clone(), desk.clone(), &manner);
    screen.header(&setup);
    let reading = desk.clone();
    let saying = output.clone();
    // Nobody waits for this thread: it may sit in a read that never comes back.
    let spawned = std::thread::Builder::new().name("keyboard".into()).spawn(move || match hand {
        Some(editor) => reader::edited(editor, &input, &reading),
        None => reader::plain(&mut std::io::stdin().lock(), &input, &reading, &saying),
    });
    spawned?;
    let report = bout::run(setup, Some(people), &mut screen);
    desk.gate.close();
    output.leave();
    let report = report?;
    screen.footer(&report);
    Ok(report)
}
