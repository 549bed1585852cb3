//! Builds the source of an engine or a game into a pack: runs the builder, lets engines describe
//! themselves, and writes the manifest. Prints nothing itself, but the compilers do.

pub mod dev;
mod own_manifest;
pub mod program;
mod watch;

use std::env::consts::DLL_EXTENSION;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use sandboard_builder::{BuildOutput, NATIVE_SUFFIX, NativeProfile, SourceFolder};
use sha2::{Digest, Sha256};

use crate::catalog::{Catalog, Entry, GameEntry};
use crate::loader::Loader;
use crate::manifest::{
    self, CodeFile, FILE_NAME, ManifestEngine, ModuleKind, PackFault, PackLimits,
};
use crate::trust::{Grant, GrantSource};
use own_manifest::OwnManifest;
use sandboard_common::files::write_atomically;
use sandboard_engine::FaultCode;
use sandboard_protocols::{Protocol, ProtocolConfig};

/// The modules to build.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ModuleSelection {
    /// The sandboxed component, and the native library if the language has one; or the program, in
    /// a language that builds programs.
    #[default]
    Both,
    /// The sandboxed component.
    Wasm,
    /// The native library for this system.
    Native,
}

/// How to build a pack.
#[derive(Clone, Copy, Debug, Default)]
pub struct BuildOptions {
    /// The modules to build.
    pub modules: ModuleSelection,
    /// How the native library is built.
    pub native: NativeProfile,
}

/// The result of a build.
#[derive(Debug)]
pub struct BuildReport {
    /// The engines of the pack, all of them usable.
    pub entries: Vec<Entry>,
    /// The plugged-in games of the pack, all of them usable.
    pub games: Vec<GameEntry>,
    /// The SHA-256 of each module that was built, and is trusted for that reason. The pack's
    /// manifest may name other modules, which are not trusted.
    trusted: Vec<String>,
}

impl BuildReport {
    /// The engines that are trusted because their module was built here.
    pub fn trusted(&self) -> impl Iterator<Item = &Entry> {
        self.entries
            .iter()
            .filter(|entry| entry.needs_trust() && self.trusted.contains(&entry.sha256))
    }
}

/// The file that marks a pack as built here, so that a build may replace it.
const MARKER_FILE: &str = ".made-by-sandboard-build";

/// As [`build_pack`], for a pack that may be in use: replaces the pack at `pack` in one step, and
/// only if the new one is usable. Err: the build failed, or the existing pack was not built by this
/// function; it is unchanged.
pub fn install_pack(
    source: &SourceFolder,
    options: BuildOptions,
    loader: &Loader,
    pack: &Path,
) -> Result<BuildReport> {
    let BuildReport { trusted, .. } =
        replace_pack(pack, |fresh| build_pack(source, options, loader, fresh))?;
    let catalog = read_pack(pack, loader)?;
    Ok(BuildReport { entries: catalog.entries, games: catalog.game_entries, trusted })
}

/// Makes a pack in a fresh folder, and puts it in the place of `pack` in one step. Err: `make`
/// failed, or `pack` was not made by this function, and nothing has changed.
pub fn replace_pack<T>(pack: &Path, make: impl FnOnce(&Path) -> Result<T>) -> Result<T> {
    let there = fs::read_dir(pack).is_ok_and(|mut entries| entries.next().is_some());
    if there && !pack.join(MARKER_FILE).is_file() {
        bail!(
            "{} exists and was not built by Sandboard, so it was not changed; move it away, or \
             choose another folder",
            pack.display()
        );
    }
    let name = pack.file_name().unwrap_or_default().display();
    let beside = |word: &str| pack.with_file_name(format!(".{name}.{word}-{}", std::process::id()));
    let (fresh, old) = (beside("new"), beside("old"));
    let made = make(&fresh).and_then(|made| {
        let failed = || format!("cannot replace {}", pack.display());
        fs::write(fresh.join(MARKER_FILE), "").with_context(failed)?;
        if pack.exists() {
            fs::rename(pack, &old).with_context(failed)?;
        }
        let placed = fs::rename(&fresh, pack).with_context(failed);
        placed.inspect_err(|_| drop(fs::rename(&old, pack)))?;
        Ok(made)
    });
    // After a failure the old pack may be the only usable one, so remove only the new one.
    let done = if made.is_ok() { &old } else { &fresh };
    if done.exists()
        && let Err(error) = fs::remove_dir_all(done)
    {
        log::warn!("cannot remove {}: {error}", done.display());
    }
    made
}

