//! Where engines are made: builds the source of one, asks the modules what they are,
//! and puts them into a pack. Compilers are the forge's matter, what is wrong with
//! a pack the catalog's. Prints nothing; the compilers do.

pub mod dev;
mod watch;

use std::env::consts::DLL_EXTENSION;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use sandboard_forge::{Makes, NATIVE_SUFFIX, Native, Source};
use sha2::{Digest, Sha256};

use crate::catalog::{Catalog, Entry};
use crate::engine::FaultCode;
use crate::loader::Loader;
use crate::manifest::{self, FILE_NAME, ModuleKind, PackLimits, Written};
use crate::process::Protocol;
use crate::record::store::write_atomically;
use crate::trust::{Grant, How};

/// Which modules are made of a source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kinds {
    /// The sandboxed component and, where the language has one, the library of this system; or the program, in a
    /// language that makes one.
    #[default]
    Both,
    /// The sandboxed component.
    Wasm,
    /// The library of this system.
    Native,
}

/// What is to be made.
#[derive(Clone, Copy, Debug, Default)]
pub struct Order {
    /// Which modules.
    pub kinds: Kinds,
    /// How the native one is built.
    pub native: Native,
}

/// What came of a build.
#[derive(Debug)]
pub struct Built {
    /// The engines of the pack, all of them usable.
    pub entries: Vec<Entry>,
    /// The SHA-256 of each module that was built and is trusted by that. The pack's manifest may name others, which
    /// are not.
    trusted: Vec<String>,
}

impl Built {
    /// The engines that are trusted because their module was built.
    pub fn trusted(&self) -> impl Iterator<Item = &Entry> {
        self.entries
            .iter()
            .filter(|entry| entry.needs_trust() && self.trusted.contains(&entry.sha256))
    }
}

/// The file that says of a pack that it was made here, and may be replaced.
const MADE: &str = ".made-by-sandboard-build";

/// As [`make`], for a pack that others may be using: it replaces the one at `pack` as a
/// whole, and only when it is good. Err leaves what is there: the build failed, or what is
/// there was not made by this function.
pub fn install(source: &Source, order: Order, loader: &Loader, pack: &Path) -> Result<Built> {
    let there = fs::read_dir(pack).is_ok_and(|mut entries| entries.next().is_some());
    if there && !pack.join(MADE).is_file() {
        bail!(
            "{} is there and was not built here: nothing in it was changed (move it away, or name \
             another place with --into)",
            pack.display()
        );
    }
    let name = pack.file_name().unwrap_or_default().display();
    let beside = |word: &str| pack.with_file_name(format!(".{name}.{word}-{}", std::process::id()));
    let (fresh, old) = (beside("new"), beside("old"));
    let made = make(source, order, loader, &fresh).and_then(|built| {
        let failed = || format!("cannot replace {}", pack.display());
        fs::write(fresh.join(MADE), "").with_context(failed)?;
        if pack.exists() {
            fs::rename(pack, &old).with_context(failed)?;
        }
        let placed = fs::rename(&fresh, pack).with_context(failed);
        placed.inspect_err(|_| drop(fs::rename(&old, pack)))?;
        Ok(built)
    });
    // After a failure the old pack may be the only good one, wherever it is now.
    let done = if made.is_ok() { &old } else { &fresh };
    if done.exists()
        && let Err(error) = fs::remove_dir_all(done)
    {
        log::warn!("cannot remove {}: {error}", done.display());
    }
    let Built { trusted, .. } = made?;
    Ok(Built { entries: Catalog::read_pack(pack, loader.load_caps())?.entries, trusted })
}

/// Builds the source and fills `folder`, which is nobody's yet, with a pack of it: the modules,
/// and the `EngineConfigs.xml` of the source folder with its assets, or, where there is none,
/// one written from what the engine says of itself.
/// Err: the build failed, or the pack would be unusable, and why. A native module or a program that was
/// built is trusted from then on: its build ran with the author's rights, too.
pub fn make(source: &Source, order: Order, loader: &Loader, folder: &Path) -> Result<Built> {
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let modules = build(source, order, folder)?;
    trust(source, &modules, &[], loader)?;
    let own = source.folder().join(FILE_NAME);
    let text = match own.is_file() {
        true => {
            let text = fs::read(&own).with_context(|| format!("cannot read {}", own.display()))?;
            copy_assets(&text, source.folder(), folder)?;
            text
        }
        false => described(source, &modules, loader)?.into_bytes(),
    };
    write_atomically(&folder.join(FILE_NAME), &text)?;
    let entries = Catalog::read_pack(folder, loader.load_caps())?.entries;
    let faults: Vec<String> =
        entries.iter().flat_map(Entry::faults).map(ToString::to_string).collect();
    if !faults.is_empty() {
        bail!("the engine is built, but cannot be used:\n  {}", faults.join("\n  "));
    }
    let trusted = trust(source, &modules, &entries, loader)?;
    Ok(Built { entries, trusted })
}

