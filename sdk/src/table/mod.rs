//! The transposition table: what a search found out about positions it may meet
//! again, by their Zobrist hash (Zobrist, "A New Hashing Method with
//! Application for Game Playing", 1970). Of a fixed size; forgets what is least
//! useful; never decides what a value is used for.

mod slot;

use std::marker::PhantomData;
use std::sync::Arc;

use sandboard_abi::limits::WIN_SCORE;
use sandboard_games::Coded;

use crate::evaluator::WIN_BOUND;
use slot::{Pair, Slot};

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

/// A table of a power of two of slots, in pairs: a position goes to either of two, and the one
/// that knows less makes room. The whole hash is kept: in a table of 2^20 slots, 10^9 probes take
/// one position for another with a probability of about 6 in 10^5.
///
/// Clones share its slots, also between threads.
#[derive(Debug)]
pub struct Table<M> {
    pairs: Arc<[Pair]>,
    generation: u8,
    moves: PhantomData<fn() -> M>,
}

impl<M> Clone for Table<M> {
    fn clone(&self) -> Self {
        Self { pairs: self.pairs.clone(), ..*self }
    }
}

const GENERATIONS: u8 = 31;

/// What is known of a position as one word, for tables elsewhere; `ply` plies from the root.
pub(crate) fn to_word<M: Coded>(known: Known<M>, ply: u32) -> u64 {
    let Known { depth, limit, estimated, .. } = known;
    let best = known.best.map(M::code);
    let value = from_here(known.value, ply);
    Data::new(Known { depth, limit, value, estimated, best }, GENERATIONS).0
}

/// What such a word says; none: it is none.
pub(crate) fn of_word<M: Coded>(word: u64, ply: u32) -> Option<Known<M>> {
    (word >> 56 & 3 != 3 && word != 0).then(|| Data(word).known(ply))
}

/// The second word of a slot, 0 where it is unused: the move's code in 32 bits, the value in 16,
/// the depth in 8; then the generation in five, from 1, whether the value is estimated, and
/// the limit in two.
#[derive(Clone, Copy)]
struct Data(u64);

impl Data {
    const MOVE: u64 = 0xffff_ffff;
    const ESTIMATED: u64 = 1 << 58;

    #[inline]
    fn new(known: Known<u32>, generation: u8) -> Self {
        let value = u64::from(known.value as i16 as u16);
        let estimated = if known.estimated { Self::ESTIMATED } else { 0 };
        let mark = u64::from(generation << 3 | known.limit as u8);
        let best = u64::from(known.best.unwrap_or(0));
        Self(mark << 56 | estimated | u64::from(known.depth) << 48 | value << 32 | best)
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
    fn known<M: Coded>(self, ply: u32) -> Known<M> {
        let limit = match self.0 >> 56 & 3 {
            0 => Limit::Exact,
            1 => Limit::Lower,
            _ => Limit::Upper,
        };
        Known {
            depth: self.depth(),
            limit,
            value: from_root(((self.0 >> 32) as i16).into(), ply),
            estimated: self.0 & Self::ESTIMATED != 0,
            best: M::of_code((self.0 & Self::MOVE) as u32),
        }
    }
}

impl<M: Coded> Table<M> {
    /// A table that takes at most so many bytes, and has at least two slots.
    pub fn new(bytes: usize) -> Self {
        let fitting = (bytes / size_of::<Pair>()).max(1);
        let pairs = (0..1usize << fitting.ilog2()).map(|_| Pair::default()).collect();
        Self { pairs, generation: 1, moves: PhantomData }
    }

    /// How many slots it has.
    pub fn slots(&self) -> usize {
        2 * self.pairs.len()
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        for slot in self.pairs.iter().flat_map(|pair| &pair.0) {
            slot.write(0, 0);
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
        let mut slots = self.pair(hash).0.iter().map(Slot::read);
        let (_, data) = slots.find(|&(of, data)| of == hash && data != 0)?;
        Some(Data(data).known(ply))
    }

    /// The position with this hash will be asked for soon: its slots may come from memory
    /// while other things are found out.
    #[inline]
    pub fn expect(&self, hash: u64) {
        self.pair(hash).fetch();
    }

    /// Keeps what is known of the position with this hash, `ply` plies from the root.
    #[inline]
    pub fn store(&self, hash: u64, ply: u32, known: Known<M>) {
        let [first, second] = &self.pair(hash).0;
        let (hashes, data) = {
            let ((a, x), (b, y)) = (first.read(), second.read());
            ([a, b], [Data(x), Data(y)])
        };
        let victim = if hashes[0] == hash {
            0
        } else if hashes[1] == hash {
            1
        } else {
            // The first slot keeps deep results, the second takes what comes.
            let is_old = data[0].generation() != self.generation;
            usize::from(!is_old && data[0].depth() > known.depth)
        };
        let before = if hashes[victim] == hash { data[victim].0 & Data::MOVE } else { 0 };
        let best = known.best.map_or(before as u32, M::code);
        let value = from_here(known.value, ply);
        let Known { depth, limit, estimated, .. } = known;
        let known = Known { depth, limit, value, estimated, best: Some(best) };
        let slot = if victim == 0 { first } else { second };
        slot.write(hash, Data::new(known, self.generation).0);
    }

    #[inline]
    fn pair(&self, hash: u64) -> &Pair {
        // The high half spreads over the pairs; no table has more than 2^32 of them.
        &self.pairs[(hash >> 32) as usize & (self.pairs.len() - 1)]
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

    fn known(depth: u8, value: i32) -> Known<u8> {
        Known { depth, limit: Limit::Exact, value, estimated: true, best: Some(7) }
    }

    #[test]
    fn slots_are_the_largest_power_of_two_that_fits() {
        let slot = size_of::<Slot>();
        assert_eq!((slot, align_of::<Pair>()), (16, 2 * slot));
        for (bytes, slots) in [(0, 2), (slot * 4 - 1, 2), (slot * 4, 4), (slot * 1026, 1024)] {
            assert_eq!(Table::<u8>::new(bytes).slots(), slots, "{bytes} bytes");
        }
    }

    #[test]
    fn distances_to_a_win_count_from_where_it_is_read() {
        let table = Table::new(1 << 10);
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
