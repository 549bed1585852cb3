//! Engines as commands need them: the folder they are in, found by what people
//! type, loaded once, their options and games checked before a bout begins.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use sandboard_abi::{OptionSpec, Unit};
pub use sandboard_forge::run::quoted as shell_word;
use sandboard_games::{GameInfo, Variant};

use super::seat::EngineSpec;
use super::threads::{self, Wanted};
use super::usage;
use crate::bout::EnginePlayer;
use crate::budget::Budget;
use crate::builds::Builds;
use crate::catalog::{Catalog, Entry, FindError};
use crate::engine::wasm::scan::{CapSetting, LoadCaps, Profile};
use crate::engine::wasm::{Metering, RuntimeOptions};
use crate::engine::{Caps, no_cpu_clock};
use crate::jail::Layer;
use crate::loader::{self, Loaded, Loader, Native};
use crate::manifest::{ModuleKind, nearest};
use crate::record::EngineRecord;
use crate::record::store::data_folder;
use crate::worker::{CompileLimits, Workers};

/// The variable that names the engines folder.
const VARIABLE: &str = "SANDBOARD_ENGINES";
/// The folder of a fresh clone.
const LOCAL: &str = "engines-dir";

/// Where engines are, and what native ones may do.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct EngineArgs {
    /// The engines folder [default: $SANDBOARD_ENGINES, else `engines-dir` here or in a folder
    /// above, else `engines` in the user's data folder]
    #[arg(long, value_name = "DIR")]
    pub engines_dir: Option<PathBuf>,
    /// How native libraries run: each game in a jailed process, inside this process with all your
    /// rights, or not at all
    #[arg(long, value_enum, default_value_t = NativeArg::Jailed)]
    pub native: NativeArg,
    /// Trust no engine: only wasm ones, each game in a jailed process, strict caps on what is
    /// loaded; refused where the jail lacks what a contest needs (`sandboard doctor` says what)
    #[arg(long)]
    pub contest: bool,
    /// With --contest: run even where the jail lacks something, and write so into every record
    #[arg(long, requires = "contest")]
    pub below_minimum: bool,
    /// Leave a layer of the jail out, to see what a machine without it does
    #[arg(long, hide = true, value_name = "LAYER")]
    pub without_layer: Vec<Layer>,
    /// What a wasm engine may hold to be loaded, in the place of the usual; may be given again
    /// (functions=80000, bytes=56MiB: docs/limits.md has all names)
    #[arg(long = "cap", value_name = "NAME=NUMBER")]
    pub caps: Vec<CapSetting>,
}

/// [`Native`] on the command line.
#[derive(clap::ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NativeArg {
    /// Each game in a jailed process of its own (Linux)
    #[default]
    Jailed,
    /// They run inside this process, with all your rights
    InProcess,
    /// They are not loaded
    Refuse,
}

impl EngineArgs {
    /// The engines folder; Err says where it was looked for.
    pub fn folder(&self) -> Result<PathBuf> {
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
        let usual = data_folder()?.join("engines");
        if usual.is_dir() {
            return Ok(usual);
        }
        bail!(
            "there is no engines folder: neither {LOCAL}, here or in a folder above, nor {} is there; \
             make one of them, or name a folder with --engines-dir or {VARIABLE}",
            usual.display()
        )
    }

    /// What native libraries may do.
    pub fn native(&self) -> Native {
        match self.native {
            NativeArg::Jailed => Native::Jailed,
            NativeArg::InProcess => Native::InProcess,
            NativeArg::Refuse => Native::Refuse,
        }
    }

    /// What may be compiled, of whatever is in the folder.
    pub fn load_caps(&self) -> LoadCaps {
        LoadCaps::of(Profile::Everyday).with(&self.caps)
    }

    /// What loads engines as these arguments want it. Err: a contest is wanted where the
    /// jail is not good enough, and nobody has said that it is to be played all the same.
    pub fn loader(&self) -> Result<Loader> {
        let program = std::env::current_exe().context("cannot tell where this program is")?;
        if !self.contest {
            let workers = Workers::new(program, CompileLimits::EVERYDAY, &self.without_layer);
            return Ok(Loader::new(self.native(), workers).with_load_caps(self.load_caps()));
        }
        let workers = Workers::new(program, CompileLimits::CONTEST, &self.without_layer);
        let missing = workers.below_minimum().map_err(|fault| {
            anyhow!("a contest needs jailed processes: {fault}; `sandboard doctor` says more")
        })?;
        match missing {
            Some(missing) if !self.below_minimum => bail!(
                "a contest is not safe here: {missing}; `sandboard doctor` says more; \
                 --below-minimum has it played all the same, and says so in every record"
            ),
            Some(missing) => log::warn!("the jail is below what a contest needs: {missing}"),
            None => (),
        }
        let caps = LoadCaps::of(Profile::Contest).with(&self.caps);
        Ok(Loader::for_contest(workers).with_load_caps(caps))
    }

