//! The catalog of an engines folder: every engine and game of every pack and every bare module,
//! with the faults of those that are unusable. Reads files, and unpacks zip files into the user's
//! cache.
//!
//! Invariant: nothing in the folder is run, compiled or loaded.
//! Invariant: a broken pack does not hide any other.

mod archive;
mod bare_module;
mod files;
mod find;
mod game;
mod json;
mod module;
mod overrides;
mod pack;
mod scan;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use sandboard_abi::{GameSpec, OptionSpec};
use sandboard_games::Games;
use serde::Serialize;

pub use find::{FindError, compare_versions};
pub use game::GameEntry;
pub use module::{ModuleInfo, inspect, inspect_bytes, module_bytes_max};
pub use overrides::{ClaimError, OverrideClaim};

use crate::game_loader::GameLoader;
use crate::manifest::{ModuleKind, PackFault, PackLimits, Purpose};
use pack::PackPlace;
use sandboard_engine_wasm::scan::LoadCaps;
use sandboard_protocols::ProtocolConfig;

/// The largest asset, in bytes.
pub const ASSET_BYTES_MAX: u64 = 256 * 1024 * 1024;

/// The largest total size of the modules and assets of one pack, in bytes. Each file counts once.
pub const PACK_BYTES_MAX: u64 = 1024 * 1024 * 1024;

/// The most packs and bare modules of an engines folder that are read, in the order of their
/// names. The last catalog entry reports how many more there are.
pub const CANDIDATES_MAX: usize = 4096;

/// The engines of an engines folder.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Catalog {
    /// Sorted by [`source`](Entry::source), then in the order of the manifest. If there are more
    /// than [`CANDIDATES_MAX`] candidates, the last entry says so.
    pub entries: Vec<Entry>,
    /// The plugged-in games, in the same order.
    #[serde(rename = "games")]
    pub game_entries: Vec<GameEntry>,
    /// The games that its engines may play.
    #[serde(skip)]
    pub games: Games,
}

/// What reading an entry depends on beside its files.
#[derive(Clone, Copy)]
pub(crate) struct ScanContext<'a> {
    /// The games that an engine may name.
    pub(crate) games: &'a Games,
    /// Limits for WebAssembly modules.
    pub(crate) caps: &'a LoadCaps,
}

/// Why a folder has no catalog.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CatalogError {
    /// The folder is missing or cannot be listed.
    #[error("the engines folder {} cannot be read: {reason}", dir.display())]
    Unreadable {
        dir: PathBuf,
        /// The error of the system.
        reason: String,
    },
}

/// What a catalog entry describes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum EntryKind {
    /// An engine of a manifest.
    #[default]
    Engine,
    /// A module without a manifest, whose file name follows the naming convention.
    BareModule,
    /// A pack whose whole manifest is rejected; never usable.
    Pack,
    /// A file with the extension of a module, but another name than the convention's; never usable.
    UnknownFile,
}

