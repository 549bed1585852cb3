//! Makes grids of common shapes.

use super::{Grid, Tiling};

/// The name of a place by its column and row, both from 0: `a1`, `c12`. After the column `z` follow
/// `aa`, `ab` and so on.
pub fn place_name(column: usize, row: usize) -> String {
    format!("{}{}", column_name(column), row + 1)
}

fn column_name(column: usize) -> String {
    let letter = char::from(b'a' + (column % 26) as u8);
    match column / 26 {
        0 => letter.into(),
        more => format!("{}{letter}", column_name(more - 1)),
    }
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
