//! From a file to the positions in it, JSON or lines. Knows no rule of a game.

use std::io::Read;
use std::path::Path;

use sha2::{Digest, Sha256};

use super::draft::Draft;
use super::fault::{SuiteError, SuiteFault};
use super::{epd, json};

/// The largest file, in bytes.
pub const FILE_BYTES: u64 = 16 * 1024 * 1024;
/// Most positions of a file.
pub const POSITIONS_MAX: usize = 20_000;

/// What a file holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Drafts {
    /// Its positions that can be read.
    pub drafts: Vec<Draft>,
    /// What is wrong with the others.
    pub faults: Vec<SuiteFault>,
    /// How many positions it has in all.
    pub count: usize,
    /// The SHA-256 of the file, in hexadecimal.
    pub sha256: String,
}

impl Drafts {
    pub(super) fn add(&mut self, draft: Result<Draft, Vec<SuiteFault>>) {
        self.count += 1;
        match draft {
            Ok(draft) => self.drafts.push(draft),
            Err(faults) => self.faults.extend(faults),
        }
    }
}

/// Reads a file. Err: it holds no positions; what is wrong with single ones is
/// among the [`Drafts`].
pub fn read(path: &Path) -> Result<Drafts, SuiteError> {
    let failed = |source| SuiteError::Read { path: path.to_owned(), source };
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).map_err(failed)?;
    file.take(FILE_BYTES + 1).read_to_end(&mut bytes).map_err(failed)?;
    let drafts =
        parse(&bytes).map_err(|reason| SuiteError::Refused { path: path.to_owned(), reason })?;
    Ok(Drafts { sha256: crate::hex(&Sha256::digest(&bytes)), ..drafts })
}

/// Reads the bytes of a file. Err: the reason why it is none of positions.
pub(super) fn parse(bytes: &[u8]) -> Result<Drafts, String> {
    if bytes.len() as u64 > FILE_BYTES {
        return Err(format!("it has more than {FILE_BYTES} bytes"));
    }
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let line = 1 + bytes[..error.valid_up_to()].iter().filter(|b| **b == b'\n').count();
        format!("line {line} is not UTF-8")
    })?;
    let text = text.trim_start_matches('\u{feff}');
    let drafts = match text.trim_start().starts_with(['{', '[']) {
        true => json::read(text)?,
        false => epd::read(text)?,
    };
    match drafts.count {
        0 => Err("it holds no position".into()),
        _ => Ok(drafts),
    }
}
