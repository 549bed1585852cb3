//! The typed interface of a game's rules, and the types that all games share. Contains no rule of
//! any particular game.

use std::fmt;
use std::hash::Hash;

use crate::board::Board;
use crate::info::{GameInfo, Variant};
use crate::opening_names::OpeningName;
use crate::phase::Phase;

/// A player's place in a game, an index from 0. It does not change during a bout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Seat(pub u8);

/// One of the two sides that seats belong to, 0 or 1. Its name (the colour it plays) depends on the
/// position: see [`Rules::side_name`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Side(pub u8);

impl Side {
    /// The opposing side.
    pub fn other(self) -> Side {
        Side(self.0 ^ 1)
    }
}

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The winning side; `None` for a draw.
    pub winner: Option<Side>,
    /// The rule that ended the game, in a few lower-case words.
    pub reason: &'static str,
    /// The result from side 0's view, in the game's own unit (discs, tricks, points); 0 in games
    /// without a margin.
    pub score: i32,
}

/// Which moves [`Rules::generate`] returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MoveSet {
    /// Every legal move.
    All,
    /// Tactical moves, which a quiescence search must resolve before a static evaluation.
    Noisy,
}

/// Why a move text was not played. The position is unchanged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is refused: {reason}")]
pub struct Refusal {
    /// The move text as received.
    pub text: String,
    /// The reason, one sentence without a full stop.
    pub reason: String,
}

/// One fault in a position text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PositionFault {
    /// Byte offset in the text.
    pub offset: usize,
    /// What is wrong there.
    pub reason: String,
}

/// All faults of a position text, in the order of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PositionError(pub Vec<PositionFault>);

impl fmt::Display for PositionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, fault) in self.0.iter().enumerate() {
            let comma = if index == 0 { "" } else { "; " };
            write!(f, "{comma}at byte {}: {}", fault.offset, fault.reason)?;
        }
        Ok(())
    }
}

impl std::error::Error for PositionError {}

/// Why a game cannot be set up.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SetupError {
    /// The text names none of the game's variants.
    #[error("{game} has no variant `{text}`; it has {known}")]
    UnknownVariant {
        /// Id of the game.
        game: &'static str,
        /// The variant text as received.
        text: String,
        /// The valid variant texts.
        known: String,
    },
    /// The position text is not valid.
    #[error("not a position of {game}: {error}")]
    Position {
        /// Id of the game.
        game: &'static str,
        /// All faults of the text.
        error: PositionError,
    },
    /// A move before the beginning of the game is not legal.
    #[error("move {number} before the start of {game}: {refusal}")]
    Move {
        /// Id of the game.
        game: &'static str,
        /// The number of the move, from 1.
        number: usize,
        /// Why it is not legal.
        refusal: Refusal,
    },
    /// The game is for one player, and a tournament needs more.
    #[error("a tournament needs a game of two players or more, and {game} is for one")]
    ForOne {
        /// Id of the game.
        game: &'static str,
    },
    /// The game is not played by two players, as contests and tuning need.
    #[error("contests and tuning need a game of two players, and {game} is played by {players}")]
    NotForTwo {
        /// Id of the game.
        game: &'static str,
        /// The number of players that it needs.
        players: usize,
    },
    /// The rules are plugged in, and failed.
    #[error("the rules of {game} failed: {reason}")]
    Judge {
        /// Id of the game.
        game: &'static str,
        /// What the rules did: one sentence without its subject and without a full stop.
        reason: String,
    },
}

/// The code of a move as a number, for packed tables and for exchange between search threads.
pub trait MoveCode: Copy {
    /// A number other than 0, unique among the moves of the game.
    fn code(self) -> u32;
    /// The move with this code, or `None` if there is none.
    fn from_code(code: u32) -> Option<Self>;
}

impl MoveCode for u8 {
    #[inline]
    fn code(self) -> u32 {
        1 + u32::from(self)
    }
    #[inline]
    fn from_code(code: u32) -> Option<u8> {
        u8::try_from(code.checked_sub(1)?).ok()
    }
}

