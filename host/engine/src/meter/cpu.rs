//! Counts the CPU time of the current call: that of its thread or of a whole process, plus that of
//! helper instances. Ends no call itself.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use sandboard_common::sys::cpu::CpuClock;

use super::{CpuTime, Meter};
use crate::timer::NEVER;

/// Wall time from which a call is long, in microseconds: the two readings of its clock, about a
/// microsecond each on a virtual machine, are a fiftieth of it.
const LONG_US: u64 = 100;

/// CPU time of the current call and its limit, in microseconds.
#[derive(Debug)]
pub(super) struct CpuMeter {
    /// The clock of a whole process; none: the clock of the thread that makes the call.
    clock: Option<CpuClock>,
    /// CPU time at which `left()` becomes 0; [`NEVER`]: not limited.
    due_us: AtomicU64,
    /// CPU time at which the call is killed; [`NEVER`]: not limited.
    kill_at_us: AtomicU64,
    reading: Mutex<Reading>,
    /// CPU time of the call beside its clock.
    added_us: AtomicU64,
    /// Whether there is a reading: most calls have none, and the state is queried four times a
    /// call.
    is_read: AtomicBool,
    /// Meters of the helpers, whose CPU time counts for the call.
    helpers: OnceLock<Vec<Arc<Meter>>>,
    /// Whether the length of the current call decides if the next one is counted.
    is_choice: AtomicBool,
    /// Wall time of the last such call; initially that of a long one.
    last_choice_us: AtomicU64,
}

/// Where the CPU time of the call comes from.
#[derive(Clone, Copy, Debug)]
enum Reading {
    /// There is no call, or its CPU time is not counted.
    None,
    /// The call runs; its CPU time is the difference to `start_us`.
    Running { clock: CpuClock, start_us: u64 },
    /// The call has ended and took this CPU time.
    Finished(u64),
}

impl CpuMeter {
    pub(super) fn new(clock: Option<CpuClock>) -> Self {
        Self {
            clock,
            due_us: AtomicU64::new(NEVER),
            kill_at_us: AtomicU64::new(NEVER),
            reading: Mutex::new(Reading::None),
            added_us: AtomicU64::new(0),
            is_read: AtomicBool::new(false),
            helpers: OnceLock::new(),
            is_choice: AtomicBool::new(false),
            last_choice_us: AtomicU64::new(LONG_US),
        }
    }

    fn reading(&self) -> MutexGuard<'_, Reading> {
        self.reading.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set_reading(&self, reading: Reading) {
        let is_read = !matches!(reading, Reading::None);
        if is_read || self.is_read.load(Ordering::Acquire) {
            *self.reading() = reading;
            self.is_read.store(is_read, Ordering::Release);
        }
    }

    /// Adds the helpers' CPU time to that of the call.
    pub(super) fn add_helpers(&self, meters: Vec<Arc<Meter>>) {
        let set = self.helpers.set(meters);
        debug_assert!(set.is_ok(), "helpers are added once");
    }

    fn helpers(&self) -> &[Arc<Meter>] {
        self.helpers.get().map_or(&[], Vec::as_slice)
    }

    /// The minimum wall time in which this CPU time can be spent.
    pub(super) fn min_wall_us(&self, cpu_us: u64) -> u64 {
        match cpu_us {
            NEVER => NEVER,
            cpu_us => cpu_us / (1 + self.helpers().len() as u64),
        }
    }

