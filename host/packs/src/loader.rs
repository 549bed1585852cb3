//! Loads a catalog entry as an engine that can be started: reads the module once, compares it with
//! the hash of the catalog, and passes it to the backend of its kind. Chooses no engine and grants
//! no trust.
//!
//! Invariant: this is the only place that checks trust. A native library or a program runs only if
//! the operator has trusted its hash.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use sandboard_abi::{Abilities, Description};
use sandboard_builder::command::shell_quote;
use sha2::{Digest, Sha256};

use crate::catalog::{Entry, inspect};
use crate::game_loader::GameLoader;
use crate::manifest::{ModuleKind, PackLimits};
use crate::trust::{TrustError, TrustStore};
use sandboard_common::bounded_files::read_bounded;
use sandboard_common::bytes;
use sandboard_common::files::cache_folder;
use sandboard_engine::{
    Assets, BudgetedSource, Caps, Confinement, Engine, EngineSource, Fault, FaultCode, FuelMeter,
    InstanceLimits, Listener, Resources, StackLimit, TestBudget, TracingEngine,
};
use sandboard_engine_native::{CallMode, NativeModule};
use sandboard_engine_process::EngineProcesses;
use sandboard_engine_process::external::{ExternalSource, ProgramIdentity};
use sandboard_engine_wasm::scan::{LoadCaps, Profile};
use sandboard_engine_wasm::{
    CACHE_BYTES, CodeCache, CompilerFallback, Metering, Runtime, RuntimeOptions, WasmModule,
};
use sandboard_games::Games;
use sandboard_protocols::{Protocol, ProtocolConfig};

/// The environment variable with the largest size of the cache of compiled code.
const CACHE_VARIABLE: &str = "SANDBOARD_CACHE_BYTES";

/// How native libraries may run. Programs always run in jailed processes; with
/// [`Refuse`](Self::Refuse) they do not run either.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NativePolicy {
    /// In jailed processes, one for each game.
    #[default]
    Jailed,
    /// In this process, with all its rights.
    InProcess,
    /// Native libraries and programs are not loaded.
    Refuse,
}

/// Loads engines. A process needs only one loader.
#[derive(Default)]
pub struct Loader {
    runtime: Runtime,
    native: NativePolicy,
    /// Starts the jailed processes; none: engines cannot run in processes.
    engine_processes: Option<Arc<EngineProcesses>>,
    /// Whether components are untrusted entries of a contest, and run in jailed processes too.
    is_contest: bool,
    /// The caps of every instance; none: those that the manifest of an engine requests.
    caps: Option<Caps>,
    /// The games whose rules its engines may query.
    games: Games,
    /// The store of grants; none: the user's own.
    trust: Option<TrustStore>,
    /// Modules that the operator trusts for this process only, by their SHA-256.
    trusted_here: BTreeSet<String>,
    /// The native libraries whose rights were logged already.
    warned: Mutex<BTreeSet<PathBuf>>,
}

/// A loaded engine.
#[derive(Clone)]
pub struct LoadedEngine {
    pub source: Arc<dyn EngineSource>,
    /// Its description: its own, or for an external engine its manifest's.
    pub description: Description,
    /// The caps of one instance.
    pub caps: Caps,
    /// The limits of one instance, for setups and records.
    pub limits: InstanceLimits,
}

/// How to load an engine.
pub struct LoadOptions<'a> {
    /// How its time is limited.
    pub metering: Metering,
    /// The caps of one instance.
    pub caps: Caps,
    /// A common budget of all its instances, for a test. If they run in jailed processes, the
    /// budget includes the call that describes the engine.
    pub test_budget: Option<&'a Arc<TestBudget>>,
}

impl LoadOptions<'_> {
    /// Options without a test budget.
    pub fn new(metering: Metering, caps: Caps) -> Self {
        Self { metering, caps, test_budget: None }
    }
}

impl Loader {
    /// A loader that caches compiled code in the user's cache folder, if there is one.
    pub fn new(native: NativePolicy, engine_processes: Arc<EngineProcesses>) -> Self {
        Self::with_cache_of(Profile::Everyday, native, engine_processes)
    }

