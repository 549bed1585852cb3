//! Reversi (Othello): a disc flips the opponent's discs that it encloses; the side with more discs
//! at the end wins. 8×8 is stored in two words; other even sizes from 4 to 16 in 256-bit sets.
//! Contains the position and its rules; boards, texts, diagrams and file formats are in the
//! submodules.
//!
//! # Move texts
//! A square such as `f5`: columns from `a` at the left, rows from 1 at the top. `pass` is the only
//! move of a side that cannot place a disc while the other can. The game ends when neither side can
//! move, so two passes in a row never occur. No position depends on the moves that led to it.
//!
//! # Position texts
//! The squares in the order a1, b1, …, row by row: `X` black, `O` white, `-` empty. Then a space
//! and the side to move, `X` or `O`.
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
mod diagram;
mod formats;
mod key;
mod notation;
mod openings;
mod square;
mod wide;

#[cfg(test)]
mod tests;

use crate::erased::Game;
use crate::info::{Features, GameInfo, Sizes, Variant, VariantInfo};
use crate::messages;
use crate::opening_names::OpeningName;
use crate::rules::{MoveSet, Outcome, PositionError, Rules, Seat, Side};
use board::{Board, DEFAULT_SIZE};
pub use square::{Color, MAX_SIZE, MIN_SIZE, Move, Square};

/// The row of reversi in the table of games.
pub static INFO: GameInfo = GameInfo {
    id: "reversi",
    name: "Reversi",
    seats: 2,
    sides: &[Color::Black.name(), Color::White.name()],
    features: Features::NONE,
    variants: &[VariantInfo {
        id: STANDARD,
        about: "like Othello: four discs crosswise in the centre, black moves first",
        sizes: Some(Sizes::every_other(MIN_SIZE, MAX_SIZE)),
        default_size: DEFAULT_SIZE,
        setting: None,
        seats: None,
    }],
    move_texts: "a square: column letter and row number, counted from the upper left: f5; pass if no \
                 disc can be placed",
    adjudicates: false,
    deal: None,
    formats: &formats::FORMATS,
    new: &Game::<Reversi>::set_up,
    plugged_in: None,
};

const STANDARD: &str = "standard";

/// A position of reversi.
///
/// # Equality
/// Two positions are equal if size, discs and side to move are equal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reversi {
    board: Board,
    mover: Color,
    /// Whether neither side can move.
    over: bool,
}

/// Takes back one move of [`Reversi`]: the board before it.
#[derive(Clone, Copy, Debug)]
pub struct Undo(Board);

impl Reversi {
    fn new(board: Board, mover: Color) -> Reversi {
        Reversi { over: board.is_over(), board, mover }
    }

    /// The 8×8 position with these discs of the side to move and its opponent, as returned by
    /// [`discs`](Self::discs). `None` if the two sets overlap.
    pub fn from_discs(own: u64, opponent: u64, mover: Color) -> Option<Reversi> {
        let board = || Board::eight(own, opponent);
        (own & opponent == 0).then(|| Self::new(board(), mover))
    }

    /// On 8×8 the discs of the side to move and of its opponent, as words of [`bits`]; `None` on
    /// other sizes.
    #[inline]
    pub fn discs(&self) -> Option<(u64, u64)> {
        match &self.board {
            Board::Eight(eight) => Some((eight.own, eight.opponent)),
            Board::Wide(_) => None,
        }
    }

    /// On 8×8 the squares where the side to move can place a disc, as a word of [`bits`]; `None` on
    /// other sizes.
    #[inline]
    pub fn moves(&self) -> Option<u64> {
        match &self.board {
            Board::Eight(eight) => Some(eight.moves()),
            Board::Wide(_) => None,
        }
    }

    /// Number of empty squares.
    #[inline]
    pub fn empties(&self) -> u32 {
        self.board.empties()
    }

    /// Number of rows, which equals the number of columns.
    pub fn size(&self) -> u8 {
        self.board.size()
    }

    /// Colour that moves next.
    #[inline]
    pub fn color_to_move(&self) -> Color {
        self.mover
    }

