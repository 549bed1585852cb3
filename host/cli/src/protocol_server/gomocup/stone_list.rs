//! Reads boards and openings given as lists of stones, and decides openings.

use super::{Gomocup, SWAP2};
use crate::protocol_server::{Action, Session};
use sandboard_protocols::gomocup::{Board, Point, Stone, point_of, text_of};

/// A list of stones, up to `DONE`.
pub(super) struct StoneList {
    pub(super) is_opening: bool,
    pub(super) lines: Vec<String>,
}

impl Gomocup {
    pub(super) fn add_list_line(&mut self, line: &str) -> Result<Action, String> {
        let Some(mut stone_list) = self.stone_list.take() else { return Ok(Action::Continue) };
        if !line.eq_ignore_ascii_case("DONE") {
            // No board has more stones; further lines are dropped.
            if !line.is_empty() && stone_list.lines.len() < 1024 {
                stone_list.lines.push(line.chars().take(64).collect());
            }
            self.stone_list = Some(stone_list);
            return Ok(Action::Continue);
        }
        match stone_list.is_opening {
            true => self.set_opening(&stone_list.lines),
            false => self.set_board(&stone_list.lines),
        }
    }

    /// Sets up the list between `BOARD` and `DONE`: points with their owners.
    fn set_board(&mut self, lines: &[String]) -> Result<Action, String> {
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
                return Err(format!("`{line}` occurs twice"));
            }
            if own.is_empty() && other.is_empty() {
                first_is_own = field == 1;
            }
            match field {
                1 => own.push((x, y)),
                2 => other.push((x, y)),
                // 3 marks stones of finished fives in continuous games, which are not supported.
                _ => return Err(form()),
            }
        }
        // Black starts: with equally many stones, the side to move is black.
        let is_black = match own.len().cmp(&other.len()) {
            std::cmp::Ordering::Equal => true,
            std::cmp::Ordering::Less if other.len() == own.len() + 1 => false,
            _ => first_is_own,
        };
        let stones = |points: &[Point], is_black| -> Vec<Stone> {
            points.iter().map(|at| Stone { at: *at, is_black }).collect()
        };
        let stones = [stones(&own, is_black), stones(&other, !is_black)].concat();
        self.set_position(&Board { size, stones, is_black, phase: String::new() })?;
        self.start_search()
    }

    /// Sets up the list between `SWAP2BOARD` and `DONE`: the stones of an opening.
    fn set_opening(&mut self, lines: &[String]) -> Result<Action, String> {
        let variant = self.state.engine_info.game.variant(&format!("{SWAP2}-{}", self.size()));
        let variant = variant.map_err(|error| error.to_string())?;
        let stones = lines.iter().map(|line| Ok(self.point(line)?.1));
        let stones = stones.collect::<Result<Vec<_>, String>>()?;
        if ![0, 3, 5].contains(&stones.len()) {
            return Err(format!("an opening has 0, 3 or 5 stones, not {}", stones.len()));
        }
        self.state.set_up(&variant, "")?;
        self.state.new_game();
        for (index, mv) in stones.iter().enumerate() {
            if index == 3 {
                self.state.play("put-two")?;
            }
            self.state.play(mv)?;
        }
        self.opening = Some(Vec::new());
        self.start_search()
    }

    /// Plays the next decision of an opening, and answers or searches again.
    pub(super) fn continue_opening(
        &mut self,
        mv: String,
        mut opening_points: Vec<Point>,
        out: &mut Vec<String>,
    ) -> Action {
        let stones = self.board().map_or(0, |board| board.stones.len());
        // A player that takes black says so; one that takes white plays the next stone.
        let takes_black = matches!((mv.as_str(), stones), ("swap", 3) | ("keep", 5));
        if let Some(point) = point_of(&mv, self.size()) {
            opening_points.push(point);
        }
        if let Err(reason) = self.state.play(&mv) {
            self.report_error(&reason, out);
            return Action::Continue;
        }
        if takes_black {
            out.push("SWAP".into());
            return Action::Continue;
        }
        // After the last stone of a step the other player is to move, or the opening is over.
        let is_done = match (opening_points.len(), stones) {
            (0, _) => false,
            (3, _) => true,
            (1, 3) => self.state.game.phase() != sandboard_games::Phase::Opening,
            (_, 0..=2) => false,
            _ => true,
        };
        if is_done {
            let shown: Vec<String> =
                opening_points.iter().map(|(x, y)| format!("{x},{y}")).collect();
            out.push(shown.join(" "));
            return Action::Continue;
        }
        self.opening = Some(opening_points);
        self.start_search().unwrap_or_else(|reason| {
            self.report_error(&reason, out);
            Action::Continue
        })
    }
}
