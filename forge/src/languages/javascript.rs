//! Engines in JavaScript: SpiderMonkey and the author's modules in one component.

use std::path::Path;

use anyhow::Result;

use super::written;
use crate::c::absolute;
use crate::run::run;
use crate::{component, tools};

/// What would be asked of WASI, all of which is left out.
const WITHOUT: [&str; 5] = ["stdio", "random", "clocks", "http", "fetch-event"];

pub(super) fn wasm(folder: &Path, scratch: &Path) -> Result<Vec<u8>> {
    let tool = tools::COMPONENTIZE_JS.find()?;
    let scratch = absolute(scratch)?;
    let (wit, out) = (component::write_wit(&scratch)?, scratch.join("engine.wasm"));
    let mut command = tool.on_node()?;
    command.current_dir(folder).args(["engine.js", "--wit"]).arg(wit);
    command.args(["--world-name", component::WORLD]);
    command.args(WITHOUT.iter().flat_map(|feature| ["--disable", feature]));
    run(command.arg("--out").arg(&out).stdout(std::io::stderr()))?;
    written(&out)
}
