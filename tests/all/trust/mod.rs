//! Native engines run only when their bytes are trusted: what each state of the store means
//! to each command, by the real binary, and what a loader really loads.

mod commands;
mod loading;

use std::path::{Path, PathBuf};

use sandboard_host::catalog::inspect;
use sandboard_host::engine::wasm::scan::LoadCaps;
use sandboard_host::manifest::ModuleKind;
use sandboard_tests::{built, native_name};

use crate::cli::{Ended, Home};

/// A data folder in which nothing is trusted, and in it an engines folder `e` with a native
/// engine, `native` 1, and a sandboxed one, `wasm` 1.
struct Place {
    home: Home,
}

impl Place {
    fn new() -> Self {
        let place = Self { home: Home::new() };
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

    /// Makes a bare native engine of a sample engine.
    fn put(&self, name: &str, stem: &str) {
        std::fs::copy(built(&native_name(stem)), self.library(name)).unwrap();
    }

    /// Runs a command with these words on the engines folder.
    fn run(&self, words: &str) -> Ended {
        let words = format!("{words} --engines-dir e");
        self.home.run(&words.split(' ').collect::<Vec<_>>(), "{}\n")
    }

    fn succeed(&self, words: &str) -> String {
        let Ended { code, out, err } = self.run(words);
        assert_eq!(code, Some(0), "{words}\n{out}\n{err}");
        out
    }

    /// Asks an engine for a move: it answers, or this stands on standard error.
    #[track_caller]
    fn check(&self, engine: &str, refused: Option<&str>) {
        let words = format!("analyse {engine} --variant freestyle-5 --budget 10s/move");
        let Ended { code, out, err } = self.run(&words);
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
