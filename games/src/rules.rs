//! The typed face of a game's rules, and the words that all games share.
//! Serves a referee and a search alike; holds no rule of any one game.

use std::fmt;
use std::hash::Hash;

use crate::info::{GameInfo, Variant};
use crate::phase::Phase;

/// A chair at the table, by index from 0; it never changes in a bout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Seat(pub u8);

/// One of the two sides that seats belong to, 0 or 1. What it is called (the
/// colour it holds just now) is up to the position: [`Rules::side_name`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Side(pub u8);

impl Side {
    /// The opponent.
    pub fn other(self) -> Side {
        Side(self.0 ^ 1)
    }
}

/// How a game has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The side that won; none for a draw.
    pub winner: Option<Side>,
    /// The rule that ended it, in a few lower-case words.
    pub reason: &'static str,
    /// The result in the game's own unit from side 0's view (discs, tricks);
    /// 0 in games that only know win and loss.
    pub score: i32,
}

/// Which moves [`Rules::generate`] is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Generate {
    /// Every move.
    All,
    /// The tactical ones: those that a quiet evaluation must not be taken before.
    Noisy,
}

/// Why a move was not played. The position is as it was.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is refused: {reason}")]
pub struct Refusal {
    /// The move text as it came in.
    pub text: String,
    /// Why, in one sentence without a full stop.
    pub reason: String,
}

/// One thing wrong with a position text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PositionFault {
    /// Where: the byte offset in the text.
    pub at: usize,
    /// What is wrong there.
    pub reason: String,
}

/// Everything that is wrong with a position text, in the order of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PositionError(pub Vec<PositionFault>);

impl fmt::Display for PositionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, fault) in self.0.iter().enumerate() {
            let comma = if index == 0 { "" } else { "; " };
            write!(f, "{comma}at byte {}: {}", fault.at, fault.reason)?;
        }
        Ok(())
    }
}

impl std::error::Error for PositionError {}

/// Why a game cannot begin.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SetupError {
    /// The variant's text names none of the game's variants.
    #[error("{game} has no variant `{text}`; it has {known}")]
    UnknownVariant {
        /// The game's id.
        game: &'static str,
        /// The text as it came in.
        text: String,
        /// Those it has, with their sizes.
        known: String,
    },
    /// The position's text is wrong.
    #[error("the position is not one of {game}: {error}")]
    Position {
        /// The game's id.
        game: &'static str,
        /// What is wrong with it.
        error: PositionError,
    },
}

/// A move as a number, for tables that hold words and for searches that exchange them.
pub trait Coded: Copy {
    /// A number other than 0 that no other move of the game has.
    fn code(self) -> u32;
    /// The move with this number; none: it is no move's.
    fn of_code(code: u32) -> Option<Self>;
}

impl Coded for u8 {
    #[inline]
    fn code(self) -> u32 {
        1 + u32::from(self)
    }
    #[inline]
    fn of_code(code: u32) -> Option<u8> {
        u8::try_from(code.checked_sub(1)?).ok()
    }
}

