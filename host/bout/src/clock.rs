//! Clocks as pure values: what a player has left, what a request may spend, what is charged.
//! Reads no system clock: every reading is passed in as a number.
//!
//! - A limit per move applies to each *request*: a second request after an illegal move has the
//!   whole limit again. The game clock does not: refused requests stay charged.
//! - An overrun within the grace does not lose, but is charged. A game clock can fall below zero,
//!   and the deficit reduces the grace of later requests. All overruns of a game together stay
//!   within one grace, until an increment repays them.

use std::fmt;

use sandboard_abi::{Limits, Unit};
use sandboard_engine::{AMOUNT_MAX, Budget, Usage};
use serde::{Deserialize, Serialize};

const LEFT_MAX: i64 = AMOUNT_MAX as i64;

/// How far a request may exceed its limit before the player loses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Grace {
    /// For wall and CPU time, in microseconds.
    pub us: u64,
    /// For budgets in fuel, in units of fuel.
    pub fuel: u64,
}

impl Default for Grace {
    fn default() -> Self {
        Self { us: 50_000, fuel: 50_000_000 }
    }
}

impl Grace {
    fn in_unit(self, unit: Unit) -> u64 {
        match unit {
            Unit::Fuel => self.fuel.min(AMOUNT_MAX),
            _ => self.us.min(AMOUNT_MAX),
        }
    }
}

/// A player's budget, and what is left of its game clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    budget: Budget,
    left: Option<i64>,
    moves_to_go: Option<u32>,
}

impl Clock {
    /// The clock at the beginning of a bout.
    pub fn new(budget: Budget) -> Self {
        let game = budget.game_clock();
        Self {
            budget,
            left: game.map(|game| signed(game.base)),
            moves_to_go: game.and_then(|game| game.moves),
        }
    }

    /// The clock of a player that has made `moves` moves and has `left` on its game clock.
    /// `left` is ignored if the budget has no game clock.
    pub(crate) fn restored(budget: Budget, left: Option<i64>, moves: u64) -> Self {
        let mut clock = Self::new(budget);
        if let (Some(current), Some(left)) = (clock.left.as_mut(), left) {
            *current = left.clamp(-LEFT_MAX, LEFT_MAX);
        }
        if let Some(to_go) = clock.moves_to_go.as_mut() {
            let made = moves % u64::from(*to_go).max(1);
            *to_go -= u32::try_from(made).unwrap_or(0);
        }
        clock
    }

    /// The budget of the clock.
    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    /// What is left on the game clock, in the budget's unit; below zero after an overrun. None: the
    /// budget has no game clock.
    pub fn left(&self) -> Option<i64> {
        self.left
    }

    /// What the next request may spend, in the budget's unit; none: unlimited.
    pub fn allowed(&self) -> Option<u64> {
        let left = self.left.map(|left| left.max(0).unsigned_abs());
        match (self.budget.per_move(), left) {
            (Some(call), Some(left)) => Some(call.min(left)),
            (call, left) => call.or(left),
        }
    }

    /// The largest reading of the next request that does not lose: its limit plus the grace.
    /// None: unlimited.
    pub(crate) fn deadline(&self, grace: Grace) -> Option<u64> {
        let grace = grace.in_unit(self.budget.unit());
        let call = self.budget.per_move().map(|call| call.saturating_add(grace));
        let game = self.left.map(|left| left.saturating_add(signed(grace)).max(0).unsigned_abs());
        match (call, game) {
            (Some(call), Some(game)) => Some(call.min(game)),
            (call, game) => call.or(game),
        }
    }

    /// Whether a request that spent `spent` exceeds limit and grace.
    pub(crate) fn is_exceeded_by(&self, spent: u64, grace: Grace) -> bool {
        self.deadline(grace).is_some_and(|deadline| spent > deadline)
    }

    /// The limits of the next request. The referee adds other players' clocks and draw offers.
    pub fn limits(&self, grace: Grace) -> Limits {
        let overrun = match (self.deadline(grace), self.allowed()) {
            (Some(deadline), Some(allowed)) => deadline.saturating_sub(allowed),
            _ => 0,
        };
        Limits {
            unit: self.budget.unit(),
            call_max: self.budget.per_move(),
            game_left: self.left.map(|left| left.max(0).unsigned_abs()),
            increment: self.budget.game_clock().map_or(0, |game| game.increment),
            moves_to_go: self.moves_to_go,
            grace: overrun,
            depth: self.budget.depth(),
            nodes: self.budget.nodes(),
            lines: 1,
            others_left: Vec::new(),
            draw_offered: false,
        }
    }

    /// What a usage amounts to in this clock's unit; none: it was not measured. For unlimited
    /// budgets the wall time.
    pub(crate) fn reading(&self, spent: &Usage) -> Option<u64> {
        match self.budget.unit() {
            Unit::Unlimited | Unit::Wall => Some(spent.wall_us),
            Unit::Fuel => spent.fuel,
            Unit::Cpu => spent.cpu_us,
        }
    }

    /// Subtracts what a request spent from the game clock.
    pub(crate) fn charge(&mut self, spent: u64) {
        if let Some(left) = self.left.as_mut() {
            *left = left.saturating_sub(signed(spent)).max(-LEFT_MAX);
        }
    }

    /// Adds what a completed move earns: the increment, and after the last move of a period the
    /// base time.
    pub(crate) fn complete_move(&mut self) {
        let (Some(game), Some(left)) = (self.budget.game_clock(), self.left.as_mut()) else {
            return;
        };
        *left = left.saturating_add(signed(game.increment)).min(LEFT_MAX);
        if let (Some(to_go), Some(moves)) = (self.moves_to_go.as_mut(), game.moves) {
            *to_go = to_go.saturating_sub(1);
            if *to_go == 0 {
                *to_go = moves;
                *left = left.saturating_add(signed(game.base)).min(LEFT_MAX);
            }
        }
    }

    /// What is left for a display when a request has spent `spent`: of the game clock, or without
    /// one of the limit per move. None: there is no limit.
    pub fn remaining(&self, spent: u64) -> Option<RemainingBudget> {
        let left = match self.left {
            Some(left) => left.saturating_sub(signed(spent)).max(0).unsigned_abs(),
            None => self.budget.per_move()?.saturating_sub(spent),
        };
        Some(RemainingBudget { unit: self.budget.unit(), left })
    }
}

fn signed(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX).min(LEFT_MAX)
}

/// A remaining amount for displays. Written as `1:02:03`, `2:59` or `0:04.3`, followed by ` CPU`
/// for CPU time; as `99 fuel` for fuel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RemainingBudget {
    /// The unit of `left`; fuel, or microseconds.
    pub unit: Unit,
    /// The amount left, never below zero.
    pub left: u64,
}

impl fmt::Display for RemainingBudget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.unit == Unit::Fuel {
            return write!(f, "{} fuel", self.left);
        }
        let tenths = self.left / 100_000;
        let (hours, minutes, seconds) = (tenths / 36_000, tenths / 600 % 60, tenths / 10 % 60);
        match (hours, tenths) {
            (1.., _) => write!(f, "{hours}:{minutes:02}:{seconds:02}"),
            (_, ..200) => write!(f, "0:{seconds:02}.{}", tenths % 10),
            _ => write!(f, "{minutes}:{seconds:02}"),
        }?;
        f.write_str(if self.unit == Unit::Cpu { " CPU" } else { "" })
    }
}

#[cfg(test)]
mod tests;
