//! Lays out tables for a terminal, aligned by display width. If a table is too wide, the least
//! important columns are dropped, then one column is cut. Knows nothing of arenas.

use super::sanitize::{cut, width};

/// A column: its head, and a cell for each row.
pub(super) struct Column {
    head: String,
    cells: Vec<String>,
    align: Align,
    /// 0: never dropped. Otherwise columns with greater numbers are dropped first.
    drop_rank: u8,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Align {
    Left,
    Right,
}

/// The blanks between columns.
const GAP: usize = 2;

impl Column {
    /// A column of figures, aligned right.
    pub(super) fn figures(head: impl Into<String>, cells: Vec<String>) -> Self {
        Self { head: head.into(), cells, align: Align::Right, drop_rank: 0 }
    }

    /// A column of words, aligned left.
    pub(super) fn words(head: impl Into<String>, cells: Vec<String>) -> Self {
        Self { head: head.into(), cells, align: Align::Left, drop_rank: 0 }
    }

    /// The same column, to be dropped before those with smaller numbers.
    pub(super) fn droppable(self, drop_rank: u8) -> Self {
        Self { drop_rank, ..self }
    }

    /// The text above its cells.
    pub(super) fn head(&self) -> &str {
        &self.head
    }

    /// Its cells, from the top.
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

/// The lines of a table, its head first, of at most `columns` each. The column number `cuttable` is
/// cut if necessary, down to `least`; it is never dropped.
pub(super) fn lines(
    mut table: Vec<Column>,
    mut cuttable: usize,
    least: usize,
    columns: usize,
) -> Vec<String> {
    while excess(&table, cuttable, least, columns) > 0 {
        let spare =
            table.iter().enumerate().filter(|(i, column)| *i != cuttable && column.drop_rank > 0);
        let Some((gone, _)) = spare.max_by_key(|(_, column)| column.drop_rank) else { break };
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

/// By how many columns the table is too wide, with one of its columns cut to `least`.
pub(super) fn excess(table: &[Column], cuttable: usize, least: usize, columns: usize) -> usize {
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
            Column::figures("memory", cells(["64 MiB", "5 B"])).droppable(2),
            Column::figures("time", cells(["1 s", "2 s"])).droppable(1),
        ];
        assert_eq!(lines(table, 1, 6, columns), expected, "in {columns}");
    }

    #[test]
    fn a_table_fits_the_width() {
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
        // The remaining columns are cut at the edge.
        check(12, &[" #  player …", " 1  五子…  …", "10  alpha… …"]);
    }

    #[test]
    fn the_cut_column_stays_when_one_before_it_is_dropped() {
        let cells = || vec!["abcdefghij".to_owned()];
        let table = vec![
            Column::words("spare", cells()).droppable(1),
            Column::words("name", cells()),
            Column::words("stays", cells()),
        ];
        assert_eq!(lines(table, 1, 6, 20), ["name      stays", "abcdefg…  abcdefghij"]);
    }
}
