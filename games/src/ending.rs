//! The result of a finished game, for games with any number of seats.

use std::borrow::Cow;

use crate::rules::{Seat, Side};

/// How a game ended: the result of each seat, and the rule that ended it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ending {
    /// The result of each seat, in the game's unit (discs, tricks, points). A seat beats every seat
    /// with a lower score; seats with equal scores draw. Seats of one side have the same score. In
    /// games that only know win, draw and loss, these are 1, 0 and -1.
    pub scores: Vec<i32>,
    /// The rule that ended the game, in a few lower-case words.
    pub reason: Cow<'static, str>,
}

impl Ending {
    /// The side that beats all others; `None` if several sides have the highest score.
    pub fn winner(&self, side: impl Fn(Seat) -> Side) -> Option<Side> {
        winner(&self.scores, side)
    }
}

/// The side whose seats have the highest of these scores, one for each seat; `None` if several
/// sides have it.
pub fn winner(scores: &[i32], side: impl Fn(Seat) -> Side) -> Option<Side> {
    let highest = scores.iter().max()?;
    let mut best = (0..).zip(scores).filter(|(_, score)| *score == highest);
    let first = side(Seat(best.next()?.0));
    best.all(|(seat, _)| side(Seat(seat)) == first).then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_side_with_the_highest_score_wins_alone() {
        let check = |scores: &[i32], sides: u8, expected: Option<u8>| {
            let side = |seat: Seat| Side(seat.0 % sides);
            assert_eq!(winner(scores, side), expected.map(Side), "{scores:?}");
        };
        check(&[], 2, None);
        check(&[0, 0], 2, None);
        check(&[1, -1], 2, Some(0));
        check(&[-3, -2], 2, Some(1));
        check(&[2, -2, 2, -2], 2, Some(0));
        check(&[2, 2, 2, 2], 2, None);
        check(&[5, 7, 7], 3, None);
        check(&[5, 7, 6], 3, Some(1));
        check(&[-1], 1, Some(0));
    }
}
