//! Between records and the file formats of games: what a file tells becomes a game
//! that the rules have seen, and that a record or another file. Reads and writes no
//! file, and knows no format by name: they are in the rows of the table of games.

mod encoding;
mod play;
mod record;
mod variant;

#[cfg(test)]
mod tests;

use sandboard_games::formats::{Format, FormatError, GameTree, Holds};

use crate::counted;
use crate::record::Start;

pub use encoding::read_decoded;
pub use play::{Found, Illegal, WrongMove, play_through};
pub use record::{HOLDS as RECORD_HOLDS, from_record, to_record};
pub use variant::{Unfit, start_of};

/// A game that was read, and that the rules have seen.
#[derive(Clone, Debug)]
pub struct Game {
    /// Where it begins; its variant has the size in force.
    pub start: Start,
    /// Its moves, in canonical texts.
    pub tree: GameTree,
}

impl Game {
    /// The game with one of its lines only, from 0; none: it has not so many.
    pub fn only_line(&self, line: usize) -> Option<Game> {
        // A game without moves has one line, the empty one.
        let tree = match self.tree.is_empty() && line == 0 {
            true => self.tree.clone(),
            false => self.tree.only_line(line)?,
        };
        Some(Game { start: self.start.clone(), tree })
    }

    /// The file of this format.
    pub fn write(&self, format: &Format) -> Option<Result<Vec<u8>, FormatError>> {
        Some(format.write?(&self.tree, &self.start.variant))
    }

    /// What it has that is not in a file that holds no more than this, in words.
    pub fn left_out(&self, holds: &Holds) -> Vec<String> {
        let [comments, labels, times] = self.tree.notes();
        let lines = self.tree.lines();
        let parts = [
            (holds.variations, lines.saturating_sub(1), "variation"),
            (holds.comments, comments, "comment"),
            (holds.labels, labels, "label"),
            (holds.times, times, "measured time"),
            (holds.names, self.tree.names.iter().flatten().count(), "name"),
        ];
        let lost = parts.into_iter().filter(|(held, count, _)| !held && *count > 0);
        let mut out: Vec<String> = lost.map(|(_, count, what)| counted(count, what)).collect();
        if !holds.results && self.tree.result.is_some() {
            out.push("the result".into());
        }
        let usual = self.start.game.variants.first().map(|first| first.id);
        if !holds.sizes || !holds.variants && usual != Some(self.start.variant.id) {
            out.push(format!("the variant, {}", self.start.variant.text()));
        }
        out
    }
}
