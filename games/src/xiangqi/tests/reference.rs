//! A slow and simple reference implementation of xiangqi: letters on ninety points, every move
//! tried on a copy, and attacks on a king found by generating all moves. It shares no code with the
//! rules under test.

use std::collections::BTreeSet;

/// Rows from the top, as in position texts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Reference {
    rows: Vec<Vec<char>>,
    red_moves: bool,
}

impl Reference {
    /// The board of a position text.
    pub(super) fn read(fen: &str) -> Reference {
        let mut fields = fen.split(' ');
        let rows = fields.next().expect("rows").split('/').map(|row| {
            let points = row.chars().flat_map(|sign| match sign.to_digit(10) {
                Some(run) => vec!['.'; run as usize],
                None => vec![sign],
            });
            points.collect()
        });
        Reference { rows: rows.collect(), red_moves: fields.next() == Some("w") }
    }

    /// Board and side to move, as in position texts.
    pub(super) fn text(&self) -> String {
        let rows = self.rows.iter().map(|row| {
            let mut text = String::new();
            let mut run = 0;
            for sign in row.iter().chain(['|'].iter()) {
                if *sign == '.' {
                    run += 1;
                    continue;
                }
                if run > 0 {
                    text += &run.to_string();
                }
                run = 0;
                if *sign != '|' {
                    text.push(*sign);
                }
            }
            text
        });
        let rows: Vec<String> = rows.collect();
        format!("{} {}", rows.join("/"), if self.red_moves { 'w' } else { 'b' })
    }

    fn at(&self, (file, rank): (i32, i32)) -> Option<char> {
        let row = usize::try_from(9 - rank).ok()?;
        self.rows.get(row)?.get(usize::try_from(file).ok()?).copied()
    }

    fn all(&self) -> impl Iterator<Item = ((i32, i32), char)> + '_ {
        let points = (0..10).flat_map(|rank| (0..9).map(move |file| (file, rank)));
        points.filter_map(|point| Some((point, self.at(point).filter(|sign| *sign != '.')?)))
    }

    /// The points that a piece can move to, regardless of king safety.
    fn reach(&self, from: (i32, i32)) -> Vec<(i32, i32)> {
        let Some(sign) = self.at(from).filter(|sign| *sign != '.') else { return Vec::new() };
        let red = sign.is_ascii_uppercase();
        let up = if red { 1 } else { -1 };
        // Distance in ranks from this side's own edge.
        let own = |rank: i32| if red { rank } else { 9 - rank };
        let plus = |(x, y): (i32, i32), (dx, dy): (i32, i32)| (x + dx, y + dy);
        let straight = [(1, 0), (-1, 0), (0, 1), (0, -1)];
        let oblique = [(1, 1), (1, -1), (-1, 1), (-1, -1)];
        let mut ends = Vec::new();
        match sign.to_ascii_lowercase() {
            'k' | 'a' => {
                let steps = if sign.eq_ignore_ascii_case(&'k') { straight } else { oblique };
                let palace = |(x, y): &(i32, i32)| (3..=5).contains(x) && own(*y) <= 2;
                ends.extend(steps.map(|step| plus(from, step)).into_iter().filter(palace));
            }
            'b' => {
                for (x, y) in oblique {
                    let end = plus(from, (2 * x, 2 * y));
                    if self.at(plus(from, (x, y))) == Some('.') && own(end.1) <= 4 {
                        ends.push(end);
                    }
                }
            }
            'n' => {
                for (x, y) in straight {
                    if self.at(plus(from, (x, y))) == Some('.') {
                        let two = plus(from, (2 * x, 2 * y));
                        ends.extend([plus(two, (y, x)), plus(two, (-y, -x))]);
                    }
                }
            }
            'p' => {
                ends.push(plus(from, (0, up)));
                if own(from.1) >= 5 {
                    ends.extend([plus(from, (1, 0)), plus(from, (-1, 0))]);
                }
            }
            _ => {
                for step in straight {
                    let mut point = plus(from, step);
                    let mut screens = 0;
                    while let Some(there) = self.at(point) {
                        let cannon = sign.eq_ignore_ascii_case(&'c');
                        match (cannon, screens, there) {
                            (_, 0, '.') | (false, 0, _) | (true, 1, 'A'..='z') => ends.push(point),
                            _ => (),
                        }
                        screens += i32::from(there != '.');
                        point = plus(point, step);
                    }
                }
            }
        }
        let lands = |end: &(i32, i32)| match self.at(*end) {
            None => false,
            Some('.') => true,
            Some(other) => other.is_ascii_uppercase() != red,
        };
        ends.retain(lands);
        ends
    }

    /// Whether a side's king is attacked.
    pub(super) fn in_check(&self, red: bool) -> bool {
        let king = if red { 'K' } else { 'k' };
        let other = if red { 'k' } else { 'K' };
        let find = |wanted: char| self.all().find(|it| it.1 == wanted).map(|it| it.0);
        let (Some(own), Some(theirs)) = (find(king), find(other)) else { return true };
        let between = own.1.min(theirs.1) + 1..own.1.max(theirs.1);
        let faces = own.0 == theirs.0
            && between.into_iter().all(|rank| self.at((own.0, rank)) == Some('.'));
        let attackers = self.all().filter(|it| it.1.is_ascii_uppercase() != red);
        faces || attackers.into_iter().any(|(from, _)| self.reach(from).contains(&own))
    }

    pub(super) fn red_moves(&self) -> bool {
        self.red_moves
    }

    /// The legal moves, sorted by text.
    pub(super) fn legal(&self) -> BTreeSet<String> {
        let own = self.all().filter(|it| it.1.is_ascii_uppercase() == self.red_moves);
        let moves = own.flat_map(|(from, _)| {
            self.reach(from).into_iter().map(move |to| (from, to)).collect::<Vec<_>>()
        });
        let text = |(from, to): ((i32, i32), (i32, i32))| {
            let point = |(file, rank): (i32, i32)| format!("{}{rank}", (b'a' + file as u8) as char);
            format!("{}{}", point(from), point(to))
        };
        moves.map(text).filter(|mv| !self.after(mv).in_check(self.red_moves)).collect()
    }

    /// The board after a move.
    pub(super) fn after(&self, mv: &str) -> Reference {
        let bytes = mv.as_bytes();
        let point =
            |at: usize| (usize::from(bytes[at] - b'a'), 9 - usize::from(bytes[at + 1] - b'0'));
        let ((from_file, from_row), (to_file, to_row)) = (point(0), point(2));
        let mut after = self.clone();
        after.red_moves = !self.red_moves;
        after.rows[to_row][to_file] = self.rows[from_row][from_file];
        after.rows[from_row][from_file] = '.';
        after
    }

    /// The board mirrored left to right.
    pub(super) fn mirrored(&self) -> Reference {
        let rows = self.rows.iter().map(|row| row.iter().rev().copied().collect());
        Reference { rows: rows.collect(), ..*self }
    }
}
