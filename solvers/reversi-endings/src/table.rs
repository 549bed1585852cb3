//! What is known of positions that were searched: bounds of their scores and the best move.
//! Of a fixed size; what does not fit is forgotten, and nothing in it is ever wrong, since a
//! score depends on the discs alone.

use crate::board::Board;

/// What is known of a position.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known {
    /// The score is at least this.
    pub lower: i8,
    /// The score is at most this.
    pub upper: i8,
    /// The move that showed it; none where no move was better than what was wanted.
    pub best: Option<u8>,
}

#[derive(Clone, Copy)]
struct Entry {
    own: u64,
    opponent: u64,
    known: Known,
    empties: u8,
}

/// Two places for each index: for the position with more empty squares, and for the last one.
pub(crate) struct Table {
    pairs: Vec<[Option<Entry>; 2]>,
}

impl Table {
    /// Of at most so many bytes, but for one pair, which there is always.
    pub fn new(bytes: usize) -> Table {
        let pairs = bytes / size_of::<[Option<Entry>; 2]>();
        let pairs = if pairs == 0 { 1 } else { 1 << pairs.ilog2() };
        Table { pairs: vec![[None; 2]; pairs] }
    }

    fn index(&self, board: &Board) -> usize {
        // Two odd constants of the golden ratio's kind; the upper bits are well mixed.
        let mixed = board.own.wrapping_mul(0x9e37_79b9_7f4a_7c15)
            ^ board.opponent.wrapping_mul(0xc2b2_ae3d_27d4_eb4f).rotate_left(29);
        let mixed = (mixed ^ mixed >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed >> 32) as usize & (self.pairs.len() - 1)
    }

    pub fn get(&self, board: &Board) -> Option<Known> {
        let pair = self.pairs.get(self.index(board))?;
        let is_it = |entry: &&Entry| entry.own == board.own && entry.opponent == board.opponent;
        pair.iter().flatten().find(is_it).map(|entry| entry.known)
    }

    pub fn put(&mut self, board: &Board, known: Known) {
        let index = self.index(board);
        let Some([deep, last]) = self.pairs.get_mut(index) else { return };
        let empties = board.empties as u8;
        let entry = Entry { own: board.own, opponent: board.opponent, known, empties };
        match deep {
            Some(other) if other.empties > empties => *last = Some(entry),
            _ => {
                // The same position stands in one place only.
                let same = |it: &Entry| it.own == entry.own && it.opponent == entry.opponent;
                if !deep.as_ref().is_some_and(same) {
                    *last = *deep;
                }
                *deep = Some(entry);
            }
        }
    }
}
