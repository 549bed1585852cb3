//! Pondering: engines that think while another player is to move. Decides which engines start and
//! stop, and charges slow stops. The driver carries it out.
//!
//! An engine that may ponder starts with each request to another player, and stops before anything
//! else is sent to it. From the stop request on its own clock runs: the time until it returns is
//! charged to its next move.

use sandboard_abi::{Limits, Unit};
use sandboard_engine::{CallName, Fault, FaultCode, Usage};
use serde::{Deserialize, Serialize};

use super::messages::Command;
use super::{PlayerState, Referee, Turn};

/// An engine may use more CPU time than its threads could in the elapsed wall time, by this
/// share of it (a twentieth) plus [`TOLERANCE_US`]. Beyond that it slows down its opponent.
const TOLERANCE_SHARE: u64 = 20;
const TOLERANCE_US: u64 = 20_000;

/// A player's pondering before one of its moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PonderingTime {
    /// Wall time, in microseconds.
    pub wall_us: u64,
    /// CPU time, in microseconds, if it is measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_us: Option<u64>,
    /// The part of it from the stop request to the return, in microseconds, which was charged to
    /// the move. Under a budget of CPU time at most the CPU time.
    #[serde(default)]
    pub stop_us: u64,
}

impl PonderingTime {
    /// Adds the times of another stretch of pondering.
    pub fn add(&mut self, other: PonderingTime) {
        self.wall_us = self.wall_us.saturating_add(other.wall_us);
        self.cpu_us = match (self.cpu_us, other.cpu_us) {
            (Some(one), Some(other)) => Some(one.saturating_add(other)),
            (one, other) => one.or(other),
        };
        self.stop_us = self.stop_us.saturating_add(other.stop_us);
    }
}

/// Which players may ponder and which do, one bit each.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PonderState {
    allowed: u64,
    active: u64,
}

impl PonderState {
    pub(super) fn new(players: &[PlayerState]) -> Self {
        let bit = |(index, player): (usize, &PlayerState)| match player.setup.ponder_threads {
            Some(_) if index < 64 => 1 << index,
            _ => 0,
        };
        Self { allowed: players.iter().enumerate().map(bit).sum(), active: 0 }
    }
}

fn players_of(set: u64) -> impl Iterator<Item = usize> {
    (0..64).filter(move |player| set >> player & 1 == 1)
}

impl Referee {
    /// Starts every engine that may ponder and does not yet, except the player to move.
    #[inline]
    pub(super) fn start_pondering(&mut self, to_move: usize, out: &mut Vec<Command>) {
        let PonderState { allowed, active } = self.pondering;
        if allowed != 0 {
            let starting = allowed & !active & !(1_u64 << to_move.min(63));
            out.extend(players_of(starting).map(|player| Command::Ponder { player }));
            self.pondering.active |= starting;
        }
    }

    /// Stops every engine that ponders.
    #[inline]
    pub(super) fn stop_pondering(&mut self, out: &mut Vec<Command>) {
        let active = std::mem::take(&mut self.pondering.active);
        if active != 0 {
            out.extend(players_of(active).map(|player| Command::StopPondering { player }));
        }
    }

    /// Stops the engine of `player` if it ponders, because its instance is about to be replaced.
    pub(super) fn stop_pondering_of(&mut self, player: usize, out: &mut Vec<Command>) {
        if player < 64 && self.pondering.active >> player & 1 == 1 {
            self.pondering.active &= !(1 << player);
            out.push(Command::StopPondering { player });
        }
    }

    /// Notes that an instance is lost and no longer ponders.
    pub(super) fn clear_pondering(&mut self, player: usize) {
        if player < 64 {
            self.pondering.active &= !(1 << player);
        }
    }

    /// Handles the return of an engine, `stop_us` after the stop request.
    pub(super) fn end_pondering(
        &mut self,
        player: usize,
        spent: Usage,
        stop_us: u64,
        out: &mut Vec<Command>,
    ) {
        if self.result.is_some() {
            return;
        }
        if let Some(fault) = self.cpu_fault(player, &spent) {
            return self.judge_fault(player, None, fault, Vec::new(), out);
        }
        let state = &mut self.players[player];
        let (stop_us, owed) = match state.clock.budget().unit() {
            Unit::Wall => (stop_us, stop_us),
            Unit::Cpu => {
                let stop_us = stop_us.min(spent.cpu_us.unwrap_or(0));
                (stop_us, stop_us)
            }
            Unit::Unlimited | Unit::Fuel => (stop_us, 0),
        };
        let Usage { wall_us, cpu_us, .. } = spent;
        state.pondering.add(PonderingTime { wall_us, cpu_us, stop_us });
        state.owed = state.owed.saturating_add(owed);
        // A request whose call has not begun is repeated with lower limits.
        let waits = |turn: &Turn| turn.player == player && turn.running && !turn.call_begun;
        if owed > 0 && !self.paused && self.turn.as_ref().is_some_and(waits) {
            self.request(out);
        }
    }

    /// The fault of an engine that used more CPU time than its threads could in the elapsed time:
    /// the excess was taken from its opponent.
    fn cpu_fault(&self, player: usize, spent: &Usage) -> Option<Fault> {
        let threads = self.players[player].setup.ponder_threads.unwrap_or(1).max(1);
        let fair_us = spent.wall_us.saturating_mul(threads.into());
        let limit_us = fair_us.saturating_add(fair_us / TOLERANCE_SHARE + TOLERANCE_US);
        let cpu_us = spent.cpu_us.filter(|cpu_us| *cpu_us > limit_us)?;
        let plural = if threads == 1 { "" } else { "s" };
        let sentence = format!(
            "used {} ms of CPU time while it pondered for {} ms with {threads} thread{plural}: it \
             slows down its opponent",
            cpu_us / 1000,
            spent.wall_us / 1000
        );
        let fault = Fault { spent: *spent, ..Fault::new(FaultCode::Cpu, sentence) };
        Some(fault.during(CallName::Think))
    }

    /// Takes what `player` owes for slow stops, in its clock's unit, and sets it to 0.
    pub(super) fn take_owed(&mut self, player: usize) -> u64 {
        std::mem::take(&mut self.players[player].owed)
    }

    /// Subtracts what `player` owes for slow stops from its limits.
    pub(super) fn subtract_owed(&self, player: usize, limits: &mut Limits) {
        let owed = self.players[player].owed;
        for left in [&mut limits.call_max, &mut limits.game_left].into_iter().flatten() {
            *left = left.saturating_sub(owed);
        }
    }
}
