//! The games of an arena found again from its setup, seed and results, in the order of the schedule; and the table that they
//! come to. Pure.

use sandboard_games::GameInfo;
use sandboard_tournament::schedule::{Event, EventError, FinishError};
use serde::{Deserialize, Serialize};

use crate::arena::{ArenaSetup, Contestant, Filter, GameResult, Job, Ledger, LedgerError, Survey};

/// Why the games of an arena cannot be found.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum WalkError {
    /// It is no tournament.
    #[error("its setup is none: {0}")]
    Setup(#[from] LedgerError),
    /// What is said to have changed cannot have.
    #[error("change {number} of it cannot be: {error}")]
    Event {
        /// From 0.
        number: usize,
        /// Why not.
        error: EventError,
    },
    /// The schedule does not take a result.
    #[error(transparent)]
    Finish(#[from] FinishError),
}

/// Asks for the result of each game that is to be played, until there is none left to ask for or an answer is none: the state
/// of the arena then.
pub fn walk<E: From<WalkError>>(
    setup: &ArenaSetup,
    events: &[Event],
    mut result_of: impl FnMut(&Job) -> Result<Option<GameResult>, E>,
) -> Result<Ledger, E> {
    let mut ledger = Ledger::new(setup).map_err(WalkError::from)?;
    for (number, event) in events.iter().enumerate() {
        let applied = ledger.apply(*event);
        applied.map_err(|error| WalkError::Event { number, error })?;
    }
    while let Some(job) = ledger.take() {
        let Some(result) = result_of(&job)? else { break };
        ledger.add(job.key(), result).map_err(WalkError::from)?;
    }
    Ok(ledger)
}

/// A player in the final table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// Its place, from 1; who is level shares the better one.
    pub place: u32,
    /// Its name.
    pub player: String,
    /// Twice its points, those of byes among them.
    pub half_points: u64,
    /// How many games it played.
    pub games: u64,
}

impl std::fmt::Display for Row {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { place, player, half_points, games } = self;
        write!(f, "{place}. {player} with {half_points} half points in {games} games")
    }
}

/// The table of an arena, the best first.
pub fn table(
    game: &'static GameInfo,
    setup: &ArenaSetup,
    players: &[Contestant],
    ledger: &Ledger,
) -> Vec<Row> {
    let (openings, status) = (&[][..], None);
    let survey =
        Survey { name: "", game, setup, players, openings, ledger, is_played: false, status };
    let view = survey.view(&Filter::default());
    let row = |number: &u32| {
        let player = view.players.get(*number as usize)?;
        Some(Row {
            place: player.place,
            player: player.name.clone(),
            half_points: player.half_points,
            games: player.totals.games,
        })
    };
    view.ranking.iter().filter_map(row).collect()
}
