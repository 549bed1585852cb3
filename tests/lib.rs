//! What tests, benches and fuzz targets share: where the built engines are, how to start
//! them, and in `any_bytes` what holds whatever comes in, the only part that asserts.
#![forbid(unsafe_code)]

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use sandboard_abi::Setup;
use sandboard_host::engine::native::{Calls, NativeModule};
use sandboard_host::engine::wasm::{Metering, Runtime, WasmModule};
use sandboard_host::engine::{Assets, Caps, Fault};

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

/// The file name of a native sample engine on this system.
pub fn native_name(stem: &str) -> String {
    format!("{stem}{}", std::env::consts::DLL_SUFFIX)
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
    Arc::new([("book".to_owned(), b"abcdef".to_vec())].into())
}

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
