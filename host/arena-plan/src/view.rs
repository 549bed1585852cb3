//! The view of an arena: one data model for terminals, programs (as JSON), browsers and reports.
//! `statistics` computes it from results, `present` renders it. Players, pairs and openings are
//! numbered from 0. A null value is unknown, or unbounded.

use std::collections::BTreeMap;
use std::path::Path;

use sandboard_tournament::schedule::Format;
use sandboard_tournament::stats::{EloModel, SkillRating, Tally, Totals, Verdict};
use serde::{Deserialize, Serialize};

use super::job::{Job, rotated};
use super::outcome::GameResult;
use super::setup::OpeningsSource;
use sandboard_bout::referee::BoutSettings;
use sandboard_bout::replay;

/// The state of an arena: what is counted, in the order of the schedule.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct View {
    /// Its id: 16 random hexadecimal digits.
    pub id: String,
    /// The name of its folder.
    pub name: String,
    /// When it was created, as RFC 3339.
    pub created_at: String,
    /// Whether it is being played.
    pub state: State,
    /// The tournament's format.
    pub format: Format,
    /// The game's id.
    pub game: String,
    /// The variant's text.
    pub variant: String,
    /// The game's names of its sides.
    pub sides: Vec<String>,
    /// The number of players in each game.
    pub seats: u8,
    /// The arena's seed.
    pub seed: u64,
    /// The source of the openings.
    pub openings: Option<OpeningsSource>,
    /// The rules of every bout beyond those of the game, adjudication included.
    pub settings: BoutSettings,
    /// How much is played, and what is left.
    pub progress: Progress,
    /// The players, by number.
    pub players: Vec<PlayerView>,
    /// The numbers of the players in the order of their places.
    pub ranking: Vec<u32>,
    /// The results of each two players that met, the lower number first.
    pub head_to_head: Vec<HeadToHeadView>,
    /// The results by opening, for openings that were played.
    pub by_opening: Vec<OpeningView>,
    /// The advantage of the first seat, in Elo.
    pub first_seat: Option<Interval>,
    /// With two players: statistics of the match, from the first player's view.
    pub match_statistics: Option<MatchStatistics>,
    /// The ratings over time: after a number of counted pairs, the rating of each player, by
    /// number. The last entry is the current one; there are at most 101.
    pub history: Vec<RatingSnapshot>,
    /// Faults of engines, one entry for each player and kind.
    pub faults: Vec<FaultView>,
}

/// Whether an arena is being played.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// A process plays it.
    Running,
    /// The session is stopping: games in play are finished, none begins.
    Stopping,
    /// No process plays it, and games are left.
    Open,
    /// Everything is played, or the sequential test is decided.
    Complete,
}

/// The progress of an arena.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// Pairs that are counted.
    pub pairs: u32,
    /// Void pairs, which score nothing, since one of their games could not be played.
    #[serde(default)]
    pub pairs_void: u32,
    /// Games that are done and not counted yet, since an earlier one is not done.
    pub games_waiting: u32,
    /// Games that are being played.
    pub games_playing: u32,
    /// The expected number of remaining pairs.
    pub pairs_left: u64,
    /// The largest possible number of remaining pairs.
    pub pairs_left_max: u64,
    /// Games that are counted.
    pub games: u64,
    /// Moves made in them.
    pub plies: u64,
    /// The expected time to the end at the speed of this session, in seconds; null if it is not
    /// played.
    pub seconds_left: Option<f64>,
    /// The game in play that has lasted longest, if that is ten times the mean or more.
    #[serde(default)]
    pub long_game: Option<LongGame>,
    /// The moves per second of this session; null if it is not played.
    pub plies_per_second: Option<f64>,
}

/// A game in play that lasts much longer than others.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LongGame {
    /// The number of its pair, from 0.
    pub pair: u32,
    /// Its number in the pair, from 0.
    pub game: u8,
    /// How long it has lasted, in seconds.
    pub seconds: f64,
    /// The mean duration of the games that this session has finished, in seconds.
    pub mean_seconds: f64,
}

/// A value with its 95 % confidence interval; a null bound is infinite.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// The estimate or measured value.
    pub value: f64,
    /// The lower end.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
}

