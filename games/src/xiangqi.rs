//! Xiangqi (Chinese chess) under the rules of current computer matches: a side without a move
//! loses; a side that perpetually checks or chases loses at the third occurrence of a position.
//! Contains the position and its rules; the board, repetition, texts and file formats are in the
//! submodules.
//!
//! # Move texts
//! Two points, such as `h2e2`: files a to i from red's left, ranks 0 to 9 from red's edge.
//!
//! # Position texts
//! FEN, followed by ` moves …` with the moves since the last capture, because repetition and the
//! ply count depend on them.
//!
//! # Moves after an end
//! Repetition, the ply count and insufficient material end the game although the pieces can still
//! move. Then no move can be played. But the moves of the pieces are still listed, and perft counts
//! move sequences only, as all published tables do.
//!
//! ```
//! use sandboard_games::{Rules, xiangqi::{INFO, Xiangqi}};
//!
//! let mut game = Xiangqi::start(&INFO.variant("computer").unwrap());
//! game.play("h2e2").unwrap();
//! let mut text = String::new();
//! game.write_position(&mut text);
//! let start = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1";
//! assert_eq!(text, format!("{start} moves h2e2"));
//! ```

mod attacks;
mod board;
mod chase;
mod diagram;
mod ending;
mod formats;
mod history;
mod key;
mod lines;
mod moves;
mod notation;
mod openings;
mod position;
mod queries;
mod square;

#[cfg(test)]
mod tests;

use crate::erased::Game;
use crate::info::{Features, GameInfo, Variant, VariantInfo};
use crate::opening_names::OpeningName;
use crate::rules::{MoveSet, Outcome, PositionError, Rules, Seat};
use board::{Board, EMPTY, piece_of, slots_of};
pub use ending::{RepetitionCause, RepetitionVerdict};
use history::HistoryEntry;
pub use moves::MoveList;
use moves::{MoveCounter, MoveProbe};
pub(crate) use notation::Style;
pub use square::{Color, FILES, Move, Piece, PieceKind, RANKS, Square};

/// The row of xiangqi in the table of games.
pub static INFO: GameInfo = GameInfo {
    id: "xiangqi",
    name: "Xiangqi",
    seats: 2,
    sides: &[Color::Red.name(), Color::Black.name()],
    features: Features::NONE,
    variants: &[VariantInfo {
        id: COMPUTER,
        about: "rules of computer matches: perpetual check and chase lose at the third \
                occurrence of a position (as Pikafish judges them), 120 plies without a capture \
                are a draw",
        sizes: None,
        default_size: 0,
        setting: None,
        seats: None,
    }],
    move_texts: "two points, each a file a to i and a rank 0 to 9 from red's edge: h2e2",
    adjudicates: true,
    deal: None,
    formats: &formats::FORMATS,
    new: &Game::<Xiangqi>::set_up,
    plugged_in: None,
};

const COMPUTER: &str = "computer";

/// A position of xiangqi, with the moves played since it was set up.
///
/// # Equality
/// Two positions are equal if pieces, points and side to move are equal, the ply counts since the
/// last capture are equal, and the same positions occurred since then.
#[derive(Clone, Debug)]
pub struct Xiangqi {
    board: Board,
    /// Whether the side to move is in check.
    in_check: bool,
    /// Counted plies since the last capture.
    count: u16,
    /// Checks given by each side since the last capture.
    checks: [u16; 2],
    /// Move number of the FEN, incremented after black's move.
    number: u32,
    /// Every move since the position was set up.
    history: Vec<HistoryEntry>,
    /// Index in `history` of the first move that repetition considers, the one after the last
    /// capture.
    repetition_start: usize,
}

/// Takes back one move of [`Xiangqi`]. Empty, because the position stores the history.
#[derive(Clone, Copy, Debug)]
pub struct Undo(());

/// A move that was played, see [`Xiangqi::last_move`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlayedMove {
    /// The move played.
    pub mv: Move,
    /// The piece that moved.
    pub piece: Piece,
    /// The captured piece.
    pub taken: Option<Piece>,
}

impl Xiangqi {
    fn new(board: Board, count: u16, number: u32) -> Xiangqi {
        let in_check = board.is_checked();
        let history = Vec::new();
        Xiangqi { board, in_check, count, checks: [0; 2], number, history, repetition_start: 0 }
    }

    /// Colour that moves next.
    #[inline]
    pub fn color_to_move(&self) -> Color {
        self.board.mover
    }

    /// The piece on a point.
    #[inline]
    pub fn piece_at(&self, square: Square) -> Option<Piece> {
        self.board.piece_at(square)
    }

    /// The number of pieces of this colour and kind.
    #[inline]
    pub fn count(&self, piece: Piece) -> u32 {
        self.board.count(piece)
    }

    /// The point of a colour's king.
    #[inline]
    pub fn king(&self, color: Color) -> Square {
        self.board.king(color)
    }

