//! Builds the engine of `tests/c/hostile` as a library, once for each variant. Independent of the
//! host's reaction.

use std::ffi::OsStr;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

use sandboard_builder::c;
use sandboard_builder::rust::NativeProfile;
use sandboard_tests::root;

/// The state of the library's interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum InterfaceState {
    /// As the header specifies.
    Sound,
    /// Broken in one of ten ways; see engine.c.
    Broken(u8),
}

/// When an act runs that is not selected by an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ActTime {
    /// In the library's constructor.
    Load,
    /// In the exported function.
    Entry,
    /// During a call of `describe`.
    Describe,
}

/// The folder of the sources.
fn folder() -> PathBuf {
    root().join("tests/c/hostile")
}

fn files(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = std::fs::read_dir(folder).expect("the sources").flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    files.sort();
    files.into_iter()
}

/// The library, built like an author's. Its file is kept, because other processes load it, under a
/// name from the hash of its sources.
pub(crate) fn library(border: InterfaceState, early: Option<(ActTime, &str)>) -> PathBuf {
    let defines = defines(border, early);
    let mut hasher = DefaultHasher::new();
    let files: Vec<(PathBuf, String)> = files(&folder())
        .map(|file| {
            let text = std::fs::read_to_string(&file).expect("a source");
            let before = if file.ends_with("engine.c") { &*defines } else { "" };
            (file, format!("{before}{text}"))
        })
        .inspect(|file| file.hash(&mut hasher))
        .collect();
    c::HEADER.1.hash(&mut hasher);
    let place = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let library = place.join(format!("hostile-{:016x}.so", hasher.finish()));
    if !library.exists() {
        let scratch = tempfile::tempdir_in(place).expect("a folder");
        for (file, text) in files {
            let name = file.file_name().expect("a file");
            std::fs::write(scratch.path().join(name), text).expect("it is written");
        }
        let out = scratch.path().join("out");
        let built =
            c::build_library(scratch.path(), &out, NativeProfile::Release).expect("it builds");
        std::fs::rename(built, &library).expect("it is moved");
    }
    library
}

/// Builds the library into `out` with all warnings as errors; with C++ it can throw.
pub(crate) fn strict(with_cpp: bool, out: &Path) -> PathBuf {
    let library = out.join(if with_cpp { "throws.so" } else { "strict.so" });
    let mut command = Command::new("cc");
    command
        .args(["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O2", "-shared", "-fPIC"])
        .args(["-fvisibility=hidden", "-pthread", "-I"])
        .arg(root().join("abi/include"))
        .args(["-x", "c"])
        .args(files(&folder()).filter(|file| file.extension() == Some(OsStr::new("c"))));
    if with_cpp {
        command
            .args(["-x", "c++"])
            .arg(folder().join("throws.cc"))
            .args(["-x", "none", "-lstdc++"]);
    }
    let built = command.arg("-o").arg(&library).output().expect("cc runs");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    library
}

fn defines(border: InterfaceState, early: Option<(ActTime, &str)>) -> String {
    let number = match border {
        InterfaceState::Sound => 0,
        InterfaceState::Broken(number) => number,
    };
    let early = early.map(|(place, act)| {
        let place = match place {
            ActTime::Load => "AT_LOAD",
            ActTime::Entry => "AT_ENTRY",
            ActTime::Describe => "AT_DESCRIBE",
        };
        format!("#define {place} \"{act}\"\n")
    });
    format!("#define BROKEN {number}\n{}", early.unwrap_or_default())
}
