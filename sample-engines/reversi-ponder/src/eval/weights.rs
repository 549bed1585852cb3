//! The weights of the evaluation: the format of their file, and the tables made from it. Opens no
//! file itself.
//!
//! The file has a header and, for each of seven numbers of discs (the *knots*), one byte for each
//! class of each pattern, for each number of moves of either side, and for an even and an odd
//! number of empty squares. The statistics of ProbCut are at its end. A byte `q` is a weight of
//! `q·|q| / 8` in 128ths of a disc: small weights are stored finely, and the largest is 15.75
//! discs.

use std::fmt;
use std::sync::LazyLock;

use super::patterns::STATES;
use super::prob_cut::{CUT_BYTES, CutTable};
use super::state_classes::{self, CLASSES};

/// The value of a disc in the tables.
pub const DISC: i32 = 128;

/// The numbers of discs with weights of their own; between them weights are interpolated.
pub const KNOTS: [u32; 7] = [12, 20, 28, 36, 44, 52, 60];

/// Larger numbers of moves count as this.
pub const MOVES_MAX: usize = 31;

/// The index of a knot's weights for the number of own moves; they follow those of the patterns.
pub const OWN_MOVES: usize = CLASSES;
/// The index of a knot's weights for the number of the opponent's moves.
pub const OPPONENT_MOVES: usize = OWN_MOVES + MOVES_MAX + 1;
/// The index of a knot's two weights for an even and an odd number of empty squares.
pub const PARITY: usize = OPPONENT_MOVES + MOVES_MAX + 1;
/// The number of weights of a knot.
pub const KNOT: usize = PARITY + 2;

/// The number of stages with tables, of four discs each.
const STAGES: usize = 16;
const STAGE_DISCS: u32 = 4;
/// The number of weights after the states in the table of a stage.
const EXTRA: usize = KNOT - CLASSES;
const STAGE: usize = STATES + EXTRA;

const MAGIC: [u8; 8] = *b"sb-rvrsi";
const VERSION: u32 = 1;
const HEADER: usize = 32;
/// The size of the file in bytes.
pub const FILE_BYTES: usize = HEADER + KNOTS.len() * KNOT + CUT_BYTES;

/// The reason why bytes are not a valid file of weights.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WeightsError(String);

impl fmt::Display for WeightsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the weights of reversi: {}", self.0)
    }
}

impl std::error::Error for WeightsError {}

/// Weights as tables for evaluation.
#[derive(Clone, PartialEq, Eq)]
pub struct Weights {
    seed: u64,
    /// For each stage: the weights of all states, then those for mobility and parity.
    tables: Vec<i16>,
    cuts: CutTable,
}

impl fmt::Debug for Weights {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Weights").field("seed", &self.seed).finish_non_exhaustive()
    }
}

