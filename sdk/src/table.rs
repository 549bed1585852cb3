//! The transposition table: what a search found out about positions it may meet
//! again, by their Zobrist hash (Zobrist, "A New Hashing Method with
//! Application for Game Playing", 1970). Of a fixed size; forgets what is least
//! useful; never decides what a value is used for.

use sandboard_abi::limits::WIN_SCORE;

use crate::evaluator::WIN_BOUND;

/// How a stored value is to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Limit {
    /// It is the value.
    Exact,
    /// The value is at least this.
    Lower,
    /// The value is at most this.
    Upper,
}

/// What is known of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known<M> {
    /// How many plies were searched below it.
    pub depth: u8,
    /// How to read the value.
    pub limit: Limit,
    /// Its value for the side to move.
    pub value: i32,
    /// Whether the value rests on an evaluation, or on the ends of games alone.
    pub estimated: bool,
    /// The move that was best, or refuted the one before.
    pub best: Option<M>,
}

/// A slot. The whole hash is kept: in a table of 2^20 slots, 10^9 probes take
/// one position for another with a probability of about 6 in 10^5.
#[derive(Clone, Copy, Debug)]
struct Slot<M> {
    hash: u64,
    best: Option<M>,
    value: i16,
    depth: u8,
    /// The generation in the upper five bits, 0 for an unused slot; whether the
    /// value is estimated; the limit in the lower two.
    mark: u8,
}

/// A table of a power of two of slots, in pairs: a position goes to either of
/// two, and the one that knows less makes room.
#[derive(Clone, Debug)]
pub struct Table<M> {
    slots: Vec<Slot<M>>,
    generation: u8,
}

const GENERATIONS: u8 = 31;
const ESTIMATED: u8 = 4;

impl<M: Copy> Table<M> {
    /// A table that takes at most so many bytes, and has at least two slots.
    pub fn new(bytes: usize) -> Self {
        let fitting = bytes / size_of::<Slot<M>>();
        let count = if fitting < 2 { 2 } else { 1 << fitting.ilog2() };
        let empty = Slot { hash: 0, best: None, value: 0, depth: 0, mark: 0 };
        Self { slots: vec![empty; count], generation: 1 }
    }

    /// How many slots it has.
    pub fn slots(&self) -> usize {
        self.slots.len()
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        for slot in &mut self.slots {
            slot.mark = 0;
        }
        self.generation = 1;
    }

    /// A new search begins: what older ones left makes room first.
    pub fn next_search(&mut self) {
        self.generation = self.generation % GENERATIONS + 1;
    }

    /// What is known of the position with this hash, `ply` plies from the root.
    #[inline]
    pub fn probe(&self, hash: u64, ply: u32) -> Option<Known<M>> {
        let first = self.first(hash);
        let slot = self.slots[first..first + 2].iter().find(|s| s.hash == hash && s.mark != 0)?;
        let limit = match slot.mark & 3 {
            0 => Limit::Exact,
            1 => Limit::Lower,
            _ => Limit::Upper,
        };
        let value = from_root(slot.value.into(), ply);
        let estimated = slot.mark & ESTIMATED != 0;
        Some(Known { depth: slot.depth, limit, value, estimated, best: slot.best })
    }

    /// The position with this hash will be asked for soon: a look at its slot, whose memory is
    /// then on the way while other things are found out.
    #[inline]
    pub fn expect(&self, hash: u64) {
        std::hint::black_box(self.slots[self.first(hash)].mark);
    }

    /// Keeps what is known of the position with this hash, `ply` plies from the root.
    #[inline]
    pub fn store(&mut self, hash: u64, ply: u32, known: Known<M>) {
        let (first, generation) = (self.first(hash), self.generation);
        let pair = &mut self.slots[first..first + 2];
        let age = |slot: &Slot<M>| slot.mark >> 3 != generation;
        let victim = if pair[0].hash == hash {
            0
        } else if pair[1].hash == hash {
            1
        } else {
            // The first slot keeps deep results, the second takes what comes.
            usize::from(!age(&pair[0]) && pair[0].depth > known.depth)
        };
        let slot = &mut pair[victim];
        let best = known.best.or(if slot.hash == hash { slot.best } else { None });
        let value = from_here(known.value, ply) as i16;
        let estimated = if known.estimated { ESTIMATED } else { 0 };
        let mark = generation << 3 | estimated | known.limit as u8;
        *slot = Slot { hash, best, value, depth: known.depth, mark };
    }

    #[inline]
    fn first(&self, hash: u64) -> usize {
        // The high half spreads over the pairs; no table has more than 2^32 slots.
        (hash >> 32) as usize & (self.slots.len() - 2)
    }
}

/// A forced win's distance counts from the root in a search, from the position
/// itself in the table.
#[inline]
fn from_here(value: i32, ply: u32) -> i32 {
    let ply = ply as i32;
    let value = match value {
        v if v >= WIN_BOUND => v + ply,
        v if v <= -WIN_BOUND => v - ply,
        v => v,
    };
    value.clamp(-WIN_SCORE, WIN_SCORE)
}

#[inline]
fn from_root(value: i32, ply: u32) -> i32 {
    let ply = ply as i32;
    match value {
        v if v >= WIN_BOUND => v - ply,
        v if v <= -WIN_BOUND => v + ply,
        v => v,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(depth: u8, value: i32) -> Known<u16> {
        Known { depth, limit: Limit::Exact, value, estimated: true, best: Some(7) }
    }

    #[test]
    fn slots_are_the_largest_power_of_two_that_fits() {
        let slot = size_of::<Slot<u16>>();
        assert_eq!(slot, 16);
        for (bytes, slots) in [(0, 2), (slot * 4 - 1, 2), (slot * 4, 4), (slot * 1025, 1024)] {
            assert_eq!(Table::<u16>::new(bytes).slots(), slots, "{bytes} bytes");
        }
    }

    #[test]
    fn distances_to_a_win_count_from_where_it_is_read() {
        let mut table = Table::new(1 << 10);
        table.store(1, 4, known(3, WIN_SCORE - 7));
        assert_eq!(table.probe(1, 2).unwrap().value, WIN_SCORE - 5);
        table.store(2 << 32, 4, known(3, 7 - WIN_SCORE));
        assert_eq!(table.probe(2 << 32, 6).unwrap().value, 9 - WIN_SCORE);
        table.store(3 << 33, 4, known(3, 123));
        assert_eq!(table.probe(3 << 33, 9), Some(known(3, 123)));
        let proved = Known { estimated: false, limit: Limit::Upper, ..known(3, 123) };
        table.store(3 << 33, 4, proved);
        assert_eq!(table.probe(3 << 33, 9), Some(proved));
        assert_eq!(table.probe(4, 0), None);
    }

    #[test]
    fn deep_results_stay_until_a_new_search() {
        let mut table = Table::new(0);
        table.store(1, 0, known(9, 1));
        for hash in 2..50 {
            table.store(hash, 0, known(1, 2));
        }
        assert!(table.probe(1, 0).is_some() && table.probe(49, 0).is_some());
        table.next_search();
        table.store(50, 0, known(1, 3));
        assert!(table.probe(1, 0).is_none());
    }
}
