//! The times that a manager tells, as limits.

use sandboard_abi::Limits;

use crate::protocol::chess::timed;
use crate::protocol::table::Offer;

/// What stands for no limit of time in `INFO`, in milliseconds.
const UNLIMITED_MS: u64 = 2_147_483_647;

/// The times that `INFO` has told, in milliseconds.
#[derive(Clone, Copy, Default)]
pub(super) struct Times {
    pub(super) turn: Option<u64>,
    pub(super) of_match: Option<u64>,
    pub(super) left: Option<u64>,
}

impl Times {
    /// What they leave to the next move.
    pub(super) fn limits(&self, offer: &Offer) -> Limits {
        let turn = match self.turn {
            // As fast as it can.
            Some(0) => Some(1),
            turn => turn.filter(|ms| *ms < UNLIMITED_MS),
        };
        let left = match (self.left, self.of_match) {
            (_, Some(0)) => None,
            (left, whole) => left.or(whole).filter(|ms| *ms < UNLIMITED_MS),
        };
        let us = |ms: u64| offer.time_us(ms);
        let limits = timed(turn.map(us), left.map(us), Limits::default());
        // Who says that nothing limits it means so.
        if self.turn.is_some() { limits } else { offer.or_usual(limits) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::Dialect;
    use crate::protocol::tests::offer;

    #[test]
    fn limits_of_times() {
        let check = |turn, of_match, left, expected: (Option<u64>, Option<u64>)| {
            let found = Times { turn, of_match, left }.limits(&offer("gomoku", "", Dialect::Same));
            assert_eq!(
                (found.call_max, found.game_left),
                expected,
                "{turn:?} {of_match:?} {left:?}"
            );
        };
        check(None, None, None, (None, None));
        check(Some(5000), Some(180_000), Some(90_000), (Some(5_000_000), Some(90_000_000)));
        check(Some(5000), Some(180_000), None, (Some(5_000_000), Some(180_000_000)));
        check(Some(0), Some(0), Some(90_000), (Some(1000), None));
        // What is left counts by itself, though it be nothing.
        check(None, None, Some(90_000), (None, Some(90_000_000)));
        check(None, Some(180_000), Some(0), (None, Some(1000)));
        check(None, Some(2_147_483_647), Some(90_000), (None, Some(90_000_000)));
        check(Some(5000), Some(180_000), Some(2_147_483_647), (Some(5_000_000), None));
    }
}
