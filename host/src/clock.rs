//! Clocks as pure values: what a player has left, what one request may spend,
//! what is charged. Reads no clock: every reading comes in as a number.
//!
//! - A limit per move is for each *request*: a second request after a refused
//!   move has it anew. A clock of the game is not: refused requests stay spent.
//! - Overrunning up to the grace loses nothing, but is charged: the clock of a
//!   game may fall below zero, and what it is below zero is taken off the grace
//!   of later requests, so that all overruns of a game together stay within one
//!   grace (until an increment pays them back).

use std::fmt;

use sandboard_abi::{Limits, Unit};
use serde::{Deserialize, Serialize};

use crate::budget::{AMOUNT_MAX, Budget};
use crate::engine::Spent;

const LEFT_MAX: i64 = AMOUNT_MAX as i64;

/// How far a request may overrun before it is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Grace {
    /// Under wall and CPU time, in microseconds.
    pub us: u64,
    /// Under fuel.
    pub fuel: u64,
}

impl Default for Grace {
    fn default() -> Self {
        Self { us: 50_000, fuel: 50_000_000 }
    }
}

impl Grace {
    fn of(self, unit: Unit) -> u64 {
        match unit {
            Unit::Fuel => self.fuel.min(AMOUNT_MAX),
            _ => self.us.min(AMOUNT_MAX),
        }
    }
}

/// A player's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    budget: Budget,
    left: Option<i64>,
    moves_to_go: Option<u32>,
}

impl Clock {
    /// The clock as a bout begins.
    pub fn new(budget: Budget) -> Self {
        let game = budget.game();
        Self {
            budget,
            left: game.map(|game| signed(game.base)),
            moves_to_go: game.and_then(|game| game.moves),
        }
    }

    /// The clock of a player that has made `moves` moves and has `left` left of
    /// the clock of the game, where the budget has one.
    pub fn after(budget: Budget, left: Option<i64>, moves: u64) -> Self {
        let mut clock = Self::new(budget);
        if let (Some(now), Some(left)) = (clock.left.as_mut(), left) {
            *now = left.clamp(-LEFT_MAX, LEFT_MAX);
        }
        if let Some(to_go) = clock.moves_to_go.as_mut() {
            let done = moves % u64::from(*to_go).max(1);
            *to_go -= u32::try_from(done).unwrap_or(0);
        }
        clock
    }

    /// The budget it runs on.
    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    /// What the clock of the game still holds, in the budget's unit; below zero
    /// after an overrun. None where the budget has no such clock.
    pub fn left(&self) -> Option<i64> {
        self.left
    }

    /// What the next request may spend; none: it is not limited.
    pub fn allowed(&self) -> Option<u64> {
        let left = self.left.map(|left| left.max(0).unsigned_abs());
        match (self.budget.per_move(), left) {
            (Some(call), Some(left)) => Some(call.min(left)),
            (call, left) => call.or(left),
        }
    }

    /// At what reading the next request is killed: not before *more* than this
    /// is spent. None: never.
    pub fn deadline(&self, grace: Grace) -> Option<u64> {
        let grace = grace.of(self.budget.unit());
        let call = self.budget.per_move().map(|call| call.saturating_add(grace));
        let game = self.left.map(|left| left.saturating_add(signed(grace)).max(0).unsigned_abs());
        match (call, game) {
            (Some(call), Some(game)) => Some(call.min(game)),
            (call, game) => call.or(game),
        }
    }

    /// Whether a request that spent this is lost.
    pub fn is_over(&self, spent: u64, grace: Grace) -> bool {
        self.deadline(grace).is_some_and(|deadline| spent > deadline)
    }

    /// What the next request is told of its limits; other players' clocks and
    /// draw offers are for the referee to fill in.
    pub fn limits(&self, grace: Grace) -> Limits {
        let overrun = match (self.deadline(grace), self.allowed()) {
            (Some(deadline), Some(allowed)) => deadline.saturating_sub(allowed),
            _ => 0,
        };
        Limits {
            unit: self.budget.unit(),
            call_max: self.budget.per_move(),
            game_left: self.left.map(|left| left.max(0).unsigned_abs()),
            increment: self.budget.game().map_or(0, |game| game.increment),
            moves_to_go: self.moves_to_go,
            grace: overrun,
            depth: self.budget.depth(),
            nodes: self.budget.nodes(),
            lines: 1,
            others_left: Vec::new(),
            draw_offered: false,
        }
    }

    /// The reading of a receipt in this clock's unit; none: the receipt does
    /// not count that. Where nothing is limited, the wall time.
    pub fn reading(&self, spent: &Spent) -> Option<u64> {
        match self.budget.unit() {
            Unit::Unlimited | Unit::Wall => Some(spent.wall_us),
            Unit::Fuel => spent.fuel,
            Unit::Cpu => spent.cpu_us,
        }
    }

    /// Takes what a request spent off the clock of the game.
    pub fn charge(&mut self, spent: u64) {
        if let Some(left) = self.left.as_mut() {
            *left = left.saturating_sub(signed(spent)).max(-LEFT_MAX);
        }
    }

    /// Adds what a completed move earns: the increment, and the base again when
    /// its moves are made.
    pub fn move_made(&mut self) {
        let (Some(game), Some(left)) = (self.budget.game(), self.left.as_mut()) else { return };
        *left = left.saturating_add(signed(game.increment)).min(LEFT_MAX);
        if let (Some(to_go), Some(moves)) = (self.moves_to_go.as_mut(), game.moves) {
            *to_go = to_go.saturating_sub(1);
            if *to_go == 0 {
                *to_go = moves;
                *left = left.saturating_add(signed(game.base)).min(LEFT_MAX);
            }
        }
    }

    /// What a screen shows while `spent` of a request is gone: what is left of
    /// the clock of the game, else of the move. None: there is no limit.
    pub fn shown(&self, spent: u64) -> Option<Shown> {
        let left = match self.left {
            Some(left) => left.saturating_sub(signed(spent)).max(0).unsigned_abs(),
            None => self.budget.per_move()?.saturating_sub(spent),
        };
        Some(Shown { unit: self.budget.unit(), left })
    }
}

fn signed(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX).min(LEFT_MAX)
}

/// What a clock shows; written `1:02:03`, `2:59`, `0:04.3`, the same with `CPU`
/// behind it, or as a plain number of fuel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shown {
    /// What it is counted in.
    pub unit: Unit,
    /// How much is left.
    pub left: u64,
}

impl fmt::Display for Shown {
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
