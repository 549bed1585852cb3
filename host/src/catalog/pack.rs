//! A pack: its manifest, and whether the files that it names are there and are
//! what it says. Knows nothing of other packs.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::files::{hash_bounded, locate, locate_program, read_bounded};
use super::module::{ModuleFacts, inspect};
use super::{ASSET_BYTES, Asset, Entry, PACK_BYTES, Subject};
use crate::engine::wasm::scan::{LoadCaps, MODULE_BYTES};
use crate::manifest::{
    self, AssetConfig, EngineConfig, FILE_NAME, Located, MANIFEST_BYTES, Manifest, ModuleKind,
    PackFault, plain, quoted,
};

/// Looks at files of one pack, at each once however often it is named, and at
/// no more than [`PACK_BYTES`] of them.
pub(super) struct Inspector<'a> {
    caps: &'a LoadCaps,
    left: u64,
    modules: HashMap<(PathBuf, ModuleKind), Result<ModuleFacts, String>>,
    hashes: HashMap<PathBuf, Result<(String, u64), String>>,
}

impl<'a> Inspector<'a> {
    pub(super) fn new(caps: &'a LoadCaps) -> Self {
        Self { caps, left: PACK_BYTES, modules: HashMap::new(), hashes: HashMap::new() }
    }

    /// Where a module is, and what it tells. Err: it is not to be had.
    pub(super) fn module(
        &mut self,
        root: &Path,
        relative: &Path,
        kind: ModuleKind,
    ) -> Result<(PathBuf, ModuleFacts), String> {
        self.facts(locate(root, relative)?, kind)
    }

    /// The same of a program, wherever it is.
    fn program(&mut self, path: &Path) -> Result<(PathBuf, ModuleFacts), String> {
        self.facts(locate_program(path)?, ModuleKind::Process)
    }

    fn facts(&mut self, path: PathBuf, kind: ModuleKind) -> Result<(PathBuf, ModuleFacts), String> {
        let key = (path.clone(), kind);
        if !self.modules.contains_key(&key) {
            self.spend(&path, MODULE_BYTES)?;
            self.modules.insert(key.clone(), inspect(&path, kind, self.caps));
        }
        self.modules[&key].clone().map(|facts| (path, facts))
    }

    /// Where an asset is, its hash and its length. Err: it is not to be had.
    fn asset(&mut self, root: &Path, relative: &Path) -> Result<(PathBuf, String, u64), String> {
        let path = locate(root, relative)?;
        if !self.hashes.contains_key(&path) {
            self.spend(&path, ASSET_BYTES)?;
            self.hashes.insert(path.clone(), hash_bounded(&path, ASSET_BYTES));
        }
        self.hashes[&path].clone().map(|(sha256, bytes)| (path, sha256, bytes))
    }

    /// Takes a file's length from what may still be read; too large ones are
    /// not read, so they cost nothing.
    fn spend(&mut self, path: &Path, most: u64) -> Result<(), String> {
        let bytes = fs::metadata(path).map_or(0, |data| data.len());
        if bytes > most {
            return Ok(());
        }
        self.left = self.left.checked_sub(bytes).ok_or_else(|| {
            format!("was not read: the files of this pack hold more than {PACK_BYTES} bytes")
        })?;
        Ok(())
    }
}

/// What came of a pack.
pub(super) struct Pack {
    pub(super) entries: Vec<Entry>,
    /// The modules that the manifest names, as far as they are there.
    pub(super) named: Vec<PathBuf>,
}

/// Reads the pack in the canonical folder `root`, which `place` leads to from
/// the engines folder (empty: it is the engines folder itself).
pub(super) fn read(root: &Path, place: &Path, caps: &LoadCaps) -> Pack {
    let source = place.join(FILE_NAME);
    let manifest = match read_manifest(root, &source) {
        Ok(manifest) => manifest,
        Err(fault) => Manifest { faults: vec![fault], engines: Vec::new() },
    };
    let mut inspector = Inspector::new(caps);
    let mut pack = Pack { entries: Vec::new(), named: Vec::new() };
    if !manifest.faults.is_empty() {
        pack.entries.push(broken(root, place, &source, manifest.faults.clone()));
    }
    for engine in manifest.engines {
        let module = engine.module.as_ref().map(|module| root.join(&module.text));
        pack.named.extend(module.and_then(|module| fs::canonicalize(module).ok()));
        let mut entry = engine_entry(root, &source, engine, &mut inspector);
        if let Some(first) = manifest.faults.first() {
            let reason = format!("the manifest as a whole is refused: {first}");
            entry.add_fault(PackFault::new(&source, reason));
        }
        pack.entries.push(entry);
    }
    pack
}

/// The entry of a pack that is refused as a whole.
pub(super) fn broken(root: &Path, place: &Path, source: &Path, faults: Vec<PackFault>) -> Entry {
    let folder = if place.as_os_str().is_empty() { source } else { place };
    Entry {
        subject: Subject::Pack,
        id: plain(&folder.to_string_lossy()),
        source: source.to_owned(),
        root: root.to_owned(),
        ..Entry::default()
    }
    .with_faults(faults)
}

fn read_manifest(root: &Path, source: &Path) -> Result<Manifest, PackFault> {
    let fault = |reason: String| PackFault::new(source, reason);
    let path = locate(root, Path::new(FILE_NAME)).map_err(fault)?;
    match fs::metadata(&path) {
        Ok(data) if data.len() > MANIFEST_BYTES => {
            return Err(manifest::too_large(source, data.len()));
        }
        _ => {}
    }
    let bytes = read_bounded(&path, MANIFEST_BYTES).map_err(fault)?;
    Ok(manifest::parse(source, &bytes))
}

fn engine_entry(
    root: &Path,
    source: &Path,
    engine: EngineConfig,
    inspector: &mut Inspector<'_>,
) -> Entry {
    let mut faults = engine.faults;
    let mut entry = Entry {
        subject: Subject::Engine,
        id: engine.id,
        version: engine.version,
        name: engine.name,
        author: engine.author,
        kind: engine.kind,
        games: engine.games,
        source: source.to_owned(),
        line: Some(engine.line),
        root: root.to_owned(),
        limits: engine.limits,
        described: !engine.options.is_empty() || engine.speech.is_some(),
        options: engine.options,
        presets: engine.presets,
        speech: engine.speech,
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
        let mut wrong = |reason: String| {
            fault(file.line, "Engine", attribute, format!("{}: {reason}", quoted(&file.text)));
        };
        let path = Path::new(&file.text);
        let found = match attribute {
            "program" => inspector.program(path),
            _ => inspector.module(root, path, kind),
        };
        match found {
            Ok((path, facts)) => {
                facts.wrongs.into_iter().for_each(&mut wrong);
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
            Err(reason) => wrong(reason),
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

fn check_hash(found: &str, wanted: &Located) -> Result<(), (u64, String)> {
    if found.eq_ignore_ascii_case(&wanted.text) {
        return Ok(());
    }
    let reason = format!("wrong hash: the file has {found}, the manifest wants {}", wanted.text);
    Err((wanted.line, reason))
}
