//! The budget of one search: it counts nodes exactly, and reads the host's clock now and then.

use sandboard_abi::Limits;

use super::shared_root::{self, SharedIteration};
use crate::host::Host;
use crate::time_management::{Allotment, allot};

/// The most nodes between two looks at the clock. A look costs 40 to 100 ns or 50 units of fuel, a
/// node a few hundred to a few thousand.
const INTERVAL_MAX: u64 = 1_024;
/// The least number of looks in the time that is left, at the current pace.
const LOOKS_MIN: u64 = 64;

/// The most nodes between two looks in a team of threads: a helper has to notice when it is not
/// needed, and the leader adds up the nodes of all.
const TEAM_INTERVAL: u64 = 64;
/// The same for instances: behind the ABI, such a look costs as much as some nodes.
const INSTANCE_INTERVAL: u64 = 256;

/// What one search may spend and has spent.
#[derive(Clone, Debug)]
pub(crate) struct Budget {
    host: Host,
    allotment: Allotment,
    left_at_start: u64,
    spent: u64,
    nodes_max: u64,
    /// Nodes between two looks at the clock.
    interval: u64,
    interval_max: u64,
    /// The node count of the next look.
    next_look: u64,
    /// Nodes counted by this thread.
    pub(crate) nodes: u64,
    /// Nodes of this thread that the team's count contains.
    shared_nodes: u64,
    /// The team's count before this search.
    team_nodes_at_start: u64,
    /// Nodes of the other members in this search, as far as they have shared them.
    other_nodes: u64,
    /// The shared iteration that this thread works on; it stops when another member closes it.
    pub(super) iteration: Option<SharedIteration>,
    /// Whether nothing more may be spent.
    pub(crate) stopped: bool,
}

impl Budget {
    pub(crate) fn new(limits: &Limits, host: &Host) -> Self {
        let left = host.left();
        Self {
            host: host.clone(),
            allotment: allot(limits, left),
            left_at_start: left,
            spent: 0,
            nodes_max: limits.nodes.unwrap_or(u64::MAX),
            interval: 1,
            interval_max: INTERVAL_MAX,
            next_look: 1,
            nodes: 0,
            shared_nodes: 0,
            team_nodes_at_start: shared_root::add_nodes(host, 0),
            other_nodes: 0,
            iteration: None,
            stopped: left == 0,
        }
    }

    /// The same budget that looks at the clock before every node, for nodes that take long.
    pub(crate) fn with_slow_nodes(self) -> Self {
        Self { interval_max: 1, ..self }
    }

    /// The host whose clock limits the search.
    pub(crate) fn host(&self) -> &Host {
        &self.host
    }

    /// Nodes of this search, those of other members included.
    pub(crate) fn all_nodes(&self) -> u64 {
        self.nodes.saturating_add(self.other_nodes)
    }

    /// Counts a node unless the budget is spent; returns whether it did.
    #[inline]
    pub(crate) fn take_node(&mut self) -> bool {
        if self.nodes >= self.next_look {
            self.look();
        }
        if self.all_nodes() >= self.nodes_max {
            self.stopped = true;
        }
        self.nodes += u64::from(!self.stopped);
        !self.stopped
    }

    /// Whether the soft limit of the allotment was reached when the clock was last read.
    pub(crate) fn is_soft_spent(&self) -> bool {
        self.spent >= self.allotment.soft
    }

    /// What the call has spent, in the unit of its limits; 0 if that is not measured.
    pub(crate) fn spent(&mut self) -> u64 {
        self.read_clock();
        self.spent
    }

    /// Whether a new iteration may begin. Its nodes may take longer than those before, so the
    /// clock is read again after the first of them.
    pub(crate) fn may_begin(&mut self) -> bool {
        self.read_clock();
        self.interval = 1;
        self.next_look = self.nodes + 1;
        !self.stopped && !self.is_soft_spent()
    }

    /// Goes on after a shared iteration has ended or was closed.
    pub(crate) fn resume(&mut self) {
        self.iteration = None;
        self.stopped = false;
        self.read_clock();
    }

    /// Adds this thread's nodes to the team's count, and reads those of the others.
    pub(crate) fn share_nodes(&mut self) {
        let all = shared_root::add_nodes(&self.host, self.nodes - self.shared_nodes);
        self.shared_nodes = self.nodes;
        self.other_nodes =
            all.saturating_sub(self.team_nodes_at_start.saturating_add(self.shared_nodes));
    }

    fn read_clock(&mut self) {
        let left = self.host.left();
        if self.left_at_start != u64::MAX {
            self.spent = self.left_at_start.saturating_sub(left);
        }
        self.stopped |= left == 0 || self.spent >= self.allotment.hard;
    }

    /// Reads the clock and sets the next look: when, at the same pace, 1/64 of what is left is
    /// spent, but at most `INTERVAL_MAX` nodes later. Begins with every node, so that a budget of
    /// a few dozen nodes is kept, too.
    #[cold]
    fn look(&mut self) {
        let before = self.spent;
        self.read_clock();
        let pace = self.spent - before;
        let left = self.allotment.hard.saturating_sub(self.spent);
        self.interval = if pace > left / LOOKS_MIN { self.interval / 2 } else { self.interval * 2 };
        let team = self.host.team();
        let in_team = team.helper > 0 || team.helpers > 0;
        let interval_max = match in_team {
            true if team.shares_table => INSTANCE_INTERVAL,
            true => TEAM_INTERVAL,
            false => INTERVAL_MAX,
        };
        self.interval = self.interval.clamp(1, interval_max.min(self.interval_max));
        if in_team {
            self.share_nodes();
            self.stopped |= self.iteration.is_some_and(|iteration| !iteration.is_open(&self.host));
        }
        self.next_look = self.nodes + self.interval;
    }
}
