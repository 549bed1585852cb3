//! Engines in AssemblyScript: a core module whose texts are UTF-16.

use std::path::Path;

use anyhow::{Context, Result};

use super::written;
use crate::c::absolute;
use crate::run::run;
use crate::{component, tools};

/// Gives the module's exports the border's names, as a step of the compiler.
const RENAME: &str = include_str!("../../adapter/rename.mjs");

pub(super) fn wasm(folder: &Path, scratch: &Path) -> Result<Vec<u8>> {
    let asc = tools::ASSEMBLY_SCRIPT.find()?;
    let scratch = absolute(scratch)?;
    let (module, rename) = (scratch.join("engine.core.wasm"), scratch.join("rename.mjs"));
    // A file of options in the engine's folder could name code to be run here.
    let options = scratch.join("asconfig.json");
    for (file, text) in [(&rename, RENAME), (&options, "{}")] {
        std::fs::write(file, text).with_context(|| format!("cannot write {}", file.display()))?;
    }
    let mut command = asc.on_node()?;
    command.current_dir(folder).arg("engine.ts").arg("--outFile").arg(&module).args([
        "--runtime",
        "incremental",
        "--optimizeLevel",
        "3",
        "--enable",
        "simd",
        // What the language asks of a browser, of which there is none.
        "--use",
        "abort=sandboard/abortEngine",
        "--transform",
    ]);
    command.arg(rename).arg("--config").arg(options);
    run(command.stdout(std::io::stderr()))?;
    let core = component::Core { utf16: true, ..component::Core::default() };
    component::wrap(written(&module)?, component::WIT, core)
}