/// A module that was built, by its name in the pack.
struct Module {
    kind: ModuleKind,
    name: String,
    path: PathBuf,
    sha256: String,
}

fn build(source: &Source, order: Order, folder: &Path) -> Result<Vec<Module>> {
    let mut modules = Vec::new();
    let makes = source.makes();
    let is_program = matches!(makes, Makes::Program(_)) && order.kinds == Kinds::Both;
    let has_native = makes == Makes::ComponentAndLibrary;
    if is_program {
        modules.push((ModuleKind::Process, "", source.program()?));
    }
    // Native first: that is quicker, and tells an author's mistakes sooner.
    if order.kinds == Kinds::Native || order.kinds == Kinds::Both && has_native {
        let library = source.native(order.native)?;
        let bytes =
            fs::read(&library).with_context(|| format!("cannot read {}", library.display()))?;
        modules.push((ModuleKind::Native, DLL_EXTENSION, bytes));
    }
    if order.kinds != Kinds::Native && !is_program {
        let bytes = source.wasm().map_err(|error| match order.kinds {
            Kinds::Both if has_native => {
                error.context("no sandboxed build (`--kind native` does without)")
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
        let sha256 = crate::hex(&Sha256::digest(&bytes));
        Ok(Module { kind, name, path, sha256 })
    });
    placed.collect()
}

/// Trusts native modules and programs by what was built, not by what the pack holds; `entries` are
/// what they are called, as far as that is known. Their hashes come back.
fn trust(
    source: &Source,
    modules: &[Module],
    entries: &[Entry],
    loader: &Loader,
) -> Result<Vec<String>> {
    let mut trusted = Vec::new();
    for Module { kind, sha256, .. } in modules.iter().filter(|it| it.kind != ModuleKind::Wasm) {
        let id = id_of(source, *kind)?;
        let named = entries.iter().find(|entry| &entry.sha256 == sha256);
        let (id, version) = named.map_or((&*id, ""), |entry| (&entry.id, &entry.version));
        let grant = Grant::new(sha256, id, version, How::Build);
        loader.trust()?.change(|grants| grants.add(grant))?;
        trusted.push(sha256.clone());
    }
    Ok(trusted)
}

/// What the engine in a module is called.
fn id_of(source: &Source, kind: ModuleKind) -> Result<String> {
    let name = source.name()?;
    Ok(match kind {
        ModuleKind::Wasm | ModuleKind::Process => name.to_owned(),
        ModuleKind::Native => format!("{name}{NATIVE_SUFFIX}"),
    })
}

/// The manifest of an engine that describes itself.
fn described(source: &Source, modules: &[Module], loader: &Loader) -> Result<String> {
    // Both say the same; the sandboxed one, which stands first, can be asked without any risk.
    let first = modules.first().context("nothing was built")?;
    let asks = match source.makes() {
        Makes::Program(needs) => PackLimits {
            memory_bytes: Some(needs.memory_bytes),
            start_ms: Some(needs.start_ms),
            log_bytes: None,
        },
        Makes::Component | Makes::ComponentAndLibrary => PackLimits::default(),
    };
    let described = match first.kind {
        ModuleKind::Process => loader.describe_program(&first.path, asks),
        kind => loader.describe(&first.path, kind),
    };
    let description = described.map_err(|fault| {
        // A program that ends before it has said what it is has not come to where it says that.
        let ended = first.kind == ModuleKind::Process && fault.code == FaultCode::Crash;
        let hint = match ended || fault.sentence.contains("exports no") {
            true => format!(" (is {} there?)", source.export()),
            false => String::new(),
        };
        anyhow!("{}: {fault}{hint}", first.name)
    })?;
    let ids: Vec<String> =
        modules.iter().map(|module| id_of(source, module.kind)).collect::<Result<_>>()?;
    let engines: Vec<Written> = modules
        .iter()
        .zip(&ids)
        .map(|(module, id)| Written {
            id,
            kind: module.kind,
            module: &module.name,
            description: &description,
            protocol: (module.kind == ModuleKind::Process).then_some(Protocol::Sandboard),
            limits: asks,
        })
        .collect();
    manifest::write(&engines).context("cannot write a manifest")
}

/// `from` is canonical.
fn copy_assets(text: &[u8], from: &Path, to: &Path) -> Result<()> {
    let manifest = manifest::parse(Path::new(FILE_NAME), text);
    let assets = manifest.engines.iter().flat_map(|engine| &engine.assets);
    for path in assets.map(|asset| &asset.path.text) {
        // One that is missing, or that a link leads away to, is a fault of the pack, which tells
        // it with its line.
        let inside = fs::canonicalize(from.join(path)).is_ok_and(|file| file.starts_with(from));
        if inside && let Ok(bytes) = fs::read(from.join(path)) {
            let file = to.join(path);
            fs::create_dir_all(file.parent().unwrap_or(to))
                .with_context(|| format!("cannot make the folder of {}", file.display()))?;
            write_atomically(&file, &bytes)?;
        }
    }
    Ok(())
}
