//! What is in the drop-in folder: every engine of every pack and every bare
//! module, usable or not and why. Reads files, and unpacks zips into the user's
//! cache; nothing in the folder is run, compiled or loaded, and one broken thing takes no other down.

pub mod archive;
mod bare;
mod files;
mod find;
mod module;
mod overrides;
mod pack;
mod scan;
mod wire;

#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_find;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use sandboard_abi::{GameSpec, OptionSpec};
use serde::Serialize;

pub use archive::Shelf;
pub(crate) use archive::{Archive, Limits as ArchiveLimits};
pub(crate) use files::read_bounded;
pub use find::{FindError, compare_versions};
pub use module::{ModuleFacts, System, inspect, inspect_bytes};

pub use overrides::{ClaimError, Override};

use crate::engine::wasm::scan::LoadCaps;
use crate::manifest::{ModuleKind, PackFault, PackLimits};
use crate::process::Speech;

/// The largest asset, in bytes.
pub const ASSET_BYTES: u64 = 256 * 1024 * 1024;

/// What modules and assets of one pack may hold together, in bytes, each file
/// counted once.
pub const PACK_BYTES: u64 = 1024 * 1024 * 1024;

/// Packs and modules of an engines folder that are looked at, in the order of
/// their names; of more it is said how many there are.
pub const CANDIDATES: usize = 4096;

/// What the drop-in folder holds.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Catalog {
    /// By [`source`](Entry::source), then in the order of the manifest. Where
    /// there is more than [`CANDIDATES`], the last one says so.
    pub entries: Vec<Entry>,
}

/// Why there is no catalog.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CatalogError {
    /// The folder is not there or cannot be listed.
    #[error("the engines folder {} cannot be read: {reason}", dir.display())]
    Unreadable {
        /// The folder.
        dir: PathBuf,
        /// What the system says.
        reason: String,
    },
}

/// What an entry stands for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Subject {
    /// An engine of a manifest.
    #[default]
    Engine,
    /// A module by itself, named by the convention.
    Bare,
    /// A pack whose manifest as a whole is refused; never usable.
    Pack,
    /// A file that looks like a module and is none of the above; never usable.
    File,
}

/// Something in the drop-in folder. Of an unusable one, the fields are what
/// could be understood; the rest is empty.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Entry {
    /// What this is.
    pub subject: Subject,
    /// The engine's id; of a pack or a file its name.
    pub id: String,
    /// The engine's version.
    pub version: String,
    /// Its name for people.
    pub name: String,
    /// Who wrote it.
    pub author: String,
    /// What holds its code.
    pub kind: Option<ModuleKind>,
    /// What it plays.
    #[serde(serialize_with = "wire::games")]
    pub games: Vec<GameSpec>,
    /// The manifest or the bare file, relative to the engines folder.
    #[serde(serialize_with = "crate::manifest::path_text")]
    pub source: PathBuf,
    /// The line of the engine in its manifest.
    pub line: Option<u64>,
    /// Its module: canonical, inside the pack. Empty when there is none.
    #[serde(serialize_with = "crate::manifest::path_text")]
    pub module: PathBuf,
    /// The folder of the pack, canonical; the engines folder for a bare file.
    #[serde(serialize_with = "crate::manifest::path_text")]
    pub root: PathBuf,
    /// The hash of the module as it was found, 64 lower-case hexadecimal
    /// digits; empty when it was not read. Whoever loads it later must hash what
    /// it loads and compare: the file may have changed.
    pub sha256: String,
    /// How long the module is.
    pub module_bytes: u64,
    /// The border's number it was built for.
    pub abi: Option<u32>,
    /// What it asks for.
    pub limits: PackLimits,
    /// Its options, where they are known: see [`described`](Entry::described).
    #[serde(serialize_with = "wire::options")]
    pub options: Vec<OptionSpec>,
    /// Whether `options` are all there are. A manifest that names options
    /// settles them; otherwise whoever has asked the engine to describe itself
    /// fills them in and sets this.
    pub described: bool,
    /// Options and the values that they have in this engine when nobody sets them.
    #[serde(serialize_with = "wire::presets")]
    pub presets: Vec<(String, String)>,
    /// How it is spoken to, where it is a program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speech: Option<Speech>,
    /// Its files.
    pub assets: Vec<Asset>,
    /// Whether it goes before all others of its id, because somebody works on it:
    /// `sandboard dev` does that.
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
    /// Where it is: canonical, inside the pack.
    #[serde(serialize_with = "crate::manifest::path_text")]
    pub path: PathBuf,
    /// Its hash as the manifest wants and as it was found.
    pub sha256: String,
    /// How long it is.
    pub bytes: u64,
}

/// Whether an entry can be played.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(tag = "status", content = "faults", rename_all = "kebab-case")]
pub enum Status {
    /// As far as can be told without running it. A native one still needs trust.
    #[default]
    Usable,
    /// Not; everything that is wrong with it, at least one thing.
    Unusable(Vec<PackFault>),
}

impl Catalog {
    /// What one pack holds, of which `folder` is the folder and whose wasm may be as
    /// large as `caps` say.
    pub fn read_pack(folder: &Path, caps: &LoadCaps) -> Result<Catalog, CatalogError> {
        let root = std::fs::canonicalize(folder).map_err(|error| CatalogError::Unreadable {
            dir: folder.to_owned(),
            reason: error.to_string(),
        })?;
        Ok(Catalog { entries: pack::read(&root, Path::new(""), caps).entries })
    }
}

impl Entry {
    /// Whether it can be played.
    pub fn is_usable(&self) -> bool {
        self.status == Status::Usable
    }

    /// Whether the operator must trust it before it runs.
    pub fn needs_trust(&self) -> bool {
        matches!(self.kind, Some(ModuleKind::Native | ModuleKind::Process))
    }

    /// The files that it may read: name and SHA-256 in hexadecimal.
    pub fn asset_hashes(&self) -> BTreeMap<String, String> {
        let hash = |asset: &Asset| (asset.name.clone(), asset.sha256.clone());
        self.assets.iter().map(hash).collect()
    }

    /// What is wrong with it; empty when it is usable.
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
