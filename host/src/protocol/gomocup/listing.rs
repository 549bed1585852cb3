//! Boards and openings that come as lists of stones, and what follows from an opening.

use super::{Gomocup, SWAP2};
use crate::process::gomocup::{Board, Point, Stone, point_of, text_of};
use crate::protocol::{Act, Session};

/// Lines up to `DONE`.
pub(super) struct Listing {
    pub(super) is_opening: bool,
    pub(super) lines: Vec<String>,
}

impl Gomocup {
    pub(super) fn list(&mut self, line: &str) -> Result<Act, String> {
        let Some(mut listing) = self.listing.take() else { return Ok(Act::Wait) };
        if !line.eq_ignore_ascii_case("DONE") {
            // No board has more, and a longer one is none.
            if !line.is_empty() && listing.lines.len() < 1024 {
                listing.lines.push(line.chars().take(64).collect());
            }
            self.listing = Some(listing);
            return Ok(Act::Wait);
        }
        match listing.is_opening {
            true => self.opened(&listing.lines),
            false => self.listed(&listing.lines),
        }
    }

    /// What stands between `BOARD` and `DONE`: points, and whose stones they are.
    fn listed(&mut self, lines: &[String]) -> Result<Act, String> {
        let size = self.size();
        let (mut own, mut other) = (Vec::new(), Vec::new());
        let mut first_is_own = true;
        for line in lines {
            let form = || format!("`{line}` is not x,y and 1 or 2");
            let numbers = line.split(',').map(|part| part.trim().parse::<u8>().ok());
            let numbers: Vec<u8> = numbers.collect::<Option<_>>().ok_or_else(form)?;
            let [x, y, field] = numbers[..] else { return Err(form()) };
            text_of((x, y), size).ok_or_else(|| format!("`{line}` is not on the board"))?;
            if own.contains(&(x, y)) || other.contains(&(x, y)) {
                return Err(format!("`{line}` is there twice"));
            }
            if own.is_empty() && other.is_empty() {
                first_is_own = field == 1;
            }
            match field {
                1 => own.push((x, y)),
                2 => other.push((x, y)),
                // Stones that count no more, of games that go on after a five.
                _ => return Err(form()),
            }
        }
        // Black begins: who moves with as many stones as the other is black.
        let is_black = match own.len().cmp(&other.len()) {
            std::cmp::Ordering::Equal => true,
            std::cmp::Ordering::Less if other.len() == own.len() + 1 => false,
            _ => first_is_own,
        };
        let stones = |points: &[Point], is_black| -> Vec<Stone> {
            points.iter().map(|at| Stone { at: *at, is_black }).collect()
        };
        let stones = [stones(&own, is_black), stones(&other, !is_black)].concat();
        self.lay(&Board { size, stones, is_black, phase: String::new() })?;
        self.ask()
    }

    /// What stands between `SWAP2BOARD` and `DONE`: the stones of an opening.
    fn opened(&mut self, lines: &[String]) -> Result<Act, String> {
        let variant = self.table.offer.game.variant(&format!("{SWAP2}-{}", self.size()));
        let variant = variant.map_err(|error| error.to_string())?;
        let stones = lines.iter().map(|line| Ok(self.point(line)?.1));
        let stones = stones.collect::<Result<Vec<_>, String>>()?;
        if ![0, 3, 5].contains(&stones.len()) {
            return Err(format!("an opening has 0, 3 or 5 stones, not {}", stones.len()));
        }
        self.table.set_up(&variant, "")?;
        self.table.new_game();
        for (index, mv) in stones.iter().enumerate() {
            if index == 3 {
                self.table.play("put-two")?;
            }
            self.table.play(mv)?;
        }
        self.opening = Some(Vec::new());
        self.ask()
    }

    /// One more decision of an opening: what follows from it.
    pub(super) fn open(&mut self, mv: String, mut laid: Vec<Point>, out: &mut Vec<String>) -> Act {
        let stones = self.board().map_or(0, |board| board.stones.len());
        // Who takes black says so; who takes white puts the next stone.
        let takes_black = matches!((mv.as_str(), stones), ("swap", 3) | ("keep", 5));
        if let Some(point) = point_of(&mv, self.size()) {
            laid.push(point);
        }
        if let Err(reason) = self.table.play(&mv) {
            self.bad(&reason, out);
            return Act::Wait;
        }
        if takes_black {
            out.push("SWAP".into());
            return Act::Wait;
        }
        // After the last stone of a step it is the other player's turn, or no opening any more.
        let is_done = match (laid.len(), stones) {
            (0, _) => false,
            (3, _) => true,
            (1, 3) => self.table.game.phase() != sandboard_games::Phase::Opening,
            (_, 0..=2) => false,
            _ => true,
        };
        if is_done {
            let shown: Vec<String> = laid.iter().map(|(x, y)| format!("{x},{y}")).collect();
            out.push(shown.join(" "));
            return Act::Wait;
        }
        self.opening = Some(laid);
        self.ask().unwrap_or_else(|reason| {
            self.bad(&reason, out);
            Act::Wait
        })
    }
}
