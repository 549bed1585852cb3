//! Builds engines in C and C++, as a native library or a component, and games in C, as a component.
//! The C headers, the shims and the WIT are embedded, so that no clone of the repository is needed.
//! Compilers are found, not installed; their messages are shown unchanged.

use std::env::consts::DLL_EXTENSION;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::command::{compiler_status, is_on_path, stdout_of};
use crate::component;
use crate::packages::install_command;
use crate::rust::NativeProfile;

/// A file that is embedded: its name and its text.
type EmbeddedFile = (&'static str, &'static str);

/// An interface between the host and a module in C.
struct Interface {
    header: EmbeddedFile,
    /// The C file that exports the interface's functions from a component.
    shim: EmbeddedFile,
    wit: &'static str,
}

/// The named header, with its text.
macro_rules! header {
    ($name:literal) => {
        ($name, include_str!(concat!("../embedded/include/", $name)))
    };
}

/// The named file of the shims, with its text.
macro_rules! shim {
    ($name:literal) => {
        ($name, include_str!(concat!("../embedded/shim/", $name)))
    };
}

/// The interface of engines.
const ENGINE: Interface = Interface {
    header: header!("sandboard_engine_v1.h"),
    shim: shim!("sandboard_component_v1.c"),
    wit: component::WIT,
};
/// The interface of the rules of games.
const GAME: Interface = Interface {
    header: header!("sandboard_game_v1.h"),
    shim: shim!("sandboard_game_component_v1.c"),
    wit: component::GAME_WIT,
};
/// What both shims include.
const SUPPORT: EmbeddedFile = shim!("sandboard_support_v1.h");

/// The C header of the engine interface: its file name and its text.
pub const HEADER: EmbeddedFile = ENGINE.header;
/// The C header of the interface of games: its file name and its text.
pub const GAME_HEADER: EmbeddedFile = GAME.header;

/// The part of a C library that the shims provide.
const LIBC: &[EmbeddedFile] = &[
    ("assert.h", include_str!("../embedded/shim/libc/assert.h")),
    ("stdlib.h", include_str!("../embedded/shim/libc/stdlib.h")),
    ("string.h", include_str!("../embedded/shim/libc/string.h")),
];

/// The Debian packages with compilers: of native libraries in C and C++, and of wasm modules.
const NATIVE_PACKAGES: &[&str] = &["gcc", "libc6-dev"];
const CPP_PACKAGES: &[&str] = &["g++"];
const WASM_PACKAGES: &[&str] = &["clang-19", "lld-19"];

/// The versions that may be part of a compiler's name, such as `clang-19`.
const CLANG_VERSIONS: std::ops::RangeInclusive<u32> = 13..=30;

const WARNINGS: &[&str] = &["-Wall", "-Wextra"];
/// The stack is below all data, so that its overflow is a trap. It is as large as that of Rust
/// engines.
const WASM_FLAGS: &[&str] = &[
    "--target=wasm32",
    "-msimd128",
    "-O2",
    "-nostdlib",
    "-nostdlibinc",
    "-Wl,--no-entry",
    "-Wl,--strip-all",
    "-Wl,--stack-first",
    "-Wl,-z,stack-size=1048576",
];
/// Turns off what C++ needs from a runtime library or a system; these flags mean nothing to C.
const CPP_WASM_FLAGS: &[&str] = &[
    "-fno-exceptions",
    "-fno-rtti",
    "-fno-threadsafe-statics",
    "-Xclang",
    "-fno-c++-static-destructors",
];

/// The extensions of source files in C and C++.
const EXTENSIONS: &[&str] = &["c"];
const CPP_EXTENSIONS: &[&str] = &["cc", "cpp"];

/// The main files of engines and of games in C.
const MAIN_FILES: [&str; 2] = ["engine.c", "game.c"];

/// The main file of an engine or a game in C: `engine.c` or `game.c`, or the only `*.c` of the
/// folder.
pub fn find_main_file(folder: &Path) -> Option<PathBuf> {
    let files = files(folder, EXTENSIONS);
    let is_main =
        |file: &Path| MAIN_FILES.iter().any(|main| file.file_name() == Some(OsStr::new(main)));
    let main = files.iter().find(|file| is_main(file));
    main.or(if let [only] = &files[..] { Some(only) } else { None }).cloned()
}

/// The files of a folder with one of these extensions, sorted.
fn files(folder: &Path, extensions: &[&str]) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    let has =
        |path: &Path| path.extension().is_some_and(|own| extensions.iter().any(|e| own == *e));
    files.retain(|path| has(path) && path.is_file());
    files.sort();
    files
}

/// Whether the engine of the folder is in C++: it has a file `engine.cpp`.
fn in_cpp(folder: &Path) -> bool {
    folder.join("engine.cpp").is_file()
}

