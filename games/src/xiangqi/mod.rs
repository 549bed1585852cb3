//! Xiangqi, Chinese chess, as engines and their matches play it today: who cannot move
//! loses, whoever checks or chases for ever loses at the third occurrence of a position.
//! Here are the position and its rules; the board, repetition, texts and file formats are
//! in the files beside.
//!
//! Move texts are two points, `h2e2`: files a to i from red's left, ranks 0 to 9 from
//! red's edge. Position texts are FEN, and behind it ` moves …` since the last capture,
//! since repetition and the count of plies need them.
//!
//! # Moves after an end
//! Repetition, the count of plies and want of material are judged over a position whose
//! pieces could go on. They end the game, and no move can be played; but the moves that
//! the pieces have are still listed, and perft counts lines of moves alone, as all
//! published tables do.
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
mod ending;
mod formats;
mod history;
mod key;
mod lines;
mod moves;
mod notation;
mod picture;
mod position;
mod square;
mod views;

#[cfg(test)]
mod tests;

use crate::erased::Game;
use crate::info::{GameInfo, Variant, VariantInfo};
use crate::rules::{Generate, Outcome, PositionError, Rules, Seat};
use board::{Board, EMPTY, piece_of, slots_of};
pub use ending::{Cause, Judgement};
use history::Entry;
use moves::{Any, Count};
pub use moves::{MOST_MOVES, MoveList};
pub use notation::Style;
pub use square::{Color, FILES, Kind, Move, Piece, RANKS, Square};

/// The row of xiangqi in the table of games.
pub static INFO: GameInfo = GameInfo {
    id: "xiangqi",
    name: "Xiangqi",
    seats: 2,
    sides: [Color::Red.name(), Color::Black.name()],
    variants: &[VariantInfo {
        id: COMPUTER,
        about: "the rules of computer matches: perpetual check and chase lose at the third \
                occurrence of a position (as Pikafish judges them), 120 plies without a capture \
                are a draw",
        sizes: None,
        usual_size: 0,
        setting: None,
    }],
    move_texts: "from one point to another, each the letter of its file, a to i, and the number \
                 of its rank, 0 to 9 from red's edge: h2e2",
    adjudicates: true,
    deal: None,
    formats: &formats::FORMATS,
    new: Game::<Xiangqi>::set_up,
};

const COMPUTER: &str = "computer";

/// A position of xiangqi, with the moves that led to it since it was set up.
///
/// # Equality
/// Equal are positions with the same pieces on the same points and the same side to move,
/// whose plies since the last capture count alike and went through the same positions.
#[derive(Clone, Debug)]
pub struct Xiangqi {
    board: Board,
    /// The side to move is in check.
    checked: bool,
    /// Plies that count since the last capture.
    count: u16,
    /// Checks that each side has given since then.
    checks: [u16; 2],
    /// The number of the move, which goes up after black's.
    number: u32,
    /// Every move since the position was set up.
    history: Vec<Entry>,
    /// The first of them that repetition looks at: those behind the last capture.
    since: usize,
}

/// What takes back a move of [`Xiangqi`]; all of it is in the position.
#[derive(Clone, Copy, Debug)]
pub struct Undo(());

/// A move that was made, as [`Xiangqi::last`] tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Made {
    /// The move.
    pub mv: Move,
    /// What moved.
    pub piece: Piece,
    /// What it took.
    pub taken: Option<Piece>,
}

impl Xiangqi {
    fn new(board: Board, count: u16, number: u32) -> Xiangqi {
        let checked = board.is_checked();
        let history = Vec::new();
        Xiangqi { board, checked, count, checks: [0; 2], number, history, since: 0 }
    }

    /// The colour that moves next.
    #[inline]
    pub fn color_to_move(&self) -> Color {
        self.board.mover
    }

    /// What stands on a point.
    #[inline]
    pub fn piece_at(&self, square: Square) -> Option<Piece> {
        self.board.piece_at(square)
    }

    /// How many of a piece there are.
    #[inline]
    pub fn count(&self, piece: Piece) -> u32 {
        self.board.count(piece)
    }

    /// Where the king of a colour stands.
    #[inline]
    pub fn king(&self, color: Color) -> Square {
        self.board.king(color)
    }

