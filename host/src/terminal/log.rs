//! Engines among themselves, for people who watch: who plays, the moves in
//! rows, what went wrong, the end.

use std::io::{Result, Write};

use super::texts::{self, Paint};
use super::{Manner, Next};
use crate::bout::{BoutReport, BoutSetup, Observer, Scene};
use crate::referee::{BoutResult, Notice};

/// Plies in a row.
const ROW: usize = 10;

/// Prints a bout of engines as it goes.
pub struct BoutLog {
    paint: Paint,
    next: Next,
    /// Plies in the row that is not ended.
    in_row: usize,
    /// The last thing that happened was a fault.
    faulted: bool,
}

impl BoutLog {
    /// A log on standard output.
    pub fn new(manner: Manner) -> Self {
        let paint = Paint { on: manner.colors };
        Self { paint, next: manner.next, in_row: 0, faulted: false }
    }

    /// Before the bout.
    pub fn header(&self, setup: &BoutSetup) -> Result<()> {
        print(&texts::header(setup))
    }

    /// After the bout.
    pub fn footer(&self, report: &BoutReport) -> Result<()> {
        let end = if self.in_row > 0 { "\n" } else { "" };
        print(&format!("{end}{}", texts::footer(report, &self.next)))
    }

    /// A line of its own. A reader that has gone away does not end the bout.
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
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}

impl Observer for BoutLog {
    fn notice(&mut self, scene: Scene<'_>, notice: &Notice) {
        let name =
            |player: usize| scene.referee.player(player).map_or("", |setup| setup.name.as_str());
        match notice {
            Notice::Moved { ply, mv, mark, .. } => self.moved(*ply, mv, mark.is_some()),
            Notice::Swapped { names } => {
                self.line(&format!("  the sides are now {} and {}", names[0], names[1]));
            }
            Notice::Refused { player, mv, reason, .. } => {
                let text = format!("  {}: `{mv}` is refused: {reason}", name(*player));
                self.line(&self.paint.bad(&text));
            }
            Notice::Faulted { player, fault } => {
                let text = format!("  {} {}", name(*player), fault.sentence);
                self.line(&self.paint.bad(&text));
            }
            // A fault that is a timeout has said so.
            Notice::Late { .. } if self.faulted => (),
            Notice::Late { player, spent, allowed } => {
                let text = format!("  {}", texts::late(scene, *player, *spent, *allowed));
                self.line(&self.paint.bad(&text));
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

    fn ended(&mut self, scene: Scene<'_>, result: &BoutResult) {
        let board = self.paint.board(&scene.referee.game().board());
        let end = self.paint.strong(&result.sentence);
        let marked = scene.referee.plies().iter().any(|ply| ply.mark.is_some());
        if marked {
            self.line("  * the last move that was reported in time");
        }
        self.line(&format!("\n{board}\n{end}"));
    }
}
