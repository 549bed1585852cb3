//! Gomoku written as slowly and plainly as it can be: characters on a board,
//! and every question answered by a walk over all of them. It shares no code
//! with the rules that it is held against, not even the reading of texts.

use crate::gomoku::Rule;

/// A position as characters.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Twin {
    rule: Rule,
    /// From row 1 upwards: `x`, `o` or `.`.
    rows: Vec<Vec<char>>,
    mover: char,
}

impl Twin {
    pub(super) fn empty(rule: Rule, size: usize) -> Twin {
        Twin { rule, rows: vec![vec!['.'; size]; size], mover: 'x' }
    }

    /// A board filled from a list of 0 (black), 1 (white) and others (empty).
    pub(super) fn filled(rule: Rule, size: usize, cells: &[u8], black_moves: bool) -> Twin {
        let mut twin = Twin::empty(rule, size);
        for (cell, content) in twin.rows.iter_mut().flatten().zip(cells) {
            *cell = ['x', 'o', '.'][usize::from(*content).min(2)];
        }
        twin.mover = if black_moves { 'x' } else { 'o' };
        twin
    }

    /// Reads a position text that is right.
    pub(super) fn read(rule: Rule, text: &str) -> Twin {
        let (rows, side) = text.split_once(' ').expect("rows and side");
        let rows = rows.split('/').rev().map(read_row).collect();
        Twin { rule, rows, mover: if side == "b" { 'x' } else { 'o' } }
    }

    pub(super) fn rule(&self) -> Rule {
        self.rule
    }

    pub(super) fn text(&self) -> String {
        let rows: Vec<String> = self.rows.iter().rev().map(|row| write_row(row)).collect();
        format!("{} {}", rows.join("/"), if self.mover == 'x' { 'b' } else { 'w' })
    }

    pub(super) fn empty_points(&self) -> Vec<String> {
        self.points_where(|twin, column, row| twin.rows[row][column] == '.')
    }

    pub(super) fn legal(&self) -> Vec<String> {
        if self.is_over() { Vec::new() } else { self.empty_points() }
    }

    pub(super) fn after(&self, point: &str) -> Twin {
        let mut twin = self.with(point, self.mover);
        twin.mover = other(self.mover);
        twin
    }

    pub(super) fn is_over(&self) -> bool {
        self.has_won('x') || self.has_won('o') || self.empty_points().is_empty()
    }

    pub(super) fn has_won(&self, stone: char) -> bool {
        !self.points_where(|twin, column, row| twin.wins_from(stone, column, row)).is_empty()
    }

    pub(super) fn perft(&self, depth: u64) -> u64 {
        if depth == 0 || self.is_over() {
            return 1;
        }
        self.legal().iter().map(|point| self.after(point).perft(depth - 1)).sum()
    }

    /// What [`Gomoku::noisy_points`](crate::gomoku::Gomoku::noisy_points) promises.
    pub(super) fn noisy(&self) -> Vec<String> {
        let wins = self.winning_points(self.mover);
        let stops = self.winning_points(other(self.mover));
        let makes_four =
            |point: &String| !self.with(point, self.mover).winning_points(self.mover).is_empty();
        let fours = || self.empty_points().into_iter().filter(makes_four).collect();
        match (wins.is_empty(), stops.is_empty()) {
            (false, _) => wins,
            (true, false) => stops,
            (true, true) => fours(),
        }
    }

    fn winning_points(&self, stone: char) -> Vec<String> {
        let wins = |point: &String| self.with(point, stone).has_won(stone);
        self.empty_points().into_iter().filter(wins).collect()
    }

    fn with(&self, point: &str, stone: char) -> Twin {
        let mut twin = self.clone();
        let column = usize::from(point.as_bytes()[0] - b'a');
        let row: usize = point[1..].parse().expect("a row");
        twin.rows[row - 1][column] = stone;
        twin
    }

    fn points_where(&self, is_one: impl Fn(&Twin, usize, usize) -> bool) -> Vec<String> {
        let mut points = Vec::new();
        for row in 0..self.rows.len() {
            for column in 0..self.rows.len() {
                if is_one(self, column, row) {
                    let letter = char::from(b'a' + column as u8);
                    points.push(format!("{letter}{}", row + 1));
                }
            }
        }
        points
    }

    /// Whether a winning row of this stone begins here, in any direction.
    fn wins_from(&self, stone: char, column: usize, row: usize) -> bool {
        [(1, 0), (0, 1), (1, 1), (1, -1)].into_iter().any(|(right, up)| {
            let is_own = |step: i32| self.at(column, row, step * right, step * up) == Some(stone);
            let run = (0..).take_while(|&step| is_own(step)).count();
            !is_own(-1) && (run == 5 || run > 5 && self.rule == Rule::Freestyle)
        })
    }

    fn at(&self, column: usize, row: usize, right: i32, up: i32) -> Option<char> {
        let column = usize::try_from(column as i32 + right).ok()?;
        let row = usize::try_from(row as i32 + up).ok()?;
        self.rows.get(row)?.get(column).copied()
    }
}

fn other(stone: char) -> char {
    if stone == 'x' { 'o' } else { 'x' }
}

fn read_row(text: &str) -> Vec<char> {
    let mut row = Vec::new();
    let mut run = 0;
    for letter in text.chars() {
        match letter.to_digit(10) {
            Some(digit) => run = run * 10 + digit as usize,
            None => {
                row.extend(std::iter::repeat_n('.', std::mem::take(&mut run)));
                row.push(letter);
            }
        }
    }
    row.extend(std::iter::repeat_n('.', run));
    row
}

fn write_row(row: &[char]) -> String {
    row.chunk_by(|a, b| a == b)
        .map(|run| match run[0] {
            '.' => run.len().to_string(),
            _ => run.iter().collect(),
        })
        .collect()
}
