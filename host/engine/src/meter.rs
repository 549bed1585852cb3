//! Measures the wall and CPU time of the current call and decides when it is overdue. Interrupts
//! nothing itself: an [`Alarm`] does. Fuel is counted by the runtime.
//!
//! The engine asks through `left()`, the timer through [`Meter::is_overdue`].
//!
//! A budget of CPU time also has a limit of wall time. Otherwise an engine that only sleeps would
//! delay the bout forever. The alarm for a CPU limit rings at the earliest moment at which the
//! limit can be reached. Then the CPU clock is read, and the alarm is set again for the rest.

mod cpu;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::messages;
use sandboard_abi::{Limits, Unit};
use sandboard_common::sys::cpu::{CpuClock, is_counted};

use crate::timer::{Alarm, NEVER, now_us};
use crate::{Fault, FaultCode, StopHandle, Usage};
use cpu::CpuMeter;

/// How often the alarm of a meter rings again, in microseconds, until the meter has seen that it
/// rang. A runtime may lose a request to interrupt a call that comes just when it serves one.
pub const ALARM_REPEAT_US: u64 = 10_000;

/// Wall time of a call other than `choose` and `start`, in microseconds.
pub const BOOKKEEPING_US: u64 = 1_000_000;
/// Default of [`Caps::guard_us`](crate::Caps), in microseconds of wall time.
pub const GUARD_US: u64 = 60_000_000;
/// Units of fuel for which the guard allows a microsecond: about thirty times the expected time.
const FUEL_PER_GUARD_US: u64 = 30;
/// The least guard beside fuel, in microseconds of wall time: a machine may be busy for so long.
const FUEL_GUARD_MIN_US: u64 = 5_000_000;
/// Microseconds that the guard adds for each microsecond of a CPU time limit.
const GUARD_US_PER_CPU_US: u64 = 30;
/// Minimum time between two readings of a CPU clock that is about to run out, in microseconds. Each
/// reading for one call triggers a reading for all other calls.
const CPU_READING_INTERVAL_US: u64 = 1_000;
/// Time in which a call must return after a stop request, in microseconds.
pub const STOP_GRACE_US: u64 = 500_000;

/// The meter of one instance; shared with the threads of a native engine.
#[derive(Debug)]
pub struct Meter {
    stop_handle: StopHandle,
    alarm: Arc<Alarm>,
    start_us: AtomicU64,
    /// When the call should have returned.
    due_us: AtomicU64,
    /// When `left()` becomes 0; [`NEVER`] if `left()` does not report the limit.
    reported_due_us: AtomicU64,
    /// Whether the wall time limit is the host's guard.
    is_guard: AtomicBool,
    /// When the call is killed, unless something ends it earlier.
    kill_at_us: AtomicU64,
    cpu: CpuMeter,
    /// Whether overdue calls are killed ([`Caps`](crate::Caps)).
    enforce_deadlines: bool,
}

/// The limits of a call, in microseconds of wall time ([`NEVER`]: no limit) and of CPU time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allowance {
    /// Wall time until `left()` is 0.
    pub due_us: u64,
    /// Wall time from then on until the call is killed.
    pub grace_us: u64,
    /// What sets the limit of wall time.
    pub limit_source: LimitSource,
    /// How CPU time is treated.
    pub cpu: CpuTime,
}

/// How the CPU time of a call is treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CpuTime {
    /// It is not counted, because the two readings would cost more than the call.
    Ignored,
    /// It is counted, if the system supports that.
    Counted,
    /// As [`Counted`](Self::Counted), but only if the previous call of this kind was long:
    /// otherwise the readings would cost more than the call.
    CountedIfLong,
    /// It limits the call; in microseconds.
    Limited {
        /// Time until `left()` is 0.
        due_us: u64,
        /// Time from then on until the call is killed.
        grace_us: u64,
    },
}

/// What sets the wall time limit of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LimitSource {
    /// The engine's own budget: `left()` reports the rest.
    Budget,
    /// The host's limit for calls that no budget covers. `left()` does not report it, because it
    /// would be a clock.
    Bookkeeping,
    /// The host's guard beside a budget of fuel or CPU time: reaching it voids the bout.
    Guard,
    /// The limit of an engine that can sleep, beside its budget of CPU time: reaching it loses.
    Sleep,
}

