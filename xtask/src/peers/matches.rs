//! Matches by the host, as its JSON tells them: what was scored, and what CPU time it took.

use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use sandboard_forge::run::show;
use serde::Deserialize;

/// What a match came to, for its first player.
#[derive(Deserialize)]
pub struct Played {
    pub score: Score,
    /// None: no pair is done.
    pub elo: Option<Elo>,
    pub players: [Player; 2],
    pub timing: Timing,
}

#[derive(Deserialize)]
pub struct Score {
    pub games: u32,
    /// The 95 % interval of the share of points.
    pub interval: Option<[f64; 2]>,
    #[serde(flatten)]
    pub tally: Tally,
}

#[derive(Clone, Copy, Deserialize)]
pub struct Tally {
    pub wins: u32,
    pub draws: u32,
    pub losses: u32,
}

/// None is infinite.
#[derive(Deserialize)]
pub struct Elo {
    pub difference: Option<f64>,
    pub low: Option<f64>,
    pub high: Option<f64>,
}

#[derive(Deserialize)]
pub struct Player {
    pub sides: std::collections::BTreeMap<String, Tally>,
    pub faults: std::collections::BTreeMap<String, Faults>,
}

#[derive(Deserialize)]
pub struct Faults {
    pub games: u32,
    /// The first of them.
    pub sentence: String,
}

#[derive(Deserialize)]
pub struct Timing {
    pub session_seconds: f64,
    cpu_us_per_move: [Option<f64>; 2],
}

impl Tally {
    /// Points in a hundred.
    pub fn percent(self) -> f64 {
        let games = f64::from(self.wins + self.draws + self.losses).max(1.0);
        (f64::from(self.wins) + f64::from(self.draws) / 2.0) / games * 100.0
    }
}

impl Played {
    /// Plays it by this command, to which only what asks for JSON is added.
    pub fn by(command: &mut Command) -> Result<Self> {
        command.arg("--json").stderr(Stdio::inherit());
        let output = command.output().with_context(|| format!("cannot run `{}`", show(command)))?;
        if !output.status.success() {
            bail!("`{}` failed ({})", show(command), output.status);
        }
        serde_json::from_slice(&output.stdout).context("what the host says of the match")
    }

    /// Microseconds of CPU time a move of both players, by the receipts in the records.
    pub fn cpu_us(&self) -> Result<[f64; 2]> {
        let [Some(a), Some(b)] = self.timing.cpu_us_per_move else {
            bail!(
                "of a player's moves, if it made any, no CPU time is known: nothing tells what is equal"
            );
        };
        Ok([a, b])
    }
}
