//! Builds engines in Go: the compiler makes a module for WASI preview 1, and a stub replaces WASI.

use std::path::Path;

use anyhow::Result;

use super::read_output;
use crate::c::absolute;
use crate::command::run_compiler;
use crate::{component, tools};

/// The compiler downloads nothing, does not switch to another version of itself, and ignores the
/// user's settings.
const ENVIRONMENT: &[(&str, &str)] = &[
    ("GOOS", "wasip1"),
    ("GOARCH", "wasm"),
    ("GOWASM", ""),
    ("GOENV", "off"),
    ("GOFLAGS", ""),
    ("GOWORK", "off"),
    ("GOPROXY", "off"),
    ("GOTOOLCHAIN", "local"),
    ("CGO_ENABLED", "0"),
];

pub(super) fn build_component(folder: &Path, scratch: &Path) -> Result<Vec<u8>> {
    let go = tools::GO.find()?;
    let module = absolute(scratch)?.join("engine.core.wasm");
    let mut command = go.command();
    let variables = std::env::vars_os().map(|(name, _)| name);
    for name in variables.filter(|name| name.as_encoded_bytes().starts_with(b"GO")) {
        command.env_remove(name);
    }
    command.current_dir(folder).envs(ENVIRONMENT.iter().copied());
    command.env("GOCACHE", go.folder.join("cache"));
    command.args(["build", "-buildmode=c-shared", "-trimpath", "-buildvcs=false"]);
    command.args(["-ldflags=-s -w", "-o"]).arg(&module).arg(".").stdout(std::io::stderr());
    run_compiler(&mut command)?;
    let core =
        component::CoreModuleOptions { wasi: true, ..component::CoreModuleOptions::default() };
    component::wrap_with(read_output(&module)?, component::WIT, core)
}
