//! What the members of a team tell each other through the 64 cells of their host: how many
//! nodes they searched, and, where they split a root, its moves, who searches which, and the
//! best so far. Each cell is one word that changes at once; searches nothing.

use sandboard_abi::CellOp;
use sandboard_abi::limits::CELLS;

use crate::host::Host;

/// Nodes of all, ever.
const NODES: u8 = 0;
/// The number of the iteration, and the next of its moves that nobody has taken.
const NEXT: u8 = 1;
/// The iteration, its best value so far, and where that move stands.
const BEST: u8 = 2;
/// The depth of the iteration, its moves and its upper bound.
const TERMS: u8 = 3;
/// The last iteration in which a value rested on an evaluation.
const ESTIMATED: u8 = 4;
/// What each helper is at.
const STATUS: u8 = 8;
/// The moves of the root, two in a cell.
const MOVES: u8 = 24;

/// So many helpers can share a root.
pub(super) const HELPERS: u16 = (MOVES - STATUS) as u16;
/// So many moves of a root can be shared.
pub(super) const SHARED: usize = 2 * (CELLS - MOVES as usize);

/// The lower half of a word, whose sign bit nobody uses.
const LOW: i64 = 0x7fff_ffff;
/// Beyond every move: nothing is left to be taken.
const CLOSED: i64 = 1 << 30;
/// A helper is about to take a move, of whichever iteration is open then.
const ABOUT: i64 = -1;
/// Makes values positive.
const OFFSET: i64 = 1 << 15;

/// Adds nodes of one; those of all, ever, are then so many.
pub(super) fn tell(host: &Host, nodes: u64) -> u64 {
    match host.team().helpers {
        0 => 0,
        _ => (host.cell(NODES, CellOp::Add, nodes as i64) as u64).wrapping_add(nodes),
    }
}

/// One iteration at a root that is shared, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Task(i64);

/// What an iteration is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Terms {
    pub(super) depth: u32,
    /// The moves that are shared, the first among them.
    pub(super) moves: usize,
    pub(super) beta: i32,
}

/// What a helper is at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Status {
    /// Nothing.
    Idle,
    /// About to take a move.
    About,
    /// At the move in this place.
    At(Task, usize),
}

impl Task {
    /// The cell that is written last when an iteration is opened.
    #[cfg(test)]
    pub(super) const OPENED: u8 = NEXT;

    /// Opens an iteration whose first move is searched, with this value, to whoever helps.
    pub(super) fn open(
        host: &Host,
        terms: Terms,
        codes: impl Iterator<Item = u32>,
        alpha: i32,
    ) -> Self {
        let task = Self((host.cell(NEXT, CellOp::Get, 0) >> 32) + 1);
        let mut codes = codes.take(terms.moves).map(i64::from);
        for cell in MOVES.. {
            let Some(first) = codes.next() else { break };
            host.cell(cell, CellOp::Put, first << 32 | codes.next().unwrap_or(0));
        }
        let (depth, moves) = (i64::from(terms.depth), terms.moves as i64);
        let terms = depth << 48 | moves << 32 | (i64::from(terms.beta) + OFFSET);
        host.cell(TERMS, CellOp::Put, terms);
        host.cell(BEST, CellOp::Put, task.best_word(alpha, 0));
        host.cell(NEXT, CellOp::Put, task.0 << 32 | 1);
        task
    }

    /// Whether an iteration is open that has moves left.
    pub(super) fn is_any_left(host: &Host) -> bool {
        host.cell(NEXT, CellOp::Get, 0) & LOW < Self::terms(host).moves as i64
    }

    /// Whether its result is still of use.
    pub(super) fn is_open(self, host: &Host) -> bool {
        let next = host.cell(NEXT, CellOp::Get, 0);
        next >> 32 == self.0
    }

    /// Ends it for all.
    pub(super) fn close(self, host: &Host) {
        host.cell(NEXT, CellOp::Max, (self.0 + 1) << 32 | CLOSED);
    }

    /// Takes the next move, by its place, of the iteration that is open.
    pub(super) fn take(host: &Host) -> Option<(Self, usize)> {
        let next = host.cell(NEXT, CellOp::Add, 1);
        let place = (next & LOW) as usize;
        (place < Self::terms(host).moves).then_some((Self(next >> 32), place))
    }

    /// What the open iteration is about.
    pub(super) fn terms(host: &Host) -> Terms {
        let word = host.cell(TERMS, CellOp::Get, 0);
        Terms {
            depth: (word >> 48) as u32,
            moves: (word >> 32 & 0xffff) as usize,
            beta: ((word & 0xffff_ffff) - OFFSET) as i32,
        }
    }

    /// The code of the move in this place; 0, which is no move's, where there is none.
    pub(super) fn code(host: &Host, place: usize) -> u32 {
        if place >= SHARED {
            return 0;
        }
        let word = host.cell(MOVES + (place / 2) as u8, CellOp::Get, 0);
        (if place.is_multiple_of(2) { word >> 32 } else { word }) as u32
    }

    /// The best value so far, and the place of its move.
    pub(super) fn best(host: &Host) -> (i32, usize) {
        let word = host.cell(BEST, CellOp::Get, 0);
        let value = (word >> 16 & 0xffff) - OFFSET;
        (value as i32, (0xffff - (word & 0xffff)) as usize)
    }

    /// A move has this value, within the bounds that were open as it was begun.
    pub(super) fn found(self, host: &Host, value: i32, place: usize) {
        host.cell(BEST, CellOp::Max, self.best_word(value, place));
    }

    /// Larger for a later iteration, a better value, and of equals the first.
    fn best_word(self, value: i32, place: usize) -> i64 {
        (self.0 & LOW) << 32 | (i64::from(value) + OFFSET) << 16 | (0xffff - place as i64)
    }

    /// Some value in it rests on an evaluation.
    pub(super) fn set_estimated(self, host: &Host) {
        host.cell(ESTIMATED, CellOp::Max, self.0);
    }

    /// Whether one does.
    pub(super) fn is_estimated(self, host: &Host) -> bool {
        host.cell(ESTIMATED, CellOp::Get, 0) >= self.0
    }

    /// A helper says what it is at: before it takes a move, with one, with nothing.
    pub(super) fn set_status(host: &Host, status: Status) {
        let word = match status {
            Status::Idle => 0,
            Status::About => ABOUT,
            Status::At(task, place) => task.0 << 32 | place as i64,
        };
        host.cell(Self::status_cell(host.team().helper), CellOp::Put, word);
    }

    /// What a helper said last.
    pub(super) fn status(host: &Host, helper: u16) -> Status {
        match host.cell(Self::status_cell(helper), CellOp::Get, 0) {
            0 => Status::Idle,
            ABOUT => Status::About,
            word => Status::At(Self(word >> 32), (word & LOW) as usize),
        }
    }

    fn status_cell(helper: u16) -> u8 {
        STATUS + (helper.clamp(1, HELPERS) - 1) as u8
    }
}