    /// Starts a call on the current thread. Returns the CPU time until it is killed; [`NEVER`]: not
    /// limited.
    pub(super) fn begin(&self, cpu_time: CpuTime) -> u64 {
        let (due_us, kill_at_us) = match cpu_time {
            CpuTime::Ignored | CpuTime::Counted | CpuTime::CountedIfLong => (NEVER, NEVER),
            CpuTime::Limited { due_us, grace_us } => (due_us, due_us.saturating_add(grace_us)),
        };
        self.due_us.store(due_us, Ordering::Relaxed);
        self.kill_at_us.store(kill_at_us, Ordering::Relaxed);
        self.added_us.store(0, Ordering::Relaxed);
        let is_choice = cpu_time == CpuTime::CountedIfLong;
        self.is_choice.store(is_choice, Ordering::Relaxed);
        let is_long = self.last_choice_us.load(Ordering::Relaxed) >= LONG_US;
        let is_read = cpu_time != CpuTime::Ignored && (!is_choice || is_long);
        let clock = is_read.then(|| self.clock.or_else(CpuClock::of_this_thread)).flatten();
        let running = |clock: CpuClock| Some(Reading::Running { clock, start_us: clock.now_us()? });
        self.set_reading(clock.and_then(running).unwrap_or(Reading::None));
        kill_at_us
    }

    /// The clock of a whole process, if the meter has one.
    #[cfg(target_os = "linux")]
    pub(super) fn clock(&self) -> Option<CpuClock> {
        self.clock
    }

    /// Adds CPU time that the clock does not see.
    #[cfg(target_os = "linux")]
    pub(super) fn add(&self, us: u64) {
        self.added_us.fetch_add(us, Ordering::Relaxed);
    }

    /// Ends a call that took `wall_us`; returns its CPU time if it was counted.
    pub(super) fn end(&self, wall_us: u64) -> Option<u64> {
        if self.is_choice.load(Ordering::Relaxed) {
            self.last_choice_us.store(wall_us, Ordering::Relaxed);
        }
        self.freeze();
        self.spent_us()
    }

    /// Keeps the CPU time so far as that of the call, because its clock may disappear.
    pub(super) fn freeze(&self) {
        let own_us = self.own_us();
        self.set_reading(own_us.map_or(Reading::None, Reading::Finished));
    }

    /// Forgets the CPU time and the limit of the last call.
    pub(super) fn reset(&self) {
        self.due_us.store(NEVER, Ordering::Relaxed);
        self.kill_at_us.store(NEVER, Ordering::Relaxed);
        self.set_reading(Reading::None);
    }

    /// CPU time of the call so far, helpers included, if it is counted.
    pub(super) fn spent_us(&self) -> Option<u64> {
        let helpers = self.helpers().iter().filter_map(|meter| meter.cpu.own_us());
        self.own_us().map(|own_us| helpers.fold(own_us, u64::saturating_add))
    }

    /// CPU time of the call so far, without helpers.
    fn own_us(&self) -> Option<u64> {
        if !self.is_read.load(Ordering::Acquire) {
            return None;
        }
        match *self.reading() {
            Reading::None => None,
            Reading::Running { clock, start_us } => {
                let own_us = clock.now_us()?.saturating_sub(start_us);
                Some(own_us.saturating_add(self.added_us.load(Ordering::Relaxed)))
            }
            Reading::Finished(own_us) => Some(own_us),
        }
    }

    /// CPU time that is left until `left()` is 0; [`NEVER`]: not limited.
    pub(super) fn left_us(&self) -> u64 {
        self.until(self.due_us.load(Ordering::Relaxed))
    }

    /// CPU time that is left until `extra_us` after the call is killed; [`NEVER`]: not limited.
    pub(super) fn until_kill_us(&self, extra_us: u64) -> u64 {
        self.until(self.kill_at_us.load(Ordering::Relaxed).saturating_add(extra_us))
    }

    fn until(&self, end_us: u64) -> u64 {
        match end_us {
            NEVER => NEVER,
            end_us => end_us.saturating_sub(self.spent_us().unwrap_or(0)),
        }
    }

    /// Limit and grace of the call's CPU time; none: not limited.
    pub(super) fn limit(&self) -> Option<(u64, u64)> {
        let due_us = self.due_us.load(Ordering::Relaxed);
        let kill_at_us = self.kill_at_us.load(Ordering::Relaxed);
        (kill_at_us != NEVER).then(|| (due_us, kill_at_us.saturating_sub(due_us)))
    }
}
