//! Ranks and files as words with one bit per piece: the reach of a rook or cannon is one table
//! lookup ("line" bitboards; words of ten bits, because the board has ninety points).
//!
//! A rank has nine points. Its tenth bit is always set, as a wall, so that one table serves ranks
//! and files.

/// Number of bits of a word.
const BITS: usize = 10;

/// The wall bit at the end of a rank.
pub(super) const WALL: u16 = 1 << 9;

/// The points reached from a point on a line.
#[derive(Clone, Copy)]
pub(super) struct Reach {
    /// The points on both sides up to and including the first piece.
    pub(super) rook: u16,
    /// On each side the next piece behind the first one.
    pub(super) cannon: u16,
}

const NOTHING: Reach = Reach { rook: 0, cannon: 0 };

/// By index on the line and by the pieces on it; 16 entries, so that no 4-bit index is out of
/// bounds.
static REACH: [[Reach; 1 << BITS]; 16] = reaches();

/// By two indices: the bits between them.
static BETWEEN: [[u16; 16]; 16] = betweens();

/// The reach of a piece at this index of a line.
#[inline]
pub(super) fn reach(place: u8, line: u16) -> Reach {
    REACH[usize::from(place & 15)][usize::from(line & ((1 << BITS) - 1))]
}

/// The number of set bits of each word.
static ONES: [u8; 1 << BITS] = ones_of_all();

/// The number of pieces in a word. Baseline x86-64 has no instruction for it.
#[inline]
pub(super) fn ones(line: u16) -> u32 {
    match cfg!(any(target_feature = "popcnt", not(target_arch = "x86_64"))) {
        true => line.count_ones(),
        false => ONES[usize::from(line & ((1 << BITS) - 1))].into(),
    }
}

/// The bits strictly between two indices of a line.
#[inline]
pub(super) fn between(from: u8, to: u8) -> u16 {
    BETWEEN[usize::from(from & 15)][usize::from(to & 15)]
}

const fn ones_of_all() -> [u8; 1 << BITS] {
    let mut all = [0; 1 << BITS];
    let mut word = 0usize;
    while word < 1 << BITS {
        all[word] = word.count_ones() as u8;
        word += 1;
    }
    all
}

const fn reaches() -> [[Reach; 1 << BITS]; 16] {
    let mut all = [[NOTHING; 1 << BITS]; 16];
    let mut place = 0;
    while place < BITS {
        let mut line = 0;
        while line < 1 << BITS {
            let up = ray(place, line, true);
            let down = ray(place, line, false);
            all[place][line] = Reach { rook: up.rook | down.rook, cannon: up.cannon | down.cannon };
            line += 1;
        }
        place += 1;
    }
    all
}

const fn ray(place: usize, line: usize, up: bool) -> Reach {
    let mut reach = NOTHING;
    let mut screens = 0;
    let mut at = place;
    while screens < 2 && if up { at + 1 < BITS } else { at > 0 } {
        at = if up { at + 1 } else { at - 1 };
        let occupied = line >> at & 1 != 0;
        if screens == 0 {
            reach.rook |= 1 << at;
        } else if occupied {
            reach.cannon |= 1 << at;
        }
        if occupied {
            screens += 1;
        }
    }
    reach
}

const fn betweens() -> [[u16; 16]; 16] {
    let mut all = [[0; 16]; 16];
    let mut from = 0;
    while from < 16 {
        let mut to = from + 1;
        while to < 16 {
            let mask = (((1 << to) - 1) & !((1 << (from + 1)) - 1)) as u16;
            all[from][to] = mask;
            all[to][from] = mask;
            to += 1;
        }
        from += 1;
    }
    all
}
