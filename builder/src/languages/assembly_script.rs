//! Builds engines in AssemblyScript: `asc` makes a core module whose strings are UTF-16.

use std::path::Path;

use anyhow::{Context, Result};

use super::read_output;
use crate::c::absolute;
use crate::command::run_compiler;
use crate::{component, tools};

/// A step of the compiler that renames the module's exports to the names of the engine interface.
const RENAME: &str = include_str!("../../support/rename.mjs");

pub(super) fn build_component(folder: &Path, scratch: &Path) -> Result<Vec<u8>> {
    let asc = tools::ASSEMBLY_SCRIPT.find()?;
    let scratch = absolute(scratch)?;
    let (module, rename) = (scratch.join("engine.core.wasm"), scratch.join("rename.mjs"));
    // An options file in the engine's folder could name code that the compiler runs.
    let options = scratch.join("asconfig.json");
    for (file, text) in [(&rename, RENAME), (&options, "{}")] {
        std::fs::write(file, text).with_context(|| format!("cannot write {}", file.display()))?;
    }
    let mut command = asc.node_command()?;
    command.current_dir(folder).arg("engine.ts").arg("--outFile").arg(&module).args([
        "--runtime",
        "incremental",
        "--optimizeLevel",
        "3",
        "--enable",
        "simd",
        // Only keeps the names of functions, for faults: 1.6 KB of the sample.
        "--debug",
        // Replaces the import of `abort`, which a browser would provide.
        "--use",
        "abort=sandboard/abortEngine",
        "--transform",
    ]);
    command.arg(rename).arg("--config").arg(options);
    run_compiler(command.stdout(std::io::stderr()))?;
    let core =
        component::CoreModuleOptions { utf16: true, ..component::CoreModuleOptions::default() };
    component::wrap_with(read_output(&module)?, component::WIT, core)
}
