//! The weights of the evaluation: their file, and the tables made of it. Reads
//! no file itself.
//!
//! The file has a header and then, for each of seven numbers of discs (the
//! *knots*), a byte for each class of each shape, for each number of moves of
//! either side, and for an even and an odd number of empty squares; at its end
//! the figures of probable cuts. A byte `q` stands for `q·|q| / 8` of 128ths of
//! a disc: small weights are told finely, and the largest are 15.75 discs.

use std::fmt;
use std::sync::LazyLock;

use super::classes::{self, CLASSES};
use super::cuts::{CUT_BYTES, Cuts};
use super::shapes::STATES;

/// What a disc is worth in the tables.
pub const DISC: i32 = 128;

/// The numbers of discs for which weights are kept; between them they are mixed.
pub const KNOTS: [u32; 7] = [12, 20, 28, 36, 44, 52, 60];

/// Numbers of moves from here up count as this.
pub const MOVES_MAX: usize = 31;

/// Where the weights of a knot that belong to no shape begin: own moves, the
/// opponent's moves, then the parity of the empty squares.
pub const OWN_MOVES: usize = CLASSES;
/// The opponent's moves.
pub const OPPONENT_MOVES: usize = OWN_MOVES + MOVES_MAX + 1;
/// An even number of empty squares, and an odd one.
pub const PARITY: usize = OPPONENT_MOVES + MOVES_MAX + 1;
/// All weights of a knot.
pub const KNOT: usize = PARITY + 2;

/// The stages of the game for which there are tables: four discs more each.
const STAGES: usize = 16;
const STAGE_DISCS: u32 = 4;
/// What stands behind the states in the table of a stage.
const EXTRA: usize = KNOT - CLASSES;
const STAGE: usize = STATES + EXTRA;

const MAGIC: [u8; 8] = *b"sb-rvrsi";
const VERSION: u32 = 1;
const HEADER: usize = 32;
/// The whole file.
pub const FILE: usize = HEADER + KNOTS.len() * KNOT + CUT_BYTES;

/// Why bytes are no weights.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WeightsError(String);

impl fmt::Display for WeightsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the weights of reversi: {}", self.0)
    }
}

impl std::error::Error for WeightsError {}

/// Weights, ready to be looked up.
#[derive(Clone, PartialEq, Eq)]
pub struct Weights {
    seed: u64,
    /// By stage: all states, then what belongs to no shape.
    tables: Vec<i16>,
    cuts: Cuts,
}

impl fmt::Debug for Weights {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Weights").field("seed", &self.seed).finish_non_exhaustive()
    }
}

impl Weights {
    /// Those that belong to the engine.
    pub fn own() -> &'static Weights {
        static OWN: LazyLock<Weights> = LazyLock::new(|| {
            Weights::read(include_bytes!("../../weights.bin")).expect("a test reads them")
        });
        &OWN
    }

    /// Reads a file of weights.
    pub fn read(bytes: &[u8]) -> Result<Weights, WeightsError> {
        let error = |text: String| Err(WeightsError(text));
        if bytes.len() != FILE {
            return error(format!("{} bytes, where {FILE} are expected", bytes.len()));
        }
        let (header, body) = bytes.split_at(HEADER);
        if header[..8] != MAGIC {
            return error("bytes 0 to 7 are not those of such a file".into());
        }
        let version = number(&header[8..12]);
        if version != u64::from(VERSION) {
            return error(format!("version {version} at byte 8, where {VERSION} is read"));
        }
        let (said, found) = (number(&header[24..32]), checksum(body));
        if said != found {
            return error(format!("checksum {said:016x} at byte 24, but {found:016x} is found"));
        }
        let (knots, cuts) = body.split_at(KNOTS.len() * KNOT);
        Ok(Weights { seed: number(&header[16..24]), tables: tables(knots), cuts: Cuts::read(cuts) })
    }

    /// Writes a file of weights: by knot, in discs. Bytes are the same for the same numbers.
    pub fn write(knots: &[Vec<f32>], cuts: &Cuts, seed: u64) -> Vec<u8> {
        let mut body: Vec<u8> = knots.iter().flatten().map(|&w| packed(w) as u8).collect();
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

    /// The figures of probable cuts.
    pub fn cuts(&self) -> &Cuts {
        &self.cuts
    }

    /// The table for so many discs.
    #[inline]
    pub(super) fn table(&self, discs: u32) -> Table<'_> {
        let stage = (discs / STAGE_DISCS) as usize % STAGES;
        let (states, extra) = self.tables[stage * STAGE..][..STAGE].split_at(STATES);
        Table { states, extra }
    }
}

/// The weights of one stage.
pub(super) struct Table<'a> {
    pub(super) states: &'a [i16],
    extra: &'a [i16],
}

impl Table<'_> {
    /// What belongs to no shape.
    #[inline]
    pub(super) fn extra(&self, own_moves: u32, opponent_moves: u32, discs: u32) -> i32 {
        let own = OWN_MOVES - CLASSES + (own_moves as usize).min(MOVES_MAX);
        let opponent = OPPONENT_MOVES - CLASSES + (opponent_moves as usize).min(MOVES_MAX);
        let parity = PARITY - CLASSES + (discs & 1) as usize;
        [own, opponent, parity].into_iter().map(|index| i32::from(self.extra[index])).sum()
    }
}

/// A number of up to eight bytes, the lowest first.
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
fn unpacked(byte: u8) -> i32 {
    let q = i32::from(byte as i8);
    q * q.abs() / 8
}

/// The byte that comes nearest to a weight in discs.
fn packed(weight: f32) -> i8 {
    let q = (weight.abs() * (8 * DISC) as f32).sqrt().round().min(127.0) as i8;
    if weight < 0.0 { -q } else { q }
}

/// The two knots between which a number of discs lies, and how near it is to the
/// second, in eighths.
pub fn between(discs: u32) -> (usize, usize, i32) {
    let last = KNOTS.len() - 1;
    let discs = discs.clamp(KNOTS[0], KNOTS[last]);
    let first = (((discs - KNOTS[0]) / 8) as usize).min(last - 1);
    (first, first + 1, (discs - KNOTS[first]) as i32)
}

/// The tables of all stages, each for the discs in its middle.
fn tables(knots: &[u8]) -> Vec<i16> {
    let classes = classes::of_states();
    let mut tables = Vec::with_capacity(STAGES * STAGE);
    for stage in 0..STAGES as u32 {
        let (first, second, part) = between(stage * STAGE_DISCS + STAGE_DISCS / 2);
        let weight = |index: usize| {
            let [a, b] = [first, second].map(|knot| unpacked(knots[knot * KNOT + index]));
            ((a * (8 - part) + b * part) / 8) as i16
        };
        let mixed: Vec<i16> = (0..KNOT).map(weight).collect();
        tables.extend(classes.iter().map(|&class| mixed[class as usize]));
        tables.extend(&mixed[CLASSES..]);
    }
    tables
}
