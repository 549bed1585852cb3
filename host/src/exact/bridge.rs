//! Exact values of bridge: tricks of North-South, by the double-dummy solver.

use sandboard_double_dummy::{Solver, TABLE_BYTES, TraceError};
use sandboard_games::bridge::{Bridge, Card, Table};
use sandboard_games::{DynGame, Rules};

use super::ending::{End, Ending};
use super::{Exact, ExactError, GoOn, of_game};

/// Any deal is solved, so that any number of its tricks may be left.
pub(super) const ENDING: Ending =
    Ending { game: "bridge", unit: "trick", most: 13, left, end, solve };

pub(super) fn solver() -> Box<dyn Exact> {
    Box::new(DoubleDummy(Solver::new(TABLE_BYTES)))
}

struct DoubleDummy(Solver);

/// What `game` stands at, in the types of the game.
fn typed(game: &dyn DynGame) -> Result<Bridge, ExactError> {
    Bridge::parse_position(&game.variant(), &game.position())
        .map_err(|error| ExactError::Wrong(error.to_string()))
}

impl Exact for DoubleDummy {
    fn value(&mut self, game: &dyn DynGame, go_on: GoOn<'_>) -> Result<u32, ExactError> {
        let position = typed(game)?;
        let table = position.table();
        let won = u32::from(position.tricks_won()[0]);
        if table.tricks_left() == 0 {
            return Ok(won);
        }
        let tricks = self.0.tricks(table, go_on).map_err(|_| ExactError::Stopped)?;
        Ok(won + of_north_south(table, tricks))
    }

    fn values(
        &mut self,
        start: &dyn DynGame,
        moves: &[&str],
        go_on: GoOn<'_>,
    ) -> Result<Vec<u32>, ExactError> {
        let position = typed(start)?;
        let wrong = |text: &str| ExactError::Wrong(format!("`{text}` is no card"));
        let card = |text: &&str| Card::of_text(text).ok_or_else(|| wrong(text));
        let cards = moves.iter().map(card).collect::<Result<Vec<_>, _>>()?;
        let won = u32::from(position.tricks_won()[0]);
        let trace = self.0.trace(position.table(), &cards, go_on).map_err(of_trace)?;
        Ok(trace.into_iter().map(|tricks| won + tricks).collect())
    }

    fn moves(
        &mut self,
        game: &dyn DynGame,
        go_on: GoOn<'_>,
    ) -> Result<Vec<(String, u32)>, ExactError> {
        let position = typed(game)?;
        let table = position.table();
        let [north_south, east_west] = position.tricks_won().map(u32::from);
        let won = if table.to_move().side() == 0 { north_south } else { east_west };
        let scores = self.0.scores(table, go_on).map_err(|_| ExactError::Stopped)?;
        let mut legal = String::new();
        game.write_legal(&mut legal);
        let score = |text: &str| {
            let card = Card::of_text(text);
            let found = scores.iter().find(|(known, _)| Some(*known) == card);
            let unknown = || ExactError::Wrong(format!("`{text}` is none of the cards solved"));
            found.map(|(_, tricks)| (text.to_owned(), won + tricks)).ok_or_else(unknown)
        };
        legal.split_ascii_whitespace().map(score).collect()
    }

    fn taken(&self, game: &dyn DynGame) -> Result<[u32; 2], ExactError> {
        Ok(typed(game)?.tricks_won().map(u32::from))
    }
}

fn of_trace(error: TraceError) -> ExactError {
    match error {
        TraceError::Stopped => ExactError::Stopped,
        other => ExactError::Wrong(other.to_string()),
    }
}

/// What North-South win when the side to move wins so many tricks.
fn of_north_south(table: &Table, tricks: u32) -> u32 {
    match table.to_move().side() {
        0 => tricks,
        _ => table.tricks_left() - tricks,
    }
}

fn left(game: &dyn DynGame) -> Option<u32> {
    Some(of_bridge(game)?.table().tricks_left())
}

/// A score is tricks of North-South less those of East-West.
fn end(game: &dyn DynGame, score: i32) -> Option<End> {
    let position = of_bridge(game)?;
    let size = i32::from(position.size());
    let ns = size.checked_add(score).filter(|twice| twice % 2 == 0)? / 2;
    let outcome = position.ended_with(u8::try_from(ns).ok()?)?;
    Some(End { winner: outcome.winner, counts: [ns, size - ns].map(i32::unsigned_abs) })
}

fn solve(game: &dyn DynGame, go_on: GoOn<'_>) -> Result<i32, ExactError> {
    let wrong = || ExactError::Wrong("it is no position of bridge".into());
    let position = of_bridge(game).ok_or_else(wrong)?;
    let row = of_game(ENDING.game).ok_or_else(wrong)?;
    let ns = row.with(|solver| solver.value(game, go_on))?;
    Ok(2 * ns as i32 - i32::from(position.size()))
}

fn of_bridge(game: &dyn DynGame) -> Option<Bridge> {
    if game.info().id == ENDING.game { typed(game).ok() } else { None }
}
