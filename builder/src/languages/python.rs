//! Builds engines in Python: one component with CPython, its library and the author's modules.

use std::path::Path;

use anyhow::Result;

use super::read_output;
use crate::c::absolute;
use crate::command::run_tool;
use crate::{component, tools};

/// Runs the tool as its own script would, but without the engine's folder on Python's path: no code
/// of the engine runs outside the component.
const SCRIPT: &str = "import sys; sys.path[:] = [p for p in sys.path if p]; \
     from componentize_py import script; sys.exit(script())";

pub(super) fn build_component(folder: &Path, scratch: &Path) -> Result<Vec<u8>> {
    let tool = tools::COMPONENTIZE_PY.find()?;
    let scratch = absolute(scratch)?;
    let (wit, out) = (component::write_wit(&scratch)?, scratch.join("engine.wasm"));
    let mut command = tool.python_command()?;
    // Only packages in the engine's folder are used, also inside a virtual environment.
    command.current_dir(folder).env_remove("VIRTUAL_ENV").env("PYTHONDONTWRITEBYTECODE", "1");
    command.args(["-c", SCRIPT, "--wit-path"]).arg(wit).args(["--world", component::WORLD]);
    command.args(["componentize", "--stub-wasi", "--python-path", ".", "engine", "--output"]);
    run_tool(command.arg(&out).stdout(std::io::stderr()))?;
    read_output(&out)
}
