//! The record of a bout as JSON: everything that is needed to show it, to play
//! it again, to go on with it. `docs/records.md` explains every field. Knows
//! nothing of files ([`store`] does) and reads no clock.
//!
//! Fields that a reader does not know are ignored, so that later hosts may add
//! some; whatever changes the meaning of a known one raises [`VERSION`].

mod check;
mod date;
mod layout;
mod load;
mod pondering;
mod replay;
pub mod store;

use std::collections::BTreeMap;

use sandboard_abi::{Bound, Line};
use serde::{Deserialize, Serialize};

pub use date::{of_date, rfc3339};
pub use load::{LoadError, RecordError, load};
pub use pondering::Pondering;
pub use replay::{GameTable, Start};

use crate::budget::Budget;
use crate::engine::{Confinement, FuelClock, Spent};
use crate::referee::{
    BoutResult, Incident, Mark, PastPly, PlayerKind, Ply, Pondered, Referee, Settings,
};

/// What every record's field `format` says.
pub const FORMAT: &str = "sandboard-record";
/// The version of the format that this host writes, and the only one it reads.
pub const VERSION: u32 = 1;
/// The largest record that is read, in bytes.
pub const RECORD_BYTES: u64 = 64 * 1024 * 1024;

/// A bout, finished or not.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// [`FORMAT`].
    pub format: String,
    /// [`VERSION`].
    pub version: u32,
    /// The version of the host that wrote it.
    pub host: String,
    /// The game's id.
    pub game: String,
    /// The variant's text, its size included where it has one.
    pub variant: String,
    /// The position in which it began; null: the variant's own.
    pub start: Option<String>,
    /// The seed of the bout.
    pub seed: u64,
    /// When it began, as RFC 3339 in UTC.
    pub started_at: String,
    /// When this was written.
    pub saved_at: String,
    /// The rules of the bout that are not the game's.
    pub settings: Settings,
    /// Who played.
    pub players: Vec<PlayerRecord>,
    /// The moves.
    pub plies: Vec<PlyRecord>,
    /// What happened beside them.
    pub events: Vec<Incident>,
    /// What engines logged, cut to a quota.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub logs: Vec<LogRecord>,
    /// What the player to move has used of its move so far, in microseconds of
    /// wall time, where the bout is unfinished.
    #[serde(default)]
    pub turn_us: u64,
    /// The result; null: it is unfinished and may be resumed.
    pub result: Option<BoutResult>,
    /// What perfect play says of it, where the game can be solved exactly and the bout is over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exact: Option<ExactRecord>,
}

/// A bout held against perfect play; in the game's own unit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExactRecord {
    /// What side 0 has with perfect play on both sides from the start.
    pub value: u32,
    /// What each side had when the bout ended.
    pub taken: [u32; 2],
    /// What the moves of each side gave away, together.
    pub lost: [u32; 2],
}

/// One player of a record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlayerRecord {
    /// The name in results.
    pub name: String,
    /// Person or engine.
    pub kind: PlayerKind,
    /// The seats it played.
    pub seats: Vec<u8>,
    /// What it might spend.
    pub budget: Budget,
    /// What is left of its clock of the game, in the budget's unit, below zero
    /// after an overrun; null where the budget has none.
    pub clock_left: Option<i64>,
    /// Whether it thought on its opponent's time.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ponders: bool,
    /// The engine, where it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine: Option<EngineRecord>,
}

/// The engine behind a player.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EngineRecord {
    /// Its id in the catalog.
    pub id: String,
    /// Its version, in its own scheme.
    #[serde(default)]
    pub version: String,
    /// The SHA-256 of its module in hexadecimal, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub module_sha256: Option<String>,
    /// The options that were set.
    #[serde(default)]
    pub options: BTreeMap<String, String>,
    /// Its own seed.
    pub seed: u64,
    /// What it might hold, in bytes; 0: not limited.
    #[serde(default)]
    pub memory_bytes: u64,
    /// How many threads it might use.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub threads: u16,
    /// What starting an instance of it might take, in milliseconds; 0: not known.
    #[serde(default)]
    pub start_ms: u64,
    /// The files that it might read: name and SHA-256 in hexadecimal.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub assets: BTreeMap<String, String>,
    /// What its fuel was counted by, where it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fuel_clock: Option<FuelClock>,
    /// What kept it in, where it ran in a process of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jail: Option<Confinement>,
}

fn one() -> u16 {
    1
}

fn is_one(number: &u16) -> bool {
    *number == 1
}

/// One move of a record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlyRecord {
    /// The seat that moved.
    pub seat: u8,
    /// The canonical move text.
    pub r#move: String,
    /// What it took.
    pub spent: Spent,
    /// The mover's clock of the game after it, increment included; absent
    /// where the budget has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_left: Option<i64>,
    /// The line behind it, as the engine gave it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<LineRecord>,
    /// Set where it was not simply chosen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mark: Option<Mark>,
    /// A draw was offered with it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub offers_draw: bool,
    /// What the mover had spent on its opponents' time since its last move; none: nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pondered: Option<Box<Pondered>>,
    /// What it gave away against perfect play, in the game's unit; 0 as well where nobody knows.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub loss: u32,
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// What an engine said of a move.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineRecord {
    /// The value in the game's own unit, from the mover's side.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<i32>,
    /// How to read the score.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound: Option<BoundRecord>,
    /// In plies.
    pub depth: u32,
    /// Nodes searched.
    pub nodes: u64,
    /// The principal variation, cut to 512 bytes.
    pub pv: String,
}

