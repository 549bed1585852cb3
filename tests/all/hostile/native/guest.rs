//! The engine of `tests/c/hostile` as a library, built once for each way that a case
//! wants it. Says nothing of what the host makes of it.

use std::ffi::OsStr;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

use sandboard_forge::c;
use sandboard_forge::rust::Native;
use sandboard_tests::root;

/// How its border is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Border {
    /// As the header wants it.
    Sound,
    /// Broken in one of ten ways; engine.c says which.
    Broken(u8),
}

/// Where an act is done that is not an option's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// In a constructor of the library.
    Load,
    /// In the one exported function.
    Entry,
    /// When it is asked what it is.
    Describe,
}

/// The folder of its sources.
fn folder() -> PathBuf {
    root().join("tests/c/hostile")
}

fn files(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = std::fs::read_dir(folder).expect("the sources").flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    files.sort();
    files.into_iter()
}

/// The library, built as an author's is. Its file stays, as other processes load it;
/// it is named after all that it was made of.
pub fn library(border: Border, early: Option<(Place, &str)>) -> PathBuf {
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
    c::HEADER.hash(&mut hasher);
    let place = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let library = place.join(format!("hostile-{:016x}.so", hasher.finish()));
    if !library.exists() {
        let scratch = tempfile::tempdir_in(place).expect("a folder");
        for (file, text) in files {
            let name = file.file_name().expect("a file");
            std::fs::write(scratch.path().join(name), text).expect("it is written");
        }
        let out = scratch.path().join("out");
        let built = c::native(scratch.path(), &out, Native::Release).expect("it builds");
        std::fs::rename(built, &library).expect("it is moved");
    }
    library
}

/// The library in `out`, built with every warning an error; with C++ linked, it can throw.
pub fn strict(with_cpp: bool, out: &Path) -> PathBuf {
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

fn defines(border: Border, early: Option<(Place, &str)>) -> String {
    let number = match border {
        Border::Sound => 0,
        Border::Broken(number) => number,
    };
    let early = early.map(|(place, act)| {
        let place = match place {
            Place::Load => "AT_LOAD",
            Place::Entry => "AT_ENTRY",
            Place::Describe => "AT_DESCRIBE",
        };
        format!("#define {place} \"{act}\"\n")
    });
    format!("#define BROKEN {number}\n{}", early.unwrap_or_default())
}
