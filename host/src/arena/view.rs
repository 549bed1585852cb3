//! What is told of an arena: to people on a terminal, to programs as JSON, to browsers, in reports. The
//! one shape of all of them; how it is found from results is in `survey`, how it looks elsewhere.
//! Numbers of players, pairs and openings count from 0; whatever is null is not known, or not bounded.

use std::collections::BTreeMap;
use std::path::Path;

use sandboard_tournament::schedule::Format;
use sandboard_tournament::stats::{EloModel, Tally, Totals, Verdict};
use serde::{Deserialize, Serialize};

use super::job::Job;
use super::outcome::GameResult;
use super::setup::OpeningsSource;
use super::store::Listed;
use crate::referee::Settings;
use crate::replay;

/// An arena as it stands: what is counted, in the order of the schedule.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct View {
    /// Its id, 16 digits in hexadecimal, drawn when it began.
    pub id: String,
    /// The name of its folder.
    pub name: String,
    /// When it began, as RFC 3339.
    pub created_at: String,
    /// Whether it goes on.
    pub state: State,
    /// How pairs are found.
    pub format: Format,
    /// The game's id.
    pub game: String,
    /// The variant's text.
    pub variant: String,
    /// The game's names of its sides.
    pub sides: [String; 2],
    /// What all randomness is drawn from.
    pub seed: u64,
    /// Where openings come from.
    pub openings: Option<OpeningsSource>,
    /// The rules of every bout that are not the game's, adjudication among them.
    pub settings: Settings,
    /// How far it is.
    pub progress: Progress,
    /// The players, by number.
    pub players: Vec<PlayerView>,
    /// The numbers of the players in the order of their places.
    pub ranking: Vec<u32>,
    /// Who met whom, each two once, the lower number first.
    pub meetings: Vec<MeetingView>,
    /// What each opening did, by number; those that were never played are not there.
    pub by_opening: Vec<OpeningView>,
    /// What the first seat is worth in Elo.
    pub first_seat: Option<Interval>,
    /// Of two players: the first one's strength against the second.
    pub duel: Option<Duel>,
    /// How ratings came about: after so many counted pairs, the rating of each player, by number. The last
    /// one is that of the table; there are at most 101.
    pub history: Vec<Moment>,
    /// What engines did wrong, each kind once for each player.
    pub faults: Vec<FaultView>,
}

/// Whether an arena goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// A process plays it.
    Running,
    /// It is told to come to an end: bouts are finished, none is begun.
    Stopping,
    /// Nobody plays it, and there is something left to play.
    Open,
    /// Everything is played, or its test is decided.
    Complete,
}

/// How far an arena is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// Pairs that are counted.
    pub pairs: u32,
    /// Pairs that bring nobody anything, since a game of them could not be played.
    #[serde(default)]
    pub pairs_void: u32,
    /// Games that are done and not counted, since one before them is not done.
    pub games_waiting: u32,
    /// Games that are being played.
    pub games_playing: u32,
    /// Pairs that are left, as far as can be told.
    pub pairs_left: u64,
    /// And at most.
    pub pairs_left_most: u64,
    /// Games that are counted.
    pub games: u64,
    /// Moves made in them.
    pub plies: u64,
    /// How long it will take at the speed of this session, in seconds; null while nobody plays it.
    pub seconds_left: Option<f64>,
    /// Moves a second of this session; null while nobody plays it.
    pub plies_per_second: Option<f64>,
}

/// A value with its 95 % interval; a bound that is null is not bounded.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// The value.
    pub value: f64,
    /// The lower end.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
}

/// A player and what is counted of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlayerView {
    /// Its number.
    pub number: u32,
    /// Its name, which no other has.
    pub name: String,
    /// The engine's id.
    pub engine: String,
    /// Its version.
    pub version: String,
    /// The SHA-256 of its module, in hexadecimal.
    pub module_sha256: String,
    /// The options that are set.
    pub options: BTreeMap<String, String>,
    /// What it may spend, as it is typed.
    pub budget: String,
    /// Whether it left.
    pub withdrawn: bool,
    /// Its place, from 1; who is level shares the better one.
    pub place: u32,
    /// Twice its points, those of byes among them.
    pub half_points: u64,
    /// Twice the points that it had without a game.
    pub byes_half_points: u64,
    /// Tie-breaks, in the order in which they decide: name and value.
    pub ties: Vec<(String, f64)>,
    /// Its games by seat, the first seat first.
    pub by_seat: [Tally; 2],
    /// Its rating by the joint fit, relative to the mean of all; null with a reason in `unrated`.
    pub rating: Option<Interval>,
    /// Why it has none.
    pub unrated: Option<Unrated>,
    /// Of a ladder: its rating by Glicko-2.
    pub glicko: Option<Interval>,
    /// What it spent.
    pub totals: Totals,
    /// What it did on its opponents' time; null where it did not think then.
    pub pondering: Option<PonderView>,
}

/// What a player did on its opponents' time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PonderView {
    /// Its moves that named the reply they expected, and got one.
    pub predictions: u64,
    /// How many of these replies were the expected ones.
    pub hits: u64,
    /// Wall time, in microseconds.
    pub wall_us: u64,
    /// CPU time in microseconds, where it is counted.
    pub cpu_us: Option<u64>,
}

/// Why a player has no rating.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unrated {
    /// It is stronger than all who are rated, and lost them no point that tells how much.
    Above,
    /// It is weaker, likewise.
    Below,
    /// No games that tell connect it with those who are rated.
    Apart,
    /// It has played no pair that is counted.
    NoGames,
}

