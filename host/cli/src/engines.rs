//! Finds and loads the engines that commands name. Loads each engine once.

mod arguments;
mod checks;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use sandboard_abi::Unit;
pub(crate) use sandboard_builder::command::shell_quote as shell_word;
use sandboard_games::{GameInfo, Games, Variant};

use super::seat::EngineSpec;
use super::threads::{self, ThreadRequest};
use super::usage;
pub(crate) use arguments::EngineArgs;
pub(crate) use checks::{
    TimeArg, check_budget, check_limited, check_plays, checked_options, only_game, option_specs,
};
use sandboard_bout::driver::EnginePlayer;
use sandboard_bout::record::EngineRecord;
use sandboard_engine::Caps;
use sandboard_engine_wasm::{Metering, RuntimeOptions};
use sandboard_packs::builds::BuildStore;
use sandboard_packs::catalog::{Catalog, Entry, FindError};
use sandboard_packs::game_loader::GameLoader;
use sandboard_packs::loader::{LoadOptions, LoadedEngine, Loader, NativePolicy};
use sandboard_packs::manifest::ModuleKind;
use sandboard_packs::packaging::program::option_named;

/// The engines of a folder. Each is loaded at most once for each kind of metering.
pub(crate) struct Engines {
    /// The engines folder.
    pub dir: PathBuf,
    /// Folders with further packs, such as those of an arena.
    further_dirs: Vec<PathBuf>,
    /// The engines found in the folders.
    pub catalog: Catalog,
    loader: Loader,
    contest: bool,
    in_process: bool,
    game_loader: GameLoader,
    loaded: HashMap<(PathBuf, String, Metering, Caps), LoadedEngine>,
}

impl Engines {
    /// Scans the engines folder; loads no engine yet.
    pub(crate) fn open(args: &EngineArgs) -> Result<Self> {
        Self::open_with(args, RuntimeOptions::default())
    }

    /// As [`open`](Self::open), with these options for engines and games of WebAssembly.
    pub(crate) fn open_with(args: &EngineArgs, options: RuntimeOptions) -> Result<Self> {
        let dir = args.folder()?;
        let loader = args.loader_without_games()?.with_runtime(options);
        // An engine above the caps of a contest is listed; the loader refuses it.
        let game_loader = loader.game_loader(args.load_caps());
        let catalog = Catalog::scan(&dir, &game_loader)?;
        let loader = loader.with_games(catalog.games.clone());
        let contest = args.contest;
        let in_process = args.native() == NativePolicy::InProcess;
        let loaded = HashMap::new();
        let further_dirs = Vec::new();
        Ok(Self { dir, further_dirs, catalog, loader, contest, in_process, game_loader, loaded })
    }

    /// Scans the folder again. A changed engine is loaded again at its next use; games in progress
    /// keep the old one.
    pub(crate) fn rescan(&mut self) -> Result<()> {
        let mut catalog = Catalog::scan(&self.dir, &self.game_loader)?;
        for dir in &self.further_dirs {
            let found = packs_of(dir, &catalog, &self.game_loader)?;
            catalog.entries.extend(found);
        }
        let same = |path: &PathBuf| {
            let of = |catalog: &Catalog| {
                let entry = catalog.entries.iter().find(|entry| entry.module == *path)?;
                Some((entry.sha256.clone(), entry.asset_hashes()))
            };
            of(&self.catalog).is_some_and(|known| of(&catalog) == Some(known))
        };
        self.loaded.retain(|(module, ..), _| same(module));
        if !self.catalog.games.has_same_rows(&catalog.games) {
            // Loaded engines query the rules that were known when they were loaded.
            self.loaded.clear();
            self.loader.set_games(catalog.games.clone());
        }
        self.catalog = catalog;
        Ok(())
    }

    /// Adds the packs of a folder to the engines. Engines for which `trusts` is true are trusted
    /// while this process runs.
    pub(crate) fn add_folder(&mut self, dir: &Path, trusts: impl Fn(&Entry) -> bool) -> Result<()> {
        let found = packs_of(dir, &self.catalog, &self.game_loader)?;
        for entry in found.iter().filter(|entry| trusts(entry)) {
            self.loader.trust_here(&entry.sha256);
        }
        self.catalog.entries.extend(found);
        self.further_dirs.push(dir.to_owned());
        Ok(())
    }

    /// Trusts the module with this SHA-256 while this process runs.
    pub(crate) fn trust_here(&mut self, sha256: &str) {
        self.loader.trust_here(sha256);
    }

    /// The same engines; every instance has these caps, whatever its manifest requests.
    pub(crate) fn with_caps(self, caps: Caps) -> Self {
        Self { loader: self.loader.with_caps(caps), loaded: HashMap::new(), ..self }
    }

    /// The games that the engines may play.
    pub(crate) fn games(&self) -> &Games {
        &self.catalog.games
    }

