//! Seats for entries on their way: so many at once, since each is held in memory meanwhile, and one for each entrant, so that
//! nobody who sends slowly takes those of others.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use tokio::sync::{Semaphore, SemaphorePermit};

/// The seats.
pub struct Arriving {
    seats: Semaphore,
    /// Who has one or waits for one: contest and entrant.
    whose: Mutex<BTreeSet<(String, String)>>,
}

/// A seat, until it is dropped.
pub struct Seat<'a> {
    _waits: Waits<'a>,
    _permit: Option<SemaphorePermit<'a>>,
}

struct Waits<'a> {
    arriving: &'a Arriving,
    who: (String, String),
}

impl Arriving {
    /// So many.
    pub fn new(seats: usize) -> Self {
        Self { seats: Semaphore::new(seats), whose: Mutex::default() }
    }

    /// A seat, as soon as there is one. None: this entrant has one already, or waits for it.
    pub async fn take(&self, contest: &str, entrant: &str) -> Option<Seat<'_>> {
        let who = (contest.to_owned(), entrant.to_owned());
        if !self.whose().insert(who.clone()) {
            return None;
        }
        let waits = Waits { arriving: self, who };
        // Nobody closes it.
        let permit = self.seats.acquire().await.ok();
        Some(Seat { _waits: waits, _permit: permit })
    }

    fn whose(&self) -> std::sync::MutexGuard<'_, BTreeSet<(String, String)>> {
        self.whose.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Waits<'_> {
    fn drop(&mut self) {
        self.arriving.whose().remove(&self.who);
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    #[test]
    fn one_seat_for_each() {
        let arriving = Arriving::new(2);
        let now = |contest, entrant| arriving.take(contest, entrant).now_or_never();
        let ann = now("autumn", "ann").unwrap().unwrap();
        assert!(now("autumn", "ann").unwrap().is_none());
        let elsewhere = now("spring", "ann").unwrap();
        assert!(elsewhere.is_some());
        // Both are taken: who waits for one and leaves has none.
        assert!(now("autumn", "bob").is_none());
        drop(elsewhere);
        assert!(now("autumn", "bob").unwrap().is_some());
        drop(ann);
        assert!(now("autumn", "ann").unwrap().is_some());
    }
}
