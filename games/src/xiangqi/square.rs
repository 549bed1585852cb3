//! Colours, piece kinds, points and moves. The only rule here is on which points a piece can ever
//! be.

use std::fmt;

use crate::rules::MoveCode;

/// Number of files, a to i.
pub const FILES: u8 = 9;
/// Number of ranks, 0 to 9.
pub const RANKS: u8 = 10;

/// Colour of a side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Color {
    /// Red, which moves first; home ranks 0 to 4; seat 0.
    Red,
    /// Black; home ranks 5 to 9; seat 1.
    Black,
}

impl Color {
    /// Both colours, red first.
    pub const ALL: [Color; 2] = [Color::Red, Color::Black];

    /// The opponent's colour.
    #[inline]
    pub const fn other(self) -> Color {
        match self {
            Color::Red => Color::Black,
            Color::Black => Color::Red,
        }
    }

    /// 0 for red, 1 for black; equals seat and side, and indexes tables.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Name in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Color::Red => "red",
            Color::Black => "black",
        }
    }

    /// Converts between a rank and the distance from this side's own edge, both from 0.
    #[inline]
    pub const fn rank(self, n: u8) -> u8 {
        match self {
            Color::Red => n,
            Color::Black => RANKS - 1 - n,
        }
    }

    /// The index step of one rank forward.
    #[inline]
    pub(super) const fn forward(self) -> u8 {
        match self {
            Color::Red => 0x10,
            Color::Black => 0xf0,
        }
    }
}

/// The kind of a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PieceKind {
    /// King, also called general.
    King,
    /// Advisor, also called guard.
    Advisor,
    /// Elephant, also called minister.
    Elephant,
    /// Horse, blocked by its leg.
    Horse,
    /// Rook, also called chariot.
    Rook,
    /// Cannon, captures over a screen.
    Cannon,
    /// Pawn, also called soldier.
    Pawn,
}

impl PieceKind {
    /// All kinds of pieces.
    pub const ALL: [PieceKind; 7] = [
        PieceKind::King,
        PieceKind::Advisor,
        PieceKind::Elephant,
        PieceKind::Horse,
        PieceKind::Rook,
        PieceKind::Cannon,
        PieceKind::Pawn,
    ];

    /// Table index, 0 to 6.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Name in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            PieceKind::King => "king",
            PieceKind::Advisor => "advisor",
            PieceKind::Elephant => "elephant",
            PieceKind::Horse => "horse",
            PieceKind::Rook => "rook",
            PieceKind::Cannon => "cannon",
            PieceKind::Pawn => "pawn",
        }
    }

    /// Maximum number of this kind per side.
    pub const fn most(self) -> u8 {
        match self {
            PieceKind::King => 1,
            PieceKind::Pawn => 5,
            _ => 2,
        }
    }
}

/// A piece: colour and kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Piece {
    /// Colour of its side.
    pub color: Color,
    /// Kind of piece.
    pub kind: PieceKind,
}

impl Piece {
    /// Letter in position texts: upper case for red.
    pub const fn letter(self) -> char {
        let letter = match self.kind {
            PieceKind::King => b'k',
            PieceKind::Advisor => b'a',
            PieceKind::Elephant => b'b',
            PieceKind::Horse => b'n',
            PieceKind::Rook => b'r',
            PieceKind::Cannon => b'c',
            PieceKind::Pawn => b'p',
        };
        match self.color {
            Color::Red => letter.to_ascii_uppercase() as char,
            Color::Black => letter as char,
        }
    }

    /// The piece of a letter; `e` and `h` are alternatives for elephant and horse.
    pub const fn from_letter(letter: char) -> Option<Piece> {
        let kind = match letter.to_ascii_lowercase() {
            'k' => PieceKind::King,
            'a' => PieceKind::Advisor,
            'b' | 'e' => PieceKind::Elephant,
            'n' | 'h' => PieceKind::Horse,
            'r' => PieceKind::Rook,
            'c' => PieceKind::Cannon,
            'p' => PieceKind::Pawn,
            _ => return None,
        };
        let color = if letter.is_ascii_uppercase() { Color::Red } else { Color::Black };
        Some(Piece { color, kind })
    }

