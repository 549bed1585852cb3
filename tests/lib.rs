//! What tests, benches and fuzz targets share: where the built engines are, how to start
//! them, and in `any_bytes` what holds whatever comes in, the only part that asserts.
#![forbid(unsafe_code)]

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use sandboard_abi::Setup;
use sandboard_host::catalog::inspect;
use sandboard_host::engine::native::{Calls, NativeModule};
use sandboard_host::engine::wasm::{Metering, Runtime, WasmModule};
use sandboard_host::engine::{Assets, Caps, EngineSource, Fault};
use sandboard_host::manifest::ModuleKind;
use sandboard_host::trust::{Grant, How, Store};
use sandboard_host::worker::{CompileLimits, WorkerSource, Workers};

pub mod any_bytes;
pub mod kernels;

/// The workspace's root.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the tests live in a workspace")
}

/// A file built by `cargo xtask engines`; fails with the command that builds it.
pub fn built(name: &str) -> PathBuf {
    let path = root().join("engines-dir").join(name);
    assert!(path.is_file(), "{} is missing: run `cargo xtask engines`", path.display());
    path
}

/// A sample engine of another language than Rust and C, as a component.
pub fn in_language(name: &str) -> PathBuf {
    let own = std::env::current_exe().expect("a program knows where it is");
    let file = Path::new("languages").join(format!("{name}.wasm"));
    let found = own.ancestors().map(|folder| folder.join(&file)).find(|path| path.is_file());
    found.unwrap_or_else(|| {
        panic!("{} is missing: run `cargo xtask engines --lang all`", file.display())
    })
}

/// The file name of a native sample engine on this system.
pub fn native_name(stem: &str) -> String {
    format!("{stem}{}", std::env::consts::DLL_SUFFIX)
}

/// Trusts the native sample engines in a data folder, as a build would.
pub fn trust_samples(home: &Path) {
    let stems = [
        "c-minimal",
        "faulty",
        "gomoku-alpha",
        "gomoku-rows",
        "gomoku-simple",
        "random-mover",
        "reversi-ponder",
        "reversi-simple",
        "xiangqi-mt",
    ];
    let grants = stems.map(|stem| {
        let facts = inspect(&built(&native_name(stem)), ModuleKind::Native, runtime().load_caps())
            .expect("a library");
        Grant::new(&facts.sha256, &format!("{stem}-native"), "", How::Build)
    });
    let granted = Store::in_data_folder(home).change(|all| {
        for grant in grants {
            all.add(grant);
        }
    });
    granted.expect("the data folder can be written");
}

/// The runtime that all wasm engines of a test process share.
pub fn runtime() -> &'static Runtime {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    RUNTIME.get_or_init(Runtime::new)
}

/// A sample engine's component, with one asset: `book`, the letters `abcdef`.
pub fn wasm(stem: &str, metering: Metering, caps: Caps) -> Result<WasmModule, Fault> {
    let path = built(&format!("{stem}.wasm"));
    WasmModule::load_file(runtime(), &path, metering, caps, assets())
}

/// A sample engine's native library, with the same asset.
pub fn native(stem: &str, calls: Calls) -> Result<NativeModule, Fault> {
    NativeModule::load(&built(&native_name(stem)), calls, Caps::default(), assets())
}

fn assets() -> Assets {
    Assets::from([("book".to_owned(), b"abcdef".to_vec())])
}

/// The binary `sandboard`, as `cargo build` leaves it beside the folder of the program that asks.
pub fn binary() -> PathBuf {
    let name = format!("sandboard{}", std::env::consts::EXE_SUFFIX);
    let own = std::env::current_exe().expect("a program knows where it is");
    let found = own.ancestors().map(|folder| folder.join(&name)).find(|path| path.is_file());
    found.unwrap_or_else(|| panic!("{name} is missing: run `cargo build -p sandboard-host`"))
}

/// The workers that all engines of a test process share which run in some.
pub fn workers() -> &'static Arc<Workers> {
    static WORKERS: OnceLock<Arc<Workers>> = OnceLock::new();
    WORKERS.get_or_init(|| Workers::new(binary(), CompileLimits::EVERYDAY, &[]))
}

/// As [`wasm`], each instance in a worker.
pub fn jailed_wasm(stem: &str, metering: Metering, caps: Caps) -> Result<WorkerSource, Fault> {
    let bytes = std::fs::read(built(&format!("{stem}.wasm"))).expect("it can be read");
    workers().wasm(runtime(), &bytes, metering, caps, &assets())
}

/// As [`native`], each instance in a worker.
pub fn jailed_native(stem: &str, caps: Caps) -> Result<WorkerSource, Fault> {
    let bytes = std::fs::read(built(&native_name(stem))).expect("it can be read");
    workers().native(&bytes, caps, &assets())
}

/// A sample engine of each kind, in this process and in workers.
pub fn every_kind(stem: &str, caps: Caps) -> [(&'static str, Box<dyn EngineSource>); 4] {
    let native = NativeModule::load(&built(&native_name(stem)), Calls::Abandonable, caps, assets());
    [
        ("wasm", Box::new(wasm(stem, Metering::Deadline, caps).expect("it loads"))),
        ("native", Box::new(native.expect("it loads"))),
        (JAILED_WASM, Box::new(jailed_wasm(stem, Metering::Deadline, caps).expect("it loads"))),
        (JAILED_NATIVE, Box::new(jailed_native(stem, caps).expect("it loads"))),
    ]
}

/// Those of [`every_kind`] that can be got rid of: a native engine in this process that does
/// not come back goes on using a core for as long as the tests last.
pub fn killable_kinds(stem: &str, caps: Caps) -> [(&'static str, Box<dyn EngineSource>); 3] {
    let [wasm, _, jailed_wasm, jailed_native] = every_kind(stem, caps);
    [wasm, jailed_wasm, jailed_native]
}

/// A kind of [`every_kind`].
pub const JAILED_WASM: &str = "wasm in a worker";
/// A kind of [`every_kind`].
pub const JAILED_NATIVE: &str = "native in a worker";

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

/// A listener that keeps all it hears.
#[derive(Default)]
pub struct Ear {
    /// Logged texts.
    pub log: std::sync::Mutex<Vec<String>>,
    /// Reported lines of moves.
    pub reports: std::sync::Mutex<Vec<String>>,
}

impl Ear {
    /// A new one, shared with an instance.
    pub fn new() -> Arc<Self> {
        Arc::default()
    }
}

impl sandboard_host::engine::Listener for Ear {
    fn report(&self, line: &sandboard_abi::Line) {
        self.reports.lock().expect("no test panics here").push(line.moves.clone());
    }

    fn log(&self, _level: sandboard_abi::Level, text: &str) {
        self.log.lock().expect("no test panics here").push(text.to_owned());
    }
}