    /// The usable engine with this name.
    pub(crate) fn find(&self, text: &str) -> Result<Entry> {
        self.catalog.find(text).cloned().map_err(|error| self.not_found(error))
    }

    /// The engine with this name, usable or not.
    pub(crate) fn entry(&self, text: &str) -> Result<Entry> {
        self.catalog.find_any(text).cloned().map_err(|error| self.not_found(error))
    }

    fn not_found(&self, error: FindError) -> anyhow::Error {
        match error {
            FindError::Unknown { .. } => usage(format!(
                "{error} (`sandboard list --engines-dir {}` lists all engines)",
                shell_word(&self.dir.to_string_lossy())
            )),
            error => anyhow!(error),
        }
    }

    /// The loader of the engines of this folder.
    pub(crate) fn loader(&self) -> &Loader {
        &self.loader
    }

    /// The loader of the plugged-in games of this folder.
    pub(crate) fn game_loader(&self) -> &GameLoader {
        &self.game_loader
    }

    /// Loads an engine for a budget in this unit.
    pub(crate) fn load(&mut self, entry: &Entry, unit: Unit) -> Result<LoadedEngine> {
        let fuel = unit == Unit::Fuel;
        let kind = entry.kind.filter(|kind| fuel && *kind != ModuleKind::Wasm);
        if let Some(kind) = kind {
            let build = if kind == ModuleKind::Native { ", or use its wasm build" } else { "" };
            return Err(usage(format!(
                "engine `{}` is {}, whose fuel cannot be counted; use a budget of wall time \
                 (5s/move) or CPU time (cpu:5s/move){build}",
                entry.id,
                kind.noun()
            )));
        }
        let caps = self.loader.caps_of(entry);
        let metering = if fuel { Metering::Fuel } else { Metering::Deadline };
        self.load_with(entry, metering, caps)
    }

    fn load_with(&mut self, entry: &Entry, metering: Metering, caps: Caps) -> Result<LoadedEngine> {
        // One program may serve several engines, which differ in their start arguments.
        let name = entry.protocol_config.as_ref().map_or_else(String::new, |_| {
            format!("{} {} {:?}", entry.id, entry.version, entry.line)
        });
        let key = (entry.module.clone(), name, metering, caps);
        if let Some(loaded) = self.loaded.get(&key) {
            return Ok(loaded.clone());
        }
        let loaded = self.loader.load_with(entry, &LoadOptions::new(metering, caps));
        let loaded = loaded.map_err(|fault| anyhow!("engine `{}` {fault}", entry.id))?;
        self.loaded.insert(key, loaded.clone());
        Ok(loaded)
    }

    /// The exact module that played in a record, whatever its id is here, with the same assets,
    /// caps and count of fuel; with or without deadlines.
    pub(crate) fn for_replay(
        &mut self,
        record: &EngineRecord,
        unit: Unit,
        deadlines: bool,
    ) -> Result<LoadedEngine> {
        let sha256 = record.module_sha256.as_deref().unwrap_or_default();
        let mut same = self.catalog.entries.iter().filter(|entry| entry.sha256 == sha256);
        // One program may serve several engines.
        let is_same = |it: &&Entry| it.protocol_config.is_none() || it.id == record.id;
        let fits = |it: &&Entry| it.is_usable() && it.asset_hashes() == record.assets;
        let usable = same.find(|it| is_same(it) && fits(it)).cloned();
        // A newer build may have replaced it since.
        let kept = || self.with_hash(&record.id, sha256).filter(|entry| fits(&entry));
        let usable = usable.or_else(kept);
        let name = format!("{} {}", record.id, record.version);
        let (name, dir) = (name.trim(), self.dir.display());
        let Some(entry) = usable.filter(|_| !sha256.is_empty()) else {
            let asset = record.assets.iter().map(|(name, sha256)| format!("{name} ({sha256})"));
            let assets: Vec<String> = asset.collect();
            let with = match assets.as_slice() {
                [] => String::new(),
                assets => format!(" with the assets {}", assets.join(", ")),
            };
            bail!(
                "the module of {name} with the SHA-256 {sha256}{with} is not in {dir}: copy it \
                 there"
            );
        };
        let metering = match &record.fuel_meter {
            Some(meter) => Metering::counting_as(meter),
            None if unit == Unit::Fuel => Metering::Fuel,
            None => Metering::Deadline,
        };
        self.load_with(&entry, metering, caps_from_record(record, deadlines))
    }

    /// Prepares an engine to play this variant.
    pub(crate) fn player(
        &mut self,
        spec: &EngineSpec,
        unit: Unit,
        (game, variant): (&GameInfo, &Variant),
    ) -> Result<EnginePlayer> {
        let entry = self.find(&spec.id)?;
        self.player_of(&entry, spec, unit, (game, variant))
    }

