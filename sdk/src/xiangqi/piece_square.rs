//! Piece-square tables: what a piece's point adds to its value, in hundredths of a pawn. Written by
//! hand for this program. Pawns are worth most one or two ranks before the palace and little on the
//! last rank. Horses prefer the centre and the points beyond the river from which they reach the
//! palace, rooks open files and the far half, cannons the middle file at home and the far corners.
//! Kings stay at home. Files a to e, since the board is symmetric; ranks from red's own edge.

use sandboard_games::xiangqi::{Color, PieceKind, RANKS, Square};

type PieceSquareTable = [[i16; 5]; RANKS as usize];

const ZEROS: [i16; 5] = [0; 5];

static KING: PieceSquareTable = [
    [0, 0, 0, -6, 0],
    [0, 0, 0, -28, -22],
    [0, 0, 0, -50, -45],
    ZEROS,
    ZEROS,
    ZEROS,
    ZEROS,
    ZEROS,
    ZEROS,
    ZEROS,
];

static ADVISOR: PieceSquareTable = [
    [0, 0, 0, 0, 0],
    [0, 0, 0, 0, 8],
    [0, 0, 0, -8, 0],
    ZEROS,
    ZEROS,
    ZEROS,
    ZEROS,
    ZEROS,
    ZEROS,
    ZEROS,
];

static ELEPHANT: PieceSquareTable = [
    [0, 0, 0, 0, 0],
    ZEROS,
    [-14, 0, 0, 0, 10],
    ZEROS,
    [0, 0, -6, 0, 0],
    ZEROS,
    ZEROS,
    ZEROS,
    ZEROS,
    ZEROS,
];

static PAWN: PieceSquareTable = [
    ZEROS,
    ZEROS,
    ZEROS,
    [0, 0, -4, 0, 12],
    [8, 0, 14, 0, 20],
    [60, 85, 95, 110, 115],
    [85, 115, 145, 165, 170],
    [95, 130, 180, 205, 210],
    [85, 115, 155, 195, 190],
    [5, 10, 15, 25, 20],
];

static HORSE: PieceSquareTable = [
    [-40, -30, -20, -25, -35],
    [-30, -12, 2, 4, -40],
    [-14, 0, 16, 6, 10],
    [-4, 14, 20, 20, 14],
    [0, 24, 22, 30, 30],
    [4, 26, 34, 38, 38],
    [10, 40, 36, 44, 36],
    [8, 30, 48, 42, 30],
    [4, 28, 42, 46, 8],
    [-12, 4, 14, 8, -16],
];

static ROOK: PieceSquareTable = [
    [-28, 8, 0, 24, 0],
    [-4, 14, 10, 22, 2],
    [-10, 14, 8, 20, 14],
    [8, 24, 20, 26, 24],
    [18, 30, 28, 32, 30],
    [22, 34, 30, 36, 34],
    [20, 32, 30, 36, 36],
    [16, 26, 26, 36, 40],
    [28, 30, 34, 46, 52],
    [14, 20, 22, 32, 34],
];

static CANNON: PieceSquareTable = [
    [0, 2, 6, 12, 14],
    [0, 4, 10, 12, 10],
    [4, 2, 14, 10, 28],
    [0, 0, 6, 4, 16],
    [-4, 0, 8, 2, 18],
    [0, 0, 2, 4, 20],
    [2, 8, 8, 12, 14],
    [12, 8, 0, -8, -6],
    [16, 12, 0, -12, -20],
    [26, 22, 4, -14, -18],
];

static TABLES: [&PieceSquareTable; 7] = [&KING, &ADVISOR, &ELEPHANT, &HORSE, &ROOK, &CANNON, &PAWN];

/// What this point adds to the value of a piece of this colour and kind.
pub(super) fn piece_square_value(color: Color, kind: PieceKind, square: Square) -> i32 {
    let file = usize::from(square.file().min(8 - square.file()));
    TABLES[kind.index()][usize::from(color.rank(square.rank()))][file].into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use sandboard_games::xiangqi::Piece;

    #[test]
    fn tables_are_symmetric_and_zero_where_a_piece_cannot_stand() {
        for square in Square::all() {
            for kind in PieceKind::ALL {
                let red = piece_square_value(Color::Red, kind, square);
                assert_eq!(
                    red,
                    piece_square_value(Color::Black, kind, square.rotated()),
                    "{square}"
                );
                assert_eq!(
                    red,
                    piece_square_value(Color::Red, kind, square.mirrored()),
                    "{square}"
                );
                let can_stand = Piece { color: Color::Red, kind }.can_stand(square);
                assert!(can_stand || red == 0, "{square}: {}", kind.name());
            }
        }
    }
}
