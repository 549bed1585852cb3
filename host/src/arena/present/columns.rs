//! A table for a terminal: columns aligned by the room that letters take there. Where it is too wide, the
//! column that is missed least goes first, then one column is cut. Knows nothing of arenas.

use super::shown::{cut, width};

/// A column: its head, and a cell for each row.
pub(super) struct Column {
    head: String,
    cells: Vec<String>,
    align: Align,
    /// 0: it stays; of the others the greatest goes first.
    spare: u8,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Align {
    Left,
    Right,
}

/// Between columns.
const GAP: usize = 2;

impl Column {
    /// A column of figures, which are at its right.
    pub(super) fn figures(head: impl Into<String>, cells: Vec<String>) -> Self {
        Self { head: head.into(), cells, align: Align::Right, spare: 0 }
    }

    /// A column of words.
    pub(super) fn words(head: impl Into<String>, cells: Vec<String>) -> Self {
        Self { head: head.into(), cells, align: Align::Left, spare: 0 }
    }

    /// The same column, which goes before those with a smaller number where there is no room.
    pub(super) fn spare(self, spare: u8) -> Self {
        Self { spare, ..self }
    }

    /// What stands above it.
    pub(super) fn head(&self) -> &str {
        &self.head
    }

    /// Its cells, from above.
    pub(super) fn cells(&self) -> &[String] {
        &self.cells
    }

    fn width(&self) -> usize {
        self.cells.iter().chain([&self.head]).map(|text| width(text)).max().unwrap_or(0)
    }

    fn line(&self, text: &str, columns: usize) -> String {
        let text = cut(text, columns);
        let room = " ".repeat(columns.saturating_sub(width(&text)));
        match self.align {
            Align::Left => text + &room,
            Align::Right => room + &text,
        }
    }
}

/// The lines of a table, its head first, each of so many columns of the terminal at most. The column of
/// this number is cut where there is no room, down to `least`; it and those that stay are always there.
pub(super) fn lines(
    mut table: Vec<Column>,
    mut cuttable: usize,
    least: usize,
    columns: usize,
) -> Vec<String> {
    while over(&table, cuttable, least, columns) > 0 {
        let spare =
            table.iter().enumerate().filter(|(i, column)| *i != cuttable && column.spare > 0);
        let Some((gone, _)) = spare.max_by_key(|(_, column)| column.spare) else { break };
        table.remove(gone);
        cuttable -= usize::from(gone < cuttable);
    }
    let widths: Vec<usize> = table.iter().map(Column::width).collect();
    let others = widths.iter().enumerate().filter(|(i, _)| *i != cuttable);
    let others: usize = others.map(|(_, width)| width + GAP).sum();
    let cut_to = columns.saturating_sub(others).max(least);
    let rows = table.iter().map(|column| column.cells.len()).max().unwrap_or(0);
    let line = |text: &dyn Fn(&Column) -> String| {
        let cells = table.iter().zip(&widths).enumerate().map(|(i, (column, width))| {
            let width = if i == cuttable { cut_to.min(*width) } else { *width };
            column.line(&text(column), width)
        });
        let line = cells.collect::<Vec<_>>().join(&" ".repeat(GAP));
        cut(line.trim_end(), columns)
    };
    let head = line(&|column| column.head.clone());
    let body = (0..rows)
        .map(|row| line(&|column: &Column| column.cells.get(row).cloned().unwrap_or_default()));
    std::iter::once(head).chain(body).collect()
}

/// By how many columns the table is too wide, though one of its columns is cut.
pub(super) fn over(table: &[Column], cuttable: usize, least: usize, columns: usize) -> usize {
    let widths = table.iter().enumerate().map(|(i, column)| match column.width() {
        width if i == cuttable => width.min(least),
        width => width,
    });
    (widths.sum::<usize>() + GAP * table.len().saturating_sub(1)).saturating_sub(columns)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(columns: usize, expected: &[&str]) {
        let cells = |texts: [&str; 2]| texts.map(str::to_owned).to_vec();
        let table = vec![
            Column::figures("#", cells(["1", "10"])),
            Column::words("player", cells(["五子棋的棋手", "alphabet"])),
            Column::figures("points", cells(["12½", "3"])),
            Column::figures("memory", cells(["64 MiB", "5 B"])).spare(2),
            Column::figures("time", cells(["1 s", "2 s"])).spare(1),
        ];
        assert_eq!(lines(table, 1, 6, columns), expected, "in {columns}");
    }

    #[test]
    fn a_table_takes_the_room_that_there_is() {
        let all = [
            " #  player        points  memory  time",
            " 1  五子棋的棋手     12½  64 MiB   1 s",
            "10  alphabet           3     5 B   2 s",
        ];
        check(usize::MAX, &all);
        check(38, &all);
        check(
            37,
            &[
                " #  player       points  memory  time",
                " 1  五子棋的棋…     12½  64 MiB   1 s",
                "10  alphabet          3     5 B   2 s",
            ],
        );
        check(
            31,
            &[
                " #  player        points  time",
                " 1  五子棋的棋手     12½   1 s",
                "10  alphabet           3   2 s",
            ],
        );
        check(18, &[" #  player  points", " 1  五子…      12½", "10  alpha…       3"]);
        // What stays is cut at the edge.
        check(12, &[" #  player …", " 1  五子…  …", "10  alpha… …"]);
    }

    #[test]
    fn the_cut_column_is_the_same_when_one_before_it_goes() {
        let cells = || vec!["abcdefghij".to_owned()];
        let table = vec![
            Column::words("spare", cells()).spare(1),
            Column::words("name", cells()),
            Column::words("stays", cells()),
        ];
        assert_eq!(lines(table, 1, 6, 20), ["name      stays", "abcdefg…  abcdefghij"]);
    }
}
