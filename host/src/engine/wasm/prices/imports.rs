//! The prices of the border's imports: what the way into the host and back takes,
//! and what the host does there. Sizes that count are those of texts and bytes that
//! go in and come out, which are the same wherever a call is repeated.

use super::PARTS_PER_UNIT;

/// What a call of one import costs, in parts of a unit of fuel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImportPrice {
    /// Its name at the border.
    pub name: &'static str,
    /// Each call.
    pub call_parts: u64,
    /// Each byte of text that the engine hands over.
    pub taken_parts: u64,
    /// Each byte of text or data that it is given.
    pub given_parts: u64,
    /// Why so much, with the time that was measured.
    pub why: &'static str,
}

impl ImportPrice {
    /// What a call costs that hands over so many bytes.
    pub fn of_taking(&self, bytes: usize) -> u64 {
        self.call_parts.saturating_add(self.taken_parts.saturating_mul(bytes as u64))
    }

    /// What it costs besides to be given so many bytes.
    pub fn of_giving(&self, bytes: usize) -> u64 {
        self.given_parts.saturating_mul(bytes as u64)
    }
}

/// 50 units: what the way into the host and back takes.
const THERE_AND_BACK: u64 = 50 * PARTS_PER_UNIT;

const fn plain(name: &'static str, why: &'static str) -> ImportPrice {
    ImportPrice { name, call_parts: THERE_AND_BACK, taken_parts: 0, given_parts: 0, why }
}

/// `left`.
pub const LEFT: ImportPrice = plain("left", "into the host and back: 45 to 55 ns");
/// `probe`.
pub const PROBE: ImportPrice =
    plain("probe", "as `left`; a slot of the table is one memory access");
/// `store`.
pub const STORE: ImportPrice = plain("store", "as `probe`");
/// `cell`.
pub const CELL: ImportPrice = plain("cell", "as `left`; a cell is one memory access");

/// `report`.
pub const REPORT: ImportPrice = ImportPrice {
    name: "report",
    call_parts: 110 * PARTS_PER_UNIT,
    taken_parts: PARTS_PER_UNIT / 2,
    given_parts: 0,
    why: "120 ns, and 0.6 ns for a byte to copy, check and hand on",
};

/// `log`.
pub const LOG: ImportPrice = ImportPrice {
    name: "log",
    call_parts: 90 * PARTS_PER_UNIT,
    taken_parts: 3 * PARTS_PER_UNIT,
    given_parts: 0,
    why: "90 ns, and 4 to 5 ns for a byte: each character is looked at and escaped",
};

/// `legal`.
pub const LEGAL: ImportPrice = ImportPrice {
    name: "legal",
    call_parts: 100 * PARTS_PER_UNIT,
    taken_parts: 22 * PARTS_PER_UNIT,
    given_parts: 2 * PARTS_PER_UNIT,
    why: "2.5 µs for 224 moves of 590 bytes; the moves of a line, three bytes each, are parsed, \
          checked, played and taken back: 20 to 40 ns a byte",
};

/// `look`.
pub const LOOK: ImportPrice = ImportPrice {
    name: "look",
    call_parts: 350 * PARTS_PER_UNIT,
    taken_parts: 22 * PARTS_PER_UNIT,
    given_parts: 2 * PARTS_PER_UNIT,
    why: "650 ns for a position of 60 bytes, whose end is looked for; a line of moves as in `legal`",
};

/// `asset`.
pub const ASSET: ImportPrice = ImportPrice {
    name: "asset",
    call_parts: 150 * PARTS_PER_UNIT,
    taken_parts: PARTS_PER_UNIT,
    given_parts: 1,
    why: "190 ns to find it by its name, and 0.03 to 0.04 ns for a byte that is copied twice; a \
          part is the smallest price",
};

/// All of them.
pub const IMPORTS: [ImportPrice; 9] = [REPORT, LOG, LEFT, LEGAL, LOOK, ASSET, PROBE, STORE, CELL];
