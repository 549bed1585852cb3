//! The time of a bout, as something that tests can replace: they never wait.

use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant, SystemTime};

use super::people::PersonEvent;

/// A clock that does not run backwards, and waiting on it.
pub trait Time {
    /// Microseconds since some moment before the bout.
    fn now_us(&self) -> u64;
    /// Waits for the next event, until that time at most.
    fn receive(&self, events: &Receiver<PersonEvent>, until_us: Option<u64>) -> Received;
    /// The date in the world, for the record.
    fn date(&self) -> SystemTime;
}

/// What waiting brought.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Received {
    /// An event.
    Event(PersonEvent),
    /// Nothing until then.
    TimeUp,
    /// Nobody will ever send one again.
    Closed,
}

/// The system's clocks.
#[derive(Clone, Copy, Debug)]
pub struct RealTime {
    base: Instant,
}

impl RealTime {
    /// A clock that begins now.
    pub fn new() -> Self {
        Self { base: Instant::now() }
    }
}

impl Default for RealTime {
    fn default() -> Self {
        Self::new()
    }
}

impl Time for RealTime {
    fn now_us(&self) -> u64 {
        u64::try_from(self.base.elapsed().as_micros()).unwrap_or(u64::MAX)
    }

    fn receive(&self, events: &Receiver<PersonEvent>, until_us: Option<u64>) -> Received {
        let Some(until_us) = until_us else {
            return events.recv().map_or(Received::Closed, Received::Event);
        };
        let wait = Duration::from_micros(until_us.saturating_sub(self.now_us()));
        match events.recv_timeout(wait) {
            Ok(event) => Received::Event(event),
            Err(RecvTimeoutError::Timeout) => Received::TimeUp,
            Err(RecvTimeoutError::Disconnected) => Received::Closed,
        }
    }

    fn date(&self) -> SystemTime {
        SystemTime::now()
    }
}
