//! When a search has to stop: nodes are counted exactly, time is asked of the
//! host now and then. Nothing but the two decides.

use sandboard_abi::Limits;

use crate::host::Host;
use crate::time::{Allotment, allot};

/// Nodes between two looks at the clock once the search has found its pace:
/// the host's answer costs 40 to 100 ns or 50 units of fuel, a node a few hundred to a few thousand.
const INTERVAL_MAX: u64 = 1_024;
/// So often at least it looks again at the pace it has.
const LOOKS_MIN: u64 = 32;

/// What one search may spend, and what it has.
#[derive(Clone, Debug)]
pub(super) struct Budget {
    host: Host,
    allotment: Allotment,
    left_at_start: u64,
    spent: u64,
    nodes_max: u64,
    interval: u64,
    next_look: u64,
    /// Nodes counted so far.
    pub(super) nodes: u64,
    /// Nothing more may be spent.
    pub(super) stopped: bool,
}

impl Budget {
    pub(super) fn new(limits: &Limits, host: &Host) -> Self {
        let left = host.left();
        Self {
            host: host.clone(),
            allotment: allot(limits, left),
            left_at_start: left,
            spent: 0,
            nodes_max: limits.nodes.unwrap_or(u64::MAX),
            interval: 1,
            next_look: 1,
            nodes: 0,
            stopped: left == 0,
        }
    }

    /// Counts a node, unless nothing more may be spent; whether it did.
    #[inline]
    pub(super) fn take_node(&mut self) -> bool {
        if self.nodes >= self.next_look {
            self.look();
        }
        if self.nodes >= self.nodes_max {
            self.stopped = true;
        }
        self.nodes += u64::from(!self.stopped);
        !self.stopped
    }

    /// What the call has spent, in the unit of its limits; 0 where not measured.
    pub(super) fn spent(&mut self) -> u64 {
        self.ask();
        self.spent
    }

    /// Whether something new may be begun. Its nodes may take longer than those
    /// before: the clock is looked at after the first of them.
    pub(super) fn may_begin(&mut self) -> bool {
        self.ask();
        self.interval = 1;
        self.next_look = self.nodes + 1;
        !self.stopped && self.spent < self.allotment.soft
    }

    fn ask(&mut self) {
        let left = self.host.left();
        if self.left_at_start != u64::MAX {
            self.spent = self.left_at_start.saturating_sub(left);
        }
        self.stopped |= left == 0 || self.spent >= self.allotment.hard;
    }

    /// Looks at the clock, and looks again when at the same pace a thirty-second of
    /// what is left has gone by, or after `INTERVAL_MAX` nodes. Begins with every
    /// node, so that a budget of a few dozen is kept, too.
    #[cold]
    fn look(&mut self) {
        let before = self.spent;
        self.ask();
        let pace = self.spent - before;
        let left = self.allotment.hard.saturating_sub(self.spent);
        self.interval = if pace > left / LOOKS_MIN { self.interval / 2 } else { self.interval * 2 };
        self.interval = self.interval.clamp(1, INTERVAL_MAX);
        self.next_look = self.nodes + self.interval;
    }
}
