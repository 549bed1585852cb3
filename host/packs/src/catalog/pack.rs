//! Reads one pack: its manifest, and the modules and assets that the manifest names. Does not look
//! at other packs.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::files::{locate, locate_program};
use super::game::{self, GameEntry};
use super::module::{ModuleInfo, inspect, inspect_judge, module_bytes_max};
use super::{ASSET_BYTES_MAX, Asset, Entry, EntryKind, PACK_BYTES_MAX, ScanContext};
use crate::manifest;
use crate::manifest::{
    AssetConfig, EngineConfig, FILE_NAME, GameRulesConfig, LocatedText, MANIFEST_BYTES_MAX,
    Manifest, ModuleKind, PackFault,
};
use sandboard_common::bounded_files::{hash_bounded, read_bounded};
use sandboard_common::text::{plain, quoted};
use sandboard_engine_wasm::scan::{LoadCaps, MODULE_BYTES_MAX};
use sandboard_games::Games;

/// Inspects the files of one pack, each only once, and at most [`PACK_BYTES_MAX`] in total.
pub(super) struct FileInspector<'a> {
    caps: &'a LoadCaps,
    bytes_left: u64,
    modules: HashMap<(PathBuf, ModuleKind), Result<ModuleInfo, String>>,
    hashes: HashMap<PathBuf, Result<(String, u64), String>>,
}

impl<'a> FileInspector<'a> {
    pub(super) fn new(caps: &'a LoadCaps) -> Self {
        Self { caps, bytes_left: PACK_BYTES_MAX, modules: HashMap::new(), hashes: HashMap::new() }
    }

    /// The canonical path of a module and what its file contains. Err: it cannot be read.
    pub(super) fn module(
        &mut self,
        root: &Path,
        relative: &Path,
        kind: ModuleKind,
    ) -> Result<(PathBuf, ModuleInfo), String> {
        self.facts(locate(root, relative)?, kind)
    }

    /// As [`module`](Self::module), for a program anywhere on this machine.
    fn program(&mut self, path: &Path) -> Result<(PathBuf, ModuleInfo), String> {
        self.facts(locate_program(path)?, ModuleKind::External)
    }

    fn facts(&mut self, path: PathBuf, kind: ModuleKind) -> Result<(PathBuf, ModuleInfo), String> {
        let key = (path.clone(), kind);
        if !self.modules.contains_key(&key) {
            self.charge_bytes(&path, module_bytes_max(kind))?;
            self.modules.insert(key.clone(), inspect(&path, kind, self.caps));
        }
        self.modules[&key].clone().map(|facts| (path, facts))
    }

    /// As [`module`](Self::module), for the rules of a game.
    pub(super) fn judge(
        &mut self,
        root: &Path,
        relative: &Path,
    ) -> Result<(PathBuf, ModuleInfo), String> {
        let path = locate(root, relative)?;
        self.charge_bytes(&path, MODULE_BYTES_MAX)?;
        let bytes = read_bounded(&path, MODULE_BYTES_MAX)?;
        Ok((path, inspect_judge(&bytes, self.caps)))
    }

    /// The canonical path of an asset, its hash and its length. Err: it cannot be read.
    fn asset(&mut self, root: &Path, relative: &Path) -> Result<(PathBuf, String, u64), String> {
        let path = locate(root, relative)?;
        if !self.hashes.contains_key(&path) {
            self.charge_bytes(&path, ASSET_BYTES_MAX)?;
            self.hashes.insert(path.clone(), hash_bounded(&path, ASSET_BYTES_MAX));
        }
        self.hashes[&path].clone().map(|(sha256, bytes)| (path, sha256, bytes))
    }

    /// Subtracts a file's length from the bytes that may still be read. A file larger than `most`
    /// is not read, so it costs nothing.
    fn charge_bytes(&mut self, path: &Path, most: u64) -> Result<(), String> {
        let bytes = fs::metadata(path).map_or(0, |data| data.len());
        if bytes > most {
            return Ok(());
        }
        self.bytes_left = self.bytes_left.checked_sub(bytes).ok_or_else(|| {
            format!("was not read: the files of this pack have more than {PACK_BYTES_MAX} bytes")
        })?;
        Ok(())
    }
}

/// The place of a pack in an engines folder.
#[derive(Clone, Debug)]
pub(super) struct PackPlace {
    /// The canonical folder of the pack.
    pub(super) root: PathBuf,
    /// Its path relative to the engines folder; empty for the engines folder itself.
    pub(super) place: PathBuf,
}

/// The content of a pack.
pub(super) struct PackContent {
    pub(super) entries: Vec<Entry>,
    /// The canonical paths of the modules that the manifest names and that exist.
    pub(super) module_paths: Vec<PathBuf>,
}

impl PackPlace {
    fn source(&self) -> PathBuf {
        self.place.join(FILE_NAME)
    }

    /// Reads the plugged-in games of the pack.
    pub(super) fn games(&self, caps: &LoadCaps) -> Vec<GameEntry> {
        let source = self.source();
        // The games that engines name are checked later.
        let Ok(manifest) = read_manifest(&self.root, &source, &Games::default()) else {
            return Vec::new();
        };
        let rejected = manifest.faults.first().map(|first| {
            PackFault::new(&source, format!("the whole manifest is rejected: {first}"))
        });
        let mut inspector = FileInspector::new(caps);
        let entry = |mut rules: GameRulesConfig| {
            rules.faults.extend(rejected.clone());
            game::entry(&self.root, &source, rules, &mut inspector)
        };
        manifest.game_rules.into_iter().map(entry).collect()
    }

