//! Reads `EngineConfigs.xml`: what engines a pack holds, what they play and
//! what they may be given. One pass finds every fault of a text. Reads text
//! only: it opens no file, and whether a module exists is the catalog's matter.
//!
//! [`SCHEMA`] is the one table behind the parser and `docs/EngineConfigs.xsd`;
//! the reference in `docs/manifest.md` is made from that.

mod attributes;
mod build;
mod fault;
mod markdown;
mod nearest;
mod options;
mod schema;
mod values;
mod walk;
mod write;
mod xsd;

#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_random;
#[cfg(test)]
mod tests_xml;

use std::path::Path;

use sandboard_abi::{GameSpec, OptionSpec};
use serde::Serialize;

use crate::process::Speech;

pub use fault::{PackFault, quoted};
pub(crate) use fault::{is_hidden, path_text, plain};
pub use markdown::reference;
pub use nearest::nearest;
pub(crate) use nearest::suggestion;
pub use schema::{AttributeSpec, ElementSpec, SCHEMA};
pub use values::{ValueSpec, check_id, check_version};
pub use write::{Written, write};
pub use xsd::{XSD, xsd};

/// With how many threads an engine searches: the host reads it, and tells the engine by its setup.
pub const THREADS_OPTION: &str = "threads";
/// A file of other options: the host reads it.
pub const FILE_OPTION: &str = "options";
/// The options that every engine has and none may name.
pub const HOST_OPTIONS: [&str; 2] = [THREADS_OPTION, FILE_OPTION];

/// The name of every manifest.
pub const FILE_NAME: &str = "EngineConfigs.xml";

/// The largest manifest that is read, in bytes.
pub const MANIFEST_BYTES: u64 = 1024 * 1024;

/// Faults of one manifest after which the rest of it is not read.
pub const FAULTS: usize = 100;

/// What holds the code of an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ModuleKind {
    /// A WebAssembly component, run in the sandbox.
    Wasm,
    /// A native library: it runs with all the rights of who plays it.
    Native,
    /// A program that speaks another protocol, run in a jail.
    Process,
}

impl ModuleKind {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Wasm, Self::Native, Self::Process];

    /// The word for it in manifests.
    pub fn word(self) -> &'static str {
        match self {
            ModuleKind::Wasm => "wasm",
            ModuleKind::Native => "native",
            ModuleKind::Process => "process",
        }
    }

    /// What it is, after `is`.
    pub fn noun(self) -> &'static str {
        match self {
            ModuleKind::Wasm => "a WebAssembly component",
            ModuleKind::Native => "a native library",
            ModuleKind::Process => "a program",
        }
    }
}

/// What an engine asks for; a host may give less, never more than its own caps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PackLimits {
    /// Memory that one instance needs, in bytes.
    pub memory_bytes: Option<u64>,
    /// Time that `start` may take, in milliseconds.
    pub start_ms: Option<u64>,
    /// What one instance may log in one game, in bytes.
    pub log_bytes: Option<u64>,
}

/// A text of the manifest and the line it stands in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Located {
    /// The line, from 1.
    pub line: u64,
    /// The text, checked against its [`ValueSpec`].
    pub text: String,
}

/// A read-only file that an engine reaches through the border's `asset`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssetConfig {
    /// The name that the engine asks for.
    pub name: String,
    /// Where it is, relative to the pack.
    pub path: Located,
    /// The hash it must have, 64 lower-case hexadecimal digits.
    pub sha256: Located,
}

/// One `Engine` of a manifest. Where [`faults`](EngineConfig::faults) is not
/// empty, what was wrong is missing from the other fields.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EngineConfig {
    /// The line of its start tag.
    pub line: u64,
    /// Its id; empty when it has no valid one.
    pub id: String,
    /// Its name for people; the id when none is given.
    pub name: String,
    /// Who wrote it.
    pub author: String,
    /// Its version.
    pub version: String,
    /// What holds its code.
    pub kind: Option<ModuleKind>,
    /// The module, relative to the pack.
    pub module: Option<Located>,
    /// A program of this machine, in its place.
    pub program: Option<Located>,
    /// How a program is spoken to; none: it is none.
    pub speech: Option<Speech>,
    /// The hash that the module must have, where the manifest says.
    pub sha256: Option<Located>,
    /// What it plays.
    pub games: Vec<GameSpec>,
    /// What it asks for.
    pub limits: PackLimits,
    /// Its options, as far as the manifest names them.
    pub options: Vec<OptionSpec>,
    /// Values of options that make this engine out of its module.
    pub presets: Vec<(String, String)>,
    /// Its files.
    pub assets: Vec<AssetConfig>,
    /// Everything wrong inside this `Engine`, by line.
    pub faults: Vec<PackFault>,
}

/// What a manifest says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Manifest {
    /// Its engines in the order of the text, faulty ones too.
    pub engines: Vec<EngineConfig>,
    /// What is wrong outside any engine. One such fault refuses the whole
    /// manifest: what it makes of the rest cannot be relied on.
    pub faults: Vec<PackFault>,
}

impl Manifest {
    /// Every fault, of the document and of its engines, by line.
    pub fn all_faults(&self) -> Vec<PackFault> {
        let of_engines = self.engines.iter().flat_map(|engine| &engine.faults);
        let mut all: Vec<_> = self.faults.iter().chain(of_engines).cloned().collect();
        all.sort_by_key(|fault| fault.line);
        all
    }
}

/// Reads the bytes of a manifest. `file` is what faults call it. Never fails:
/// what is wrong stands in the faults, and after XML that cannot be read on
/// (not well-formed, not UTF-8) those found before it stand there too.
pub fn parse(file: &Path, bytes: &[u8]) -> Manifest {
    if bytes.len() as u64 > MANIFEST_BYTES {
        return Manifest { faults: vec![too_large(file, bytes.len() as u64)], engines: vec![] };
    }
    walk::walk(file, bytes)
}

/// The fault of a manifest of so many bytes, for whoever looks before reading.
pub fn too_large(file: &Path, bytes: u64) -> PackFault {
    PackFault::new(file, format!("is {bytes} bytes; a manifest may be {MANIFEST_BYTES} at most"))
}
