//! Attempts for tests of stores: no engine plays in them.

use sandboard_tournament::schedule::Schedule;

use super::store::{Attempt, PackedRecord, ResultSummary, Write};
use sandboard_arena_plan::fixture::result;
use sandboard_arena_plan::{ArenaSetup, GameKey, GameResult, job_id};

/// A step in the life of an arena.
#[derive(Clone, Debug)]
pub enum Step {
    /// A game is played.
    Game {
        /// The number of its pair.
        pair: u32,
        /// Which game of the pair, 0 or 1.
        game: u8,
        /// Half points of the pair's first player; none: no result.
        half_points: Option<u8>,
    },
    /// A player joins.
    Join,
    /// A player withdraws.
    Leave(u32),
}

/// An attempt at a game of the initial schedule.
pub fn attempt(setup: &ArenaSetup, pair: u32, game: u8, half_points: Option<u8>) -> Write {
    let mut schedule = Schedule::new(setup.tournament()).unwrap();
    let mut pairs = std::iter::from_fn(|| schedule.take());
    let of = pairs.find(|it| it.number == pair).unwrap();
    let job = setup.plan().jobs(of)[usize::from(game)];
    let sentence = format!("game {}", job.name());
    let result = half_points
        .map(|half_points| GameResult { sentence: sentence.clone(), ..result(half_points) });
    let summary = |result: GameResult| ResultSummary {
        half_points: result.half_points,
        plies: result.plies,
        fault: None,
        result: serde_json::to_string(&result).unwrap(),
    };
    Write::Attempt(Box::new(Attempt {
        game: GameKey { pair, game },
        job: job_id(&setup.id, pair),
        round: of.round,
        opening: None,
        players: of.players,
        result: result.map(summary),
        record: PackedRecord::pack(format!("{{\"name\":\"{sentence}\"}}").as_bytes()),
        sentence,
        worker: None,
        stored_ms: 1_782_907_200_000,
    }))
}
