//! The budget of one choice, in the unit of its limits, by the host's clock.

use std::cell::Cell;

use sandboard_double_dummy::POSITIONS_PER_STOP_CHECK;
use sandboard_sdk::Host;
use sandboard_sdk::abi::{Limits, Unit};
use sandboard_sdk::time_management::allot;

/// The budget of a call that has begun.
pub(crate) struct Budget<'a> {
    host: &'a Host,
    limits: &'a Limits,
    left_at_start: u64,
    /// The most that solving may spend.
    max: u64,
    /// The number of stop checks of the solver.
    stop_checks: Cell<u64>,
}

impl<'a> Budget<'a> {
    /// The budget of a call that begins now. With a clock it may exceed the share of one card,
    /// since results stay in the table and later cards cost very little.
    pub(crate) fn new(limits: &'a Limits, host: &'a Host) -> Self {
        let left_at_start = host.left();
        let call = limits.call_max.unwrap_or(u64::MAX).min(left_at_start);
        let clock = limits.game_left.map_or(0, |clock| clock / 4).min(call);
        let max = allot(limits, left_at_start).hard.max(clock);
        Self { host, limits, left_at_start, max, stop_checks: Cell::new(0) }
    }

    /// A budget without limits, until the host's clock is 0.
    pub(crate) fn until_stopped(limits: &'a Limits, host: &'a Host) -> Self {
        let stop_checks = Cell::new(0);
        Self { host, limits, left_at_start: u64::MAX, max: u64::MAX, stop_checks }
    }

    /// What the call has spent, in the unit of its limits.
    pub(crate) fn spent(&self) -> u64 {
        match self.limits.unit {
            Unit::Unlimited => 0,
            _ => self.left_at_start.saturating_sub(self.host.left()),
        }
    }

    /// Whether time, fuel or nodes are limited.
    pub(crate) fn is_limited(&self) -> bool {
        self.limits.unit != Unit::Unlimited || self.limits.nodes.is_some()
    }

    /// Whether the solver may go on; it calls this every `POSITIONS_PER_STOP_CHECK` positions.
    pub(crate) fn may_continue(&self) -> bool {
        self.stop_checks.set(self.stop_checks.get() + 1);
        let positions = self.stop_checks.get() * POSITIONS_PER_STOP_CHECK;
        let left = self.host.left();
        let in_nodes = self.limits.nodes.is_none_or(|max| positions <= max);
        in_nodes && left > 0 && self.left_at_start.saturating_sub(left) < self.max
    }

    /// Whether at most half of the budget is spent, so that optional work may begin.
    pub(crate) fn has_half(&self) -> bool {
        self.limits.unit == Unit::Unlimited || self.spent() <= self.max / 2
    }
}
