//! Engines in C and C++: from a folder with their files to a native library and to a
//! component. Brings the header, the shim and the WIT along, so that it needs no
//! clone; finds compilers and shows what they say as they say it. Installs nothing.

use std::env::consts::DLL_EXTENSION;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::component;
use crate::packages::command_for;
use crate::run::{on_path, output, show};
use crate::rust::Native;

/// The C header of the border.
pub const HEADER: &str = include_str!("../../abi/include/sandboard_engine_v1.h");
const SHIM: &str = include_str!("../../abi/shim/sandboard_component_v1.c");

const HEADER_FILE: &str = "sandboard_engine_v1.h";
const SHIM_FILE: &str = "sandboard_component_v1.c";
/// So much of a C library as the shim has.
const LIBC: &[(&str, &str)] = &[
    ("assert.h", include_str!("../../abi/shim/libc/assert.h")),
    ("stdlib.h", include_str!("../../abi/shim/libc/stdlib.h")),
    ("string.h", include_str!("../../abi/shim/libc/string.h")),
];

/// What installs the compiler of native libraries, and that of wasm modules.
const NATIVE_PACKAGES: &[&str] = &["gcc", "libc6-dev"];
const CPP_PACKAGES: &[&str] = &["g++"];
const WASM_PACKAGES: &[&str] = &["clang-19", "lld-19"];

/// Names with a version under which compilers are installed, the newest first.
const CLANG_VERSIONS: std::ops::RangeInclusive<u32> = 13..=30;

const WARNINGS: &[&str] = &["-Wall", "-Wextra"];
/// The stack lies below all data, so that its overflow is a trap; as large as that of Rust engines.
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
/// What C++ expects of a library or a system that is not there; of no meaning to C.
const CPP_WASM_FLAGS: &[&str] = &[
    "-fno-exceptions",
    "-fno-rtti",
    "-fno-threadsafe-statics",
    "-Xclang",
    "-fno-c++-static-destructors",
];

/// The extensions of C, and of C++.
const EXTENSIONS: &[&str] = &["c"];
const CPP_EXTENSIONS: &[&str] = &["cc", "cpp"];

/// The file that a folder with an engine in C begins with: `engine.c`, or its only `*.c`.
pub fn source(folder: &Path) -> Option<PathBuf> {
    let files = files(folder, EXTENSIONS);
    let named = files.iter().find(|file| file.file_name() == Some(OsStr::new("engine.c")));
    named.or(if let [only] = &files[..] { Some(only) } else { None }).cloned()
}

/// Every file of a folder with one of these extensions.
fn files(folder: &Path, extensions: &[&str]) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    let has =
        |path: &Path| path.extension().is_some_and(|own| extensions.iter().any(|e| own == *e));
    files.retain(|path| has(path) && path.is_file());
    files.sort();
    files
}

/// Whether the folder's engine is in C++: then its files in C++ are compiled, else those in C.
fn in_cpp(folder: &Path) -> bool {
    folder.join("engine.cpp").is_file()
}

/// Builds the native library: its file, in `out`, named after the folder.
pub fn native(folder: &Path, out: &Path, how: Native) -> Result<PathBuf> {
    let (compiler, first) = native_compiler(in_cpp(folder))?;
    let out = absolute(out)?;
    write(&out, HEADER_FILE, HEADER)?;
    let file = out.join(name(folder)?).with_added_extension(DLL_EXTENSION);
    let mut command = Command::new(compiler);
    command.args(first).args(WARNINGS).arg("-shared");
    command.args(match how {
        Native::Release => ["-O2"].as_slice(),
        Native::ReleaseV3 => &["-O2", "-march=x86-64-v3"],
        Native::Debug => &["-O0", "-g"],
    });
    if cfg!(unix) {
        command.args(["-fPIC", "-fvisibility=hidden", "-pthread"]);
    }
    command.arg("-I").arg(&out);
    compile(&mut command, folder, &[], &file)?;
    Ok(file)
}

/// Builds the component: its bytes. Sources and intermediate files of our own go into `scratch`.
pub fn wasm(folder: &Path, clang: &Clang, scratch: &Path) -> Result<Vec<u8>> {
    let scratch = absolute(scratch)?;
    let shim = write_shim(&scratch)?;
    let module = scratch.join(name(folder)?).with_added_extension("core.wasm");
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
    compile(&mut command, folder, &[&shim.file], &module)
        .context("a wasm engine has no C library but what the shim gives (docs/c.md)")?;
    let module =
        std::fs::read(&module).with_context(|| format!("cannot read {}", module.display()))?;
    component::of_core(module, component::WIT)
        .with_context(|| format!("{} does not make a component", folder.display()))
}

/// What makes a component of the header's table, on the disk.
pub(crate) struct Shim {
    /// The file to compile along; the header is beside it.
    pub file: PathBuf,
    /// The folder of what there is of a C library.
    pub libc: PathBuf,
}

/// Writes header, shim and C library into a folder.
pub(crate) fn write_shim(scratch: &Path) -> Result<Shim> {
    write(scratch, HEADER_FILE, HEADER)?;
    write(scratch, SHIM_FILE, SHIM)?;
    let libc = scratch.join("libc");
    for (name, text) in LIBC {
        write(&libc, name, text)?;
    }
    Ok(Shim { file: scratch.join(SHIM_FILE), libc })
}

