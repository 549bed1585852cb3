//! Text diagram of the board for a terminal.

use super::board::Board;
use super::point::{Point, column_letter};

/// Appends the diagram: row numbers at the left, letters above and below, the last move in
/// brackets, and the marks that `mark` returns for empty points.
pub(super) fn write_diagram(
    board: &Board,
    last: Option<Point>,
    mark: impl Fn(Point) -> Option<char>,
    out: &mut String,
) {
    write_letters(board.size(), out);
    for row in (0..board.size()).rev() {
        write_row(board, row, last, &mark, out);
    }
    write_letters(board.size(), out);
}

fn write_letters(size: u8, out: &mut String) {
    out.push_str("  ");
    for column in 0..size {
        out.push(' ');
        out.push(column_letter(column));
    }
    out.push('\n');
}

fn write_row(
    board: &Board,
    row: u8,
    last: Option<Point>,
    mark: &impl Fn(Point) -> Option<char>,
    out: &mut String,
) {
    out.push_str(&format!("{:>2}", row + 1));
    let mut before = ' ';
    for column in 0..board.size() {
        let point = Point::at(column, row);
        let marked = last == Some(point);
        out.push(if marked { '[' } else { before });
        out.push(mark(point).unwrap_or_else(|| symbol(board, point)));
        before = if marked { ']' } else { ' ' };
    }
    out.push_str(before.to_string().trim_end());
    out.push('\n');
}

fn symbol(board: &Board, point: Point) -> char {
    match board.stone_at(point) {
        Some(color) => color.stone(),
        None if is_star(board.size(), point) => '+',
        None => '.',
    }
}

/// Orientation marks: the centre of odd boards, and four points on the diagonals of larger boards.
fn is_star(size: u8, point: Point) -> bool {
    let (column, row) = (point.column(), point.row());
    let centre = size % 2 == 1 && column == size / 2 && row == size / 2;
    let margin = if size >= 13 { 3 } else { 2 };
    let corner = |line: u8| line == margin || line + margin + 1 == size;
    centre || size >= 9 && corner(column) && corner(row)
}
