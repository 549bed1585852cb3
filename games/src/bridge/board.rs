//! Data of a board beside its cards: vulnerability, dealer, and the table of double-dummy tricks.
//! Solves nothing.

use super::cards::{Compass, Strain};

/// The vulnerable sides of a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Vulnerability {
    /// Neither side is vulnerable.
    None,
    /// Both sides are vulnerable.
    Both,
    /// Only North-South is vulnerable.
    NorthSouth,
    /// Only East-West is vulnerable.
    EastWest,
}

impl Vulnerability {
    /// All four values.
    pub const ALL: [Vulnerability; 4] = [
        Vulnerability::None,
        Vulnerability::Both,
        Vulnerability::NorthSouth,
        Vulnerability::EastWest,
    ];

    /// The vulnerability of the board with this number; it repeats after sixteen boards.
    pub const fn of_board(number: u32) -> Vulnerability {
        // Shifts by one with each group of four boards.
        let at = (number.wrapping_sub(1)) % 16;
        match (at + at / 4) % 4 {
            0 => Vulnerability::None,
            1 => Vulnerability::NorthSouth,
            2 => Vulnerability::EastWest,
            _ => Vulnerability::Both,
        }
    }

    /// Reads a word of PBN, in either case: `None`, `Love` or `-`, `NS`, `EW`, `All` or `Both`.
    pub fn from_text(text: &str) -> Option<Vulnerability> {
        const WORDS: [(&str, Vulnerability); 7] = [
            ("None", Vulnerability::None),
            ("Love", Vulnerability::None),
            ("-", Vulnerability::None),
            ("NS", Vulnerability::NorthSouth),
            ("EW", Vulnerability::EastWest),
            ("All", Vulnerability::Both),
            ("Both", Vulnerability::Both),
        ];
        let found = WORDS.into_iter().find(|(word, _)| text.eq_ignore_ascii_case(word));
        found.map(|(_, vulnerability)| vulnerability)
    }

    /// The word in PBN: `None`, `NS`, `EW`, `All`.
    pub const fn text(self) -> &'static str {
        match self {
            Vulnerability::None => "None",
            Vulnerability::Both => "All",
            Vulnerability::NorthSouth => "NS",
            Vulnerability::EastWest => "EW",
        }
    }

    /// Whether a side is vulnerable: 0 North-South, 1 East-West.
    pub(crate) const fn of_side(self, side: usize) -> bool {
        match self {
            Vulnerability::None => false,
            Vulnerability::Both => true,
            Vulnerability::NorthSouth => side == 0,
            Vulnerability::EastWest => side == 1,
        }
    }
}

/// The dealer of the board with this number.
pub const fn dealer_of_board(number: u32) -> Compass {
    Compass::ALL[(number.wrapping_sub(1) % 4) as usize]
}

/// The double-dummy table of a deal: the number of tricks of each declarer in each strain with
/// perfect play of both sides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct TrickTable([[u8; 5]; 4]);

impl TrickTable {
    /// The tricks of a declarer in a strain.
    #[inline]
    pub const fn get(&self, declarer: Compass, strain: Strain) -> u8 {
        self.0[declarer.index()][strain.index()]
    }

    /// Sets the tricks of a declarer in a strain.
    #[inline]
    pub fn set(&mut self, declarer: Compass, strain: Strain, tricks: u8) {
        self.0[declarer.index()][strain.index()] = tricks;
    }
}
