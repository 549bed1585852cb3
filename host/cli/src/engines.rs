//! Finds and loads the engines that commands name. Loads each engine once, and checks its options
//! and games before a bout starts.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use sandboard_abi::{OptionSpec, Unit};
pub(crate) use sandboard_builder::command::shell_quote as shell_word;
use sandboard_games::{GameInfo, Games, Variant};

use super::seat::EngineSpec;
use super::threads::{self, ThreadRequest};
use super::{game_named, usage};
use sandboard_bout::driver::EnginePlayer;
use sandboard_bout::record::EngineRecord;
use sandboard_common::files::data_folder;
use sandboard_common::suggestions::nearest;
use sandboard_engine::meter::cpu_clock_fault;
use sandboard_engine::{Budget, Caps};
use sandboard_engine_process::{CompileLimits, EngineProcesses};
use sandboard_engine_wasm::scan::{CapSetting, LoadCaps, Profile};
use sandboard_engine_wasm::{Metering, RuntimeOptions};
use sandboard_jail::Layer;
use sandboard_packs::builds::BuildStore;
use sandboard_packs::catalog::{Catalog, CatalogError, Entry, FindError};
use sandboard_packs::game_loader::GameLoader;
use sandboard_packs::loader::{LoadOptions, LoadedEngine, Loader, NativePolicy};
use sandboard_packs::manifest::ModuleKind;

/// The environment variable that names the engines folder.
const VARIABLE: &str = "SANDBOARD_ENGINES";
/// The name of the engines folder in a checkout of Sandboard.
const LOCAL: &str = "engines-dir";

/// The engines folder, and how engines run.
#[derive(clap::Args, Clone, Debug, Default)]
pub(crate) struct EngineArgs {
    /// The engines folder [default: $SANDBOARD_ENGINES, else `engines-dir` here or in a parent
    /// folder, else `engines` in the user's data folder, else the engines of the installation]
    #[arg(long, value_name = "DIR")]
    pub engines_dir: Option<PathBuf>,
    /// How native libraries run: each game in a jailed process, inside this process with all your
    /// rights, or not at all
    #[arg(long, value_enum, default_value_t = NativeArg::Jailed)]
    pub native: NativeArg,
    /// Trust no engine: only wasm engines, each game in a jailed process, with strict caps on
    /// modules; fails if the jail is below the minimum for contests (see `sandboard doctor`)
    #[arg(long)]
    pub contest: bool,
    /// With --contest: run even if the jail is below the minimum, and note it in every record
    #[arg(long, requires = "contest")]
    pub below_minimum: bool,
    /// Disable a layer of the jail, to test a machine without it
    #[arg(long, hide = true, value_name = "LAYER", value_parser = crate::zygote::layer)]
    pub without_layer: Vec<Layer>,
    /// Change a cap on the modules of wasm engines; may be repeated (functions=80000, bytes=56MiB;
    /// docs/limits.md lists all names)
    #[arg(long = "cap", value_name = "NAME=NUMBER")]
    pub caps: Vec<CapSetting>,
}

/// The command-line form of [`NativePolicy`].
#[derive(clap::ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum NativeArg {
    /// Each game in a jailed process of its own (Linux)
    #[default]
    Jailed,
    /// Inside this process, with all your rights
    InProcess,
    /// Native libraries are not loaded
    Refuse,
}

/// The engines folder of an installation, beside the folder of this program.
fn installed_folder() -> Option<PathBuf> {
    installed_beside(&std::env::current_exe().ok()?)
}

/// As [`installed_folder`], for the program in this file: `<prefix>/share/sandboard/engines` for
/// `<prefix>/bin/sandboard`. None if it does not exist, or if the program is elsewhere.
fn installed_beside(program: &Path) -> Option<PathBuf> {
    let bin = program.parent().filter(|folder| folder.file_name().is_some_and(|it| it == "bin"))?;
    let folder = bin.parent()?.join("share").join("sandboard").join("engines");
    folder.is_dir().then_some(folder)
}

