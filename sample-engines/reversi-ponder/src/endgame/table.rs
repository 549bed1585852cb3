//! The solver's transposition table: proved bounds of scores, and best moves. Threads share it
//! without locks. It replaces the entries that are cheapest to prove again.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The value that means no move.
pub(super) const NO_MOVE: u8 = 64;

/// The entry of a position. Both bounds are proved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ProvedEntry {
    /// The score is at least this.
    pub(super) lower: i8,
    /// The score is at most this.
    pub(super) upper: i8,
    /// The move that reached `lower`, if that is known, and the previous best move; [`NO_MOVE`] if
    /// there is none.
    pub(super) moves: [u8; 2],
}

impl ProvedEntry {
    /// An entry without information.
    pub(super) const UNKNOWN: Self = Self { lower: -64, upper: 64, moves: [NO_MOVE; 2] };
}

/// A slot of two words. The first is the position's key XOR the second. If two threads have written
/// one word each, the slot matches neither key (Hyatt and Mann, "A Lock-less Transposition Table
/// Implementation for Parallel Search", 2002).
#[derive(Default)]
struct Slot {
    check: AtomicU64,
    /// From the lowest byte: lower, upper, two moves, generation, cost.
    data: AtomicU64,
}

/// Slots in one cache line; a position may be in any of them.
#[derive(Default)]
#[repr(align(64))]
struct Bucket([Slot; 4]);

/// The table; the number of buckets is a power of two.
pub(super) struct Table {
    buckets: Box<[Bucket]>,
    generation: u8,
}

/// The bucket of a position, and the check that distinguishes it from others there.
#[derive(Clone, Copy, Default)]
pub(super) struct Key {
    bucket: u64,
    check: u64,
}

impl Key {
    /// Bucket and check are two independent hashes of the discs: a collision of both is as unlikely
    /// as with one hash of 64 bits and the bits of the bucket.
    #[inline]
    pub(super) fn of(own: u64, opponent: u64) -> Self {
        let mix = |a: u64, b: u64| {
            let product = u128::from(own ^ a) * u128::from(opponent ^ b);
            (product >> 64) as u64 ^ product as u64
        };
        let check = own.wrapping_mul(0x9e37_79b9_7f4a_7c15)
            ^ opponent.rotate_left(32).wrapping_mul(0xd6e8_feb8_6659_fd93);
        Self {
            bucket: mix(0x2d35_8dcc_aa6c_78a5, 0x8bb8_4b93_962e_acc9),
            check: (check ^ check >> 32).wrapping_mul(0xff51_afd7_ed55_8ccd) ^ own.rotate_left(17),
        }
    }
}

impl Table {
    /// A table of at most this many bytes, but with at least one bucket.
    pub(super) fn new(bytes: usize) -> Self {
        let fitting = (bytes / size_of::<Bucket>()).max(1);
        let buckets = (0..1usize << fitting.ilog2()).map(|_| Bucket::default()).collect();
        Self { buckets, generation: 1 }
    }

    /// Starts a new task: older entries are replaced first.
    pub(super) fn age(&mut self) {
        self.generation = self.generation % 255 + 1;
    }

    /// Removes all entries.
    pub(super) fn clear(&mut self) {
        for slot in self.buckets.iter().flat_map(|bucket| &bucket.0) {
            slot.data.store(0, Relaxed);
            slot.check.store(0, Relaxed);
        }
    }

    #[inline]
    fn bucket(&self, key: Key) -> &Bucket {
        &self.buckets[key.bucket as usize & (self.buckets.len() - 1)]
    }

    /// Prefetches the bucket of a position: the result of this load is not used.
    #[inline]
    pub(super) fn prefetch(&self, key: Key) {
        let _ = self.bucket(key).0[0].check.load(Relaxed);
    }

    /// The entry of a position.
    #[inline]
    pub(super) fn get(&self, key: Key) -> Option<ProvedEntry> {
        self.bucket(key).0.iter().find_map(|slot| {
            let data = slot.data.load(Relaxed);
            (slot.check.load(Relaxed) ^ data == key.check && data != 0).then(|| unpack(data))
        })
    }

    /// Stores the move to search first, unless a move with a lower bound is stored.
    pub(super) fn suggest_move(&self, key: Key, first: u8) {
        self.put(key, 64, -64, 0, first, u8::MAX);
    }

    /// Adds the result of a search with the window from `alpha` to `beta`, and its best move.
    /// `cost` is the logarithm of the nodes spent.
    pub(super) fn put(&self, key: Key, alpha: i32, beta: i32, score: i32, best: u8, cost: u8) {
        let bucket = self.bucket(key);
        let mut worst = (&bucket.0[0], u32::MAX);
        let mut entry = ProvedEntry::UNKNOWN;
        for slot in &bucket.0 {
            let data = slot.data.load(Relaxed);
            if data != 0 && slot.check.load(Relaxed) ^ data == key.check {
                entry = unpack(data);
                worst.0 = slot;
                break;
            }
            let [.., generation, slot_cost, _, _] = data.to_le_bytes();
            let age = self.generation.wrapping_sub(generation);
            let value =
                if data == 0 { 0 } else { 1 + u32::from(slot_cost) + (u32::from(255 - age) << 8) };
            if value < worst.1 {
                worst = (slot, value);
            }
        }
        if score > alpha {
            if best != entry.moves[0] {
                entry.moves = [best, entry.moves[0]];
            }
            entry.lower = entry.lower.max(score as i8);
        } else if entry.lower == -64 && best != entry.moves[0] {
            entry.moves = [best, entry.moves[0]];
        }
        if score < beta {
            entry.upper = entry.upper.min(score as i8);
        }
        let [first, second] = entry.moves;
        let data = u64::from_le_bytes([
            entry.lower as u8,
            entry.upper as u8,
            first,
            second,
            self.generation,
            cost,
            0,
            0,
        ]);
        worst.0.data.store(data, Relaxed);
        worst.0.check.store(key.check ^ data, Relaxed);
    }
}

fn unpack(data: u64) -> ProvedEntry {
    let [lower, upper, first, second, ..] = data.to_le_bytes();
    ProvedEntry { lower: lower as i8, upper: upper as i8, moves: [first, second] }
}
