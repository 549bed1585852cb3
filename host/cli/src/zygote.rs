//! `sandboard zygote`: the process that forks the jailed processes. Sandboard starts it itself; it
//! is not for users.

use std::process::ExitCode;

use sandboard_jail::{Layer, ZygoteHooks, zygote_main};

/// Start jailed processes; used by sandboard itself
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// Disable a layer of the jail, to test a machine without it
    #[arg(long, value_name = "LAYER", value_parser = layer)]
    without: Vec<Layer>,
}

/// Reads the word of a layer, as `sandboard doctor` prints it.
pub(crate) fn layer(word: &str) -> Result<Layer, String> {
    let known = Layer::ALL.map(Layer::word);
    let found = Layer::ALL.into_iter().find(|layer| layer.word() == word);
    found.ok_or_else(|| format!("unknown layer; known layers: {}", known.join(", ")))
}

pub(crate) fn run(args: &Args) -> ExitCode {
    let zygote = ZygoteHooks { prepare: || (), serve: sandboard_engine_process::serve };
    zygote_main(&zygote, &args.without)
}
