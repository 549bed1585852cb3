//! Reversi, as Othello is played: the side whose disc closes a line turns all
//! between; who has more discs at the end wins. 8×8 in two words, and other even
//! sizes from 4 to 16. Here are the position and its rules; boards, texts, pictures
//! and file formats are in the files beside.
//!
//! Move texts are squares, `f5`: columns from `a` at the left, rows from 1 at the
//! top; and `pass`, the only move of a side that can put no disc while the other
//! can. The game is over when neither can: two passes in a row would change nothing
//! and are not played. So no position depends on the moves that led to it.
//!
//! Position texts are the discs from a1 on, b1, …, row by row, `X` black, `O` white,
//! `-` none, then a blank and the side to move, `X` or `O`.
//!
//! ```
//! use sandboard_games::{Rules, reversi::{INFO, Reversi}};
//!
//! let mut game = Reversi::start(&INFO.variant("standard-4").unwrap());
//! game.play("a2").unwrap();
//! let mut text = String::new();
//! game.write_position(&mut text);
//! assert_eq!(text, "----XXX--XO----- O");
//! ```

pub mod bits;
mod board;
mod formats;
mod key;
mod notation;
mod picture;
mod square;
mod wide;

#[cfg(test)]
mod tests;

use crate::erased::Game;
use crate::info::{GameInfo, Sizes, Variant, VariantInfo};
use crate::rules::{Generate, Outcome, PositionError, Rules, Seat, Side};
use board::{Board, USUAL_SIZE};
pub use square::{Color, MAX_SIZE, MIN_SIZE, Move, Square};

/// The row of reversi in the table of games.
pub static INFO: GameInfo = GameInfo {
    id: "reversi",
    name: "Reversi",
    seats: 2,
    sides: [Color::Black.name(), Color::White.name()],
    variants: &[VariantInfo {
        id: STANDARD,
        about: "as Othello: four discs crosswise in the middle, black begins",
        sizes: Some(Sizes::every_other(MIN_SIZE, MAX_SIZE)),
        usual_size: USUAL_SIZE,
        setting: None,
    }],
    move_texts: "a square: the letter of its column and the number of its row, from the upper left: \
                 f5; pass where no disc can be put",
    adjudicates: false,
    deal: None,
    formats: &formats::FORMATS,
    new: Game::<Reversi>::set_up,
};

const STANDARD: &str = "standard";

/// A position of reversi.
///
/// # Equality
/// Equal are positions of the same size with the same discs and side to move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reversi {
    board: Board,
    mover: Color,
    /// Neither side can put a disc.
    over: bool,
}

/// What takes back a move of [`Reversi`]: the board before it.
#[derive(Clone, Copy, Debug)]
pub struct Undo(Board);

impl Reversi {
    fn new(board: Board, mover: Color) -> Reversi {
        Reversi { over: board.is_over(), board, mover }
    }

    /// The 8×8 position with these discs, of who moves and of the other, as
    /// [`discs`](Self::discs) gives them. `None`: two discs lie on one square.
    pub fn from_discs(own: u64, opponent: u64, mover: Color) -> Option<Reversi> {
        let board = || Board::eight(own, opponent);
        (own & opponent == 0).then(|| Self::new(board(), mover))
    }

    /// On 8×8 the discs of who moves and of the other, in the words of [`bits`].
    #[inline]
    pub fn discs(&self) -> Option<(u64, u64)> {
        match &self.board {
            Board::Eight(eight) => Some((eight.own, eight.opponent)),
            Board::Wide(_) => None,
        }
    }

    /// On 8×8 the squares on which who moves can put a disc, as a word of [`bits`].
    #[inline]
    pub fn moves(&self) -> Option<u64> {
        match &self.board {
            Board::Eight(eight) => Some(eight.moves()),
            Board::Wide(_) => None,
        }
    }

    /// How many squares are empty.
    #[inline]
    pub fn empties(&self) -> u32 {
        self.board.empties()
    }

    /// How many rows, and how many columns, the board has.
    pub fn size(&self) -> u8 {
        self.board.size()
    }

    /// The colour that moves next.
    #[inline]
    pub fn color_to_move(&self) -> Color {
        self.mover
    }

    /// The disc on a square; none also off the board.
    pub fn disc_at(&self, square: Square) -> Option<Color> {
        let on_board = square.column() < self.size() && square.row() < self.size();
        on_board.then(|| self.board.disc_at(square, self.mover)).flatten()
    }

    /// Whether who moves can put no disc while the other can.
    #[inline]
    pub fn must_pass(&self) -> bool {
        !self.over && !self.board.can_move()
    }

    /// How many discs a colour has.
    pub fn count(&self, color: Color) -> u32 {
        let (own, opponent) = self.board.counts();
        if color == self.mover { own } else { opponent }
    }

