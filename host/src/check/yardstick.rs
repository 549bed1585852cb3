//! Time as the machine gives it. Whether an engine is late is not read off the
//! clock alone, for a busy machine makes anybody late: a thread of ours works
//! beside the call from the deadline on, and what it had of the processor until
//! the call came back is what the engine could have had. Judges nothing.

use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError, channel};
use std::time::{Duration, Instant};

use crate::engine::Control;

/// Between two looks at the clock lie nanoseconds; where it is more than this,
/// something else ran.
const GAP: Duration = Duration::from_micros(500);

/// When a call is told to stop.
#[derive(Clone, Copy, Debug)]
pub struct Watch {
    /// So long nothing is done.
    pub after: Duration,
    /// So long the thread of ours then has to run.
    pub grace: Duration,
}

/// A call that was watched.
#[derive(Debug)]
pub struct Watched<T> {
    /// What it gave.
    pub value: T,
    /// Whether it was told to stop.
    pub was_stopped: bool,
    /// What a thread of ours had of the processor, from the end of `after` until
    /// the call came back.
    pub had: Duration,
}

impl Watch {
    /// Makes a call beside the watch.
    pub fn over<T>(self, control: Control, call: impl FnOnce() -> T) -> Watched<T> {
        let (done, waits) = channel::<()>();
        std::thread::scope(|scope| {
            let watch = scope.spawn(move || self.watches(&control, &waits));
            let value = call();
            drop(done);
            // Nothing in it panics.
            let (was_stopped, had) = watch.join().unwrap_or_default();
            Watched { value, was_stopped, had }
        })
    }

    /// Whether the call was told to stop, and what this thread had.
    fn watches(self, control: &Control, waits: &Receiver<()>) -> (bool, Duration) {
        let (mut was_stopped, mut had) = (false, Duration::ZERO);
        if waits.recv_timeout(self.after) != Err(RecvTimeoutError::Timeout) {
            return (was_stopped, had);
        }
        let mut last = Instant::now();
        while waits.try_recv() == Err(TryRecvError::Empty) {
            let now = Instant::now();
            had += Some(now - last).filter(|gap| *gap < GAP).unwrap_or_default();
            last = now;
            if had >= self.grace && !was_stopped {
                control.stop();
                was_stopped = true;
            }
        }
        (was_stopped, had)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_stopped_when_a_thread_of_ours_had_the_grace() {
        let control = Control::default();
        let grace = Duration::from_millis(2);
        let watch = Watch { after: Duration::ZERO, grace };
        let stopped = || while !control.is_stopped() {};
        let Watched { was_stopped, had, .. } = watch.over(control.clone(), stopped);
        assert!(was_stopped && had >= grace, "{had:?}");
    }

    #[test]
    fn a_call_that_comes_back_is_left_alone() {
        let control = Control::default();
        let watch = Watch { after: Duration::from_secs(3600), grace: Duration::ZERO };
        let Watched { value, was_stopped, had } = watch.over(control.clone(), || 7);
        assert_eq!((value, was_stopped, had), (7, false, Duration::ZERO));
        assert!(!control.is_stopped());
    }
}
