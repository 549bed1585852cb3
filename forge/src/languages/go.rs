//! Engines in Go: the compiler makes a module for WASI, of which a stub adapter leaves nothing.

use std::path::Path;

use anyhow::Result;

use super::written;
use crate::c::absolute;
use crate::run::run;
use crate::{component, tools};

/// Nothing is fetched, no other version of the compiler is taken, no setting of the user counts.
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

pub(super) fn wasm(folder: &Path, scratch: &Path) -> Result<Vec<u8>> {
    let go = tools::GO.find()?;
    let module = absolute(scratch)?.join("engine.core.wasm");
    let mut command = go.program();
    let of_user = std::env::vars_os().map(|(name, _)| name);
    for name in of_user.filter(|name| name.as_encoded_bytes().starts_with(b"GO")) {
        command.env_remove(name);
    }
    command.current_dir(folder).envs(ENVIRONMENT.iter().copied());
    command.env("GOCACHE", go.folder.join("cache"));
    command.args(["build", "-buildmode=c-shared", "-trimpath", "-buildvcs=false"]);
    command.args(["-ldflags=-s -w", "-o"]).arg(&module).arg(".").stdout(std::io::stderr());
    run(&mut command)?;
    let core = component::Core { wasi: true, ..component::Core::default() };
    component::wrap(written(&module)?, component::WIT, core)
}
