//! Making moves and taking them back, with what the rules count on the way: plies since
//! the last capture, checks in them, and the positions gone through.

use super::Xiangqi;
use super::board::EMPTY;
use super::square::Move;

/// Plies without a capture after which a game is drawn.
pub(super) const MOST_PLIES: u16 = 120;
/// So many checks of a side count among them.
const CHECKS_COUNTED: u16 = 10;

/// What a move has changed, and the position before it as far as repetition asks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) mv: Move,
    /// The slot it took, or [`EMPTY`].
    pub(super) taken: u8,
    /// All below: before the move.
    pub(super) checked: bool,
    pub(super) count: u16,
    checks: [u16; 2],
    since: u32,
    pub(super) key: u64,
}

impl Xiangqi {
    #[inline]
    pub(super) fn advance(&mut self, mv: Move) {
        let mover = self.board.mover;
        let key = self.board.key;
        let taken = self.board.make(mv);
        self.remember(mv, taken, key);
        self.checked = self.board.is_checked();
        self.number += mover.index() as u32;
        if taken < EMPTY {
            self.count = 0;
            self.checks = [0; 2];
            self.since = self.history.len();
            return;
        }
        let checks = &mut self.checks[mover.index()];
        *checks = checks.saturating_add(u16::from(self.checked));
        if !self.checked || *checks <= CHECKS_COUNTED {
            self.count = self.count.saturating_add(1);
        }
    }

    #[inline]
    pub(super) fn advance_null(&mut self) {
        let key = self.board.key;
        self.number += self.board.mover.index() as u32;
        self.board.pass();
        self.remember(Move::NONE, EMPTY, key);
        self.since = self.history.len();
    }

    #[inline]
    fn remember(&mut self, mv: Move, taken: u8, key: u64) {
        let (checked, count, checks) = (self.checked, self.count, self.checks);
        let since = self.since as u32;
        self.history.push(Entry { mv, taken, checked, count, checks, since, key });
    }

    #[inline]
    pub(super) fn retreat(&mut self) {
        let Some(entry) = self.history.pop() else { return };
        match entry.mv == Move::NONE {
            true => self.board.pass(),
            false => self.board.unmake(entry.mv, entry.taken),
        }
        self.number -= self.board.mover.index() as u32;
        self.checked = entry.checked;
        self.count = entry.count;
        self.checks = entry.checks;
        self.since = entry.since as usize;
    }

    /// How many plies ago this position was there for the `nth` time before, from 1, since
    /// the last capture or passed turn.
    #[inline]
    pub fn earlier(&self, nth: usize) -> Option<usize> {
        self.occurrences().nth(nth.checked_sub(1)?)
    }

    /// How often this position was there before, since the last capture or passed turn.
    #[inline]
    pub fn repeats(&self) -> usize {
        self.occurrences().count()
    }

    /// How many plies ago this position was there, latest first.
    #[inline]
    fn occurrences(&self) -> impl Iterator<Item = usize> + '_ {
        let entries = self.history.get(self.since..).unwrap_or_default();
        // The same side moves every other ply only, and who goes away has to come back.
        (4..=entries.len())
            .step_by(2)
            .filter(|&plies| entries[entries.len() - plies].key == self.board.key)
    }
}