/// The rules of one game. A value is a position plus the history that the rules depend on.
///
/// # Making moves
/// [`play`](Rules::play) checks its input and can always be called. [`make`](Rules::make) and
/// [`unmake`](Rules::unmake) are for searches and check nothing twice. `make` may only be called
/// with a move that [`generate`](Rules::generate) returned in this position and for which
/// [`is_legal`](Rules::is_legal) is true, while the game is in progress. Anything else is a bug of
/// the caller: it may panic or corrupt the position, but causes no undefined behaviour.
///
/// # Fouls
/// Some games have forbidden moves that can still be played and lose at once. They are not legal
/// and not generated, so that an engine does not play one by accident. But
/// [`parse_move`](Rules::parse_move) reads them, `play` plays them, and the game ends with the foul
/// as its reason.
///
/// # Equality
/// Two values are equal if position, variant and side to move are equal. History counts only as far
/// as the rules depend on it.
pub trait Rules: Clone + Eq + fmt::Debug + Send + Sync + Sized + 'static {
    /// A move, at most 8 bytes.
    type Move: MoveCode + Eq + Ord + Hash + fmt::Debug + Send + Sync + 'static;
    /// What [`unmake`](Rules::unmake) needs to take back one move.
    type Undo: Clone + fmt::Debug + Send + Sync + 'static;

    /// This game's row in the table of games.
    const INFO: &'static GameInfo;

    /// The start position of a variant.
    fn start(variant: &Variant) -> Self;

    /// Reads a position text. If the variant names no size, the text determines it. The error lists
    /// all faults of the text.
    fn parse_position(variant: &Variant, text: &str) -> Result<Self, PositionError>;

    /// Appends the position text, which [`parse_position`](Rules::parse_position) reads back.
    fn write_position(&self, out: &mut String);

    /// This position as the start of a game: without the moves played before, and with history
    /// counters reset.
    fn without_history(&self) -> Self {
        self.clone()
    }

    /// The variant, including the actual board size.
    fn variant(&self) -> Variant;

    /// The seat that moves next. After the end of the game: the seat that would have moved.
    fn to_move(&self) -> Seat;

    /// The kind of decision that comes next.
    fn phase(&self) -> Phase {
        Phase::Play
    }

    /// Whether players can still exchange sides after this decision. Then the best choice is a
    /// balanced position.
    fn sides_may_change(&self) -> bool {
        false
    }

    /// What the mover must choose, for people, in one sentence without a full stop: `choose swap or
    /// keep`. `None` in ordinary play.
    fn prompt(&self) -> Option<String> {
        None
    }

    /// The position of ordinary play after a legal move if every later decision keeps the current
    /// state: offered stones are placed and sides stay as this move leaves them. With it, an
    /// ordinary search can evaluate the decisions of a procedure.
    fn after_defaults(&self, mv: Self::Move) -> Self {
        let mut after = self.clone();
        after.make(mv);
        after
    }

    /// The side of a seat.
    fn side(seat: Seat) -> Side {
        Side(seat.0 & 1)
    }

    /// The current name of `side`: the colour it plays.
    fn side_name(&self, side: Side) -> &'static str {
        Self::INFO.sides[usize::from(side.0)]
    }

    /// Appends moves in a fixed order. [`MoveSet::All`] appends every legal move, and none after
    /// the end of the game (see [`GameInfo::adjudicates`] for the exception). Where the legality
    /// test is expensive, moves may be pseudo-legal: filter them with
    /// [`is_legal`](Rules::is_legal). Fouls are never legal.
    fn generate(&self, what: MoveSet, out: &mut Vec<Self::Move>);

    /// Whether a generated move is legal.
    fn is_legal(&self, _generated: Self::Move) -> bool {
        true
    }

    /// The number of legal moves of [`generate`](Rules::generate), where counting is cheaper than
    /// listing. `None` otherwise.
    fn count_moves(&self) -> Option<u64> {
        None
    }

    /// The legal move with this index from 0 in the order of [`generate`](Rules::generate), where
    /// that needs no list; [`count_moves`](Rules::count_moves) then returns the count. `None` if a
    /// list is needed, or if there are fewer moves. For random games.
    fn nth_move(&self, _number: u64) -> Option<Self::Move> {
        None
    }

    /// Reads the text of a legal move or of a foul in this position. To play the result, call
    /// [`make_parsed`](Rules::make_parsed). The error is one sentence that fits after "`text` is
    /// refused: ".
    fn parse_move(&self, text: &str) -> Result<Self::Move, String>;

    /// Appends the canonical text of a move that [`parse_move`](Rules::parse_move) returned here.
    fn write_move(&self, mv: Self::Move, out: &mut String);

    /// Appends a legal move in the notation that people write in files, such as SAN in chess.
    /// [`parse_move`](Rules::parse_move) reads it. Default: nothing, and the canonical text is
    /// used.
    fn write_notation(&self, _mv: Self::Move, _out: &mut String) {}

    /// Plays a generated, legal move; see "Making moves".
    fn make(&mut self, mv: Self::Move) -> Self::Undo;

    /// Plays a move that [`parse_move`](Rules::parse_move) returned: like [`make`](Rules::make),
    /// but also accepts a foul, which ends the game.
    fn make_parsed(&mut self, mv: Self::Move) -> Self::Undo {
        self.make(mv)
    }

    /// Takes back the last move.
    fn unmake(&mut self, undo: Self::Undo);

    /// Passes the turn for a null-move search. `None` if a null move is meaningless or not allowed
    /// here.
    fn make_null(&mut self) -> Option<Self::Undo> {
        None
    }

    /// How the game ended, or `None` while it is in progress.
    fn outcome(&self) -> Option<Outcome>;

    /// The results of sides 0 and 1 when the game has this outcome, as [`Ending::scores`] has them:
    /// the side with the higher score has won. Default: the score and its negative; in games
    /// without a margin, 1 for a win and -1 for a loss.
    ///
    /// [`Ending::scores`]: crate::Ending::scores
    fn side_scores(&self, outcome: &Outcome) -> [i32; 2] {
        let lead = match (outcome.score, outcome.winner) {
            (0, Some(Side(0))) => 1,
            (0, Some(_)) => -1,
            (score, _) => score,
        };
        [lead, -lead]
    }

    /// A hash of placement and side to move, updated incrementally. It excludes history and
    /// counters.
    fn hash(&self) -> u64;

    /// The [`hash`](Rules::hash) after a generated, legal move, where that is cheaper to compute
    /// than the move. `None` otherwise.
    fn hash_after(&self, _mv: Self::Move) -> Option<u64> {
        None
    }

    /// A hash that is equal for positions of ordinary play that are symmetric to each other. Slow.
    /// Games without symmetry return [`hash`](Rules::hash).
    fn symmetric_hash(&self) -> u64 {
        self.hash()
    }

    /// Plays a move given as text if it is legal or a foul. On error the position is unchanged.
    fn play(&mut self, text: &str) -> Result<(Self::Move, Self::Undo), Refusal> {
        let mv =
            self.parse_move(text).map_err(|reason| Refusal { text: text.to_owned(), reason })?;
        let undo = self.make_parsed(mv);
        Ok((mv, undo))
    }

    /// The board as data, with the legal moves and the last move marked. Any client draws it.
    /// Default: none.
    fn board(&self, _last: Option<Self::Move>) -> Option<Board> {
        None
    }

    /// Appends a text diagram of the board for a terminal, in ASCII or box characters, with lines
    /// ended by `\n` and the last move marked. Default: the [`board`](Rules::board) as text, or
    /// else the position text.
    fn write_diagram(&self, last: Option<Self::Move>, out: &mut String) {
        match self.board(last) {
            Some(board) => out.push_str(&board.diagram()),
            None => {
                self.write_position(out);
                out.push('\n');
            }
        }
    }

    /// The name of the opening that leads to exactly this position. Default: none.
    fn opening(&self) -> Option<OpeningName> {
        None
    }

    /// Game-specific fields of a `rules` answer: names with JSON texts as values, such as
    /// `("in_check", "true")`.
    fn facts(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }
}