impl Allowance {
    /// An allowance without limits.
    pub const UNLIMITED: Allowance = Allowance::fixed(NEVER);

    /// A wall time limit of the host, without grace.
    pub const fn fixed(due_us: u64) -> Self {
        let limit_source = LimitSource::Bookkeeping;
        Self { due_us, grace_us: 0, limit_source, cpu: CpuTime::Ignored }
    }

    /// The host's guard beside a limit of fuel, in units; the fuel alone decides about the engine.
    /// It is proportional to the fuel, but not below 5 s, or `guard_us` if that
    /// is less.
    #[inline]
    pub fn guard_beside_fuel(fuel: u64, guard_us: u64) -> Self {
        Self::guard((fuel / FUEL_PER_GUARD_US).max(guard_us.min(FUEL_GUARD_MIN_US)))
    }

    /// The same allowance, with a guard of at most this wall time, in microseconds.
    #[inline]
    pub fn with_guard_at_most(self, guard_us: u64) -> Self {
        match self.limit_source {
            LimitSource::Guard => Self { due_us: self.due_us.min(guard_us), ..self },
            _ => self,
        }
    }

    fn guard(due_us: u64) -> Self {
        Self { due_us, grace_us: 0, limit_source: LimitSource::Guard, cpu: CpuTime::Ignored }
    }

    /// The same allowance, with CPU time counted.
    pub fn with_cpu_time(self) -> Self {
        Self { cpu: CpuTime::Counted, ..self }
    }

    /// The same allowance, with CPU time counted if neither time nor fuel limits the call: then
    /// the guard of such moves needs it. For calls to a process, which cost more than the readings.
    pub fn with_cpu_time_if_unlimited(self, limits: &Limits) -> Self {
        if limits.unit == Unit::Unlimited { self.with_cpu_time() } else { self }
    }

    /// The same allowance, but the call is never killed.
    fn without_kill(self) -> Self {
        let cpu = match self.cpu {
            CpuTime::Limited { due_us, .. } => CpuTime::Limited { due_us, grace_us: NEVER },
            cpu => cpu,
        };
        Self { grace_us: NEVER, cpu, ..self }
    }

    /// The allowance of a `choose` call for an engine that cannot sleep; for `guard_us` see
    /// [`Caps`](crate::Caps).
    #[inline]
    pub fn for_limits(limits: &Limits, guard_us: u64) -> Self {
        let limit = tightest_limit(limits);
        match limits.unit {
            Unit::Unlimited => Self { cpu: CpuTime::CountedIfLong, ..Self::UNLIMITED },
            Unit::Wall => {
                let (grace_us, limit_source) = (limits.grace, LimitSource::Budget);
                Self { due_us: limit, grace_us, limit_source, cpu: CpuTime::CountedIfLong }
            }
            Unit::Fuel => {
                Self { cpu: CpuTime::CountedIfLong, ..Self::guard_beside_fuel(limit, guard_us) }
            }
            Unit::Cpu => {
                let cpu = CpuTime::Limited { due_us: limit, grace_us: limits.grace };
                let extra_us = limit.saturating_mul(GUARD_US_PER_CPU_US);
                Self { cpu, ..Self::guard(guard_us.saturating_add(extra_us)) }
            }
        }
    }

    /// The allowance of a `choose` call for an engine that can sleep: then exceeding the wall time
    /// beside a CPU budget is its own fault.
    pub fn for_sleeping_engine(limits: &Limits, guard_us: u64) -> Self {
        let allowance = Self::for_limits(limits, guard_us);
        match limits.unit {
            Unit::Cpu => Self { limit_source: LimitSource::Sleep, ..allowance },
            _ => allowance,
        }
    }
}

/// The smaller of the limits of the call and of the game, in the limits' unit; [`NEVER`]: neither.
pub fn tightest_limit(limits: &Limits) -> u64 {
    limits.call_max.unwrap_or(NEVER).min(limits.game_left.unwrap_or(NEVER))
}

