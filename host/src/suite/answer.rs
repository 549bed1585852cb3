//! When a position is solved: by the move that was chosen, and where no moves
//! are known by the score. Pure values; moves are canonical texts.

use std::fmt;

use sandboard_abi::limits::WIN_SCORE;
use sandboard_abi::{Bound, Score};

use crate::ask::Turn;

/// What solves a position.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// Any of these moves; empty: any move that is not among `avoid`.
    pub best: Vec<String>,
    /// None of these moves.
    pub avoid: Vec<String>,
    /// The known score; it decides only where no moves are named.
    pub target: Option<Target>,
}

/// A score that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// This, in the game's own unit, from the mover's side.
    Score(i32),
    /// The mover wins with at most so many moves of its own.
    WinIn(u32),
}

/// Most moves that a [`Target::WinIn`] may name.
pub(super) const WIN_IN_MAX: u32 = WIN_SCORE as u32 / 2;

impl Answer {
    /// Whether moves decide.
    pub fn names_moves(&self) -> bool {
        !self.best.is_empty() || !self.avoid.is_empty()
    }

    /// Whether this move, with this score behind it, solves the position.
    pub fn is_solved_by(&self, mv: &str, score: Option<Score>) -> bool {
        let is_in = |moves: &[String]| moves.iter().any(|other| other == mv);
        match (self.best.is_empty(), self.avoid.is_empty()) {
            (true, true) => self.score_fits(score) == Some(true),
            (any_move, _) => (any_move || is_in(&self.best)) && !is_in(&self.avoid),
        }
    }

    /// Whether the score is the known one; none: none is known.
    pub fn score_fits(&self, score: Option<Score>) -> Option<bool> {
        self.target.map(|target| score.is_some_and(|score| target.fits(score)))
    }

    /// The first of the turns that solve it and after which none does not.
    /// `canonical` reads the engine's move.
    pub(super) fn settled<'a>(
        &self,
        turns: &'a [Turn],
        canonical: impl Fn(&str) -> Option<String>,
    ) -> Option<&'a Turn> {
        let solves = |turn: &Turn| {
            canonical(&turn.r#move).is_some_and(|mv| self.is_solved_by(&mv, turn.score))
        };
        let right = turns.iter().rev().take_while(|turn| solves(turn)).count();
        turns.get(turns.len() - right)
    }
}

impl Target {
    /// A value that is only a bound of the true one does not name it.
    fn fits(self, score: Score) -> bool {
        match self {
            Target::Score(value) => {
                score.value == value && matches!(score.bound, Bound::Estimate | Bound::Exact)
            }
            Target::WinIn(moves) => {
                let plies = 2 * moves.min(WIN_IN_MAX) as i32 - 1;
                score.value >= WIN_SCORE - plies && score.bound != Bound::AtMost
            }
        }
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.best.is_empty(), self.avoid.is_empty(), self.target) {
            (true, true, Some(target)) => target.fmt(f),
            (true, true, None) => f.write_str("nothing"),
            (true, false, _) => write!(f, "not {}", self.avoid.join(" ")),
            (false, true, _) => f.write_str(&self.best.join(" ")),
            (false, false, _) => {
                write!(f, "{}, not {}", self.best.join(" "), self.avoid.join(" "))
            }
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Target::Score(value) => write!(f, "score {value}"),
            Target::WinIn(moves) => write!(f, "win in {moves}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split_ascii_whitespace().map(str::to_owned).collect()
    }

    fn answer(best: &str, avoid: &str, target: Option<Target>) -> Answer {
        Answer { best: words(best), avoid: words(avoid), target }
    }

    fn score(value: i32, bound: Bound) -> Option<Score> {
        Some(Score { value, bound })
    }

    #[test]
    fn moves_decide_where_there_are_any() {
        let check = |best, avoid, mv: &str, expected: bool| {
            for target in [None, Some(Target::Score(7))] {
                let answer = answer(best, avoid, target);
                assert_eq!(answer.is_solved_by(mv, None), expected, "{answer}: {mv}");
            }
        };
        check("h8 i9", "", "i9", true);
        check("h8 i9", "", "i8", false);
        check("", "a1 a2", "i8", true);
        check("", "a1 a2", "a2", false);
        check("h8 a1", "a1", "h8", true);
        check("h8 a1", "a1", "a1", false);
        check("h8 a1", "b1", "c1", false);
    }

    #[test]
    fn a_score_decides_where_no_move_does() {
        let check = |target, score, expected: bool| {
            let answer = answer("", "", Some(target));
            assert_eq!(answer.is_solved_by("h8", score), expected, "{answer}: {score:?}");
            assert_eq!(answer.score_fits(score), Some(expected));
        };
        check(Target::Score(18), score(18, Bound::Exact), true);
        check(Target::Score(18), score(18, Bound::Estimate), true);
        check(Target::Score(18), score(18, Bound::AtLeast), false);
        check(Target::Score(18), score(17, Bound::Exact), false);
        check(Target::Score(-4), score(-4, Bound::Exact), true);
        check(Target::Score(0), None, false);
        check(Target::WinIn(3), score(29_995, Bound::Exact), true);
        check(Target::WinIn(3), score(29_997, Bound::AtLeast), true);
        check(Target::WinIn(3), score(29_994, Bound::Exact), false);
        check(Target::WinIn(3), score(29_995, Bound::AtMost), false);
        check(Target::WinIn(WIN_IN_MAX), score(1, Bound::Exact), true);
        assert_eq!(answer("h8", "", None).score_fits(score(1, Bound::Exact)), None);
    }

    #[test]
    fn what_settles_is_what_stays() {
        let check = |moves: &str, expected: Option<u64>| {
            let turn = |(index, text): (usize, String)| Turn {
                r#move: text,
                score: None,
                depth: 0,
                nodes: index as u64,
                time_us: 0,
            };
            let turns: Vec<Turn> = words(moves).into_iter().enumerate().map(turn).collect();
            let canonical = |text: &str| (text != "bad").then(|| text.to_ascii_lowercase());
            let found = answer("h8 i9", "", None).settled(&turns, canonical).map(|turn| turn.nodes);
            assert_eq!(found, expected, "{moves}");
        };
        check("a1 h8 b1 i9 H8", Some(3));
        check("h8", Some(0));
        check("h8 a1", None);
        check("h8 bad", None);
        check("bad i9", Some(1));
        check("", None);
    }
}
