//! Engines in Python: CPython, its library and the author's modules in one component.

use std::path::Path;

use anyhow::Result;

use super::written;
use crate::c::absolute;
use crate::run::run;
use crate::{component, tools};

/// Calls the tool as its own script would.
/// Nothing of the engine's folder is run for it: only what is put into the component.
const SCRIPT: &str = "import sys; sys.path[:] = [p for p in sys.path if p]; \
     from componentize_py import script; sys.exit(script())";

pub(super) fn wasm(folder: &Path, scratch: &Path) -> Result<Vec<u8>> {
    let tool = tools::COMPONENTIZE_PY.find()?;
    let scratch = absolute(scratch)?;
    let (wit, out) = (component::write_wit(&scratch)?, scratch.join("engine.wasm"));
    let mut command = tool.on_python()?;
    // No packages but those beside the engine, whatever environment its author works in.
    command.current_dir(folder).env_remove("VIRTUAL_ENV").env("PYTHONDONTWRITEBYTECODE", "1");
    command.args(["-c", SCRIPT, "--wit-path"]).arg(wit).args(["--world", component::WORLD]);
    command.args(["componentize", "--stub-wasi", "--python-path", ".", "engine", "--output"]);
    run(command.arg(&out).stdout(std::io::stderr()))?;
    written(&out)
}
