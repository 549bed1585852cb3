//! The clock and the waiting of a driver. Tests replace it, so that they never wait.

use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant, SystemTime};

use super::input::InputEvent;

/// A monotonic clock, waiting on it, and the date.
pub(crate) trait TimeSource {
    /// Microseconds since some moment before the bout.
    fn now_us(&self) -> u64;
    /// Waits for the next event, at most until `until_us`.
    fn receive(&self, events: &Receiver<InputEvent>, until_us: Option<u64>) -> WaitResult;
    /// The date for the record.
    fn date(&self) -> SystemTime;
}

/// The outcome of [`TimeSource::receive`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum WaitResult {
    /// An event arrived.
    Event(InputEvent),
    /// The time passed without an event.
    TimedOut,
    /// All senders are dropped.
    Closed,
}

/// The clocks of the system.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SystemClock {
    base: Instant,
}

impl SystemClock {
    /// A clock that starts at 0 now.
    pub(super) fn new() -> Self {
        Self { base: Instant::now() }
    }
}

impl Default for SystemClock {
    fn default() -> Self {
        Self::new()
    }
}

impl TimeSource for SystemClock {
    fn now_us(&self) -> u64 {
        u64::try_from(self.base.elapsed().as_micros()).unwrap_or(u64::MAX)
    }

    fn receive(&self, events: &Receiver<InputEvent>, until_us: Option<u64>) -> WaitResult {
        let Some(until_us) = until_us else {
            return events.recv().map_or(WaitResult::Closed, WaitResult::Event);
        };
        let wait = Duration::from_micros(until_us.saturating_sub(self.now_us()));
        match events.recv_timeout(wait) {
            Ok(event) => WaitResult::Event(event),
            Err(RecvTimeoutError::Timeout) => WaitResult::TimedOut,
            Err(RecvTimeoutError::Disconnected) => WaitResult::Closed,
        }
    }

    fn date(&self) -> SystemTime {
        SystemTime::now()
    }
}
