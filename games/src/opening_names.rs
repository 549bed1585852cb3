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
}

#[cfg(test)]
pub(crate) mod testing {
    use super::{Book, NamedLine};
    use crate::{DynGame, Rules, Variant};

    /// A game of this variant after moves, separated by one space.
    pub(crate) fn game_after<R: Rules>(variant: &str, moves: &str) -> Box<dyn DynGame> {
        play::<R>(&R::INFO.variant(variant).expect("a variant"), moves)
    }

    fn play<R: Rules>(variant: &Variant, moves: &str) -> Box<dyn DynGame> {
        let mut game = (R::INFO.new)(variant, None).expect("the start");
        for mv in moves.split_ascii_whitespace() {
            game.play(mv).unwrap_or_else(|_| panic!("{moves}: {mv}"));
        }
        game
    }

    /// Every line is legal, has its name at its end, and leads to a position of its own.
    #[track_caller]
    pub(crate) fn check_lines<R: Rules>(lines: &[NamedLine]) {
        let variant = R::INFO.default_variant();
        for line in lines {
            let game = play::<R>(&variant, line.moves);
            assert_eq!(game.opening(), Some(line.name), "{}", line.moves);
        }
        let book = Book::new::<R>(&variant, lines);
        assert_eq!(book.0.len(), lines.len());
    }
}
