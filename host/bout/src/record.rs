//! The record of a bout as JSON: everything that is needed to show the bout, to play it again, and
//! to resume it. `docs/records.md` describes every field. Reads no clock; [`load`] is the only
//! function that reads a file.
//!
//! Readers ignore unknown fields, so later hosts can add some. A change of the meaning of a field
//! increases [`VERSION`].

mod check;
mod layout;
mod load;
mod pondering;
mod positions;

use std::collections::BTreeMap;

use sandboard_abi::{Bound, Line, Score};
use sandboard_engine::{Budget, Confinement, FuelMeter, InstanceLimits, Usage};
use sandboard_games::{GameInfo, PluggedIn};
use serde::{Deserialize, Serialize};

pub use load::{LoadError, RecordError, load};
pub use pondering::PonderingStatistics;

use crate::clock::Clock;
use crate::referee::{
    BoutResult, BoutSettings, EventRecord, MoveOrigin, PlayerKind, Ply, PonderingTime, Referee,
};

/// The value of a record's field `format`.
pub const FORMAT: &str = "sandboard-record";
/// The version of the format that this host writes, and the only one that it reads.
pub const VERSION: u32 = 1;
/// The largest record that a reader accepts, in bytes.
pub const RECORD_BYTES: u64 = 64 * 1024 * 1024;

/// The record of a bout, finished or not.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    pub format: String,
    /// The version of the format: [`VERSION`].
    pub version: u32,
    /// The version of the host that wrote the record.
    pub host: String,
    /// The game's id.
    pub game: String,
    /// The rules of the game, if they were plugged in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rules: Option<RulesRecord>,
    /// The variant's text, with its size if it has one.
    pub variant: String,
    /// The position text in which the bout began, or before the moves of `opening`; null: the
    /// variant's own start.
    pub start: Option<String>,
    /// The moves that led from `start` to where the bout began, made by no player of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub opening: Vec<OpeningMove>,
    /// The seed of the bout.
    pub seed: u64,
    /// When the bout began, as RFC 3339 in UTC.
    pub started_at: String,
    /// When the record was written, as RFC 3339 in UTC.
    pub saved_at: String,
    /// The rules of the bout that are not rules of its game.
    pub settings: BoutSettings,
    /// The players, by index.
    pub players: Vec<PlayerRecord>,
    /// The moves that stand, in order.
    pub plies: Vec<PlyRecord>,
    /// Events other than moves, in order.
    pub events: Vec<EventRecord>,
    /// What engines logged, up to a quota for each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub logs: Vec<LogRecord>,
    /// What the person to move has used of the current move, in microseconds of wall time; 0 for
    /// engines and finished bouts.
    #[serde(default)]
    pub turn_us: u64,
    /// The result; null: the bout is unfinished and can be resumed.
    pub result: Option<BoutResult>,
    /// The comparison with perfect play, for finished bouts of games that are solved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub perfect_play: Option<PerfectPlayRecord>,
}

/// The identity of plugged-in rules.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RulesRecord {
    /// The version in their manifest.
    pub version: String,
    /// The SHA-256 of their module in hexadecimal.
    pub module_sha256: String,
}

impl RulesRecord {
    /// The rules of a game; none: they are built in.
    pub fn of(game: &GameInfo) -> Option<Self> {
        let PluggedIn { version, sha256, .. } = game.plugged_in?;
        Some(Self { version: version.into(), module_sha256: sha256.into() })
    }

    /// How the rules of a game differ from the recorded ones, in one sentence without its subject:
    /// `was played by version 1.0 …, but this host has …`. None: they are the same.
    pub fn difference(recorded: &Option<Self>, game: &GameInfo) -> Option<String> {
        let now = Self::of(game);
        let describe = |rules: &Option<Self>| match rules {
            None => "built-in rules".to_owned(),
            Some(Self { version, module_sha256 }) => {
                format!("version {version} of the rules (SHA-256 {module_sha256})")
            }
        };
        let (then, here) = (describe(recorded), describe(&now));
        (now != *recorded).then(|| format!("was played by {then}, but this host has {here}"))
    }
}

/// A bout compared with perfect play, in the game's unit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PerfectPlayRecord {
    /// The total of side 0 with perfect play on both sides from the start.
    pub value: u32,
    /// What each side had when the bout ended.
    pub taken: [u32; 2],
    /// What the moves of each side gave away: the sums of their `loss`.
    pub lost: [u32; 2],
}