impl Weights {
    /// The weights of the engine.
    pub fn built_in() -> &'static Weights {
        static BUILT_IN: LazyLock<Weights> = LazyLock::new(|| {
            Weights::read(include_bytes!("../../weights.bin")).expect("the weights are valid")
        });
        &BUILT_IN
    }

    /// Reads the bytes of a file of weights.
    ///
    /// # Errors
    /// If size, header, version or checksum are wrong.
    pub fn read(bytes: &[u8]) -> Result<Weights, WeightsError> {
        let error = |text: String| Err(WeightsError(text));
        if bytes.len() != FILE_BYTES {
            return error(format!("{} bytes instead of {FILE_BYTES}", bytes.len()));
        }
        let (header, body) = bytes.split_at(HEADER);
        if header[..8] != MAGIC {
            return error("bytes 0 to 7 are not those of a file of weights".into());
        }
        let version = number(&header[8..12]);
        if version != u64::from(VERSION) {
            return error(format!("version {version} at byte 8 instead of {VERSION}"));
        }
        let (expected, computed) = (number(&header[24..32]), checksum(body));
        if expected != computed {
            return error(format!(
                "checksum {expected:016x} at byte 24, but it is {computed:016x}"
            ));
        }
        let (knots, cuts) = body.split_at(KNOTS.len() * KNOT);
        Ok(Weights {
            seed: number(&header[16..24]),
            tables: tables(knots),
            cuts: CutTable::read(cuts),
        })
    }

    /// The bytes of a file with these weights, by knot, in discs. The same weights give the same
    /// bytes.
    pub fn write(knots: &[Vec<f32>], cuts: &CutTable, seed: u64) -> Vec<u8> {
        let mut body: Vec<u8> = knots.iter().flatten().map(|&w| pack(w) as u8).collect();
        cuts.write(&mut body);
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend([0; 4]);
        bytes.extend(seed.to_le_bytes());
        bytes.extend(checksum(&body).to_le_bytes());
        bytes.extend(body);
        bytes
    }

    /// The seed of the training.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The statistics of ProbCut.
    pub fn cut_table(&self) -> &CutTable {
        &self.cuts
    }

    /// The table for this number of discs.
    #[inline]
    pub(super) fn table(&self, discs: u32) -> StageTable<'_> {
        let stage = (discs / STAGE_DISCS) as usize % STAGES;
        let (states, extra) = self.tables[stage * STAGE..][..STAGE].split_at(STATES);
        StageTable { states, extra }
    }
}

/// The weights of one stage.
pub(super) struct StageTable<'a> {
    pub(super) states: &'a [i16],
    extra: &'a [i16],
}

impl StageTable<'_> {
    /// The sum of the weights for mobility and parity.
    #[inline]
    pub(super) fn extra(&self, own_moves: u32, opponent_moves: u32, discs: u32) -> i32 {
        let own = OWN_MOVES - CLASSES + (own_moves as usize).min(MOVES_MAX);
        let opponent = OPPONENT_MOVES - CLASSES + (opponent_moves as usize).min(MOVES_MAX);
        let parity = PARITY - CLASSES + (discs & 1) as usize;
        [own, opponent, parity].into_iter().map(|index| i32::from(self.extra[index])).sum()
    }
}

/// A little-endian number of up to eight bytes.
fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
}

/// FNV-1a (Fowler, Noll, Vo, 1991).
fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |sum, &byte| {
        (sum ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// A weight as 128ths of a disc.
fn unpack(byte: u8) -> i32 {
    let q = i32::from(byte as i8);
    q * q.abs() / 8
}

/// The byte nearest to a weight in discs.
fn pack(weight: f32) -> i8 {
    let q = (weight.abs() * (8 * DISC) as f32).sqrt().round().min(127.0) as i8;
    if weight < 0.0 { -q } else { q }
}

/// The two knots around a number of discs, and the share of the second one in eighths.
pub fn knots_around(discs: u32) -> (usize, usize, i32) {
    let last = KNOTS.len() - 1;
    let discs = discs.clamp(KNOTS[0], KNOTS[last]);
    let first = (((discs - KNOTS[0]) / 8) as usize).min(last - 1);
    (first, first + 1, (discs - KNOTS[first]) as i32)
}

/// The tables of all stages, each for the number of discs in its middle.
fn tables(knots: &[u8]) -> Vec<i16> {
    let classes = state_classes::classes_of_states();
    let mut tables = Vec::with_capacity(STAGES * STAGE);
    for stage in 0..STAGES as u32 {
        let (first, second, part) = knots_around(stage * STAGE_DISCS + STAGE_DISCS / 2);
        let weight = |index: usize| {
            let [a, b] = [first, second].map(|knot| unpack(knots[knot * KNOT + index]));
            ((a * (8 - part) + b * part) / 8) as i16
        };
        let mixed: Vec<i16> = (0..KNOT).map(weight).collect();
        tables.extend(classes.iter().map(|&class| mixed[class as usize]));
        tables.extend(&mixed[CLASSES..]);
    }
    tables
}