    /// The same choices as they would be typed again, each after a blank.
    pub fn typed(&self) -> String {
        let mut text = String::new();
        if let Some(dir) = &self.engines_dir {
            text += &format!(" --engines-dir {}", shell_word(&dir.to_string_lossy()));
        }
        let native = match self.native {
            NativeArg::Jailed => "",
            NativeArg::InProcess => " --native in-process",
            NativeArg::Refuse => " --native refuse",
        };
        text += native;
        text += if self.contest { " --contest" } else { "" };
        text += if self.below_minimum { " --below-minimum" } else { "" };
        for cap in &self.caps {
            text += &format!(" --cap {cap}");
        }
        text
    }
}

/// The engines of a folder, each loaded at most once for each way of metering.
pub struct Engines {
    /// The folder.
    pub dir: PathBuf,
    /// What is in it.
    pub catalog: Catalog,
    loader: Loader,
    contest: bool,
    in_process: bool,
    caps: LoadCaps,
    loaded: HashMap<(PathBuf, String, Metering, Caps), Loaded>,
}

impl Engines {
    /// Looks through the engines folder; loads nothing yet.
    pub fn open(args: &EngineArgs) -> Result<Self> {
        let dir = args.folder()?;
        // Too large for a contest is what the loader says of an engine, which is listed all the same.
        let caps = args.load_caps();
        let catalog = Catalog::scan_capped(&dir, &caps)?;
        let (loader, contest) = (args.loader()?, args.contest);
        let in_process = args.native() == Native::InProcess;
        let loaded = HashMap::new();
        Ok(Self { dir, catalog, loader, contest, in_process, caps, loaded })
    }

    /// Looks through the folder again. What has changed is loaded anew when it is wanted next;
    /// whoever plays with the old one goes on with it.
    pub fn look(&mut self) -> Result<()> {
        let catalog = Catalog::scan_capped(&self.dir, &self.caps)?;
        let same = |path: &PathBuf| {
            let of = |catalog: &Catalog| {
                let entry = catalog.entries.iter().find(|entry| entry.module == *path)?;
                Some((entry.sha256.clone(), entry.asset_hashes()))
            };
            of(&self.catalog).is_some_and(|known| of(&catalog) == Some(known))
        };
        self.loaded.retain(|(module, ..), _| same(module));
        self.catalog = catalog;
        Ok(())
    }

    /// The same engines; wasm ones run with these options.
    pub fn with_runtime(self, options: RuntimeOptions) -> Self {
        Self { loader: self.loader.with_runtime(options), loaded: HashMap::new(), ..self }
    }

    /// The engine of this name.
    pub fn find(&self, text: &str) -> Result<Entry> {
        self.catalog.find(text).cloned().map_err(|error| self.not_found(error))
    }

    /// The engine of this name, usable or not; an unusable one says why itself.
    pub fn entry(&self, text: &str) -> Result<Entry> {
        self.catalog.find_any(text).cloned().map_err(|error| self.not_found(error))
    }

    fn not_found(&self, error: FindError) -> anyhow::Error {
        match error {
            FindError::Unknown { .. } => usage(format!(
                "{error} (`sandboard list --engines-dir {}` shows them all)",
                shell_word(&self.dir.to_string_lossy())
            )),
            error => anyhow!(error),
        }
    }

    /// What loads the engines of this folder.
    pub fn loader(&self) -> &Loader {
        &self.loader
    }

    /// An engine, loaded for a budget of this kind.
    pub fn load(&mut self, entry: &Entry, unit: Unit) -> Result<Loaded> {
        let fuel = unit == Unit::Fuel;
        let kind = entry.kind.filter(|kind| fuel && *kind != ModuleKind::Wasm);
        if let Some(kind) = kind {
            let build = if kind == ModuleKind::Native { ", or take its wasm build" } else { "" };
            return Err(usage(format!(
                "engine `{}` is {}, whose fuel cannot be counted; give it a budget of wall time \
                 (5s/move) or CPU time (cpu:5s/move){build}",
                entry.id,
                kind.noun()
            )));
        }
        self.load_with(entry, unit, loader::caps(entry))
    }

