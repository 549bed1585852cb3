//! The values that cross the interface, as plain Rust data. The fields are public because any
//! combination of values can be represented; the host checks values where it receives them.

/// The unit of a budget.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Unit {
    /// Not limited: until `left()` is 0.
    #[default]
    Unlimited,
    /// Microseconds of wall time.
    Wall,
    /// Microseconds of the engine's CPU time.
    Cpu,
    /// Units of the host's price table.
    Fuel,
}

/// The kind of an option and its range; bounds are inclusive.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Kind {
    /// The value is `true` or `false`.
    Toggle,
    /// A whole number: smallest and largest value.
    Whole(i64, i64),
    /// A real number: smallest and largest value.
    Real(f64, f64),
    /// One of these words.
    Pick(Vec<String>),
    /// A text; its maximum length in bytes.
    Text(u32),
}

impl Kind {
    /// Whether the values are numbers, which a tuner can vary.
    pub fn is_number(&self) -> bool {
        matches!(self, Kind::Whole(..) | Kind::Real(..))
    }

    /// Checks a value, written as in a setup. The error names the allowed values.
    pub fn check(&self, value: &str) -> Result<(), String> {
        let wrong = |wanted: String| Err(format!("`{value}` is not {wanted}"));
        match self {
            Kind::Toggle => match value {
                "true" | "false" => Ok(()),
                _ => wrong("`true` or `false`".into()),
            },
            Kind::Whole(min, max) => match value.parse::<i64>() {
                Ok(number) if (*min..=*max).contains(&number) => Ok(()),
                _ => wrong(format!("a whole number from {min} to {max}")),
            },
            Kind::Real(min, max) => match value.parse::<f64>() {
                Ok(number) if (*min..=*max).contains(&number) => Ok(()),
                _ => wrong(format!("a number from {min} to {max}")),
            },
            Kind::Pick(words) if words.iter().any(|word| word == value) => Ok(()),
            Kind::Pick(words) => wrong(format!("one of {}", words.join(", "))),
            Kind::Text(max) if value.len() <= *max as usize => Ok(()),
            Kind::Text(max) => wrong(format!("a text of at most {max} bytes")),
        }
    }
}

/// An option of the engine.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct OptionSpec {
    /// Name, unique in the engine.
    pub name: String,
    /// One-line description for people.
    pub about: String,
    /// Kind and range of the values.
    pub kind: Kind,
    /// Default value, written as in a setup.
    pub initial: String,
    /// Whether a tuner may vary it.
    pub tunable: bool,
}

/// A game by id, and the variants of it that the engine plays.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct GameSpec {
    /// Id of the game.
    pub game: String,
    /// Variant ids: a bare id covers every size, a full one only that size; an empty list covers
    /// all variants.
    pub variants: Vec<String>,
}

/// What an engine can do besides choosing moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Abilities {
    /// The host may call `think` on the opponent's time.
    pub ponders: bool,
    /// Further instances can `think` while one chooses.
    pub helpers: bool,
    /// Without a limit, `choose` ends when the result is proved, and returns a line with an exact
    /// score.
    pub proves: bool,
}

/// The engine's description of itself.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Description {
    /// Id of the engine.
    pub id: String,
    /// Name for people.
    pub name: String,
    /// Author of the engine.
    pub author: String,
    /// Version, in the engine's own scheme.
    pub version: String,
    /// Games that the engine plays.
    pub games: Vec<GameSpec>,
    /// Options of the engine.
    pub options: Vec<OptionSpec>,
    /// Abilities besides choosing moves.
    pub abilities: Abilities,
}

/// The start of a game for one instance.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Setup {
    /// Id of the game.
    pub game: String,
    /// Id of the variant.
    pub variant: String,
    /// Position text; empty for the variant's own start position.
    pub start: String,
    /// The line of moves played since `start`, as the engine's seat saw them.
    pub moves: String,
    /// The seats that this instance plays.
    pub seats: Vec<u8>,
    /// The only source of randomness: the same module, inputs and seed give the same play.
    pub seed: u64,
    /// Name and value of every option that differs from its initial value.
    pub options: Vec<(String, String)>,
    /// Memory limit of the instance in bytes; 0: not limited.
    pub memory_bytes: u64,
    /// Number of threads that the engine may use, at least 1.
    pub threads: u16,
    /// Index of this instance among the `1 + helpers` instances: 0 chooses, others only think.
    pub helper: u16,
    /// Number of instances that only think.
    pub helpers: u16,
    /// Number of slots of the table behind `probe` and `store`; 0: there is no table.
    pub table_slots: u64,
}