fn read_pack(folder: &Path, loader: &Loader) -> Result<Catalog> {
    let game_loader = loader.game_loader(loader.load_caps().clone());
    Ok(Catalog::read_pack(folder, loader.games(), &game_loader)?)
}

/// Builds the source into a pack in `folder`, which must not be in use. The pack has the modules,
/// and the `EngineConfigs.xml` of the source folder with its assets. Without that file, a manifest
/// is written from the engine's description. If that file has a game, the only module is the
/// component that it names.
///
/// Native libraries and programs that were built are trusted from then on, since their build ran
/// with the author's rights. Err: the build failed, or the pack would be unusable.
pub fn build_pack(
    source: &SourceFolder,
    options: BuildOptions,
    loader: &Loader,
    folder: &Path,
) -> Result<BuildReport> {
    let own = OwnManifest::read(source, loader.games())?;
    let component = own.as_ref().map(OwnManifest::game_component).transpose()?.flatten();
    fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let modules = match component {
        Some(file) => vec![build_game(source, options, folder, file)?],
        None => build(source, options, folder)?,
    };
    trust(source, &modules, &[], loader)?;
    let text = match &own {
        Some(own) => {
            own.copy_assets(source.folder(), folder)?;
            own.text.clone()
        }
        None => write_manifest(source, &modules, loader)?.into_bytes(),
    };
    write_atomically(&folder.join(FILE_NAME), &text)?;
    let Catalog { entries, game_entries: games, .. } = read_pack(folder, loader)?;
    let of_games = games.iter().flat_map(GameEntry::faults);
    let faults: Vec<&PackFault> = entries.iter().flat_map(Entry::faults).chain(of_games).collect();
    if !faults.is_empty() {
        let built = if component.is_some() { "game" } else { "engine" };
        let faults = own_manifest::lines(faults.into_iter());
        let hint = match component.is_some() && faults.contains("exports no") {
            true => "\n(does the source have `export_game!(…);` at the end of src/lib.rs?)",
            false => "",
        };
        bail!("the {built} is built, but cannot be used:{faults}{hint}");
    }
    let trusted = trust(source, &modules, &entries, loader)?;
    Ok(BuildReport { entries, games, trusted })
}

/// A module that was built.
struct BuiltModule {
    kind: ModuleKind,
    name: String,
    path: PathBuf,
    sha256: String,
}

fn build(source: &SourceFolder, options: BuildOptions, folder: &Path) -> Result<Vec<BuiltModule>> {
    let mut modules = Vec::new();
    let makes = source.output();
    let is_program =
        matches!(makes, BuildOutput::Program(_)) && options.modules == ModuleSelection::Both;
    let has_native = makes == BuildOutput::ComponentAndLibrary;
    if is_program {
        modules.push((ModuleKind::External, "", source.build_program()?));
    }
    // Native first: it builds faster, so the author sees errors sooner.
    if options.modules == ModuleSelection::Native
        || options.modules == ModuleSelection::Both && has_native
    {
        let library = source.build_library(options.native)?;
        let bytes =
            fs::read(&library).with_context(|| format!("cannot read {}", library.display()))?;
        modules.push((ModuleKind::Native, DLL_EXTENSION, bytes));
    }
    if options.modules != ModuleSelection::Native && !is_program {
        let bytes = source.build_component().map_err(|error| match options.modules {
            ModuleSelection::Both if has_native => {
                error.context("no sandboxed build (use `--kind native` to build without it)")
            }
            _ => error,
        })?;
        modules.push((ModuleKind::Wasm, "wasm", bytes));
    }
    let placed = modules.into_iter().rev().map(|(kind, extension, bytes)| {
        let name = match extension {
            "" => source.name()?.to_owned(),
            _ => format!("{}.{extension}", source.name()?),
        };
        let path = folder.join(&name);
        write_atomically(&path, &bytes)?;
        let sha256 = sandboard_common::hex::hex(&Sha256::digest(&bytes));
        Ok(BuiltModule { kind, name, path, sha256 })
    });
    placed.collect()
}

