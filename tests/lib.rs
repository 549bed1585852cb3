//! Helpers shared by tests, benchmarks and fuzz targets: paths of built engines, loaders for them,
//! and `any_bytes`, the checks that hold for arbitrary input bytes.
#![forbid(unsafe_code)]

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use sandboard_abi::Setup;
use sandboard_engine::{Assets, Caps, EngineSource, Fault, Resources};
use sandboard_engine_native::{CallMode, NativeModule};
use sandboard_engine_process::{CompileLimits, EngineProcessSource, EngineProcesses};
use sandboard_engine_wasm::scan::Profile;
use sandboard_engine_wasm::{CodeCache, Metering, Runtime, WasmModule};
use sandboard_packs::catalog::inspect;
use sandboard_packs::manifest::ModuleKind;
use sandboard_packs::trust::{Grant, GrantSource, TrustStore};

pub mod any_bytes;
pub mod kernels;

/// The workspace's root.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the tests live in a workspace")
}

/// A file built by `cargo xtask engines`. Panics with that command if the file is missing.
pub fn built(name: &str) -> PathBuf {
    let path = root().join("engines-dir").join(name);
    assert!(path.is_file(), "{} is missing: run `cargo xtask engines`", path.display());
    path
}

/// A sample engine written in a language other than Rust and C, as a component.
pub fn in_language(name: &str) -> PathBuf {
    in_target(&Path::new("languages").join(format!("{name}.wasm")), "--lang all")
}

/// The rules of the built-in game with this id, as a component.
pub fn built_in_game(id: &str) -> PathBuf {
    in_target(&Path::new("built-in-games").join(format!("built-in-{id}.wasm")), "")
}

/// A file of the target folder that `cargo xtask engines` makes with these options.
fn in_target(file: &Path, options: &str) -> PathBuf {
    let test_program = std::env::current_exe().expect("the path of the test program is known");
    let found =
        test_program.ancestors().map(|folder| folder.join(file)).find(|path| path.is_file());
    found.unwrap_or_else(|| {
        panic!("{} is missing: run `cargo xtask engines {options}`", file.display())
    })
}

/// The file name of a native sample engine on this system.
pub fn native_name(stem: &str) -> String {
    format!("{stem}{}", std::env::consts::DLL_SUFFIX)
}

/// Grants trust to the native sample engines in a data folder, as a build would.
pub fn trust_samples(home: &Path) {
    let stems = [
        "c-minimal",
        "connect-four-mcts",
        "faulty",
        "general-mcts",
        "gomoku-alpha",
        "gomoku-rows",
        "gomoku-simple",
        "kuhn-equilibrium",
        "random-legal",
        "random-mover",
        "reversi-ponder",
        "reversi-simple",
        "xiangqi-mt",
    ];
    let grants = stems.map(|stem| {
        let facts = inspect(&built(&native_name(stem)), ModuleKind::Native, runtime().load_caps())
            .expect("a library");
        Grant::new(&facts.sha256, &format!("{stem}-native"), "", GrantSource::Build)
    });
    let granted = TrustStore::in_data_folder(home).change(|all| {
        for grant in grants {
            all.add(grant);
        }
    });
    granted.expect("the data folder can be written");
}

/// The runtime that all wasm engines of a test process share.
pub fn runtime() -> &'static Runtime {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    RUNTIME.get_or_init(|| match CodeCache::open(&shared_cache(), Profile::Everyday) {
        Ok(cache) => Runtime::with_cache(cache),
        // A test run of another user.
        Err(_) => Runtime::new(),
    })
}

/// The cache of compiled code that all tests share. It stays between runs: most tests load the same
/// engines. A server in the browser tests takes it from the variable `SANDBOARD_CACHE`.
pub fn shared_cache() -> PathBuf {
    let test_program = std::env::current_exe().expect("the path of the test program is known");
    // The program is in the subfolder `deps`. A bench needs no binary of the host.
    test_program.ancestors().nth(2).expect("a folder of the build").join("test-cache")
}

/// Loads a sample engine's component with one asset: `book`, the bytes `abcdef`.
pub fn wasm(stem: &str, metering: Metering, caps: Caps) -> Result<WasmModule, Fault> {
    let path = built(&format!("{stem}.wasm"));
    let bytes = std::fs::read(&path).expect("the component can be read");
    WasmModule::load(runtime(), &bytes, metering, caps, resources())
}

/// Loads a sample engine's native library with the same asset.
pub fn native(stem: &str, calls: CallMode) -> Result<NativeModule, Fault> {
    NativeModule::load(&built(&native_name(stem)), calls, Caps::default(), resources())
}

