//! What is kept of a component to compare it with others: hashes of what its functions do, step by step, without what is
//! changed in a minute (numbers, texts, names, order). Reads bytes once; neither validates, compiles nor runs them.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use wasmparser::{FunctionBody, Parser, Payload};

use super::sample::Sample;
use crate::engine::wasm::scan::{FEATURES, LoadCaps, Refusal, component};

/// Steps of a function that are hashed together. Fewer, and unrelated loops look alike; more, and one line that was
/// changed hides all around it.
pub(super) const GRAM: usize = 16;

/// One hash is kept of every so many that follow each other, so that two functions which share `GRAM + WINDOW - 1`
/// steps in a row share a hash.
pub(super) const WINDOW: usize = 16;

/// Hashes that are kept of runs of steps, and of whole functions. A sample engine of 450 KB has 9,000 and 900; only a file
/// that is much larger is sampled more coarsely.
const GRAMS: usize = 32_768;
const FUNCTIONS: usize = 8_192;

/// What a rolling hash is multiplied with at each step.
const BASE: u64 = 0x9e37_79b9_7f4a_7c15;

/// What operators begin with in the binary format.
const LOCAL_GET: u8 = 0x20;
const LOCAL_TEE: u8 = 0x22;
const NOP: u8 = 0x01;
const BLOCK: u8 = 0x02;
const END: u8 = 0x0b;
/// Those of which the next number says which one it is.
const PREFIXES: std::ops::RangeInclusive<u8> = 0xfb..=0xfe;

/// What is kept of a component: at most 160 KiB as numbers, of a sample engine 40 KiB.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fingerprint {
    /// SHA-256 of all code and data, in hexadecimal: the same where only names and other custom sections differ.
    pub program: String,
    /// Whole functions of [`GRAM`] steps or more.
    pub(super) functions: Sample,
    /// Runs of [`GRAM`] steps.
    pub(super) grams: Sample,
}

impl Fingerprint {
    /// Of the file of an engine: a core module has the fingerprint of its component. Err: it is none, by these caps.
    pub fn of_file(bytes: &[u8], caps: &LoadCaps) -> Result<Self, Refusal> {
        Self::of(&component(bytes, caps)?)
    }

    /// Of a component. Err: it cannot be read to its end.
    pub fn of(bytes: &[u8]) -> Result<Self, Refusal> {
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
            program: crate::hex(&program.finalize()),
            functions: Sample::new(functions, FUNCTIONS),
            grams: Sample::new(grams, GRAMS),
        })
    }
}

/// The steps of a function: its operators without what they are applied to. Which local a value waits in, and where a block
/// ends, is the compiler's choice and no step.
fn read(body: &FunctionBody<'_>, steps: &mut Vec<u64>) -> Result<(), Refusal> {
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
        steps.push(mixed(step));
    }
    Ok(())
}

/// The hash of all steps of a function.
fn whole(steps: &[u64]) -> u32 {
    short(steps.iter().fold(steps.len() as u64, |hash, step| mixed(hash ^ step)))
}

/// Of the hashes of each [`GRAM`] steps in a row the smallest of every [`WINDOW`]: Schleimer, Wilkerson and Aiken, "Winnowing: Local
/// Algorithms for Document Fingerprinting", SIGMOD 2003. The hashes roll (Karp and Rabin).
pub(super) fn winnow(steps: &[u64], grams: &mut Vec<u32>) {
    let gone = (1..GRAM).fold(1_u64, |power, _| power.wrapping_mul(BASE));
    let count = (steps.len() + 1).saturating_sub(GRAM);
    let mut rolling = 0_u64;
    // The last hashes, in a ring, and the place of the smallest among all hashes.
    let mut recent = [u32::MAX; WINDOW];
    let mut smallest = 0;
    let mut last = None;
    for (index, step) in steps.iter().enumerate() {
        if let Some(leaving) = index.checked_sub(GRAM) {
            rolling = rolling.wrapping_sub(steps[leaving].wrapping_mul(gone));
        }
        rolling = rolling.wrapping_mul(BASE).wrapping_add(*step);
        let Some(gram) = (index + 1).checked_sub(GRAM) else { continue };
        let hash = short(mixed(rolling));
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

/// The hash of so many steps, as it rolls.
#[cfg(test)]
pub(super) fn gram(steps: &[u64]) -> u32 {
    short(mixed(steps.iter().fold(0, |hash, step| hash.wrapping_mul(BASE).wrapping_add(*step))))
}

/// Every bit of the number changes half of the others: the finalizer of SplitMix64.
fn mixed(number: u64) -> u64 {
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

fn short(hash: u64) -> u32 {
    (hash >> 32) as u32
}
