//! Exact ends of reversi: of the last squares on 8×8 only, by the solver of endings. No whole
//! game of it is solved, so no start bears a mark and no bout is held against perfect play.

use std::cell::RefCell;

use sandboard_games::reversi::Reversi;
use sandboard_games::{DynGame, Rules, Side};
use sandboard_reversi_endings::{SolveError, Solver, TABLE_BYTES};

use super::ending::{End, Ending};
use super::{ExactError, GoOn};

/// All squares of the board.
const SQUARES: i32 = 64;

pub(super) const ENDING: Ending =
    Ending { game: "reversi", unit: "empty square", most: 16, left, end, solve };

/// The position, if it is one of 8×8.
fn typed(game: &dyn DynGame) -> Option<Reversi> {
    let is_it = game.info().id == ENDING.game;
    let position = is_it.then(|| Reversi::parse_position(&game.variant(), &game.position()));
    position?.ok().filter(|position| position.discs().is_some())
}

fn left(game: &dyn DynGame) -> Option<u32> {
    Some(typed(game)?.empties())
}

/// Empty squares go to the winner, so all 64 are somebody's, but for a level end, where each has
/// half of them in any case.
fn end(game: &dyn DynGame, score: i32) -> Option<End> {
    typed(game)?;
    let can_be = (-SQUARES..=SQUARES).contains(&score) && score % 2 == 0;
    let winner = match score.signum() {
        1 => Some(Side(0)),
        -1 => Some(Side(1)),
        _ => None,
    };
    let counts = can_be.then(|| [(SQUARES + score) / 2, (SQUARES - score) / 2])?;
    Some(End { winner, counts: counts.map(i32::unsigned_abs) })
}

fn solve(game: &dyn DynGame, go_on: GoOn<'_>) -> Result<i32, ExactError> {
    thread_local! {
        static SOLVER: RefCell<Option<Solver>> = const { RefCell::new(None) };
    }
    let wrong = || ExactError::Wrong("it is no position of 8×8".into());
    let position = typed(game).ok_or_else(wrong)?;
    let (own, opponent) = position.discs().ok_or_else(wrong)?;
    // Taken out while it works: whoever asks from within gets another.
    let mut solver = SOLVER.take().unwrap_or_else(|| Solver::new(TABLE_BYTES));
    let score = solver.score(own, opponent, go_on);
    SOLVER.set(Some(solver));
    let score = score.map_err(|error| match error {
        SolveError::Stopped => ExactError::Stopped,
        error => ExactError::Wrong(error.to_string()),
    })?;
    Ok(if game.side(position.to_move()).0 == 0 { score } else { -score })
}
