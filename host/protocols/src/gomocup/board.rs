//! Converts between our position texts and the protocol's stones and points. Judges no move.

use super::Point;

/// A stone on the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stone {
    /// The point of the stone.
    pub at: Point,
    /// Whether the stone is black.
    pub is_black: bool,
}

/// The stones of a position text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Board {
    /// The number of rows and columns.
    pub size: u8,
    /// The stones, row by row from the top.
    pub stones: Vec<Stone>,
    /// Whether black plays the next stone.
    pub is_black: bool,
    /// The words of the phase after the side to move.
    pub phase: String,
}

impl Board {
    /// Reads a position text of gomoku: rows, side, and the words of the phase. None: the text is
    /// invalid.
    pub fn parse(position: &str) -> Option<Self> {
        let mut words = position.splitn(3, ' ');
        let (rows, side) = (words.next()?, words.next()?);
        let phase = words.next().unwrap_or_default().to_owned();
        let size = u8::try_from(rows.split('/').count()).ok()?;
        let mut stones = Vec::new();
        for (row, text) in (0u8..).zip(rows.split('/')) {
            read_row(text, row, size, &mut stones)?;
        }
        Some(Self { size, stones, is_black: side == "b", phase })
    }

    /// The position text of these stones, without the phase.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        for row in 0..self.size {
            let mut empties = 0u8;
            let flush = |empties: &mut u8, text: &mut String| {
                if *empties > 0 {
                    text.push_str(&std::mem::take(empties).to_string());
                }
            };
            for column in 0..self.size {
                match self.stones.iter().find(|stone| stone.at == (column, row)) {
                    Some(stone) => {
                        flush(&mut empties, &mut text);
                        text.push(if stone.is_black { 'x' } else { 'o' });
                    }
                    None => empties += 1,
                }
            }
            flush(&mut empties, &mut text);
            text.push(if row + 1 < self.size { '/' } else { ' ' });
        }
        text.push(if self.is_black { 'b' } else { 'w' });
        text
    }

    /// The same stones in the order in which they were played, as far as these moves show it.
    /// Stones that were there before come first, black and white alternating.
    pub fn in_order(&self, moves: &[String]) -> Vec<Stone> {
        let at = |mv: &String| {
            let at = point_of(mv, self.size)?;
            self.stones.iter().copied().find(|stone| stone.at == at)
        };
        let mut played: Vec<Stone> = Vec::new();
        for stone in moves.iter().filter_map(at) {
            if !played.contains(&stone) {
                played.push(stone);
            }
        }
        let before = |is_black| {
            let played = &played;
            self.stones
                .iter()
                .copied()
                .filter(move |stone: &Stone| stone.is_black == is_black && !played.contains(stone))
        };
        let (mut black, mut white) = (before(true), before(false));
        let mut ordered = Vec::with_capacity(self.stones.len());
        loop {
            let next: Vec<Stone> = black.next().into_iter().chain(white.next()).collect();
            if next.is_empty() {
                break;
            }
            ordered.extend(next);
        }
        ordered.extend(played);
        ordered
    }
}

fn read_row(text: &str, row: u8, size: u8, stones: &mut Vec<Stone>) -> Option<()> {
    let (mut column, mut run) = (0u8, 0u8);
    for letter in text.chars() {
        if let Some(digit) = letter.to_digit(10) {
            run = run.checked_mul(10)?.checked_add(u8::try_from(digit).ok()?)?;
            continue;
        }
        column = column.checked_add(std::mem::take(&mut run))?;
        let is_black = match letter {
            'x' => true,
            'o' => false,
            _ => return None,
        };
        stones.push(Stone { at: (column, row), is_black });
        column = column.checked_add(1)?;
    }
    (column.checked_add(run)? == size).then_some(())
}

/// The point of a move text on a board of this size; None: the text is not a point of it.
pub fn point_of(mv: &str, size: u8) -> Option<Point> {
    let letter = mv.bytes().next().filter(u8::is_ascii_lowercase)?;
    let row: u8 = mv.get(1..)?.parse().ok()?;
    let (column, row) = (letter - b'a', size.checked_sub(row)?);
    (column < size && row < size).then_some((column, row))
}

/// The move text of a point; None: a board of this size has no such point.
pub fn text_of((column, row): Point, size: u8) -> Option<String> {
    let is_there = column < size && row < size && size <= 26;
    is_there.then(|| format!("{}{}", char::from(b'a' + column), size - row))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_both_ways() {
        let check = |mv: &str, size: u8, at: Point| {
            assert_eq!(point_of(mv, size), Some(at), "{mv}");
            assert_eq!(text_of(at, size).as_deref(), Some(mv));
        };
        check("a1", 15, (0, 14));
        check("a15", 15, (0, 0));
        check("o15", 15, (14, 0));
        check("h8", 15, (7, 7));
        check("v22", 22, (21, 0));
        for invalid in ["", "a", "a0", "a16", "p1", "pass", "swap", "A1", "a-1", "é1"] {
            assert_eq!(point_of(invalid, 15), None, "{invalid}");
        }
        assert_eq!((text_of((15, 0), 15), text_of((0, 15), 15)), (None, None));
    }

    #[test]
    fn texts_both_ways() {
        let check = |text: &str, stones: usize| {
            let board = Board::parse(text).unwrap();
            assert_eq!(board.stones.len(), stones, "{text}");
            let phase =
                if board.phase.is_empty() { String::new() } else { format!(" {}", board.phase) };
            assert_eq!(format!("{}{phase}", board.to_text()), text);
        };
        check("5/5/5/5/5 b", 0);
        check("o4/5/1xx2/5/4x w", 4);
        check("15/15/15/15/15/15/15/7x7/15/15/15/15/15/15/15 w opening", 1);
        for invalid in ["", "5/5 b", "5/5/5/5/5", "6/5/5/5/5 b", "5/5/5/5/xz3 b", "99999/5/5/5/5 b"]
        {
            assert_eq!(Board::parse(invalid), None, "{invalid}");
        }
    }

    #[test]
    fn the_order_of_the_moves() {
        let board = Board::parse("xx3/5/5/5/oo2x b").unwrap();
        let check = |moves: &[&str], expected: &[Point]| {
            let moves: Vec<String> = moves.iter().map(|mv| (*mv).to_owned()).collect();
            let found: Vec<Point> = board.in_order(&moves).iter().map(|stone| stone.at).collect();
            assert_eq!(found, expected, "{moves:?}");
        };
        check(&[], &[(0, 0), (0, 4), (1, 0), (1, 4), (4, 4)]);
        // A move keeps its place in the order of play. Moves that are not stones are ignored.
        check(&["keep", "b1", "a5", "c3"], &[(1, 0), (0, 4), (4, 4), (1, 4), (0, 0)]);
        check(&["b5", "b5"], &[(0, 0), (0, 4), (4, 4), (1, 4), (1, 0)]);
    }
}
