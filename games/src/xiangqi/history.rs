//! Makes and takes back moves, with the counters of the rules: plies since the last capture, checks
//! among them, and the positions since then.

use super::Xiangqi;
use super::board::EMPTY;
use super::square::Move;

/// Plies without a capture after which a game is drawn.
pub(super) const MAX_PLIES_WITHOUT_CAPTURE: u16 = 120;
/// Maximum number of a side's checks that count among them.
const MAX_COUNTED_CHECKS: u16 = 10;

/// A move, and the state before it as needed for undo and repetition.
#[derive(Clone, Copy, Debug)]
pub(super) struct HistoryEntry {
    pub(super) mv: Move,
    /// The captured slot, or [`EMPTY`].
    pub(super) taken: u8,
    /// The following fields are the state before the move.
    pub(super) in_check: bool,
    pub(super) count: u16,
    checks: [u16; 2],
    repetition_start: u32,
    pub(super) key: u64,
}

impl Xiangqi {
    #[inline]
    pub(super) fn advance(&mut self, mv: Move) {
        let mover = self.board.mover;
        let key = self.board.key;
        let taken = self.board.make(mv);
        self.remember(mv, taken, key);
        self.in_check = self.board.is_checked();
        self.number += mover.index() as u32;
        if taken < EMPTY {
            self.count = 0;
            self.checks = [0; 2];
            self.repetition_start = self.history.len();
            return;
        }
        let checks = &mut self.checks[mover.index()];
        *checks = checks.saturating_add(u16::from(self.in_check));
        if !self.in_check || *checks <= MAX_COUNTED_CHECKS {
            self.count = self.count.saturating_add(1);
        }
    }

    #[inline]
    pub(super) fn advance_null(&mut self) {
        let key = self.board.key;
        self.number += self.board.mover.index() as u32;
        self.board.pass();
        self.remember(Move::NONE, EMPTY, key);
        self.repetition_start = self.history.len();
    }

    #[inline]
    fn remember(&mut self, mv: Move, taken: u8, key: u64) {
        let (in_check, count, checks) = (self.in_check, self.count, self.checks);
        let repetition_start = self.repetition_start as u32;
        self.history.push(HistoryEntry {
            mv,
            taken,
            in_check,
            count,
            checks,
            repetition_start,
            key,
        });
    }

    #[inline]
    pub(super) fn retreat(&mut self) {
        let Some(entry) = self.history.pop() else { return };
        match entry.mv == Move::NONE {
            true => self.board.pass(),
            false => self.board.unmake(entry.mv, entry.taken),
        }
        self.number -= self.board.mover.index() as u32;
        self.in_check = entry.in_check;
        self.count = entry.count;
        self.checks = entry.checks;
        self.repetition_start = entry.repetition_start as usize;
    }

    /// The number of plies since the `nth` earlier occurrence of this position, counted from 1 for
    /// the latest. Considers positions since the last capture or null move.
    #[inline]
    pub fn plies_since_occurrence(&self, nth: usize) -> Option<usize> {
        self.occurrences().nth(nth.checked_sub(1)?)
    }

    /// The number of earlier occurrences of this position since the last capture or null move.
    #[inline]
    pub(crate) fn earlier_occurrences(&self) -> usize {
        self.occurrences().count()
    }

    /// The plies since each earlier occurrence of this position, latest first.
    #[inline]
    fn occurrences(&self) -> impl Iterator<Item = usize> + '_ {
        let entries = self.history.get(self.repetition_start..).unwrap_or_default();
        // The same side is to move only every other ply, and a piece needs two moves to return.
        (4..=entries.len())
            .step_by(2)
            .filter(|&plies| entries[entries.len() - plies].key == self.board.key)
    }
}
