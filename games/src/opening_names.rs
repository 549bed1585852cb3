//! The names that players have for openings. A game lists lines of moves with the names of the
//! positions after them; the book finds these positions by their hash, so that other orders of the
//! moves and mirrored boards have the same name.

use std::collections::HashMap;

use crate::{Rules, Variant};

/// The name of an opening.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpeningName {
    /// The name in Latin letters: in English, or as English texts write it.
    pub latin: &'static str,
    /// The name in Chinese characters. None: Chinese texts use the Latin name.
    pub chinese: Option<&'static str>,
}

/// A line from the start of a game, and the name of the position after it.
pub(crate) struct NamedLine {
    /// The moves, separated by one space.
    pub(crate) moves: &'static str,
    pub(crate) name: OpeningName,
}

/// A row of a table; an empty Chinese name is none.
pub(crate) const fn named(
    moves: &'static str,
    latin: &'static str,
    chinese: &'static str,
) -> NamedLine {
    let chinese = if chinese.is_empty() { None } else { Some(chinese) };
    NamedLine { moves, name: OpeningName { latin, chinese } }
}

/// The named positions of one game.
pub(crate) struct Book(HashMap<u64, OpeningName>);

impl Book {
    /// Plays the lines. A line that is not legal is left out; a test of each game finds it.
    pub(crate) fn new<R: Rules>(variant: &Variant, lines: &[NamedLine]) -> Self {
        let position_after = |line: &NamedLine| {
            let mut position = R::start(variant);
            for mv in line.moves.split_ascii_whitespace() {
                position.play(mv).ok()?;
            }
            Some(position)
        };
        let names = lines.iter().filter_map(|line| {
            let position = position_after(line)?;
            Some((position.symmetric_hash(), line.name))
        });
        Self(names.collect())
    }

    /// The name of exactly this position.
    pub(crate) fn find<R: Rules>(&self, position: &R) -> Option<OpeningName> {
        self.0.get(&position.symmetric_hash()).copied()
    }

    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }
}