    fn load_with(&mut self, entry: &Entry, unit: Unit, caps: Caps) -> Result<Loaded> {
        let metering = if unit == Unit::Fuel { Metering::Fuel } else { Metering::Deadline };
        // One program may be several engines, which are told apart when they are started.
        let name = entry.speech.as_ref().map_or_else(String::new, |_| {
            format!("{} {} {:?}", entry.id, entry.version, entry.line)
        });
        let key = (entry.module.clone(), name, metering, caps);
        if let Some(loaded) = self.loaded.get(&key) {
            return Ok(loaded.clone());
        }
        let loaded = self.loader.load_with(entry, metering, caps);
        let loaded = loaded.map_err(|fault| anyhow!("engine `{}` {fault}", entry.id))?;
        self.loaded.insert(key, loaded.clone());
        Ok(loaded)
    }

    /// The very module that played in a record, by whatever name it is here, with
    /// the same files and caps; with `deadlines` or without any.
    pub fn of_replay(
        &mut self,
        record: &EngineRecord,
        unit: Unit,
        deadlines: bool,
    ) -> Result<Loaded> {
        let sha256 = record.module_sha256.as_deref().unwrap_or_default();
        let mut same = self.catalog.entries.iter().filter(|entry| entry.sha256 == sha256);
        // One program may be several engines.
        let is_same = |it: &&Entry| it.speech.is_none() || it.id == record.id;
        let fits = |it: &&Entry| it.is_usable() && it.asset_hashes() == record.assets;
        let usable = same.find(|it| is_same(it) && fits(it)).cloned();
        // It may have been built anew since.
        let kept = || self.with_hash(&record.id, sha256).filter(|entry| fits(&entry));
        let usable = usable.or_else(kept);
        let name = format!("{} {}", record.id, record.version);
        let (name, dir) = (name.trim(), self.dir.display());
        let Some(entry) = usable.filter(|_| !sha256.is_empty()) else {
            let asset = record.assets.iter().map(|(name, sha256)| format!("{name} ({sha256})"));
            let assets: Vec<String> = asset.collect();
            let with = match assets.as_slice() {
                [] => String::new(),
                assets => format!(" with the files {}", assets.join(", ")),
            };
            bail!(
                "the module of {name} with the SHA-256 {sha256}{with} is not in {dir}: put it there"
            );
        };
        let caps = caps_of_replay(record, deadlines);
        self.load_with(&entry, unit, caps)
    }

    /// An engine ready to play this variant with these options.
    pub fn player(
        &mut self,
        spec: &EngineSpec,
        unit: Unit,
        (game, variant): (&GameInfo, &Variant),
    ) -> Result<EnginePlayer> {
        let entry = self.find(&spec.id)?;
        self.player_of(&entry, spec, unit, (game, variant))
    }

    /// This engine ready to play this variant, with the options and threads that are asked for.
    pub fn player_of(
        &mut self,
        entry: &Entry,
        spec: &EngineSpec,
        unit: Unit,
        (game, variant): (&GameInfo, &Variant),
    ) -> Result<EnginePlayer> {
        plays(entry, &entry.games, game, variant)?;
        let loaded = self.load(entry, unit)?;
        plays(entry, &loaded.description.games, game, variant)?;
        let options = checked_options(entry, &loaded, &spec.asked()?)?;
        threads::check(entry, &loaded.description, self.wanted(spec.threads, unit))?;
        let threads = spec.threads;
        Ok(EnginePlayer { threads, ..player(entry, loaded, options) })
    }

    /// The builds that are kept.
    pub fn builds(&self) -> Result<Builds> {
        Ok(Builds::of_user()?)
    }

    /// The engine of this id with this very module: from the folder, else from the builds that are kept.
    pub fn with_hash(&self, id: &str, sha256: &str) -> Option<Entry> {
        let of_id = |entry: &&Entry| entry.is_usable() && entry.id == id;
        let mut entries = self.catalog.entries.iter().filter(of_id);
        if let Some(entry) = entries.clone().find(|entry| entry.sha256 == sha256) {
            return Some(entry.clone());
        }
        let builds = self.builds().ok()?;
        let kept = builds.of(id).into_iter().find(|build| build.sha256 == sha256)?;
        Some(builds.entry(entries.next()?, &kept))
    }

    fn wanted(&self, threads: u16, unit: Unit) -> Wanted {
        Wanted { threads, unit, contest: self.contest, in_process: self.in_process }
    }

    /// The engine of a record that goes on: the very module that played so far.
    pub fn of_record(&mut self, record: &EngineRecord, unit: Unit) -> Result<Loaded> {
        let usable = self.catalog.entries.iter().filter(|entry| entry.is_usable());
        let mut same_id = usable.filter(|entry| entry.id == record.id);
        let wanted = record.module_sha256.as_deref();
        let fits = |entry: &&Entry| wanted.is_none_or(|sha256| entry.sha256 == sha256);
        if let Some(entry) = same_id.clone().find(fits).cloned() {
            let loaded = self.load(&entry, unit)?;
            threads::check(&entry, &loaded.description, self.wanted(record.threads, unit))?;
            return Ok(loaded);
        }
        let Some(other) = same_id.next_back() else {
            self.find(&record.id)?;
            bail!("is not in {}", self.dir.display());
        };
        bail!(
            "version {} is in {}, but the bout was played with another build, of version {}; \
             `sandboard play --from FILE` begins a new bout from this one's last position",
            other.version,
            self.dir.display(),
            record.version
        )
    }
}