    /// Among how many squares a colour could choose if it moved.
    pub fn mobility(&self, color: Color) -> u32 {
        if color == self.mover { self.board.mobility() } else { self.board.passed().mobility() }
    }

    /// What black has more than white, with the empty squares for who has more.
    pub fn score(&self) -> i32 {
        let [black, white] = Color::ALL.map(|color| self.count(color) as i32);
        let lead = black - white;
        lead + lead.signum() * self.empties() as i32
    }

    /// Why a square is no move here.
    fn why_not(&self, square: Square) -> String {
        if let Some(color) = self.disc_at(square) {
            return format!("a {} disc is on {square}", color.name());
        }
        match self.board.can_move() {
            true => format!("a disc on {square} would flip none"),
            false => format!("{} can put no disc anywhere and must pass", self.mover.name()),
        }
    }

    #[inline]
    fn finished(&self) -> Outcome {
        let score = self.score();
        let winner = match score.signum() {
            1 => Some(Side(0)),
            -1 => Some(Side(1)),
            _ => None,
        };
        let reason = if self.empties() == 0 { "board full" } else { "nobody can move" };
        Outcome { winner, reason, score }
    }
}

impl Rules for Reversi {
    type Move = Move;
    type Undo = Undo;

    const INFO: &'static GameInfo = &INFO;

    fn start(variant: &Variant) -> Self {
        let size = variant.size.unwrap_or(USUAL_SIZE);
        let (low, high) = (size / 2 - 1, size / 2);
        let at = |column, row| Square::new(column, row);
        let black = [at(high, low), at(low, high)].into_iter().flatten();
        let white = [at(low, low), at(high, high)].into_iter().flatten();
        Self::new(Board::new(size, black, white), Color::Black)
    }

    fn parse_position(variant: &Variant, text: &str) -> Result<Self, PositionError> {
        let (board, mover) = notation::read_position(text, variant.size)?;
        Ok(Self::new(board, mover))
    }

    fn write_position(&self, out: &mut String) {
        notation::write_position(&self.board, self.mover, out);
    }

    fn variant(&self) -> Variant {
        Variant { id: STANDARD, size: Some(self.size()), setting: None }
    }

    #[inline]
    fn to_move(&self) -> Seat {
        Seat(self.mover as u8)
    }

    /// Noisy are the forced pass, behind which a quiet evaluation sees who really
    /// moves, and discs in corners, which nothing turns again.
    #[inline]
    fn generate(&self, what: Generate, out: &mut Vec<Move>) {
        if self.over {
            return;
        }
        if !self.board.can_move() {
            out.push(Move::Pass);
            return;
        }
        match what {
            Generate::All => self.board.for_each_move(|square| out.push(Move::Disc(square))),
            Generate::Noisy => {
                let last = self.size() - 1;
                let corner = |line: u8| line == 0 || line == last;
                self.board.for_each_move(|square| {
                    if corner(square.column()) && corner(square.row()) {
                        out.push(Move::Disc(square));
                    }
                });
            }
        }
    }

    fn parse_move(&self, text: &str) -> Result<Move, String> {
        if self.over {
            return Err(format!("the game is over: {}", self.finished().reason));
        }
        if text == "pass" {
            return match self.board.can_move() {
                true => Err(format!("{} can put a disc and must not pass", self.mover.name())),
                false => Ok(Move::Pass),
            };
        }
        let square = notation::read_square(text, self.size())?;
        match self.board.is_move(square) {
            true => Ok(Move::Disc(square)),
            false => Err(self.why_not(square)),
        }
    }

    fn write_move(&self, mv: Move, out: &mut String) {
        match mv {
            // Formatting costs; engines write principal variations often.
            Move::Disc(square) => square.write(out),
            Move::Pass => out.push_str("pass"),
        }
    }

    #[inline]
    fn make(&mut self, mv: Move) -> Undo {
        let undo = Undo(self.board);
        match mv {
            Move::Disc(square) => {
                debug_assert!(self.board.is_move(square), "{mv} in {self:?}");
                self.board.put(square);
                self.over = self.board.is_over();
            }
            Move::Pass => {
                debug_assert!(!self.over && !self.board.can_move(), "a pass in {self:?}");
                self.board = self.board.passed();
            }
        }
        self.mover = self.mover.other();
        undo
    }

    #[inline]
    fn unmake(&mut self, undo: Undo) {
        self.board = undo.0;
        self.mover = self.mover.other();
        self.over = false;
    }

    #[inline]
    fn outcome(&self) -> Option<Outcome> {
        if self.over { Some(self.finished()) } else { None }
    }

    #[inline]
    fn hash(&self) -> u64 {
        key::of(&self.board, self.mover)
    }

    fn symmetric_hash(&self) -> u64 {
        key::symmetric(&self.board, self.mover)
    }

    fn write_board(&self, last: Option<Move>, out: &mut String) {
        picture::write_board(self, last.and_then(Move::square), out);
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        picture::facts(self)
    }
}
