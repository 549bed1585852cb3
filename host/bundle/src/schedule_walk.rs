//! Derives the games of an arena again from its setup, seed and results, in schedule order; and the
//! final table. Pure.

use sandboard_games::GameInfo;
use sandboard_tournament::schedule::{Event, EventError, FinishError};
use serde::{Deserialize, Serialize};

use sandboard_arena_plan::{
    ArenaSetup, ArenaStatistics, Contestant, Filter, GameResult, Job, Ledger, LedgerError,
};

/// Why the games of an arena cannot be derived.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum WalkError {
    /// The setup is invalid.
    #[error("invalid setup: {0}")]
    Setup(#[from] LedgerError),
    /// A change is impossible.
    #[error("change {number} is impossible: {error}")]
    Event {
        /// Its number, from 0.
        number: usize,
        error: EventError,
    },
    /// The schedule refuses a result.
    #[error(transparent)]
    Finish(#[from] FinishError),
}

/// Requests the result of each scheduled game, until no game is left or a result is `None`. Returns
/// the final state of the arena.
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
    /// Its place, from 1; tied players share the better one.
    pub place: u32,
    /// The player's name.
    pub player: String,
    /// Twice its points, including byes.
    pub half_points: u64,
    /// The number of games it played.
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
    let statistics = ArenaStatistics {
        name: "",
        game,
        setup,
        players,
        openings,
        ledger,
        is_running: false,
        status,
    };
    let view = statistics.view(&Filter::default());
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
