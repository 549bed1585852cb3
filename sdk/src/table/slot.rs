//! A slot that threads share without a lock: two words, the first of them the hash mixed with
//! the second, so that a slot of which two threads wrote one word each is nobody's (R. Hyatt
//! and T. Mann, "A Lock-less Transposition Table Implementation for Parallel Search", 2002).

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// A word that threads share, in no order with any other.
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

/// Two words; nothing is known where the second is 0.
#[derive(Debug, Default)]
pub(super) struct Slot<W = AtomicU64> {
    check: W,
    data: W,
}

impl<W: Word> Slot<W> {
    /// The hash under which something was stored, and that; what two threads wrote at once has
    /// a hash that nobody asks for, in all likelihood.
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

/// Two slots side by side, which no border of cache lines parts.
#[derive(Debug, Default)]
#[repr(align(32))]
pub(super) struct Pair(pub(super) [Slot; 2]);

impl Pair {
    /// Lets its memory come while something else is done.
    #[inline]
    pub(super) fn fetch(&self) {
        #[cfg(all(target_arch = "x86_64", target_feature = "sse"))]
        #[allow(unsafe_code)]
        // SAFETY: the processor has the instruction, by the condition above; it reads nothing
        // that the program could see, and nothing is asked of the address.
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

    /// What is stored, by hash; no exclusive or of three of these words is a fourth.
    const STORED: [(u64, u64); 2] = [(0x10, 0x1), (0x20, 0x2)];

    /// Two threads write while a third reads, in every order that memory allows.
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
            writers.into_iter().for_each(|writer| writer.join().expect("it ends"));
            check(read(&slot));
        });
    }

    /// Under a hash that was stored there is nothing but what was stored under it.
    fn check_whole((hash, data): (u64, u64)) {
        let known = STORED.iter().any(|stored| stored.0 == hash);
        assert!(data == 0 || !known || STORED.contains(&(hash, data)), "{data} under {hash}");
    }

    #[test]
    fn no_thread_reads_half_of_what_another_wrote() {
        for_every_order(Shared::write, Shared::read, check_whole);
    }

    #[test]
    #[should_panic(expected = " under ")]
    fn words_that_are_not_mixed_are_told_from_whole_ones_by_nothing() {
        let write = |slot: &Shared, hash, data| {
            slot.data.set(data);
            slot.check.set(hash);
        };
        for_every_order(write, |slot| (slot.check.get(), slot.data.get()), check_whole);
    }
}