/// Two players who met.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MeetingView {
    /// Who, the lower number first.
    pub players: [u32; 2],
    /// Games in which the first of them had the first seat, as that one sees them.
    pub first_seat: Tally,
    /// Games in which it had the second.
    pub second_seat: Tally,
    /// Pairs by the half points that they brought it, 0 to 4.
    pub pairs: [u64; 5],
    /// How likely the first of them is the stronger, from 0 to 1.
    pub superiority: Option<f64>,
}

/// What an opening did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OpeningView {
    /// Its number.
    pub opening: u32,
    /// Its moves or its position, as the file says it; empty: the start position.
    pub text: String,
    /// Games as the first seat sees them.
    pub first_seat: Tally,
    /// Pairs by how far they were from even, in half points: 0, 1, 2.
    pub pairs_by_margin: [u64; 3],
}

/// Strength of the first of two players.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Duel {
    /// Its share of the points, from 0 to 1.
    pub score: Interval,
    /// Pairs by the half points that they brought it, 0 to 4.
    pub pairs: [u64; 5],
    /// Elo; null where all points went one way.
    pub elo: Option<f64>,
    /// The lower end of its 95 % interval; null: −∞.
    pub elo_low: Option<f64>,
    /// The upper end; null: +∞.
    pub elo_high: Option<f64>,
    /// How likely it is the stronger, from 0 to 1.
    pub superiority: Option<f64>,
    /// Normalised Elo.
    pub normalized: Option<Interval>,
    /// The sequential test, where there is one.
    pub sprt: Option<SprtView>,
}

/// A sequential probability ratio test.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SprtView {
    /// What the bounds are in.
    pub model: EloModel,
    /// The hypothesis that it is no better than this.
    pub elo0: f64,
    /// The hypothesis that it is at least so much better.
    pub elo1: f64,
    /// How often the second may be taken for true though the first is.
    pub alpha: f64,
    /// How often the first may be taken for true though the second is.
    pub beta: f64,
    /// The logarithm of the likelihood ratio.
    pub llr: f64,
    /// Below this the first hypothesis is taken.
    pub lower: f64,
    /// Above this the second is.
    pub upper: f64,
    /// What it says.
    pub verdict: Verdict,
}

/// Ratings after so many pairs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Moment {
    /// How many pairs were counted.
    pub pairs: u32,
    /// By player; null: none yet.
    pub ratings: Vec<Option<Interval>>,
}

/// Something that an engine did wrong.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FaultView {
    /// Whose.
    pub player: u32,
    /// What kind, in a word: `timeout`, `illegal-move`, `crash`, …
    pub code: String,
    /// In how many counted games.
    pub games: u64,
    /// The first such game of the schedule, by its name.
    pub first: String,
    /// How that one ended.
    pub sentence: String,
    /// How many moves had been played in it.
    pub at_ply: u32,
    /// Which player of that game's record it was, 0 or 1.
    pub record_player: usize,
    /// The command that shows it again, where the folder is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replay: Option<String>,
}

impl View {
    /// With the commands that show faults again; `arguments` say where the engines are.
    pub fn with_replays(mut self, dir: &Path, arguments: &str) -> Self {
        for fault in &mut self.faults {
            let file = dir.join(&fault.first);
            fault.replay =
                Some(replay::command(&file, fault.at_ply, fault.record_player) + arguments);
        }
        self
    }
}

/// A game in the list of an arena's games.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameRow {
    /// Its name, `pair-000001-1`: the first game of the first pair.
    pub name: String,
    /// Its pair.
    pub pair: u32,
    /// Its round.
    pub round: u32,
    /// Its opening; null: the start position, or a deal of its own.
    pub opening: Option<u32>,
    /// The player of each side.
    pub players: [u32; 2],
    /// Half points of the first side, 0 to 2.
    pub half_points: u8,
    /// How many moves.
    pub plies: u64,
    /// How it ended, for people.
    pub sentence: String,
    /// What an engine did wrong, in a word.
    pub fault: Option<String>,
    /// When it was stored, in milliseconds since 1970.
    pub stored_ms: i64,
}

impl GameRow {
    /// The row of a game that was stored just now.
    pub fn of(job: &Job, result: &GameResult, stored_ms: i64) -> Self {
        let half_points = result.half_points.min(2);
        Self {
            name: job.name(),
            pair: job.pair.number,
            round: job.pair.round,
            opening: job.opening,
            players: job.by_side(),
            half_points: if job.game == 0 { half_points } else { 2 - half_points },
            plies: result.plies,
            sentence: result.sentence.clone(),
            fault: result.fault.as_ref().map(|fault| fault.code.clone()),
            stored_ms,
        }
    }
}

impl From<&Listed> for GameRow {
    fn from(listed: &Listed) -> Self {
        let [first, second] = listed.players;
        let half_points = listed.half_points.min(2);
        let turned = listed.game.game == 1;
        Self {
            name: listed.game.name(),
            pair: listed.game.pair,
            round: listed.round,
            opening: listed.opening,
            players: if turned { [second, first] } else { [first, second] },
            half_points: if turned { 2 - half_points } else { half_points },
            plies: listed.plies,
            sentence: listed.sentence.clone(),
            fault: listed.fault.clone(),
            stored_ms: listed.stored_ms,
        }
    }
}

/// A game that is being played.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiveGame {
    /// Its name.
    pub name: String,
    /// Its round.
    pub round: u32,
    /// The player of each side.
    pub players: [u32; 2],
    /// Where it began; null: the variant's start.
    pub start: Option<String>,
    /// The moves so far.
    pub moves: Vec<String>,
    /// The latest score that each side's engine gave, from its own side, in the game's unit.
    pub scores: [Option<i32>; 2],
    /// Who plays it, where that is a worker on another machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worker: Option<String>,
}
