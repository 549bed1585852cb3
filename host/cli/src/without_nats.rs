//! What a build without a NATS client has in place of the command and the option that need one:
//! messages that say which build has them.

use std::ffi::OsString;

use anyhow::Result;

/// Why something is missing, and how to get it.
const MISSING: &str = "this sandboard was built without its client of NATS; `cargo build --package \
                       sandboard-cli` in the repository builds it with everything";

/// Play games of arenas on other machines: not in this build
#[derive(clap::Args, Debug)]
pub(crate) struct WorkerArgs {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    _all: Vec<OsString>,
}

pub(crate) fn run(_: &WorkerArgs) -> Result<()> {
    Err(super::usage(MISSING))
}

/// The option `--nats`, which is refused.
#[derive(clap::Args, Debug)]
pub(crate) struct NatsArgs {
    #[arg(long = "nats", value_name = "URL", hide = true, value_parser = refuse)]
    _nats: Option<String>,
}

fn refuse(_: &str) -> Result<String, String> {
    Err(MISSING.to_owned())
}
