//! Pieces on points, and the turn. Every piece has a slot for the whole game, so that it can be
//! identified after it moves. Points map to slots, slots to points, and ranks and files are kept as
//! bit words ([`lines`](super::lines)). Contains no verdicts.

use super::key;
use super::lines::{WALL, ones};
use super::square::{Color, Move, Piece, PieceKind, Square};

/// Marks an empty point.
pub(super) const EMPTY: u8 = 32;
/// Marks an index that is not a point.
const OUTSIDE: u8 = 48;

/// The kinds of a side's sixteen slots; black's slots are 16 higher.
pub(super) const SLOTS: [PieceKind; 16] = [
    PieceKind::King,
    PieceKind::Advisor,
    PieceKind::Advisor,
    PieceKind::Elephant,
    PieceKind::Elephant,
    PieceKind::Horse,
    PieceKind::Horse,
    PieceKind::Rook,
    PieceKind::Rook,
    PieceKind::Cannon,
    PieceKind::Cannon,
    PieceKind::Pawn,
    PieceKind::Pawn,
    PieceKind::Pawn,
    PieceKind::Pawn,
    PieceKind::Pawn,
];

/// The slots of a kind for red: first slot and number.
#[inline]
pub(super) const fn slots_of(kind: PieceKind) -> (u8, u8) {
    match kind {
        PieceKind::King => (0, 1),
        PieceKind::Advisor => (1, 2),
        PieceKind::Elephant => (3, 2),
        PieceKind::Horse => (5, 2),
        PieceKind::Rook => (7, 2),
        PieceKind::Cannon => (9, 2),
        PieceKind::Pawn => (11, 5),
    }
}

/// The piece of a slot, also of a captured one.
#[inline]
pub(super) fn piece_of(slot: u8) -> Piece {
    let color = if slot & 16 == 0 { Color::Red } else { Color::Black };
    Piece { color, kind: SLOTS[usize::from(slot & 15)] }
}

/// Pieces on points, and the side to move.
#[derive(Clone, Debug)]
pub(super) struct Board {
    /// By point: its slot, [`EMPTY`] or [`OUTSIDE`]; 256 entries, so that no byte index is out of
    /// bounds.
    at: [u8; 256],
    /// By slot: its point; [`Square::NONE`] if it is captured or unused.
    squares: [Square; 32],
    /// The pieces on each rank and file, as bits.
    ranks: [u16; 16],
    files: [u16; 16],
    /// The same per colour.
    own_ranks: [[u16; 16]; 2],
    own_files: [[u16; 16]; 2],
    /// A bit for each slot on the board.
    alive: u32,
    pub(super) mover: Color,
    pub(super) key: u64,
}

impl Board {
    /// An empty board.
    pub(super) fn new(mover: Color) -> Board {
        let mut at = [OUTSIDE; 256];
        for square in Square::all() {
            at[usize::from(square.0)] = EMPTY;
        }
        let key = if mover == Color::Black { key::BLACK_TO_MOVE } else { 0 };
        Board {
            at,
            squares: [Square::NONE; 32],
            ranks: [WALL; 16],
            files: [0; 16],
            own_ranks: [[0; 16]; 2],
            own_files: [[0; 16]; 2],
            alive: 0,
            mover,
            key,
        }
    }

    /// Places a piece on an empty point. Returns `false` if its side already has all of its kind.
    pub(super) fn put(&mut self, piece: Piece, square: Square) -> bool {
        let (first, count) = slots_of(piece.kind);
        let base = (piece.color.index() as u8) << 4 | first;
        let free = (base..base + count).find(|slot| self.alive >> slot & 1 == 0);
        if let Some(slot) = free {
            self.set(slot, square);
        }
        free.is_some()
    }

    /// The slot on a point, [`EMPTY`], or a larger number off the board.
    #[inline]
    pub(super) fn slot_at(&self, square: Square) -> u8 {
        self.at[usize::from(square.0)]
    }

    /// Whether a point is on the board and empty.
    #[inline]
    pub(super) fn is_empty(&self, square: Square) -> bool {
        self.slot_at(square) == EMPTY
    }

    /// Whether a piece of this colour can end its move on a point: it is on the board and has no
    /// own piece.
    #[inline]
    pub(super) fn can_land(&self, color: Color, square: Square) -> bool {
        // Slots are below 16 for red, below 32 for black; EMPTY is below 48.
        let lands: u8 = if color == Color::Red { 0b0110 } else { 0b0101 };
        lands >> (self.slot_at(square) >> 4) & 1 != 0
    }

