//! A bout with people at the terminal: a thread reads the keyboard, and a screen shows the bout.
//! Knows no rules: moves go in as texts, boards come out as texts.

mod commands;
mod gate;
mod log;
mod reader;
mod screen;
mod texts;
mod tty;

use std::sync::Arc;

use anyhow::Result;
use sandboard_games::Games;

pub(crate) use commands::commands_help;
pub(crate) use log::BoutLog;
pub(crate) use texts::TextStyle;

use gate::InputGate;
use reader::InputContext;
use sandboard_bout::driver as bout;
use sandboard_bout::driver::{BoutReport, BoutSetup};
use screen::Screen;
use tty::Output;

/// How a bout is shown.
#[derive(Clone, Debug, Default)]
pub(crate) struct DisplayOptions {
    /// Print to standard error, because standard output is used for JSON.
    pub to_stderr: bool,
    /// Whether lines are edited at a terminal; otherwise they are read as they arrive.
    pub editing: bool,
    /// Whether to use colours.
    pub colors: bool,
    /// Arguments of the commands that are suggested after the bout.
    pub hints: CommandHints,
    /// The games that the program knows.
    pub games: Games,
}

/// Arguments that a suggested command must repeat.
#[derive(Clone, Debug, Default)]
pub(crate) struct CommandHints {
    /// Arguments, each after a blank.
    pub arguments: String,
}

/// Plays a bout with people at this terminal.
pub(crate) fn play(setup: BoutSetup, options: DisplayOptions) -> Result<BoutReport> {
    let (input, people) = bout::input_channel();
    let context = Arc::new(InputContext { gate: InputGate::default(), legal: Default::default() });
    let (output, editor) = match options.editing {
        true => tty::edited(context.clone())?,
        false => (Output::plain(options.to_stderr), None),
    };
    let mut screen = Screen::new(output.clone(), context.clone(), &options);
    screen.header(&setup);
    let reader_context = context.clone();
    let reader_output = output.clone();
    // This thread is not joined: it may block in a read forever.
    let spawned = std::thread::Builder::new().name("keyboard".into()).spawn(move || match editor {
        Some(editor) => reader::edited(editor, &input, &reader_context),
        None => {
            reader::plain(&mut std::io::stdin().lock(), &input, &reader_context, &reader_output);
        }
    });
    spawned?;
    let report = bout::run(setup, Some(people), &mut screen);
    context.gate.close();
    output.leave();
    let report = report?;
    screen.footer(&report);
    Ok(report)
}