/// How to read a score.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BoundRecord {
    /// Estimated.
    Estimate,
    /// The true value is at least this.
    AtLeast,
    /// The true value is at most this.
    AtMost,
    /// Proved.
    Exact,
}

/// A text that an engine logged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogRecord {
    /// Whose.
    pub player: usize,
    /// How many plies had been played.
    pub at_ply: u32,
    /// How serious: `fatal`, `warning`, `info`, `debug`.
    pub level: String,
    /// What it said.
    pub text: String,
}

/// What a record needs beside the referee's state.
#[derive(Clone, Debug, PartialEq)]
pub struct Header {
    /// As in [`Record::start`].
    pub start: Option<String>,
    /// As in [`Record::seed`].
    pub seed: u64,
    /// As in [`Record::started_at`].
    pub started_at: String,
    /// The engines, by player; none for people.
    pub engines: Vec<Option<EngineRecord>>,
}

impl Record {
    /// The record of a bout as it stands at `now_us` on the referee's clock and
    /// at `saved_at` in the world.
    pub fn of(referee: &Referee, header: &Header, now_us: u64, saved_at: String) -> Self {
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
        let person = |player: usize| {
            referee.player(player).is_some_and(|setup| setup.kind == PlayerKind::Person)
        };
        let to_move = referee.to_move().filter(|(player, _)| person(*player));
        Self {
            format: FORMAT.into(),
            version: VERSION,
            host: env!("CARGO_PKG_VERSION").into(),
            game: game.info().id.into(),
            variant: game.variant().text(),
            start: header.start.clone(),
            seed: header.seed,
            started_at: header.started_at.clone(),
            saved_at,
            settings: *referee.settings(),
            players: (0..referee.players()).filter_map(player).collect(),
            plies: referee.plies().iter().map(PlyRecord::of).collect(),
            events: referee.incidents().to_vec(),
            logs: Vec::new(),
            turn_us: to_move.map_or(0, |(player, _)| referee.thinking_us(player, now_us)),
            result: referee.result().cloned(),
            exact: None,
        }
    }

    /// The record as the bytes of its file: a line for each field, player, ply,
    /// event and log text.
    pub fn to_json(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let layout = layout::Layout::default();
        let mut serializer = serde_json::Serializer::with_formatter(&mut bytes, layout);
        // Keys are texts, no value can fail, and memory takes every byte.
        let written = self.serialize(&mut serializer);
        debug_assert!(written.is_ok(), "{written:?}");
        bytes.push(b'\n');
        bytes
    }

    /// The moves, for [`Referee::reload`].
    pub fn past(&self) -> Vec<PastPly> {
        let past = |ply: &PlyRecord| PastPly {
            mv: ply.r#move.clone(),
            spent: ply.spent,
            left: ply.clock_left,
            line: ply.line.as_ref().map(|line| Box::new(line.to_line())),
            mark: ply.mark,
            offers_draw: ply.offers_draw,
            pondered: ply.pondered.clone(),
        };
        self.plies.iter().map(past).collect()
    }
}

impl PlyRecord {
    fn of(ply: &Ply) -> Self {
        Self {
            seat: ply.seat,
            r#move: ply.mv.to_string(),
            spent: ply.spent,
            clock_left: ply.after.left(),
            line: ply.line.as_deref().map(LineRecord::of),
            mark: ply.mark,
            offers_draw: ply.offers_draw,
            pondered: ply.pondered.clone(),
            loss: 0,
        }
    }
}

impl LineRecord {
    fn of(line: &Line) -> Self {
        let bound = |bound| match bound {
            Bound::Estimate => BoundRecord::Estimate,
            Bound::AtLeast => BoundRecord::AtLeast,
            Bound::AtMost => BoundRecord::AtMost,
            Bound::Exact => BoundRecord::Exact,
        };
        Self {
            score: line.score.map(|score| score.value),
            bound: line.score.map(|score| bound(score.bound)),
            depth: line.depth,
            nodes: line.nodes,
            pv: line.moves.clone(),
        }
    }

    /// The line again, as far as it is kept.
    pub(crate) fn to_line(&self) -> Line {
        let bound = match self.bound {
            None | Some(BoundRecord::Estimate) => Bound::Estimate,
            Some(BoundRecord::AtLeast) => Bound::AtLeast,
            Some(BoundRecord::AtMost) => Bound::AtMost,
            Some(BoundRecord::Exact) => Bound::Exact,
        };
        Line {
            rank: 1,
            score: self.score.map(|value| sandboard_abi::Score { value, bound }),
            depth: self.depth,
            nodes: self.nodes,
            spent: 0,
            moves: self.pv.clone(),
        }
    }
}

#[cfg(test)]
pub(crate) mod tests;