    pub(super) fn piece_at(&self, square: Square) -> Option<Piece> {
        let slot = self.slot_at(square);
        (slot < EMPTY).then(|| piece_of(slot))
    }

    /// The point of a slot's piece.
    #[inline]
    pub(super) fn square_of(&self, slot: u8) -> Square {
        self.squares[usize::from(slot & 31)]
    }

    /// The slots on the board, as bits.
    #[inline]
    pub(super) fn alive(&self) -> u32 {
        self.alive
    }

    /// The point of a colour's king.
    #[inline]
    pub(super) fn king(&self, color: Color) -> Square {
        self.square_of((color.index() as u8) << 4)
    }

    /// The pieces on a point's rank.
    #[inline]
    pub(super) fn rank_of(&self, square: Square) -> u16 {
        self.ranks[usize::from(square.0 >> 4)]
    }

    /// The pieces on a point's file.
    #[inline]
    pub(super) fn file_of(&self, square: Square) -> u16 {
        self.files[usize::from(square.0 & 15)]
    }

    /// A colour's pieces on a point's rank and file.
    #[inline]
    pub(super) fn own_lines(&self, color: Color, square: Square) -> (u16, u16) {
        let color = color.index();
        (
            self.own_ranks[color][usize::from(square.0 >> 4)],
            self.own_files[color][usize::from(square.0 & 15)],
        )
    }

    /// Number of pieces of this colour and kind.
    #[inline]
    pub(super) fn count(&self, piece: Piece) -> u32 {
        let (first, count) = slots_of(piece.kind);
        let side = (self.alive >> (piece.color.index() * 16)) as u16;
        ones(side >> first & ((1 << count) - 1))
    }

    /// Moves a piece and captures what is on the target. Returns the captured slot or [`EMPTY`].
    #[inline]
    pub(super) fn make(&mut self, mv: Move) -> u8 {
        let taken = self.slot_at(mv.to);
        if taken < EMPTY {
            self.clear(taken, mv.to);
        }
        let slot = self.slot_at(mv.from);
        self.clear(slot, mv.from);
        self.set(slot, mv.to);
        self.pass();
        taken
    }

    /// The key after a move.
    #[inline]
    pub(super) fn key_after(&self, mv: Move) -> u64 {
        let (slot, taken) = (self.slot_at(mv.from), self.slot_at(mv.to));
        let piece = piece_of(slot);
        let left = if taken < EMPTY { key::piece(piece_of(taken), mv.to) } else { 0 };
        self.key ^ key::piece(piece, mv.from) ^ key::piece(piece, mv.to) ^ left ^ key::BLACK_TO_MOVE
    }

    /// Takes back a move that captured `taken`.
    #[inline]
    pub(super) fn unmake(&mut self, mv: Move, taken: u8) {
        self.pass();
        let slot = self.slot_at(mv.to);
        self.clear(slot, mv.to);
        self.set(slot, mv.from);
        if taken < EMPTY {
            self.set(taken, mv.to);
        }
    }

    /// Changes the side to move.
    #[inline]
    pub(super) fn pass(&mut self) {
        self.mover = self.mover.other();
        self.key ^= key::BLACK_TO_MOVE;
    }

    #[inline]
    fn set(&mut self, slot: u8, square: Square) {
        self.at[usize::from(square.0)] = slot;
        self.squares[usize::from(slot & 31)] = square;
        self.alive |= 1 << (slot & 31);
        self.toggle(slot, square);
    }

    #[inline]
    fn clear(&mut self, slot: u8, square: Square) {
        self.at[usize::from(square.0)] = EMPTY;
        self.squares[usize::from(slot & 31)] = Square::NONE;
        self.alive &= !(1 << (slot & 31));
        self.toggle(slot, square);
    }

    #[inline]
    fn toggle(&mut self, slot: u8, square: Square) {
        let (rank, file) = (usize::from(square.0 >> 4), usize::from(square.0 & 15));
        let (on_rank, on_file) = (1 << file, 1 << rank);
        let color = usize::from(slot >> 4 & 1);
        self.ranks[rank] ^= on_rank;
        self.files[file] ^= on_file;
        self.own_ranks[color][rank] ^= on_rank;
        self.own_files[color][file] ^= on_file;
        self.key ^= key::piece(piece_of(slot), square);
    }

    /// Whether the same pieces are on the same points and the same side is to move.
    pub(super) fn is_same(&self, other: &Board) -> bool {
        self.mover == other.mover
            && Square::all().all(|square| self.piece_at(square) == other.piece_at(square))
    }
}
