//! The transposition table: search results of positions, by their Zobrist hash (Zobrist, "A New
//! Hashing Method with Application for Game Playing", 1970). It has a fixed size and replaces the
//! least useful entries. It does not decide how a search uses a value.

mod slot;

use std::marker::PhantomData;
use std::sync::Arc;

use sandboard_abi::limits::WIN_SCORE;
use sandboard_games::MoveCode;

use crate::evaluator::WIN_BOUND;
use slot::{Pair, Slot};

/// How a stored value bounds the true one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum BoundType {
    /// The true value is the stored one.
    Exact,
    /// The true value is at least the stored one.
    Lower,
    /// The true value is at most the stored one.
    Upper,
}

/// The search result of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableEntry<M> {
    /// The plies searched below the position.
    pub depth: u8,
    /// How `value` bounds the true value.
    pub bound: BoundType,
    /// The value for the side to move.
    pub value: i32,
    /// Whether the value depends on an evaluation, and not on the ends of games alone.
    pub estimated: bool,
    /// The move that was best, or refuted the previous one.
    pub best: Option<M>,
}

/// A transposition table. The number of slots is a power of two; a position can be in either slot
/// of a pair. The whole hash is stored: in a table of 2^20 slots, 10^9 probes confuse two positions
/// with a probability of about 6 in 10^5.
///
/// Clones share the slots, also between threads.
#[derive(Debug)]
pub struct TranspositionTable<M> {
    pairs: Arc<[Pair]>,
    generation: u8,
    moves: PhantomData<fn() -> M>,
}

impl<M> Clone for TranspositionTable<M> {
    fn clone(&self) -> Self {
        Self { pairs: self.pairs.clone(), ..*self }
    }
}

const GENERATIONS: u8 = 31;

/// An entry as one word, for the table that instances share. `ply` is the distance from the root.
pub(crate) fn entry_to_word<M: MoveCode>(entry: TableEntry<M>, ply: u32) -> u64 {
    let TableEntry { depth, bound, estimated, .. } = entry;
    let best = entry.best.map(M::code);
    let value = distance_from_position(entry.value, ply);
    SlotData::new(TableEntry { depth, bound, value, estimated, best }, GENERATIONS).0
}

/// The entry of such a word; `None` if it is not one.
pub(crate) fn entry_from_word<M: MoveCode>(word: u64, ply: u32) -> Option<TableEntry<M>> {
    (word >> 56 & 3 != 3 && word != 0).then(|| SlotData(word).entry(ply))
}

/// The second word of a slot, 0 if unused. From the lowest bit: 32 bits for the move's code, 16 for
/// the value, 8 for the depth, 2 for the bound, 1 for `estimated`, 5 for the generation, which
/// counts from 1.
#[derive(Clone, Copy)]
struct SlotData(u64);

impl SlotData {
    const MOVE: u64 = 0xffff_ffff;
    const ESTIMATED: u64 = 1 << 58;

    #[inline]
    fn new(entry: TableEntry<u32>, generation: u8) -> Self {
        let value = u64::from(entry.value as i16 as u16);
        let estimated = if entry.estimated { Self::ESTIMATED } else { 0 };
        let high = u64::from(generation << 3 | entry.bound as u8);
        let best = u64::from(entry.best.unwrap_or(0));
        Self(high << 56 | estimated | u64::from(entry.depth) << 48 | value << 32 | best)
    }

    #[inline]
    fn generation(self) -> u8 {
        (self.0 >> 59) as u8
    }

    #[inline]
    fn depth(self) -> u8 {
        (self.0 >> 48) as u8
    }

    #[inline]
    fn entry<M: MoveCode>(self, ply: u32) -> TableEntry<M> {
        let bound = match self.0 >> 56 & 3 {
            0 => BoundType::Exact,
            1 => BoundType::Lower,
            _ => BoundType::Upper,
        };
        TableEntry {
            depth: self.depth(),
            bound,
            value: distance_from_root(((self.0 >> 32) as i16).into(), ply),
            estimated: self.0 & Self::ESTIMATED != 0,
            best: M::from_code((self.0 & Self::MOVE) as u32),
        }
    }
}

impl<M: MoveCode> TranspositionTable<M> {
    /// A table of at most this many bytes, but with at least two slots.
    pub fn new(bytes: usize) -> Self {
        let fitting = (bytes / size_of::<Pair>()).max(1);
        let pairs = (0..1usize << fitting.ilog2()).map(|_| Pair::default()).collect();
        Self { pairs, generation: 1, moves: PhantomData }
    }

    /// The number of slots.
    pub fn slots(&self) -> usize {
        2 * self.pairs.len()
    }

    /// Removes all entries.
    pub fn clear(&mut self) {
        for slot in self.pairs.iter().flat_map(|pair| &pair.0) {
            slot.write(0, 0);
        }
        self.generation = 1;
    }