impl EngineArgs {
    /// The engines folder. Err: no folder was found; the error lists the places.
    pub(crate) fn folder(&self) -> Result<PathBuf> {
        if let Some(dir) = &self.engines_dir {
            return Ok(dir.clone());
        }
        if let Some(dir) = std::env::var_os(VARIABLE).filter(|dir| !dir.is_empty()) {
            return Ok(dir.into());
        }
        if Path::new(LOCAL).is_dir() {
            return Ok(LOCAL.into());
        }
        let here = std::env::current_dir().unwrap_or_default();
        if let Some(above) = here.ancestors().map(|at| at.join(LOCAL)).find(|dir| dir.is_dir()) {
            return Ok(above);
        }
        let default = data_folder()?.join("engines");
        if default.is_dir() {
            return Ok(default);
        }
        if let Some(installed) = installed_folder() {
            return Ok(installed);
        }
        bail!(
            "no engines folder found: neither {LOCAL}, here or in a parent folder, nor {} exists; \
             make one of them, or set --engines-dir or {VARIABLE}",
            default.display()
        )
    }

    /// The engines folder, for a command that puts an engine there. Err: as
    /// [`folder`](Self::folder), or the folder belongs to the installation, which the next version
    /// replaces.
    pub(crate) fn folder_to_change(&self) -> Result<PathBuf> {
        let folder = self.folder()?;
        if self.engines_dir.is_none() && installed_folder().is_some_and(|it| it == folder) {
            let own = data_folder()?.join("engines");
            let (folder, own) = (folder.to_string_lossy(), own.to_string_lossy());
            let (folder, own) = (shell_word(&folder), shell_word(&own));
            return Err(usage(format!(
                "you have no engines folder of your own, and {folder} belongs to the installation; \
                 copy it: cp -r {folder} {own}"
            )));
        }
        Ok(folder)
    }

    /// How native libraries run.
    pub(crate) fn native(&self) -> NativePolicy {
        match self.native {
            NativeArg::Jailed => NativePolicy::Jailed,
            NativeArg::InProcess => NativePolicy::InProcess,
            NativeArg::Refuse => NativePolicy::Refuse,
        }
    }

    /// The caps on modules that are compiled.
    pub(crate) fn load_caps(&self) -> LoadCaps {
        LoadCaps::for_profile(Profile::Everyday).with(&self.caps)
    }

    /// The catalog of an engines folder.
    pub(crate) fn catalog(&self, dir: &Path) -> Result<Catalog, CatalogError> {
        Catalog::scan(dir, &GameLoader::default().with_load_caps(self.load_caps()))
    }

    /// The loader for these arguments. Err: `--contest` without `--below-minimum` on a machine
    /// whose jail is below the minimum for contests.
    pub(crate) fn loader(&self) -> Result<Loader> {
        self.loader_with(RuntimeOptions::default())
    }

    /// As [`loader`](Self::loader), with these options for engines and games of WebAssembly.
    pub(crate) fn loader_with(&self, options: RuntimeOptions) -> Result<Loader> {
        let loader = self.loader_without_games()?.with_runtime(options);
        // A command that needs the folder reports what is wrong with it.
        let games = self
            .folder()
            .ok()
            .and_then(|dir| Catalog::scan_games(&dir, &loader.game_loader(self.load_caps())).ok());
        Ok(loader.with_games(games.unwrap_or_default()))
    }