    fn with_cache_of(
        profile: Profile,
        native: NativePolicy,
        engine_processes: Arc<EngineProcesses>,
    ) -> Self {
        let runtime = runtime_of(profile, &engine_processes);
        Self { runtime, native, engine_processes: Some(engine_processes), ..Self::default() }
    }

    /// A loader for untrusted entries: it loads components only, runs every instance in a jailed
    /// process, and compiles nothing in this process. It never loads code that was compiled for
    /// everyday use.
    pub fn for_contest(engine_processes: Arc<EngineProcesses>) -> Self {
        let (profile, native) = (Profile::Contest, NativePolicy::Refuse);
        let loader = Self::with_cache_of(profile, native, engine_processes.clone());
        let runtime = loader.runtime.with_compiler(engine_processes, CompilerFallback::Fail);
        Self { runtime, is_contest: true, ..loader }
    }

    /// From now on its engines may query the rules of these games.
    pub fn set_games(&mut self, games: Games) {
        self.games = games;
    }

    /// The same loader with another store of grants.
    pub fn with_trust(self, store: TrustStore) -> Self {
        Self { trust: Some(store), ..self }
    }

    /// Trusts the module with this SHA-256 as long as this loader exists. The store of grants does
    /// not change.
    pub fn trust_here(&mut self, sha256: &str) {
        self.trusted_here.insert(sha256.to_owned());
    }

    /// Whether the operator trusts the module with this SHA-256. Err: the grants cannot be read.
    pub fn trusts(&self, sha256: &str) -> Result<bool, TrustError> {
        Ok(self.trusted_here.contains(sha256) || self.trust()?.read()?.get(sha256).is_some())
    }

    /// The same loader with other games. By default a loader has the built-in games.
    pub fn with_games(self, games: Games) -> Self {
        Self { games, ..self }
    }

    /// The games whose rules its engines may query.
    pub fn games(&self) -> &Games {
        &self.games
    }

    /// The store of grants.
    pub fn trust(&self) -> Result<TrustStore, TrustError> {
        self.trust.clone().map_or_else(TrustStore::of_user, Ok)
    }

    /// The same loader with these caps for every instance, whatever the manifest of its engine
    /// requests. Contests use it: no manifest changes the limits of a game.
    pub fn with_caps(self, caps: Caps) -> Self {
        Self { caps: Some(caps), ..self }
    }

    /// The caps of an instance of this entry: those of the loader, else those that the entry
    /// requests.
    pub fn caps_of(&self, entry: &Entry) -> Caps {
        self.caps.unwrap_or_else(|| requested_caps(entry))
    }

    /// The same loader with these options for WebAssembly engines.
    pub fn with_runtime(self, options: RuntimeOptions) -> Self {
        Self { runtime: self.runtime.with_options(options), ..self }
    }

    /// The same loader with other limits for the modules that it compiles.
    pub fn with_load_caps(self, caps: LoadCaps) -> Self {
        Self { runtime: self.runtime.with_load_caps(caps), ..self }
    }

    /// A loader of plugged-in games that compiles as this one does in everyday use, within these
    /// caps, for the same kind of runtime.
    pub fn game_loader(&self, caps: LoadCaps) -> GameLoader {
        let runtime = match &self.engine_processes {
            Some(engine_processes) => runtime_of(Profile::Everyday, engine_processes),
            None => Runtime::new(),
        };
        let kind = self.runtime.options().kind;
        let options = RuntimeOptions { kind, ..RuntimeOptions::default() };
        GameLoader::new(runtime.with_options(options).with_load_caps(caps))
    }

    /// The limits for the modules that it compiles.
    pub fn load_caps(&self) -> &LoadCaps {
        self.runtime.load_caps()
    }

    /// Loads an entry with [its caps](Self::caps_of). Err: a load fault with the reason.
    pub fn load(&self, entry: &Entry, metering: Metering) -> Result<LoadedEngine, Fault> {
        self.load_with(entry, &LoadOptions::new(metering, self.caps_of(entry)))
    }

