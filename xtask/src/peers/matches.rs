//! Matches by the host, as its JSON tells them: what was scored, and what CPU time it took.

use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use sandboard_forge::run::show;
use serde::Deserialize;

/// A match of two as the host tells of it.
#[derive(Deserialize)]
pub struct Played {
    /// None: no pair is done.
    pub duel: Option<Duel>,
    /// The game's names of its sides.
    pub sides: [String; 2],
    pub players: [Player; 2],
    pub faults: Vec<Fault>,
    /// How long it took.
    #[serde(skip)]
    pub seconds: f64,
}

/// None is infinite.
#[derive(Deserialize)]
pub struct Duel {
    /// The share of points.
    pub score: Interval,
    pub elo: Option<f64>,
    pub elo_low: Option<f64>,
    pub elo_high: Option<f64>,
}

#[derive(Deserialize)]
pub struct Interval {
    pub low: Option<f64>,
    pub high: Option<f64>,
}

#[derive(Clone, Copy, Default, Deserialize)]
pub struct Tally {
    pub wins: u32,
    pub draws: u32,
    pub losses: u32,
}

#[derive(Deserialize)]
pub struct Player {
    pub by_seat: [Tally; 2],
    totals: Totals,
}

#[derive(Deserialize)]
struct Totals {
    cpu_moves: u64,
    cpu_us: u64,
}

/// A kind of fault.
#[derive(Deserialize)]
pub struct Fault {
    pub player: usize,
    pub code: String,
    pub games: u32,
    /// The first of them.
    pub sentence: String,
}

/// The last line of what the host prints.
#[derive(Deserialize)]
struct End {
    view: Played,
}

impl Tally {
    pub fn games(self) -> u32 {
        self.wins + self.draws + self.losses
    }

    /// Points in a hundred.
    pub fn percent(self) -> f64 {
        let games = f64::from(self.games()).max(1.0);
        (f64::from(self.wins) + f64::from(self.draws) / 2.0) / games * 100.0
    }
}

impl Played {
    /// Plays it by this command, to which only what asks for JSON is added.
    pub fn by(command: &mut Command) -> Result<Self> {
        command.arg("--json").stderr(Stdio::inherit());
        let began = Instant::now();
        let output = command.output().with_context(|| format!("cannot run `{}`", show(command)))?;
        if !output.status.success() {
            bail!("`{}` failed ({})", show(command), output.status);
        }
        let told = String::from_utf8_lossy(&output.stdout);
        let last = told.lines().last().unwrap_or_default();
        let end: End = serde_json::from_str(last).context("what the host says of the match")?;
        Ok(Self { seconds: began.elapsed().as_secs_f64(), ..end.view })
    }

    /// Games of the first player.
    pub fn tally(&self) -> Tally {
        let [one, other] = self.players[0].by_seat;
        Tally {
            wins: one.wins + other.wins,
            draws: one.draws + other.draws,
            losses: one.losses + other.losses,
        }
    }

    /// Microseconds of CPU time a move of both players, by the receipts in the records.
    pub fn cpu_us(&self) -> Result<[f64; 2]> {
        if self.players.iter().any(|player| player.totals.cpu_moves == 0) {
            bail!(
                "of a player's moves, if it made any, no CPU time is known: nothing tells what is equal"
            );
        }
        let mean = |player: usize| {
            let totals = &self.players[player].totals;
            totals.cpu_us as f64 / totals.cpu_moves as f64
        };
        Ok([mean(0), mean(1)])
    }
}
