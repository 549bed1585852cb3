//! From an entry of the catalog to an engine that can be started: reads the
//! module once, compares it with the hash that the catalog found, and hands it
//! to the backend of its kind. Chooses no engine and trusts none: a native one, or a program, must be
//! trusted by the operator, and this is the one gate that asks whether it is.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use sandboard_abi::{Abilities, Description};
use sandboard_forge::run::quoted;
use sha2::{Digest, Sha256};

use crate::bytes;
use crate::catalog::{Entry, inspect, read_bounded};
use crate::engine::native::{Calls, NativeModule};
use crate::engine::wasm::scan::LoadCaps;
use crate::engine::wasm::{
    CACHE_BYTES, Cache, Metering, Otherwise, Runtime, RuntimeOptions, WasmModule,
};
use crate::engine::{
    Assets, Caps, Confinement, Engine, EngineSource, Fault, FaultCode, FuelClock, Listener,
    Patience, PatientSource, Traced,
};
use crate::manifest::{ModuleKind, PackLimits};
use crate::process::{ProcessSource, Protocol, Speech};
use crate::record::store::data_folder;
use crate::trust::{Store, TrustError};
use crate::worker::Workers;

/// The variable that says how much compiled code is kept.
const CACHE_VARIABLE: &str = "SANDBOARD_CACHE_BYTES";

/// What the operator allows native libraries to do. Programs run in jailed processes, or not at
/// all where native ones are refused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Native {
    /// Loaded into jailed processes, one for each game.
    #[default]
    Jailed,
    /// Loaded into this process, with all its rights.
    InProcess,
    /// Not loaded.
    Refuse,
}

/// Loads engines; one for a process.
#[derive(Default)]
pub struct Loader {
    runtime: Runtime,
    native: Native,
    /// Where engines run that do not run here; none: there is no such place.
    workers: Option<Arc<Workers>>,
    /// Nobody trusts any engine: each runs in a worker.
    contest: bool,
    /// None: the user's own.
    trust: Option<Store>,
    /// Native engines of which it has been said what they may do.
    told: Mutex<BTreeSet<PathBuf>>,
}

/// A loaded engine.
#[derive(Clone)]
pub struct Loaded {
    /// Where instances come from.
    pub source: Arc<dyn EngineSource>,
    /// What it says of itself.
    pub description: Description,
    /// What one instance may hold and say.
    pub caps: Caps,
}

impl Loader {
    /// A loader that keeps compiled code in the user's cache folder, where
    /// there is one.
    pub fn new(native: Native, workers: Arc<Workers>) -> Self {
        let cache = data_folder()
            .map_err(|error| error.to_string())
            .and_then(|data| Cache::open(&data.join("cache")).map_err(|error| error.to_string()));
        let runtime = match cache {
            Ok(cache) => Runtime::with_cache(cache.with_most_bytes(cache_bytes())),
            Err(reason) => {
                log::warn!("compiled code is not kept: {reason}");
                Runtime::new()
            }
        };
        let runtime = runtime.with_compiler(workers.clone(), Otherwise::Here);
        Self { runtime, native, workers: Some(workers), ..Self::default() }
    }

    /// A loader for entries that nobody trusts: components only, every instance in a
    /// worker, and nothing compiled here.
    pub fn for_contest(workers: Arc<Workers>) -> Self {
        let loader = Self::new(Native::Refuse, workers.clone());
        let runtime = loader.runtime.with_compiler(workers, Otherwise::Refuse);
        Self { runtime, contest: true, ..loader }
    }

    /// The same loader, which takes it from here what is trusted.
    pub fn with_trust(self, store: Store) -> Self {
        Self { trust: Some(store), ..self }
    }

    /// Where it is kept what is trusted.
    pub fn trust(&self) -> Result<Store, TrustError> {
        self.trust.clone().map_or_else(Store::of_user, Ok)
    }

    /// The same loader, whose wasm engines run with these options.
    pub fn with_runtime(self, options: RuntimeOptions) -> Self {
        Self { runtime: self.runtime.with_options(options), ..self }
    }

    /// The same loader, which compiles what is within these caps and nothing else.
    pub fn with_load_caps(self, caps: LoadCaps) -> Self {
        Self { runtime: self.runtime.with_load_caps(caps), ..self }
    }

    /// What may be compiled.
    pub fn load_caps(&self) -> &LoadCaps {
        self.runtime.load_caps()
    }

    /// Loads an entry with the caps that its manifest asks for. Err: a load fault
    /// that says what is wrong with it.
    pub fn load(&self, entry: &Entry, metering: Metering) -> Result<Loaded, Fault> {
        self.load_with(entry, metering, caps(entry))
    }

