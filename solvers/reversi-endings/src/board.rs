//! A position as the search carries it along: discs of who moves and of the other, and in
//! which quadrants an odd number of squares is empty. Judges no move: squares and flips come
//! from the rules' own words.

use sandboard_games::reversi::bits::flips;

/// The four quadrants, upper left first.
const QUADRANTS: [u64; 4] = [0x0f0f_0f0f, 0xf0f0_f0f0, 0x0f0f_0f0f << 32, 0xf0f0_f0f0 << 32];

/// A position; equal discs make equal positions, for the rest follows from them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Board {
    /// Discs of who moves.
    pub own: u64,
    /// Discs of the other.
    pub opponent: u64,
    /// The quadrants with an odd number of empty squares, all squares of them.
    pub odd: u64,
    /// How many squares are empty.
    pub empties: u32,
}

impl Board {
    /// With these discs, of which no two lie on one square.
    pub fn new(own: u64, opponent: u64) -> Board {
        let empty = !(own | opponent);
        let is_odd = |quadrant: &&u64| (empty & **quadrant).count_ones() % 2 == 1;
        let odd = QUADRANTS.iter().filter(is_odd).sum();
        Board { own, opponent, odd, empties: empty.count_ones() }
    }

    /// The empty squares.
    #[inline(always)]
    pub fn empty(&self) -> u64 {
        !(self.own | self.opponent)
    }

    /// The discs that one on the empty `square` flips; 0: it is no move.
    #[inline(always)]
    pub fn flips(&self, square: u32) -> u64 {
        flips(square, self.own, self.opponent)
    }

    /// After a disc on `square` that flips these.
    #[inline(always)]
    pub fn after(&self, square: u32, flipped: u64) -> Board {
        Board {
            own: self.opponent ^ flipped,
            opponent: self.own | flipped | 1 << square,
            odd: self.odd ^ quadrant(square),
            empties: self.empties - 1,
        }
    }

    /// The same with the other to move.
    #[inline(always)]
    pub fn passed(&self) -> Board {
        Board { own: self.opponent, opponent: self.own, ..*self }
    }

    /// The score of who moves when nobody can any more.
    pub fn ended(&self) -> i32 {
        let lead = self.own.count_ones() as i32 - self.opponent.count_ones() as i32;
        lead + lead.signum() * self.empties as i32
    }
}

#[inline(always)]
fn quadrant(square: u32) -> u64 {
    QUADRANTS[(square >> 4 & 2 | square >> 2 & 1) as usize]
}
