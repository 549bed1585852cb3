//! When a search has to stop: nodes are counted exactly, time is asked of the
//! host now and then. Nothing but the two decides.

use sandboard_abi::Limits;

use super::cells::{self, Task};
use crate::host::Host;
use crate::time::{Allotment, allot};

/// Nodes between two looks at the clock once the search has found its pace:
/// the host's answer costs 40 to 100 ns or 50 units of fuel, a node a few hundred to a few thousand.
const INTERVAL_MAX: u64 = 1_024;
/// So often at least it looks again at the pace it has.
const LOOKS_MIN: u64 = 32;

/// Nodes between two looks of a helper at whether it is wanted, and of whoever is helped at what
/// was counted elsewhere.
const TEAM_INTERVAL: u64 = 64;
/// The same for instances: behind the border such a look costs as much as some nodes.
const FAR_INTERVAL: u64 = 256;

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
    /// Nodes counted so far, here.
    pub(super) nodes: u64,
    /// Of these, those that the others know of.
    told: u64,
    /// What all had told before this search.
    told_before: u64,
    /// Nodes of the others, as far as they told.
    others: u64,
    /// The shared root that is searched: of use only until somebody else has settled it.
    pub(super) task: Option<Task>,
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
            told: 0,
            told_before: cells::tell(host, 0),
            others: 0,
            task: None,
            stopped: left == 0,
        }
    }

    /// The host that this is asked of.
    pub(super) fn host(&self) -> &Host {
        &self.host
    }

    /// Nodes of this search, here and elsewhere.
    pub(super) fn all_nodes(&self) -> u64 {
        self.nodes.saturating_add(self.others)
    }

    /// Counts a node, unless nothing more may be spent; whether it did.
    #[inline]
    pub(super) fn take_node(&mut self) -> bool {
        if self.nodes >= self.next_look {
            self.look();
        }
        if self.all_nodes() >= self.nodes_max {
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

    /// The task is done, or of no use any more: another may be begun.
    pub(super) fn resume(&mut self) {
        self.task = None;
        self.stopped = false;
        self.ask();
    }

    /// Tells the others what was counted, and hears what they did.
    pub(super) fn tell(&mut self) {
        let all = cells::tell(&self.host, self.nodes - self.told);
        self.told = self.nodes;
        self.others = all.saturating_sub(self.told_before.saturating_add(self.told));
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
        let team = self.host.team();
        let in_team = team.helper > 0 || team.helpers > 0;
        self.interval = self.interval.clamp(
            1,
            match in_team {
                true if team.shares_table => FAR_INTERVAL,
                true => TEAM_INTERVAL,
                false => INTERVAL_MAX,
            },
        );
        if in_team {
            self.tell();
            self.stopped |= self.task.is_some_and(|task| !task.is_open(&self.host));
        }
        self.next_look = self.nodes + self.interval;
    }
}