    /// The same with other caps.
    pub fn load_with(
        &self,
        entry: &Entry,
        metering: Metering,
        caps: Caps,
    ) -> Result<Loaded, Fault> {
        self.load_held(entry, metering, caps, None)
    }

    /// The same for a test: all its instances together are held to this patience, describing included where they run in
    /// workers.
    pub fn load_within(
        &self,
        entry: &Entry,
        metering: Metering,
        caps: Caps,
        patience: &Arc<Patience>,
    ) -> Result<Loaded, Fault> {
        let loaded = self.load_held(entry, metering, caps, Some(patience));
        let loaded = loaded.map_err(|fault| patience.blamed(fault))?;
        Ok(Loaded { source: PatientSource::wrap(loaded.source, patience.clone()), ..loaded })
    }

    fn load_held(
        &self,
        entry: &Entry,
        metering: Metering,
        caps: Caps,
        patience: Option<&Arc<Patience>>,
    ) -> Result<Loaded, Fault> {
        if let Some(fault) = entry.faults().first() {
            return Err(refused(fault.to_string()));
        }
        let bytes = read_checked(&entry.module, &entry.sha256, entry.module_bytes)?;
        if entry.needs_trust() {
            self.check_trust(entry)?;
        }
        let assets = assets(entry)?;
        let (source, description): (Arc<dyn EngineSource>, _) = match entry.kind {
            Some(ModuleKind::Wasm) if self.contest => {
                let workers = self.workers()?;
                let module = workers.wasm(&self.runtime, &bytes, metering, caps, &assets)?;
                let module = match patience {
                    Some(patience) => module.within(patience),
                    None => module,
                };
                let description = module.describe()?;
                (Arc::new(module), description)
            }
            Some(ModuleKind::Wasm) => {
                let module = WasmModule::load(&self.runtime, &bytes, metering, caps, assets)?;
                let description = module.describe()?;
                (Arc::new(module), description)
            }
            Some(ModuleKind::Native) if self.native == Native::Jailed => {
                let module = self.workers()?.native(&bytes, caps, &assets)?;
                let description = module.describe()?;
                (Arc::new(module), description)
            }
            Some(ModuleKind::Process) => {
                let description = described(entry);
                let speech = entry.speech.clone().unwrap_or_default();
                let workers = self.workers()?;
                let source =
                    ProcessSource::new(workers, &bytes, &description, &speech, caps, &assets)?;
                (Arc::new(source), description)
            }
            Some(ModuleKind::Native) => {
                self.tell_of(entry);
                let name = entry.module.file_name().unwrap_or_default().to_string_lossy();
                let module =
                    NativeModule::from_bytes(&bytes, &name, Calls::Abandonable, caps, assets)?;
                let description = module.describe()?;
                (Arc::new(module), description)
            }
            None => return Err(refused("is neither wasm nor native nor a program".into())),
        };
        let name = entry.id.clone();
        let source: Arc<dyn EngineSource> = Arc::new(TracedSource { source, name });
        log::info!("loaded {} {} from {}", entry.id, entry.version, entry.module.display());
        Ok(Loaded { source, description, caps })
    }

    fn workers(&self) -> Result<&Arc<Workers>, Fault> {
        let sentence = "has no process to run in: this loader has no workers";
        self.workers.as_ref().ok_or_else(|| Fault::new(FaultCode::Host, sentence))
    }

    /// Err: the operator does not want this library or program to run. Its bytes have the
    /// entry's hash.
    fn check_trust(&self, entry: &Entry) -> Result<(), Fault> {
        let noun = entry.kind.map_or("of no known kind", ModuleKind::noun);
        if self.native == Native::Refuse {
            return Err(refused(format!("is {noun}, and those are refused here")));
        }
        let grants = self.trust().and_then(|store| store.read()).map_err(|error| {
            refused(format!("is {noun}, and whether it is trusted is unknown: {error}"))
        })?;
        match grants.of(&entry.sha256) {
            Some(_) => Ok(()),
            None => Err(refused(format!(
                "is {noun}, and is not trusted: its \
                 SHA-256 is {}; if you would run it, type: {}",
                entry.sha256,
                how_to_trust(entry)
            ))),
        }
    }

    /// Says, once, with what rights a native engine runs.
    fn tell_of(&self, entry: &Entry) {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if told.insert(entry.module.clone()) {
            let id = &entry.id;
            log::warn!("{id} is a native library: it runs in this process with all your rights");
        }
    }

    /// What the module in a file says of itself. Loads it, which runs code of a native one.
    pub fn describe(&self, module: &Path, kind: ModuleKind) -> Result<Description, Fault> {
        let entry = self.bare(module, kind)?;
        self.load(&entry, Metering::Deadline).map(|loaded| loaded.description)
    }

