//! The values that cross the border, as plain Rust data. Any combination of
//! field values can be written down, so the fields are public; what a host
//! accepts of them it checks where they enter.

/// What a budget is counted in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Unit {
    /// Not limited: until told to stop.
    #[default]
    Unlimited,
    /// Microseconds of wall time.
    Wall,
    /// Microseconds of the engine's CPU time.
    Cpu,
    /// Units of the host's cost table.
    Fuel,
}

/// The kind of an option with its range; bounds are inclusive.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Kind {
    /// `true` or `false`.
    Toggle,
    /// A whole number from the first to the second.
    Whole(i64, i64),
    /// A real number from the first to the second.
    Real(f64, f64),
    /// One of these words.
    Pick(Vec<String>),
    /// A text of at most so many bytes.
    Text(u32),
}

impl Kind {
    /// Whether its values are numbers, so that a tuner can vary them.
    pub fn is_number(&self) -> bool {
        matches!(self, Kind::Whole(..) | Kind::Real(..))
    }

    /// Whether `value`, written as in a setup, is one this kind admits; the
    /// error says what is admitted.
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

/// A setting that an engine offers.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct OptionSpec {
    /// The word that sets it, unique in the engine.
    pub name: String,
    /// One line for people.
    pub about: String,
    /// What values it takes.
    pub kind: Kind,
    /// Its value when nobody sets it.
    pub initial: String,
    /// Whether a tuner may vary it.
    pub tunable: bool,
}

/// A game by id with the variants of it that an engine plays.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct GameSpec {
    /// The game's id.
    pub game: String,
    /// Variant ids: a bare one covers every size of it, a full one just that; none: all of them.
    pub variants: Vec<String>,
}

/// What an engine can do beside choosing moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Abilities {
    /// `think` is worth calling on the opponent's time.
    pub ponders: bool,
    /// Further instances may think along while one chooses.
    pub helpers: bool,
    /// Without a limit, `choose` ends when the result is proved.
    pub proves: bool,
}

/// What an engine says of itself.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Description {
    /// The engine's own id.
    pub id: String,
    /// Its name for people.
    pub name: String,
    /// Who wrote it.
    pub author: String,
    /// Its version, in its own scheme.
    pub version: String,
    /// What it plays.
    pub games: Vec<GameSpec>,
    /// What can be set.
    pub options: Vec<OptionSpec>,
    /// What else it can do.
    pub abilities: Abilities,
}

/// One game as it begins for one instance.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Setup {
    /// The game's id.
    pub game: String,
    /// The variant's id.
    pub variant: String,
    /// Position text; empty: the variant's own start position.
    pub start: String,
    /// The line of moves played since `start`.
    pub moves: String,
    /// The seats this instance answers for.
    pub seats: Vec<u8>,
    /// The only source of randomness.
    pub seed: u64,
    /// Name and value of every option that differs from its initial value.
    pub options: Vec<(String, String)>,
    /// What the instance may hold, in bytes; 0: not limited.
    pub memory_bytes: u64,
    /// Threads that the engine may use, at least 1.
    pub threads: u16,
    /// Which of the `1 + helpers` instances this is; 0 chooses.
    pub helper: u16,
    /// How many instances only think along.
    pub helpers: u16,
    /// Slots of the shared table; 0: there is none.
    pub table_slots: u64,
}

/// What one `choose` may spend.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Limits {
    /// What the numbers below are counted in.
    pub unit: Unit,
    /// For this call.
    pub call_max: Option<u64>,
    /// What the clock of the game still holds.
    pub game_left: Option<u64>,
    /// Added to that clock after each move.
    pub increment: u64,
    /// Moves until that clock is filled up again.
    pub moves_to_go: Option<u32>,
    /// How far the call may overrun before it is killed.
    pub grace: u64,
    /// Search depth at most, in plies.
    pub depth: Option<u32>,
    /// Nodes at most.
    pub nodes: Option<u64>,
    /// How many lines are wanted in reports; 0 is read as 1.
    pub lines: u16,
    /// (seat, what that player has left), where known.
    pub others_left: Vec<(u8, u64)>,
    /// The opponent offers a draw with the move just played.
    pub draw_offered: bool,
}

/// A move not to be chosen now, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Barred {
    /// The move's text.
    pub r#move: String,
    /// Why it must not be chosen.
    pub reason: String,
}

/// How a score is to be read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Bound {
    /// Estimated.
    #[default]
    Estimate,
    /// The true value is at least this.
    AtLeast,
    /// The true value is at most this.
    AtMost,
    /// Proved.
    Exact,
}

/// A value in the game's own unit, from the chooser's side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Score {
    /// The value; a forced win in n plies is `limits::WIN_SCORE - n`.
    pub value: i32,
    /// How to read it.
    pub bound: Bound,
}

/// What a search has found so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Line {
    /// 1: the best of several.
    pub rank: u16,
    /// Its value, where there is one.
    pub score: Option<Score>,
    /// In plies.
    pub depth: u32,
    /// Nodes searched.
    pub nodes: u64,
    /// Spent of this call, in the unit of its limits; 0 where not measured.
    pub spent: u64,
    /// The principal variation, as a line of moves.
    pub moves: String,
}

/// What an engine decides to do.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Decision {
    /// Play this move.
    Play(String),
    /// Give up.
    Resign,
    /// Take the draw that the opponent offers.
    AcceptDraw,
}

/// The answer of `choose`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Choice {
    /// What to do.
    pub decision: Decision,
    /// Offer a draw with it.
    pub offers_draw: bool,
    /// The line behind it.
    pub line: Option<Line>,
}

/// How a game ended.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Ending {
    /// A seat of the side that won; none for a draw.
    pub winner: Option<u8>,
    /// The rule that ended it.
    pub reason: String,
}

/// A position for engines without rules of their own.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct View {
    /// Position text.
    pub position: String,
    /// The seat to move.
    pub to_move: u8,
    /// Set when the game is over there.
    pub ending: Option<Ending>,
}

/// How serious a log text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Level {
    /// The engine cannot go on; it traps right after, and this becomes the
    /// sentence of its fault.
    Fatal,
    /// Something is wrong.
    Warning,
    /// For a player.
    Info,
    /// For the author.
    Debug,
}

/// What to do with an atomic cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum CellOp {
    /// Read it.
    Get,
    /// Replace it.
    Put,
    /// Add to it, wrapping.
    Add,
    /// Keep the larger.
    Max,
}