/// A player and its results.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlayerView {
    /// The number of the player.
    pub number: u32,
    /// Its name, unique in the arena.
    pub name: String,
    /// The engine's id.
    pub engine: String,
    /// The engine's version.
    pub version: String,
    /// The SHA-256 of its module, in hexadecimal.
    pub module_sha256: String,
    /// The options that are set.
    pub options: BTreeMap<String, String>,
    /// Its budget, as on the command line.
    pub budget: String,
    /// Whether it has withdrawn.
    pub withdrawn: bool,
    /// Its place, from 1; tied players share the better one.
    pub place: u32,
    /// Twice its points, byes included.
    pub half_points: u64,
    /// Twice its points from byes.
    pub byes_half_points: u64,
    /// Name and value of each tie-break, in the order of precedence.
    pub tie_breaks: Vec<(String, f64)>,
    /// Its games by seat, the first seat first. A game of more than two players counts once for
    /// each opponent.
    pub by_seat: Vec<Tally>,
    /// Its rating by the joint fit, relative to the mean of all; null with a reason in `unrated`.
    pub rating: Option<Interval>,
    /// Why it has no rating.
    pub unrated: Option<Unrated>,
    /// In a ladder of a game of two players: its Glicko-2 rating.
    pub glicko: Option<Interval>,
    /// Its mean score in the game's unit, over the pairs of which all games ended by the rules.
    #[serde(default)]
    pub mean_score: Option<Interval>,
    /// In games with luck of the deal: the mean difference of its scores to the mean of all scores
    /// at the same seat of the same deal.
    #[serde(default)]
    pub duplicate_score: Option<Interval>,
    /// In games of more than two players: its skill by the Plackett–Luce model.
    #[serde(default)]
    pub skill: Option<SkillRating>,
    /// Its resources and faults in all counted games.
    pub totals: Totals,
    /// Its pondering; null if it does not ponder.
    pub pondering: Option<PonderView>,
}

/// The pondering of a player: its thinking on its opponents' time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PonderView {
    /// Its moves that predicted a reply and got one.
    pub predictions: u64,
    /// How many of these predictions were right.
    pub hits: u64,
    /// Wall time, in microseconds.
    pub wall_us: u64,
    /// CPU time in microseconds, if it is counted.
    pub cpu_us: Option<u64>,
}

/// Why a player has no rating.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unrated {
    /// It is stronger than all rated players, and lost no points to them that would show by how
    /// much.
    Above,
    /// It is weaker than all rated players, and won no points from them that would show by how
    /// much.
    Below,
    /// No informative games connect it with the rated players.
    Unconnected,
    /// It has played no pair that is counted.
    NoGames,
}

/// The results of two players against each other.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct HeadToHeadView {
    /// The players, the lower number first.
    pub players: [u32; 2],
    /// Games in which the first of them had the first seat, or the earlier one, as that one sees
    /// them.
    pub first_seat: Tally,
    /// Games in which it had the second, or the later one.
    pub second_seat: Tally,
    /// Pairs by the first player's half points, 0 to 4; zeros if games have more than two players.
    pub pairs: [u64; 5],
    /// The probability that the first player is stronger, from 0 to 1.
    pub superiority: Option<f64>,
}

/// The results from an opening.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OpeningView {
    /// The number of the opening.
    pub opening: u32,
    /// Its moves or its position, as in the file. Empty: the start position.
    pub text: String,
    /// Games as the first seat sees them.
    pub first_seat: Tally,
    /// Pairs by their distance from an even score in half points: 0, 1, 2.
    pub pairs_by_margin: [u64; 3],
}

/// The strength of the first of two players.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MatchStatistics {
    /// Its share of the points, from 0 to 1.
    pub score: Interval,
    /// Pairs by its half points, 0 to 4.
    pub pairs: [u64; 5],
    /// Elo difference; null if one player has all points.
    pub elo: Option<f64>,
    /// The lower end of its 95 % confidence interval; null: −∞.
    pub elo_low: Option<f64>,
    /// The upper end; null: +∞.
    pub elo_high: Option<f64>,
    /// The probability that it is stronger, from 0 to 1.
    pub superiority: Option<f64>,
    /// The normalised Elo difference.
    pub normalized: Option<Interval>,
    /// The sequential test, if there is one.
    pub sprt: Option<SprtView>,
}