    /// As [`load`](Self::load), with other caps, and within a test budget if there is one.
    pub fn load_with(
        &self,
        entry: &Entry,
        options: &LoadOptions<'_>,
    ) -> Result<LoadedEngine, Fault> {
        let loaded = self.load_checked(entry, options);
        let Some(budget) = options.test_budget else { return loaded };
        let loaded = loaded.map_err(|fault| budget.attribute(fault))?;
        let source = BudgetedSource::wrap(loaded.source, budget.clone());
        Ok(LoadedEngine { source, ..loaded })
    }

    fn load_checked(
        &self,
        entry: &Entry,
        options: &LoadOptions<'_>,
    ) -> Result<LoadedEngine, Fault> {
        let LoadOptions { metering, caps, test_budget } = *options;
        let caps = match entry.kind {
            Some(ModuleKind::Wasm) => self.runtime.caps(caps),
            _ => caps,
        };
        if let Some(fault) = entry.faults().first() {
            return Err(load_fault(fault.to_string()));
        }
        let bytes = read_checked(&entry.module, &entry.sha256, entry.module_bytes)?;
        if entry.needs_trust() {
            self.check_trust(entry)?;
        }
        let (assets, games) = (assets(entry)?, self.games.clone());
        let resources = Resources { assets, games, ..Resources::default() };
        let (source, description): (Arc<dyn EngineSource>, _) = match entry.kind {
            Some(ModuleKind::Wasm) if self.is_contest => {
                let engine_processes = self.engine_processes()?;
                let module =
                    engine_processes.wasm(&self.runtime, &bytes, metering, caps, &resources)?;
                let module = match test_budget {
                    Some(budget) => module.within(budget),
                    None => module,
                };
                let description = module.describe()?;
                (Arc::new(module), description)
            }
            Some(ModuleKind::Wasm) => {
                let module = WasmModule::load(&self.runtime, &bytes, metering, caps, resources)?;
                let description = module.describe()?;
                (Arc::new(module), description)
            }
            Some(ModuleKind::Native) if self.native == NativePolicy::Jailed => {
                let module = self.engine_processes()?.native(&bytes, caps, &resources)?;
                let description = module.describe()?;
                (Arc::new(module), description)
            }
            Some(ModuleKind::External) => {
                let description = manifest_description(entry);
                let protocol_config = entry.protocol_config.clone().unwrap_or_default();
                let engine_processes = self.engine_processes()?;
                let source = ExternalSource::new(
                    engine_processes,
                    &bytes,
                    &description,
                    &protocol_config,
                    caps,
                    &resources,
                )?;
                (Arc::new(source), description)
            }
            Some(ModuleKind::Native) => {
                self.warn_in_process(entry);
                let name = entry.module.file_name().unwrap_or_default().to_string_lossy();
                let module =
                    NativeModule::from_bytes(&bytes, &name, CallMode::OwnThread, caps, resources)?;
                let description = module.describe()?;
                (Arc::new(module), description)
            }
            None => return Err(load_fault("has no module kind".into())),
        };
        let name = entry.id.clone();
        let source: Arc<dyn EngineSource> = Arc::new(TracingSource { source, name });
        log::info!("loaded {} {} from {}", entry.id, entry.version, entry.module.display());
        let stack = match entry.kind {
            Some(ModuleKind::Wasm) => metering.stack_limit(),
            _ => StackLimit::Unknown,
        };
        let limits = InstanceLimits::new(&caps, stack);
        Ok(LoadedEngine { source, description, caps, limits })
    }

    fn engine_processes(&self) -> Result<&Arc<EngineProcesses>, Fault> {
        let sentence = "cannot run: this loader starts no engine processes";
        self.engine_processes.as_ref().ok_or_else(|| Fault::new(FaultCode::Host, sentence))
    }