    /// The points of the pieces of this colour and kind, in unspecified order.
    #[inline]
    pub fn squares(&self, piece: Piece) -> impl Iterator<Item = Square> + '_ {
        let (first, count) = slots_of(piece.kind);
        let base = (piece.color.index() as u8) << 4 | first;
        (base..base + count)
            .map(|slot| self.board.square_of(slot))
            .filter(|&square| square != Square::NONE)
    }

    /// All pieces and their points, in unspecified order.
    #[inline]
    pub fn pieces(&self) -> impl Iterator<Item = (Piece, Square)> + '_ {
        let mut left = self.board.alive();
        std::iter::from_fn(move || {
            let slot = (left != 0).then(|| left.trailing_zeros() as u8)?;
            left &= left - 1;
            Some((piece_of(slot), self.board.square_of(slot)))
        })
    }

    /// Whether the side to move is in check.
    #[inline]
    pub fn in_check(&self) -> bool {
        self.in_check
    }

    /// Whether a legal move of this position gives check.
    #[inline]
    pub fn gives_check(&self, mv: Move) -> bool {
        let other = self.board.mover.other();
        self.board.is_attacked(other, self.board.king(other), mv)
    }

    /// Whether any move, possibly from another position, is legal here by the movement of the
    /// pieces, even if the game is over.
    #[inline]
    pub fn is_move(&self, mv: Move) -> bool {
        self.board.is_move(mv)
    }

    /// Whether the piece on `mv.from` can move to `mv.to` by its movement rules, regardless of turn
    /// and of its king's safety.
    #[inline]
    pub fn can_reach(&self, mv: Move) -> bool {
        self.board.can_reach(mv)
    }

    /// Appends the legal moves to a list, like [`Rules::generate`].
    #[inline]
    pub fn moves(&self, set: MoveSet, out: &mut MoveList) {
        self.board.legal(set, self.in_check, out);
    }

    /// Whether the side to move has a legal move.
    #[inline]
    pub(crate) fn has_move(&self) -> bool {
        let mut any = MoveProbe(false);
        self.board.legal(MoveSet::All, self.in_check, &mut any);
        any.0
    }

    /// The last move, if one was played since the position was set up.
    #[inline]
    pub fn last_move(&self) -> Option<PlayedMove> {
        let entry = self.history.last().filter(|entry| entry.mv != Move::NONE)?;
        let taken = (entry.taken < EMPTY).then(|| piece_of(entry.taken));
        let piece = self.board.piece_at(entry.mv.to)?;
        Some(PlayedMove { mv: entry.mv, piece, taken })
    }

    /// Plies since the last capture, without the checks of each side after its tenth.
    #[inline]
    pub fn plies_since_capture(&self) -> u16 {
        self.count
    }
}

/// Whether a text looks like a coordinate move text, valid or not.
fn looks_like_coordinates(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

impl Eq for Xiangqi {}

impl PartialEq for Xiangqi {
    fn eq(&self, other: &Self) -> bool {
        let keys = |game: &Self| -> Vec<u64> {
            game.history[game.repetition_start..].iter().map(|entry| entry.key).collect()
        };
        self.count == other.count
            && self.checks == other.checks
            && self.board.is_same(&other.board)
            && keys(self) == keys(other)
    }
}

impl Rules for Xiangqi {
    type Move = Move;
    type Undo = Undo;

    const INFO: &'static GameInfo = &INFO;

    fn start(_variant: &Variant) -> Self {
        Self::new(position::start(), 0, 1)
    }

    fn parse_position(_variant: &Variant, text: &str) -> Result<Self, PositionError> {
        position::read(text)
    }

    fn write_position(&self, out: &mut String) {
        position::write(self, out);
    }

    /// Resets repetition and the ply count.
    fn without_history(&self) -> Self {
        Self::new(self.board.clone(), 0, self.number)
    }

    fn variant(&self) -> Variant {
        Variant { id: COMPUTER, size: None, setting: None }
    }

    #[inline]
    fn to_move(&self) -> Seat {
        Seat(self.board.mover as u8)
    }

    /// Noisy moves are captures, and in check all moves.
    #[inline]
    fn generate(&self, set: MoveSet, out: &mut Vec<Move>) {
        self.board.legal(set, self.in_check, out);
    }

    #[inline]
    fn count_moves(&self) -> Option<u64> {
        let mut count = MoveCounter(0);
        self.board.legal(MoveSet::All, self.in_check, &mut count);
        Some(count.0)
    }

    fn parse_move(&self, text: &str) -> Result<Move, String> {
        match position::read_move(text) {
            Ok(mv) => self.refusal_reason(mv).map_or(Ok(mv), Err),
            // It may be in a notation for people. But a text that looks like coordinates gets the
            // coordinate error.
            Err(reason) if text.len() < 4 || looks_like_coordinates(text) => Err(reason),
            Err(_) => self.read_styled(text),
        }
    }

    fn write_move(&self, mv: Move, out: &mut String) {
        // Avoids the formatter: engines write principal variations often.
        mv.from.write(out);
        mv.to.write(out);
    }

    #[inline]
    fn make(&mut self, mv: Move) -> Undo {
        self.advance(mv);
        Undo(())
    }

    #[inline]
    fn unmake(&mut self, _undo: Undo) {
        self.retreat();
    }

    /// A side in check cannot pass. Positions before a null move do not count for repetition.
    #[inline]
    fn make_null(&mut self) -> Option<Undo> {
        if self.in_check {
            return None;
        }
        self.advance_null();
        Some(Undo(()))
    }

    fn outcome(&self) -> Option<Outcome> {
        self.ending()
    }

    #[inline]
    fn hash(&self) -> u64 {
        self.board.key
    }

    #[inline]
    fn hash_after(&self, mv: Move) -> Option<u64> {
        Some(self.board.key_after(mv))
    }

    fn symmetric_hash(&self) -> u64 {
        let mut mirrored = Board::new(self.board.mover);
        for (piece, square) in self.pieces() {
            mirrored.put(piece, square.mirrored());
        }
        self.board.key.min(mirrored.key)
    }

    fn write_diagram(&self, last: Option<Move>, out: &mut String) {
        diagram::write_diagram(self, last, out);
    }

    fn opening(&self) -> Option<OpeningName> {
        openings::find(self)
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        diagram::facts(self)
    }
}