/// One player of a record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlayerRecord {
    /// The name in results.
    pub name: String,
    /// Engine or person.
    pub kind: PlayerKind,
    /// Its seats, all of one side.
    pub seats: Vec<u8>,
    /// What it could spend.
    pub budget: Budget,
    /// What is left on its game clock, in the budget's unit; below zero after an overrun. Null: the
    /// budget has no game clock.
    pub clock_left: Option<i64>,
    /// Whether it could ponder.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ponders: bool,
    /// The engine; none for a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine: Option<EngineRecord>,
}

/// The engine of a player.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EngineRecord {
    /// Its id in the catalog.
    pub id: String,
    /// Its version, in its own scheme.
    #[serde(default)]
    pub version: String,
    /// The SHA-256 of its module in hexadecimal, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub module_sha256: Option<String>,
    /// The options that were set, by name.
    #[serde(default)]
    pub options: BTreeMap<String, String>,
    /// The seed of its instances.
    pub seed: u64,
    /// The limits of its instances.
    #[serde(default)]
    pub limits: InstanceLimits,
    /// The number of threads that it could use.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub threads: u16,
    /// The files that it could read: name and SHA-256 in hexadecimal.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub assets: BTreeMap<String, String>,
    /// What its fuel was counted by, where it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fuel_meter: Option<FuelMeter>,
    /// The jail of its process, if it ran in a process of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jail: Option<Confinement>,
}

fn one() -> u16 {
    1
}

fn is_one(number: &u16) -> bool {
    *number == 1
}

/// A move before a bout.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpeningMove {
    /// The seat that moved; null: an outcome of chance.
    pub seat: Option<u8>,
    /// The canonical move text.
    pub r#move: String,
}

/// One move of a record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlyRecord {
    /// The seat that moved; null: an outcome of chance.
    pub seat: Option<u8>,
    /// The canonical move text.
    pub r#move: String,
    /// The usage of the call; for people the wall time only.
    pub spent: Usage,
    /// The mover's game clock after the move, with the increment; absent if the budget has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_left: Option<i64>,
    /// The line behind the move, as the engine gave or last reported it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<LineRecord>,
    /// Set if the move was not chosen in the usual way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<MoveOrigin>,
    /// A draw was offered with the move.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub offers_draw: bool,
    /// The mover's pondering since its previous move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pondering: Option<Box<PonderingTime>>,
    /// What the move gave away compared with perfect play, in the game's unit; 0 also if the
    /// record has no `perfect_play`.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub loss: u32,
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// The line of an engine behind a move.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineRecord {
    /// The value in the game's unit, from the mover's view.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<i32>,
    /// The kind of the score.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound: Option<BoundRecord>,
    /// The search depth, in plies.
    pub depth: u32,
    /// The number of nodes searched.
    pub nodes: u64,
    /// The principal variation, cut to 512 bytes.
    pub pv: String,
}

/// The kind of a score: [`Bound`] in the JSON of records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BoundRecord {
    Estimate,
    /// The true value is at least this.
    AtLeast,
    /// The true value is at most this.
    AtMost,
    /// The proved value.
    Exact,
}

/// A text that an engine logged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogRecord {
    /// The player whose engine logged.
    pub player: usize,
    /// The number of plies played when its last call began.
    pub at_ply: u32,
    /// The level: `fatal`, `warning`, `info`, `debug`.
    pub level: String,
    /// The text, cut and sanitized.
    pub text: String,
}

/// The parts of a record that the referee does not know.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RecordHeader {
    /// Goes into [`Record::start`].
    pub start: Option<String>,
    /// Goes into [`Record::opening`].
    pub opening: Vec<OpeningMove>,
    /// Goes into [`Record::seed`].
    pub seed: u64,
    /// Goes into [`Record::started_at`].
    pub started_at: String,
    /// The engines, by player; none for people.
    pub engines: Vec<Option<EngineRecord>>,
}