    /// Checks that the operator has trusted the module with the entry's hash. Err: why it may not
    /// run.
    fn check_trust(&self, entry: &Entry) -> Result<(), Fault> {
        let noun = entry.kind.map_or("of unknown kind", ModuleKind::noun);
        if self.native == NativePolicy::Refuse {
            return Err(load_fault(format!("is {noun}, and those are refused here")));
        }
        let is_trusted = self.trusts(&entry.sha256).map_err(|error| {
            load_fault(format!("is {noun}, and whether it is trusted is unknown: {error}"))
        })?;
        match is_trusted {
            true => Ok(()),
            false => Err(load_fault(format!(
                "is {noun}, and is not trusted: its \
                 SHA-256 is {}; to trust it, type: {}",
                entry.sha256,
                trust_command(entry)
            ))),
        }
    }

    /// Logs once for each library that it runs with the rights of this process.
    fn warn_in_process(&self, entry: &Entry) {
        let mut warned = self.warned.lock().unwrap_or_else(PoisonError::into_inner);
        if warned.insert(entry.module.clone()) {
            let id = &entry.id;
            log::warn!("{id} is a native library: it runs in this process with all your rights");
        }
    }

    /// The description that the module in a file gives of itself. Runs code of a native library or
    /// a program; a program must speak the `sandboard` protocol, and gets no arguments.
    pub fn describe(
        &self,
        module: &Path,
        kind: ModuleKind,
        limits: PackLimits,
    ) -> Result<Description, Fault> {
        let entry = Entry { limits, ..self.bare_entry(module, kind)? };
        if kind != ModuleKind::External {
            return self.load(&entry, Metering::Deadline).map(|loaded| loaded.description);
        }
        let bytes = read_checked(&entry.module, &entry.sha256, entry.module_bytes)?;
        self.check_trust(&entry)?;
        let protocol_config =
            ProtocolConfig { protocol: Protocol::Sandboard, ..ProtocolConfig::default() };
        let description = manifest_description(&entry);
        let caps = self.caps_of(&entry);
        let resources = Resources { games: self.games.clone(), ..Resources::default() };
        let engine_processes = self.engine_processes()?;
        ExternalSource::new(
            engine_processes,
            &bytes,
            &description,
            &protocol_config,
            caps,
            &resources,
        )?
        .describe()
    }

    /// What an external engine says about itself in its protocol: its name and its options. Runs
    /// the program in its jail. Err: it is not trusted, cannot run, or does not speak the protocol.
    pub fn identify(&self, entry: &Entry) -> Result<ProgramIdentity, Fault> {
        let bytes = read_checked(&entry.module, &entry.sha256, entry.module_bytes)?;
        self.check_trust(entry)?;
        let protocol_config = entry.protocol_config.clone().unwrap_or_default();
        let (assets, games) = (assets(entry)?, self.games.clone());
        let resources = Resources { assets, games, ..Resources::default() };
        let (description, caps) = (manifest_description(entry), self.caps_of(entry));
        let processes = self.engine_processes()?;
        let source = ExternalSource::new(
            processes,
            &bytes,
            &description,
            &protocol_config,
            caps,
            &resources,
        )?;
        source.identify()
    }

    /// An entry for a module without a manifest.
    fn bare_entry(&self, module: &Path, kind: ModuleKind) -> Result<Entry, Fault> {
        let facts = inspect(module, kind, self.load_caps()).map_err(load_fault)?;
        if !facts.faults.is_empty() {
            return Err(load_fault(facts.faults.join("; ")));
        }
        Ok(Entry {
            id: module.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
            kind: Some(kind),
            module: module.to_owned(),
            sha256: facts.sha256,
            module_bytes: facts.bytes,
            ..Entry::default()
        })
    }
}

/// A runtime with the user's cache of compiled code, if there is one, that compiles in jailed
/// processes.
fn runtime_of(profile: Profile, engine_processes: &Arc<EngineProcesses>) -> Runtime {
    let cache = cache_folder()
        .map_err(|error| error.to_string())
        .and_then(|folder| CodeCache::open(&folder, profile).map_err(|error| error.to_string()));
    let runtime = match cache {
        Ok(cache) => Runtime::with_cache(cache.with_max_bytes(cache_bytes())),
        Err(reason) => {
            log::warn!("compiled code is not cached: {reason}");
            Runtime::new()
        }
    };
    runtime.with_compiler(engine_processes.clone(), CompilerFallback::InProcess)
}

