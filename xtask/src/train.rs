//! `cargo xtask train`: makes what engines have learnt anew, from their own games. Knows of
//! an engine no more than which of its programs does it, and which file that writes.

use anyhow::{Context, Result};
use sandboard_forge::run::{cargo, run};

use crate::workspace::Workspace;

/// What can be trained.
struct Recipe {
    game: &'static str,
    /// The package of the engine; its example `train` does the work.
    package: &'static str,
    /// What that writes, in the package's folder.
    file: &'static str,
}

const RECIPES: &[Recipe] =
    &[Recipe { game: "reversi", package: "reversi-ponder", file: "weights.bin" }];

#[derive(clap::Args)]
pub struct Args {
    /// The game whose engine learns
    game: String,

    /// Passed on to the training: `--seed N`, `--part N` for one game of so many
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<std::ffi::OsString>,
}

pub fn main(args: &Args) -> Result<()> {
    let recipe = RECIPES.iter().find(|recipe| recipe.game == args.game).with_context(|| {
        let known: Vec<_> = RECIPES.iter().map(|recipe| recipe.game).collect();
        format!("no engine of `{}` is trained; there is: {}", args.game, known.join(", "))
    })?;
    let workspace = Workspace::load()?;
    let manifest = &workspace.member(recipe.package)?.manifest_path;
    let file = manifest.with_file_name(recipe.file);
    run(cargo()
        .args(["run", "--release", "--package", recipe.package, "--example", "train", "--"])
        .arg("--out")
        .arg(file)
        .args(&args.arguments)
        .current_dir(&workspace.root))
}