/// Builds the native library into `out`; returns its path. The file has the name of the folder.
pub fn build_library(folder: &Path, out: &Path, how: NativeProfile) -> Result<PathBuf> {
    let (compiler, first) = native_compiler(in_cpp(folder))?;
    let out = absolute(out)?;
    let (header, text) = HEADER;
    write(&out, header, text)?;
    let file = out.join(folder_name(folder)?).with_added_extension(DLL_EXTENSION);
    let mut command = Command::new(compiler);
    command.args(first).args(WARNINGS).arg("-shared");
    command.args(match how {
        NativeProfile::Release => ["-O2"].as_slice(),
        NativeProfile::ReleaseV3 => &["-O2", "-march=x86-64-v3"],
        NativeProfile::Debug => &["-O0", "-g"],
    });
    if cfg!(unix) {
        command.args(["-fPIC", "-fvisibility=hidden", "-pthread"]);
    }
    command.arg("-I").arg(&out);
    compile(&mut command, folder, &[], &file)?;
    Ok(file)
}

/// Builds the component of an engine; returns its bytes. Embedded sources and intermediate files
/// are in `scratch`.
pub fn build_component(folder: &Path, clang: &Clang, scratch: &Path) -> Result<Vec<u8>> {
    build(folder, clang, scratch, &ENGINE)
}

/// Builds the component of the rules of a game; returns its bytes. Embedded sources and
/// intermediate files are in `scratch`.
pub fn build_game(folder: &Path, clang: &Clang, scratch: &Path) -> Result<Vec<u8>> {
    build(folder, clang, scratch, &GAME)
}

fn build(folder: &Path, clang: &Clang, scratch: &Path, interface: &Interface) -> Result<Vec<u8>> {
    let scratch = absolute(scratch)?;
    let shim = write_shim_of(interface, &scratch)?;
    let module = scratch.join(folder_name(folder)?).with_added_extension("core.wasm");
    let mut command = Command::new(&clang.program);
    command.args(WARNINGS).args(WASM_FLAGS).arg("-I").arg(&scratch).arg("-isystem").arg(&shim.libc);
    if in_cpp(folder) {
        command.args(CPP_WASM_FLAGS);
    }
    if let Some(linker) = &clang.linker {
        let mut flag = OsString::from("-fuse-ld=");
        flag.push(linker);
        command.arg(flag);
    }
    compile(&mut command, folder, &[&shim.file], &module).context(
        "a wasm module has only the part of the C library that the shim provides (docs/c.md)",
    )?;
    let module =
        std::fs::read(&module).with_context(|| format!("cannot read {}", module.display()))?;
    component::wrap_core_module(module, interface.wit)
        .with_context(|| format!("cannot make a component of {}", folder.display()))
}

/// The C shim on the disk, which exports the functions of the header's table for a component.
pub(crate) struct Shim {
    /// The file to compile with the engine; the header is beside it.
    pub file: PathBuf,
    /// The include folder with the part of a C library.
    pub libc: PathBuf,
}

/// Writes header, shim and C library for an engine into a folder.
pub(crate) fn write_shim(scratch: &Path) -> Result<Shim> {
    write_shim_of(&ENGINE, scratch)
}

fn write_shim_of(interface: &Interface, scratch: &Path) -> Result<Shim> {
    for (name, text) in [interface.header, interface.shim, SUPPORT] {
        write(scratch, name, text)?;
    }
    let libc = scratch.join("libc");
    for (name, text) in LIBC {
        write(&libc, name, text)?;
    }
    Ok(Shim { file: scratch.join(interface.shim.0), libc })
}

/// Runs a compiler in the engine's folder: messages and `__FILE__` then have paths relative to it,
/// and a module does not depend on the machine that built it.
fn compile(command: &mut Command, folder: &Path, more: &[&Path], out: &Path) -> Result<()> {
    let files = files(folder, if in_cpp(folder) { CPP_EXTENSIONS } else { EXTENSIONS });
    if files.is_empty() {
        bail!("{} has no C file: it is not the source of a module", folder.display());
    }
    let plain = files.iter().filter_map(|file| file.file_name()).map(|name| {
        // A file name that begins with `-` is not an option.
        let option = name.as_encoded_bytes().starts_with(b"-");
        if option { Path::new(".").join(name) } else { name.into() }
    });
    command.current_dir(folder).args(plain);
    command.args(more).arg("-o").arg(out);
    if cfg!(unix) && more.is_empty() {
        // After the files that use it.
        command.arg("-lm");
    }
    let status = compiler_status(command)?;
    if !status.success() {
        bail!(
            "{} failed to build {} ({status})",
            command.get_program().display(),
            folder.display()
        );
    }
    Ok(())
}

/// The name of a folder.
pub(crate) fn folder_name(folder: &Path) -> Result<OsString> {
    let folder = absolute(folder)?;
    let name = folder.file_name().with_context(|| format!("{} has no name", folder.display()))?;
    Ok(name.to_owned())
}

