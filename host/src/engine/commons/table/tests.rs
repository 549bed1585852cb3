//! What a table keeps; against a slow twin for one thread, and by every order of events
//! (loom) for two.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use proptest::prelude::*;

use super::*;

/// Threads of a model, each a list of what it does.
type Deeds = &'static [Deed];

#[derive(Clone, Copy)]
enum Deed {
    Store(u64, u64),
    Probe(u64),
}

struct Modelled(loom::sync::atomic::AtomicU64);

impl Word for Modelled {
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

/// In every order, and whatever each thread sees of the other: a probe brings 0 or a value
/// that somebody stores under that very key. What was brought at all is given back.
fn seen_of(threads: [Deeds; 2]) -> HashSet<(u64, u64)> {
    let stored: HashSet<(u64, u64)> = threads
        .iter()
        .flat_map(|deeds| deeds.iter())
        .filter_map(|deed| match deed {
            Deed::Store(key, value) => Some((*key, *value)),
            Deed::Probe(_) => None,
        })
        .collect();
    let seen = Arc::new(std::sync::Mutex::new(HashSet::new()));
    let all = seen.clone();
    loom::model(move || {
        let table = loom::sync::Arc::new(Table::<Modelled>::new(1).unwrap());
        let act = |deeds: Deeds| {
            let (table, stored, seen) = (table.clone(), stored.clone(), seen.clone());
            move || {
                for deed in deeds {
                    match *deed {
                        Deed::Store(key, value) => table.store(key, value),
                        Deed::Probe(key) => {
                            let value = table.probe(key);
                            assert!(value == 0 || stored.contains(&(key, value)), "{key} {value}");
                            seen.lock().unwrap().insert((key, value));
                        }
                    }
                }
            }
        };
        let other = loom::thread::spawn(act(threads[1]));
        act(threads[0])();
        other.join().unwrap();
    });
    let seen = all.lock().unwrap();
    seen.clone()
}

#[test]
fn two_writers_of_one_key_are_never_mixed() {
    use Deed::*;
    let seen = seen_of([&[Store(5, 1), Probe(5)], &[Store(5, 2), Probe(5)]]);
    assert!(seen.contains(&(5, 1)) && seen.contains(&(5, 2)), "{seen:?}");
    // What is torn is seen as absent, and the model does come to it.
    assert!(seen.contains(&(5, 0)), "{seen:?}");
}

#[test]
fn two_keys_are_never_mixed() {
    use Deed::*;
    let seen = seen_of([&[Store(5, 1), Probe(6)], &[Store(6, 2), Probe(5)]]);
    for expected in [(5, 0), (5, 1), (6, 0), (6, 2)] {
        assert!(seen.contains(&expected), "{expected:?} of {seen:?}");
    }
}

#[test]
fn a_reader_beside_a_writer_sees_what_was_whole() {
    use Deed::*;
    let seen = seen_of([&[Store(5, 1), Store(6, 3), Store(5, 2)], &[Probe(5), Probe(6)]]);
    for expected in [(5, 0), (5, 1), (5, 2), (6, 0), (6, 3)] {
        assert!(seen.contains(&expected), "{expected:?} of {seen:?}");
    }
}

#[test]
fn a_key_is_in_its_bucket_until_others_need_the_place() {
    let table = Table::<AtomicU64>::new(4).unwrap();
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
    assert_eq!((0..4).filter(|key| table.probe(*key) == 0).count(), 1, "one has made room");
}

#[test]
fn small_keys_are_spread() {
    let table = Table::<AtomicU64>::new(1 << 12).unwrap();
    let bucket = |key: u64| table.bucket(mixed(key)).as_ptr() as usize;
    let buckets: HashSet<usize> = (0..1 << 10).map(bucket).collect();
    assert!(buckets.len() > 600, "{}", buckets.len());
    assert!(buckets.iter().all(|place| place % 64 == 0), "each in one line of the cache");
}

proptest! {
    #[test]
    fn a_single_thread_sees_what_it_stored_last_or_nothing(
        deeds in prop::collection::vec((any::<bool>(), 0_u64..40, 0_u64..5), 0..400),
        spread in any::<u64>(),
    ) {
        let table = Table::<AtomicU64>::new(16).unwrap();
        let mut twin = HashMap::new();
        for (stores, key, value) in deeds {
            let key = key.wrapping_mul(spread | 1);
            if stores {
                table.store(key, value);
                if value != 0 {
                    twin.insert(key, value);
                    prop_assert_eq!(table.probe(key), value);
                }
            } else {
                let found = table.probe(key);
                prop_assert!(found == 0 || Some(&found) == twin.get(&key));
            }
        }
        let kept = twin.keys().filter(|key| table.probe(**key) != 0).count();
        prop_assert!(kept <= 16 && (twin.len() > 4 || kept == twin.len()));
    }
}