    /// Prepares this engine to play this variant, with the options and threads of `spec`.
    pub(crate) fn player_of(
        &mut self,
        entry: &Entry,
        spec: &EngineSpec,
        unit: Unit,
        (game, variant): (&GameInfo, &Variant),
    ) -> Result<EnginePlayer> {
        check_plays(entry, &entry.games, game, variant)?;
        let loaded = self.load(entry, unit)?;
        check_plays(entry, &loaded.description.games, game, variant)?;
        let requested = named_options(entry, &spec.all_options()?);
        let options = checked_options(entry, &loaded, &requested)?;
        threads::check(entry, &loaded.description, self.thread_request(spec.threads, unit))?;
        let threads = spec.threads;
        Ok(EnginePlayer { threads, ..player(entry, loaded, options) })
    }

    /// The store of earlier builds.
    pub(crate) fn builds(&self) -> Result<BuildStore> {
        Ok(BuildStore::of_user()?)
    }

    /// The engine with this id and module hash: from the folder, else from the earlier builds.
    pub(crate) fn with_hash(&self, id: &str, sha256: &str) -> Option<Entry> {
        let of_id = |entry: &&Entry| entry.is_usable() && entry.id == id;
        let mut entries = self.catalog.entries.iter().filter(of_id);
        if let Some(entry) = entries.clone().find(|entry| entry.sha256 == sha256) {
            return Some(entry.clone());
        }
        let builds = self.builds().ok()?;
        let kept = builds.list(id).into_iter().find(|build| build.sha256 == sha256)?;
        Some(builds.entry(entries.next()?, &kept))
    }

    fn thread_request(&self, threads: u16, unit: Unit) -> ThreadRequest {
        ThreadRequest { threads, unit, contest: self.contest, in_process: self.in_process }
    }

    /// The engine to continue a recorded bout: the exact module that has played so far.
    pub(crate) fn for_record(&mut self, record: &EngineRecord, unit: Unit) -> Result<LoadedEngine> {
        let usable = self.catalog.entries.iter().filter(|entry| entry.is_usable());
        let mut same_id = usable.filter(|entry| entry.id == record.id);
        let wanted = record.module_sha256.as_deref();
        let fits = |entry: &&Entry| wanted.is_none_or(|sha256| entry.sha256 == sha256);
        if let Some(entry) = same_id.clone().find(fits).cloned() {
            let loaded = self.load(&entry, unit)?;
            threads::check(&entry, &loaded.description, self.thread_request(record.threads, unit))?;
            return Ok(loaded);
        }
        let Some(other) = same_id.next_back() else {
            self.find(&record.id)?;
            bail!("is not in {}", self.dir.display());
        };
        bail!(
            "version {} is in {}, but the bout was played with another build, of version {}; \
             `sandboard play --from FILE` starts a new bout from its last position",
            other.version,
            self.dir.display(),
            record.version
        )
    }
}

/// These options by their names in the manifest, where an external engine has them under the typed
/// name in its protocol: `Skill Level` is `skill-level`. Other names stay as they are.
pub(crate) fn named_options(entry: &Entry, typed: &[(String, String)]) -> Vec<(String, String)> {
    let named = |(name, value): &(String, String)| {
        let option = entry.protocol_config.as_ref().and_then(|_| option_named(entry, name));
        (option.map_or(name, |option| &option.name).clone(), value.clone())
    };
    typed.iter().map(named).collect()
}

/// The engines of the packs in a folder, which may play the games of `catalog`.
fn packs_of(dir: &Path, catalog: &Catalog, game_loader: &GameLoader) -> Result<Vec<Entry>> {
    let unread = || format!("{} cannot be read", dir.display());
    let mut folders = Vec::new();
    for entry in std::fs::read_dir(dir).with_context(unread)? {
        let path = entry.with_context(unread)?.path();
        if path.is_dir() {
            folders.push(path);
        }
    }
    folders.sort();
    let mut entries = Vec::new();
    for folder in folders {
        entries.extend(Catalog::read_pack(&folder, &catalog.games, game_loader)?.entries);
    }
    Ok(entries)
}

fn player(entry: &Entry, loaded: LoadedEngine, options: Vec<(String, String)>) -> EnginePlayer {
    EnginePlayer {
        version: match entry.version.is_empty() {
            true => loaded.description.version.clone(),
            false => entry.version.clone(),
        },
        module_sha256: Some(entry.sha256.clone()),
        options,
        limits: loaded.limits,
        assets: entry.asset_hashes(),
        can_ponder: loaded.description.abilities.ponders,
        ..EnginePlayer::new(loaded.source, entry.id.clone())
    }
}

/// The caps that an engine had in a record; with or without deadlines.
pub(crate) fn caps_from_record(record: &EngineRecord, deadlines: bool) -> Caps {
    Caps { enforce_deadlines: deadlines, ..record.limits.caps() }
}
