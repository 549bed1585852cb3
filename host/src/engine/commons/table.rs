//! A table from 64 bits to 64 bits that any number of threads read and write without a
//! lock: each slot is two words, the value and the mixed key XORed with it, so that halves
//! of two writes do not pass for one (Hyatt and Mann, "A lockless transposition table
//! implementation for parallel search", ICGA Journal 25, 2002; the key is mixed since small
//! keys and values, XORed alone, pass for each other). What is torn is as good as absent,
//! but for one chance in 2^64. Values mean nothing here.

use std::sync::atomic::{AtomicU64, Ordering};

/// Slots that a key may be in: those of one line of the processor's cache.
const BUCKET: usize = 4;
/// A slot: its check, then its value.
const WORDS: usize = 2;
/// Words of a bucket.
const STRIDE: usize = BUCKET * WORDS;
/// Bytes of a slot.
pub const SLOT_BYTES: u64 = (WORDS * size_of::<u64>()) as u64;

/// Words of the smallest page that systems have.
const PAGE_WORDS: usize = 4096 / size_of::<u64>();

/// A word that threads share.
pub trait Word: Sized {
    /// So many words, all 0; none: there is no memory for them.
    fn zeros(count: usize) -> Option<Box<[Self]>>;
    /// Reads it; nothing is said of other words.
    fn get(&self) -> u64;
    /// Writes it; nothing is said of other words.
    fn set(&self, value: u64);
}

impl Word for AtomicU64 {
    fn zeros(count: usize) -> Option<Box<[Self]>> {
        let words: Box<[Self]> = bytemuck::allocation::try_zeroed_slice_box(count).ok()?;
        // Each page is written once before anybody searches: a page that two threads have read
        // and one then writes makes the system interrupt the other, thousands of times.
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

/// The table; its size never changes.
pub struct Table<W> {
    words: Box<[W]>,
    /// Words before the first bucket, so that each is in one line of the cache.
    skipped: usize,
    buckets: u64,
}

impl<W: Word> Table<W> {
    /// An empty table of so many slots, at least a bucket; a power of two. None: there is no memory for it.
    pub fn new(slots: u64) -> Option<Self> {
        let buckets = usize::try_from(slots).ok()?.div_ceil(BUCKET).max(1);
        let words = W::zeros(buckets.checked_mul(STRIDE)?.checked_add(STRIDE - 1)?)?;
        let skipped = words.as_ptr().align_offset(STRIDE * size_of::<u64>()).min(STRIDE - 1);
        Some(Self { words, skipped, buckets: buckets as u64 })
    }

    /// How many slots it has.
    pub fn slots(&self) -> u64 {
        self.buckets * BUCKET as u64
    }

    /// What was stored under this key; 0: nothing, or it is gone.
    #[inline]
    pub fn probe(&self, key: u64) -> u64 {
        let mixed = mixed(key);
        for slot in self.bucket(mixed).chunks_exact(WORDS) {
            let value = slot[1].get();
            if value != 0 && slot[0].get() ^ value == mixed {
                return value;
            }
        }
        0
    }

    /// Stores a value under a key: over the key's own, else where nothing is, else in the
    /// slot that the key names. 0 stores nothing.
    #[inline]
    pub fn store(&self, key: u64, value: u64) {
        if value == 0 {
            return;
        }
        let mixed = mixed(key);
        let bucket = self.bucket(mixed);
        let mut taken = (mixed >> 8) as usize % BUCKET;
        let mut is_free = false;
        for (index, slot) in bucket.chunks_exact(WORDS).enumerate() {
            let held = slot[1].get();
            if held == 0 {
                if !is_free {
                    (taken, is_free) = (index, true);
                }
            } else if slot[0].get() ^ held == mixed {
                taken = index;
                break;
            }
        }
        bucket[taken * WORDS].set(mixed ^ value);
        bucket[taken * WORDS + 1].set(value);
    }

    /// The words of the bucket of a mixed key, whose upper bits are the best.
    #[inline]
    fn bucket(&self, mixed: u64) -> &[W] {
        let index = ((u128::from(mixed) * u128::from(self.buckets)) >> 64) as usize;
        let from = self.skipped + index * STRIDE;
        &self.words[from..from + STRIDE]
    }
}

/// Keys may be small numbers as well as hashes: each goes to one of its own that is like a
/// hash (by the golden ratio, as in Knuth, TAOCP 6.4).
#[inline]
fn mixed(key: u64) -> u64 {
    key.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

#[cfg(test)]
mod tests;
