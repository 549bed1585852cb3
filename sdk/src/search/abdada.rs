//! Marks for moves that some member of a team is searching right now. The others defer such moves
//! until the results are in the table: "Simplified ABDADA" (T. Kerrigan, 2017), after J.-C. Weill,
//! "The ABDADA Distributed Minimax Search Algorithm" (1996). A lost or stale mark costs time and
//! changes no result.

use sandboard_games::{MoveCode, Rules};

use crate::host::Host;

/// The number of places for marks.
pub(super) const MARKS: u64 = 1 << 12;
/// Spreads numbers over all bits: 2^64 divided by the golden ratio.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
/// The word of a cleared mark; no mark has it.
const CLEARED: u64 = 1 << 63;

/// The mark of a move in a position: its place among the words that the team shares, and its word.
#[derive(Clone, Copy, Debug)]
pub(super) struct SearchingMark {
    key: u64,
    word: u64,
}

impl SearchingMark {
    pub(super) fn of<R: Rules>(position: &R, mv: R::Move) -> Self {
        let mixed =
            (position.hash() ^ u64::from(mv.code()).wrapping_mul(SPREAD)).wrapping_mul(SPREAD);
        // Few keys, so that marks take little room from the entries of positions.
        let key = (mixed >> 52).wrapping_add(1).wrapping_mul(SPREAD);
        Self { key, word: mixed & !CLEARED | 1 }
    }

    /// Whether some member is searching this move.
    pub(super) fn is_set(self, host: &Host) -> bool {
        host.probe(self.key) == self.word
    }

    pub(super) fn set(self, host: &Host) {
        host.store(self.key, self.word);
    }

    pub(super) fn clear(self, host: &Host) {
        host.store(self.key, CLEARED);
    }
}