    /// The disc on a square; `None` if it is empty or off the board.
    pub fn disc_at(&self, square: Square) -> Option<Color> {
        let on_board = square.column() < self.size() && square.row() < self.size();
        on_board.then(|| self.board.disc_at(square, self.mover)).flatten()
    }

    /// Whether the side to move has no legal square but its opponent has.
    #[inline]
    pub fn must_pass(&self) -> bool {
        !self.over && !self.board.can_move()
    }

    /// Number of discs of a colour.
    pub fn count(&self, color: Color) -> u32 {
        let (own, opponent) = self.board.counts();
        if color == self.mover { own } else { opponent }
    }

    /// Number of squares that a colour could choose from if it were to move.
    pub fn mobility(&self, color: Color) -> u32 {
        if color == self.mover { self.board.mobility() } else { self.board.after_pass().mobility() }
    }

    /// Black's discs minus white's, with the empty squares counted for the winner.
    pub fn score(&self) -> i32 {
        let [black, white] = Color::ALL.map(|color| self.count(color) as i32);
        let lead = black - white;
        lead + lead.signum() * self.empties() as i32
    }

    /// Why a square is not a legal move here.
    fn refusal_reason(&self, square: Square) -> String {
        if let Some(color) = self.disc_at(square) {
            return messages::disc_on_square(color.name(), square);
        }
        match self.board.can_move() {
            true => messages::flips_nothing(square),
            false => messages::must_pass(self.mover.name()),
        }
    }

    #[inline]
    fn final_outcome(&self) -> Outcome {
        let score = self.score();
        let winner = match score.signum() {
            1 => Some(Side(0)),
            -1 => Some(Side(1)),
            _ => None,
        };
        let full = self.empties() == 0;
        let reason = if full { messages::BOARD_FULL } else { messages::NEITHER_CAN_MOVE };
        Outcome { winner, reason, score }
    }
}

impl Rules for Reversi {
    type Move = Move;
    type Undo = Undo;

    const INFO: &'static GameInfo = &INFO;

    fn start(variant: &Variant) -> Self {
        let size = variant.size.unwrap_or(DEFAULT_SIZE);
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

    /// Noisy moves are corner discs, which can never be flipped, and the forced pass, after which a
    /// static evaluation sees the real side to move.
    #[inline]
    fn generate(&self, set: MoveSet, out: &mut Vec<Move>) {
        if self.over {
            return;
        }
        if !self.board.can_move() {
            out.push(Move::Pass);
            return;
        }
        match set {
            MoveSet::All => self.board.for_each_move(|square| out.push(Move::Disc(square))),
            MoveSet::Noisy => {
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
            return Err(messages::game_is_over(self.final_outcome().reason));
        }
        if text == "pass" {
            return match self.board.can_move() {
                true => Err(messages::must_not_pass(self.mover.name())),
                false => Ok(Move::Pass),
            };
        }
        let square = notation::read_square(text, self.size())?;
        match self.board.is_move(square) {
            true => Ok(Move::Disc(square)),
            false => Err(self.refusal_reason(square)),
        }
    }

    fn write_move(&self, mv: Move, out: &mut String) {
        match mv {
            // Avoids the formatter: engines write principal variations often.
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
                self.board.place_disc(square);
                self.over = self.board.is_over();
            }
            Move::Pass => {
                debug_assert!(!self.over && !self.board.can_move(), "a pass in {self:?}");
                self.board = self.board.after_pass();
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
        if self.over { Some(self.final_outcome()) } else { None }
    }

    #[inline]
    fn hash(&self) -> u64 {
        key::hash(&self.board, self.mover)
    }

    fn symmetric_hash(&self) -> u64 {
        key::symmetric_hash(&self.board, self.mover)
    }

    fn write_diagram(&self, last: Option<Move>, out: &mut String) {
        diagram::write_diagram(self, last.and_then(Move::square), out);
    }

    fn opening(&self) -> Option<OpeningName> {
        openings::find(self)
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        diagram::facts(self)
    }
}
