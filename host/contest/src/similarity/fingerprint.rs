//! The fingerprint of a component: hashes of what its functions do, step by step, without what is
//! quick to change (numbers, texts, names, order). Reads the bytes once; does not validate, compile
//! or run them.

use sandboard_games::splitmix;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use wasmparser::{FunctionBody, Parser, Payload};

use super::sample::Sample;
use sandboard_engine_wasm::scan::{FEATURES, LoadCaps, ScanError, to_component};

/// The number of steps that are hashed together. With fewer, unrelated loops look alike; with more,
/// one changed line hides its surroundings.
pub(super) const GRAM: usize = 16;

/// One hash of every `WINDOW` consecutive ones is kept, so that two functions that share
/// `GRAM + WINDOW - 1` steps in a row share a hash.
pub(super) const WINDOW: usize = 16;

/// The most hashes kept of runs of steps, and of whole functions. A sample engine of 450 KB has
/// 9,000 and 900; only much larger files are sampled.
const GRAMS: usize = 32_768;
const FUNCTIONS: usize = 8_192;

/// The multiplier of the rolling hash.
const BASE: u64 = 0x9e37_79b9_7f4a_7c15;

/// First bytes of operators in the binary format.
const LOCAL_GET: u8 = 0x20;
const LOCAL_TEE: u8 = 0x22;
const NOP: u8 = 0x01;
const BLOCK: u8 = 0x02;
const END: u8 = 0x0b;
/// First bytes after which a number selects the operator.
const PREFIXES: std::ops::RangeInclusive<u8> = 0xfb..=0xfe;

/// The fingerprint of a component: at most 160 KiB; 40 KiB for a sample engine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fingerprint {
    /// SHA-256 of all code and data, in hexadecimal: the same where only names and other custom
    /// sections differ.
    pub program: String,
    /// Whole functions of [`GRAM`] steps or more.
    pub(super) functions: Sample,
    /// Runs of [`GRAM`] steps.
    pub(super) grams: Sample,
}

impl Fingerprint {
    /// The fingerprint of an engine file; a core module has that of its component. Fails if the
    /// file is not a WebAssembly module within these caps.
    pub fn of_file(bytes: &[u8], caps: &LoadCaps) -> Result<Self, ScanError> {
        Self::of(&to_component(bytes, caps)?)
    }

    /// The fingerprint of a component. Fails if it cannot be read to its end.
    pub fn of(bytes: &[u8]) -> Result<Self, ScanError> {
        let mut parser = Parser::new(0);
        parser.set_features(FEATURES);
        let (mut functions, mut grams) = (Vec::new(), Vec::new());
        let mut program = Sha256::new();
        let mut steps = Vec::new();
        for payload in parser.parse_all(bytes) {
            match payload? {
                Payload::CodeSectionEntry(body) => {
                    program.update(body.as_bytes());
                    read(&body, &mut steps)?;
                    if steps.len() >= GRAM {
                        functions.push(whole(&steps));
                        winnow(&steps, &mut grams);
                    }
                }
                Payload::DataSection(section) => {
                    for segment in section {
                        program.update(segment?.data);
                    }
                }
                _ => {}
            }
        }
        Ok(Self {
            program: sandboard_common::hex::hex(&program.finalize()),
            functions: Sample::new(functions, FUNCTIONS),
            grams: Sample::new(grams, GRAMS),
        })
    }
}

/// The steps of a function: its operators without their operands. Locals and block ends are the
/// compiler's choice and do not count.
fn read(body: &FunctionBody<'_>, steps: &mut Vec<u64>) -> Result<(), ScanError> {
    steps.clear();
    let mut operators = body.get_operators_reader()?;
    while !operators.eof() {
        let mut number = operators.get_binary_reader();
        operators.read()?;
        let first = number.read_u8()?;
        let step = match first {
            NOP | BLOCK | END | LOCAL_GET..=LOCAL_TEE => continue,
            first if PREFIXES.contains(&first) => {
                u64::from(first) << 32 | u64::from(number.read_var_u32()?)
            }
            first => first.into(),
        };
        steps.push(splitmix::mix(step));
    }
    Ok(())
}

/// The hash of all steps of a function.
fn whole(steps: &[u64]) -> u32 {
    short(steps.iter().fold(steps.len() as u64, |hash, step| splitmix::mix(hash ^ step)))
}

/// The smallest hash of every [`WINDOW`] consecutive runs of [`GRAM`] steps: Schleimer, Wilkerson
/// and Aiken, "Winnowing: Local Algorithms for Document Fingerprinting", SIGMOD 2003. The hashes
/// roll (Karp and Rabin).
pub(super) fn winnow(steps: &[u64], grams: &mut Vec<u32>) {
    let leaving_factor = (1..GRAM).fold(1_u64, |power, _| power.wrapping_mul(BASE));
    let count = (steps.len() + 1).saturating_sub(GRAM);
    let mut rolling = 0_u64;
    // The last hashes, in a ring, and the place of the smallest among all hashes.
    let mut recent = [u32::MAX; WINDOW];
    let mut smallest = 0;
    let mut last = None;
    for (index, step) in steps.iter().enumerate() {
        if let Some(leaving) = index.checked_sub(GRAM) {
            rolling = rolling.wrapping_sub(steps[leaving].wrapping_mul(leaving_factor));
        }
        rolling = rolling.wrapping_mul(BASE).wrapping_add(*step);
        let Some(gram) = (index + 1).checked_sub(GRAM) else { continue };
        let hash = short(splitmix::mix(rolling));
        let is_gone = smallest + WINDOW <= gram;
        let is_smaller = hash <= recent[smallest % WINDOW];
        recent[gram % WINDOW] = hash;
        if is_smaller {
            smallest = gram;
        } else if is_gone {
            let places = gram + 1 - WINDOW..=gram;
            smallest = places.min_by_key(|place| recent[place % WINDOW]).unwrap_or(gram);
        }
        let found = recent[smallest % WINDOW];
        if gram + 1 >= WINDOW.min(count) && last != Some(found) {
            grams.push(found);
            last = Some(found);
        }
    }
}

/// The rolling hash of these steps.
#[cfg(test)]
pub(super) fn gram(steps: &[u64]) -> u32 {
    short(splitmix::mix(
        steps.iter().fold(0, |hash, step| hash.wrapping_mul(BASE).wrapping_add(*step)),
    ))
}

fn short(hash: u64) -> u32 {
    (hash >> 32) as u32
}
