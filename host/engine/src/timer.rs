//! Rings alarms at the deadlines of engine calls. Kills nothing itself: the owner of an alarm
//! decides what it does.
//!
//! One thread per process sleeps until the earliest deadline. Setting an alarm takes two atomic
//! operations: the thread is woken only if the new deadline is earlier than its wake-up time.
//!
//! In WebAssembly there is no clock and no thread: the time is always 0, and no alarm rings.

#[cfg(not(target_family = "wasm"))]
mod thread;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
#[cfg(not(target_family = "wasm"))]
use std::time::Instant;

/// A time that is never reached. An alarm that is set to it is off.
pub const NEVER: u64 = u64::MAX;
/// The latest deadline of an alarm that is on. It is never reached, either.
const LATEST: u64 = NEVER - 1;

/// The time on this process's monotonic clock, in microseconds since an arbitrary origin.
#[inline]
#[cfg(not(target_family = "wasm"))]
pub fn now_us() -> u64 {
    static ORIGIN: OnceLock<Instant> = OnceLock::new();
    let elapsed = ORIGIN.get_or_init(Instant::now).elapsed();
    elapsed.as_secs() * 1_000_000 + u64::from(elapsed.subsec_micros())
}

/// The time of a machine without a clock: 0.
#[cfg(target_family = "wasm")]
pub fn now_us() -> u64 {
    0
}

/// A deadline that can be set repeatedly, and the function that runs when it is reached.
pub struct Alarm {
    at_us: AtomicU64,
    /// How long after it rang the alarm rings again; [`NEVER`]: it is off then.
    #[cfg_attr(target_family = "wasm", expect(dead_code, reason = "no alarm rings"))]
    repeat_us: u64,
    #[cfg_attr(target_family = "wasm", expect(dead_code, reason = "no alarm rings"))]
    ring: Box<dyn Fn() + Send + Sync>,
}

impl std::fmt::Debug for Alarm {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Alarm").field("at_us", &self.at_us).finish_non_exhaustive()
    }
}

impl Alarm {
    /// An alarm that is not set. `ring` runs on the timer's thread and must return at once. It may
    /// set alarms, including this one.
    pub fn new(ring: impl Fn() + Send + Sync + 'static) -> Arc<Self> {
        Self::repeating(NEVER, ring)
    }

    /// As [`new`](Self::new), but the alarm rings again every `repeat_us` microseconds until its
    /// owner sets another deadline or turns it off: for a `ring` that may have no effect.
    pub fn repeating(repeat_us: u64, ring: impl Fn() + Send + Sync + 'static) -> Arc<Self> {
        let at_us = AtomicU64::new(NEVER);
        let alarm = Arc::new(Self { at_us, repeat_us, ring: Box::new(ring) });
        let mut alarms = timer().lock();
        if alarms.len() == alarms.capacity() {
            // Removes dropped alarms before the list grows. Every instance creates one.
            alarms.retain(|alarm| alarm.strong_count() > 0);
        }
        alarms.push(Arc::downgrade(&alarm));
        drop(alarms);
        alarm
    }

    /// Turns the alarm on and sets its deadline; [`NEVER`]: without one. It rings once and is then
    /// off, unless it is [`repeating`](Self::repeating).
    #[inline]
    pub fn set(&self, at_us: u64) {
        self.at_us.store(at_us.min(LATEST), Ordering::SeqCst);
        self.wake_for(at_us);
    }

    /// Turns the alarm off: until it is set, it does not ring.
    #[inline]
    pub fn turn_off(&self) {
        self.at_us.store(NEVER, Ordering::SeqCst);
    }

    /// Sets the deadline to what `change` returns for the current one, unless the alarm is off.
    fn change(&self, change: impl Fn(u64) -> u64) {
        let changed = |at: u64| (at != NEVER).then(|| change(at).min(LATEST));
        if self.at_us.fetch_update(Ordering::SeqCst, Ordering::SeqCst, changed).is_ok() {
            self.wake_for(self.at_us());
        }
    }

    /// Moves the deadline to `at_us`, unless the alarm is off.
    pub(crate) fn move_to(&self, at_us: u64) {
        self.change(|_| at_us);
    }