    /// Starts a new search: entries of earlier ones are replaced first.
    pub fn start_search(&mut self) {
        self.generation = self.generation % GENERATIONS + 1;
    }

    /// The entry of the position with this hash, `ply` plies from the root.
    #[inline]
    pub fn probe(&self, hash: u64, ply: u32) -> Option<TableEntry<M>> {
        let mut slots = self.pair(hash).0.iter().map(Slot::read);
        let (_, data) = slots.find(|&(of, data)| of == hash && data != 0)?;
        Some(SlotData(data).entry(ply))
    }

    /// Prefetches the slots of the position with this hash, for a probe that follows soon.
    #[inline]
    pub fn prefetch(&self, hash: u64) {
        self.pair(hash).prefetch();
    }

    /// Stores the entry of the position with this hash, `ply` plies from the root. An entry without
    /// a best move keeps the stored one.
    #[inline]
    pub fn store(&self, hash: u64, ply: u32, entry: TableEntry<M>) {
        let [first, second] = &self.pair(hash).0;
        let (hashes, data) = {
            let ((a, x), (b, y)) = (first.read(), second.read());
            ([a, b], [SlotData(x), SlotData(y)])
        };
        let victim = if hashes[0] == hash {
            0
        } else if hashes[1] == hash {
            1
        } else {
            // The first slot keeps deep results, the second one is always replaced.
            let is_old = data[0].generation() != self.generation;
            usize::from(!is_old && data[0].depth() > entry.depth)
        };
        let before = if hashes[victim] == hash { data[victim].0 & SlotData::MOVE } else { 0 };
        let best = entry.best.map_or(before as u32, M::code);
        let value = distance_from_position(entry.value, ply);
        let TableEntry { depth, bound, estimated, .. } = entry;
        let entry = TableEntry { depth, bound, value, estimated, best: Some(best) };
        let slot = if victim == 0 { first } else { second };
        slot.write(hash, SlotData::new(entry, self.generation).0);
    }

    #[inline]
    fn pair(&self, hash: u64) -> &Pair {
        // The hash's upper half selects the pair; no table has more than 2^32 of them.
        &self.pairs[(hash >> 32) as usize & (self.pairs.len() - 1)]
    }
}

/// Converts a value for the table. The distance to a forced win counts from the root in a search,
/// and from the position itself in the table.
#[inline]
fn distance_from_position(value: i32, ply: u32) -> i32 {
    let ply = ply as i32;
    let value = match value {
        v if v >= WIN_BOUND => v + ply,
        v if v <= -WIN_BOUND => v - ply,
        v => v,
    };
    value.clamp(-WIN_SCORE, WIN_SCORE)
}

/// Converts a value of the table for a search.
#[inline]
fn distance_from_root(value: i32, ply: u32) -> i32 {
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

    fn entry(depth: u8, value: i32) -> TableEntry<u8> {
        TableEntry { depth, bound: BoundType::Exact, value, estimated: true, best: Some(7) }
    }

    #[test]
    fn the_number_of_slots_is_the_largest_power_of_two_that_fits() {
        let slot = size_of::<Slot>();
        assert_eq!((slot, align_of::<Pair>()), (16, 2 * slot));
        for (bytes, slots) in [(0, 2), (slot * 4 - 1, 2), (slot * 4, 4), (slot * 1026, 1024)] {
            assert_eq!(TranspositionTable::<u8>::new(bytes).slots(), slots, "{bytes} bytes");
        }
    }

    #[test]
    fn distances_to_a_win_are_relative_to_the_probing_ply() {
        let table = TranspositionTable::new(1 << 10);
        table.store(1, 4, entry(3, WIN_SCORE - 7));
        assert_eq!(table.probe(1, 2).unwrap().value, WIN_SCORE - 5);
        table.store(2 << 32, 4, entry(3, 7 - WIN_SCORE));
        assert_eq!(table.probe(2 << 32, 6).unwrap().value, 9 - WIN_SCORE);
        table.store(3 << 33, 4, entry(3, 123));
        assert_eq!(table.probe(3 << 33, 9), Some(entry(3, 123)));
        let proved = TableEntry { estimated: false, bound: BoundType::Upper, ..entry(3, 123) };
        table.store(3 << 33, 4, proved);
        assert_eq!(table.probe(3 << 33, 9), Some(proved));
        assert_eq!(table.probe(4, 0), None);
    }

    #[test]
    fn deep_entries_are_kept_until_the_next_search() {
        let mut table = TranspositionTable::new(0);
        table.store(1, 0, entry(9, 1));
        for hash in 2..50 {
            table.store(hash, 0, entry(1, 2));
        }
        assert!(table.probe(1, 0).is_some() && table.probe(49, 0).is_some());
        table.start_search();
        table.store(50, 0, entry(1, 3));
        assert!(table.probe(1, 0).is_none());
    }
}
