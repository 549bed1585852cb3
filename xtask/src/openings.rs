//! `cargo xtask openings`: makes the files of fair openings in `openings/` anew, by
//! `sandboard arena openings`. Knows of a game no more than which engine finds its openings.

use anyhow::{Result, ensure};
use sandboard_forge::run::run;

use crate::workspace::Workspace;
use crate::{engines, setup};

/// A file to make.
struct Recipe {
    game: &'static str,
    variant: &'static str,
    engine: &'static str,
    /// What else `sandboard arena openings` is told.
    how: &'static [&'static str],
}

/// Every file: `openings/<game>/<variant>.txt`. Games that are opened by a procedure need none.
const RECIPES: &[Recipe] = &[
    gomoku("freestyle"),
    gomoku("standard"),
    gomoku("caro"),
    gomoku("renju"),
    Recipe { game: "reversi", variant: "standard", engine: "reversi-ponder", how: REVERSI },
    Recipe { game: "xiangqi", variant: "computer", engine: "xiangqi-mt-native", how: XIANGQI },
];

const fn gomoku(variant: &'static str) -> Recipe {
    Recipe { game: "gomoku", variant, engine: "gomoku-alpha:table-mib=4", how: GOMOKU }
}

const GOMOKU: &[&str] = &[
    "--count",
    "220",
    "--plies",
    "4-8",
    "--begin",
    "h8",
    "--margin",
    "60",
    "--budget",
    "nodes:1e5",
    "--seed",
    "1",
];

const REVERSI: &[&str] = &[
    "--count",
    "240",
    "--plies",
    "6-12",
    "--begin",
    "f5",
    "--margin",
    "2",
    "--spread",
    "4",
    "--draw",
    "nodes:2000",
    "--budget",
    "nodes:1e5",
    "--seed",
    "1",
];

const XIANGQI: &[&str] = &[
    "--count",
    "220",
    "--plies",
    "4-8",
    "--margin",
    "40",
    "--spread",
    "60",
    "--draw",
    "nodes:2000",
    "--budget",
    "nodes:3e4",
    "--seed",
    "1",
];

#[derive(clap::Args)]
pub struct Args {
    /// Only those of this game
    #[arg(long)]
    game: Option<String>,
    /// Only those of this variant
    #[arg(long)]
    variant: Option<String>,
}

pub fn main(args: &Args) -> Result<()> {
    let is = |asked: &Option<String>, own: &str| asked.as_deref().is_none_or(|asked| asked == own);
    let chosen: Vec<&Recipe> = RECIPES
        .iter()
        .filter(|recipe| is(&args.game, recipe.game) && is(&args.variant, recipe.variant))
        .collect();
    ensure!(!chosen.is_empty(), "no file of openings is of that game and variant");
    setup::for_engines()?;
    let workspace = Workspace::load()?;
    let libraries = engines::build(&workspace, &engines::Args::default())?;
    engines::build_host(&workspace)?;
    engines::trust(&workspace, &libraries)?;
    for recipe in chosen {
        let file = workspace
            .root
            .join("openings")
            .join(recipe.game)
            .join(recipe.variant)
            .with_extension("txt");
        eprintln!("== {}", file.display());
        let mut command = engines::host(&workspace);
        command.args(["arena", "openings", recipe.engine, "--game", recipe.game]);
        command.args(["--variant", recipe.variant]).args(recipe.how).arg("--out").arg(&file);
        command.arg("--engines-dir").arg(workspace.root.join("engines-dir"));
        run(&mut command)?;
    }
    Ok(())
}
