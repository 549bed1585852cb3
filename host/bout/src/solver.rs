//! Games that solvers can solve: the value of a position with perfect play on both sides. One row
//! for each game that is solved from its start; `endgame.rs` has the games of which only the last
//! part is solved. Knows no referee and no record, and decides no bout.
//!
//! In a game that is solved from its start, a position text can contain its value as its *mark*:
//! the word `dd=7` of bridge.

mod bridge;
mod endgame;
mod reversi;

use std::cell::RefCell;

use sandboard_games::DynGame;

pub(crate) use endgame::{EndgameSolver, FinalScore, describe_endgames, endgame_solver};

use crate::start::StartPosition;

/// Called regularly while a position is being solved; false stops the solver.
pub type ContinueCheck<'a> = &'a dyn Fn() -> bool;

/// Why a position has no solved value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SolverError {
    /// The [`ContinueCheck`] returned false.
    #[error("the solver was stopped before it finished")]
    Stopped,
    /// The position or a move is not valid in the game, or too much of the game remains.
    #[error("{0}")]
    Invalid(String),
}

/// A solver of one game. All values are in the game's unit (tricks).
pub(crate) trait GameSolver {
    /// The total of side 0 at the end when both sides play perfectly from this position on,
    /// including what it has won before.
    fn value(
        &mut self,
        game: &dyn DynGame,
        keep_going: ContinueCheck<'_>,
    ) -> Result<u32, SolverError>;

    /// [`value`](Self::value) of `start` and of the position after each of these moves.
    fn values(
        &mut self,
        start: &dyn DynGame,
        moves: &[&str],
        keep_going: ContinueCheck<'_>,
    ) -> Result<Vec<u32>, SolverError>;

    /// For each legal move, in the order of the game's list: the total of the side to move at the
    /// end if it plays this move.
    fn moves(
        &mut self,
        game: &dyn DynGame,
        keep_going: ContinueCheck<'_>,
    ) -> Result<Vec<(String, u32)>, SolverError>;

    /// What each side has won so far.
    fn taken(&self, game: &dyn DynGame) -> Result<[u32; 2], SolverError>;
}

/// The values of a position and of its moves, for the side to move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PositionValues {
    /// Its total at the end, in the game's unit, including what it has won before.
    pub value: u32,
    /// What each side has won so far.
    pub taken: [u32; 2],
    /// The same total for each legal move, in the order of the game's list; empty: the game is
    /// over.
    pub moves: Vec<(String, u32)>,
}

/// A game that is solved from its start.
pub struct SolvedGame {
    /// The game's id.
    pub game: &'static str,
    /// The unit of its values, in the singular: `trick`.
    pub unit: &'static str,
    /// The beginning of the mark in a position text: `dd=`.
    mark: &'static str,
    solver: fn() -> Box<dyn GameSolver>,
}

/// Every game that is solved from its start.
static SOLVED_GAMES: &[SolvedGame] =
    &[SolvedGame { game: "bridge", unit: "trick", mark: "dd=", solver: bridge::solver }];

/// The row of a game; none: no solver solves it from its start.
pub fn solved_game(id: &str) -> Option<&'static SolvedGame> {
    SOLVED_GAMES.iter().find(|row| row.game == id)
}

impl SolvedGame {
    /// The value in the mark of a position text.
    pub(crate) fn read_mark(&self, position: &str) -> Option<u32> {
        let mut words = position.split(' ');
        words.find_map(|word| word.strip_prefix(self.mark))?.parse().ok()
    }

    /// A position text without its mark.
    fn strip_mark(&self, position: &str) -> String {
        let words = position.split(' ').filter(|word| !word.starts_with(self.mark));
        words.collect::<Vec<_>>().join(" ")
    }

