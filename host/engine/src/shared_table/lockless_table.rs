//! A hash table from 64 bits to 64 bits for any number of threads, without locks. Does not
//! interpret the values.
//!
//! Each slot has two words: the value, and the mixed key XORed with it. So halves of two different
//! writes do not match (Hyatt and Mann, "A lockless transposition table implementation for parallel
//! search", ICGA Journal 25, 2002). Keys are mixed, because small keys and values XORed with each
//! other could match. A torn entry is treated as absent, except with a probability of 2^-64.

use std::sync::atomic::{AtomicU64, Ordering};

/// Slots of a bucket, which is one cache line of the processor.
const BUCKET_SLOTS: usize = 4;
/// Words of a slot: its check, then its value.
const SLOT_WORDS: usize = 2;
/// Words of a bucket.
const BUCKET_WORDS: usize = BUCKET_SLOTS * SLOT_WORDS;
/// Bytes of a slot.
pub(super) const SLOT_BYTES: u64 = (SLOT_WORDS * size_of::<u64>()) as u64;

/// Words of the smallest memory page of any system.
const PAGE_WORDS: usize = 4096 / size_of::<u64>();

/// A word that threads share. Accesses do not order those to other words.
pub(super) trait Word: Sized {
    /// Allocates words with the value 0. None: the system lacks memory.
    fn zeros(count: usize) -> Option<Box<[Self]>>;
    /// Loads the word.
    fn get(&self) -> u64;
    /// Stores the word.
    fn set(&self, value: u64);
}

impl Word for AtomicU64 {
    fn zeros(count: usize) -> Option<Box<[Self]>> {
        let words: Box<[Self]> = bytemuck::allocation::try_zeroed_slice_box(count).ok()?;
        // Writes to each page before the search. Otherwise the first write to a page that two
        // threads have read interrupts the other thread, thousands of times.
        words.iter().step_by(PAGE_WORDS).for_each(|word| word.store(0, Ordering::Relaxed));
        Some(words)
    }

    #[inline]
    fn get(&self) -> u64 {
        self.load(Ordering::Relaxed)
    }

    #[inline]
    fn set(&self, value: u64) {
        self.store(value, Ordering::Relaxed);
    }
}

/// A table of a fixed size.
pub(super) struct LocklessTable<W> {
    words: Box<[W]>,
    /// Words before the first bucket, so that each bucket is one cache line.
    skipped: usize,
    buckets: u64,
}

impl<W: Word> LocklessTable<W> {
    /// An empty table with `slots` slots, a power of two and at least one bucket. None: the system
    /// lacks memory.
    pub(super) fn new(slots: u64) -> Option<Self> {
        let buckets = usize::try_from(slots).ok()?.div_ceil(BUCKET_SLOTS).max(1);
        let words = W::zeros(buckets.checked_mul(BUCKET_WORDS)?.checked_add(BUCKET_WORDS - 1)?)?;
        let to_cache_line = words.as_ptr().align_offset(BUCKET_WORDS * size_of::<u64>());
        let skipped = to_cache_line.min(BUCKET_WORDS - 1);
        Some(Self { words, skipped, buckets: buckets as u64 })
    }

    /// Number of slots.
    pub(super) fn slots(&self) -> u64 {
        self.buckets * BUCKET_SLOTS as u64
    }

    /// The value of a key; 0 if there is none, or if it was replaced.
    #[inline]
    pub(super) fn probe(&self, key: u64) -> u64 {
        let mixed = mix(key);
        for slot in self.bucket(mixed).chunks_exact(SLOT_WORDS) {
            let value = slot[1].get();
            if value != 0 && slot[0].get() ^ value == mixed {
                return value;
            }
        }
        0
    }

    /// Stores a value under a key: in the key's slot, else in an empty slot of the bucket, else in
    /// the slot that the key selects. 0 is not stored.
    #[inline]
    pub(super) fn store(&self, key: u64, value: u64) {
        if value == 0 {
            return;
        }
        let mixed = mix(key);
        let bucket = self.bucket(mixed);
        let mut target = (mixed >> 8) as usize % BUCKET_SLOTS;
        let mut is_empty = false;
        for (index, slot) in bucket.chunks_exact(SLOT_WORDS).enumerate() {
            let stored = slot[1].get();
            if stored == 0 {
                if !is_empty {
                    (target, is_empty) = (index, true);
                }
            } else if slot[0].get() ^ stored == mixed {
                target = index;
                break;
            }
        }
        bucket[target * SLOT_WORDS].set(mixed ^ value);
        bucket[target * SLOT_WORDS + 1].set(value);
    }

    /// The words of a mixed key's bucket. The upper bits select it, because mixing is best there.
    #[inline]
    fn bucket(&self, mixed: u64) -> &[W] {
        let index = ((u128::from(mixed) * u128::from(self.buckets)) >> 64) as usize;
        let from = self.skipped + index * BUCKET_WORDS;
        &self.words[from..from + BUCKET_WORDS]
    }
}

/// Spreads keys, which may be small numbers or hashes, over 64 bits: Fibonacci hashing, a bijection
/// (Knuth, TAOCP 6.4).
#[inline]
fn mix(key: u64) -> u64 {
    key.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

#[cfg(test)]
mod tests;
