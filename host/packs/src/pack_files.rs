//! The bytes of an engine or of a game's rules, for a copy elsewhere. Every file is the one that
//! was listed.

use sandboard_engine::Fault;

use crate::catalog::{Entry, GameEntry};
use crate::loader::read_checked;

/// The files of an engine.
pub struct EngineFiles {
    pub module: Vec<u8>,
    /// The files that it may read: name and bytes.
    pub assets: Vec<(String, Vec<u8>)>,
}

/// Reads the files of a usable entry. Err: one of them has changed since the scan.
pub fn engine_files(entry: &Entry) -> Result<EngineFiles, Fault> {
    let module = read_checked(&entry.module, &entry.sha256, entry.module_bytes)?;
    let mut assets = Vec::with_capacity(entry.assets.len());
    for asset in &entry.assets {
        let bytes = read_checked(&asset.path, &asset.sha256, asset.bytes)?;
        assets.push((asset.name.clone(), bytes));
    }
    Ok(EngineFiles { module, assets })
}

/// Reads the file of a usable entry with this SHA-256: its module, or a file that it may read.
/// `None`: it has no such file. Err: the file has changed since the scan.
pub fn engine_file(entry: &Entry, sha256: &str) -> Option<Result<Vec<u8>, Fault>> {
    if entry.sha256 == sha256 {
        return Some(read_checked(&entry.module, sha256, entry.module_bytes));
    }
    let asset = entry.assets.iter().find(|asset| asset.sha256 == sha256)?;
    Some(read_checked(&asset.path, sha256, asset.bytes))
}

/// Reads the rules of a usable game. Err: the file has changed since the scan.
pub fn rules_module(entry: &GameEntry) -> Result<Vec<u8>, Fault> {
    read_checked(&entry.module, &entry.sha256, entry.module_bytes)
}
