//! The star: 121 holes, their names, neighbours and triangles. Knows no piece.
//!
//! A hole has a column and a row, 0 to 16 from the top left. Each row begins half a hole to the
//! right of the row above it, as in a hexagonal grid of a board as data. With `q` and `r` as the
//! distances from the central column and row, and `s = -q - r`, the star is the union of two large
//! triangles: `q`, `r` and `s` are at least -4, or all at most 4.

/// The number of holes.
pub(crate) const HOLES: usize = 121;
/// The number of columns, and of rows.
pub(crate) const SIZE: usize = 17;
/// The number of triangles at the points of the star.
pub(crate) const TRIANGLES: usize = 6;
/// The number of holes of a triangle.
pub(crate) const TRIANGLE_HOLES: usize = 10;

/// In the tables below: no hole.
const NONE: u8 = u8::MAX;
/// The column and the row of the central hole.
const CENTER: i32 = 8;
/// The steps to the six neighbours, in columns and rows.
const STEPS: [(i32, i32); 6] = [(1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1)];

/// The index of the hole in a row and column.
static INDEX: [[u8; SIZE]; SIZE] = TABLES.0;
/// The column and the row of each hole, in the order of reading.
static PLACES: [(u8, u8); HOLES] = TABLES.1;
/// The neighbour of each hole in each direction.
static NEIGHBOURS: [[u8; 6]; HOLES] = neighbours();

const TABLES: ([[u8; SIZE]; SIZE], [(u8, u8); HOLES]) = tables();

const fn is_hole(column: i32, row: i32) -> bool {
    let (q, r) = (column - CENTER, row - CENTER);
    let s = -q - r;
    (q >= -4 && r >= -4 && s >= -4) || (q <= 4 && r <= 4 && s <= 4)
}

const fn tables() -> ([[u8; SIZE]; SIZE], [(u8, u8); HOLES]) {
    let (mut index, mut places) = ([[NONE; SIZE]; SIZE], [(0, 0); HOLES]);
    let (mut next, mut cell) = (0, 0);
    while cell < SIZE * SIZE {
        let (column, row) = (cell % SIZE, cell / SIZE);
        if is_hole(column as i32, row as i32) {
            index[row][column] = next as u8;
            places[next] = (column as u8, row as u8);
            next += 1;
        }
        cell += 1;
    }
    (index, places)
}

const fn neighbours() -> [[u8; 6]; HOLES] {
    let (index, places) = TABLES;
    let mut neighbours = [[NONE; 6]; HOLES];
    let mut entry = 0;
    while entry < HOLES * 6 {
        let ((column, row), step) = (places[entry / 6], STEPS[entry % 6]);
        let (column, row) = (column as i32 + step.0, row as i32 + step.1);
        let is_inside = column >= 0 && row >= 0 && column < SIZE as i32 && row < SIZE as i32;
        if is_inside && is_hole(column, row) {
            neighbours[entry / 6][entry % 6] = index[row as usize][column as usize];
        }
        entry += 1;
    }
    neighbours
}

/// The neighbours of a hole with their directions, 0 to 5.
pub(crate) fn neighbours_of(hole: u8) -> impl Iterator<Item = (usize, u8)> {
    let all = NEIGHBOURS[usize::from(hole)].into_iter().enumerate();
    all.filter(|(_, neighbour)| *neighbour != NONE)
}

/// The neighbour of a hole in a direction; `None`: the star ends there.
pub(crate) fn neighbour(hole: u8, direction: usize) -> Option<u8> {
    Some(NEIGHBOURS[usize::from(hole)][direction]).filter(|neighbour| *neighbour != NONE)
}

/// The triangle that a hole belongs to, clockwise from the one at the bottom; `None` in the hexagon
/// in the middle. The triangle opposite `t` is `(t + 3) % 6`.
pub(crate) fn triangle_of(hole: u8) -> Option<usize> {
    let (column, row) = PLACES[usize::from(hole)];
    let (q, r) = (i32::from(column) - CENTER, i32::from(row) - CENTER);
    let s = -q - r;
    [r, -q, s, -r, q, -s].iter().position(|distance| *distance > 4)
}

/// The holes of a row, from the left, as a range of indices.
pub(crate) fn holes_of_row(row: usize) -> std::ops::Range<u8> {
    let mut holes = INDEX[row].iter().copied().filter(|hole| *hole != NONE);
    let first = holes.next().unwrap_or(0);
    first..first + 1 + holes.count() as u8
}

/// The hole in a column and row; `None`: there is none.
pub(crate) fn hole_at(column: usize, row: usize) -> Option<u8> {
    INDEX.get(row)?.get(column).copied().filter(|hole| *hole != NONE)
}

/// The name of a hole: the letter of its column, and its row from 1 at the top, as `e14`.
pub(crate) fn name(hole: u8) -> String {
    let (column, row) = PLACES[usize::from(hole)];
    format!("{}{}", char::from(b'a' + column), row + 1)
}

/// Reads the name of a hole.
pub(crate) fn read(text: &str) -> Option<u8> {
    let column = text.bytes().next()?.checked_sub(b'a')?;
    let row: usize = text.get(1..)?.parse().ok()?;
    let hole = hole_at(column.into(), row.checked_sub(1)?)?;
    (name(hole) == text).then_some(hole)
}