/// Runs a compiler in the engine's folder, so that messages and `__FILE__` name files as the
/// author knows them, and a module says nothing of the machine that built it.
fn compile(command: &mut Command, folder: &Path, more: &[&Path], out: &Path) -> Result<()> {
    let files = files(folder, if in_cpp(folder) { CPP_EXTENSIONS } else { EXTENSIONS });
    if files.is_empty() {
        bail!("{} holds no C file: it is not an engine's source", folder.display());
    }
    let plain = files.iter().filter_map(|file| file.file_name()).map(|name| {
        // A name that looks like an option is not to be taken for one.
        let option = name.as_encoded_bytes().starts_with(b"-");
        if option { Path::new(".").join(name) } else { name.into() }
    });
    command.current_dir(folder).args(plain);
    command.args(more).arg("-o").arg(out);
    if cfg!(unix) && more.is_empty() {
        // Behind the files that want it.
        command.arg("-lm");
    }
    let status = command.status().with_context(|| format!("cannot run `{}`", show(command)))?;
    if !status.success() {
        bail!(
            "{} could not build {} ({status})",
            command.get_program().display(),
            folder.display()
        );
    }
    Ok(())
}

/// What the folder is called.
pub(crate) fn name(folder: &Path) -> Result<OsString> {
    let folder = absolute(folder)?;
    let name = folder.file_name().with_context(|| format!("{} has no name", folder.display()))?;
    Ok(name.to_owned())
}

pub(crate) fn absolute(path: &Path) -> Result<PathBuf> {
    std::path::absolute(path).with_context(|| format!("cannot find {}", path.display()))
}

fn write(folder: &Path, name: &str, text: &str) -> Result<()> {
    let file = folder.join(name);
    std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(&file, text))
        .with_context(|| format!("cannot write {}", file.display()))
}

/// `$CC`, with its arguments, or the system's compiler of C.
pub(crate) fn c_compiler() -> Result<(String, Vec<String>)> {
    native_compiler(false)
}

/// `$CC`, or `$CXX`, with its arguments, or the system's compiler.
fn native_compiler(cpp: bool) -> Result<(String, Vec<String>)> {
    let (variable, programs, language, packages) = match cpp {
        false => ("CC", ["cc", "gcc", "clang"], "C", NATIVE_PACKAGES),
        true => ("CXX", ["c++", "g++", "clang++"], "C++", CPP_PACKAGES),
    };
    let named = std::env::var(variable).unwrap_or_default();
    let mut words = named.split_whitespace().map(String::from);
    if let Some(program) = words.next() {
        return Ok((program, words.collect()));
    }
    let found = programs.into_iter().find(|program| on_path(program));
    let install = || format!("no {language} compiler is here; {}", way(packages));
    Ok((found.with_context(install)?.into(), Vec::new()))
}

fn way(packages: &[&str]) -> String {
    format!("this installs one: {}", command_for(packages))
}

/// A clang that makes wasm modules, with its linker.
pub struct Clang {
    program: PathBuf,
    /// Where clang does not find one by itself.
    linker: Option<PathBuf>,
}

impl Clang {
    /// `$CLANG`, or the first clang that knows wasm. Err: how to get one.
    pub fn find() -> Result<Clang> {
        let named = std::env::var_os("CLANG").filter(|name| !name.is_empty()).map(PathBuf::from);
        if let Some(named) = named.as_ref().filter(|named| !knows_wasm(named)) {
            bail!("CLANG is {}, which is no clang that makes wasm", named.display());
        }
        let programs = named.map_or_else(|| versions("clang"), |named| vec![named]);
        let Some(program) = programs.into_iter().find(|program| knows_wasm(program)) else {
            bail!("no clang that makes wasm is here; {}", way(WASM_PACKAGES));
        };
        let linker = output(Command::new(&program).arg("-print-prog-name=wasm-ld"));
        let linker = linker.map(|answer| PathBuf::from(answer.trim()));
        if linker.is_some_and(|linker| linker.is_file() || on_path(&linker.to_string_lossy())) {
            return Ok(Clang { program, linker: None });
        }
        let linker = versions("wasm-ld").into_iter().find_map(|name| on_path_at(&name));
        match linker {
            Some(linker) => Ok(Clang { program, linker: Some(linker) }),
            None => bail!("clang finds no wasm-ld, its linker for wasm; {}", way(WASM_PACKAGES)),
        }
    }
}

/// A program's name without and with versions.
fn versions(program: &str) -> Vec<PathBuf> {
    let versions = CLANG_VERSIONS.rev().map(|version| format!("{program}-{version}").into());
    [program.into()].into_iter().chain(versions).collect()
}

fn knows_wasm(clang: &Path) -> bool {
    (clang.is_file() || on_path(&clang.to_string_lossy()))
        && output(Command::new(clang).arg("--print-targets"))
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
        assert_eq!(source(folder.path()), expected.map(|name| folder.path().join(name)));
    }

    #[test]
    fn an_engine_begins_with_engine_c_or_its_only_file() {
        check_source(&["engine.c"], Some("engine.c"));
        check_source(&["engine.c", "board.c"], Some("engine.c"));
        check_source(&["mine.c", "mine.h"], Some("mine.c"));
        check_source(&["mine.c", "yours.c"], None);
        check_source(&["engine.cc", "Cargo.toml"], None);
        check_source(&[], None);
        assert_eq!(source(Path::new("no such folder")), None);
    }

    #[test]
    fn every_package_named_here_is_one_of_the_project_s() {
        for name in NATIVE_PACKAGES.iter().chain(CPP_PACKAGES).chain(WASM_PACKAGES) {
            assert!(
                crate::packages::PACKAGES.iter().any(|package| package.name == *name),
                "{name}"
            );
        }
    }
}
