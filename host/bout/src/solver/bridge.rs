//! Values of bridge positions: tricks of North-South, by the double-dummy solver.

use sandboard_double_dummy::{Solver, TABLE_BYTES, TraceError};
use sandboard_games::bridge::{Bridge, Card, Table};
use sandboard_games::{DynGame, Rules};

use super::endgame::{EndgameSolver, FinalScore};
use super::{ContinueCheck, GameSolver, SolverError, solved_game};

/// Whole deals are solved, so any number of tricks may be left.
pub(super) const ENDGAME: EndgameSolver =
    EndgameSolver { game: "bridge", unit: "trick", max_left: 13, left, final_score, solve };

pub(super) fn solver() -> Box<dyn GameSolver> {
    Box::new(DoubleDummy(Solver::new(TABLE_BYTES)))
}

struct DoubleDummy(Solver);

/// The position of `game` as a value of the game's own type.
fn bridge_position(game: &dyn DynGame) -> Result<Bridge, SolverError> {
    Bridge::parse_position(&game.variant(), &game.position())
        .map_err(|error| SolverError::Invalid(error.to_string()))
}

impl GameSolver for DoubleDummy {
    fn value(
        &mut self,
        game: &dyn DynGame,
        keep_going: ContinueCheck<'_>,
    ) -> Result<u32, SolverError> {
        let position = bridge_position(game)?;
        let table = position.table();
        let won = u32::from(position.tricks_won()[0]);
        if table.tricks_left() == 0 {
            return Ok(won);
        }
        let tricks = self.0.tricks(table, keep_going).map_err(|_| SolverError::Stopped)?;
        Ok(won + north_south_tricks(table, tricks))
    }

    fn values(
        &mut self,
        start: &dyn DynGame,
        moves: &[&str],
        keep_going: ContinueCheck<'_>,
    ) -> Result<Vec<u32>, SolverError> {
        let position = bridge_position(start)?;
        let invalid = |text: &str| SolverError::Invalid(format!("`{text}` is not a card"));
        let card = |text: &&str| Card::from_text(text).ok_or_else(|| invalid(text));
        let cards = moves.iter().map(card).collect::<Result<Vec<_>, _>>()?;
        let won = u32::from(position.tricks_won()[0]);
        let trace = self.0.trace(position.table(), &cards, keep_going).map_err(trace_error)?;
        Ok(trace.into_iter().map(|tricks| won + tricks).collect())
    }

    fn moves(
        &mut self,
        game: &dyn DynGame,
        keep_going: ContinueCheck<'_>,
    ) -> Result<Vec<(String, u32)>, SolverError> {
        let position = bridge_position(game)?;
        let table = position.table();
        let [north_south, east_west] = position.tricks_won().map(u32::from);
        let won = if table.to_move().side() == 0 { north_south } else { east_west };
        let scores = self.0.scores(table, keep_going).map_err(|_| SolverError::Stopped)?;
        let mut legal = String::new();
        game.write_legal(&mut legal);
        let score = |text: &str| {
            let card = Card::from_text(text);
            let found = scores.iter().find(|(known, _)| Some(*known) == card);
            let unknown =
                || SolverError::Invalid(format!("the solver has no value for the card `{text}`"));
            found.map(|(_, tricks)| (text.to_owned(), won + tricks)).ok_or_else(unknown)
        };
        legal.split_ascii_whitespace().map(score).collect()
    }

    fn taken(&self, game: &dyn DynGame) -> Result<[u32; 2], SolverError> {
        Ok(bridge_position(game)?.tricks_won().map(u32::from))
    }
}

fn trace_error(error: TraceError) -> SolverError {
    match error {
        TraceError::Stopped => SolverError::Stopped,
        other => SolverError::Invalid(other.to_string()),
    }
}

/// The tricks of North-South if the side to move wins this number of tricks.
fn north_south_tricks(table: &Table, tricks: u32) -> u32 {
    match table.to_move().side() {
        0 => tricks,
        _ => table.tricks_left() - tricks,
    }
}

fn left(game: &dyn DynGame) -> Option<u32> {
    Some(bridge_endgame(game)?.table().tricks_left())
}

/// The score is the tricks of North-South minus those of East-West.
fn final_score(game: &dyn DynGame, score: i32) -> Option<FinalScore> {
    let position = bridge_endgame(game)?;
    let size = i32::from(position.size());
    let ns = size.checked_add(score).filter(|twice| twice % 2 == 0)? / 2;
    let outcome = position.outcome_with_tricks(u8::try_from(ns).ok()?)?;
    let (winner, scores) = (outcome.winner, position.side_scores(&outcome));
    Some(FinalScore { winner, counts: [ns, size - ns].map(i32::unsigned_abs), scores })
}

fn solve(game: &dyn DynGame, keep_going: ContinueCheck<'_>) -> Result<i32, SolverError> {
    let invalid = || SolverError::Invalid("not a position of bridge".into());
    let position = bridge_endgame(game).ok_or_else(invalid)?;
    let row = solved_game(ENDGAME.game).ok_or_else(invalid)?;
    let ns = row.with_solver(|solver| solver.value(game, keep_going))?;
    Ok(2 * ns as i32 - i32::from(position.size()))
}

fn bridge_endgame(game: &dyn DynGame) -> Option<Bridge> {
    if game.info().id == ENDGAME.game { bridge_position(game).ok() } else { None }
}
