//! Runs a match with the host and reads its JSON: score, faults and CPU time.

use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use sandboard_builder::command::command_line;
use serde::Deserialize;

/// The result of a match between two players, from the host's JSON.
#[derive(Deserialize)]
pub(super) struct MatchResult {
    /// None if no pair of games is complete.
    pub match_statistics: Option<Duel>,
    /// The names of the two sides in this game.
    pub sides: [String; 2],
    pub players: [Player; 2],
    pub faults: Vec<Fault>,
    /// The duration of the match, in seconds.
    #[serde(skip)]
    pub seconds: f64,
}

/// The first player's score against the second. An Elo value is none where it would be infinite.
#[derive(Deserialize)]
pub(super) struct Duel {
    /// The confidence interval of the share of points, 0 to 1.
    pub score: Interval,
    pub elo: Option<f64>,
    pub elo_low: Option<f64>,
    pub elo_high: Option<f64>,
}

#[derive(Deserialize)]
pub(super) struct Interval {
    pub low: Option<f64>,
    pub high: Option<f64>,
}

#[derive(Clone, Copy, Default, Deserialize)]
pub(super) struct Tally {
    pub wins: u32,
    pub draws: u32,
    pub losses: u32,
}

#[derive(Deserialize)]
pub(super) struct Player {
    pub by_seat: [Tally; 2],
    totals: Totals,
}

#[derive(Deserialize)]
struct Totals {
    cpu_moves: u64,
    cpu_us: u64,
}

/// A kind of fault of one player.
#[derive(Deserialize)]
pub(super) struct Fault {
    pub player: usize,
    pub code: String,
    pub games: u32,
    /// The message of the first such fault.
    pub sentence: String,
}

/// The last line of the host's output.
#[derive(Deserialize)]
struct LastLine {
    view: MatchResult,
}

impl Tally {
    pub(super) fn games(self) -> u32 {
        self.wins + self.draws + self.losses
    }

    /// The share of points, in percent.
    pub(super) fn percent(self) -> f64 {
        let games = f64::from(self.games()).max(1.0);
        (f64::from(self.wins) + f64::from(self.draws) / 2.0) / games * 100.0
    }
}

impl MatchResult {
    /// Runs the match with this command, to which `--json` is added.
    pub(super) fn run(command: &mut Command) -> Result<Self> {
        command.arg("--json").stderr(Stdio::inherit());
        let start = Instant::now();
        let output =
            command.output().with_context(|| format!("cannot run `{}`", command_line(command)))?;
        if !output.status.success() {
            bail!("`{}` failed ({})", command_line(command), output.status);
        }
        let stdout = String::from_utf8_lossy(&output.stdout);
        let last = stdout.lines().last().unwrap_or_default();
        let last: LastLine =
            serde_json::from_str(last).context("cannot read the last line of the host's output")?;
        Ok(Self { seconds: start.elapsed().as_secs_f64(), ..last.view })
    }

    /// The wins, draws and losses of the first player.
    pub(super) fn tally(&self) -> Tally {
        let [one, other] = self.players[0].by_seat;
        Tally {
            wins: one.wins + other.wins,
            draws: one.draws + other.draws,
            losses: one.losses + other.losses,
        }
    }

    /// The mean CPU time per move of each player, in microseconds, from the records.
    pub(super) fn cpu_us(&self) -> Result<[f64; 2]> {
        if self.players.iter().any(|player| player.totals.cpu_moves == 0) {
            bail!("a player has no move with a known CPU time, so that times cannot be compared");
        }
        let mean = |player: usize| {
            let totals = &self.players[player].totals;
            totals.cpu_us as f64 / totals.cpu_moves as f64
        };
        Ok([mean(0), mean(1)])
    }
}
