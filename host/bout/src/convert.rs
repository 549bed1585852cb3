//! Converts between records, studies and the file formats of games. The games of a file are checked
//! by the rules, and become a record or another file. Reads and writes no files, and knows no
//! format by name: the formats are in the table of games.

mod encoding;
mod play_through;
mod record;
mod start;
mod study;

#[cfg(test)]
mod tests;

use std::borrow::Cow;

use sandboard_common::text::counted;
use sandboard_games::Games;
use sandboard_games::formats::{Features, Format, FormatError, GameTree, Location, TreeFull};

use crate::record::{Record, RecordError};
use crate::start::StartPosition;

pub use encoding::read_decoded;
use play_through::in_notation;
pub use play_through::{IllegalMovePolicy, PlayThroughError, PlayThroughReport, play_through};
pub use record::{FEATURES as RECORD_FEATURES, record_from_game, tree_from_record};
pub use start::{StartError, resolve_start};
pub use study::{StudyError, is_study, tree_from_study};

/// Why a record cannot become a game of a file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordGameError {
    /// The record is invalid.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// The record has too many texts.
    #[error(transparent)]
    Full(#[from] TreeFull),
}

/// A game of a file, checked by the rules.
#[derive(Clone, Debug)]
pub struct ConvertedGame {
    /// The start position, without moves; its variant has the size of the board.
    pub start: StartPosition,
    /// The moves, as canonical texts.
    pub tree: GameTree,
}

impl ConvertedGame {
    /// The game of a valid record, with the moves before the bout.
    pub fn from_record(record: &Record, games: &Games) -> Result<Self, RecordGameError> {
        let start = record.start_position(games)?.without_moves();
        Ok(Self { start, tree: tree_from_record(record)? })
    }

    /// The game with the moves that its start position names, as moves of the game: a position text
    /// such as `FEN moves e2e4 e7e5` has the moves that its rules need. None: it has none.
    fn with_moves_of_start(&self) -> Option<ConvertedGame> {
        let text = self.start.position.as_deref()?;
        let (position, moves) = text.split_once(" moves ")?;
        let moves: Vec<&str> = moves.split_whitespace().collect();
        let StartPosition { game, variant, .. } = &self.start;
        let mut replayed = (game.new)(variant, Some(position)).ok()?;
        for mv in &moves {
            replayed.play(mv).ok()?;
        }
        let usual = (game.new)(variant, None).ok()?;
        let position = Some(position.to_owned()).filter(|text| *text != usual.position());
        let tree = self.tree.with_moves_before(&moves, position.clone()).ok()?;
        Some(Self { start: StartPosition::new(game, variant.clone(), position), tree })
    }

    /// The game with only the line of this index; none: there is no such line.
    pub fn extract_line(&self, line: usize) -> Option<ConvertedGame> {
        // A game without moves has one empty line.
        let tree = match self.tree.is_empty() && line == 0 {
            true => self.tree.clone(),
            false => self.tree.extract_line(line)?,
        };
        Some(ConvertedGame { start: self.start.clone(), tree })
    }

    /// The bytes of a file in this format; none: the format cannot be written. Evaluations and
    /// times of moves are comments where the format has comments and no times.
    pub fn write(&self, format: &Format) -> Option<Result<Vec<u8>, FormatError>> {
        let write = format.write?;
        let whole =
            |error: &dyn std::fmt::Display| FormatError::new(Location::Whole, error.to_string());
        let longer = self.with_moves_of_start();
        let game = longer.as_ref().unwrap_or(self);
        let written = || {
            let mut tree = Cow::Borrowed(&game.tree);
            if measures_in_comments(&format.features) && tree.has_measurements() {
                let commented = tree.with_measurements_as_comments();
                tree = Cow::Owned(commented.map_err(|error| whole(&error))?);
            }
            if format.notation {
                let named = in_notation(&tree, &game.start);
                tree = Cow::Owned(named.map_err(|error| whole(&error))?);
            }
            write(&tree, &game.start.variant)
        };
        Some(written())
    }

    /// The parts of the game that a file with these features cannot store, in words.
    pub fn left_out(&self, features: &Features) -> Vec<String> {
        let [comments, labels, times] = self.tree.annotation_counts();
        let lines = self.tree.lines();
        let parts = [
            (features.variations, lines.saturating_sub(1), "variation"),
            (features.comments, comments, "comment"),
            (features.labels, labels, "label"),
            (features.comments, self.tree.mark_count(), "mark"),
            (features.times || measures_in_comments(features), times, "measured time"),
            (features.names, self.tree.names.iter().flatten().count(), "name"),
        ];
        let lost = parts.into_iter().filter(|(stored, count, _)| !stored && *count > 0);
        let mut out: Vec<String> = lost.map(|(_, count, what)| counted(count, what)).collect();
        if !features.results && self.tree.result.is_some() {
            out.push("the result".into());
        }
        let default = self.start.game.variants.first().map(|first| first.id);
        if !features.sizes || !features.variants && default != Some(self.start.variant.id) {
            out.push(format!("the variant, {}", self.start.variant.text()));
        }
        out
    }
}

/// Whether files with these features have evaluations and times of moves in comments.
fn measures_in_comments(features: &Features) -> bool {
    features.comments && !features.times
}
