//! A slow and simple reference implementation of reversi: characters on a board, and every question
//! answered by a scan. It shares no code with the rules under test.

/// A position as characters.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Reference {
    /// From row 1 downwards: `X`, `O` or `-`.
    rows: Vec<Vec<char>>,
    mover: char,
}

impl Reference {
    pub(super) fn start(size: usize) -> Reference {
        let mut rows = vec![vec!['-'; size]; size];
        let (low, high) = (size / 2 - 1, size / 2);
        rows[low][low] = 'O';
        rows[high][high] = 'O';
        rows[low][high] = 'X';
        rows[high][low] = 'X';
        Reference { rows, mover: 'X' }
    }

    /// A board filled from a list of 0 (black), 1 (white) and other numbers (empty).
    pub(super) fn filled(size: usize, cells: &[u8], black_moves: bool) -> Reference {
        let mut reference = Reference::start(size);
        for (cell, content) in reference.rows.iter_mut().flatten().zip(cells) {
            *cell = ['X', 'O', '-'][usize::from(*content).min(2)];
        }
        reference.mover = if black_moves { 'X' } else { 'O' };
        reference
    }

    pub(super) fn text(&self) -> String {
        let discs: String = self.rows.iter().flatten().collect();
        format!("{discs} {}", self.mover)
    }

    pub(super) fn size(&self) -> usize {
        self.rows.len()
    }

    pub(super) fn count(&self, disc: char) -> u32 {
        self.rows.iter().flatten().filter(|cell| **cell == disc).count() as u32
    }

    pub(super) fn legal(&self) -> Vec<String> {
        let moves = self.placeable(self.mover);
        match moves.is_empty() && !self.placeable(other(self.mover)).is_empty() {
            true => vec!["pass".to_owned()],
            false => moves,
        }
    }

    /// The squares where a colour can place a disc.
    pub(super) fn placeable(&self, disc: char) -> Vec<String> {
        let mut moves = Vec::new();
        for row in 0..self.size() {
            for column in 0..self.size() {
                if !self.flipped(disc, column, row).is_empty() {
                    moves.push(format!("{}{}", (b'a' + column as u8) as char, row + 1));
                }
            }
        }
        moves
    }

    pub(super) fn after(&self, mv: &str) -> Reference {
        let mut reference = self.clone();
        if mv != "pass" {
            let column = usize::from(mv.as_bytes()[0] - b'a');
            let row = mv[1..].parse::<usize>().expect("a row") - 1;
            reference.rows[row][column] = self.mover;
            for (column, row) in self.flipped(self.mover, column, row) {
                reference.rows[row][column] = self.mover;
            }
        }
        reference.mover = other(self.mover);
        reference
    }

    /// The result if the game is over: black's discs minus white's, with the empty squares counted
    /// for the winner.
    pub(super) fn score(&self) -> Option<i32> {
        if !self.legal().is_empty() {
            return None;
        }
        let [black, white, empty] = ['X', 'O', '-'].map(|disc| self.count(disc) as i32);
        Some(match black.cmp(&white) {
            std::cmp::Ordering::Less => black - white - empty,
            std::cmp::Ordering::Equal => 0,
            std::cmp::Ordering::Greater => black - white + empty,
        })
    }

    /// The board rotated by 90 degrees.
    pub(super) fn turned(&self) -> Reference {
        let size = self.size();
        let cell = |row: usize, column: usize| self.rows[size - 1 - column][row];
        let rows = (0..size).map(|row| (0..size).map(|column| cell(row, column)).collect());
        Reference { rows: rows.collect(), mover: self.mover }
    }

    /// The board mirrored left to right.
    pub(super) fn mirrored(&self) -> Reference {
        let rows = self.rows.iter().map(|row| row.iter().rev().copied().collect());
        Reference { rows: rows.collect(), mover: self.mover }
    }

    fn flipped(&self, disc: char, column: usize, row: usize) -> Vec<(usize, usize)> {
        if self.rows[row][column] != '-' {
            return Vec::new();
        }
        let mut flipped = Vec::new();
        for (right, down) in [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)]
        {
            let mut run = Vec::new();
            let (mut x, mut y) = (column as i32 + right, row as i32 + down);
            while self.at(x, y) == Some(other(disc)) {
                run.push((x as usize, y as usize));
                (x, y) = (x + right, y + down);
            }
            if self.at(x, y) == Some(disc) {
                flipped.extend(run);
            }
        }
        flipped
    }

    fn at(&self, column: i32, row: i32) -> Option<char> {
        let row = self.rows.get(usize::try_from(row).ok()?)?;
        row.get(usize::try_from(column).ok()?).copied()
    }
}

fn other(disc: char) -> char {
    if disc == 'X' { 'O' } else { 'X' }
}
