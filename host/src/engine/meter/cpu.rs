//! The CPU time of the call in progress: that of the thread which makes it and of no
//! other, or that of a whole process; and that of others who work beside it. Read when somebody wants to know; ends no call itself.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use super::{CpuTime, Meter};
use crate::engine::timer::NEVER;
use crate::sys::cpu::CpuClock;

/// From this length on a call is long, in microseconds: the two readings of its clock,
/// about a microsecond each on a virtual machine, are a fiftieth of it.
const LONG_US: u64 = 100;

/// What a call has had of the processor, and what it may have; in microseconds.
#[derive(Debug)]
pub struct CpuMeter {
    /// The clock of all calls; none: each has that of the thread which makes it.
    clock: Option<CpuClock>,
    /// When `left()` becomes 0; [`NEVER`]: CPU time is not what limits.
    due_us: AtomicU64,
    /// At which reading the call is killed.
    killed_us: AtomicU64,
    reading: Mutex<Reading>,
    /// What the call is charged beside what its clock says.
    charged_us: AtomicU64,
    /// Whether there is a reading: most calls have none, and are asked for it four times.
    is_read: AtomicBool,
    /// Who works while the call runs, and on its account.
    beside: OnceLock<Vec<Arc<Meter>>>,
    /// Whether the call is one whose length says whether the next one is read.
    is_choice: AtomicBool,
    /// The wall time of the last such call; at first as if it had been long.
    last_choice_us: AtomicU64,
}

/// Where the call's reading comes from.
#[derive(Clone, Copy, Debug)]
enum Reading {
    /// There is no call, or its CPU time is not counted.
    None,
    /// It runs, by this clock.
    Running { clock: CpuClock, began_us: u64 },
    /// It has come back, and took this.
    Over(u64),
}

impl CpuMeter {
    pub fn new(clock: Option<CpuClock>) -> Self {
        Self {
            clock,
            due_us: AtomicU64::new(NEVER),
            killed_us: AtomicU64::new(NEVER),
            reading: Mutex::new(Reading::None),
            charged_us: AtomicU64::new(0),
            is_read: AtomicBool::new(false),
            beside: OnceLock::new(),
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

    /// From now on these count, too.
    pub fn work_beside(&self, others: Vec<Arc<Meter>>) {
        let said = self.beside.set(others);
        debug_assert!(said.is_ok(), "who works beside it is said once");
    }

    fn beside(&self) -> &[Arc<Meter>] {
        self.beside.get().map_or(&[], Vec::as_slice)
    }

    /// The least wall time in which so much CPU time can be spent.
    pub fn soonest_us(&self, cpu_us: u64) -> u64 {
        match cpu_us {
            NEVER => NEVER,
            cpu_us => cpu_us / (1 + self.beside().len() as u64),
        }
    }

    /// A call begins, on the thread that says so; what it may take until it is killed,
    /// [`NEVER`] where CPU time does not limit it.
    pub fn begin(&self, allowed: CpuTime) -> u64 {
        let (due_us, killed_us) = match allowed {
            CpuTime::Unread | CpuTime::Read | CpuTime::ReadIfLong => (NEVER, NEVER),
            CpuTime::Limited { due_us, grace_us } => (due_us, due_us.saturating_add(grace_us)),
        };
        self.due_us.store(due_us, Ordering::Relaxed);
        self.killed_us.store(killed_us, Ordering::Relaxed);
        self.charged_us.store(0, Ordering::Relaxed);
        let is_choice = allowed == CpuTime::ReadIfLong;
        self.is_choice.store(is_choice, Ordering::Relaxed);
        let is_long = self.last_choice_us.load(Ordering::Relaxed) >= LONG_US;
        let is_read = allowed != CpuTime::Unread && (!is_choice || is_long);
        let clock = is_read.then(|| self.clock.or_else(CpuClock::of_this_thread)).flatten();
        let running = |clock: CpuClock| Some(Reading::Running { clock, began_us: clock.now_us()? });
        self.set_reading(clock.and_then(running).unwrap_or(Reading::None));
        killed_us
    }

    /// The clock of all calls, where it is one.
    #[cfg(target_os = "linux")]
    pub fn clock(&self) -> Option<CpuClock> {
        self.clock
    }

    /// So much was worked on the call's account where its clock does not run.
    #[cfg(target_os = "linux")]
    pub fn charge(&self, us: u64) {
        self.charged_us.fetch_add(us, Ordering::Relaxed);
    }

    /// The call has come back after so much wall time; what it took of CPU time, where
    /// that is counted.
    pub fn end(&self, wall_us: u64) -> Option<u64> {
        if self.is_choice.load(Ordering::Relaxed) {
            self.last_choice_us.store(wall_us, Ordering::Relaxed);
        }
        self.hold();
        self.spent_us()
    }

    /// The clock is about to go: what the call has had so far is all that it took.
    pub fn hold(&self) {
        let took_us = self.own_us();
        self.set_reading(took_us.map_or(Reading::None, Reading::Over));
    }

    /// There is no call now; what the last one took and might take is forgotten.
    pub fn forget(&self) {
        self.due_us.store(NEVER, Ordering::Relaxed);
        self.killed_us.store(NEVER, Ordering::Relaxed);
        self.set_reading(Reading::None);
    }

    /// What the call has had so far, where that is counted.
    pub fn spent_us(&self) -> Option<u64> {
        let others = self.beside().iter().filter_map(|meter| meter.cpu.own_us());
        self.own_us().map(|own_us| others.fold(own_us, u64::saturating_add))
    }

    /// The same without those beside it.
    fn own_us(&self) -> Option<u64> {
        if !self.is_read.load(Ordering::Acquire) {
            return None;
        }
        match *self.reading() {
            Reading::None => None,
            Reading::Running { clock, began_us } => {
                let own_us = clock.now_us()?.saturating_sub(began_us);
                Some(own_us.saturating_add(self.charged_us.load(Ordering::Relaxed)))
            }
            Reading::Over(took_us) => Some(took_us),
        }
    }

    /// What is left until `left()` is 0; [`NEVER`]: it is not limited.
    pub fn left_us(&self) -> u64 {
        self.until(self.due_us.load(Ordering::Relaxed))
    }

    /// What is left until so long after the call is killed; [`NEVER`]: it is not limited.
    pub fn left_to_live_us(&self, longer_us: u64) -> u64 {
        self.until(self.killed_us.load(Ordering::Relaxed).saturating_add(longer_us))
    }

    fn until(&self, end_us: u64) -> u64 {
        match end_us {
            NEVER => NEVER,
            end_us => end_us.saturating_sub(self.spent_us().unwrap_or(0)),
        }
    }

    /// Limit and grace of the call; none: CPU time is not what limits it.
    pub fn limit_us(&self) -> Option<(u64, u64)> {
        let due_us = self.due_us.load(Ordering::Relaxed);
        let killed_us = self.killed_us.load(Ordering::Relaxed);
        (killed_us != NEVER).then(|| (due_us, killed_us.saturating_sub(due_us)))
    }
}
