//! The table against a plain map for one thread, and in every interleaving (loom) for two.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use proptest::prelude::*;

use super::*;

/// The actions of one thread of a model.
type Actions = &'static [Action];

#[derive(Clone, Copy)]
enum Action {
    Store(u64, u64),
    Probe(u64),
}

struct ModelWord(loom::sync::atomic::AtomicU64);

impl Word for ModelWord {
    fn zeros(count: usize) -> Option<Box<[Self]>> {
        Some((0..count).map(|_| Self(loom::sync::atomic::AtomicU64::new(0))).collect())
    }

    fn get(&self) -> u64 {
        self.0.load(loom::sync::atomic::Ordering::Relaxed)
    }

    fn set(&self, value: u64) {
        self.0.store(value, loom::sync::atomic::Ordering::Relaxed);
    }
}

/// Runs two threads in every interleaving. Each probe must return 0 or a value that a thread stores
/// under the same key. Returns all keys and values that were probed.
fn probed_by(threads: [Actions; 2]) -> HashSet<(u64, u64)> {
    let stored: HashSet<(u64, u64)> = threads
        .iter()
        .flat_map(|actions| actions.iter())
        .filter_map(|action| match action {
            Action::Store(key, value) => Some((*key, *value)),
            Action::Probe(_) => None,
        })
        .collect();
    let probed = Arc::new(std::sync::Mutex::new(HashSet::new()));
    let all = probed.clone();
    loom::model(move || {
        let table = loom::sync::Arc::new(LocklessTable::<ModelWord>::new(1).unwrap());
        let run = |actions: Actions| {
            let (table, stored, probed) = (table.clone(), stored.clone(), probed.clone());
            move || {
                for action in actions {
                    match *action {
                        Action::Store(key, value) => table.store(key, value),
                        Action::Probe(key) => {
                            let value = table.probe(key);
                            assert!(value == 0 || stored.contains(&(key, value)), "{key} {value}");
                            probed.lock().unwrap().insert((key, value));
                        }
                    }
                }
            }
        };
        let other = loom::thread::spawn(run(threads[1]));
        run(threads[0])();
        other.join().unwrap();
    });
    let probed = all.lock().unwrap();
    probed.clone()
}

#[test]
fn two_writers_of_one_key_are_never_mixed() {
    use Action::*;
    let probed = probed_by([&[Store(5, 1), Probe(5)], &[Store(5, 2), Probe(5)]]);
    assert!(probed.contains(&(5, 1)) && probed.contains(&(5, 2)), "{probed:?}");
    // The model also produces torn entries, which appear as absent.
    assert!(probed.contains(&(5, 0)), "{probed:?}");
}

#[test]
fn two_keys_are_never_mixed() {
    use Action::*;
    let probed = probed_by([&[Store(5, 1), Probe(6)], &[Store(6, 2), Probe(5)]]);
    for expected in [(5, 0), (5, 1), (6, 0), (6, 2)] {
        assert!(probed.contains(&expected), "{expected:?} of {probed:?}");
    }
}

#[test]
fn a_reader_beside_a_writer_sees_only_whole_entries() {
    use Action::*;
    let probed = probed_by([&[Store(5, 1), Store(6, 3), Store(5, 2)], &[Probe(5), Probe(6)]]);
    for expected in [(5, 0), (5, 1), (5, 2), (6, 0), (6, 3)] {
        assert!(probed.contains(&expected), "{expected:?} of {probed:?}");
    }
}

#[test]
fn a_key_stays_in_its_bucket_until_it_is_replaced() {
    let table = LocklessTable::<AtomicU64>::new(4).unwrap();
    assert_eq!(table.slots(), 4);
    let check = |key: u64, expected: u64| assert_eq!(table.probe(key), expected, "{key}");
    check(0, 0);
    table.store(0, 0);
    check(0, 0);
    (0..4).for_each(|key| table.store(key, key + 10));
    (0..4).for_each(|key| check(key, key + 10));
    table.store(2, 0);
    check(2, 12);
    table.store(2, u64::MAX);
    check(2, u64::MAX);
    (0..4).filter(|key| *key != 2).for_each(|key| check(key, key + 10));
    table.store(4, 99);
    check(4, 99);
    assert_eq!((0..4).filter(|key| table.probe(*key) == 0).count(), 1, "one was replaced");
}

#[test]
fn small_keys_are_spread() {
    let table = LocklessTable::<AtomicU64>::new(1 << 12).unwrap();
    let bucket = |key: u64| table.bucket(mix(key)).as_ptr() as usize;
    let buckets: HashSet<usize> = (0..1 << 10).map(bucket).collect();
    assert!(buckets.len() > 600, "{}", buckets.len());
    assert!(buckets.iter().all(|address| address % 64 == 0), "each is one cache line");
}

proptest! {
    #[test]
    fn a_single_thread_probes_its_last_value_or_nothing(
        actions in prop::collection::vec((any::<bool>(), 0_u64..40, 0_u64..5), 0..400),
        spread in any::<u64>(),
    ) {
        let table = LocklessTable::<AtomicU64>::new(16).unwrap();
        let mut map = HashMap::new();
        for (stores, key, value) in actions {
            let key = key.wrapping_mul(spread | 1);
            if stores {
                table.store(key, value);
                if value != 0 {
                    map.insert(key, value);
                    prop_assert_eq!(table.probe(key), value);
                }
            } else {
                let found = table.probe(key);
                prop_assert!(found == 0 || Some(&found) == map.get(&key));
            }
        }
        let kept = map.keys().filter(|key| table.probe(**key) != 0).count();
        prop_assert!(kept <= 16 && (map.len() > 4 || kept == map.len()));
    }
}
