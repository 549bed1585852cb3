//! Native engines run only if their bytes are trusted: how each command reacts to each state of the
//! trust store, by the real binary, and which bytes a loader loads.

mod commands;
mod loading;

use std::path::{Path, PathBuf};

use sandboard_engine_wasm::scan::LoadCaps;
use sandboard_packs::catalog::inspect;
use sandboard_packs::manifest::ModuleKind;
use sandboard_tests::{built, native_name};

use crate::cli::{CommandOutput, TestHome};

/// A test home without trust, with an engines folder `e` that has a native engine, `native` 1, and
/// a wasm engine, `wasm` 1.
struct TrustHome {
    home: TestHome,
}

impl TrustHome {
    fn new() -> Self {
        let place = Self { home: TestHome::new() };
        std::fs::create_dir(place.dir()).unwrap();
        place.put("native-1", "random-mover");
        std::fs::copy(built("random-mover.wasm"), place.dir().join("wasm-1.gomoku.wasm")).unwrap();
        place
    }

    fn dir(&self) -> PathBuf {
        self.home.file("e")
    }

    /// The bare native module of this name.
    fn library(&self, name: &str) -> PathBuf {
        self.dir().join(native_name(&format!("{name}.gomoku")))
    }

    /// Copies a sample engine as a bare native engine.
    fn put(&self, name: &str, stem: &str) {
        std::fs::copy(built(&native_name(stem)), self.library(name)).unwrap();
    }

    /// Runs a command on the engines folder.
    fn run(&self, words: &str) -> CommandOutput {
        let words = format!("{words} --engines-dir e");
        self.home.run(&words.split(' ').collect::<Vec<_>>(), "{}\n")
    }

    fn succeed(&self, words: &str) -> String {
        let CommandOutput { code, out, err } = self.run(words);
        assert_eq!(code, Some(0), "{words}\n{out}\n{err}");
        out
    }

    /// Asks an engine for a move: it answers, or `refused` is on standard error.
    #[track_caller]
    fn check(&self, engine: &str, refused: Option<&str>) {
        let words = format!("analyse {engine} --variant freestyle-5 --budget 10s/move");
        let CommandOutput { code, out, err } = self.run(&words);
        match refused {
            None => assert!(code == Some(0) && out.contains("\"move\""), "{engine}: {out}{err}"),
            Some(why) => {
                assert_eq!((code, out.as_str()), (Some(1), ""), "{engine}: {err}");
                assert!(err.contains(why), "{engine}: no {why:?} in {err}");
            }
        }
    }

    fn store(&self) -> PathBuf {
        self.home.file("trust/grants.json")
    }
}

fn sha256_of(file: &Path) -> String {
    inspect(file, ModuleKind::Native, &LoadCaps::default()).unwrap().sha256
}

const UNTRUSTED: &str = "is a native library, and is not trusted: its SHA-256 is ";