impl Meter {
    /// A meter before the first call, which counts the CPU time of the thread that makes a call.
    /// `alarm` repeats ([`ALARM_REPEAT_US`]) and kills overdue calls if `enforce_deadlines` is set
    /// ([`Caps`](crate::Caps)). A call must return within `grace_us` after a stop request.
    pub fn new(alarm: Arc<Alarm>, enforce_deadlines: bool, grace_us: u64) -> Arc<Self> {
        let stop_handle = StopHandle::with_grace(alarm.clone(), grace_us);
        Arc::new(Self::with_clock(stop_handle, alarm, enforce_deadlines, None))
    }

    /// A meter with an existing stop handle and, if given, the CPU clock of a whole process.
    pub fn with_clock(
        stop_handle: StopHandle,
        alarm: Arc<Alarm>,
        enforce_deadlines: bool,
        clock: Option<CpuClock>,
    ) -> Self {
        Self {
            stop_handle,
            alarm,
            start_us: AtomicU64::new(0),
            due_us: AtomicU64::new(NEVER),
            reported_due_us: AtomicU64::new(NEVER),
            is_guard: AtomicBool::new(false),
            kill_at_us: AtomicU64::new(NEVER),
            cpu: CpuMeter::new(clock),
            enforce_deadlines,
        }
    }

    /// The handle that stops the call.
    #[inline]
    pub fn stop_handle(&self) -> &StopHandle {
        &self.stop_handle
    }

    /// The allowance as this meter enforces it: without deadlines the call is never killed.
    #[inline]
    pub fn effective(&self, allowance: Allowance) -> Allowance {
        if self.enforce_deadlines { allowance } else { allowance.without_kill() }
    }

    /// Adds the CPU time of helper instances, which work during this instance's calls, to this
    /// meter. Called once, before the helpers work.
    pub fn add_helpers(&self, meters: Vec<Arc<Meter>>) {
        self.cpu.add_helpers(meters);
    }

    /// Starts a call on the current thread.
    #[inline]
    pub fn begin(&self, allowance: Allowance) {
        let allowance = self.effective(allowance);
        let now = now_us();
        let due = now.saturating_add(allowance.due_us);
        let kill_at = due.saturating_add(allowance.grace_us);
        self.start_us.store(now, Ordering::Relaxed);
        self.due_us.store(due, Ordering::Relaxed);
        let is_budget = allowance.limit_source == LimitSource::Budget;
        self.reported_due_us.store(if is_budget { due } else { NEVER }, Ordering::Relaxed);
        self.is_guard.store(allowance.limit_source == LimitSource::Guard, Ordering::Relaxed);
        self.kill_at_us.store(kill_at, Ordering::Relaxed);
        let cpu_us = self.cpu.begin(allowance.cpu);
        self.alarm.set(kill_at.min(now.saturating_add(self.cpu.min_wall_us(cpu_us))));
        if self.stop_handle.is_stopped() {
            // The stop came before the call: its grace starts now.
            self.stop_handle.clear();
            self.stop_handle.stop();
        }
    }

    /// Adds CPU time that was spent for the current call where its clock does not run, in
    /// microseconds. Ignored if the call's CPU time is not counted.
    #[cfg(target_os = "linux")]
    pub fn add_cpu_time(&self, us: u64) {
        self.cpu.add(us);
        // The call may now reach its limit earlier.
        let left_us = self.cpu.min_wall_us(self.cpu.until_kill_us(0));
        self.alarm.move_no_later(now_us().saturating_add(left_us));
    }

    /// The CPU clock of a whole process; none: calls use the clock of their thread.
    #[cfg(target_os = "linux")]
    pub fn cpu_clock(&self) -> Option<CpuClock> {
        self.cpu.clock()
    }

    /// Ends the call; returns its wall and CPU time.
    #[inline]
    pub fn end(&self) -> Usage {
        self.alarm.turn_off();
        let wall_us = self.wall_us();
        let stopped = self.stop_handle.is_stopped();
        Usage { wall_us, cpu_us: self.cpu.end(wall_us), stopped, ..Usage::default() }
    }

    /// Wall and CPU time of the current call so far, from any thread.
    #[inline]
    pub fn current_usage(&self) -> Usage {
        Usage { wall_us: self.wall_us(), cpu_us: self.cpu.spent_us(), ..Usage::default() }
    }

    fn wall_us(&self) -> u64 {
        now_us().saturating_sub(self.start_us.load(Ordering::Relaxed))
    }

    /// Forgets the CPU time of the last call, before a call begins on another thread: until then
    /// no CPU time is spent and none is limited.
    pub fn reset_cpu_time(&self) {
        self.cpu.reset();
    }

