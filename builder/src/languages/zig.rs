//! Builds engines in Zig. For a component, Zig's compiler also compiles the C shim, which exports
//! the functions of the C header's table.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use super::read_output;
use crate::c::{self, absolute, folder_name};
use crate::command::run_compiler;
use crate::rust::NativeProfile;
use crate::{component, tools};

const MAIN: &str = "engine.zig";

pub(super) fn build_library(folder: &Path, out: &Path, how: NativeProfile) -> Result<PathBuf> {
    let out = absolute(out)?;
    let file = out.join(folder_name(folder)?).with_added_extension(std::env::consts::DLL_EXTENSION);
    let mut command = compiler(folder, &out)?;
    command.args(["build-lib", "-dynamic", "-lc", MAIN]);
    match how {
        NativeProfile::Release => command.args(["-O", "ReleaseFast", "-mcpu=baseline"]),
        NativeProfile::ReleaseV3 => command.args(["-O", "ReleaseFast", "-mcpu=x86_64_v3"]),
        NativeProfile::Debug => command.args(["-O", "Debug"]),
    };
    run_compiler(command.arg(emit(&file)))?;
    Ok(file)
}

pub(super) fn build_component(folder: &Path, scratch: &Path) -> Result<Vec<u8>> {
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
    run_compiler(command.arg(emit(&module)))?;
    component::wrap_core_module(read_output(&module)?, component::WIT)
}

fn emit(file: &Path) -> String {
    format!("-femit-bin={}", file.display())
}

fn compiler(folder: &Path, out: &Path) -> Result<Command> {
    let zig = tools::ZIG.find()?;
    std::fs::create_dir_all(out)?;
    let mut command = zig.command();
    command.current_dir(folder).env("ZIG_GLOBAL_CACHE_DIR", zig.folder.join("cache"));
    command.env("ZIG_LOCAL_CACHE_DIR", out.join("zig"));
    // Standard output belongs to results.
    command.stdout(std::io::stderr());
    Ok(command)
}