    /// What a program that speaks our own protocol says of itself, with no arguments and within these limits. Runs it, in
    /// a jail.
    pub fn describe_program(&self, module: &Path, asks: PackLimits) -> Result<Description, Fault> {
        let entry = Entry { limits: asks, ..self.bare(module, ModuleKind::Process)? };
        let bytes = read_checked(&entry.module, &entry.sha256, entry.module_bytes)?;
        self.check_trust(&entry)?;
        let speech = Speech { protocol: Protocol::Sandboard, ..Speech::default() };
        let (description, caps, assets) = (described(&entry), caps(&entry), Assets::default());
        let workers = self.workers()?;
        ProcessSource::new(workers, &bytes, &description, &speech, caps, &assets)?.describe()
    }

    /// The entry of a module that no manifest names.
    fn bare(&self, module: &Path, kind: ModuleKind) -> Result<Entry, Fault> {
        let facts = inspect(module, kind, self.load_caps()).map_err(refused)?;
        if !facts.wrongs.is_empty() {
            return Err(refused(facts.wrongs.join("; ")));
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

/// Puts every border call of its engines into the log, if the log wants them.
struct TracedSource {
    source: Arc<dyn EngineSource>,
    name: String,
}

impl EngineSource for TracedSource {
    fn open_for(
        &self,
        listener: Arc<dyn Listener>,
        threads: u16,
    ) -> Result<Box<dyn Engine>, Fault> {
        let opened = self.source.open_for(listener, threads);
        opened.map(|engine| Traced::wrap(engine, &self.name))
    }

    fn fuel_clock(&self) -> Option<FuelClock> {
        self.source.fuel_clock()
    }

    fn confinement(&self) -> Option<Confinement> {
        self.source.confinement()
    }
}

/// What compiled code may take on the disk.
fn cache_bytes() -> u64 {
    let Some(text) = std::env::var_os(CACHE_VARIABLE).filter(|text| !text.is_empty()) else {
        return CACHE_BYTES;
    };
    bytes::parse(&text.to_string_lossy()).unwrap_or_else(|| {
        log::warn!(
            "{CACHE_VARIABLE} is no number of bytes, such as 512MiB or 2GiB, but {text:?}; \
             {CACHE_BYTES} are kept"
        );
        CACHE_BYTES
    })
}

/// What a program is, by its manifest: it is not asked.
fn described(entry: &Entry) -> Description {
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

/// The caps that an entry asks for.
pub fn caps(entry: &Entry) -> Caps {
    let usual = Caps::default();
    let limits = &entry.limits;
    Caps {
        memory_bytes: limits.memory_bytes.unwrap_or(usual.memory_bytes),
        start_us: limits.start_ms.map_or(usual.start_us, |ms| ms.saturating_mul(1000)),
        log_bytes: limits.log_bytes.unwrap_or(usual.log_bytes).min(usual.log_bytes),
        ..usual
    }
}

/// The command that trusts an engine, wherever it is typed.
fn how_to_trust(entry: &Entry) -> String {
    if entry.root.as_os_str().is_empty() {
        return format!("sandboard trust --sha256 {}", entry.sha256);
    }
    let (id, version) = (&entry.id, &entry.version);
    let name = if version.is_empty() { id.clone() } else { format!("{id}-{version}") };
    let folder = quoted(&entry.root.to_string_lossy());
    format!("sandboard trust {} --engines-dir {folder}", quoted(&name))
}

fn assets(entry: &Entry) -> Result<Assets, Fault> {
    let read = |asset: &crate::catalog::Asset| {
        Ok((asset.name.clone(), read_checked(&asset.path, &asset.sha256, asset.bytes)?))
    };
    entry.assets.iter().map(read).collect()
}

/// Reads a file that must still be what the catalog saw; no more of it than that was.
fn read_checked(path: &Path, sha256: &str, most_bytes: u64) -> Result<Vec<u8>, Fault> {
    let changed =
        |why: &str| refused(format!("{} has changed since it was listed{why}", path.display()));
    if std::fs::metadata(path).is_ok_and(|now| now.is_file() && now.len() > most_bytes) {
        return Err(changed(": it is longer"));
    }
    let bytes = read_bounded(path, most_bytes)
        .map_err(|why| refused(format!("{} {why}", path.display())))?;
    match crate::hex(&Sha256::digest(&bytes)) == sha256 {
        true => Ok(bytes),
        false => Err(changed("")),
    }
}

fn refused(sentence: String) -> Fault {
    Fault::new(FaultCode::Load, sentence)
}
