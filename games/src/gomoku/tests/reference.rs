//! A slow and simple reference implementation of gomoku: characters on a board, and every question
//! answered by a scan. It shares no code with the rules under test, not even the text reader.

use std::collections::BTreeSet;

use crate::gomoku::Rule;

/// A position as characters.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Reference {
    rule: Rule,
    /// From row 1 upwards: `x`, `o` or `.`.
    rows: Vec<Vec<char>>,
    mover: char,
    /// Number of consecutive passes just made.
    passes: usize,
}

/// Line directions: (columns to the right, rows up).
const DIRECTIONS: [(i32, i32); 4] = [(1, 0), (0, 1), (1, 1), (1, -1)];

/// A point as (column, row).
type Coordinates = (usize, usize);

impl Reference {
    pub(super) fn empty(rule: Rule, size: usize) -> Reference {
        Reference { rule, rows: vec![vec!['.'; size]; size], mover: 'x', passes: 0 }
    }

    /// A board filled from a list of 0 (black), 1 (white) and other numbers (empty).
    pub(super) fn filled(rule: Rule, size: usize, cells: &[u8], black_moves: bool) -> Reference {
        let mut reference = Reference::empty(rule, size);
        for (cell, content) in reference.rows.iter_mut().flatten().zip(cells) {
            *cell = ['x', 'o', '.'][usize::from(*content).min(2)];
        }
        reference.mover = if black_moves { 'x' } else { 'o' };
        reference
    }

    /// Reads a valid position text.
    pub(super) fn read(rule: Rule, text: &str) -> Reference {
        let (rows, rest) = text.split_once(' ').expect("rows and side");
        let rows = rows.split('/').rev().map(read_row).collect();
        let mover = if rest.starts_with('b') { 'x' } else { 'o' };
        Reference { rule, rows, mover, passes: usize::from(rest.ends_with(" passed")) }
    }

    pub(super) fn rule(&self) -> Rule {
        self.rule
    }

    pub(super) fn text(&self) -> String {
        let rows: Vec<String> = self.rows.iter().rev().map(|row| write_row(row)).collect();
        let side = if self.mover == 'x' { 'b' } else { 'w' };
        format!("{} {side}{}", rows.join("/"), ["", " passed", " passed-twice"][self.passes])
    }

    pub(super) fn empty_points(&self) -> Vec<String> {
        self.points_where(|reference, column, row| reference.rows[row][column] == '.')
    }

    pub(super) fn legal(&self) -> Vec<String> {
        if self.is_over() {
            return Vec::new();
        }
        let mut moves = self.empty_points();
        if self.rule == Rule::Renju {
            moves.retain(|point| self.mover == 'o' || self.foul(point).is_none());
            moves.push("pass".to_owned());
        }
        moves
    }

    pub(super) fn after(&self, point: &str) -> Reference {
        let mut reference = self.clone();
        reference.passes += 1;
        if point != "pass" {
            reference = self.with(point, self.mover);
            reference.passes = 0;
        }
        reference.mover = other(self.mover);
        reference
    }

    pub(super) fn is_over(&self) -> bool {
        self.passes == 2 || self.has_won('x') || self.has_won('o') || self.empty_points().is_empty()
    }

    pub(super) fn has_won(&self, stone: char) -> bool {
        !self
            .points_where(|reference, column, row| reference.wins_from(stone, column, row))
            .is_empty()
    }

    pub(super) fn perft(&self, depth: u64) -> u64 {
        if depth == 0 || self.is_over() {
            return 1;
        }
        self.legal().iter().map(|point| self.after(point).perft(depth - 1)).sum()
    }

    /// The points of [`Gomoku::noisy_points`](crate::gomoku::Gomoku::noisy_points).
    pub(super) fn noisy(&self) -> Vec<String> {
        let wins = self.winning_points(self.mover);
        let threats = self.winning_points(other(self.mover));
        let blocks = |point: &String| {
            let left = self.with(point, self.mover).winning_points(other(self.mover));
            threats.iter().any(|threat| !left.contains(threat))
        };
        let blocking: Vec<String> = self.empty_points().into_iter().filter(blocks).collect();
        let makes_four =
            |point: &String| !self.with(point, self.mover).winning_points(self.mover).is_empty();
        let fours = || self.empty_points().into_iter().filter(makes_four).collect();
        match (wins.is_empty(), blocking.is_empty()) {
            (false, _) => wins,
            (true, false) => blocking,
            (true, true) => fours(),
        }
    }

    fn winning_points(&self, stone: char) -> Vec<String> {
        let wins = |point: &String| self.with(point, stone).has_won(stone);
        self.empty_points().into_iter().filter(wins).collect()
    }

    fn with(&self, point: &str, stone: char) -> Reference {
        self.with_at(coordinates(point), stone)
    }

    fn with_at(&self, (column, row): Coordinates, stone: char) -> Reference {
        let mut reference = self.clone();
        reference.rows[row][column] = stone;
        reference
    }