    /// Solves the position of `game` and each of its moves.
    pub fn solve(
        &self,
        game: &dyn DynGame,
        keep_going: ContinueCheck<'_>,
    ) -> Result<PositionValues, SolverError> {
        self.with_solver(|solver| {
            let taken = solver.taken(game)?;
            let moves = match game.is_over() {
                true => Vec::new(),
                false => solver.moves(game, keep_going)?,
            };
            let [first, second] = taken;
            let won = if game.side(game.to_move()).0 == 0 { first } else { second };
            let value = moves.iter().map(|(_, value)| *value).max().unwrap_or(won);
            Ok(PositionValues { value, taken, moves })
        })
    }

    /// Calls `work` with a solver of this thread, which keeps its tables between two uses.
    pub(crate) fn with_solver<T>(&self, work: impl FnOnce(&mut dyn GameSolver) -> T) -> T {
        thread_local! {
            static SOLVERS: RefCell<Vec<(&'static str, Box<dyn GameSolver>)>> =
                const { RefCell::new(Vec::new()) };
        }
        // Taken out of the list while it works: a nested call gets a solver of its own.
        let idle = SOLVERS.with_borrow_mut(|solvers| {
            let index = solvers.iter().position(|(game, _)| *game == self.game)?;
            Some(solvers.swap_remove(index).1)
        });
        let mut solver = idle.unwrap_or_else(self.solver);
        let result = work(&mut *solver);
        SOLVERS.with_borrow_mut(|solvers| solvers.push((self.game, solver)));
        result
    }
}

/// Adds the mark to a start whose game is solved. An existing mark is kept, and a start of
/// another game is returned as it is.
pub fn with_mark(
    start: &StartPosition,
    keep_going: ContinueCheck<'_>,
) -> Result<StartPosition, SolverError> {
    let mark = |row: &SolvedGame| start.position.as_deref().and_then(|text| row.read_mark(text));
    match solved_game(start.game.id).filter(|row| mark(row).is_none()) {
        Some(_) => with_new_mark(start, keep_going),
        None => Ok(start.clone()),
    }
}

/// As [`with_mark`], but replaces an existing mark: for a bout that begins in the middle of
/// another one.
pub fn with_new_mark(
    start: &StartPosition,
    keep_going: ContinueCheck<'_>,
) -> Result<StartPosition, SolverError> {
    let Some(row) = solved_game(start.game.id) else { return Ok(start.clone()) };
    let game = start.set_up().map_err(|error| SolverError::Invalid(error.to_string()))?;
    let value = row.with_solver(|solver| solver.value(&*game, keep_going))?;
    let position = format!("{} {}{value}", row.strip_mark(&game.position()), row.mark);
    Ok(StartPosition::new(start.game, game.variant(), Some(position)))
}

/// A game whose solver runs until it is stopped, for tests.
#[cfg(any(test, feature = "test-support"))]
pub static ENDLESS: SolvedGame = SolvedGame {
    game: "endless",
    unit: "turn",
    mark: "endless=",
    solver: || Box::new(EndlessSolver),
};

#[cfg(any(test, feature = "test-support"))]
struct EndlessSolver;

#[cfg(any(test, feature = "test-support"))]
impl GameSolver for EndlessSolver {
    fn value(
        &mut self,
        _: &dyn DynGame,
        keep_going: ContinueCheck<'_>,
    ) -> Result<u32, SolverError> {
        while keep_going() {
            std::thread::yield_now();
        }
        Err(SolverError::Stopped)
    }

    fn values(
        &mut self,
        game: &dyn DynGame,
        _: &[&str],
        keep_going: ContinueCheck<'_>,
    ) -> Result<Vec<u32>, SolverError> {
        self.value(game, keep_going).map(|value| vec![value])
    }

    fn moves(
        &mut self,
        game: &dyn DynGame,
        keep_going: ContinueCheck<'_>,
    ) -> Result<Vec<(String, u32)>, SolverError> {
        self.value(game, keep_going).map(|_| Vec::new())
    }

    fn taken(&self, _: &dyn DynGame) -> Result<[u32; 2], SolverError> {
        Ok([0, 0])
    }
}