/// Logs every ABI call of its engines, if tracing is enabled.
struct TracingSource {
    source: Arc<dyn EngineSource>,
    name: String,
}

impl EngineSource for TracingSource {
    fn open(&self, listener: Arc<dyn Listener>, threads: u16) -> Result<Box<dyn Engine>, Fault> {
        let opened = self.source.open(listener, threads);
        opened.map(|engine| TracingEngine::wrap(engine, &self.name))
    }

    fn fuel_meter(&self) -> Option<FuelMeter> {
        self.source.fuel_meter()
    }

    fn confinement(&self) -> Option<Confinement> {
        self.source.confinement()
    }
}

/// The largest size of the cache of compiled code, in bytes.
fn cache_bytes() -> u64 {
    let Some(text) = std::env::var_os(CACHE_VARIABLE).filter(|text| !text.is_empty()) else {
        return CACHE_BYTES;
    };
    bytes::parse(&text.to_string_lossy()).unwrap_or_else(|| {
        log::warn!(
            "{CACHE_VARIABLE} must be a number of bytes, such as 512MiB or 2GiB, not {text:?}; \
             using {CACHE_BYTES}"
        );
        CACHE_BYTES
    })
}

/// The description of an external engine, from its manifest: the program itself is not asked.
fn manifest_description(entry: &Entry) -> Description {
    Description {
        id: entry.id.clone(),
        name: entry.name.clone(),
        author: entry.author.clone(),
        version: entry.version.clone(),
        games: entry.games.clone(),
        options: entry.options.clone(),
        abilities: Abilities::default(),
    }
}

/// The caps that an entry requests.
pub fn requested_caps(entry: &Entry) -> Caps {
    let default = Caps::default();
    let limits = &entry.limits;
    Caps {
        memory_bytes: limits.memory_bytes.unwrap_or(default.memory_bytes),
        start_us: limits.start_ms.map_or(default.start_us, |ms| ms.saturating_mul(1000)),
        log_bytes: limits.log_bytes.unwrap_or(default.log_bytes).min(default.log_bytes),
        ..default
    }
}

/// The command that trusts an engine; it works in any current folder.
fn trust_command(entry: &Entry) -> String {
    if entry.root.as_os_str().is_empty() {
        return format!("sandboard trust --sha256 {}", entry.sha256);
    }
    let (id, version) = (&entry.id, &entry.version);
    let name = if version.is_empty() { id.clone() } else { format!("{id}-{version}") };
    let folder = shell_quote(&entry.root.to_string_lossy());
    format!("sandboard trust {} --engines-dir {folder}", shell_quote(&name))
}

fn assets(entry: &Entry) -> Result<Assets, Fault> {
    let read = |asset: &crate::catalog::Asset| {
        Ok((asset.name.clone(), read_checked(&asset.path, &asset.sha256, asset.bytes)?))
    };
    entry.assets.iter().map(read).collect()
}

/// Reads a file that must not have changed since the scan; reads at most `max_bytes`.
pub(crate) fn read_checked(path: &Path, sha256: &str, max_bytes: u64) -> Result<Vec<u8>, Fault> {
    let changed =
        |why: &str| load_fault(format!("{} has changed since it was listed{why}", path.display()));
    if std::fs::metadata(path).is_ok_and(|now| now.is_file() && now.len() > max_bytes) {
        return Err(changed(": it is longer"));
    }
    let bytes = read_bounded(path, max_bytes)
        .map_err(|why| load_fault(format!("{} {why}", path.display())))?;
    match sandboard_common::hex::hex(&Sha256::digest(&bytes)) == sha256 {
        true => Ok(bytes),
        false => Err(changed("")),
    }
}

fn load_fault(sentence: String) -> Fault {
    Fault::new(FaultCode::Load, sentence)
}
