//! What one choice may spend: numbers, in whatever unit they come, and the host's clock.

use std::cell::Cell;

use sandboard_double_dummy::POSITIONS_PER_QUESTION;
use sandboard_sdk::Host;
use sandboard_sdk::abi::{Limits, Unit};
use sandboard_sdk::time::allot;

/// The budget of a call that has begun.
pub struct Budget<'a> {
    host: &'a Host,
    limits: &'a Limits,
    at_start: u64,
    /// What solving may take.
    most: u64,
    /// How often the solver has asked.
    asked: Cell<u64>,
}

impl<'a> Budget<'a> {
    /// Of a call that begins now. Of a clock, it may take more than the share of a card: what is
    /// found out stays in the table, and the cards after it cost next to nothing.
    pub fn new(limits: &'a Limits, host: &'a Host) -> Self {
        let at_start = host.left();
        let call = limits.call_max.unwrap_or(u64::MAX).min(at_start);
        let clock = limits.game_left.map_or(0, |clock| clock / 4).min(call);
        let most = allot(limits, at_start).hard.max(clock);
        Self { host, limits, at_start, most, asked: Cell::new(0) }
    }

    /// Without limits, until the host's clock stands at 0.
    pub fn until_told(limits: &'a Limits, host: &'a Host) -> Self {
        Self { host, limits, at_start: u64::MAX, most: u64::MAX, asked: Cell::new(0) }
    }

    /// What was spent.
    pub fn spent(&self) -> u64 {
        match self.limits.unit {
            Unit::Unlimited => 0,
            _ => self.at_start.saturating_sub(self.host.left()),
        }
    }

    /// Whether something is limited that thinking uses up.
    pub fn is_limited(&self) -> bool {
        self.limits.unit != Unit::Unlimited || self.limits.nodes.is_some()
    }

    /// Whether a solver may go on; it asks every so many positions.
    pub fn admits(&self) -> bool {
        self.asked.set(self.asked.get() + 1);
        let positions = self.asked.get() * POSITIONS_PER_QUESTION;
        let left = self.host.left();
        let in_nodes = self.limits.nodes.is_none_or(|most| positions <= most);
        in_nodes && left > 0 && self.at_start.saturating_sub(left) < self.most
    }

    /// Whether at most half of it is spent: what is not needed may begin.
    pub fn has_half(&self) -> bool {
        self.limits.unit == Unit::Unlimited || self.spent() <= self.most / 2
    }
}