    /// Where the pieces of a colour and kind stand, in no order that the position fixes.
    #[inline]
    pub fn squares(&self, piece: Piece) -> impl Iterator<Item = Square> + '_ {
        let (first, count) = slots_of(piece.kind);
        let base = (piece.color.index() as u8) << 4 | first;
        (base..base + count)
            .map(|slot| self.board.square_of(slot))
            .filter(|&square| square != Square::NONE)
    }

    /// Every piece and where it stands, in no order that the position fixes.
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
        self.checked
    }

    /// Whether a legal move of this position gives check.
    #[inline]
    pub fn gives_check(&self, mv: Move) -> bool {
        let other = self.board.mover.other();
        self.board.is_attacked(other, self.board.king(other), mv)
    }

    /// Whether a move, of any other position perhaps, is legal here as far as the pieces
    /// know, whether or not the game is over.
    #[inline]
    pub fn is_move(&self, mv: Move) -> bool {
        self.board.is_move(mv)
    }

    /// Whether the piece on `mv.from` goes to `mv.to` by its way of moving, whoever's turn
    /// it is and whatever that leaves of its king.
    #[inline]
    pub fn goes(&self, mv: Move) -> bool {
        self.board.goes(mv)
    }

    /// Puts the legal moves into a list, as [`Rules::generate`] does.
    #[inline]
    pub fn moves(&self, what: Generate, out: &mut MoveList) {
        self.board.legal(what, self.checked, out);
    }

    /// Whether the side to move has a move.
    #[inline]
    pub fn has_move(&self) -> bool {
        let mut any = Any(false);
        self.board.legal(Generate::All, self.checked, &mut any);
        any.0
    }

    /// The move that was made last, if one was since the position was set up.
    #[inline]
    pub fn last(&self) -> Option<Made> {
        let entry = self.history.last().filter(|entry| entry.mv != Move::NONE)?;
        let taken = (entry.taken < EMPTY).then(|| piece_of(entry.taken));
        let piece = self.board.piece_at(entry.mv.to)?;
        Some(Made { mv: entry.mv, piece, taken })
    }

    /// Plies since the last capture, without each side's checks after its tenth.
    #[inline]
    pub fn plies_counted(&self) -> u16 {
        self.count
    }
}

/// Whether a text looks like a move text of ours, right or wrong.
fn is_plain(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

impl Eq for Xiangqi {}

impl PartialEq for Xiangqi {
    fn eq(&self, other: &Self) -> bool {
        let keys = |game: &Self| -> Vec<u64> {
            game.history[game.since..].iter().map(|entry| entry.key).collect()
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

    /// Neither positions nor plies without a capture are counted from before.
    fn anew(&self) -> Self {
        Self::new(self.board.clone(), 0, self.number)
    }

    fn variant(&self) -> Variant {
        Variant { id: COMPUTER, size: None, setting: None }
    }

    #[inline]
    fn to_move(&self) -> Seat {
        Seat(self.board.mover as u8)
    }

    /// Noisy are captures, and in check every move.
    #[inline]
    fn generate(&self, what: Generate, out: &mut Vec<Move>) {
        self.board.legal(what, self.checked, out);
    }

    #[inline]
    fn count_moves(&self) -> Option<u64> {
        let mut count = Count(0);
        self.board.legal(Generate::All, self.checked, &mut count);
        Some(count.0)
    }

    fn parse_move(&self, text: &str) -> Result<Move, String> {
        match position::read_move(text) {
            Ok(mv) => self.why_not(mv).map_or(Ok(mv), Err),
            // As people write it, perhaps; what is plainly ours is told why it is wrong.
            Err(reason) if text.len() < 4 || is_plain(text) => Err(reason),
            Err(_) => self.read_styled(text),
        }
    }

    fn write_move(&self, mv: Move, out: &mut String) {
        // Formatting costs; engines write principal variations often.
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

    /// A side in check cannot pass. What was before a passed turn counts for no repetition.
    #[inline]
    fn make_null(&mut self) -> Option<Undo> {
        if self.checked {
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

    fn write_board(&self, last: Option<Move>, out: &mut String) {
        picture::write_board(self, last, out);
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        picture::facts(self)
    }
}