/// The rules of one game; a value is a position with what history the rules need.
///
/// # Making moves
/// [`play`](Rules::play) is checked and for everybody. [`make`](Rules::make)
/// and [`unmake`](Rules::unmake) are for searches: they take a move that
/// [`generate`](Rules::generate) gave in this very position and that
/// [`is_legal`](Rules::is_legal), in a game that is not over, and anything else
/// is a bug of the caller that may panic or leave nonsense behind (never
/// undefined behaviour). So `make` asks nothing twice.
///
/// # Fouls
/// Some games have moves that are forbidden and yet can be played: they lose at
/// once. These are not legal and not generated, so that nobody makes one by
/// accident; but [`parse_move`](Rules::parse_move) reads them, `play` takes them,
/// and the game is over with the foul as its reason.
///
/// # Equality
/// Two values are equal when position, variant and side to move are; the path
/// by which they were reached counts only as far as the rules look at it.
pub trait Rules: Clone + Eq + fmt::Debug + Send + Sync + Sized + 'static {
    /// A move, at most 8 bytes.
    type Move: Coded + Eq + Ord + Hash + fmt::Debug + Send + Sync + 'static;
    /// What [`unmake`](Rules::unmake) needs to take one move back.
    type Undo: Clone + fmt::Debug + Send + Sync + 'static;

    /// The row of this game in the table of games.
    const INFO: &'static GameInfo;

    /// The position in which games of this variant begin.
    fn start(variant: &Variant) -> Self;

    /// Reads a position text; the variant's size, where the variant text left
    /// it open, is the position's. All faults of the text come back at once.
    fn parse_position(variant: &Variant, text: &str) -> Result<Self, PositionError>;

    /// The position's text, which [`parse_position`](Rules::parse_position) reads back.
    fn write_position(&self, out: &mut String);

    /// This position as if the game began in it: what was played before is forgotten, and what is counted since then, where
    /// rules look at that.
    fn anew(&self) -> Self {
        self.clone()
    }

    /// The variant with the size in force.
    fn variant(&self) -> Variant;

    /// The seat that moves next; the one that would, when the game is over.
    fn to_move(&self) -> Seat;

    /// What is decided next.
    fn phase(&self) -> Phase {
        Phase::Play
    }

    /// Whether the players can still exchange sides after this decision: then the
    /// best that it can do is fair.
    fn sides_may_change(&self) -> bool {
        false
    }

    /// What who moves is asked for, for people, in one sentence without a full
    /// stop: `the choice is swap or keep`. None in ordinary play.
    fn question(&self) -> Option<String> {
        None
    }

    /// The position of ordinary play to which a legal move leads when all
    /// further decisions leave things as they stand: what was offered is made,
    /// sides stay where this move puts them. So the decisions of a procedure
    /// can be valued by an ordinary search.
    fn settled(&self, mv: Self::Move) -> Self {
        let mut after = self.clone();
        after.make(mv);
        after
    }

    /// The side a seat belongs to.
    fn side(seat: Seat) -> Side {
        Side(seat.0 & 1)
    }

    /// What `side` is called now: the colour it holds.
    fn side_name(&self, side: Side) -> &'static str {
        Self::INFO.sides[usize::from(side.0)]
    }

    /// Appends moves in a fixed order: for `All` every legal one, none when the
    /// game is over (but see [`GameInfo::adjudicates`]). Where testing legality costs, they may be pseudo-legal:
    /// then [`is_legal`](Rules::is_legal) tells. Fouls are not legal.
    fn generate(&self, what: Generate, out: &mut Vec<Self::Move>);

    /// Whether a generated move is legal.
    fn is_legal(&self, _generated: Self::Move) -> bool {
        true
    }

    /// How many moves [`generate`](Rules::generate) gives that are legal, where that is
    /// cheaper to tell than to list them.
    fn count_moves(&self) -> Option<u64> {
        None
    }

    /// The move with this number, from 0, of those that [`generate`](Rules::generate) gives and are legal, where it
    /// can be found without listing them: then [`count_moves`](Rules::count_moves) tells how many there are. None
    /// where it cannot, and from that number on. For random games.
    fn nth_move(&self, _number: u64) -> Option<Self::Move> {
        None
    }

    /// Reads a move text in this position. Err: the reason, in one sentence
    /// that fits behind "`text` is refused: ". Ok only for a legal move, or for
    /// a foul, which [`make_judged`](Rules::make_judged) then tells.
    fn parse_move(&self, text: &str) -> Result<Self::Move, String>;

    /// Appends the canonical text of a move that [`parse_move`](Rules::parse_move) gives here.
    fn write_move(&self, mv: Self::Move, out: &mut String);

    /// Plays a generated, legal move; see "Making moves".
    fn make(&mut self, mv: Self::Move) -> Self::Undo;

    /// Plays a move that [`parse_move`](Rules::parse_move) gave: as
    /// [`make`](Rules::make), but a foul ends the game.
    fn make_judged(&mut self, mv: Self::Move) -> Self::Undo {
        self.make(mv)
    }

    /// Takes back the last made move.
    fn unmake(&mut self, undo: Self::Undo);

    /// Passes the turn for a null-move search; none where the rules of the game
    /// make that meaningless or it is not allowed here.
    fn make_null(&mut self) -> Option<Self::Undo> {
        None
    }

    /// How the game has ended here, if it has.
    fn outcome(&self) -> Option<Outcome>;

    /// A hash of placement and side to move, kept incrementally. It excludes
    /// history and counters.
    fn hash(&self) -> u64;

    /// The [`hash`](Rules::hash) after a generated, legal move, where that is cheaper to tell
    /// than to make the move.
    fn hash_after(&self, _mv: Self::Move) -> Option<u64> {
        None
    }

    /// A hash that positions of ordinary play share which a symmetry of the board
    /// makes of each other; slow. Where there is none: [`hash`](Rules::hash).
    fn symmetric_hash(&self) -> u64 {
        self.hash()
    }

    /// Plays a move given as text, if it is legal or a foul; else the position
    /// is as before.
    fn play(&mut self, text: &str) -> Result<(Self::Move, Self::Undo), Refusal> {
        let mv =
            self.parse_move(text).map_err(|reason| Refusal { text: text.to_owned(), reason })?;
        let undo = self.make_judged(mv);
        Ok((mv, undo))
    }

    /// A picture of the board for a terminal, lines ended by `\n`, plain ASCII
    /// or box characters, the given move marked.
    fn write_board(&self, last: Option<Self::Move>, out: &mut String);

    /// What the game adds to a `rules` answer: name and value, the value as
    /// JSON text. For example `("in_check", "true")`.
    fn facts(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }
}