    /// Whether this piece can ever be on a point.
    pub const fn can_stand(self, square: Square) -> bool {
        let file = square.file();
        let rank = self.color.rank(square.rank());
        match self.kind {
            PieceKind::King => file >= 3 && file <= 5 && rank <= 2,
            PieceKind::Advisor => match rank {
                0 | 2 => file == 3 || file == 5,
                1 => file == 4,
                _ => false,
            },
            PieceKind::Elephant => match rank {
                0 | 4 => file == 2 || file == 6,
                2 => file == 0 || file == 4 || file == 8,
                _ => false,
            },
            // Pawns start on every other file and leave it only beyond the river.
            PieceKind::Pawn => rank >= 5 || rank >= 3 && file.is_multiple_of(2),
            PieceKind::Horse | PieceKind::Rook | PieceKind::Cannon => true,
        }
    }
}

/// A point of the board.
///
/// # Order
/// Points are ordered a0, b0, c0, … and then by ranks from red's edge.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Square(pub(super) u8);

impl Square {
    /// Upper bound of all indices.
    pub const INDICES: usize = 160;
    /// Not a point of the board, and on no line with one.
    pub(super) const NONE: Square = Square(0xff);

    /// The point at a file and rank, both from 0; `None` off the board.
    #[inline]
    pub const fn new(file: u8, rank: u8) -> Option<Square> {
        if file < FILES && rank < RANKS { Some(Square(rank << 4 | file)) } else { None }
    }

    /// File, from 0 at red's left.
    #[inline]
    pub const fn file(self) -> u8 {
        self.0 & 15
    }

    /// Rank, from 0 at red's edge.
    #[inline]
    pub const fn rank(self) -> u8 {
        self.0 >> 4
    }

    /// Table index, less than [`INDICES`](Square::INDICES). Ranks are 16 apart, so that a step off
    /// the board is not a point.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// All points in order.
    pub fn all() -> impl Iterator<Item = Square> {
        (0..RANKS).flat_map(|rank| (0..FILES).map(move |file| Square(rank << 4 | file)))
    }

    /// The point rotated by 180 degrees, as black's player sees it.
    pub const fn rotated(self) -> Square {
        Square((RANKS - 1 - self.rank()) << 4 | (FILES - 1 - self.file()))
    }

    /// The point mirrored left to right.
    pub const fn mirrored(self) -> Square {
        Square(self.0 & 0xf0 | (FILES - 1 - self.file()))
    }

    /// The point `step` indices further, possibly off the board.
    #[inline]
    pub(super) const fn plus(self, step: u8) -> Square {
        Square(self.0.wrapping_add(step))
    }

    /// Appends the text without a formatter.
    pub(super) fn write(self, out: &mut String) {
        out.push((b'a' + self.file()) as char);
        out.push((b'0' + self.rank()) as char);
    }
}

impl fmt::Display for Square {
    /// The point as in move texts: `e2`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", (b'a' + self.file()) as char, self.rank())
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A move of the piece on one point to another point.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Move {
    /// Origin of the move.
    pub from: Square,
    /// Target of the move.
    pub to: Square,
}

impl Move {
    /// A null move in the history.
    pub(super) const NONE: Move = Move { from: Square::NONE, to: Square::NONE };
}

impl MoveCode for Move {
    #[inline]
    fn code(self) -> u32 {
        u32::from(self.from.0) << 8 | u32::from(self.to.0)
    }

    #[inline]
    fn from_code(code: u32) -> Option<Move> {
        let square = |byte: u32| Square::new(byte as u8 & 15, byte as u8 >> 4);
        let (from, to) = (square(code >> 8)?, square(code)?);
        (code >> 16 == 0 && from != to).then_some(Move { from, to })
    }
}

impl fmt::Display for Move {
    /// The move text: `h2e2`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.from, self.to)
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
