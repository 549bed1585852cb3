//! What the call in progress may still spend. The engine asks through
//! `left()`, the guard through [`Meter::is_overdue`]. Fuel is counted by the
//! runtime; everything here is wall time. Interrupts nothing itself.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use sandboard_abi::{Limits, Unit};

use super::timer::{Alarm, NEVER, now_us};
use super::{Control, Fault, FaultCode};

/// How long a call other than `choose` and `start` may take, in microseconds.
pub const BOOKKEEPING_US: u64 = 1_000_000;
/// How long a call may take that only fuel limits, in microseconds: so long, and
/// a microsecond for each so many units, about thirty times what it needs on an
/// idle machine.
const GUARD_US: u64 = 60_000_000;
const FUEL_PER_GUARD_US: u64 = 30;
/// How long an engine that was told to stop may take to come back, in microseconds.
pub const STOP_GRACE_US: u64 = 500_000;

/// The meter of one instance; shared with the threads of a native engine.
#[derive(Debug)]
pub struct Meter {
    control: Control,
    alarm: Arc<Alarm>,
    began_us: AtomicU64,
    /// When the call is to be back.
    due_us: AtomicU64,
    /// When `left()` becomes 0.
    shown_us: AtomicU64,
    guards: AtomicBool,
    /// When the call is killed, for want of anything earlier.
    killed_us: AtomicU64,
}

/// What a call may take, in microseconds of wall time; [`NEVER`] for no limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allowance {
    /// Until `left()` is 0.
    pub due_us: u64,
    /// From then on until the call is killed.
    pub grace_us: u64,
    /// Whose limit it is.
    pub whose: Whose,
}

/// Whose limit an allowance is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    /// The engine's own budget: it may ask what is left.
    Budget,
    /// The host's: calls that no budget covers come back at once. The engine is
    /// told nothing, for it would be a clock.
    Border,
    /// The host's guard beside a fuel budget: nobody loses by it.
    Guard,
}

impl Allowance {
    /// No limit.
    pub const NONE: Allowance = Allowance { due_us: NEVER, grace_us: 0, whose: Whose::Border };

    /// A call that has so long and not a moment more.
    pub fn exactly(due_us: u64) -> Self {
        Self { due_us, grace_us: 0, whose: Whose::Border }
    }

    /// The host's guard beside so much fuel.
    pub fn guard(fuel: u64) -> Self {
        let due_us = GUARD_US.saturating_add(fuel / FUEL_PER_GUARD_US);
        Self { due_us, grace_us: 0, whose: Whose::Guard }
    }

    /// What these limits allow of wall time.
    pub fn of(limits: &Limits) -> Self {
        match limits.unit {
            Unit::Wall => {
                Self { due_us: tightest(limits), grace_us: limits.grace, whose: Whose::Budget }
            }
            Unit::Fuel => Self::guard(tightest(limits)),
            Unit::Unlimited | Unit::Cpu => Self::NONE,
        }
    }
}

/// The smaller of what the call and what the clock allows, in the limits' unit.
pub fn tightest(limits: &Limits) -> u64 {
    limits.call_max.unwrap_or(NEVER).min(limits.game_left.unwrap_or(NEVER))
}

impl Meter {
    /// A meter that no call has started yet; `alarm` is what kills.
    pub fn new(alarm: Arc<Alarm>) -> Arc<Self> {
        Arc::new(Self {
            control: Control::with_alarm(alarm.clone()),
            alarm,
            began_us: AtomicU64::new(0),
            due_us: AtomicU64::new(NEVER),
            shown_us: AtomicU64::new(NEVER),
            guards: AtomicBool::new(false),
            killed_us: AtomicU64::new(NEVER),
        })
    }

    /// The handle that stops the call.
    pub fn control(&self) -> &Control {
        &self.control
    }

    /// A call begins.
    pub fn begin(&self, allowance: Allowance) {
        let now = now_us();
        let due = now.saturating_add(allowance.due_us);
        let killed = due.saturating_add(allowance.grace_us);
        self.began_us.store(now, Ordering::Relaxed);
        self.due_us.store(due, Ordering::Relaxed);
        let shown = if allowance.whose == Whose::Budget { due } else { NEVER };
        self.shown_us.store(shown, Ordering::Relaxed);
        self.guards.store(allowance.whose == Whose::Guard, Ordering::Relaxed);
        self.killed_us.store(killed, Ordering::Relaxed);
        self.alarm.set(killed);
        if self.control.is_stopped() {
            // Stopped before it began: the end is counted from here.
            self.control.clear();
            self.control.stop();
        }
    }

    /// The call has come back; how long it took, in microseconds.
    pub fn end(&self) -> u64 {
        self.alarm.set(NEVER);
        now_us().saturating_sub(self.began_us.load(Ordering::Relaxed))
    }

    /// Microseconds until the engine should return; `u64::MAX`: no limit.
    pub fn left_us(&self) -> u64 {
        if self.control.is_stopped() {
            return 0;
        }
        match self.shown_us.load(Ordering::Relaxed) {
            NEVER => NEVER,
            due => due.saturating_sub(now_us()),
        }
    }

    /// Whether the call must be killed now. If not, the alarm is set again: it
    /// may have rung for a deadline that was put off.
    pub fn is_overdue(&self) -> bool {
        let end = self.killed_us.load(Ordering::Relaxed).min(self.control.killed_us());
        let overdue = now_us() >= end;
        if !overdue {
            self.alarm.set(end);
        }
        overdue
    }

    /// The fault of a call that took `wall_us` although it was to be back
    /// earlier; none where it was in time. Host calls are not interrupted, so
    /// every call that came back is looked at once more.
    pub fn overrun(&self, wall_us: u64) -> Option<Fault> {
        let killed = self.killed_us.load(Ordering::Relaxed);
        let began = self.began_us.load(Ordering::Relaxed);
        (began.saturating_add(wall_us) >= killed).then(|| self.timeout())
    }

    /// The fault of a call that was killed.
    pub fn timeout(&self) -> Fault {
        let began = self.began_us.load(Ordering::Relaxed);
        let due = self.due_us.load(Ordering::Relaxed);
        let killed = self.killed_us.load(Ordering::Relaxed);
        if self.control.is_stopped() && now_us() < killed {
            let ms = STOP_GRACE_US / 1000;
            return Fault::new(
                FaultCode::Timeout,
                format!("did not stop within {ms} ms when told to"),
            );
        }
        let limit_ms = due.saturating_sub(began) / 1000;
        if self.guards.load(Ordering::Relaxed) {
            let sentence = format!("was stopped by the host's guard after {limit_ms} ms");
            return Fault::new(FaultCode::Host, sentence);
        }
        let sentence = match killed.saturating_sub(due) / 1000 {
            0 => format!("did not answer within {limit_ms} ms"),
            grace_ms => format!("did not answer within {limit_ms} ms and {grace_ms} ms of grace"),
        };
        Fault::new(FaultCode::Timeout, sentence)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_guard_beside_fuel_is_generous_and_the_hosts() {
        let meter = Meter::new(Alarm::new(|| ()));
        meter.begin(Allowance::guard(3_000_000_000));
        assert_eq!(meter.left_us(), NEVER);
        assert_eq!(meter.overrun(159_000_000), None);
        let fault = meter.overrun(161_000_000).unwrap();
        assert_eq!(fault.code, FaultCode::Host);
        assert_eq!(fault.sentence, "was stopped by the host's guard after 160000 ms");
        meter.end();
    }
}
