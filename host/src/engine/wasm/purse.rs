//! Fuel of a team: what its helpers burn while the leader's call runs is taken off the
//! leader's fuel, so that all together have what the call has. Counts in the runtime's
//! parts of a unit; interrupts nobody.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// What helpers have burnt that their leader has not paid for yet; shared.
#[derive(Clone, Default)]
pub struct Purse(Arc<AtomicU64>);

/// What an instance does about the fuel of others.
#[derive(Default)]
pub enum Share {
    /// Nothing: it is alone.
    #[default]
    Alone,
    /// It pays.
    Leads {
        /// For these.
        purse: Purse,
        /// Whether there was more to pay in the call than it had.
        overdrawn: bool,
    },
    /// It tells what it burns.
    Helps {
        /// There.
        purse: Purse,
        /// What it has told of the call; none: the call is nobody's account.
        told: Option<u64>,
    },
}

impl Purse {
    /// A call of the team begins: what was left unpaid before is forgotten.
    pub fn empty(&self) {
        self.0.store(0, Ordering::SeqCst);
    }
}

impl Share {
    /// A call begins; `on_account`: what a helper burns in it is the leader's to pay.
    pub fn begin(&mut self, on_account: bool) {
        match self {
            Self::Alone => (),
            Self::Leads { overdrawn, .. } => *overdrawn = false,
            Self::Helps { told, .. } => *told = on_account.then_some(0),
        }
    }

    /// Of what a call was `given`, so much is `left`; what is left after others are paid.
    #[inline]
    pub fn settle(&mut self, given: u64, left: u64) -> u64 {
        match self {
            Self::Alone => left,
            Self::Leads { purse, overdrawn } => {
                let due = purse.0.swap(0, Ordering::SeqCst);
                *overdrawn |= due > left;
                left.saturating_sub(due)
            }
            Self::Helps { purse, told } => {
                if let Some(told) = told {
                    let burnt = given.saturating_sub(left);
                    purse.0.fetch_add(burnt.saturating_sub(*told), Ordering::SeqCst);
                    *told = burnt;
                }
                left
            }
        }
    }

    /// Whether helpers have burnt more in the call than the leader had left for them.
    pub fn is_overdrawn(&self) -> bool {
        matches!(self, Self::Leads { overdrawn: true, .. })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_leader_pays_for_what_its_helpers_burn_once() {
        let purse = Purse::default();
        let mut leader = Share::Leads { purse: purse.clone(), overdrawn: false };
        let helper = || Share::Helps { purse: purse.clone(), told: None };
        let (mut one, mut other) = (helper(), helper());
        [&mut leader, &mut one, &mut other].into_iter().for_each(|share| share.begin(true));
        assert_eq!(leader.settle(1000, 900), 900);
        assert_eq!(one.settle(500, 450), 450);
        assert_eq!(one.settle(500, 400), 400);
        assert_eq!(other.settle(500, 470), 470);
        assert_eq!(leader.settle(1000, 890), 760);
        assert_eq!(leader.settle(1000, 760), 760);
        assert!(!leader.is_overdrawn());
        assert_eq!(other.settle(500, 0), 0);
        assert_eq!(leader.settle(1000, 470), 0);
        assert!(!leader.is_overdrawn(), "to the last part");
        assert_eq!(one.settle(500, 399), 399);
        assert_eq!(leader.settle(1000, 0), 0);
        assert!(leader.is_overdrawn());
    }

    #[test]
    fn what_is_on_nobodys_account_is_not_told() {
        let purse = Purse::default();
        let mut leader = Share::Leads { purse: purse.clone(), overdrawn: false };
        let mut helper = Share::Helps { purse: purse.clone(), told: None };
        helper.begin(false);
        assert_eq!(helper.settle(500, 10), 10);
        assert_eq!(leader.settle(100, 100), 100);
        helper.begin(true);
        helper.settle(500, 400);
        purse.empty();
        assert_eq!(leader.settle(100, 100), 100, "the last call's");
        let mut alone = Share::Alone;
        alone.begin(true);
        assert_eq!(alone.settle(10, 3), 3);
    }
}
