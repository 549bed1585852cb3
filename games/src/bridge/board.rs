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

    /// Who is vulnerable on the board with this number, which repeats after sixteen.
    pub const fn of_board(number: u32) -> Vulnerability {
        // Shifted by one with each round of four boards.
        let at = (number.wrapping_sub(1)) % 16;
        match (at + at / 4) % 4 {
            0 => Vulnerability::None,
            1 => Vulnerability::NorthSouth,
            2 => Vulnerability::EastWest,
            _ => Vulnerability::Both,
        }
    }

    /// Who is vulnerable by a word of PBN, in either case: `None`, `Love` or `-`, `NS`, `EW`,
    /// `All` or `Both`.
    pub fn of_text(text: &str) -> Option<Vulnerability> {
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

    /// The word of PBN: `None`, `NS`, `EW`, `All`.
    pub const fn text(self) -> &'static str {
        match self {
            Vulnerability::None => "None",
            Vulnerability::Both => "All",
            Vulnerability::NorthSouth => "NS",
            Vulnerability::EastWest => "EW",
        }
    }

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

/// Who deals the board with this number.
pub const fn dealer_of_board(number: u32) -> Compass {
    Compass::ALL[(number.wrapping_sub(1) % 4) as usize]
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