fn player(entry: &Entry, loaded: Loaded, options: Vec<(String, String)>) -> EnginePlayer {
    EnginePlayer {
        version: match entry.version.is_empty() {
            true => loaded.description.version.clone(),
            false => entry.version.clone(),
        },
        module_sha256: Some(entry.sha256.clone()),
        options,
        memory_bytes: loaded.caps.memory_bytes,
        start_ms: loaded.caps.start_us / 1000,
        assets: entry.asset_hashes(),
        can_ponder: loaded.description.abilities.ponders,
        ..EnginePlayer::new(loaded.source, entry.id.clone())
    }
}

/// The caps that an engine had in a record; with `deadlines` or without any.
pub fn caps_of_replay(record: &EngineRecord, deadlines: bool) -> Caps {
    let usual = Caps::default();
    Caps {
        memory_bytes: Some(record.memory_bytes)
            .filter(|bytes| *bytes > 0)
            .unwrap_or(usual.memory_bytes),
        start_us: match record.start_ms {
            0 => usual.start_us,
            ms => ms.saturating_mul(1000),
        },
        deadlines,
        ..usual
    }
}

/// Whether an engine that declares `games` plays this variant.
pub fn plays(
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

/// The options that an engine has: those that its manifest names, else its own.
pub fn option_specs<'a>(entry: &'a Entry, loaded: &'a Loaded) -> &'a [OptionSpec] {
    match entry.described {
        true => &entry.options,
        false => &loaded.description.options,
    }
}

/// The options to start an engine with: the presets of its manifest, what was
/// asked for over them, and of all that only what differs from the engine's own.
/// Err names the option, what it takes, and the nearest name there is.
pub fn checked_options(
    entry: &Entry,
    loaded: &Loaded,
    asked: &[(String, String)],
) -> Result<Vec<(String, String)>> {
    let specs = option_specs(entry, loaded);
    for (name, value) in asked {
        check_option(specs, name, value)
            .map_err(|reason| usage(format!("engine `{}`: {reason}", entry.id)))?;
    }
    for (name, value) in &entry.presets {
        check_option(specs, name, value)
            .map_err(|reason| anyhow!("the manifest of engine `{}`: {reason}", entry.id))?;
    }
    let kept =
        entry.presets.iter().filter(|(name, _)| asked.iter().all(|(other, _)| other != name));
    let own = |(name, value): &&(String, String)| {
        let initial = loaded.description.options.iter().find(|spec| &spec.name == name);
        initial.is_none_or(|spec| &spec.initial != value)
    };
    Ok(kept.chain(asked).filter(own).cloned().collect())
}

fn check_option(specs: &[OptionSpec], name: &str, value: &str) -> Result<(), String> {
    if let Some(spec) = specs.iter().find(|spec| spec.name == name) {
        let checked = spec.kind.check(value);
        return checked.map_err(|reason| format!("option `{name}`: {reason}"));
    }
    let names: Vec<&str> = specs.iter().map(|spec| spec.name.as_str()).collect();
    let hint = match (nearest(name, names.iter().copied()), names.as_slice()) {
        (Some(near), _) => format!("did you mean `{near}`?"),
        (None, []) => "it has none".to_owned(),
        (None, names) => format!("it has {}", names.join(", ")),
    };
    Err(format!("there is no option `{name}`; {hint}"))
}

/// Refuses a budget that cannot be counted on this system.
pub fn check_budget(budget: &Budget) -> Result<()> {
    match budget.unit() {
        Unit::Cpu if no_cpu_clock().is_some() => Err(usage(format!(
            "the budget `{budget}` cannot be kept: this system does not count CPU time by thread; \
             give wall time (5s/move) or, to wasm engines, fuel (fuel:2e9/move)"
        ))),
        _ => Ok(()),
    }
}

/// The game that an engine plays, where it plays but one.
pub fn only_game(entry: &Entry) -> Result<&'static GameInfo> {
    let ids: Vec<&str> = entry.games.iter().map(|spec| spec.game.as_str()).collect();
    match ids.as_slice() {
        [id] => super::game_named(id).context("the engine's only game"),
        ids => Err(usage(format!(
            "engine `{}` plays {}: say which with --game",
            entry.id,
            ids.join(", ")
        ))),
    }
}