fn resources() -> Resources {
    let assets = Assets::from([("book".to_owned(), b"abcdef".to_vec())]);
    Resources { assets, ..Resources::default() }
}

/// The binary `sandboard` of this build, found beside the folder of the test program.
pub fn binary() -> PathBuf {
    let name = format!("sandboard{}", std::env::consts::EXE_SUFFIX);
    let test_program = std::env::current_exe().expect("the path of the test program is known");
    let found =
        test_program.ancestors().map(|folder| folder.join(&name)).find(|path| path.is_file());
    found.unwrap_or_else(|| panic!("{name} is missing: run `cargo build -p sandboard-cli`"))
}

/// The variables that give `sandboard` this data folder, and the cache that all tests share.
pub fn data_variables(home: impl AsRef<Path>) -> [(&'static str, PathBuf); 2] {
    [("SANDBOARD_HOME", home.as_ref().to_owned()), ("SANDBOARD_CACHE", shared_cache())]
}

/// The pool of engine processes that all jailed engines of a test process share.
pub fn engine_processes() -> &'static Arc<EngineProcesses> {
    static PROCESSES: OnceLock<Arc<EngineProcesses>> = OnceLock::new();
    PROCESSES.get_or_init(|| EngineProcesses::new(binary(), CompileLimits::EVERYDAY, &[]))
}

/// As [`wasm`], with each instance in an engine process.
pub fn jailed_wasm(
    stem: &str,
    metering: Metering,
    caps: Caps,
) -> Result<EngineProcessSource, Fault> {
    let bytes = std::fs::read(built(&format!("{stem}.wasm"))).expect("it can be read");
    engine_processes().wasm(runtime(), &bytes, metering, caps, &resources())
}

/// As [`native`], with each instance in an engine process.
pub fn jailed_native(stem: &str, caps: Caps) -> Result<EngineProcessSource, Fault> {
    let bytes = std::fs::read(built(&native_name(stem))).expect("it can be read");
    engine_processes().native(&bytes, caps, &resources())
}

/// A sample engine as wasm and native, each in this process and in engine processes.
pub fn every_kind(stem: &str, caps: Caps) -> [(&'static str, Box<dyn EngineSource>); 4] {
    let native =
        NativeModule::load(&built(&native_name(stem)), CallMode::OwnThread, caps, resources());
    [
        ("wasm", Box::new(wasm(stem, Metering::Deadline, caps).expect("it loads"))),
        ("native", Box::new(native.expect("it loads"))),
        (JAILED_WASM, Box::new(jailed_wasm(stem, Metering::Deadline, caps).expect("it loads"))),
        (JAILED_NATIVE, Box::new(jailed_native(stem, caps).expect("it loads"))),
    ]
}

/// The kinds of [`every_kind`] that can be stopped. A native engine in this process that does not
/// return keeps using a core until the test program ends.
pub fn killable_kinds(stem: &str, caps: Caps) -> [(&'static str, Box<dyn EngineSource>); 3] {
    let [wasm, _, jailed_wasm, jailed_native] = every_kind(stem, caps);
    [wasm, jailed_wasm, jailed_native]
}

/// Label of the jailed component in [`every_kind`].
pub const JAILED_WASM: &str = "wasm in an engine process";
/// Label of the jailed library in [`every_kind`].
pub const JAILED_NATIVE: &str = "native in an engine process";

/// A game of gomoku from its start position, with these options.
pub fn gomoku(options: &[(&str, &str)]) -> Setup {
    Setup {
        game: "gomoku".into(),
        variant: "freestyle".into(),
        start: String::new(),
        moves: String::new(),
        seats: vec![0],
        seed: 1,
        options: options.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect(),
        memory_bytes: 0,
        threads: 1,
        helper: 0,
        helpers: 0,
        table_slots: 0,
    }
}

/// A listener that keeps all log texts and reported lines of an instance.
#[derive(Default)]
pub struct RecordingListener {
    /// The logged texts, in order.
    pub log: std::sync::Mutex<Vec<String>>,
    /// Reported principal variations.
    pub reports: std::sync::Mutex<Vec<String>>,
}

impl RecordingListener {
    /// An empty listener that can be shared with an instance.
    pub fn new() -> Arc<Self> {
        Arc::default()
    }
}

impl sandboard_engine::Listener for RecordingListener {
    fn report(&self, line: &sandboard_abi::Line) {
        self.reports.lock().expect("no test panics here").push(line.moves.clone());
    }

    fn log(&self, _level: sandboard_abi::Level, text: &str) {
        self.log.lock().expect("no test panics here").push(text.to_owned());
    }
}
