//! The state that a team shares through the 64 cells of its host: the node count and, for root
//! splitting, the root's moves, which member searches which, and the best value so far. Each cell
//! is one word that changes atomically. Searches nothing.

use sandboard_abi::CellOp;
use sandboard_abi::limits::CELLS;

use crate::host::Host;

/// The cell with the nodes of all members, over all searches.
const NODES: u8 = 0;
/// The number of the iteration, and the index of its next move to be taken.
const NEXT: u8 = 1;
/// The iteration, its best value so far, and the index of that move.
const BEST: u8 = 2;
/// The depth of the iteration, the number of its moves, and beta.
const TERMS: u8 = 3;
/// The last iteration in which a value depended on an evaluation.
const ESTIMATED: u8 = 4;
/// The first cell with the status of a helper.
const STATUS: u8 = 8;
/// The first cell with moves of the root, two in a cell.
const MOVES: u8 = 24;

/// The most helpers that can share a root.
pub(super) const HELPERS_MAX: u16 = (MOVES - STATUS) as u16;
/// The most moves of a root that can be shared.
pub(super) const SHARED_MOVES_MAX: usize = 2 * (CELLS - MOVES as usize);

/// The lower half of a word, without its sign bit.
const LOW: i64 = 0x7fff_ffff;
/// An index beyond every move: the iteration is closed.
const CLOSED: i64 = 1 << 30;
/// The status of a helper that is about to take a move of the open iteration.
const TAKING: i64 = -1;
/// Makes values positive.
const OFFSET: i64 = 1 << 15;

/// Adds nodes to the team's count; returns the new count. 0 without a team.
pub(super) fn add_nodes(host: &Host, nodes: u64) -> u64 {
    match host.team().helpers {
        0 => 0,
        _ => (host.cell(NODES, CellOp::Add, nodes as i64) as u64).wrapping_add(nodes),
    }
}

/// The number of an iteration whose root is shared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SharedIteration(i64);

/// The parameters of an iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct IterationTerms {
    pub(super) depth: u32,
    /// The number of shared moves, the first one included.
    pub(super) moves: usize,
    pub(super) beta: i32,
}

/// What a helper is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HelperStatus {
    /// The helper has no move.
    Idle,
    /// The helper is about to take a move.
    Taking,
    /// The helper searches the move at this index.
    Searching(SharedIteration, usize),
}

impl SharedIteration {
    /// The cell that is written last when an iteration is opened.
    #[cfg(test)]
    pub(super) const OPENED: u8 = NEXT;

    /// Opens an iteration to the helpers. Its first move is already searched, with the value
    /// `alpha`.
    pub(super) fn open(
        host: &Host,
        terms: IterationTerms,
        codes: impl Iterator<Item = u32>,
        alpha: i32,
    ) -> Self {
        let iteration = Self((host.cell(NEXT, CellOp::Get, 0) >> 32) + 1);
        let mut codes = codes.take(terms.moves).map(i64::from);
        for cell in MOVES.. {
            let Some(first) = codes.next() else { break };
            host.cell(cell, CellOp::Put, first << 32 | codes.next().unwrap_or(0));
        }
        let (depth, moves) = (i64::from(terms.depth), terms.moves as i64);
        let terms = depth << 48 | moves << 32 | (i64::from(terms.beta) + OFFSET);
        host.cell(TERMS, CellOp::Put, terms);
        host.cell(BEST, CellOp::Put, iteration.best_word(alpha, 0));
        host.cell(NEXT, CellOp::Put, iteration.0 << 32 | 1);
        iteration
    }

    /// Whether the open iteration, if any, has moves left.
    pub(super) fn has_moves_left(host: &Host) -> bool {
        host.cell(NEXT, CellOp::Get, 0) & LOW < Self::terms(host).moves as i64
    }

    /// Whether the iteration is still open.
    pub(super) fn is_open(self, host: &Host) -> bool {
        let next = host.cell(NEXT, CellOp::Get, 0);
        next >> 32 == self.0
    }

    /// Closes the iteration for all members.
    pub(super) fn close(self, host: &Host) {
        host.cell(NEXT, CellOp::Max, (self.0 + 1) << 32 | CLOSED);
    }

    /// Takes the next move of the open iteration; returns its index.
    pub(super) fn take(host: &Host) -> Option<(Self, usize)> {
        let next = host.cell(NEXT, CellOp::Add, 1);
        let index = (next & LOW) as usize;
        (index < Self::terms(host).moves).then_some((Self(next >> 32), index))
    }

    /// The parameters of the open iteration.
    pub(super) fn terms(host: &Host) -> IterationTerms {
        let word = host.cell(TERMS, CellOp::Get, 0);
        IterationTerms {
            depth: (word >> 48) as u32,
            moves: (word >> 32 & 0xffff) as usize,
            beta: ((word & 0xffff_ffff) - OFFSET) as i32,
        }
    }

    /// The code of the move at this index; 0, which is no move, if there is none.
    pub(super) fn code(host: &Host, index: usize) -> u32 {
        if index >= SHARED_MOVES_MAX {
            return 0;
        }
        let word = host.cell(MOVES + (index / 2) as u8, CellOp::Get, 0);
        (if index.is_multiple_of(2) { word >> 32 } else { word }) as u32
    }

    /// The best value so far, and the index of its move.
    pub(super) fn best(host: &Host) -> (i32, usize) {
        let word = host.cell(BEST, CellOp::Get, 0);
        let value = (word >> 16 & 0xffff) - OFFSET;
        (value as i32, (0xffff - (word & 0xffff)) as usize)
    }

    /// Records the value of a move, for the window with which its search began.
    pub(super) fn record_value(self, host: &Host, value: i32, index: usize) {
        host.cell(BEST, CellOp::Max, self.best_word(value, index));
    }

    /// A word that is larger for a later iteration, then for a better value, then for an earlier
    /// move.
    fn best_word(self, value: i32, index: usize) -> i64 {
        (self.0 & LOW) << 32 | (i64::from(value) + OFFSET) << 16 | (0xffff - index as i64)
    }

    /// Records that some value of the iteration depends on an evaluation.
    pub(super) fn set_estimated(self, host: &Host) {
        host.cell(ESTIMATED, CellOp::Max, self.0);
    }

    /// Whether some value of the iteration depends on an evaluation.
    pub(super) fn is_estimated(self, host: &Host) -> bool {
        host.cell(ESTIMATED, CellOp::Get, 0) >= self.0
    }

    /// Sets the status of this helper: before it takes a move, while it searches one, and after.
    pub(super) fn set_status(host: &Host, status: HelperStatus) {
        let word = match status {
            HelperStatus::Idle => 0,
            HelperStatus::Taking => TAKING,
            HelperStatus::Searching(iteration, index) => iteration.0 << 32 | index as i64,
        };
        host.cell(Self::status_cell(host.team().helper), CellOp::Put, word);
    }

    /// The status that a helper has set last.
    pub(super) fn status(host: &Host, helper: u16) -> HelperStatus {
        match host.cell(Self::status_cell(helper), CellOp::Get, 0) {
            0 => HelperStatus::Idle,
            TAKING => HelperStatus::Taking,
            word => HelperStatus::Searching(Self(word >> 32), (word & LOW) as usize),
        }
    }

    fn status_cell(helper: u16) -> u8 {
        STATUS + (helper.clamp(1, HELPERS_MAX) - 1) as u8
    }
}
