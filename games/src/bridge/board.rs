//! What belongs to a board beside its cards: who is vulnerable, and how many tricks each
//! declarer takes in each strain. Solves nothing.

use super::cards::{Compass, Strain};

/// Who is vulnerable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Vulnerability {
    /// Nobody.
    None,
    /// Both sides.
    Both,
    /// North-South.
    NorthSouth,
    /// East-West.
    EastWest,
}

impl Vulnerability {
    /// All four.
    pub const ALL: [Vulnerability; 4] = [
        Vulnerability::None,
        Vulnerability::Both,
        Vulnerability::NorthSouth,
        Vulnerability::EastWest,
    ];

    /// Whether a side is: 0 North-South, 1 East-West.
    pub const fn of_side(self, side: usize) -> bool {
        match self {
            Vulnerability::None => false,
            Vulnerability::Both => true,
            Vulnerability::NorthSouth => side == 0,
            Vulnerability::EastWest => side == 1,
        }
    }
}

/// How many tricks each declarer's side takes in each strain, both sides playing perfectly:
/// the double-dummy table of a deal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct TrickTable([[u8; 5]; 4]);

impl TrickTable {
    /// What a declarer takes in a strain.
    #[inline]
    pub const fn get(&self, declarer: Compass, strain: Strain) -> u8 {
        self.0[declarer.index()][strain.index()]
    }

    /// Says what a declarer takes in a strain.
    #[inline]
    pub fn set(&mut self, declarer: Compass, strain: Strain, tricks: u8) {
        self.0[declarer.index()][strain.index()] = tricks;
    }
}
