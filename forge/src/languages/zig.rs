//! Engines in Zig: its compiler takes the shim in C along, so that the header's table becomes a component.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use super::written;
use crate::c::{self, absolute, name};
use crate::run::run;
use crate::rust::Native;
use crate::{component, tools};

const MAIN: &str = "engine.zig";

pub(super) fn native(folder: &Path, out: &Path, how: Native) -> Result<PathBuf> {
    let out = absolute(out)?;
    let file = out.join(name(folder)?).with_added_extension(std::env::consts::DLL_EXTENSION);
    let mut command = compiler(folder, &out)?;
    command.args(["build-lib", "-dynamic", "-lc", MAIN]);
    match how {
        Native::Release => command.args(["-O", "ReleaseFast", "-mcpu=baseline"]),
        Native::ReleaseV3 => command.args(["-O", "ReleaseFast", "-mcpu=x86_64_v3"]),
        Native::Debug => command.args(["-O", "Debug"]),
    };
    run(command.arg(emit(&file)))?;
    Ok(file)
}

pub(super) fn wasm(folder: &Path, scratch: &Path) -> Result<Vec<u8>> {
    let scratch = absolute(scratch)?;
    let shim = c::write_shim(&scratch)?;
    let module = scratch.join("engine.core.wasm");
    let mut command = compiler(folder, &scratch)?;
    command.args(["build-exe", MAIN]).arg(shim.file).args([
        "-target",
        "wasm32-freestanding",
        "-mcpu=generic+simd128+bulk_memory+nontrapping_fptoint+sign_ext",
        "-O",
        "ReleaseFast",
        "-fno-entry",
        "-fstrip",
        "-rdynamic",
        "--stack",
        "1048576",
    ]);
    command.arg("-I").arg(&scratch).arg("-isystem").arg(shim.libc);
    run(command.arg(emit(&module)))?;
    component::of_core(written(&module)?, component::WIT)
}

fn emit(file: &Path) -> String {
    format!("-femit-bin={}", file.display())
}

fn compiler(folder: &Path, out: &Path) -> Result<Command> {
    let zig = tools::ZIG.find()?;
    std::fs::create_dir_all(out)?;
    let mut command = zig.program();
    command.current_dir(folder).env("ZIG_GLOBAL_CACHE_DIR", zig.folder.join("cache"));
    command.env("ZIG_LOCAL_CACHE_DIR", out.join("zig"));
    // Messages belong on standard error.
    command.stdout(std::io::stderr());
    Ok(command)
}
