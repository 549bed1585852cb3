//! One thread that sleeps to the earliest deadline of all engine calls in this
//! process and rings the alarms that are due. Setting an alarm is two atomic
//! operations: the thread is only woken when the new deadline is earlier than
//! the one it sleeps to. Kills nothing itself; what an alarm does is its owner's.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::{Duration, Instant};

/// A deadline that is never reached.
pub const NEVER: u64 = u64::MAX;

/// Microseconds on this process's monotonic clock. The origin is arbitrary.
pub fn now_us() -> u64 {
    static ORIGIN: OnceLock<Instant> = OnceLock::new();
    let elapsed = ORIGIN.get_or_init(Instant::now).elapsed();
    elapsed.as_secs() * 1_000_000 + u64::from(elapsed.subsec_micros())
}

/// A deadline that can be set again and again, and what happens at it.
pub struct Alarm {
    at_us: AtomicU64,
    ring: Box<dyn Fn() + Send + Sync>,
}

impl std::fmt::Debug for Alarm {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Alarm").field("at_us", &self.at_us).finish_non_exhaustive()
    }
}

impl Alarm {
    /// An alarm that is not set; `ring` runs on the timer's thread and returns at once. It
    /// may set alarms, this one too.
    pub fn new(ring: impl Fn() + Send + Sync + 'static) -> Arc<Self> {
        let alarm = Arc::new(Self { at_us: AtomicU64::new(NEVER), ring: Box::new(ring) });
        let mut alarms = timer().lock();
        if alarms.len() == alarms.capacity() {
            // Forget the dead before the list grows: one alarm per instance ever made.
            alarms.retain(|alarm| alarm.strong_count() > 0);
        }
        alarms.push(Arc::downgrade(&alarm));
        drop(alarms);
        alarm
    }

    /// Sets the deadline; it rings once, then the alarm is off. [`NEVER`] turns it off.
    pub fn set(&self, at_us: u64) {
        self.at_us.store(at_us, Ordering::SeqCst);
        self.wake_for(at_us);
    }

    fn wake_for(&self, at_us: u64) {
        if at_us < timer().sleeps_to_us.load(Ordering::SeqCst) {
            // Taking the lock orders this wake-up behind the thread's decision to sleep.
            drop(timer().lock());
            timer().wake.notify_one();
        }
    }

    /// Makes the deadline no later than this.
    pub fn set_no_later(&self, at_us: u64) {
        self.at_us.fetch_min(at_us, Ordering::SeqCst);
        self.wake_for(at_us);
    }

    /// The deadline that is set; [`NEVER`] if none.
    pub fn at_us(&self) -> u64 {
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

    fn run(&self) -> ! {
        // Linux lets a thread oversleep by 50 µs, to wake others with it, unless it is told not to.
        #[cfg(target_os = "linux")]
        let _ = rustix::thread::set_current_timer_slack(std::num::NonZeroU64::new(1));
        let mut alarms = self.lock();
        loop {
            // From here on a deadline set earlier than this wakes the thread.
            self.sleeps_to_us.store(NEVER, Ordering::SeqCst);
            let (due, earliest_us) = take_due(&mut alarms);
            if !due.is_empty() {
                drop(alarms);
                due.iter().for_each(|alarm| (alarm.ring)());
                drop(due);
                alarms = self.lock();
                continue;
            }
            self.sleeps_to_us.store(earliest_us, Ordering::SeqCst);
            // A deadline set between the two stores woke nobody: look once more.
            if next_deadline(&alarms) < earliest_us {
                continue;
            }
            alarms = self.sleep(alarms, earliest_us);
        }
    }

    fn sleep<'a>(
        &self,
        alarms: MutexGuard<'a, Vec<Weak<Alarm>>>,
        until_us: u64,
    ) -> MutexGuard<'a, Vec<Weak<Alarm>>> {
        if until_us == NEVER {
            return self.wake.wait(alarms).unwrap_or_else(PoisonError::into_inner);
        }
        let pause = Duration::from_micros(until_us.saturating_sub(now_us()));
        let waited = self.wake.wait_timeout(alarms, pause);
        waited.unwrap_or_else(PoisonError::into_inner).0
    }
}

/// What is due, no longer set, and the earliest deadline that is left. Forgets alarms
/// whose owners are gone.
fn take_due(alarms: &mut Vec<Weak<Alarm>>) -> (Vec<Arc<Alarm>>, u64) {
    let now = now_us();
    let (mut due, mut earliest) = (Vec::new(), NEVER);
    alarms.retain(|weak| {
        let Some(alarm) = weak.upgrade() else { return false };
        let at = alarm.at_us.load(Ordering::SeqCst);
        if at <= now {
            // Off unless its owner has just set it anew.
            let _ = alarm.at_us.compare_exchange(at, NEVER, Ordering::SeqCst, Ordering::SeqCst);
            due.push(alarm);
        } else {
            earliest = earliest.min(at);
        }
        true
    });
    (due, earliest)
}

fn next_deadline(alarms: &[Weak<Alarm>]) -> u64 {
    let at = |weak: &Weak<Alarm>| weak.upgrade().map_or(NEVER, |alarm| alarm.at_us());
    alarms.iter().map(at).min().unwrap_or(NEVER)
}

fn timer() -> &'static Timer {
    static TIMER: OnceLock<&'static Timer> = OnceLock::new();
    TIMER.get_or_init(|| {
        let timer: &'static Timer = Box::leak(Box::new(Timer {
            alarms: Mutex::new(Vec::new()),
            wake: Condvar::new(),
            sleeps_to_us: AtomicU64::new(NEVER),
        }));
        let spawned = std::thread::Builder::new().name("deadlines".into()).spawn(|| timer.run());
        // Without this thread no deadline holds: better no host than an unsafe one.
        spawned.expect("the system gives no thread for the deadline timer");
        timer
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    #[test]
    fn an_alarm_rings_once_and_not_before_its_time() {
        let (send, receive) = mpsc::channel();
        let alarm = Alarm::new(move || send.send(now_us()).unwrap());
        let deadline = now_us() + 2_000;
        alarm.set(deadline);
        assert!(receive.recv().unwrap() >= deadline);
        assert_eq!(alarm.at_us(), NEVER);
        assert!(receive.try_recv().is_err());
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
        off.set(NEVER);
        on.set(now_us() + 1_500);
        assert_eq!(receive.recv().unwrap(), "on");
        assert!(receive.try_recv().is_err());
    }
}