    /// Wakes the timer's thread if it would sleep too long.
    fn wake_for(&self, at_us: u64) {
        if at_us < timer().sleeps_to_us.load(Ordering::SeqCst) {
            // The lock orders this wake-up after the thread's decision to sleep.
            drop(timer().lock());
            timer().wake.notify_one();
        }
    }

    /// Moves the deadline to `at_us` if it is later, unless the alarm is off.
    pub(crate) fn move_no_later(&self, at_us: u64) {
        self.change(|at| at.min(at_us));
    }

    /// The current deadline; [`NEVER`]: the alarm is off.
    pub(crate) fn at_us(&self) -> u64 {
        self.at_us.load(Ordering::SeqCst)
    }
}

struct Timer {
    alarms: Mutex<Vec<Weak<Alarm>>>,
    wake: Condvar,
    sleeps_to_us: AtomicU64,
}

impl Timer {
    fn lock(&self) -> MutexGuard<'_, Vec<Weak<Alarm>>> {
        self.alarms.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn timer() -> &'static Timer {
    static TIMER: OnceLock<&'static Timer> = OnceLock::new();
    TIMER.get_or_init(|| {
        let timer: &'static Timer = Box::leak(Box::new(Timer {
            alarms: Mutex::new(Vec::new()),
            wake: Condvar::new(),
            sleeps_to_us: AtomicU64::new(NEVER),
        }));
        #[cfg(not(target_family = "wasm"))]
        {
            let thread = std::thread::Builder::new().name("deadlines".into());
            // Without this thread no deadline is enforced, so the host must not run.
            thread.spawn(|| timer.run()).expect("cannot create the thread of the deadline timer");
        }
        timer
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    #[test]
    fn an_alarm_rings_once_and_not_early() {
        let (send, receive) = mpsc::channel();
        let alarm = Alarm::new(move || send.send(now_us()).unwrap());
        let deadline = now_us() + 2_000;
        alarm.set(deadline);
        assert!(receive.recv().unwrap() >= deadline);
        assert_eq!(alarm.at_us(), NEVER);
        assert!(receive.try_recv().is_err());
    }

    #[test]
    fn a_repeating_alarm_rings_until_it_is_changed() {
        let (send, receive) = mpsc::channel();
        let alarm = Alarm::repeating(500, move || send.send(now_us()).unwrap());
        let deadline = now_us() + 500;
        alarm.set(deadline);
        for ring in 0..3 {
            assert!(receive.recv().unwrap() >= deadline + 500 * ring);
        }
        // Moved, it rings at the new time.
        let moved = now_us() + 2_000;
        alarm.move_to(moved);
        while receive.recv().unwrap() < moved {}
        // Off, it stays off until it is set.
        alarm.turn_off();
        alarm.move_to(0);
        alarm.move_no_later(0);
        assert_eq!(alarm.at_us(), NEVER);
    }

    #[test]
    fn an_alarm_without_a_deadline_can_get_one() {
        let (send, receive) = mpsc::channel();
        let alarm = Alarm::new(move || send.send(()).unwrap());
        alarm.set(NEVER);
        alarm.move_no_later(now_us() + 1_000);
        receive.recv().unwrap();
        assert_eq!(alarm.at_us(), NEVER);
    }

    #[test]
    fn an_earlier_deadline_overtakes_a_later_one() {
        let (send, receive) = mpsc::channel();
        let later = Alarm::new(|| ());
        later.set(now_us() + 3_600_000_000);
        let early = Alarm::new(move || send.send(()).unwrap());
        early.set(now_us() + 1_000);
        receive.recv().unwrap();
        assert_ne!(later.at_us(), NEVER);
    }

    #[test]
    fn an_alarm_that_is_turned_off_does_not_ring() {
        let (send, receive) = mpsc::channel();
        let off = Alarm::new({
            let send = send.clone();
            move || send.send("off").unwrap()
        });
        let on = Alarm::new(move || send.send("on").unwrap());
        off.set(now_us() + 500);
        off.turn_off();
        on.set(now_us() + 1_500);
        assert_eq!(receive.recv().unwrap(), "on");
        assert!(receive.try_recv().is_err());
    }
}
