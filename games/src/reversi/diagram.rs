//! Text diagram of the board for a terminal, and the game-specific facts of a position.

use super::Reversi;
use super::square::{Color, Square, column_letter};

/// Appends the diagram: row 1 at the top, the last move in brackets, a dot on each legal square.
pub(super) fn write_diagram(position: &Reversi, last: Option<Square>, out: &mut String) {
    write_letters(position.size(), out);
    for row in 0..position.size() {
        write_row(position, row, last, out);
    }
    write_letters(position.size(), out);
}

fn write_letters(size: u8, out: &mut String) {
    out.push_str("  ");
    for column in 0..size {
        out.push(' ');
        out.push(column_letter(column));
    }
    out.push('\n');
}

fn write_row(position: &Reversi, row: u8, last: Option<Square>, out: &mut String) {
    out.push_str(&format!("{:>2}", row + 1));
    let mut before = ' ';
    for column in 0..position.size() {
        let square = Square::at(row << 4 | column);
        let marked = last == Some(square);
        out.push(if marked { '[' } else { before });
        out.push(symbol(position, square));
        before = if marked { ']' } else { ' ' };
    }
    out.push_str(before.to_string().trim_end());
    out.push('\n');
}

fn symbol(position: &Reversi, square: Square) -> char {
    match position.disc_at(square) {
        Some(color) => color.disc(),
        None if position.board.is_move(square) => '.',
        None => '-',
    }
}

/// The facts of a position: discs of each colour, empty squares, the number of squares that each
/// colour could choose from, and whether the mover must pass.
pub(super) fn facts(position: &Reversi) -> Vec<(&'static str, String)> {
    let by_color = |count: &dyn Fn(Color) -> u32| {
        let [black, white] = Color::ALL.map(count);
        format!(r#"{{"black":{black},"white":{white}}}"#)
    };
    vec![
        ("discs", by_color(&|color| position.count(color))),
        ("empties", position.empties().to_string()),
        ("mobility", by_color(&|color| position.mobility(color))),
        ("must_pass", position.must_pass().to_string()),
    ]
}
