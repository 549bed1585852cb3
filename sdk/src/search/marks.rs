//! Which moves are being searched right now, somewhere in a team: others leave them for later,
//! when their results are in the table ("Simplified ABDADA": T. Kerrigan, 2017, after J.-C. Weill,
//! "The ABDADA Distributed Minimax Search Algorithm", 1996). A mark that is lost or left behind
//! costs time and changes no result.

use sandboard_games::{Coded, Rules};

use crate::host::Host;

/// So many marks there can be at once.
pub(super) const MARKS: u64 = 1 << 12;
/// Spreads numbers over all bits.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
/// What stands where no mark is any more; never a mark.
const NONE: u64 = 1 << 63;

/// The mark of a move in a position: where it goes among the words that the team shares, and
/// the word.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    key: u64,
    word: u64,
}

impl Mark {
    pub(super) fn of<R: Rules>(position: &R, mv: R::Move) -> Self {
        let mixed =
            (position.hash() ^ u64::from(mv.code()).wrapping_mul(SPREAD)).wrapping_mul(SPREAD);
        // Few keys, so that marks take no room from what is known of positions.
        let key = (mixed >> 52).wrapping_add(1).wrapping_mul(SPREAD);
        Self { key, word: mixed & !NONE | 1 }
    }

    /// Whether somebody searches this move.
    pub(super) fn is_set(self, host: &Host) -> bool {
        host.probe(self.key) == self.word
    }

    pub(super) fn set(self, host: &Host) {
        host.store(self.key, self.word);
    }

    pub(super) fn clear(self, host: &Host) {
        host.store(self.key, NONE);
    }
}
