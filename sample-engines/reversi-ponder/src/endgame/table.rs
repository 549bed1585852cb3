//! What is proved of positions: bounds of the score and the moves that did best.
//! Shared by threads without locks; forgets what is cheapest to find again.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// No move.
pub(super) const NO_MOVE: u8 = 64;

/// What is known of a position. Both bounds hold for ever: they are proved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Known {
    /// The score is at least this.
    pub(super) lower: i8,
    /// The score is at most this.
    pub(super) upper: i8,
    /// The move that reached `lower`, if anything is known from below, and the one
    /// before it; [`NO_MOVE`] where there is none.
    pub(super) moves: [u8; 2],
}

impl Known {
    /// Nothing.
    pub(super) const NOTHING: Self = Self { lower: -64, upper: 64, moves: [NO_MOVE; 2] };
}

/// A slot of two words. The first is the key of the position, mixed with the second:
/// a slot of which two threads wrote one word each is nobody's (Hyatt and Mann, "A
/// Lock-less Transposition Table Implementation for Parallel Search", 2002).
#[derive(Default)]
struct Slot {
    check: AtomicU64,
    /// From the lowest byte: lower, upper, two moves, generation, cost.
    data: AtomicU64,
}

/// Slots that share a line of the cache: a position may be in any of them.
#[derive(Default)]
#[repr(align(64))]
struct Bucket([Slot; 4]);

/// A table of a power of two of buckets.
pub(super) struct Table {
    buckets: Box<[Bucket]>,
    generation: u8,
}

/// Where a position is, and how it is told from others that are there.
#[derive(Clone, Copy, Default)]
pub(super) struct Key {
    place: u64,
    check: u64,
}

impl Key {
    /// Place and check are two independent mixtures of the discs: that two positions
    /// share both is as unlikely as for a hash of 64 bits and the bits of the place.
    #[inline]
    pub(super) fn of(own: u64, opponent: u64) -> Self {
        let mix = |a: u64, b: u64| {
            let product = u128::from(own ^ a) * u128::from(opponent ^ b);
            (product >> 64) as u64 ^ product as u64
        };
        let check = own.wrapping_mul(0x9e37_79b9_7f4a_7c15)
            ^ opponent.rotate_left(32).wrapping_mul(0xd6e8_feb8_6659_fd93);
        Self {
            place: mix(0x2d35_8dcc_aa6c_78a5, 0x8bb8_4b93_962e_acc9),
            check: (check ^ check >> 32).wrapping_mul(0xff51_afd7_ed55_8ccd) ^ own.rotate_left(17),
        }
    }
}

impl Table {
    /// A table that takes at most so many bytes, and has at least one bucket.
    pub(super) fn new(bytes: usize) -> Self {
        let fitting = (bytes / size_of::<Bucket>()).max(1);
        let buckets = (0..1usize << fitting.ilog2()).map(|_| Bucket::default()).collect();
        Self { buckets, generation: 1 }
    }

    /// What was found out before makes room sooner from now on.
    pub(super) fn age(&mut self) {
        self.generation = self.generation % 255 + 1;
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        for slot in self.buckets.iter().flat_map(|bucket| &bucket.0) {
            slot.data.store(0, Relaxed);
            slot.check.store(0, Relaxed);
        }
    }

    #[inline]
    fn bucket(&self, key: Key) -> &Bucket {
        &self.buckets[key.place as usize & (self.buckets.len() - 1)]
    }

    /// Lets the memory come while something else is done: nobody waits for this load.
    #[inline]
    pub(super) fn fetch(&self, key: Key) {
        let _ = self.bucket(key).0[0].check.load(Relaxed);
    }

    /// What is known of a position.
    #[inline]
    pub(super) fn get(&self, key: Key) -> Option<Known> {
        self.bucket(key).0.iter().find_map(|slot| {
            let data = slot.data.load(Relaxed);
            (slot.check.load(Relaxed) ^ data == key.check && data != 0).then(|| unpack(data))
        })
    }

    /// Names the move to try first, unless a better reason for one is known.
    pub(super) fn suggest(&self, key: Key, first: u8) {
        self.put(key, 64, -64, 0, first, u8::MAX);
    }

    /// Adds that the score is at least or at most `score`, with the move for it.
    /// `cost` grows with what it took to find out.
    pub(super) fn put(&self, key: Key, alpha: i32, beta: i32, score: i32, best: u8, cost: u8) {
        let bucket = self.bucket(key);
        let mut worst = (&bucket.0[0], u32::MAX);
        let mut known = Known::NOTHING;
        for slot in &bucket.0 {
            let data = slot.data.load(Relaxed);
            if data != 0 && slot.check.load(Relaxed) ^ data == key.check {
                known = unpack(data);
                worst.0 = slot;
                break;
            }
            let [.., generation, of, _, _] = data.to_le_bytes();
            let age = self.generation.wrapping_sub(generation);
            let worth = if data == 0 { 0 } else { 1 + u32::from(of) + (u32::from(255 - age) << 8) };
            if worth < worst.1 {
                worst = (slot, worth);
            }
        }
        if score > alpha {
            if best != known.moves[0] {
                known.moves = [best, known.moves[0]];
            }
            known.lower = known.lower.max(score as i8);
        } else if known.lower == -64 && best != known.moves[0] {
            known.moves = [best, known.moves[0]];
        }
        if score < beta {
            known.upper = known.upper.min(score as i8);
        }
        let [first, second] = known.moves;
        let data = u64::from_le_bytes([
            known.lower as u8,
            known.upper as u8,
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

fn unpack(data: u64) -> Known {
    let [lower, upper, first, second, ..] = data.to_le_bytes();
    Known { lower: lower as i8, upper: upper as i8, moves: [first, second] }
}