/// A sequential probability ratio test.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SprtView {
    /// The unit of the hypotheses.
    pub model: EloModel,
    /// Hypothesis H0: the difference is at most this.
    pub elo0: f64,
    /// Hypothesis H1: the difference is at least this.
    pub elo1: f64,
    /// The probability of accepting H1 although H0 is true.
    pub alpha: f64,
    /// The probability of accepting H0 although H1 is true.
    pub beta: f64,
    /// The log-likelihood ratio.
    pub llr: f64,
    /// At or below this, H0 is accepted.
    pub lower: f64,
    /// At or above this, H1 is accepted.
    pub upper: f64,
    /// The verdict so far.
    pub verdict: Verdict,
}

/// The ratings after a number of pairs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RatingSnapshot {
    /// The number of counted pairs.
    pub pairs: u32,
    /// By player; null: not rated yet.
    pub ratings: Vec<Option<Interval>>,
}

/// Faults of one kind by one engine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FaultView {
    /// The number of the player.
    pub player: u32,
    /// The kind: `timeout`, `illegal-move`, `crash`, …
    pub code: String,
    /// The number of counted games that ended so.
    pub games: u64,
    /// The name of the first such game of the schedule.
    pub first: String,
    /// How that game ended.
    pub sentence: String,
    /// The number of moves played in it.
    pub at_ply: u32,
    /// The player's index in that game's record.
    pub record_player: usize,
    /// The command that replays it, if the folder is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replay: Option<String>,
}

impl View {
    /// The name of a place at the board, from 0: that of the side, if each side has one player.
    pub fn place_name(&self, place: usize) -> String {
        let side = self.sides.get(place).filter(|_| self.sides.len() == usize::from(self.seats));
        side.cloned().unwrap_or_else(|| format!("player {}", place + 1))
    }

    /// Adds the commands that replay faults; `arguments` name the engine folders.
    pub fn with_replays(mut self, dir: &Path, arguments: &str) -> Self {
        for fault in &mut self.faults {
            let file = dir.join(&fault.first);
            fault.replay =
                Some(replay::replay_command(&file, fault.at_ply, fault.record_player) + arguments);
        }
        self
    }
}

/// A game in the list of an arena's games.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameRow {
    /// Its name, `pair-000001-1`: the first game of the first pair.
    pub name: String,
    /// The number of its pair.
    pub pair: u32,
    /// The round of its pair.
    pub round: u32,
    /// Its opening; null: the start position, or a deal of its own.
    pub opening: Option<u32>,
    /// The players by their places at the board, the first to move first.
    pub players: Vec<u32>,
    /// The half points of each of them: two for each player that it beat, and one for each with an
    /// equal score.
    pub half_points: Vec<u8>,
    /// The number of moves.
    pub plies: u64,
    /// How it ended, as a sentence.
    pub sentence: String,
    /// The code of an engine's fault.
    pub fault: Option<String>,
    /// When it was stored, in milliseconds since 1970.
    pub stored_ms: i64,
}

impl GameRow {
    /// The row of a game that was just stored.
    pub fn from_result(job: &Job, result: &GameResult, stored_ms: i64) -> Self {
        Self {
            name: job.name(),
            pair: job.pair.number,
            round: job.pair.round,
            opening: job.opening,
            players: job.by_side().to_vec(),
            half_points: rotated(&result.half_points, job.game).to_vec(),
            plies: result.plies,
            sentence: result.sentence.clone(),
            fault: result.fault.as_ref().map(|fault| fault.code.clone()),
            stored_ms,
        }
    }
}

/// A game that is being played.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiveGame {
    /// The name of the game.
    pub name: String,
    /// The round of its pair.
    pub round: u32,
    /// The players by their places at the board, the first to move first.
    pub players: Vec<u32>,
    /// Its start position; null: the variant's.
    pub start: Option<String>,
    /// The moves so far.
    pub moves: Vec<String>,
    /// The latest score of each of them by its engine, from its own side, in the game's unit.
    pub scores: Vec<Option<i32>>,
    /// The remote worker that plays it, if one does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worker: Option<String>,
}