/// One engine, or an unusable pack or file, of an engines folder. The fields of an unusable entry
/// hold what could be read; the others are empty.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Entry {
    /// What the entry describes.
    pub entry_kind: EntryKind,
    /// The engine's id; for a pack or an unknown file, its name.
    pub id: String,
    /// The engine's version.
    pub version: String,
    /// The engine's name for people.
    pub name: String,
    /// The author's name.
    pub author: String,
    /// The kind of its module.
    pub kind: Option<ModuleKind>,
    /// What it is for. A bare module is for play.
    pub purpose: Purpose,
    /// The games that it plays.
    #[serde(serialize_with = "json::games")]
    pub games: Vec<GameSpec>,
    /// The manifest or the bare file, relative to the engines folder.
    #[serde(serialize_with = "crate::manifest::path_text")]
    pub source: PathBuf,
    /// The line of its `Engine` element in the manifest, from 1.
    pub line: Option<u64>,
    /// The canonical path of its module, inside the pack. Empty if there is none.
    #[serde(serialize_with = "crate::manifest::path_text")]
    pub module: PathBuf,
    /// The canonical folder of the pack; for a bare module, the engines folder.
    #[serde(serialize_with = "crate::manifest::path_text")]
    pub root: PathBuf,
    /// The SHA-256 of the module at the time of the scan, 64 lower-case hexadecimal digits. Empty
    /// if the module was not read. The file may change later, so a loader must hash what it loads
    /// and compare.
    pub sha256: String,
    /// The size of the module.
    pub module_bytes: u64,
    /// The ABI number that it was built for.
    pub abi: Option<u32>,
    /// The resources that it requests.
    pub limits: PackLimits,
    /// Its options, as far as they are known: see [`options_complete`](Entry::options_complete).
    #[serde(serialize_with = "json::options")]
    pub options: Vec<OptionSpec>,
    /// Whether `options` lists all options. True if the manifest declares options, or after the
    /// engine's own description was filled in.
    pub options_complete: bool,
    /// Options with the values that this engine presets.
    #[serde(serialize_with = "json::presets")]
    pub presets: Vec<(String, String)>,
    /// The protocol of an external engine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protocol_config: Option<ProtocolConfig>,
    /// The files that it may read.
    pub assets: Vec<Asset>,
    /// Whether it takes precedence over all other engines of its id. `sandboard dev` sets this for
    /// the engine under development.
    pub overrides: bool,
    /// Whether it can be played.
    #[serde(flatten)]
    pub status: Status,
}

/// A file that an engine may read, checked against its hash.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Asset {
    /// The name that the engine asks for.
    pub name: String,
    /// Its canonical path, inside the pack.
    #[serde(serialize_with = "crate::manifest::path_text")]
    pub path: PathBuf,
    /// Its SHA-256, in the manifest and on disk.
    pub sha256: String,
    pub bytes: u64,
}

/// Whether an entry can be played.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(tag = "status", content = "faults", rename_all = "kebab-case")]
pub enum Status {
    /// No fault was found without running it. Native and external engines still need trust.
    #[default]
    Usable,
    /// Unusable, with all its faults (at least one).
    Unusable(Vec<PackFault>),
}

impl Catalog {
    /// Reads the pack in `folder`, whose engines may play its own games and these.
    pub fn read_pack(
        folder: &Path,
        games: &Games,
        game_loader: &GameLoader,
    ) -> Result<Catalog, CatalogError> {
        let root = std::fs::canonicalize(folder).map_err(|error| CatalogError::Unreadable {
            dir: folder.to_owned(),
            reason: error.to_string(),
        })?;
        let (pack, caps) = (PackPlace { root, place: PathBuf::new() }, game_loader.load_caps());
        let game_entries = pack.games(caps);
        let newest = game::newest(&game_entries);
        let games = games.with(newest.into_iter().map(|game| game_loader.row(game)));
        let entries = pack.read(ScanContext { games: &games, caps }).entries;
        Ok(Catalog { entries, game_entries, games })
    }
}

impl Entry {
    /// Whether it can be played.
    pub fn is_usable(&self) -> bool {
        self.status == Status::Usable
    }

    /// Whether the operator must trust the module before it runs.
    pub fn needs_trust(&self) -> bool {
        matches!(self.kind, Some(ModuleKind::Native | ModuleKind::External))
    }

    /// The files that it may read: SHA-256 in hexadecimal by name.
    pub fn asset_hashes(&self) -> BTreeMap<String, String> {
        let hash = |asset: &Asset| (asset.name.clone(), asset.sha256.clone());
        self.assets.iter().map(hash).collect()
    }

    /// Its faults; empty if it is usable.
    pub fn faults(&self) -> &[PackFault] {
        match &self.status {
            Status::Usable => &[],
            Status::Unusable(faults) => faults,
        }
    }

    fn with_faults(mut self, faults: Vec<PackFault>) -> Self {
        self.status = if faults.is_empty() { Status::Usable } else { Status::Unusable(faults) };
        self
    }

    fn add_fault(&mut self, fault: PackFault) {
        match &mut self.status {
            Status::Usable => self.status = Status::Unusable(vec![fault]),
            Status::Unusable(faults) => faults.push(fault),
        }
    }
}
