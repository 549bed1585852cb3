//! Parses the manifest `EngineConfigs.xml` of a pack: its engines, their games, options, limits and
//! assets. One pass reports all faults. Opens no file: the catalog checks the files that a manifest
//! names.
//!
//! [`SCHEMA`] is the table from which the parser works and `docs/EngineConfigs.xsd` is generated.
//! The reference in `docs/manifest.md` is generated from that schema.

mod attributes;
mod build;
mod fault;
mod game_rules;
mod markdown;
mod options;
mod reader;
mod schema;
mod values;
mod write;
mod xsd;

#[cfg(test)]
mod tests;

use std::path::Path;

use sandboard_abi::{GameSpec, OptionSpec};
use sandboard_games::Games;
use serde::Serialize;

use sandboard_protocols::ProtocolConfig;

pub use fault::PackFault;
pub(crate) use fault::path_text;
pub use game_rules::{GameRulesConfig, VariantConfig};
pub use markdown::reference;
pub use schema::{AttributeSpec, ElementSpec, SCHEMA};
pub use values::{ValueSpec, check_id, check_version};
pub use write::{CodeFile, ManifestAsset, ManifestEngine, write};
pub use xsd::{XSD, xsd};

/// The file name of every manifest.
pub const FILE_NAME: &str = "EngineConfigs.xml";

/// The largest manifest, in bytes.
pub const MANIFEST_BYTES_MAX: u64 = 1024 * 1024;

/// The number of faults after which the rest of a manifest is not read.
pub const FAULTS_MAX: usize = 100;

/// The kind of an engine's module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ModuleKind {
    /// A WebAssembly component, which runs in the sandbox.
    Wasm,
    /// A native library, which runs in a jail, or in this process with all its rights.
    Native,
    /// An external engine: a program that speaks a protocol and runs in a jail.
    External,
}

impl ModuleKind {
    pub const ALL: [Self; 3] = [Self::Wasm, Self::Native, Self::External];

    /// Its word in manifests.
    pub fn word(self) -> &'static str {
        match self {
            ModuleKind::Wasm => "wasm",
            ModuleKind::Native => "native",
            ModuleKind::External => "external",
        }
    }

    /// A noun with article, for messages.
    pub fn noun(self) -> &'static str {
        match self {
            ModuleKind::Wasm => "a WebAssembly component",
            ModuleKind::Native => "a native library",
            ModuleKind::External => "a program",
        }
    }
}

/// The resources that an engine requests. The host grants at most its own caps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PackLimits {
    /// The memory of one instance, in bytes.
    pub memory_bytes: Option<u64>,
    /// How much of it an external engine is advised to use.
    pub usable_bytes: Option<u64>,
    /// The longest time to start a game, in milliseconds.
    pub start_ms: Option<u64>,
    /// The longest log of one instance in one game, in bytes.
    pub log_bytes: Option<u64>,
}

/// A text of the manifest with its line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LocatedText {
    /// The line, from 1.
    pub line: u64,
    /// The text, checked against its [`ValueSpec`].
    pub text: String,
}

/// What an engine is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Purpose {
    /// An opponent for people and engines.
    #[default]
    Play,
    /// Tests of hosts, or an example for authors: no opponent for people.
    Test,
}

impl Purpose {
    /// The words of all, in manifests.
    pub const WORDS: &'static [&'static str] = &[Self::Play.word(), Self::Test.word()];

    /// Its word in manifests.
    pub const fn word(self) -> &'static str {
        match self {
            Purpose::Play => "play",
            Purpose::Test => "test",
        }
    }
}

/// A read-only file that an engine reads through the ABI's `asset`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssetConfig {
    /// The name that the engine asks for.
    pub name: String,
    /// Its path, relative to the pack.
    pub path: LocatedText,
    /// Its required SHA-256, 64 hexadecimal digits.
    pub sha256: LocatedText,
}

/// One `Engine` of a manifest. Values with a fault are missing from the fields; see
/// [`faults`](EngineConfig::faults).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EngineConfig {
    /// The line of its start tag.
    pub line: u64,
    /// Its id; empty when it has no valid one.
    pub id: String,
    /// Its name for people; by default the id.
    pub name: String,
    /// The author's name.
    pub author: String,
    pub version: String,
    /// The kind of its module.
    pub kind: Option<ModuleKind>,
    /// What it is for.
    pub purpose: Purpose,
    /// The path of the module, relative to the pack.
    pub module: Option<LocatedText>,
    /// Instead of a module, the absolute path of a program of this machine.
    pub program: Option<LocatedText>,
    /// The protocol of an external engine; none for other kinds.
    pub protocol_config: Option<ProtocolConfig>,
    /// The required SHA-256 of the module, if the manifest gives one.
    pub sha256: Option<LocatedText>,
    /// The games that it plays.
    pub games: Vec<GameSpec>,
    /// The resources that it requests.
    pub limits: PackLimits,
    /// The options that the manifest declares.
    pub options: Vec<OptionSpec>,
    /// Option values that this engine presets.
    pub presets: Vec<(String, String)>,
    /// The files that it may read.
    pub assets: Vec<AssetConfig>,
    /// All faults inside this `Engine`, by line.
    pub faults: Vec<PackFault>,
}

/// A parsed manifest.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Manifest {
    /// Its engines in the order of the text, including those with faults.
    pub engines: Vec<EngineConfig>,
    /// Its plugged-in games in the order of the text, including those with faults.
    pub game_rules: Vec<GameRulesConfig>,
    /// The faults outside any engine or game. One of them makes the whole manifest invalid, because
    /// the rest may have been misread.
    pub faults: Vec<PackFault>,
}

impl Manifest {
    /// All faults of the document, its engines and its games, by line.
    pub fn all_faults(&self) -> Vec<PackFault> {
        let of_engines = self.engines.iter().flat_map(|engine| &engine.faults);
        let of_games = self.game_rules.iter().flat_map(|rules| &rules.faults);
        let mut all: Vec<_> =
            self.faults.iter().chain(of_engines).chain(of_games).cloned().collect();
        all.sort_by_key(|fault| fault.line);
        all
    }
}

/// Parses the bytes of a manifest, whose engines may play these games. `file` is the name for
/// faults. Never fails: problems are faults of the result. If the XML is malformed or not UTF-8,
/// the faults before that place are kept.
pub fn parse(file: &Path, bytes: &[u8], games: &Games) -> Manifest {
    if bytes.len() as u64 > MANIFEST_BYTES_MAX {
        return Manifest {
            faults: vec![too_large(file, bytes.len() as u64)],
            ..Manifest::default()
        };
    }
    reader::read(file, bytes, games)
}

/// The fault of a manifest with too many bytes, for a caller that checks the size before reading.
pub fn too_large(file: &Path, bytes: u64) -> PackFault {
    PackFault::new(
        file,
        format!("is {bytes} bytes; a manifest may have at most {MANIFEST_BYTES_MAX}"),
    )
}
