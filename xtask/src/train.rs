//! `cargo xtask train`: trains an engine on its own games and writes its weights. Of each engine it
//! knows only the program that does this and the file that the program writes.

use anyhow::{Context, Result};
use sandboard_builder::command::{cargo, run};

use crate::workspace::Workspace;

/// An engine that can be trained.
struct TrainableEngine {
    game: &'static str,
    /// The package of the engine, with an example `train`.
    package: &'static str,
    /// The file with the weights, in the package's folder.
    file: &'static str,
}

const TRAINABLE_ENGINES: &[TrainableEngine] =
    &[TrainableEngine { game: "reversi", package: "reversi-ponder", file: "weights.bin" }];

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The game of the engine to train
    game: String,

    /// Arguments for the training: `--seed N`, `--part N` for one Nth of the games
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<std::ffi::OsString>,
}

pub(crate) fn main(args: &Args) -> Result<()> {
    let engine =
        TRAINABLE_ENGINES.iter().find(|engine| engine.game == args.game).with_context(|| {
            let known: Vec<_> = TRAINABLE_ENGINES.iter().map(|engine| engine.game).collect();
            format!(
                "no engine of `{}` can be trained; known games: {}",
                args.game,
                known.join(", ")
            )
        })?;
    let workspace = Workspace::load()?;
    let manifest = &workspace.member(engine.package)?.manifest_path;
    let file = manifest.with_file_name(engine.file);
    run(cargo()
        .args(["run", "--release", "--package", engine.package, "--example", "train", "--"])
        .arg("--out")
        .arg(file)
        .args(&args.arguments)
        .current_dir(&workspace.root))
}
