//! Send times of moves, latencies to spectators, and errors.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Phases of a run, measured separately.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Results are not counted.
    WarmUp,
    /// Moves at the set rate.
    Paced,
    /// Moves as fast as possible.
    Free,
}

impl Phase {
    const ALL: usize = 3;
}

/// The measurements of a run, recorded by all its tasks.
pub(crate) struct Tally {
    zero: Instant,
    phase: AtomicUsize,
    /// Send times in nanoseconds since `zero`, by room and move.
    sent: Vec<Vec<AtomicU64>>,
    /// Latencies in microseconds, by phase.
    latencies: [Mutex<Vec<u32>>; Phase::ALL],
    wrong: Mutex<Vec<String>>,
}

impl Tally {
    /// An empty tally for this number of rooms and moves per game.
    pub(crate) fn new(rooms: usize, moves: usize) -> Tally {
        let room = || (0..moves).map(|_| AtomicU64::new(0)).collect();
        Tally {
            zero: Instant::now(),
            phase: AtomicUsize::new(Phase::WarmUp as usize),
            sent: (0..rooms).map(|_| room()).collect(),
            latencies: std::array::from_fn(|_| Mutex::default()),
            wrong: Mutex::default(),
        }
    }

    /// Starts a phase: following measurements count for it.
    pub(crate) fn begin(&self, phase: Phase) {
        self.phase.store(phase as usize, Ordering::Relaxed);
    }

    /// Records that a move was sent.
    pub(crate) fn sent(&self, room: usize, at: usize) {
        if let Some(sent) = self.sent[room].get(at) {
            sent.store(self.now(), Ordering::Release);
        }
    }

    /// Records that a spectator received the move.
    pub(crate) fn seen(&self, room: usize, at: usize) {
        let sent = self.sent[room].get(at).map_or(0, |sent| sent.load(Ordering::Acquire));
        if sent == 0 {
            return self.wrong(format!("room {room} received move {at}, which was not sent"));
        }
        let way = Duration::from_nanos(self.now().saturating_sub(sent)).as_micros();
        let way = u32::try_from(way).unwrap_or(u32::MAX);
        let phase = self.phase.load(Ordering::Relaxed);
        self.latencies[phase].lock().unwrap_or_else(PoisonError::into_inner).push(way);
    }

    /// Records an unexpected event.
    pub(crate) fn wrong(&self, what: String) {
        self.wrong.lock().unwrap_or_else(PoisonError::into_inner).push(what);
    }

    /// The latencies of a phase in milliseconds, sorted.
    pub(crate) fn latencies(&self, phase: Phase) -> Vec<f64> {
        let latencies =
            self.latencies[phase as usize].lock().unwrap_or_else(PoisonError::into_inner);
        let mut latencies: Vec<f64> =
            latencies.iter().map(|way| f64::from(*way) / 1000.0).collect();
        latencies.sort_by(f64::total_cmp);
        latencies
    }

    /// Number of errors, and the first one.
    pub(crate) fn errors(&self) -> (usize, Option<String>) {
        let wrong = self.wrong.lock().unwrap_or_else(PoisonError::into_inner);
        (wrong.len(), wrong.first().cloned())
    }

    fn now(&self) -> u64 {
        u64::try_from(self.zero.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }
}

/// The quantile of sorted values; 0 if there are none.
pub(crate) fn share(sorted: &[f64], share: f64) -> f64 {
    let at = (sorted.len() as f64 * share).ceil() as usize;
    sorted.get(at.saturating_sub(1)).copied().unwrap_or(0.0)
}
