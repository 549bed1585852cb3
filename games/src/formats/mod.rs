//! File formats of games, as values: what a file of moves says, before any rule
//! has looked at it, and what may be wrong with one. Knows no game and no file
//! system; a game's formats are in its own folder, listed in its row of
//! [`GAMES`](crate::GAMES).

pub(crate) mod scan;
mod text;
mod tree;

#[cfg(test)]
mod tests;

use std::fmt;

use crate::info::Variant;
use crate::rules::Side;
pub use text::{bytes_of, undecoded};
pub(crate) use text::{decoded, lines, one_line, shown};
pub use tree::{Full, GameTree, Node, Unit};

/// The largest file that a host should hand to a reader, in bytes. A reader holds
/// up to some twenty bytes of memory for each of them.
pub const FILE_BYTES: usize = 64 * 1024 * 1024;

/// The most games that a reader takes from one file.
pub const GAMES_MAX: usize = 100_000;

/// Reads all games of a file. The variant is the one that was asked for, for
/// formats that say no size themselves. No rule has judged the moves that come back.
pub type Read = fn(&[u8], Option<&Variant>) -> Result<Vec<GameTree>, FormatError>;

/// Writes one game of this variant; its moves are canonical and legal. What the
/// format does not hold ([`Format::holds`]) is left out, but for what would make
/// other moves of them, such as a start: that is refused.
pub type Write = fn(&GameTree, &Variant) -> Result<Vec<u8>, FormatError>;

/// Makes one file of several games of files of one game each, as [`Write`] gives them.
pub type Join = fn(&[&[u8]]) -> Result<Vec<u8>, FormatError>;

/// One file format of a game.
#[derive(Debug)]
pub struct Format {
    /// Its id, as on command lines.
    pub id: &'static str,
    /// What names of its files end with, without the dot, in lower case.
    pub extensions: &'static [&'static str],
    /// One line for people.
    pub about: &'static str,
    /// What a file of it can hold beside the moves.
    pub holds: Holds,
    /// How its texts are encoded where they are not UTF-8.
    pub encoding: Encoding,
    /// Its reader, where it is read.
    pub read: Option<Read>,
    /// Its writer, where it is written.
    pub write: Option<Write>,
    /// What makes a file of several games, where it is more than one file after another.
    pub join: Option<Join>,
}

impl Format {
    /// One file of all these files of a game each.
    pub fn joined(&self, files: &[&[u8]]) -> Result<Vec<u8>, FormatError> {
        self.join.map_or_else(|| Ok(files.concat()), |join| join(files))
    }
}

/// How texts are encoded that are not UTF-8. Readers hold no tables of signs, which would
/// go into every engine: what needs one is a host's to decode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// Latin-1, or not at all; readers see to it.
    Latin1,
    /// The whole file is a text in GB 18030, to be made UTF-8 before it is read.
    Gb18030,
    /// Names and comments are in GB 18030. A reader gives them as [`undecoded`] bytes, to be
    /// decoded afterwards ([`GameTree::respell`]).
    Gb18030Parts,
}

/// What files of a format can hold beside the moves of one game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Holds {
    /// More games than one, see [`Format::joined`].
    pub several: bool,
    /// Variations.
    pub variations: bool,
    /// Comments on the game and on moves.
    pub comments: bool,
    /// Short texts on the points of moves.
    pub labels: bool,
    /// The time that moves took.
    pub times: bool,
    /// Names of the players.
    pub names: bool,
    /// The result.
    pub results: bool,
    /// A start other than the variant's own.
    pub starts: bool,
    /// Which variant it is, but for its size.
    pub variants: bool,
    /// The size of the board.
    pub sizes: bool,
}

impl Holds {
    /// Moves alone.
    pub const NOTHING: Holds = Holds {
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

    /// Every field with its word for people.
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

/// How a file says that its game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Told {
    /// The side that won; none for a draw.
    pub winner: Option<Side>,
    /// By what, where that is said.
    pub by: By,
}

/// By what a game ended, as a file says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// Not said; often the rules of the game.
    Unsaid,
    /// The loser gave up.
    Resignation,
    /// The loser's time was up.
    Time,
    /// The loser did something wrong.
    Forfeit,
}

/// Where in a file, or in a game, something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Nowhere in particular.
    Whole,
    /// A line of a text, from 1.
    Line(usize),
    /// A byte of the file, from 0.
    Byte(usize),
    /// A move of a line of moves, from 1.
    Move(usize),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Whole => f.write_str("the whole of it"),
            Place::Line(line) => write!(f, "line {line}"),
            Place::Byte(byte) => write!(f, "byte {byte}"),
            Place::Move(number) => write!(f, "move {number}"),
        }
    }
}

/// Why a file is not read, or a game not written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormatError {
    /// Where.
    pub place: Place,
    /// Why, in one sentence without a full stop, fit to be shown.
    pub reason: String,
}

impl FormatError {
    /// An error at a place.
    pub fn new(place: Place, reason: impl Into<String>) -> Self {
        Self { place, reason: reason.into() }
    }

    /// A line of a text that is wrong.
    pub(crate) fn line(line: usize, reason: impl Into<String>) -> Self {
        Self::new(Place::Line(line), reason)
    }
}

impl fmt::Display for FormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place {
            Place::Whole => f.write_str(&self.reason),
            place => write!(f, "{place}: {}", self.reason),
        }
    }
}

impl std::error::Error for FormatError {}
