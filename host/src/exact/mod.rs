//! Which games can be solved exactly, and what that is worth: the value of a position with
//! perfect play on both sides, a start that bears it as its mark, and what each move of a
//! bout gave away. One row for each game that is solved from its start on; a game without one has
//! none of it. Beside them, in `ending`, the games of which only the last part is solved. Plays
//! no bout and decides none: a referee may be set up to take the value of a position for its end,
//! and asks no solver itself.

mod bridge;
mod ending;
mod judge;
mod reversi;
mod settle;

use std::cell::RefCell;

use sandboard_games::DynGame;

pub use ending::{End, Ending, ending_of, endings_in_words};
pub use judge::{Judged, judge, mistakes};
pub use settle::{Settled, settled};

use crate::record::Start;

/// Whether to go on; asked every now and then.
pub type GoOn<'a> = &'a dyn Fn() -> bool;

/// Why there is no exact value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ExactError {
    /// Somebody had enough of it.
    #[error("it was stopped before it was solved")]
    Stopped,
    /// The position, or a move, is none of the game.
    #[error("{0}")]
    Wrong(String),
}

/// A solver of one game.
pub trait Exact {
    /// What side 0 has at the end of a game that stands there, when everybody plays perfectly
    /// from there on: in the game's unit, what it has won until then included.
    fn value(&mut self, game: &dyn DynGame, go_on: GoOn<'_>) -> Result<u32, ExactError>;

    /// The same before the first of these moves and after each of them.
    fn values(
        &mut self,
        start: &dyn DynGame,
        moves: &[&str],
        go_on: GoOn<'_>,
    ) -> Result<Vec<u32>, ExactError>;

    /// What the side that moves has at the end for each of its legal moves, if it is played now:
    /// the moves as the game lists them.
    fn moves(
        &mut self,
        game: &dyn DynGame,
        go_on: GoOn<'_>,
    ) -> Result<Vec<(String, u32)>, ExactError>;

    /// What each side has won until now.
    fn taken(&self, game: &dyn DynGame) -> Result<[u32; 2], ExactError>;
}

/// What perfect play comes to from a position on, for the side that moves there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solved {
    /// What it has at the end, in the game's unit: what it has won until then included.
    pub value: u32,
    /// What each side has won until now.
    pub taken: [u32; 2],
    /// The same value for each legal move, in the order of the game's list; none: it is over.
    pub moves: Vec<(String, u32)>,
}

/// A game that can be solved from its start on.
pub struct ExactGame {
    /// Its id.
    pub game: &'static str,
    /// What is counted, for people: `trick`.
    pub unit: &'static str,
    /// The word before the value in a position text that bears it: `dd=`.
    mark: &'static str,
    solver: fn() -> Box<dyn Exact>,
}

/// Every game that can be solved from its start on.
static EXACT: &[ExactGame] =
    &[ExactGame { game: "bridge", unit: "trick", mark: "dd=", solver: bridge::solver }];

/// The row of a game; none: nobody can solve it from its start on.
pub fn of_game(id: &str) -> Option<&'static ExactGame> {
    EXACT.iter().find(|row| row.game == id)
}

impl ExactGame {
    /// The value that a position text bears as its mark.
    pub fn mark_of(&self, position: &str) -> Option<u32> {
        let mut words = position.split(' ');
        words.find_map(|word| word.strip_prefix(self.mark))?.parse().ok()
    }

    /// A position text without its mark.
    pub fn unmarked(&self, position: &str) -> String {
        let words = position.split(' ').filter(|word| !word.starts_with(self.mark));
        words.collect::<Vec<_>>().join(" ")
    }

    /// What perfect play comes to from where `game` stands.
    pub fn solve(&self, game: &dyn DynGame, go_on: GoOn<'_>) -> Result<Solved, ExactError> {
        self.with(|solver| {
            let taken = solver.taken(game)?;
            let moves = match game.outcome() {
                Some(_) => Vec::new(),
                None => solver.moves(game, go_on)?,
            };
            let [one, other] = taken;
            let has = if game.side(game.to_move()).0 == 0 { one } else { other };
            let value = moves.iter().map(|(_, value)| *value).max().unwrap_or(has);
            Ok(Solved { value, taken, moves })
        })
    }

    /// A solver of this thread's, which keeps between two uses what it has found out.
    fn with<T>(&self, work: impl FnOnce(&mut dyn Exact) -> T) -> T {
        thread_local! {
            static SOLVERS: RefCell<Vec<(&'static str, Box<dyn Exact>)>> =
                const { RefCell::new(Vec::new()) };
        }
        // Taken out while it works: whoever asks from within gets another.
        let taken = SOLVERS.with_borrow_mut(|solvers| {
            let at = solvers.iter().position(|(game, _)| *game == self.game)?;
            Some(solvers.swap_remove(at).1)
        });
        let mut solver = taken.unwrap_or_else(self.solver);
        let result = work(&mut *solver);
        SOLVERS.with_borrow_mut(|solvers| solvers.push((self.game, solver)));
        result
    }
}

/// The start with its exact value as its mark, where the game can be solved: one that it bears
/// already is kept.
pub fn marked(start: &Start, go_on: GoOn<'_>) -> Result<Start, ExactError> {
    let bears = |row: &ExactGame| start.position.as_deref().and_then(|text| row.mark_of(text));
    match of_game(start.game.id).filter(|row| bears(row).is_none()) {
        Some(_) => marked_anew(start, go_on),
        None => Ok(start.clone()),
    }
}

/// The same whatever it bears: where a bout begins in the middle of another.
pub fn marked_anew(start: &Start, go_on: GoOn<'_>) -> Result<Start, ExactError> {
    let Some(row) = of_game(start.game.id) else { return Ok(start.clone()) };
    let game = start.set_up().map_err(|error| ExactError::Wrong(error.to_string()))?;
    let value = row.with(|solver| solver.value(&*game, go_on))?;
    let position = format!("{} {}{value}", row.unmarked(&game.position()), row.mark);
    Ok(Start { game: start.game, variant: game.variant(), position: Some(position) })
}

/// A position text as it is compared: without a mark, where its game has one.
pub fn compared(game: &str, position: Option<&str>) -> Option<String> {
    let position = position?;
    Some(of_game(game).map_or_else(|| position.to_owned(), |row| row.unmarked(position)))
}

/// A game whose positions take for ever, unless the solver is stopped.
#[cfg(test)]
pub(crate) static ENDLESS: ExactGame =
    ExactGame { game: "endless", unit: "turn", mark: "endless=", solver: || Box::new(Endless) };

#[cfg(test)]
struct Endless;

#[cfg(test)]
impl Exact for Endless {
    fn value(&mut self, _: &dyn DynGame, go_on: GoOn<'_>) -> Result<u32, ExactError> {
        while go_on() {
            std::thread::yield_now();
        }
        Err(ExactError::Stopped)
    }

    fn values(
        &mut self,
        game: &dyn DynGame,
        _: &[&str],
        go_on: GoOn<'_>,
    ) -> Result<Vec<u32>, ExactError> {
        self.value(game, go_on).map(|value| vec![value])
    }

    fn moves(
        &mut self,
        game: &dyn DynGame,
        go_on: GoOn<'_>,
    ) -> Result<Vec<(String, u32)>, ExactError> {
        self.value(game, go_on).map(|_| Vec::new())
    }

    fn taken(&self, _: &dyn DynGame) -> Result<[u32; 2], ExactError> {
        Ok([0, 0])
    }
}
