//! The CPU time of the call in progress: that of the thread which makes it, and
//! of no other. Read when somebody wants to know; ends no call itself.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::CpuTime;
use crate::engine::timer::NEVER;
use crate::sys::cpu::ThreadClock;

/// What a call has had of the processor, and what it may have; in microseconds.
#[derive(Debug)]
pub struct CpuMeter {
    /// When `left()` becomes 0; [`NEVER`]: CPU time is not what limits.
    due_us: AtomicU64,
    /// At which reading the call is killed.
    killed_us: AtomicU64,
    reading: Mutex<Reading>,
}

/// Where the call's reading comes from.
#[derive(Clone, Copy, Debug)]
enum Reading {
    /// There is no call, or its CPU time is not counted.
    None,
    /// It runs, on the thread of this clock.
    Running { clock: ThreadClock, began_us: u64 },
    /// It has come back, and took this.
    Over(u64),
}

impl CpuMeter {
    pub fn new() -> Self {
        Self {
            due_us: AtomicU64::new(NEVER),
            killed_us: AtomicU64::new(NEVER),
            reading: Mutex::new(Reading::None),
        }
    }

    fn reading(&self) -> MutexGuard<'_, Reading> {
        self.reading.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A call begins, on the thread that says so.
    pub fn begin(&self, allowed: CpuTime) {
        let (due_us, killed_us) = match allowed {
            CpuTime::Unread | CpuTime::Read => (NEVER, NEVER),
            CpuTime::Limited { due_us, grace_us } => (due_us, due_us.saturating_add(grace_us)),
        };
        self.due_us.store(due_us, Ordering::Relaxed);
        self.killed_us.store(killed_us, Ordering::Relaxed);
        let started = match allowed {
            CpuTime::Unread => None,
            _ => ThreadClock::of_this_thread().and_then(|clock| Some((clock, clock.now_us()?))),
        };
        let running = |(clock, began_us)| Reading::Running { clock, began_us };
        *self.reading() = started.map_or(Reading::None, running);
    }

    /// The call has come back; what it took, where that is counted.
    pub fn end(&self) -> Option<u64> {
        let took_us = self.spent_us();
        *self.reading() = took_us.map_or(Reading::None, Reading::Over);
        took_us
    }

    /// There is no call now; what the last one took and might take is forgotten.
    pub fn forget(&self) {
        self.due_us.store(NEVER, Ordering::Relaxed);
        self.killed_us.store(NEVER, Ordering::Relaxed);
        *self.reading() = Reading::None;
    }

    /// What the call has had so far, where that is counted.
    pub fn spent_us(&self) -> Option<u64> {
        match *self.reading() {
            Reading::None => None,
            Reading::Running { clock, began_us } => Some(clock.now_us()?.saturating_sub(began_us)),
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
