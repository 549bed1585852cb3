//! Endgames of reversi on 8×8. Whole games are not solved: no start position has a mark, and no
//! bout is compared with perfect play.

use std::cell::RefCell;

use sandboard_games::reversi::Reversi;
use sandboard_games::{DynGame, Rules, Side};
use sandboard_reversi_endings::{SolveError, Solver, TABLE_BYTES};

use super::endgame::{EndgameSolver, FinalScore};
use super::{ContinueCheck, SolverError};

/// The number of squares of the board.
const SQUARES: i32 = 64;

pub(super) const ENDGAME: EndgameSolver =
    EndgameSolver { game: "reversi", unit: "empty square", max_left: 16, left, final_score, solve };

/// The position, if it is one of 8×8 reversi.
fn reversi_position(game: &dyn DynGame) -> Option<Reversi> {
    let is_reversi = game.info().id == ENDGAME.game;
    let position = is_reversi.then(|| Reversi::parse_position(&game.variant(), &game.position()));
    position?.ok().filter(|position| position.discs().is_some())
}

fn left(game: &dyn DynGame) -> Option<u32> {
    Some(reversi_position(game)?.empties())
}

/// Empty squares count for the winner, so both counts add up to 64. In a draw each side has 32.
fn final_score(game: &dyn DynGame, score: i32) -> Option<FinalScore> {
    reversi_position(game)?;
    let is_possible = (-SQUARES..=SQUARES).contains(&score) && score % 2 == 0;
    let winner = match score.signum() {
        1 => Some(Side(0)),
        -1 => Some(Side(1)),
        _ => None,
    };
    let counts = is_possible.then(|| [(SQUARES + score) / 2, (SQUARES - score) / 2])?;
    Some(FinalScore { winner, counts: counts.map(i32::unsigned_abs), scores: [score, -score] })
}

fn solve(game: &dyn DynGame, keep_going: ContinueCheck<'_>) -> Result<i32, SolverError> {
    thread_local! {
        static SOLVER: RefCell<Option<Solver>> = const { RefCell::new(None) };
    }
    let invalid = || SolverError::Invalid("not a position of 8×8 reversi".into());
    let position = reversi_position(game).ok_or_else(invalid)?;
    let (own, opponent) = position.discs().ok_or_else(invalid)?;
    // Taken out while it works: a nested call gets a solver of its own.
    let mut solver = SOLVER.take().unwrap_or_else(|| Solver::new(TABLE_BYTES));
    let score = solver.score(own, opponent, keep_going);
    SOLVER.set(Some(solver));
    let score = score.map_err(|error| match error {
        SolveError::Stopped => SolverError::Stopped,
        error => SolverError::Invalid(error.to_string()),
    })?;
    Ok(if game.side(position.to_move()).0 == 0 { score } else { -score })
}
