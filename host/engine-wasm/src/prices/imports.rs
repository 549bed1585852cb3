//! The prices of the ABI's imports: for the call into the host, and for the host's work. They
//! depend only on the sizes of inputs and outputs, which are the same whenever a call is repeated.

use super::PARTS_PER_UNIT;

/// The price of an import, in parts of a unit of fuel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImportPrice {
    /// The import's name in the ABI.
    pub name: &'static str,
    /// Price of a call.
    pub call_parts: u64,
    /// Price of each byte of text that the engine passes in.
    pub input_byte_parts: u64,
    /// Price of each byte of text or data that the engine gets back.
    pub output_byte_parts: u64,
    /// The reason for the price, with the measured time.
    pub reason: &'static str,
}

impl ImportPrice {
    /// The price of a call with this number of input bytes.
    pub(crate) fn input_price(&self, bytes: usize) -> u64 {
        self.call_parts.saturating_add(self.input_byte_parts.saturating_mul(bytes as u64))
    }

    /// The additional price of this number of output bytes.
    pub(crate) fn output_price(&self, bytes: usize) -> u64 {
        self.output_byte_parts.saturating_mul(bytes as u64)
    }
}

/// 50 units: the price of a call into the host and back.
const ROUND_TRIP: u64 = 50 * PARTS_PER_UNIT;

const fn fixed(name: &'static str, reason: &'static str) -> ImportPrice {
    ImportPrice { name, call_parts: ROUND_TRIP, input_byte_parts: 0, output_byte_parts: 0, reason }
}

/// The price of `left`.
pub(crate) const LEFT: ImportPrice = fixed("left", "a call into the host and back: 45 to 55 ns");
/// The price of `probe`.
pub(crate) const PROBE: ImportPrice =
    fixed("probe", "as `left`; a slot of the table is one memory access");
/// The price of `store`.
pub(crate) const STORE: ImportPrice = fixed("store", "as `probe`");
/// The price of `cell`.
pub(crate) const CELL: ImportPrice = fixed("cell", "as `left`; a cell is one memory access");

/// The price of `report`.
pub(crate) const REPORT: ImportPrice = ImportPrice {
    name: "report",
    call_parts: 110 * PARTS_PER_UNIT,
    input_byte_parts: PARTS_PER_UNIT / 2,
    output_byte_parts: 0,
    reason: "105 ns, and 0.3 ns a byte to copy, check and pass on",
};

/// The price of `log`.
pub(crate) const LOG: ImportPrice = ImportPrice {
    name: "log",
    call_parts: 90 * PARTS_PER_UNIT,
    input_byte_parts: 3 * PARTS_PER_UNIT,
    output_byte_parts: 0,
    reason: "80 ns, and 3 ns a byte: each character is checked and escaped",
};

/// The price of `legal`.
pub(crate) const LEGAL: ImportPrice = ImportPrice {
    name: "legal",
    call_parts: 100 * PARTS_PER_UNIT,
    input_byte_parts: 22 * PARTS_PER_UNIT,
    output_byte_parts: 2 * PARTS_PER_UNIT,
    reason: "1.8 µs for 224 moves of 764 bytes; the moves of a line, three bytes each, are parsed, \
          checked, played and taken back: 20 ns a byte",
};

/// The price of `look`.
pub(crate) const LOOK: ImportPrice = ImportPrice {
    name: "look",
    call_parts: 350 * PARTS_PER_UNIT,
    input_byte_parts: 22 * PARTS_PER_UNIT,
    output_byte_parts: 2 * PARTS_PER_UNIT,
    reason: "450 ns for a position of 46 bytes, including the check whether the game is over; a line \
        of moves as in `legal`",
};

/// The price of `asset`.
pub(crate) const ASSET: ImportPrice = ImportPrice {
    name: "asset",
    call_parts: 150 * PARTS_PER_UNIT,
    input_byte_parts: PARTS_PER_UNIT,
    output_byte_parts: 2,
    reason: "150 ns to find the asset by name, and 0.03 ns for each byte, which is copied twice",
};

/// The prices of all imports.
pub const IMPORT_PRICES: [ImportPrice; 9] =
    [REPORT, LOG, LEFT, LEGAL, LOOK, ASSET, PROBE, STORE, CELL];
