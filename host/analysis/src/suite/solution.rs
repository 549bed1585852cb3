//! The solution of a position: decides by the chosen move or, if the solution names no moves, by
//! the score. Moves are canonical texts.

use std::fmt;

use sandboard_abi::limits::WIN_SCORE;
use sandboard_abi::{Bound, Score};

use sandboard_bout::query::Preference;

/// The solution of a position.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Solution {
    /// The moves that solve it; empty: any move that is not in `avoid`.
    pub best: Vec<String>,
    /// The moves that do not solve it.
    pub avoid: Vec<String>,
    /// The known score; it decides only if no moves are named.
    pub target: Option<KnownScore>,
}

/// The known score of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KnownScore {
    /// A score in the game's own unit, from the view of the side to move.
    Score(i32),
    /// The side to move wins with at most this number of its own moves.
    WinIn(u32),
}

/// The largest number of moves of a [`KnownScore::WinIn`].
pub(super) const WIN_IN_MAX: u32 = WIN_SCORE as u32 / 2;

impl Solution {
    /// Whether it names moves.
    pub fn names_moves(&self) -> bool {
        !self.best.is_empty() || !self.avoid.is_empty()
    }

    /// Whether this move, reported with this score, solves the position.
    pub fn is_solved_by(&self, mv: &str, score: Option<Score>) -> bool {
        let is_in = |moves: &[String]| moves.iter().any(|other| other == mv);
        match (self.best.is_empty(), self.avoid.is_empty()) {
            (true, true) => self.score_fits(score) == Some(true),
            (any_move, _) => (any_move || is_in(&self.best)) && !is_in(&self.avoid),
        }
    }

    /// Whether the score is the known one; none if no score is known.
    pub fn score_fits(&self, score: Option<Score>) -> Option<bool> {
        self.target.map(|target| score.is_some_and(|score| target.fits(score)))
    }

    /// The turn from which on all moves solve the position; none if the last move does not.
    /// `canonical` converts a move to its canonical text.
    pub(super) fn settled_turn<'a>(
        &self,
        turns: &'a [Preference],
        canonical: impl Fn(&str) -> Option<String>,
    ) -> Option<&'a Preference> {
        let solves = |turn: &Preference| {
            canonical(&turn.r#move).is_some_and(|mv| self.is_solved_by(&mv, turn.score))
        };
        let right = turns.iter().rev().take_while(|turn| solves(turn)).count();
        turns.get(turns.len() - right)
    }
}

impl KnownScore {
    /// Whether a score equals the known one. A mere bound does not.
    fn fits(self, score: Score) -> bool {
        match self {
            KnownScore::Score(value) => {
                score.value == value && matches!(score.bound, Bound::Estimate | Bound::Exact)
            }
            KnownScore::WinIn(moves) => {
                let plies = 2 * moves.min(WIN_IN_MAX) as i32 - 1;
                score.value >= WIN_SCORE - plies && score.bound != Bound::AtMost
            }
        }
    }
}

impl fmt::Display for Solution {
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

impl fmt::Display for KnownScore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KnownScore::Score(value) => write!(f, "score {value}"),
            KnownScore::WinIn(moves) => write!(f, "win in {moves}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split_ascii_whitespace().map(str::to_owned).collect()
    }

    fn solution(best: &str, avoid: &str, target: Option<KnownScore>) -> Solution {
        Solution { best: words(best), avoid: words(avoid), target }
    }

    fn score(value: i32, bound: Bound) -> Option<Score> {
        Some(Score { value, bound })
    }

    #[test]
    fn moves_decide_if_there_are_any() {
        let check = |best, avoid, mv: &str, expected: bool| {
            for target in [None, Some(KnownScore::Score(7))] {
                let solution = solution(best, avoid, target);
                assert_eq!(solution.is_solved_by(mv, None), expected, "{solution}: {mv}");
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
    fn the_score_decides_without_moves() {
        let check = |target, score, expected: bool| {
            let solution = solution("", "", Some(target));
            assert_eq!(solution.is_solved_by("h8", score), expected, "{solution}: {score:?}");
            assert_eq!(solution.score_fits(score), Some(expected));
        };
        check(KnownScore::Score(18), score(18, Bound::Exact), true);
        check(KnownScore::Score(18), score(18, Bound::Estimate), true);
        check(KnownScore::Score(18), score(18, Bound::AtLeast), false);
        check(KnownScore::Score(18), score(17, Bound::Exact), false);
        check(KnownScore::Score(-4), score(-4, Bound::Exact), true);
        check(KnownScore::Score(0), None, false);
        check(KnownScore::WinIn(3), score(29_995, Bound::Exact), true);
        check(KnownScore::WinIn(3), score(29_997, Bound::AtLeast), true);
        check(KnownScore::WinIn(3), score(29_994, Bound::Exact), false);
        check(KnownScore::WinIn(3), score(29_995, Bound::AtMost), false);
        check(KnownScore::WinIn(WIN_IN_MAX), score(1, Bound::Exact), true);
        assert_eq!(solution("h8", "", None).score_fits(score(1, Bound::Exact)), None);
    }

    #[test]
    fn the_settled_turn_starts_the_last_correct_run() {
        let check = |moves: &str, expected: Option<u64>| {
            let turn = |(index, text): (usize, String)| Preference {
                r#move: text,
                score: None,
                depth: 0,
                nodes: index as u64,
                time_us: 0,
            };
            let turns: Vec<Preference> = words(moves).into_iter().enumerate().map(turn).collect();
            let canonical = |text: &str| (text != "bad").then(|| text.to_ascii_lowercase());
            let found =
                solution("h8 i9", "", None).settled_turn(&turns, canonical).map(|turn| turn.nodes);
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
