//! What the thread of the timer does: sleeps until the earliest deadline, and rings.

use std::sync::atomic::Ordering;
use std::sync::{Arc, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use super::{Alarm, LATEST, NEVER, Timer, now_us};

impl Timer {
    pub(super) fn run(&self) -> ! {
        // By default Linux delays a wake-up by up to 50 µs, to combine it with others.
        #[cfg(target_os = "linux")]
        let _ = rustix::thread::set_current_timer_slack(std::num::NonZeroU64::new(1));
        let mut alarms = self.lock();
        loop {
            // From here on any new deadline wakes the thread.
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
            // A deadline that was set between the two stores did not wake this thread.
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
        if until_us >= LATEST {
            return self.wake.wait(alarms).unwrap_or_else(PoisonError::into_inner);
        }
        let pause = Duration::from_micros(until_us.saturating_sub(now_us()));
        let waited = self.wake.wait_timeout(alarms, pause);
        waited.unwrap_or_else(PoisonError::into_inner).0
    }
}

/// Turns off the alarms that are due, or sets them again if they repeat. Returns them and the
/// earliest deadline of the others. Removes dropped alarms.
fn take_due(alarms: &mut Vec<Weak<Alarm>>) -> (Vec<Arc<Alarm>>, u64) {
    let now = now_us();
    let (mut due, mut earliest) = (Vec::new(), NEVER);
    alarms.retain(|weak| {
        let Some(alarm) = weak.upgrade() else { return false };
        let at = alarm.at_us.load(Ordering::SeqCst);
        if at <= now {
            // Unless its owner has just changed it.
            let next = now.saturating_add(alarm.repeat_us);
            let _ = alarm.at_us.compare_exchange(at, next, Ordering::SeqCst, Ordering::SeqCst);
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
