//! Limits concurrent uploads of entries, which are held in memory. Each entrant has one slot at
//! most, so that slow senders cannot block others.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use tokio::sync::{Semaphore, SemaphorePermit};

/// The upload slots of all contests.
pub(crate) struct UploadSlots {
    permits: Semaphore,
    /// Contests and entrants that hold or await a slot.
    claims: Mutex<BTreeSet<(String, String)>>,
}

/// A slot; dropping it frees it.
pub(crate) struct UploadSlot<'a> {
    _claim: Claim<'a>,
    _permit: Option<SemaphorePermit<'a>>,
}

struct Claim<'a> {
    slots: &'a UploadSlots,
    who: (String, String),
}

impl UploadSlots {
    /// Creates this many slots.
    pub(crate) fn new(permits: usize) -> Self {
        Self { permits: Semaphore::new(permits), claims: Mutex::default() }
    }

    /// Waits for a slot. None: this entrant holds or awaits one already.
    pub(crate) async fn take(&self, contest: &str, entrant: &str) -> Option<UploadSlot<'_>> {
        let who = (contest.to_owned(), entrant.to_owned());
        if !self.claims().insert(who.clone()) {
            return None;
        }
        let claim = Claim { slots: self, who };
        // The semaphore is never closed.
        let permit = self.permits.acquire().await.ok();
        Some(UploadSlot { _claim: claim, _permit: permit })
    }

    fn claims(&self) -> std::sync::MutexGuard<'_, BTreeSet<(String, String)>> {
        self.claims.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        self.slots.claims().remove(&self.who);
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    #[test]
    fn each_entrant_has_one_slot() {
        let slots = UploadSlots::new(2);
        let now = |contest, entrant| slots.take(contest, entrant).now_or_never();
        let ann = now("autumn", "ann").unwrap().unwrap();
        assert!(now("autumn", "ann").unwrap().is_none());
        let elsewhere = now("spring", "ann").unwrap();
        assert!(elsewhere.is_some());
        // All slots are taken, and cancelling a wait leaves no claim behind.
        assert!(now("autumn", "bob").is_none());
        drop(elsewhere);
        assert!(now("autumn", "bob").unwrap().is_some());
        drop(ann);
        assert!(now("autumn", "ann").unwrap().is_some());
    }
}
