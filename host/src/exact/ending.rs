//! Games whose last part can be solved, and quickly: near enough to its end a bout need not be
//! played on, for what perfect play makes of it is known. One row for each of them, beside the
//! rows of games that are solved from their start on; a game may be in one table, in both, or in
//! none. How much of a game is left, and what an end is worth, are pure questions, which the
//! referee asks; only a driver has a position solved.

use sandboard_games::{DynGame, Side};

use super::{ExactError, GoOn, bridge, reversi};

/// How a game ends by perfect play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct End {
    /// Who wins; none: a draw.
    pub winner: Option<Side>,
    /// What each side has, in the game's unit: discs, tricks.
    pub counts: [u32; 2],
}

/// A game whose last part can be solved.
pub struct Ending {
    /// Its id.
    pub game: &'static str,
    /// What is counted of what is left, for people: `empty square`.
    pub unit: &'static str,
    /// The most of it that may be left.
    pub most: u32,
    pub(super) left: fn(&dyn DynGame) -> Option<u32>,
    pub(super) end: fn(&dyn DynGame, i32) -> Option<End>,
    pub(super) solve: fn(&dyn DynGame, GoOn<'_>) -> Result<i32, ExactError>,
}

/// Every game whose last part can be solved.
static ENDINGS: &[Ending] = &[bridge::ENDING, reversi::ENDING];

/// The row of a game; none: nobody can solve its last part.
pub fn ending_of(id: &str) -> Option<&'static Ending> {
    ENDINGS.iter().find(|row| row.game == id)
}

/// The table for people: `bridge (tricks left, up to 13), …`.
pub fn endings_in_words() -> String {
    let row = |row: &Ending| format!("{} ({}s left, up to {})", row.game, row.unit, row.most);
    ENDINGS.iter().map(row).collect::<Vec<_>>().join(", ")
}

impl Ending {
    /// How much is left of `game`, in [`unit`](Self::unit); none: not of this variant, or not of
    /// this game.
    pub fn left(&self, game: &dyn DynGame) -> Option<u32> {
        (self.left)(game)
    }

    /// How `game`, as it stands, ends with this score, which counts as the rules' own
    /// [`Outcome::score`](sandboard_games::Outcome::score). None: it cannot end so.
    pub fn end(&self, game: &dyn DynGame, score: i32) -> Option<End> {
        (self.end)(game, score)
    }

    /// The score with which `game` ends when everybody plays perfectly from where it stands.
    pub fn solve(&self, game: &dyn DynGame, go_on: GoOn<'_>) -> Result<i32, ExactError> {
        match self.left(game) {
            Some(left) if left <= self.most => (self.solve)(game, go_on),
            Some(left) => Err(ExactError::Wrong(format!(
                "{} are left, and at most {} can be solved",
                crate::counted(left as usize, self.unit),
                self.most
            ))),
            None => Err(ExactError::Wrong(format!(
                "{} {} cannot be solved",
                game.info().id,
                game.variant().text()
            ))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `game variant: position`, what is left, and the score; the counts and the winner of it.
    fn check(position: &str, left: u32, score: i32, counts: [u32; 2], winner: Option<u8>) {
        let game = set_up(position);
        let row = ending_of(game.info().id).expect("it has a row");
        assert_eq!(row.left(&*game), Some(left), "{position}");
        assert_eq!(row.solve(&*game, &|| true), Ok(score), "{position}");
        let winner = winner.map(Side);
        assert_eq!(row.end(&*game, score), Some(End { winner, counts }), "{position}");
    }

    fn set_up(position: &str) -> Box<dyn DynGame> {
        let (name, text) = position.split_once(": ").unwrap();
        let (id, variant) = name.split_once(' ').unwrap_or((name, ""));
        let info = sandboard_games::game(id).unwrap();
        let text = Some(text.trim()).filter(|text| !text.is_empty());
        (info.new)(&info.variant(variant).unwrap(), text).unwrap()
    }

    fn reversi(row: &str, mover: char) -> String {
        format!("reversi: {row}{} {mover}", "X".repeat(56))
    }

    #[test]
    fn positions_with_their_ends() {
        check(&reversi("XO--XXXX", 'X'), 2, 64, [64, 0], Some(0));
        check(&reversi("-XOXXXXX", 'O'), 1, 58, [61, 3], Some(0));
        let level = format!("reversi: {}{} X", "X".repeat(32), "O".repeat(32));
        check(&level, 0, 0, [32, 32], None);
        let bridge = "bridge double-dummy-2: N:A2... K3... Q4... J5... NT N -";
        check(bridge, 2, 0, [1, 1], None);
        // The same cards with a mark: NS have more than it says, or as many.
        check(&format!("{bridge} dd=0"), 2, 0, [1, 1], Some(0));
        check(&format!("{bridge} dd=1"), 2, 0, [1, 1], None);
    }

    #[test]
    fn scores_that_cannot_be() {
        let check = |position: &str, score: i32, can_be: bool| {
            let game = set_up(position);
            let row = ending_of(game.info().id).expect("it has a row");
            assert_eq!(row.end(&*game, score).is_some(), can_be, "{position}: {score}");
        };
        let end = reversi("XO--XXXX", 'X');
        for (score, can_be) in
            [(64, true), (-64, true), (66, false), (-66, false), (1, false), (i32::MIN, false)]
        {
            check(&end, score, can_be);
        }
        let deal = "bridge double-dummy-2: N:A2... K3... Q4... J5... NT N -";
        for (score, can_be) in [(2, true), (-2, true), (1, false), (4, false), (i32::MAX, false)] {
            check(deal, score, can_be);
        }
        // What is won is won.
        let later = "bridge double-dummy-2: N:2... 3... 4... 5... NT N - won=1-0";
        for (score, can_be) in [(2, true), (0, true), (-2, false)] {
            check(later, score, can_be);
        }
    }

    #[test]
    fn what_cannot_be_solved_says_why() {
        let check = |position: &str, left: Option<u32>, expected: &str| {
            let game = set_up(position);
            let row = ending_of(game.info().id).expect("it has a row");
            assert_eq!(row.left(&*game), left, "{position}");
            let error = row.solve(&*game, &|| true).expect_err("it cannot be solved");
            assert_eq!(error.to_string(), expected);
        };
        check("reversi: ", Some(60), "60 empty squares are left, and at most 16 can be solved");
        check("reversi standard-6: ", None, "reversi standard-6 cannot be solved");
        assert!(ending_of("gomoku").is_none());
        let game = set_up("reversi: ");
        let other = ending_of("bridge").expect("it has a row");
        assert_eq!((other.left(&*game), other.end(&*game, 0)), (None, None));
        let words = endings_in_words();
        assert_eq!(words, "bridge (tricks left, up to 13), reversi (empty squares left, up to 16)");
    }
}