    /// Reads the engines of the pack.
    pub(super) fn read(&self, context: ScanContext<'_>) -> PackContent {
        let (root, source) = (&self.root, self.source());
        let manifest = match read_manifest(root, &source, context.games) {
            Ok(manifest) => manifest,
            Err(fault) => Manifest { faults: vec![fault], ..Manifest::default() },
        };
        let mut inspector = FileInspector::new(context.caps);
        let mut pack = PackContent { entries: Vec::new(), module_paths: Vec::new() };
        if !manifest.faults.is_empty() {
            let faults = manifest.faults.clone();
            pack.entries.push(broken_pack(root, &self.place, &source, faults));
        }
        let of_games = manifest.game_rules.iter().filter_map(|rules| rules.module.as_ref());
        let of_engines = manifest.engines.iter().filter_map(|engine| engine.module.as_ref());
        let modules = of_games.chain(of_engines).map(|module| root.join(&module.text));
        pack.module_paths = modules.filter_map(|module| fs::canonicalize(module).ok()).collect();
        for engine in manifest.engines {
            let mut entry = engine_entry(root, &source, engine, &mut inspector);
            if let Some(first) = manifest.faults.first() {
                let reason = format!("the whole manifest is rejected: {first}");
                entry.add_fault(PackFault::new(&source, reason));
            }
            pack.entries.push(entry);
        }
        pack
    }
}

/// The entry of a pack that is rejected as a whole.
pub(super) fn broken_pack(
    root: &Path,
    place: &Path,
    source: &Path,
    faults: Vec<PackFault>,
) -> Entry {
    let folder = if place.as_os_str().is_empty() { source } else { place };
    Entry {
        entry_kind: EntryKind::Pack,
        id: plain(&folder.to_string_lossy()),
        source: source.to_owned(),
        root: root.to_owned(),
        ..Entry::default()
    }
    .with_faults(faults)
}

fn read_manifest(root: &Path, source: &Path, games: &Games) -> Result<Manifest, PackFault> {
    let fault = |reason: String| PackFault::new(source, reason);
    let path = locate(root, Path::new(FILE_NAME)).map_err(fault)?;
    match fs::metadata(&path) {
        Ok(data) if data.len() > MANIFEST_BYTES_MAX => {
            return Err(manifest::too_large(source, data.len()));
        }
        _ => {}
    }
    let bytes = read_bounded(&path, MANIFEST_BYTES_MAX).map_err(fault)?;
    Ok(manifest::parse(source, &bytes, games))
}

fn engine_entry(
    root: &Path,
    source: &Path,
    engine: EngineConfig,
    inspector: &mut FileInspector<'_>,
) -> Entry {
    let mut faults = engine.faults;
    let mut entry = Entry {
        entry_kind: EntryKind::Engine,
        id: engine.id,
        version: engine.version,
        name: engine.name,
        author: engine.author,
        kind: engine.kind,
        purpose: engine.purpose,
        games: engine.games,
        source: source.to_owned(),
        line: Some(engine.line),
        root: root.to_owned(),
        limits: engine.limits,
        options_complete: !engine.options.is_empty() || engine.protocol_config.is_some(),
        options: engine.options,
        presets: engine.presets,
        protocol_config: engine.protocol_config,
        ..Entry::default()
    };
    let mut fault = |line, element: &str, attribute: &str, reason: String| {
        let fault = PackFault::in_line(source, line, reason);
        faults.push(fault.of_element(element).of_attribute(attribute));
    };
    let file = match (&engine.module, &engine.program) {
        (Some(module), _) => Some((module, "module")),
        (None, Some(program)) => Some((program, "program")),
        (None, None) => None,
    };
    if let (Some((file, attribute)), Some(kind)) = (file, engine.kind) {
        let mut add_fault = |reason: String| {
            fault(file.line, "Engine", attribute, format!("{}: {reason}", quoted(&file.text)));
        };
        let path = Path::new(&file.text);
        let found = match attribute {
            "program" => inspector.program(path),
            _ => inspector.module(root, path, kind),
        };
        match found {
            Ok((path, facts)) => {
                facts.faults.into_iter().for_each(&mut add_fault);
                if let Some(Err((line, reason))) =
                    engine.sha256.as_ref().map(|wanted| check_hash(&facts.sha256, wanted))
                {
                    fault(line, "Engine", "sha256", reason);
                }
                entry.module = path;
                entry.sha256 = facts.sha256;
                entry.module_bytes = facts.bytes;
                entry.abi = facts.abi;
            }
            Err(reason) => add_fault(reason),
        }
    }
    for AssetConfig { name, path, sha256 } in engine.assets {
        match inspector.asset(root, Path::new(&path.text)) {
            Err(why) => {
                fault(path.line, "Asset", "path", format!("{}: {why}", quoted(&path.text)));
            }
            Ok((found, hash, bytes)) => match check_hash(&hash, &sha256) {
                Ok(()) => entry.assets.push(Asset { name, path: found, sha256: hash, bytes }),
                Err((line, reason)) => fault(line, "Asset", "sha256", reason),
            },
        }
    }
    faults.sort_by_key(|fault| fault.line);
    entry.with_faults(faults)
}

pub(super) fn check_hash(found: &str, wanted: &LocatedText) -> Result<(), (u64, String)> {
    if found.eq_ignore_ascii_case(&wanted.text) {
        return Ok(());
    }
    let reason = format!("wrong hash: the file has {found}, the manifest says {}", wanted.text);
    Err((wanted.line, reason))
}