/// Builds the component of a game, and puts it into the file that the manifest names.
fn build_game(
    source: &SourceFolder,
    options: BuildOptions,
    folder: &Path,
    file: &str,
) -> Result<BuiltModule> {
    if options.modules == ModuleSelection::Native || options.native == NativeProfile::Debug {
        bail!(
            "a game is built as a WebAssembly component only: build it without --kind and --debug"
        );
    }
    let bytes = source.build_game()?;
    let path = folder.join(file);
    let parent = path.parent().unwrap_or(folder);
    fs::create_dir_all(parent).with_context(|| format!("cannot create {}", parent.display()))?;
    write_atomically(&path, &bytes)?;
    let sha256 = sandboard_common::hex::hex(&Sha256::digest(&bytes));
    Ok(BuiltModule { kind: ModuleKind::Wasm, name: file.to_owned(), path, sha256 })
}

/// Grants trust to the native libraries and programs that were built, not to others in the pack.
/// `entries` give their names, as far as known. Returns the hashes.
fn trust(
    source: &SourceFolder,
    modules: &[BuiltModule],
    entries: &[Entry],
    loader: &Loader,
) -> Result<Vec<String>> {
    let mut trusted = Vec::new();
    for BuiltModule { kind, sha256, .. } in modules.iter().filter(|it| it.kind != ModuleKind::Wasm)
    {
        let id = id_of(source, *kind)?;
        let named = entries.iter().find(|entry| &entry.sha256 == sha256);
        let (id, version) = named.map_or((&*id, ""), |entry| (&entry.id, &entry.version));
        let grant = Grant::new(sha256, id, version, GrantSource::Build);
        loader.trust()?.change(|grants| grants.add(grant))?;
        trusted.push(sha256.clone());
    }
    Ok(trusted)
}

/// The id of the engine in a module.
fn id_of(source: &SourceFolder, kind: ModuleKind) -> Result<String> {
    let name = source.name()?;
    Ok(match kind {
        ModuleKind::Wasm | ModuleKind::External => name.to_owned(),
        ModuleKind::Native => format!("{name}{NATIVE_SUFFIX}"),
    })
}

/// The manifest of an engine that describes itself.
fn write_manifest(
    source: &SourceFolder,
    modules: &[BuiltModule],
    loader: &Loader,
) -> Result<String> {
    // Both modules have the same description; the first is sandboxed, so asking it is safe.
    let first = modules.first().context("nothing was built")?;
    let limits = match source.output() {
        BuildOutput::Program(needs) => PackLimits {
            memory_bytes: Some(needs.memory_bytes),
            usable_bytes: None,
            start_ms: Some(needs.start_ms),
            log_bytes: None,
        },
        BuildOutput::Component | BuildOutput::ComponentAndLibrary => PackLimits::default(),
    };
    let described = loader.describe(&first.path, first.kind, limits);
    let description = described.map_err(|fault| {
        // A program that ends before it describes itself probably lacks the call that does so.
        let ended = first.kind == ModuleKind::External && fault.code == FaultCode::Crash;
        let hint = match ended || fault.sentence.contains("exports no") {
            true => format!(" (does the source have {}?)", source.export_hint()),
            false => String::new(),
        };
        anyhow!("{}: {fault}{hint}", first.name)
    })?;
    let ids: Vec<String> =
        modules.iter().map(|module| id_of(source, module.kind)).collect::<Result<_>>()?;
    let protocol = ProtocolConfig { protocol: Protocol::Sandboard, ..ProtocolConfig::default() };
    let engines: Vec<ManifestEngine> = modules
        .iter()
        .zip(&ids)
        .map(|(module, id)| ManifestEngine {
            id,
            kind: module.kind,
            code: CodeFile::Module(&module.name),
            description: &description,
            protocol: (module.kind == ModuleKind::External).then_some(&protocol),
            assets: &[],
            limits,
        })
        .collect();
    manifest::write(&engines).context("cannot write a manifest")
}
