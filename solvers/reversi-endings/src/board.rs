//! The position of the search: the discs of both players and the parity of the quadrants. It does
//! not check moves; moves and flips come from the rules in `sandboard_games`.

use sandboard_games::reversi::bits::flips;

/// The four quadrants, upper left first.
const QUADRANTS: [u64; 4] = [0x0f0f_0f0f, 0xf0f0_f0f0, 0x0f0f_0f0f << 32, 0xf0f0_f0f0 << 32];

/// A position. All other fields follow from the discs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Board {
    /// The discs of the player to move.
    pub(crate) own: u64,
    /// The discs of the opponent.
    pub(crate) opponent: u64,
    /// All squares of the quadrants with an odd number of empty squares.
    pub(crate) odd: u64,
    /// The number of empty squares.
    pub(crate) empties: u32,
}

impl Board {
    /// A position with these discs, which must not overlap.
    pub(crate) fn new(own: u64, opponent: u64) -> Board {
        let empty = !(own | opponent);
        let is_odd = |quadrant: &&u64| (empty & **quadrant).count_ones() % 2 == 1;
        let odd = QUADRANTS.iter().filter(is_odd).sum();
        Board { own, opponent, odd, empties: empty.count_ones() }
    }

    /// The empty squares.
    #[inline(always)]
    pub(crate) fn empty(&self) -> u64 {
        !(self.own | self.opponent)
    }

    /// The discs flipped by a move on the empty `square`; 0 if it is illegal.
    #[inline(always)]
    pub(crate) fn flips(&self, square: u32) -> u64 {
        flips(square, self.own, self.opponent)
    }

    /// The position after a move on `square` that flips these discs.
    #[inline(always)]
    pub(crate) fn after(&self, square: u32, flipped: u64) -> Board {
        Board {
            own: self.opponent ^ flipped,
            opponent: self.own | flipped | 1 << square,
            odd: self.odd ^ quadrant(square),
            empties: self.empties - 1,
        }
    }

    /// The position after a pass.
    #[inline(always)]
    pub(crate) fn passed(&self) -> Board {
        Board { own: self.opponent, opponent: self.own, ..*self }
    }

    /// The score of the player to move when neither player can move.
    pub(crate) fn final_score(&self) -> i32 {
        let lead = self.own.count_ones() as i32 - self.opponent.count_ones() as i32;
        lead + lead.signum() * self.empties as i32
    }
}

#[inline(always)]
fn quadrant(square: u32) -> u64 {
    QUADRANTS[(square >> 4 & 2 | square >> 2 & 1) as usize]
}
