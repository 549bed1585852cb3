//! Games whose last part is solved within moments, so that a bout can end early with the result
//! of perfect play. A game may have a row here, in the table of solved games, in both, or in
//! neither. [`EndgameSolver::left`] and [`EndgameSolver::final_score`] are pure and cheap, for the
//! referee; only a driver calls [`EndgameSolver::solve`].

use sandboard_games::{DynGame, Side};

use super::{ContinueCheck, SolverError, bridge, reversi};

/// The end of a game by perfect play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FinalScore {
    /// The winner; none: a draw.
    pub winner: Option<Side>,
    /// The total of each side, in the game's unit: discs, tricks.
    pub counts: [u32; 2],
    /// The score of each side, as [`Ending::scores`](sandboard_games::Ending::scores) has them.
    pub scores: [i32; 2],
}

/// A game whose last part can be solved.
pub(crate) struct EndgameSolver {
    /// The game's id.
    pub game: &'static str,
    /// The unit in which [`left`](Self::left) counts, in the singular: `empty square`.
    pub unit: &'static str,
    /// The largest number of units that the solver accepts.
    pub max_left: u32,
    pub(super) left: fn(&dyn DynGame) -> Option<u32>,
    pub(super) final_score: fn(&dyn DynGame, i32) -> Option<FinalScore>,
    pub(super) solve: fn(&dyn DynGame, ContinueCheck<'_>) -> Result<i32, SolverError>,
}

/// Every game whose last part can be solved.
static ENDGAME_SOLVERS: &[EndgameSolver] = &[bridge::ENDGAME, reversi::ENDGAME];

/// The row of a game; none: its last part is not solved.
pub(crate) fn endgame_solver(id: &str) -> Option<&'static EndgameSolver> {
    ENDGAME_SOLVERS.iter().find(|row| row.game == id)
}

/// The table in words: `bridge (tricks left, up to 13), …`.
pub(crate) fn describe_endgames() -> String {
    let row =
        |row: &EndgameSolver| format!("{} ({}s left, up to {})", row.game, row.unit, row.max_left);
    ENDGAME_SOLVERS.iter().map(row).collect::<Vec<_>>().join(", ")
}

impl EndgameSolver {
    /// How much of `game` is left, in [`unit`](Self::unit); none: another game, or a variant that
    /// is not solved.
    pub(crate) fn left(&self, game: &dyn DynGame) -> Option<u32> {
        (self.left)(game)
    }

    /// The end of `game` with this score, from side 0's view, as in
    /// [`Outcome::score`](sandboard_games::Outcome::score). None: the game cannot end with it from
    /// this position.
    pub(crate) fn final_score(&self, game: &dyn DynGame, score: i32) -> Option<FinalScore> {
        (self.final_score)(game, score)
    }

    /// The score with which `game` ends when both sides play perfectly from this position on.
    /// Err: too much is left, or the game or variant is not solved.
    pub(crate) fn solve(
        &self,
        game: &dyn DynGame,
        keep_going: ContinueCheck<'_>,
    ) -> Result<i32, SolverError> {
        match self.left(game) {
            Some(left) if left <= self.max_left => (self.solve)(game, keep_going),
            Some(left) => Err(SolverError::Invalid(format!(
                "{} are left, and at most {} can be solved",
                sandboard_common::text::counted(left as usize, self.unit),
                self.max_left
            ))),
            None => Err(SolverError::Invalid(format!(
                "{} {} cannot be solved",
                game.info().id,
                game.variant().text()
            ))),
        }
    }
}

#[cfg(test)]
mod tests {
    use sandboard_games::Games;

    use super::*;

