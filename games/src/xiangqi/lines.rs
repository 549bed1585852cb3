//! Ranks and files as words of bits, a bit for each piece on them: what rooks and
//! cannons reach is one look into a table (rotated or "line" bitboards; here kept as
//! words of ten bits, since the board has ninety points).
//!
//! A rank has nine points; its tenth bit is always set, a wall, so that one table
//! serves ranks and files.

/// How many bits a word has.
const BITS: usize = 10;

/// The wall at the end of a rank.
pub(super) const WALL: u16 = 1 << 9;

/// What is reached from a point on a line.
#[derive(Clone, Copy)]
pub(super) struct Reach {
    /// The points to either side up to the first piece, it included.
    pub(super) rook: u16,
    /// The next piece behind that one, to either side.
    pub(super) cannon: u16,
}

const NOTHING: Reach = Reach { rook: 0, cannon: 0 };

/// By place on the line and what stands on the line. Sixteen places, so that no
/// index of four bits is out of bounds.
static REACH: [[Reach; 1 << BITS]; 16] = reaches();

/// By the places of two points: what lies between them.
static BETWEEN: [[u16; 16]; 16] = betweens();

/// What a piece at this place of a line reaches.
#[inline]
pub(super) fn reach(place: u8, line: u16) -> Reach {
    REACH[usize::from(place & 15)][usize::from(line & ((1 << BITS) - 1))]
}

/// How many bits of a word are set.
static ONES: [u8; 1 << BITS] = ones_of_all();

/// How many pieces a word shows. An x86-64 of any age has no instruction for that.
#[inline]
pub(super) fn ones(line: u16) -> u32 {
    match cfg!(any(target_feature = "popcnt", not(target_arch = "x86_64"))) {
        true => line.count_ones(),
        false => ONES[usize::from(line & ((1 << BITS) - 1))].into(),
    }
}

/// The points of a line between two of its places.
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
        let stands = line >> at & 1 != 0;
        if screens == 0 {
            reach.rook |= 1 << at;
        } else if stands {
            reach.cannon |= 1 << at;
        }
        if stands {
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
