//! The result of a finished game, for games with any number of seats.

use std::borrow::Cow;

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