    /// `position` is `game variant: text`; `left`, `score`, `counts` and `winner` are expected.
    fn check(position: &str, left: u32, score: i32, counts: [u32; 2], winner: Option<u8>) {
        let game = set_up(position);
        let row = endgame_solver(game.info().id).expect("a row");
        assert_eq!(row.left(&*game), Some(left), "{position}");
        assert_eq!(row.solve(&*game, &|| true), Ok(score), "{position}");
        let end = row.final_score(&*game, score).expect("a possible score");
        assert_eq!((end.winner, end.counts), (winner.map(Side), counts), "{position}");
        // The winner has the higher score.
        let [one, other] = end.scores;
        let lead = match end.winner {
            Some(Side(0)) => 1,
            Some(_) => -1,
            None => 0,
        };
        assert_eq!((one - other).signum(), lead, "{position}");
    }

    fn set_up(position: &str) -> Box<dyn DynGame> {
        let (name, text) = position.split_once(": ").unwrap();
        let (id, variant) = name.split_once(' ').unwrap_or((name, ""));
        let info = Games::default().find(id).unwrap();
        let text = Some(text.trim()).filter(|text| !text.is_empty());
        (info.new)(&info.variant(variant).unwrap(), text).unwrap()
    }

    fn reversi(row: &str, mover: char) -> String {
        format!("reversi: {row}{} {mover}", "X".repeat(56))
    }

    #[test]
    fn positions_and_their_final_scores() {
        check(&reversi("XO--XXXX", 'X'), 2, 64, [64, 0], Some(0));
        check(&reversi("-XOXXXXX", 'O'), 1, 58, [61, 3], Some(0));
        let level = format!("reversi: {}{} X", "X".repeat(32), "O".repeat(32));
        check(&level, 0, 0, [32, 32], None);
        let bridge = "bridge double-dummy-2: N:A2... K3... Q4... J5... NT N -";
        check(bridge, 2, 0, [1, 1], None);
        // The same cards with a mark: NS take more tricks than the mark, or exactly as many.
        check(&format!("{bridge} dd=0"), 2, 0, [1, 1], Some(0));
        check(&format!("{bridge} dd=1"), 2, 0, [1, 1], None);
    }

    #[test]
    fn impossible_scores_are_refused() {
        let check = |position: &str, score: i32, possible: bool| {
            let game = set_up(position);
            let row = endgame_solver(game.info().id).expect("a row");
            assert_eq!(row.final_score(&*game, score).is_some(), possible, "{position}: {score}");
        };
        let end = reversi("XO--XXXX", 'X');
        for (score, possible) in
            [(64, true), (-64, true), (66, false), (-66, false), (1, false), (i32::MIN, false)]
        {
            check(&end, score, possible);
        }
        let deal = "bridge double-dummy-2: N:A2... K3... Q4... J5... NT N -";
        for (score, possible) in [(2, true), (-2, true), (1, false), (4, false), (i32::MAX, false)]
        {
            check(deal, score, possible);
        }
        // Tricks that are won cannot be lost again.
        let later = "bridge double-dummy-2: N:2... 3... 4... 5... NT N - won=1-0";
        for (score, possible) in [(2, true), (0, true), (-2, false)] {
            check(later, score, possible);
        }
    }

    #[test]
    fn unsolvable_positions_give_the_reason() {
        let check = |position: &str, left: Option<u32>, expected: &str| {
            let game = set_up(position);
            let row = endgame_solver(game.info().id).expect("a row");
            assert_eq!(row.left(&*game), left, "{position}");
            let error = row.solve(&*game, &|| true).expect_err("not solvable");
            assert_eq!(error.to_string(), expected);
        };
        check("reversi: ", Some(60), "60 empty squares are left, and at most 16 can be solved");
        check("reversi standard-6: ", None, "reversi standard-6 cannot be solved");
        assert!(endgame_solver("gomoku").is_none());
        let game = set_up("reversi: ");
        let other = endgame_solver("bridge").expect("a row");
        assert_eq!((other.left(&*game), other.final_score(&*game, 0)), (None, None));
        let words = describe_endgames();
        assert_eq!(words, "bridge (tricks left, up to 13), reversi (empty squares left, up to 16)");
    }
}
