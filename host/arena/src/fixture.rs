//! Arenas for tests, with a setup and results only: no engine plays in them.

use sandboard_tournament::schedule::{Format, Schedule};
use sandboard_tournament::stats::Totals;

use super::job::{GameKey, job_id};
use super::outcome::GameResult;
use super::setup::{ArenaSetup, Contestant, FORMAT, VERSION};
use super::store::{Attempt, PackedRecord, ResultSummary, Write};
use sandboard_bout::referee::BoutSettings;
use sandboard_engine::{Budget, InstanceLimits};

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

/// A player with this name.
pub fn contestant(name: &str) -> Contestant {
    Contestant {
        name: name.into(),
        rating: 0,
        engine: name.into(),
        version: "1".into(),
        module_sha256: "00".repeat(32),
        assets: Default::default(),
        options: Default::default(),
        budget: Budget::wall_per_move(1000),
        ponders: false,
        limits: InstanceLimits { memory_bytes: 1 << 20, ..InstanceLimits::default() },
        threads: 1,
        fuel_meter: None,
        jail: None,
    }
}

/// An arena of reversi between these players.
pub fn setup(schedule: Format, names: &[&str]) -> ArenaSetup {
    ArenaSetup {
        format: FORMAT.into(),
        version: VERSION,
        host: "0".into(),
        id: "00000000000000a1".into(),
        created_at: "2026-07-01T12:00:00Z".into(),
        game: "reversi".into(),
        rules: None,
        variant: "standard-8".into(),
        seed: 1,
        seed_key: None,
        schedule,
        seats: 2,
        shares_chance: false,
        openings: None,
        settings: BoutSettings::default(),
        sprt: None,
        players: names.iter().map(|name| contestant(name)).collect(),
    }
}

/// A result of two players without faults; `half_points` are those of the first, 0 to 2.
pub fn result(half_points: u8) -> GameResult {
    GameResult {
        half_points: [half_points, 2 - half_points].into(),
        scores: Vec::new(),
        plies: 60,
        spent: vec![Totals { games: 1, ..Totals::default() }; 2],
        pondering: Vec::new(),
        fault: None,
        sentence: "it is over".into(),
    }
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
