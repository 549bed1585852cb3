//! What the call in progress may still spend. The engine asks through
//! `left()`, the guard through [`Meter::is_overdue`]. Fuel is counted by the
//! runtime; here are wall time and CPU time. Interrupts nothing itself.
//!
//! A budget of CPU time ends by wall time, too: an engine that only waits would
//! keep the bout waiting for good. A deadline of CPU time is an alarm for the
//! earliest moment at which it can be reached; then the engine's clock is read,
//! and the alarm set again for what is left.

mod cpu;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use sandboard_abi::{Limits, Unit};

use super::timer::{Alarm, NEVER, now_us};
use super::{Control, Fault, FaultCode, Spent};
use crate::sys::cpu::{CpuClock, is_counted};
use cpu::CpuMeter;

/// How long a call other than `choose` and `start` may take, in microseconds.
pub const BOOKKEEPING_US: u64 = 1_000_000;
/// How long a call may take that fuel or CPU time limits, in microseconds of wall
/// time: so long, and beside it about thirty times what it needs on an idle machine.
pub const GUARD_US: u64 = 60_000_000;
const FUEL_PER_GUARD_US: u64 = 30;
const GUARD_US_PER_CPU_US: u64 = 30;
/// The least time between two looks at a CPU clock that runs out, in microseconds:
/// each look of one call makes all others look, too.
const LOOK_US: u64 = 1_000;
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
    cpu: CpuMeter,
    /// Whether a call that is late is ended by force.
    deadlines: bool,
}

/// What a call may take, in microseconds of wall time ([`NEVER`] for no limit)
/// and of CPU time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allowance {
    /// Until `left()` is 0.
    pub due_us: u64,
    /// From then on until the call is killed.
    pub grace_us: u64,
    /// Whose limit it is.
    pub whose: Whose,
    /// What is done about CPU time.
    pub cpu: CpuTime,
}

/// What is done about the CPU time of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CpuTime {
    /// Nothing: two readings cost more than the call.
    Unread,
    /// It is counted, where the system does that.
    Read,
    /// The same, unless the last call with this was short: then it would cost more
    /// than it is worth.
    ReadIfLong,
    /// It is what limits the call; in microseconds.
    Limited {
        /// Until `left()` is 0.
        due_us: u64,
        /// From then on until the call is killed.
        grace_us: u64,
    },
}

/// Whose limit an allowance of wall time is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    /// The engine's own budget: it may ask what is left.
    Budget,
    /// The host's: calls that no budget covers come back at once. The engine is
    /// told nothing, for it would be a clock.
    Border,
    /// The host's guard beside a budget of fuel or CPU time: nobody loses by it.
    Guard,
    /// The engine's, beside its budget of CPU time: it may sleep, but not for good.
    Patience,
}

impl Allowance {
    /// No limit.
    pub const NONE: Allowance = Allowance::exactly(NEVER);

    /// A call that has so long and not a moment more.
    pub const fn exactly(due_us: u64) -> Self {
        Self { due_us, grace_us: 0, whose: Whose::Border, cpu: CpuTime::Unread }
    }

    /// The host's guard beside so much fuel, which alone decides.
    pub fn beside_fuel(fuel: u64, guard_us: u64) -> Self {
        Self::guard(guard_us.saturating_add(fuel / FUEL_PER_GUARD_US))
    }

    fn guard(due_us: u64) -> Self {
        Self { due_us, grace_us: 0, whose: Whose::Guard, cpu: CpuTime::Unread }
    }

    /// The same, and its CPU time is counted.
    pub fn metered(self) -> Self {
        Self { cpu: CpuTime::Read, ..self }
    }

    /// The same, and however long it takes, nothing ends it by force.
    fn endless(self) -> Self {
        let cpu = match self.cpu {
            CpuTime::Limited { due_us, .. } => CpuTime::Limited { due_us, grace_us: NEVER },
            cpu => cpu,
        };
        Self { grace_us: NEVER, cpu, ..self }
    }

    /// What these limits allow an engine that cannot sleep; `guard_us`: see
    /// [`Caps`](super::Caps).
    pub fn of(limits: &Limits, guard_us: u64) -> Self {
        let most = tightest(limits);
        match limits.unit {
            Unit::Unlimited => Self { cpu: CpuTime::ReadIfLong, ..Self::NONE },
            Unit::Wall => {
                let (grace_us, whose) = (limits.grace, Whose::Budget);
                Self { due_us: most, grace_us, whose, cpu: CpuTime::ReadIfLong }
            }
            Unit::Fuel => Self { cpu: CpuTime::ReadIfLong, ..Self::beside_fuel(most, guard_us) },
            Unit::Cpu => {
                let cpu = CpuTime::Limited { due_us: most, grace_us: limits.grace };
                let beside_us = most.saturating_mul(GUARD_US_PER_CPU_US);
                Self { cpu, ..Self::guard(guard_us.saturating_add(beside_us)) }
            }
        }
    }