    /// CPU time that is left until `extra_us` after the call's end by CPU time, in microseconds;
    /// [`NEVER`]: not limited.
    pub fn cpu_left_us(&self, extra_us: u64) -> u64 {
        self.cpu.until_kill_us(extra_us)
    }

    /// Time until the engine should return, in microseconds; [`NEVER`]: no limit.
    #[inline]
    pub fn left_us(&self) -> u64 {
        if self.stop_handle.is_stopped() {
            return 0;
        }
        match self.reported_due_us.load(Ordering::Relaxed) {
            NEVER => self.cpu.left_us(),
            due => due.saturating_sub(now_us()),
        }
    }

    /// Whether the call must be killed now. If not, moves the alarm: it may have rung for an old
    /// deadline.
    #[inline]
    pub fn is_overdue(&self) -> bool {
        let end = self.kill_at_us.load(Ordering::Relaxed).min(self.stop_handle.kill_at_us());
        let cpu_left = self.cpu.until_kill_us(0);
        let now = now_us();
        let overdue = now >= end || cpu_left == 0;
        if !overdue {
            let cpu_left = self.cpu.min_wall_us(cpu_left).max(CPU_READING_INTERVAL_US);
            self.alarm.move_to(end.min(now.saturating_add(cpu_left)));
        }
        overdue
    }

    /// Keeps the CPU time so far, before the engine and its CPU clock are killed.
    #[cfg(target_os = "linux")]
    pub fn freeze_cpu_time(&self) {
        self.cpu.freeze();
    }

    /// The fault of a call that returned too late; none if it was in time. Needed for every call
    /// that returned, because calls into the host are not interrupted.
    #[inline]
    pub fn overrun_fault(&self, usage: &Usage) -> Option<Fault> {
        let kill_at = self.kill_at_us.load(Ordering::Relaxed);
        let start = self.start_us.load(Ordering::Relaxed);
        let overrun = start.saturating_add(usage.wall_us) >= kill_at;
        (overrun || self.cpu.until_kill_us(0) == 0).then(|| self.timeout_fault())
    }

    /// The fault of a call that was killed.
    pub fn timeout_fault(&self) -> Fault {
        let start = self.start_us.load(Ordering::Relaxed);
        let due = self.due_us.load(Ordering::Relaxed);
        let kill_at = self.kill_at_us.load(Ordering::Relaxed);
        let limit_ms = due.saturating_sub(start) / 1000;
        let cpu = self.cpu.limit();
        if let Some((due_us, grace_us)) = cpu.filter(|_| self.cpu.until_kill_us(0) == 0) {
            let limit = messages::cpu_limit(due_us / 1000);
            return no_answer_fault(&limit, grace_us);
        }
        if self.stop_handle.is_stopped() && now_us() < kill_at {
            let ms = self.stop_handle.grace_us() / 1000;
            let sentence = messages::did_not_stop(ms);
            return Fault::new(FaultCode::Timeout, sentence);
        }
        if self.is_guard.load(Ordering::Relaxed) {
            let sentence = messages::stopped_by_guard(limit_ms);
            return Fault::new(FaultCode::Host, sentence);
        }
        if cpu.is_some() {
            let cpu_ms = self.cpu.spent_us().unwrap_or(0) / 1000;
            let limit = messages::cpu_used_in(limit_ms, cpu_ms);
            return no_answer_fault(&limit, 0);
        }
        no_answer_fault(&messages::milliseconds(limit_ms), kill_at.saturating_sub(due))
    }
}

/// The fault of a call that exceeded its limit.
fn no_answer_fault(limit: &str, grace_us: u64) -> Fault {
    let sentence = match grace_us / 1000 {
        0 => messages::no_answer(limit),
        grace_ms => messages::no_answer_with_grace(limit, grace_ms),
    };
    Fault::new(FaultCode::Timeout, sentence)
}

/// The fault of a CPU time limit on a system that cannot measure it; none if it can.
pub fn cpu_clock_fault() -> Option<Fault> {
    let sentence =
        "cannot be limited in CPU time: this system does not measure CPU time per thread";
    (!is_counted()).then(|| Fault::new(FaultCode::Host, sentence))
}

#[cfg(test)]
mod tests;