impl Record {
    /// The record of a bout at `now_us` on the referee's clock. `saved_at` is the date, as
    /// RFC 3339.
    pub(crate) fn from_referee(
        referee: &Referee,
        header: &RecordHeader,
        now_us: u64,
        saved_at: String,
    ) -> Self {
        let player = |index: usize| {
            let setup = referee.player(index)?;
            Some(PlayerRecord {
                name: setup.name.clone(),
                kind: setup.kind,
                seats: setup.seats.clone(),
                budget: setup.budget,
                clock_left: referee.clock(index).and_then(|clock| clock.left()),
                ponders: setup.ponder_threads.is_some(),
                engine: header.engines.get(index).cloned().flatten(),
            })
        };
        let game = referee.game();
        let is_person = |player: usize| {
            referee.player(player).is_some_and(|setup| setup.kind == PlayerKind::Person)
        };
        let to_move = referee.to_move().filter(|(player, _)| is_person(*player));
        Self {
            format: FORMAT.into(),
            version: VERSION,
            host: env!("CARGO_PKG_VERSION").into(),
            game: game.info().id.into(),
            rules: RulesRecord::of(game.info()),
            variant: game.variant().text(),
            start: header.start.clone(),
            opening: header.opening.clone(),
            seed: header.seed,
            started_at: header.started_at.clone(),
            saved_at,
            settings: *referee.settings(),
            players: (0..referee.player_count()).filter_map(player).collect(),
            plies: referee.plies().iter().map(PlyRecord::from_ply).collect(),
            events: referee.events().to_vec(),
            logs: Vec::new(),
            turn_us: to_move.map_or(0, |(player, _)| referee.thinking_us(player, now_us)),
            result: referee.result().cloned(),
            perfect_play: None,
        }
    }

    /// The bytes of a record's file: a line for each field, player, ply, event and log text.
    pub fn to_json(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let layout = layout::Layout::default();
        let mut serializer = serde_json::Serializer::with_formatter(&mut bytes, layout);
        // Keys are texts, no value can fail, and writing to memory does not fail.
        let written = self.serialize(&mut serializer);
        debug_assert!(written.is_ok(), "{written:?}");
        bytes.push(b'\n');
        bytes
    }

    /// The moves, for [`Referee::restore`].
    pub(crate) fn to_plies(&self) -> Vec<Ply> {
        let mut moves_made = vec![0; self.players.len()];
        let ply = |ply: &PlyRecord| {
            // Seats are set again, and outcomes of chance found, when the referee is restored.
            let owner = self.players.iter().position(|player| player.owns(ply.seat));
            let player = owner.unwrap_or(0);
            let budget = self.players.get(player).map_or_else(Budget::default, |it| it.budget);
            let made = moves_made.get_mut(player).map_or(0, |made| {
                *made += 1;
                *made
            });
            Ply {
                seat: ply.seat,
                player: Some(player),
                mv: ply.r#move.as_str().into(),
                seen: None,
                spent: ply.spent,
                clock: Clock::restored(budget, ply.clock_left, made),
                line: ply.line.as_ref().map(|line| Box::new(line.to_line())),
                origin: ply.origin,
                offers_draw: ply.offers_draw,
                pondering: ply.pondering.clone(),
            }
        };
        self.plies.iter().map(ply).collect()
    }
}

impl PlayerRecord {
    /// Whether the player has this seat; it has no part in chance.
    pub fn owns(&self, seat: Option<u8>) -> bool {
        seat.is_some_and(|seat| self.seats.contains(&seat))
    }
}

impl PlyRecord {
    fn from_ply(ply: &Ply) -> Self {
        Self {
            seat: ply.seat,
            r#move: ply.mv.to_string(),
            spent: ply.spent,
            clock_left: ply.clock.left(),
            line: ply.line.as_deref().map(LineRecord::from_line),
            origin: ply.origin,
            offers_draw: ply.offers_draw,
            pondering: ply.pondering.clone(),
            loss: 0,
        }
    }
}

impl LineRecord {
    fn from_line(line: &Line) -> Self {
        Self {
            score: line.score.map(|score| score.value),
            bound: line.score.map(|score| score.bound.into()),
            depth: line.depth,
            nodes: line.nodes,
            pv: line.moves.clone(),
        }
    }

    /// The line as far as the record keeps it.
    pub(crate) fn to_line(&self) -> Line {
        let bound = self.bound.map_or(Bound::Estimate, BoundRecord::into);
        Line {
            rank: 1,
            score: self.score.map(|value| Score { value, bound }),
            depth: self.depth,
            nodes: self.nodes,
            spent: 0,
            moves: self.pv.clone(),
        }
    }
}

impl From<Bound> for BoundRecord {
    fn from(bound: Bound) -> Self {
        match bound {
            Bound::Estimate => BoundRecord::Estimate,
            Bound::AtLeast => BoundRecord::AtLeast,
            Bound::AtMost => BoundRecord::AtMost,
            Bound::Exact => BoundRecord::Exact,
        }
    }
}

impl From<BoundRecord> for Bound {
    fn from(bound: BoundRecord) -> Self {
        match bound {
            BoundRecord::Estimate => Bound::Estimate,
            BoundRecord::AtLeast => Bound::AtLeast,
            BoundRecord::AtMost => Bound::AtMost,
            BoundRecord::Exact => Bound::Exact,
        }
    }
}

#[cfg(test)]
pub(crate) mod samples;
#[cfg(test)]
mod tests;
