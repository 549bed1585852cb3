//! Converts the times that a Gomocup manager sends to limits.

use sandboard_abi::Limits;

use crate::protocol_server::game_state::EngineInfo;
use crate::protocol_server::uci_family::wall_time_limits;

/// The value of `INFO` that means no time limit, in milliseconds.
const UNLIMITED_MS: u64 = 2_147_483_647;

/// The times given by `INFO`, in milliseconds.
#[derive(Clone, Copy, Default)]
pub(super) struct Times {
    pub(super) turn_ms: Option<u64>,
    pub(super) match_ms: Option<u64>,
    pub(super) left_ms: Option<u64>,
}

impl Times {
    /// The limits of the next move.
    pub(super) fn limits(&self, engine_info: &EngineInfo) -> Limits {
        let turn_ms = match self.turn_ms {
            // 0 means: as fast as possible.
            Some(0) => Some(1),
            turn_ms => turn_ms.filter(|ms| *ms < UNLIMITED_MS),
        };
        let left_ms = match (self.left_ms, self.match_ms) {
            (_, Some(0)) => None,
            (left_ms, whole) => left_ms.or(whole).filter(|ms| *ms < UNLIMITED_MS),
        };
        let us = |ms: u64| engine_info.time_us(ms);
        let limits = wall_time_limits(turn_ms.map(us), left_ms.map(us), Limits::default());
        // An explicit value for no limit is not replaced by the default.
        if self.turn_ms.is_some() { limits } else { engine_info.or_default_limits(limits) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol_server::tests::engine_info;
    use sandboard_protocols::Dialect;

    #[test]
    fn times_become_limits() {
        let check = |turn_ms, match_ms, left_ms, expected: (Option<u64>, Option<u64>)| {
            let found = Times { turn_ms, match_ms, left_ms }.limits(&engine_info(
                "gomoku",
                "",
                Dialect::Same,
            ));
            assert_eq!(
                (found.call_max, found.game_left),
                expected,
                "{turn_ms:?} {match_ms:?} {left_ms:?}"
            );
        };
        check(None, None, None, (None, None));
        check(Some(5000), Some(180_000), Some(90_000), (Some(5_000_000), Some(90_000_000)));
        check(Some(5000), Some(180_000), None, (Some(5_000_000), Some(180_000_000)));
        check(Some(0), Some(0), Some(90_000), (Some(1000), None));
        // The time left counts even without a match time, and even if it is 0.
        check(None, None, Some(90_000), (None, Some(90_000_000)));
        check(None, Some(180_000), Some(0), (None, Some(1000)));
        check(None, Some(2_147_483_647), Some(90_000), (None, Some(90_000_000)));
        check(Some(5000), Some(180_000), Some(2_147_483_647), (Some(5_000_000), None));
    }
}
