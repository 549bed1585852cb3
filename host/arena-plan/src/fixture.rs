//! Arenas for tests, with a setup and results only: no engine plays in them.

use sandboard_tournament::stats::Totals;

use super::{ArenaSetup, Contestant, FORMAT, Format, GameResult, VERSION};
use sandboard_bout::referee::BoutSettings;
use sandboard_engine::{Budget, InstanceLimits};

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