    /// What these limits allow an engine that can sleep: it is its own doing when
    /// it does.
    pub fn of_sleeper(limits: &Limits, guard_us: u64) -> Self {
        let allowance = Self::of(limits, guard_us);
        match limits.unit {
            Unit::Cpu => Self { whose: Whose::Patience, ..allowance },
            _ => allowance,
        }
    }
}

/// The smaller of what the call and what the clock allows, in the limits' unit.
pub fn tightest(limits: &Limits) -> u64 {
    limits.call_max.unwrap_or(NEVER).min(limits.game_left.unwrap_or(NEVER))
}

impl Meter {
    /// A meter that no call has started yet; `alarm` is what kills, where there
    /// are `deadlines` ([`Caps`](super::Caps)). Of CPU time it counts that of the thread
    /// which makes a call; one that is told to stop has `grace_us` from then on.
    pub fn new(alarm: Arc<Alarm>, deadlines: bool, grace_us: u64) -> Arc<Self> {
        let control = Control::with_grace(alarm.clone(), grace_us);
        Arc::new(Self::of(control, alarm, deadlines, None))
    }

    /// The same with a control that is there, and the CPU clock of a whole process.
    pub fn of(
        control: Control,
        alarm: Arc<Alarm>,
        deadlines: bool,
        clock: Option<CpuClock>,
    ) -> Self {
        Self {
            control,
            alarm,
            began_us: AtomicU64::new(0),
            due_us: AtomicU64::new(NEVER),
            shown_us: AtomicU64::new(NEVER),
            guards: AtomicBool::new(false),
            killed_us: AtomicU64::new(NEVER),
            cpu: CpuMeter::new(clock),
            deadlines,
        }
    }

    /// The handle that stops the call.
    pub fn control(&self) -> &Control {
        &self.control
    }

    /// What a call really has: all the time in the world, where there are no deadlines.
    pub fn allow(&self, allowance: Allowance) -> Allowance {
        if self.deadlines { allowance } else { allowance.endless() }
    }

    /// From now on what these spend of CPU time counts, too: the meters of instances that
    /// work while this one's calls run. Said once, before they do.
    pub fn work_beside(&self, others: Vec<Arc<Meter>>) {
        self.cpu.work_beside(others);
    }

    /// A call begins, on the thread that says so.
    pub fn begin(&self, allowance: Allowance) {
        let allowance = self.allow(allowance);
        let now = now_us();
        let due = now.saturating_add(allowance.due_us);
        let killed = due.saturating_add(allowance.grace_us);
        self.began_us.store(now, Ordering::Relaxed);
        self.due_us.store(due, Ordering::Relaxed);
        let shown = if allowance.whose == Whose::Budget { due } else { NEVER };
        self.shown_us.store(shown, Ordering::Relaxed);
        self.guards.store(allowance.whose == Whose::Guard, Ordering::Relaxed);
        self.killed_us.store(killed, Ordering::Relaxed);
        let cpu_us = self.cpu.begin(allowance.cpu);
        self.alarm.set(killed.min(now.saturating_add(self.cpu.soonest_us(cpu_us))));
        if self.control.is_stopped() {
            // Stopped before it began: the end is counted from here.
            self.control.clear();
            self.control.stop();
        }
    }

    /// The call in progress is charged so much CPU time beside what its clock says: work that was done for it, or by it,
    /// where that clock does not run. Where CPU time is not read, it is not charged either.
    #[cfg(target_os = "linux")]
    pub fn charge_cpu(&self, us: u64) {
        self.cpu.charge(us);
        // Its end may be nearer than when it began.
        let left_us = self.cpu.soonest_us(self.cpu.left_to_live_us(0));
        self.alarm.set_no_later(now_us().saturating_add(left_us));
    }

    /// The CPU clock of the whole process that is meant; none: it is that of whichever thread makes a call.
    #[cfg(target_os = "linux")]
    pub fn cpu_clock(&self) -> Option<CpuClock> {
        self.cpu.clock()
    }

    /// The call has come back; what it took of wall and CPU time.
    pub fn end(&self) -> Spent {
        self.alarm.set(NEVER);
        let wall_us = self.wall_us();
        let stopped = self.control.is_stopped();
        Spent { wall_us, cpu_us: self.cpu.end(wall_us), stopped, ..Spent::default() }
    }

