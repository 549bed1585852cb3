//! The transposition table: score bounds and best moves of searched positions. Its size is fixed
//! and entries are replaced. Entries never become invalid, since a score depends only on the discs.

use crate::board::Board;

/// The known bounds of a position.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ScoreBounds {
    /// The lower bound of the score.
    pub(crate) lower: i8,
    /// The upper bound of the score.
    pub(crate) upper: i8,
    /// The move that established the lower bound; `None` if no move exceeded alpha.
    pub(crate) best: Option<u8>,
}

#[derive(Clone, Copy)]
struct Entry {
    own: u64,
    opponent: u64,
    known: ScoreBounds,
    empties: u8,
}

/// A table with two entries per index: one for the position with more empty squares, one for the
/// latest position.
pub(crate) struct TranspositionTable {
    pairs: Vec<[Option<Entry>; 2]>,
}

impl TranspositionTable {
    /// Creates a table of at most this many bytes, but at least one pair of entries.
    pub(crate) fn new(bytes: usize) -> TranspositionTable {
        let pairs = bytes / size_of::<[Option<Entry>; 2]>();
        let pairs = if pairs == 0 { 1 } else { 1 << pairs.ilog2() };
        TranspositionTable { pairs: vec![[None; 2]; pairs] }
    }

    fn index(&self, board: &Board) -> usize {
        // Two odd constants related to the golden ratio; the upper bits are well mixed.
        let mixed = board.own.wrapping_mul(0x9e37_79b9_7f4a_7c15)
            ^ board.opponent.wrapping_mul(0xc2b2_ae3d_27d4_eb4f).rotate_left(29);
        let mixed = (mixed ^ mixed >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed >> 32) as usize & (self.pairs.len() - 1)
    }

    pub(crate) fn get(&self, board: &Board) -> Option<ScoreBounds> {
        let pair = self.pairs.get(self.index(board))?;
        let is_it = |entry: &&Entry| entry.own == board.own && entry.opponent == board.opponent;
        pair.iter().flatten().find(is_it).map(|entry| entry.known)
    }

    pub(crate) fn put(&mut self, board: &Board, known: ScoreBounds) {
        let index = self.index(board);
        let Some([deep, last]) = self.pairs.get_mut(index) else { return };
        let empties = board.empties as u8;
        let entry = Entry { own: board.own, opponent: board.opponent, known, empties };
        match deep {
            Some(other) if other.empties > empties => *last = Some(entry),
            _ => {
                // A position is stored only once.
                let same = |it: &Entry| it.own == entry.own && it.opponent == entry.opponent;
                if !deep.as_ref().is_some_and(same) {
                    *last = *deep;
                }
                *deep = Some(entry);
            }
        }
    }
}
