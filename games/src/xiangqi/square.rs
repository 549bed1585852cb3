//! The words of the board: colours, kinds of pieces, points and moves. Knows no
//! rule but where a piece can ever stand.

use std::fmt;

use crate::rules::Coded;

/// How many files there are, a to i.
pub const FILES: u8 = 9;
/// How many ranks there are, 0 to 9.
pub const RANKS: u8 = 10;

/// The colour of a side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Color {
    /// Red, who begins and whose home are the ranks from 0: seat 0.
    Red,
    /// Black, whose home are the ranks to 9: seat 1.
    Black,
}

impl Color {
    /// Both, red first.
    pub const ALL: [Color; 2] = [Color::Red, Color::Black];

    /// The opponent's colour.
    #[inline]
    pub const fn other(self) -> Color {
        match self {
            Color::Red => Color::Black,
            Color::Black => Color::Red,
        }
    }

    /// 0 for red, 1 for black: seat, side, and index of tables.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Its name, in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Color::Red => "red",
            Color::Black => "black",
        }
    }

    /// The rank, from 0, that is the `n`-th from this side's own edge.
    #[inline]
    pub const fn rank(self, n: u8) -> u8 {
        match self {
            Color::Red => n,
            Color::Black => RANKS - 1 - n,
        }
    }

    /// What is added to a point to go one rank forward.
    #[inline]
    pub(super) const fn forward(self) -> u8 {
        match self {
            Color::Red => 0x10,
            Color::Black => 0xf0,
        }
    }
}

/// A kind of piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// The king or general.
    King,
    /// The advisor or guard.
    Advisor,
    /// The elephant or minister.
    Elephant,
    /// The horse.
    Horse,
    /// The rook or chariot.
    Rook,
    /// The cannon.
    Cannon,
    /// The pawn or soldier.
    Pawn,
}

impl Kind {
    /// All of them.
    pub const ALL: [Kind; 7] = [
        Kind::King,
        Kind::Advisor,
        Kind::Elephant,
        Kind::Horse,
        Kind::Rook,
        Kind::Cannon,
        Kind::Pawn,
    ];

    /// Index of tables, 0 to 6.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Its name, in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::King => "king",
            Kind::Advisor => "advisor",
            Kind::Elephant => "elephant",
            Kind::Horse => "horse",
            Kind::Rook => "rook",
            Kind::Cannon => "cannon",
            Kind::Pawn => "pawn",
        }
    }

    /// How many of it a side has at most.
    pub const fn most(self) -> u8 {
        match self {
            Kind::King => 1,
            Kind::Pawn => 5,
            _ => 2,
        }
    }
}

/// A piece of a colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Piece {
    /// Whose it is.
    pub color: Color,
    /// What it is.
    pub kind: Kind,
}

impl Piece {
    /// The letter of position texts: upper case for red.
    pub const fn letter(self) -> char {
        let letter = match self.kind {
            Kind::King => b'k',
            Kind::Advisor => b'a',
            Kind::Elephant => b'b',
            Kind::Horse => b'n',
            Kind::Rook => b'r',
            Kind::Cannon => b'c',
            Kind::Pawn => b'p',
        };
        match self.color {
            Color::Red => letter.to_ascii_uppercase() as char,
            Color::Black => letter as char,
        }
    }

    /// The piece of a letter; `e` and `h` are other letters for elephant and horse.
    pub const fn of_letter(letter: char) -> Option<Piece> {
        let kind = match letter.to_ascii_lowercase() {
            'k' => Kind::King,
            'a' => Kind::Advisor,
            'b' | 'e' => Kind::Elephant,
            'n' | 'h' => Kind::Horse,
            'r' => Kind::Rook,
            'c' => Kind::Cannon,
            'p' => Kind::Pawn,
            _ => return None,
        };
        let color = if letter.is_ascii_uppercase() { Color::Red } else { Color::Black };
        Some(Piece { color, kind })
    }

    /// Whether it can ever stand there.
    pub const fn can_stand(self, square: Square) -> bool {
        let file = square.file();
        let rank = self.color.rank(square.rank());
        match self.kind {
            Kind::King => file >= 3 && file <= 5 && rank <= 2,
            Kind::Advisor => match rank {
                0 | 2 => file == 3 || file == 5,
                1 => file == 4,
                _ => false,
            },
            Kind::Elephant => match rank {
                0 | 4 => file == 2 || file == 6,
                2 => file == 0 || file == 4 || file == 8,
                _ => false,
            },
            // Pawns begin on every other file and leave it beyond the river only.
            Kind::Pawn => rank >= 5 || rank >= 3 && file.is_multiple_of(2),
            Kind::Horse | Kind::Rook | Kind::Cannon => true,
        }
    }
}

/// A point of the board.
///
/// # Order
/// Points are ordered a0, b0, c0, … and then rank by rank from red's edge on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Square(pub(super) u8);

impl Square {
    /// More than any index of a point.
    pub const INDICES: usize = 160;
    /// No point of the board, and on no line with one.
    pub(super) const NONE: Square = Square(0xff);

    /// The point of a file and a rank, both from 0; `None` off the board.
    #[inline]
    pub const fn new(file: u8, rank: u8) -> Option<Square> {
        if file < FILES && rank < RANKS { Some(Square(rank << 4 | file)) } else { None }
    }

    /// The file, from 0 at red's left.
    #[inline]
    pub const fn file(self) -> u8 {
        self.0 & 15
    }

    /// The rank, from 0 at red's edge.
    #[inline]
    pub const fn rank(self) -> u8 {
        self.0 >> 4
    }

    /// Sixteen to a rank, so that a step off the board meets no point.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Every point, in their order.
    pub fn all() -> impl Iterator<Item = Square> {
        (0..RANKS).flat_map(|rank| (0..FILES).map(move |file| Square(rank << 4 | file)))
    }

    /// The point as black's player sees it: turned by half a turn.
    pub const fn turned(self) -> Square {
        Square((RANKS - 1 - self.rank()) << 4 | (FILES - 1 - self.file()))
    }

    /// The point with files counted from the other side.
    pub const fn mirrored(self) -> Square {
        Square(self.0 & 0xf0 | (FILES - 1 - self.file()))
    }

    /// The point that a number of steps off leads to, wherever that is.
    #[inline]
    pub(super) const fn plus(self, step: u8) -> Square {
        Square(self.0.wrapping_add(step))
    }

    /// Appends its text without the detour of a formatter.
    pub(super) fn write(self, out: &mut String) {
        out.push((b'a' + self.file()) as char);
        out.push((b'0' + self.rank()) as char);
    }
}

impl fmt::Display for Square {
    /// As in move texts: `e2`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", (b'a' + self.file()) as char, self.rank())
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A move of the piece on one point to another.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Move {
    /// Where the piece comes from.
    pub from: Square,
    /// Where it goes.
    pub to: Square,
}

impl Move {
    /// No move: what a passed turn leaves in the list of moves.
    pub(super) const NONE: Move = Move { from: Square::NONE, to: Square::NONE };
}

impl Coded for Move {
    #[inline]
    fn code(self) -> u32 {
        u32::from(self.from.0) << 8 | u32::from(self.to.0)
    }

    #[inline]
    fn of_code(code: u32) -> Option<Move> {
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