    /// The foul that a black stone on an empty point would be, by the text of the rules.
    pub(super) fn foul(&self, point: &str) -> Option<&'static str> {
        match self.verdict(coordinates(point)) {
            "five" | "nothing" => None,
            foul => Some(foul),
        }
    }

    /// RIF rules: "five" first, then the fouls in the order of the rules.
    fn verdict(&self, point: Coordinates) -> &'static str {
        let with = self.with_at(point, 'x');
        let longest = DIRECTIONS.map(|direction| with.row_through(point, direction).len());
        if longest.contains(&5) {
            return "five";
        }
        if longest.iter().any(|&run| run > 5) {
            return "overline";
        }
        let fours: BTreeSet<Vec<Coordinates>> = DIRECTIONS
            .into_iter()
            .flat_map(|direction| with.fours_through(point, direction))
            .collect();
        if fours.len() >= 2 {
            return "double-four";
        }
        let threes =
            DIRECTIONS.into_iter().filter(|&direction| with.has_three_through(point, direction));
        if threes.count() >= 2 { "double-three" } else { "nothing" }
    }

    /// The fours of which this stone is part: sets of four stones that one more stone makes exactly
    /// five.
    fn fours_through(&self, point: Coordinates, direction: (i32, i32)) -> Vec<Vec<Coordinates>> {
        let mut fours = Vec::new();
        for gap in self.empties_along(point, direction) {
            let mut row = self.with_at(gap, 'x').row_through(gap, direction);
            if row.len() == 5 && row.contains(&point) {
                row.retain(|&stone| stone != gap);
                row.sort();
                fours.push(row);
            }
        }
        fours
    }

    /// Whether one more stone, which makes no five and is no foul, makes this stone part of four in
    /// a row that can become exactly five at both ends.
    fn has_three_through(&self, point: Coordinates, direction: (i32, i32)) -> bool {
        self.empties_along(point, direction).into_iter().any(|gap| {
            let with = self.with_at(gap, 'x');
            let row = with.row_through(gap, direction);
            let five_at = |end: Option<Coordinates>| {
                end.is_some_and(|end| {
                    with.rows[end.1][end.0] == '.'
                        && with.with_at(end, 'x').row_through(end, direction).len() == 5
                })
            };
            row.len() == 4
                && row.contains(&point)
                && five_at(with.step(row[0], direction, -1))
                && five_at(with.step(row[3], direction, 1))
                && self.verdict(gap) == "nothing"
        })
    }

    fn empties_along(&self, point: Coordinates, direction: (i32, i32)) -> Vec<Coordinates> {
        let places = (-5..=5).filter_map(|steps| self.step(point, direction, steps));
        places.filter(|&(column, row)| self.rows[row][column] == '.').collect()
    }

    /// The black stones in a row through one of them, in order.
    fn row_through(&self, point: Coordinates, direction: (i32, i32)) -> Vec<Coordinates> {
        let black = |steps: i32| {
            self.step(point, direction, steps)
                .filter(|&(column, row)| self.rows[row][column] == 'x')
        };
        let below = (1..).map_while(|steps| black(-steps)).collect::<Vec<_>>();
        let above = (0..).map_while(black);
        below.into_iter().rev().chain(above).collect()
    }

    fn step(
        &self,
        (column, row): Coordinates,
        (right, up): (i32, i32),
        steps: i32,
    ) -> Option<Coordinates> {
        let column = usize::try_from(column as i32 + right * steps).ok()?;
        let row = usize::try_from(row as i32 + up * steps).ok()?;
        (column < self.rows.len() && row < self.rows.len()).then_some((column, row))
    }

    fn points_where(&self, is_one: impl Fn(&Reference, usize, usize) -> bool) -> Vec<String> {
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

    /// Whether a winning row of this stone starts here, in any direction.
    fn wins_from(&self, stone: char, column: usize, row: usize) -> bool {
        DIRECTIONS.into_iter().any(|(right, up)| {
            let at = |step: i32| self.at(column, row, step * right, step * up);
            let is_own = |step: i32| at(step) == Some(stone);
            let run = (0..).take_while(|&step| is_own(step)).count();
            let is_blocked = [at(-1), at(run as i32)] == [Some(other(stone)); 2];
            !is_own(-1)
                && match self.rule {
                    Rule::Freestyle => run >= 5,
                    Rule::Standard => run == 5,
                    Rule::Caro => run == 5 && !is_blocked,
                    Rule::Renju if stone == 'x' => run == 5,
                    Rule::Renju => run >= 5,
                }
        })
    }

    fn at(&self, column: usize, row: usize, right: i32, up: i32) -> Option<char> {
        let column = usize::try_from(column as i32 + right).ok()?;
        let row = usize::try_from(row as i32 + up).ok()?;
        self.rows.get(row)?.get(column).copied()
    }
}

fn coordinates(point: &str) -> Coordinates {
    let row: usize = point[1..].parse().expect("a row");
    (usize::from(point.as_bytes()[0] - b'a'), row - 1)
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
