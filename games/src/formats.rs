//! File formats of games, as values: the contents of a file before any rule is applied, and its
//! errors. Does not access files and contains nothing about particular games. Each game's formats
//! are in its own folder and are listed in its row of [`GAMES`](crate::GAMES).

pub(crate) mod fen;
mod mark;
pub(crate) mod pgn;
pub(crate) mod scan;
mod shared;
mod text;
mod tree;

#[cfg(test)]
mod tests;

use std::fmt;

use crate::info::Variant;
use crate::rules::Side;
pub use mark::Mark;
pub use shared::SHARED_FORMATS;
pub(crate) use text::{decode, excerpt, lines, one_line};
pub use text::{preserve_bytes, preserved_bytes};
pub use tree::{Evaluation, GameTree, LocationUnit, Node, TreeFull};

/// The largest file that a host should pass to a reader, in bytes. A reader uses up to about 20
/// bytes of memory per byte.
pub const FILE_BYTES: usize = 64 * 1024 * 1024;

/// The maximum number of games that a reader takes from one file.
pub const GAMES_MAX: usize = 100_000;

/// Reads all games of a file. The variant applies to formats that do not store one. The rules have
/// not checked the moves yet.
pub type ReadFn = fn(&[u8], Option<&Variant>) -> Result<Vec<GameTree>, FormatError>;

/// Writes one game of this variant. Its moves are canonical and legal. Data that the format cannot
/// store ([`Format::features`]) is omitted, except data that changes the meaning of the moves, such
/// as the start position: that is an error.
pub type WriteFn = fn(&GameTree, &Variant) -> Result<Vec<u8>, FormatError>;

/// Joins single-game files, as [`WriteFn`] writes them, to one file of several games.
pub type JoinFn = fn(&[&[u8]]) -> Result<Vec<u8>, FormatError>;

/// One file format of a game.
#[derive(Clone, Copy, Debug)]
pub struct Format {
    /// Id on command lines.
    pub id: &'static str,
    /// File name extensions, lower case, without the dot.
    pub extensions: &'static [&'static str],
    /// One-line description for people.
    pub about: &'static str,
    /// What a file can store beside the moves.
    pub features: Features,
    /// Text encoding, if not UTF-8.
    pub encoding: Encoding,
    /// Reads a file; `None` if the format is write-only.
    pub read: Option<ReadFn>,
    /// Writes a file; `None` if the format is read-only.
    pub write: Option<WriteFn>,
    /// Joins files, if more than concatenation is needed.
    pub join: Option<JoinFn>,
    /// Whether the moves of the tree that is written are in the game's notation
    /// ([`DynGame::notation`](crate::DynGame::notation)) in place of canonical texts.
    pub notation: bool,
}

impl Format {
    /// Joins single-game files to one file.
    pub fn join_files(&self, files: &[&[u8]]) -> Result<Vec<u8>, FormatError> {
        self.join.map_or_else(|| Ok(files.concat()), |join| join(files))
    }
}

/// Text encodings other than UTF-8. Readers contain no character tables, which would become part of
/// every engine. A host decodes texts that need one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// UTF-8 or Latin-1; the reader decodes it.
    Latin1,
    /// The whole file is GB 18030. Decode it to UTF-8 before reading.
    Gb18030,
    /// Names and comments are GB 18030. A reader returns them as [`preserve_bytes`] texts; decode
    /// them afterwards with [`GameTree::map_texts`].
    Gb18030Parts,
}

/// What a format can store beside the moves of one game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Features {
    /// Several games per file, see [`Format::join_files`].
    pub several: bool,
    /// Alternative moves (a tree instead of a line).
    pub variations: bool,
    /// Comments on the game and on moves, and judgements of moves.
    pub comments: bool,
    /// Short labels on the points of moves.
    pub labels: bool,
    /// Time used for each move.
    pub times: bool,
    /// Names of the players.
    pub names: bool,
    /// Result of the game.
    pub results: bool,
    /// A start position other than the variant's own.
    pub starts: bool,
    /// The variant, without its size.
    pub variants: bool,
    /// Size of the board.
    pub sizes: bool,
}

impl Features {
    /// No feature: moves only.
    pub const NONE: Features = Features {
        several: false,
        variations: false,
        comments: false,
        labels: false,
        times: false,
        names: false,
        results: false,
        starts: false,
        variants: false,
        sizes: false,
    };

    /// Every feature with its name for people.
    pub fn fields(&self) -> [(&'static str, bool); 10] {
        [
            ("several games", self.several),
            ("variations", self.variations),
            ("comments", self.comments),
            ("labels", self.labels),
            ("times", self.times),
            ("names", self.names),
            ("result", self.results),
            ("start", self.starts),
            ("variant", self.variants),
            ("size", self.sizes),
        ]
    }
}

/// The result of a game as stored in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordedResult {
    /// The winning side; `None` for a draw.
    pub winner: Option<Side>,
    /// The recorded cause.
    pub cause: ResultCause,
}

/// The recorded cause of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultCause {
    /// Not stored; usually the rules of the game.
    Unspecified,
    /// The loser resigned.
    Resignation,
    /// The loser exceeded the time limit.
    Time,
    /// The loser forfeited.
    Forfeit,
}

/// A location in a file or in a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Location {
    /// The whole file or game.
    Whole,
    /// A line of a text, from 1.
    Line(usize),
    /// A byte of the file, from 0.
    Byte(usize),
    /// A move of a line of moves, from 1.
    Move(usize),
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Location::Whole => f.write_str("the whole file"),
            Location::Line(line) => write!(f, "line {line}"),
            Location::Byte(byte) => write!(f, "byte {byte}"),
            Location::Move(number) => write!(f, "move {number}"),
        }
    }
}

/// Why a file cannot be read or a game cannot be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormatError {
    /// Location of the error.
    pub location: Location,
    /// The reason, one sentence without a full stop; safe to print.
    pub reason: String,
}

impl FormatError {
    /// An error at a location.
    pub fn new(location: Location, reason: impl Into<String>) -> Self {
        Self { location, reason: reason.into() }
    }

    /// An error in a line, numbered from 1.
    pub(crate) fn line(line: usize, reason: impl Into<String>) -> Self {
        Self::new(Location::Line(line), reason)
    }
}

impl fmt::Display for FormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.location {
            Location::Whole => f.write_str(&self.reason),
            location => write!(f, "{location}: {}", self.reason),
        }
    }
}

impl std::error::Error for FormatError {}

/// Converts [`TreeFull`] to an error at a location.
pub(crate) fn tree_full(location: Location) -> impl Fn(TreeFull) -> FormatError {
    move |full| FormatError::new(location, full.to_string())
}