    fn loader_without_games(&self) -> Result<Loader> {
        let program = std::env::current_exe().context("cannot find this program's own file")?;
        if !self.contest {
            let workers =
                EngineProcesses::new(program, CompileLimits::EVERYDAY, &self.without_layer);
            return Ok(Loader::new(self.native(), workers).with_load_caps(self.load_caps()));
        }
        let workers = EngineProcesses::new(program, CompileLimits::CONTEST, &self.without_layer);
        let missing = workers.below_minimum().map_err(|fault| {
            anyhow!("a contest needs jailed processes: {fault}; see `sandboard doctor`")
        })?;
        match missing {
            Some(missing) if !self.below_minimum => bail!(
                "this machine is not safe for a contest: {missing}; see `sandboard doctor`; \
                 --below-minimum plays it anyway, and notes that in every record"
            ),
            Some(missing) => log::warn!("the jail is below the minimum for contests: {missing}"),
            None => (),
        }
        let caps = LoadCaps::for_profile(Profile::Contest).with(&self.caps);
        Ok(Loader::for_contest(workers).with_load_caps(caps))
    }

    /// These options as arguments of a command, each after a blank.
    pub(crate) fn as_arguments(&self) -> String {
        let folder = self.engines_dir.iter().flat_map(|dir| {
            ["--engines-dir".to_owned(), shell_word(&dir.to_string_lossy()).to_string()]
        });
        folder.chain(self.others()).map(|word| format!(" {word}")).collect()
    }

    /// These options as the arguments of a process that uses this folder of engines.
    pub(crate) fn to_arguments(&self, folder: &Path) -> Vec<OsString> {
        let mut words = vec!["--engines-dir".into(), folder.into()];
        words.extend(self.others().into_iter().map(OsString::from));
        words.extend(self.without_layer.iter().flat_map(|layer| {
            ["--without-layer".to_owned(), layer.word().to_owned()].map(OsString::from)
        }));
        words
    }

    /// The options beside the engines folder, as words.
    fn others(&self) -> Vec<String> {
        let native = match self.native {
            NativeArg::Jailed => None,
            NativeArg::InProcess => Some("in-process"),
            NativeArg::Refuse => Some("refuse"),
        };
        let mut words = Vec::new();
        words.extend(native.into_iter().flat_map(|word| ["--native".into(), word.to_owned()]));
        words.extend(self.contest.then(|| "--contest".into()));
        words.extend(self.below_minimum.then(|| "--below-minimum".into()));
        words.extend(self.caps.iter().flat_map(|cap| ["--cap".into(), cap.to_string()]));
        words
    }
}

