//! Prints a bout between engines: the players, the moves in rows, faults, and the end.

use std::io::{Result, Write};

use sandboard_games::Games;

use super::texts::{self, TextStyle};
use super::{CommandHints, DisplayOptions};
use sandboard_bout::driver::{BoutReport, BoutSetup, BoutView, Observer};
use sandboard_bout::referee::{BoutResult, Notice, Viewer};

/// The number of plies in a row.
const ROW: usize = 10;

/// Prints a bout between engines as it proceeds.
pub(crate) struct BoutLog {
    style: TextStyle,
    hints: CommandHints,
    games: Games,
    /// The number of plies in the unfinished row.
    in_row: usize,
    /// Whether the last notice was a fault.
    faulted: bool,
}

impl BoutLog {
    /// A log on standard output.
    pub(crate) fn new(options: DisplayOptions) -> Self {
        let style = TextStyle { on: options.colors };
        let DisplayOptions { hints, games, .. } = options;
        Self { style, hints, games, in_row: 0, faulted: false }
    }

    /// Prints the text before the bout.
    pub(crate) fn header(&self, setup: &BoutSetup) -> Result<()> {
        print(&texts::header(setup))
    }

    /// Prints the text after the bout.
    pub(crate) fn footer(&self, report: &BoutReport) -> Result<()> {
        let end = if self.in_row > 0 { "\n" } else { "" };
        print(&format!("{end}{}", texts::footer(report, &self.games, &self.hints)))
    }

    /// Prints a line of its own. A reader that closed standard output does not end the bout.
    fn line(&mut self, text: &str) {
        let end = if self.in_row > 0 { "\n" } else { "" };
        self.in_row = 0;
        drop(print(&format!("{end}{text}\n")));
    }

    fn moved(&mut self, ply: u32, mv: &str, marked: bool) {
        let mark = if marked { "*" } else { "" };
        let number = match self.in_row {
            0 => format!("{:>4}.", ply + 1),
            _ => String::new(),
        };
        self.in_row = (self.in_row + 1) % ROW;
        let end = if self.in_row == 0 { "\n" } else { "" };
        drop(print(&format!("{number} {:<4}{end}", format!("{mv}{mark}"))));
    }
}

fn print(text: &str) -> Result<()> {
    let mut out = crate::output::stdout();
    out.write_all(text.as_bytes())?;
    out.flush()
}

impl Observer for BoutLog {
    fn notice(&mut self, scene: BoutView<'_>, notice: &Notice) {
        let name =
            |player: usize| scene.referee.player(player).map_or("", |setup| setup.name.as_str());
        match notice {
            Notice::Moved { ply, mv, origin, .. } => self.moved(*ply, mv, origin.is_some()),
            Notice::SidesSwapped { names } => {
                self.line(&format!("  the sides are now {}", names.join(" and ")));
            }
            Notice::Refused { player, mv, reason, .. } => {
                let text = format!("  {}: `{mv}` is refused: {reason}", name(*player));
                self.line(&self.style.error(&text));
            }
            Notice::Faulted { player, fault } => {
                let text = format!("  {} {}", name(*player), fault.sentence);
                self.line(&self.style.error(&text));
            }
            // A timeout was already reported as a fault.
            Notice::Overrun { .. } if self.faulted => (),
            Notice::Overrun { player, spent, allowed } => {
                let text = format!("  {}", texts::overrun(scene, *player, *spent, *allowed));
                self.line(&self.style.error(&text));
            }
            Notice::DrawOffered { player } => {
                self.line(&format!("  {} offers a draw", name(*player)));
            }
            Notice::Began
            | Notice::DrawDeclined { .. }
            | Notice::Undone { .. }
            | Notice::Paused
            | Notice::Resumed => (),
        }
        self.faulted = matches!(notice, Notice::Faulted { .. });
    }

    fn bout_ended(&mut self, scene: BoutView<'_>, result: &BoutResult) {
        let board = self.style.board(&scene.referee.diagram_for(Viewer::Everything));
        let end = self.style.strong(&result.sentence);
        let marked = scene.referee.plies().iter().any(|ply| ply.origin.is_some());
        if marked {
            self.line("  * the last move that the engine reported in time");
        }
        self.line(&format!("\n{board}\n{end}"));
    }
}