/// The budget of one `choose` call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Limits {
    /// Unit of the numbers below.
    pub unit: Unit,
    /// Maximum for this call; none: only `game_left` limits it.
    pub call_max: Option<u64>,
    /// Remaining time of the game's clock; none: there is no such clock.
    pub game_left: Option<u64>,
    /// Added to the clock after each move.
    pub increment: u64,
    /// Moves until the clock is refilled; none: never.
    pub moves_to_go: Option<u32>,
    /// How far the call may overrun before it is killed. The overrun is charged.
    pub grace: u64,
    /// Maximum search depth in plies, if the depth is limited.
    pub depth: Option<u32>,
    /// Maximum number of nodes, if they are limited.
    pub nodes: Option<u64>,
    /// Requested number of lines in reports, the best first; 0 is read as 1.
    pub lines: u16,
    /// (seat, remaining time of its player), where known.
    pub others_left: Vec<(u8, u64)>,
    /// Whether the opponent offers a draw with the move just played.
    pub draw_offered: bool,
}

/// A move that must not be chosen now, and the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Barred {
    /// Text of the move.
    pub r#move: String,
    /// Why the move is excluded.
    pub reason: String,
}

/// The meaning of a score.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Bound {
    /// An estimated value.
    #[default]
    Estimate,
    /// The true value is at least this.
    AtLeast,
    /// The true value is at most this.
    AtMost,
    /// Proved, not estimated.
    Exact,
}

/// A value in the game's unit, from the view of the choosing side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Score {
    /// The value; a forced win in n plies is `limits::WIN_SCORE - n`, a forced loss the negative.
    pub value: i32,
    /// Meaning of the value.
    pub bound: Bound,
}

/// A result of a search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Line {
    /// Rank among several lines; 1 is the best.
    pub rank: u16,
    /// Score, if there is one.
    pub score: Option<Score>,
    /// Search depth in plies.
    pub depth: u32,
    /// Number of nodes searched.
    pub nodes: u64,
    /// Amount spent in this call, in the unit of the limits; 0 if not measured.
    pub spent: u64,
    /// The principal variation, a line of moves that starts with the candidate move.
    pub moves: String,
}

/// The decision of an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Decision {
    /// Play this move.
    Play(String),
    /// Resign the game.
    Resign,
    /// Accept the draw that the opponent offers.
    AcceptDraw,
}

/// The result of `choose`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Choice {
    /// The decision made.
    pub decision: Decision,
    /// Whether to offer a draw with the move.
    pub offers_draw: bool,
    /// The line of the search.
    pub line: Option<Line>,
}

/// How the game ended.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Ending {
    /// The result of each seat, in the game's unit. A seat beats every seat with a lower score;
    /// seats with equal scores draw. Seats of one side have the same score.
    pub scores: Vec<i32>,
    /// The rule that ended it.
    pub reason: String,
}

/// A position, for engines that do not implement the rules.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct View {
    /// Text of the position, as the engine's seat sees it.
    pub position: String,
    /// The seat to move; of several that decide at the same time an own one, or the lowest;
    /// [`NO_SEAT`](crate::limits::NO_SEAT) if chance is next.
    pub to_move: u8,
    /// The result, if the game is over there.
    pub ending: Option<Ending>,
}

/// Severity of a log text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Level {
    /// Logged just before a trap; becomes the text of the fault.
    Fatal,
    /// A problem that does not stop the engine.
    Warning,
    /// Information for players.
    Info,
    /// Information for the author.
    Debug,
}

/// An operation on an atomic cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum CellOp {
    /// Read the value.
    Get,
    /// Replace the value.
    Put,
    /// Add to the value, wrapping.
    Add,
    /// Keep the larger value.
    Max,
}