    /// What the call in progress has taken of wall and CPU time so far; may be asked
    /// on any thread.
    pub fn so_far(&self) -> Spent {
        Spent { wall_us: self.wall_us(), cpu_us: self.cpu.spent_us(), ..Spent::default() }
    }

    fn wall_us(&self) -> u64 {
        now_us().saturating_sub(self.began_us.load(Ordering::Relaxed))
    }

    /// A call will begin on another thread: until it does, no CPU time is spent and none
    /// limits it.
    pub fn call_follows(&self) {
        self.cpu.forget();
    }

    /// What is left of the CPU time at which the call is given up, `patience_us` after
    /// it should have been back, in microseconds; [`NEVER`]: it is not limited.
    pub fn cpu_left_us(&self, patience_us: u64) -> u64 {
        self.cpu.left_to_live_us(patience_us)
    }

    /// Microseconds until the engine should return; `u64::MAX`: no limit.
    pub fn left_us(&self) -> u64 {
        if self.control.is_stopped() {
            return 0;
        }
        match self.shown_us.load(Ordering::Relaxed) {
            NEVER => self.cpu.left_us(),
            due => due.saturating_sub(now_us()),
        }
    }

    /// Whether the call must be killed now. If not, the alarm is set again: it
    /// may have rung for a deadline that was put off.
    pub fn is_overdue(&self) -> bool {
        let end = self.killed_us.load(Ordering::Relaxed).min(self.control.killed_us());
        let cpu_left = self.cpu.left_to_live_us(0);
        let now = now_us();
        let overdue = now >= end || cpu_left == 0;
        if !overdue {
            let cpu_left = self.cpu.soonest_us(cpu_left).max(LOOK_US);
            self.alarm.set(end.min(now.saturating_add(cpu_left)));
        }
        overdue
    }

    /// The engine is about to be killed, and its CPU clock with it.
    #[cfg(target_os = "linux")]
    pub fn hold(&self) {
        self.cpu.hold();
    }

    /// The fault of a call that took `spent` although it was to be back earlier;
    /// none where it was in time. Host calls are not interrupted, so every call
    /// that came back is looked at once more.
    pub fn overrun(&self, spent: &Spent) -> Option<Fault> {
        let killed = self.killed_us.load(Ordering::Relaxed);
        let began = self.began_us.load(Ordering::Relaxed);
        let late = began.saturating_add(spent.wall_us) >= killed;
        (late || self.cpu.left_to_live_us(0) == 0).then(|| self.timeout())
    }

    /// The fault of a call that was killed.
    pub fn timeout(&self) -> Fault {
        let began = self.began_us.load(Ordering::Relaxed);
        let due = self.due_us.load(Ordering::Relaxed);
        let killed = self.killed_us.load(Ordering::Relaxed);
        let limit_ms = due.saturating_sub(began) / 1000;
        let cpu = self.cpu.limit_us();
        if let Some((due_us, grace_us)) = cpu.filter(|_| self.cpu.left_to_live_us(0) == 0) {
            let limit = format!("{} ms of CPU time", due_us / 1000);
            return late(&limit, grace_us);
        }
        if self.control.is_stopped() && now_us() < killed {
            let ms = self.control.grace_us() / 1000;
            return Fault::new(
                FaultCode::Timeout,
                format!("did not stop within {ms} ms when told to"),
            );
        }
        if self.guards.load(Ordering::Relaxed) {
            let sentence = format!("was stopped by the host's guard after {limit_ms} ms");
            return Fault::new(FaultCode::Host, sentence);
        }
        if cpu.is_some() {
            let cpu_ms = self.cpu.spent_us().unwrap_or(0) / 1000;
            let limit = format!("{limit_ms} ms, in which it used {cpu_ms} ms of CPU time");
            return late(&limit, 0);
        }
        late(&format!("{limit_ms} ms"), killed.saturating_sub(due))
    }
}

/// The fault of a call that broke its limit.
fn late(limit: &str, grace_us: u64) -> Fault {
    let sentence = match grace_us / 1000 {
        0 => format!("did not answer within {limit}"),
        grace_ms => format!("did not answer within {limit} and {grace_ms} ms of grace"),
    };
    Fault::new(FaultCode::Timeout, sentence)
}

/// Why a call cannot be limited in CPU time on this system.
pub fn no_cpu_clock() -> Option<Fault> {
    let sentence = "cannot be limited in CPU time: this system does not count it by thread";
    (!is_counted()).then(|| Fault::new(FaultCode::Host, sentence))
}

#[cfg(test)]
mod tests;
