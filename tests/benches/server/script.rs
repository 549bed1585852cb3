//! A drawn game: moves on the 19×19 board that never make five in a row, until the points run out.

const SIZE: usize = 19;

/// The moves of both sides, black first: all points except the surplus of one colour.
pub(crate) fn moves() -> Vec<String> {
    let points = (0..SIZE * SIZE).map(|at| (at % SIZE, at / SIZE));
    // Stripes of two, shifted by half a stripe from row to row: no line has three of a colour.
    let (black, white): (Vec<_>, Vec<_>) =
        points.partition(|(column, row)| (column + 2 * row) % 4 < 2);
    let both = black.into_iter().zip(white).flat_map(<[_; 2]>::from);
    both.map(|(column, row)| format!("{}{}", char::from(b'a' + column as u8), row + 1)).collect()
}
