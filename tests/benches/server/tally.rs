//! When each move was sent, how long its way to each spectator was, and what went wrong.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Parts of a run whose figures are kept apart.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Counts for nothing.
    WarmUp,
    /// So many moves a second.
    Paced,
    /// As many moves as there can be.
    Free,
}

impl Phase {
    const ALL: usize = 3;
}

/// The figures of a run, filled in by all its tasks.
pub struct Tally {
    zero: Instant,
    phase: AtomicUsize,
    /// Nanoseconds since `zero`, by room and move.
    sent: Vec<Vec<AtomicU64>>,
    /// Microseconds, by phase.
    ways: [Mutex<Vec<u32>>; Phase::ALL],
    wrong: Mutex<Vec<String>>,
}

impl Tally {
    /// For so many rooms of games of so many moves.
    pub fn new(rooms: usize, moves: usize) -> Tally {
        let room = || (0..moves).map(|_| AtomicU64::new(0)).collect();
        Tally {
            zero: Instant::now(),
            phase: AtomicUsize::new(Phase::WarmUp as usize),
            sent: (0..rooms).map(|_| room()).collect(),
            ways: std::array::from_fn(|_| Mutex::default()),
            wrong: Mutex::default(),
        }
    }

    /// What is seen from now on counts for this phase.
    pub fn begin(&self, phase: Phase) {
        self.phase.store(phase as usize, Ordering::Relaxed);
    }

    /// A move goes off.
    pub fn sent(&self, room: usize, at: usize) {
        if let Some(sent) = self.sent[room].get(at) {
            sent.store(self.now(), Ordering::Release);
        }
    }

    /// A spectator sees it.
    pub fn seen(&self, room: usize, at: usize) {
        let sent = self.sent[room].get(at).map_or(0, |sent| sent.load(Ordering::Acquire));
        if sent == 0 {
            return self.wrong(format!("room {room} saw move {at}, which nobody made"));
        }
        let way = Duration::from_nanos(self.now().saturating_sub(sent)).as_micros();
        let way = u32::try_from(way).unwrap_or(u32::MAX);
        let phase = self.phase.load(Ordering::Relaxed);
        self.ways[phase].lock().unwrap_or_else(PoisonError::into_inner).push(way);
    }

    /// Something that no game of the script should bring.
    pub fn wrong(&self, what: String) {
        self.wrong.lock().unwrap_or_else(PoisonError::into_inner).push(what);
    }

    /// The ways that were measured in a phase, in milliseconds, shortest first.
    pub fn ways(&self, phase: Phase) -> Vec<f64> {
        let ways = self.ways[phase as usize].lock().unwrap_or_else(PoisonError::into_inner);
        let mut ways: Vec<f64> = ways.iter().map(|way| f64::from(*way) / 1000.0).collect();
        ways.sort_by(f64::total_cmp);
        ways
    }

    /// How often something went wrong, and the first of it.
    pub fn complaints(&self) -> (usize, Option<String>) {
        let wrong = self.wrong.lock().unwrap_or_else(PoisonError::into_inner);
        (wrong.len(), wrong.first().cloned())
    }

    fn now(&self) -> u64 {
        u64::try_from(self.zero.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }
}

/// The value that this share of sorted ones does not exceed; 0 of none.
pub fn share(sorted: &[f64], share: f64) -> f64 {
    let at = (sorted.len() as f64 * share).ceil() as usize;
    sorted.get(at.saturating_sub(1)).copied().unwrap_or(0.0)
}
