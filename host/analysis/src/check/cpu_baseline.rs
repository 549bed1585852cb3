//! Measures how much CPU time the machine has for a thread. Wall time alone cannot show that an
//! engine exceeded its limit, because a busy machine delays every engine. So a baseline thread runs
//! beside the call from the deadline on. Its CPU time is what the engine could have used. Judges
//! nothing.

use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError, channel};
use std::time::{Duration, Instant};

use sandboard_engine::StopHandle;

/// The longest interval between two readings of the clock that counts as CPU time. Normally it is
/// some nanoseconds; after a longer one, another thread ran.
const GAP_MAX: Duration = Duration::from_micros(500);

/// When a call is stopped: after `after`, and `grace` of CPU time for the baseline thread.
#[derive(Clone, Copy, Debug)]
pub(super) struct CpuBaseline {
    /// How long the call runs before the baseline thread starts.
    pub after: Duration,
    /// The CPU time of the baseline thread after which the call is stopped.
    pub grace: Duration,
}

/// The result of a call with its baseline.
#[derive(Debug)]
pub(super) struct TimedCall<T> {
    /// The return value of the call.
    pub value: T,
    /// Whether the call was stopped.
    pub was_stopped: bool,
    /// The CPU time of the baseline thread, from the end of `after` until the call returned.
    pub baseline_time: Duration,
}

impl CpuBaseline {
    /// Runs a call beside the baseline thread.
    pub(super) fn run_beside<T>(
        self,
        control: StopHandle,
        call: impl FnOnce() -> T,
    ) -> TimedCall<T> {
        let (done, done_signal) = channel::<()>();
        std::thread::scope(|scope| {
            let baseline = scope.spawn(move || self.run_baseline(&control, &done_signal));
            let value = call();
            drop(done);
            // The baseline thread does not panic.
            let (was_stopped, baseline_time) = baseline.join().unwrap_or_default();
            TimedCall { value, was_stopped, baseline_time }
        })
    }

    /// Returns whether the call was stopped, and the CPU time of this thread.
    fn run_baseline(self, control: &StopHandle, done_signal: &Receiver<()>) -> (bool, Duration) {
        let (mut was_stopped, mut baseline_time) = (false, Duration::ZERO);
        if done_signal.recv_timeout(self.after) != Err(RecvTimeoutError::Timeout) {
            return (was_stopped, baseline_time);
        }
        let mut last = Instant::now();
        while done_signal.try_recv() == Err(TryRecvError::Empty) {
            let now = Instant::now();
            baseline_time += Some(now - last).filter(|gap| *gap < GAP_MAX).unwrap_or_default();
            last = now;
            if baseline_time >= self.grace && !was_stopped {
                control.stop();
                was_stopped = true;
            }
        }
        (was_stopped, baseline_time)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_stopped_after_the_grace() {
        let control = StopHandle::default();
        let grace = Duration::from_millis(2);
        let baseline = CpuBaseline { after: Duration::ZERO, grace };
        let stopped = || while !control.is_stopped() {};
        let TimedCall { was_stopped, baseline_time, .. } =
            baseline.run_beside(control.clone(), stopped);
        assert!(was_stopped && baseline_time >= grace, "{baseline_time:?}");
    }

    #[test]
    fn a_call_that_returns_is_not_stopped() {
        let control = StopHandle::default();
        let baseline = CpuBaseline { after: Duration::from_secs(3600), grace: Duration::ZERO };
        let TimedCall { value, was_stopped, baseline_time } =
            baseline.run_beside(control.clone(), || 7);
        assert_eq!((value, was_stopped, baseline_time), (7, false, Duration::ZERO));
        assert!(!control.is_stopped());
    }
}
