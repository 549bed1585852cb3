//! Reads the positions of a suite file, JSON or EPD. Does not apply the rules of the game.

use std::path::Path;

use sha2::{Digest, Sha256};

use super::fault::{SuiteError, SuiteFault};
use super::raw_position::RawPosition;
use super::{epd, json};
use sandboard_common::files::read_regular;

/// The largest file, in bytes.
pub const FILE_BYTES: u64 = 16 * 1024 * 1024;
/// The most positions of a file.
pub const POSITIONS_MAX: usize = 20_000;

/// The content of a suite file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SuiteFile {
    /// The positions that could be read.
    pub positions: Vec<RawPosition>,
    /// The faults of the others.
    pub faults: Vec<SuiteFault>,
    /// The number of all positions.
    pub count: usize,
    /// The SHA-256 of the file, in hexadecimal.
    pub sha256: String,
}

impl SuiteFile {
    pub(super) fn add(&mut self, position: Result<RawPosition, Vec<SuiteFault>>) {
        self.count += 1;
        match position {
            Ok(position) => self.positions.push(position),
            Err(faults) => self.faults.extend(faults),
        }
    }
}

/// Reads a suite file. Faults of single positions are part of the [`SuiteFile`]. Err: the file
/// cannot be read, or has no positions.
pub fn read(path: &Path) -> Result<SuiteFile, SuiteError> {
    let failed = |source| SuiteError::Read { path: path.to_owned(), source };
    let bytes = read_regular(path, FILE_BYTES).map_err(failed)?;
    let file =
        parse(&bytes).map_err(|reason| SuiteError::Refused { path: path.to_owned(), reason })?;
    Ok(SuiteFile { sha256: sandboard_common::hex::hex(&Sha256::digest(&bytes)), ..file })
}

/// Parses the bytes of a suite file. Err: why it is not a suite.
pub(super) fn parse(bytes: &[u8]) -> Result<SuiteFile, String> {
    if bytes.len() as u64 > FILE_BYTES {
        return Err(format!("it has more than {FILE_BYTES} bytes"));
    }
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let line = 1 + bytes[..error.valid_up_to()].iter().filter(|b| **b == b'\n').count();
        format!("line {line} is not UTF-8")
    })?;
    let text = text.trim_start_matches('\u{feff}');
    let file = match text.trim_start().starts_with(['{', '[']) {
        true => json::read(text)?,
        false => epd::read(text)?,
    };
    match file.count {
        0 => Err("it has no position".into()),
        _ => Ok(file),
    }
}