pub(crate) fn absolute(path: &Path) -> Result<PathBuf> {
    std::path::absolute(path)
        .with_context(|| format!("cannot make the path {} absolute", path.display()))
}

fn write(folder: &Path, name: &str, text: &str) -> Result<()> {
    let file = folder.join(name);
    std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(&file, text))
        .with_context(|| format!("cannot write {}", file.display()))
}

/// The C compiler: `$CC` with its arguments, or the system's.
pub(crate) fn c_compiler() -> Result<(String, Vec<String>)> {
    native_compiler(false)
}

/// The compiler of C or C++: `$CC` or `$CXX` with its arguments, or the system's.
fn native_compiler(cpp: bool) -> Result<(String, Vec<String>)> {
    let (variable, programs, language, packages) = match cpp {
        false => ("CC", ["cc", "gcc", "clang"], "C", NATIVE_PACKAGES),
        true => ("CXX", ["c++", "g++", "clang++"], "C++", CPP_PACKAGES),
    };
    let configured = std::env::var(variable).unwrap_or_default();
    let mut words = configured.split_whitespace().map(String::from);
    if let Some(program) = words.next() {
        return Ok((program, words.collect()));
    }
    let found = programs.into_iter().find(|program| is_on_path(program));
    let install = || format!("no {language} compiler is installed; {}", advice(packages));
    Ok((found.with_context(install)?.into(), Vec::new()))
}

fn advice(packages: &[&str]) -> String {
    format!("install one: {}", install_command(packages))
}

/// A clang that compiles to wasm, with its linker.
pub struct Clang {
    program: PathBuf,
    /// The linker, if clang does not find one by itself.
    linker: Option<PathBuf>,
}

impl Clang {
    /// `$CLANG`, or the first clang with the target wasm. An error says how to install one.
    pub fn find() -> Result<Clang> {
        let configured =
            std::env::var_os("CLANG").filter(|value| !value.is_empty()).map(PathBuf::from);
        if let Some(clang) = configured.as_ref().filter(|clang| !has_wasm_target(clang)) {
            bail!("CLANG is {}, which has no target wasm32", clang.display());
        }
        let programs = configured.map_or_else(|| versioned_names("clang"), |clang| vec![clang]);
        let Some(program) = programs.into_iter().find(|program| has_wasm_target(program)) else {
            bail!("no clang with the target wasm32 is installed; {}", advice(WASM_PACKAGES));
        };
        let linker = stdout_of(Command::new(&program).arg("-print-prog-name=wasm-ld"));
        let linker = linker.map(|answer| PathBuf::from(answer.trim()));
        if linker.is_some_and(|linker| linker.is_file() || is_on_path(&linker.to_string_lossy())) {
            return Ok(Clang { program, linker: None });
        }
        let linker = versioned_names("wasm-ld").into_iter().find_map(|name| on_path_at(&name));
        match linker {
            Some(linker) => Ok(Clang { program, linker: Some(linker) }),
            None => bail!("clang finds no wasm-ld, its linker; {}", advice(WASM_PACKAGES)),
        }
    }
}

/// A program's name without a version, then with each version, the newest first.
fn versioned_names(program: &str) -> Vec<PathBuf> {
    let versions = CLANG_VERSIONS.rev().map(|version| format!("{program}-{version}").into());
    [program.into()].into_iter().chain(versions).collect()
}

fn has_wasm_target(clang: &Path) -> bool {
    (clang.is_file() || is_on_path(&clang.to_string_lossy()))
        && stdout_of(Command::new(clang).arg("--print-targets"))
            .is_some_and(|targets| targets.split_whitespace().any(|word| word == "wasm32"))
}

fn on_path_at(program: &Path) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_source(names: &[&str], expected: Option<&str>) {
        let folder = tempfile::tempdir().unwrap();
        names.iter().for_each(|name| write(folder.path(), name, "").unwrap());
        assert_eq!(find_main_file(folder.path()), expected.map(|name| folder.path().join(name)));
    }

    #[test]
    fn the_main_file_has_its_name_or_is_the_only_file() {
        check_source(&["engine.c"], Some("engine.c"));
        check_source(&["engine.c", "board.c"], Some("engine.c"));
        check_source(&["board.c", "game.c"], Some("game.c"));
        check_source(&["mine.c", "mine.h"], Some("mine.c"));
        check_source(&["mine.c", "yours.c"], None);
        check_source(&["engine.cc", "Cargo.toml"], None);
        check_source(&[], None);
        assert_eq!(find_main_file(Path::new("no such folder")), None);
    }

    #[test]
    fn every_package_named_here_is_in_the_list_of_packages() {
        for name in NATIVE_PACKAGES.iter().chain(CPP_PACKAGES).chain(WASM_PACKAGES) {
            assert!(
                crate::packages::PACKAGES.iter().any(|package| package.name == *name),
                "{name}"
            );
        }
    }
}
