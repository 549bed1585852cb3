//! Makes grids of common shapes.

use std::fmt::Write;

use super::{Grid, Tiling};

/// The name of a place by its column and row, both from 0: `a1`, `c12`. After the column `z` follow
/// `aa`, `ab` and so on.
pub fn place_name(column: usize, row: usize) -> String {
    let mut name = String::new();
    write_place_name(column, row, &mut name);
    name
}

/// Appends the [`place_name`] to a text. A long list of moves needs no text of its own for each.
pub fn write_place_name(column: usize, row: usize, out: &mut String) {
    write_column_name(column, out);
    // Writing to a text does not fail.
    let _ = write!(out, "{}", row + 1);
}

fn column_name(column: usize) -> String {
    let mut name = String::new();
    write_column_name(column, &mut name);
    name
}

fn write_column_name(column: usize, out: &mut String) {
    if column >= 26 {
        write_column_name(column / 26 - 1, out);
    }
    out.push(char::from(b'a' + (column % 26) as u8));
}

impl Grid {
    /// A square grid of places `a1`, `b1`, …, with row 1 below and with labels: 1 to 64 columns and
    /// rows.
    pub fn square(columns: usize, rows: usize) -> Self {
        let numbers: Vec<usize> = (0..rows).rev().collect();
        Self::labelled(Tiling::Square, columns, &numbers)
    }

    /// A hexagonal grid in the shape of a rhombus, with row 1 above and with labels: 1 to 64
    /// columns and rows.
    pub fn rhombus(columns: usize, rows: usize) -> Self {
        let numbers: Vec<usize> = (0..rows).collect();
        Self::labelled(Tiling::Hex, columns, &numbers)
    }

    fn labelled(tiling: Tiling, columns: usize, rows: &[usize]) -> Self {
        let places =
            |row: &usize| (0..columns).map(|column| Some(place_name(column, *row))).collect();
        Self {
            tiling,
            rows: rows.iter().map(places).collect(),
            column_labels: (0..columns).map(column_name).collect(),
            row_labels: rows.iter().map(|row| (row + 1).to_string()).collect(),
            ..Self::default()
        }
    }
}
