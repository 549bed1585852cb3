//! A game that nobody wins: moves on the board of 19 by 19 that never make five in a row, for as
//! long as there are points. Pure.

const SIZE: usize = 19;

/// The moves of both, black's first; all points but the few that one colour has more of.
pub fn moves() -> Vec<String> {
    let points = (0..SIZE * SIZE).map(|at| (at % SIZE, at / SIZE));
    // Stripes of two, moved by half a stripe from row to row: no line has three of a colour.
    let (black, white): (Vec<_>, Vec<_>) =
        points.partition(|(column, row)| (column + 2 * row) % 4 < 2);
    let both = black.into_iter().zip(white).flat_map(<[_; 2]>::from);
    both.map(|(column, row)| format!("{}{}", char::from(b'a' + column as u8), row + 1)).collect()
}
