//! A slot that threads share without a lock. It has two words, and the first is the hash XOR the
//! second. If two threads have written one word each, the slot matches neither hash (R. Hyatt and
//! T. Mann, "A Lock-less Transposition Table Implementation for Parallel Search", 2002).

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// A word that threads share, without ordering between words.
pub(super) trait Word: Default {
    fn get(&self) -> u64;
    fn set(&self, value: u64);
}

impl Word for AtomicU64 {
    #[inline]
    fn get(&self) -> u64 {
        self.load(Relaxed)
    }
    #[inline]
    fn set(&self, value: u64) {
        self.store(value, Relaxed);
    }
}

/// Two words; the slot is empty if the second is 0.
#[derive(Debug, Default)]
pub(super) struct Slot<W = AtomicU64> {
    check: W,
    data: W,
}

impl<W: Word> Slot<W> {
    /// The stored hash and data. If two threads have written at once, the hash very likely matches
    /// no position.
    #[inline]
    pub(super) fn read(&self) -> (u64, u64) {
        let data = self.data.get();
        (self.check.get() ^ data, data)
    }

    #[inline]
    pub(super) fn write(&self, hash: u64, data: u64) {
        self.data.set(data);
        self.check.set(hash ^ data);
    }
}

/// Two adjacent slots in one cache line.
#[derive(Debug, Default)]
#[repr(align(32))]
pub(super) struct Pair(pub(super) [Slot; 2]);

impl Pair {
    /// Starts to load the pair into the cache.
    #[inline]
    pub(super) fn prefetch(&self) {
        #[cfg(all(target_arch = "x86_64", target_feature = "sse"))]
        #[allow(unsafe_code)]
        // SAFETY: by the condition above the processor has the instruction. It has no effect that
        // the program can observe, and accepts any address.
        unsafe {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(self).cast());
        }
        #[cfg(not(all(target_arch = "x86_64", target_feature = "sse")))]
        std::hint::black_box(self.0[0].read());
    }
}

#[cfg(test)]
mod tests {
    use loom::sync::Arc;
    use loom::sync::atomic::Ordering::Relaxed;
    use loom::thread;

    use super::*;

    impl Word for loom::sync::atomic::AtomicU64 {
        fn get(&self) -> u64 {
            self.load(Relaxed)
        }
        fn set(&self, value: u64) {
            self.store(value, Relaxed);
        }
    }

    type Shared = Slot<loom::sync::atomic::AtomicU64>;

    /// Hashes and their data; no XOR of three of these words is a fourth one.
    const STORED: [(u64, u64); 2] = [(0x10, 0x1), (0x20, 0x2)];

    /// Runs two writing threads and a reading one, in every order that the memory model allows.
    fn for_every_order(
        write: fn(&Shared, u64, u64),
        read: fn(&Shared) -> (u64, u64),
        check: fn((u64, u64)),
    ) {
        loom::model(move || {
            let slot = Arc::new(Shared::default());
            let writers = [0, 1].map(|writer| {
                let slot = slot.clone();
                let (hash, data) = STORED[writer];
                thread::spawn(move || write(&slot, hash, data))
            });
            check(read(&slot));
            writers.into_iter().for_each(|writer| writer.join().expect("a writer panicked"));
            check(read(&slot));
        });
    }

    /// Fails if a stored hash comes with other data than its own.
    fn check_consistent((hash, data): (u64, u64)) {
        let known = STORED.iter().any(|stored| stored.0 == hash);
        assert!(data == 0 || !known || STORED.contains(&(hash, data)), "{data} under {hash}");
    }

    #[test]
    fn readers_never_see_half_written_slots() {
        for_every_order(Shared::write, Shared::read, check_consistent);
    }

    #[test]
    #[should_panic(expected = " under ")]
    fn without_xor_readers_see_half_written_slots() {
        let write = |slot: &Shared, hash, data| {
            slot.data.set(data);
            slot.check.set(hash);
        };
        for_every_order(write, |slot| (slot.check.get(), slot.data.get()), check_consistent);
    }
}
