//! Builds engines in JavaScript: one component with SpiderMonkey and the author's modules.

use std::path::Path;

use anyhow::Result;

use super::read_output;
use crate::c::absolute;
use crate::command::run_tool;
use crate::{component, tools};

/// The features of the runtime that would import WASI; all are left out.
const DISABLED_FEATURES: [&str; 5] = ["stdio", "random", "clocks", "http", "fetch-event"];

pub(super) fn build_component(folder: &Path, scratch: &Path) -> Result<Vec<u8>> {
    let tool = tools::COMPONENTIZE_JS.find()?;
    let scratch = absolute(scratch)?;
    let (wit, out) = (component::write_wit(&scratch)?, scratch.join("engine.wasm"));
    let mut command = tool.node_command()?;
    command.current_dir(folder).args(["engine.js", "--wit"]).arg(wit);
    command.args(["--world-name", component::WORLD]);
    command.args(DISABLED_FEATURES.iter().flat_map(|feature| ["--disable", feature]));
    run_tool(command.arg("--out").arg(&out).stdout(std::io::stderr()))?;
    read_output(&out)
}
