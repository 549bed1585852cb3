//! Thinking on the opponents' time: which engines may, which ones do, what they
//! spend on it, and what a slow stop costs. Decides when it begins and ends; who
//! carries that out is the driver.
//!
//! An engine that may is told to begin whenever somebody else is asked, and to
//! stop before anything else is said to it. From the word to stop on its own clock
//! runs: what it takes to come back is charged to its next move.

use serde::{Deserialize, Serialize};

use super::words::Command;
use super::{Player, Referee};
use crate::engine::{CallName, Fault, FaultCode, Spent};
use sandboard_abi::{Limits, Unit};

/// By how much an engine may exceed its threads for as long as it thought, before it
/// is one that slows its opponent: a twentieth, and so many microseconds.
const TOLERANCE_US: u64 = 20_000;
const TOLERANCE_SHARE: u64 = 20;

/// What an engine spent on its opponents' time, before one of its moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pondered {
    /// Wall time, in microseconds.
    pub wall_us: u64,
    /// CPU time, in microseconds, where it is counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_us: Option<u64>,
    /// Of it, what it took to come back when told to stop, in microseconds, charged to the
    /// move; under a budget of CPU time no more than the CPU time.
    #[serde(default)]
    pub late_us: u64,
}

impl Pondered {
    /// Adds another stretch.
    pub fn add(&mut self, other: Pondered) {
        self.wall_us = self.wall_us.saturating_add(other.wall_us);
        self.cpu_us = match (self.cpu_us, other.cpu_us) {
            (Some(one), Some(other)) => Some(one.saturating_add(other)),
            (one, other) => one.or(other),
        };
        self.late_us = self.late_us.saturating_add(other.late_us);
    }
}

/// Which players, by bit.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Thinking {
    /// Those that may think on their opponents' time.
    may: u64,
    /// Those that do.
    does: u64,
}

impl Thinking {
    pub(super) fn of(players: &[Player]) -> Self {
        let may = |(index, player): (usize, &Player)| match player.setup.ponder_threads {
            Some(_) if index < 64 => 1 << index,
            _ => 0,
        };
        Self { may: players.iter().enumerate().map(may).sum(), does: 0 }
    }
}

fn players(set: u64) -> impl Iterator<Item = usize> {
    (0..64).filter(move |player| set >> player & 1 == 1)
}

impl Referee {
    /// Has everybody think who may and does not yet, while `asked` is asked.
    #[inline]
    pub(super) fn ponder(&mut self, asked: usize, out: &mut Vec<Command>) {
        let Thinking { may, does } = self.thinking;
        if may != 0 {
            let begins = may & !does & !(1_u64 << asked.min(63));
            out.extend(players(begins).map(|player| Command::Ponder { player }));
            self.thinking.does |= begins;
        }
    }

    /// Stops all who think on their opponents' time.
    #[inline]
    pub(super) fn stop_pondering(&mut self, out: &mut Vec<Command>) {
        let does = std::mem::take(&mut self.thinking.does);
        if does != 0 {
            out.extend(players(does).map(|player| Command::StopPondering { player }));
        }
    }

    /// An instance is about to go, and whatever it thinks with it.
    pub(super) fn stop_pondering_of(&mut self, player: usize, out: &mut Vec<Command>) {
        if player < 64 && self.thinking.does >> player & 1 == 1 {
            self.thinking.does &= !(1 << player);
            out.push(Command::StopPondering { player });
        }
    }

    /// An instance is gone, and does not think any more.
    pub(super) fn ponders_no_more(&mut self, player: usize) {
        if player < 64 {
            self.thinking.does &= !(1 << player);
        }
    }

    /// An engine has come back, `late_us` after it was told to.
    pub(super) fn pondered(
        &mut self,
        player: usize,
        spent: Spent,
        late_us: u64,
        out: &mut Vec<Command>,
    ) {
        if self.result.is_some() {
            return;
        }
        if let Some(fault) = self.slows_others(player, &spent) {
            return self.judge_fault(player, None, fault, Vec::new(), out);
        }
        let them = &mut self.players[player];
        let (late_us, owed) = match them.clock.budget().unit() {
            Unit::Wall => (late_us, late_us),
            Unit::Cpu => {
                let late_us = late_us.min(spent.cpu_us.unwrap_or(0));
                (late_us, late_us)
            }
            Unit::Unlimited | Unit::Fuel => (late_us, 0),
        };
        let Spent { wall_us, cpu_us, .. } = spent;
        them.pondered.add(Pondered { wall_us, cpu_us, late_us });
        them.owed = them.owed.saturating_add(owed);
        // It is asked with what is left after that.
        let waits = |turn: &super::Turn| turn.player == player && turn.running && !turn.begun;
        if owed > 0 && !self.paused && self.turn.as_ref().is_some_and(waits) {
            self.request(out);
        }
    }

    /// The fault of an engine that had more of the processor than its threads could take
    /// in the time: the rest it had from its opponent.
    fn slows_others(&self, player: usize, spent: &Spent) -> Option<Fault> {
        let threads = self.players[player].setup.ponder_threads.unwrap_or(1).max(1);
        let fair_us = spent.wall_us.saturating_mul(threads.into());
        let most_us = fair_us.saturating_add(fair_us / TOLERANCE_SHARE + TOLERANCE_US);
        let cpu_us = spent.cpu_us.filter(|cpu_us| *cpu_us > most_us)?;
        let plural = if threads == 1 { "" } else { "s" };
        let sentence = format!(
            "used {} ms of CPU time in {} ms of its opponent's time, with {threads} thread{plural} \
             to its name: it slows its opponent",
            cpu_us / 1000,
            spent.wall_us / 1000
        );
        let fault = Fault { spent: *spent, ..Fault::new(FaultCode::Cpu, sentence) };
        Some(fault.during(CallName::Think))
    }

    /// What `player` owes for slow stops, in its clock's unit; from now on nothing.
    pub(super) fn take_owed(&mut self, player: usize) -> u64 {
        std::mem::take(&mut self.players[player].owed)
    }

    /// The limits less what is owed for slow stops.
    pub(super) fn less_owed(&self, player: usize, limits: &mut Limits) {
        let owed = self.players[player].owed;
        for left in [&mut limits.call_max, &mut limits.game_left].into_iter().flatten() {
            *left = left.saturating_sub(owed);
        }
    }
}
