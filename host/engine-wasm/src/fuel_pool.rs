//! Charges the fuel that helpers burn during a leader's call to the leader, so that the limit of
//! the call holds for all instances together. Amounts are in parts of a unit. Interrupts nothing.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Fuel that helpers have burned and their leader has not been charged for yet. Clones share it.
#[derive(Clone, Default)]
pub(crate) struct FuelPool(Arc<AtomicU64>);

/// How an instance takes part in a pool.
#[derive(Default)]
pub(crate) enum FuelRole {
    /// Searches alone, without a pool.
    #[default]
    Single,
    /// Is charged for its helpers.
    Leader {
        /// The pool of the team.
        pool: FuelPool,
        /// Whether the pool exceeded what was left of the current call's fuel.
        overdrawn: bool,
    },
    /// Reports what it burns.
    Helper {
        /// The pool of the team.
        pool: FuelPool,
        /// What was reported of the current call; none: the call is not charged to the leader.
        reported: Option<u64>,
    },
}

impl FuelPool {
    /// Empties the pool at the beginning of a call of the team.
    pub(crate) fn reset(&self) {
        self.0.store(0, Ordering::SeqCst);
    }
}

impl FuelRole {
    /// Begins a call; `charge_leader`: whether a helper's fuel in this call is charged.
    pub(crate) fn begin(&mut self, charge_leader: bool) {
        match self {
            Self::Single => (),
            Self::Leader { overdrawn, .. } => *overdrawn = false,
            Self::Helper { reported, .. } => *reported = charge_leader.then_some(0),
        }
    }

    /// Charges the pool to a leader, or reports a helper's fuel to the pool. The call was `given`
    /// fuel, of which `left` remains. Returns what remains afterwards.
    #[inline]
    pub(crate) fn settle(&mut self, given: u64, left: u64) -> u64 {
        match self {
            Self::Single => left,
            Self::Leader { pool, overdrawn } => {
                let due = pool.0.swap(0, Ordering::SeqCst);
                *overdrawn |= due > left;
                left.saturating_sub(due)
            }
            Self::Helper { pool, reported } => {
                if let Some(reported) = reported {
                    let burned = given.saturating_sub(left);
                    pool.0.fetch_add(burned.saturating_sub(*reported), Ordering::SeqCst);
                    *reported = burned;
                }
                left
            }
        }
    }

    /// Whether helpers burned more during the current call than the leader had left.
    pub(crate) fn is_overdrawn(&self) -> bool {
        matches!(self, Self::Leader { overdrawn: true, .. })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_leader_is_charged_once_for_what_its_helpers_burn() {
        let pool = FuelPool::default();
        let mut leader = FuelRole::Leader { pool: pool.clone(), overdrawn: false };
        let helper = || FuelRole::Helper { pool: pool.clone(), reported: None };
        let (mut first, mut second) = (helper(), helper());
        [&mut leader, &mut first, &mut second].into_iter().for_each(|role| role.begin(true));
        assert_eq!(leader.settle(1000, 900), 900);
        assert_eq!(first.settle(500, 450), 450);
        assert_eq!(first.settle(500, 400), 400);
        assert_eq!(second.settle(500, 470), 470);
        assert_eq!(leader.settle(1000, 890), 760);
        assert_eq!(leader.settle(1000, 760), 760);
        assert!(!leader.is_overdrawn());
        assert_eq!(second.settle(500, 0), 0);
        assert_eq!(leader.settle(1000, 470), 0);
        assert!(!leader.is_overdrawn(), "exactly used up");
        assert_eq!(first.settle(500, 399), 399);
        assert_eq!(leader.settle(1000, 0), 0);
        assert!(leader.is_overdrawn());
    }

    #[test]
    fn fuel_of_uncharged_calls_is_not_reported() {
        let pool = FuelPool::default();
        let mut leader = FuelRole::Leader { pool: pool.clone(), overdrawn: false };
        let mut helper = FuelRole::Helper { pool: pool.clone(), reported: None };
        helper.begin(false);
        assert_eq!(helper.settle(500, 10), 10);
        assert_eq!(leader.settle(100, 100), 100);
        helper.begin(true);
        helper.settle(500, 400);
        pool.reset();
        assert_eq!(leader.settle(100, 100), 100, "the fuel belongs to the last call");
        let mut single = FuelRole::Single;
        single.begin(true);
        assert_eq!(single.settle(10, 3), 3);
    }
}