/// The engines of a folder. Each is loaded at most once for each kind of metering.
pub(crate) struct Engines {
    /// The engines folder.
    pub dir: PathBuf,
    /// The engines found in the folder.
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
        Ok(Self { dir, catalog, loader, contest, in_process, game_loader, loaded })
    }

    /// Scans the folder again. A changed engine is loaded again at its next use; games in progress
    /// keep the old one.
    pub(crate) fn rescan(&mut self) -> Result<()> {
        let catalog = Catalog::scan(&self.dir, &self.game_loader)?;
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
        let options = checked_options(entry, &loaded, &spec.all_options()?)?;
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

/// Checks that an engine that declares `games` plays this variant.
pub(crate) fn check_plays(
    entry: &Entry,
    games: &[sandboard_abi::GameSpec],
    game: &GameInfo,
    variant: &Variant,
) -> Result<()> {
    let spec = games.iter().find(|spec| spec.game == game.id);
    let covered = |spec: &sandboard_abi::GameSpec| {
        spec.variants.iter().any(|declared| game.covers(declared, variant))
    };
    if spec.is_some_and(covered) {
        return Ok(());
    }
    let listed =
        |spec: &sandboard_abi::GameSpec| format!("{} ({})", spec.game, spec.variants.join(", "));
    let listed: Vec<String> = games.iter().map(listed).collect();
    let (id, variant) = (&entry.id, variant.text());
    let listed = listed.join(", ");
    Err(usage(format!("engine `{id}` does not play {} {variant}; it plays {listed}", game.id)))
}

/// The options of an engine: those of its manifest, else those of its own description.
pub(crate) fn option_specs<'a>(entry: &'a Entry, loaded: &'a LoadedEngine) -> &'a [OptionSpec] {
    match entry.options_complete {
        true => &entry.options,
        false => &loaded.description.options,
    }
}

/// The options to start an engine with: the presets of its manifest, overridden by `requested`.
/// Values that equal the engine's own defaults are left out. The error names the option, its valid
/// values, and the nearest known name.
pub(crate) fn checked_options(
    entry: &Entry,
    loaded: &LoadedEngine,
    requested: &[(String, String)],
) -> Result<Vec<(String, String)>> {
    let specs = option_specs(entry, loaded);
    for (name, value) in requested {
        check_option(specs, name, value)
            .map_err(|reason| usage(format!("engine `{}`: {reason}", entry.id)))?;
    }
    for (name, value) in &entry.presets {
        check_option(specs, name, value)
            .map_err(|reason| anyhow!("the manifest of engine `{}`: {reason}", entry.id))?;
    }
    let kept =
        entry.presets.iter().filter(|(name, _)| requested.iter().all(|(other, _)| other != name));
    let own = |(name, value): &&(String, String)| {
        let initial = loaded.description.options.iter().find(|spec| &spec.name == name);
        initial.is_none_or(|spec| &spec.initial != value)
    };
    Ok(kept.chain(requested).filter(own).cloned().collect())
}

fn check_option(specs: &[OptionSpec], name: &str, value: &str) -> Result<(), String> {
    if let Some(spec) = specs.iter().find(|spec| spec.name == name) {
        let checked = spec.kind.check(value);
        return checked.map_err(|reason| format!("option `{name}`: {reason}"));
    }
    let names: Vec<&str> = specs.iter().map(|spec| spec.name.as_str()).collect();
    let hint = match (nearest(name, names.iter().copied()), names.as_slice()) {
        (Some(near), _) => format!("did you mean `{near}`?"),
        (None, []) => "the engine has none".to_owned(),
        (None, names) => format!("known options: {}", names.join(", ")),
    };
    Err(format!("unknown option `{name}`; {hint}"))
}

/// Refuses a budget that this system cannot measure.
pub(crate) fn check_budget(budget: &Budget) -> Result<()> {
    match budget.unit() {
        Unit::Cpu if cpu_clock_fault().is_some() => Err(usage(format!(
            "the budget `{budget}` cannot be enforced: this system does not count CPU time by \
             thread; use wall time (5s/move) or, for wasm engines, fuel (fuel:2e9/move)"
        ))),
        _ => Ok(()),
    }
}

/// Checks that a budget has a limit: between engines without any, a game may never end.
pub(crate) fn check_limited(budget: &Budget) -> Result<()> {
    match budget.is_none() {
        true => Err(usage(
            "the budget `none` has no limit, so an engine may think for ever and the games never \
             end; use a budget such as 1s/move, fuel:1e8/move, depth:8 or nodes:1e6",
        )),
        false => Ok(()),
    }
}

/// A time as an argument, such as `10m`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TimeArg {
    /// The wall time, in microseconds; at least 1.
    pub us: u64,
}

impl std::str::FromStr for TimeArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        // The amounts of budgets, which have these units.
        let budget = format!("{text}/move").parse::<Budget>();
        let us = budget.ok().filter(|it| it.unit() == Unit::Wall).and_then(|it| it.per_move());
        let us = us.ok_or_else(|| {
            format!("`{text}` is not a time with a unit of ms, s, m or h, such as 10m")
        })?;
        Ok(Self { us })
    }
}

/// The game of an engine that plays only one.
pub(crate) fn only_game(games: &Games, entry: &Entry) -> Result<&'static GameInfo> {
    let ids: Vec<&str> = entry.games.iter().map(|spec| spec.game.as_str()).collect();
    match ids.as_slice() {
        [id] => game_named(games, id).context("the engine's only game"),
        ids => Err(usage(format!(
            "engine `{}` plays {}: choose one with --game",
            entry.id,
            ids.join(", ")
        ))),
    }
}
