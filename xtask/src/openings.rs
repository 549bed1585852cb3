//! `cargo xtask openings`: writes the files of balanced openings in `openings/` with `sandboard
//! arena openings`. Of each game it knows only the engine and the options of that search.

use anyhow::{Result, ensure};
use sandboard_builder::command::run;
use sandboard_builder::rust::{NativeProfile, Warnings};

use crate::engines::Libraries;
use crate::workspace::Workspace;
use crate::{engines, setup};

/// A file of openings, and the search that finds them.
struct OpeningSearch {
    game: &'static str,
    variant: &'static str,
    engine: &'static str,
    /// The options of `sandboard arena openings`.
    options: &'static [&'static str],
}

/// Every file, `openings/<game>/<variant>.txt`. Variants with an opening procedure need none.
const SEARCHES: &[OpeningSearch] = &[
    gomoku("freestyle"),
    gomoku("standard"),
    gomoku("caro"),
    gomoku("renju"),
    OpeningSearch {
        game: "reversi",
        variant: "standard",
        engine: "reversi-ponder",
        options: REVERSI,
    },
    OpeningSearch {
        game: "xiangqi",
        variant: "computer",
        engine: "xiangqi-mt-native",
        options: XIANGQI,
    },
];

const fn gomoku(variant: &'static str) -> OpeningSearch {
    OpeningSearch { game: "gomoku", variant, engine: "gomoku-alpha:table-mib=4", options: GOMOKU }
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
pub(crate) struct Args {
    /// Only the openings of this game
    #[arg(long)]
    game: Option<String>,
    /// Only the openings of this variant
    #[arg(long)]
    variant: Option<String>,
}

pub(crate) fn main(args: &Args) -> Result<()> {
    let is = |filter: &Option<String>, own: &str| filter.as_deref().is_none_or(|it| it == own);
    let chosen: Vec<&OpeningSearch> = SEARCHES
        .iter()
        .filter(|search| is(&args.game, search.game) && is(&args.variant, search.variant))
        .collect();
    ensure!(!chosen.is_empty(), "there is no file of openings for this game and variant");
    setup::for_engines()?;
    let workspace = Workspace::load()?;
    let libraries =
        engines::build(&workspace, Warnings::Allow, Libraries::Build(NativeProfile::Release))?;
    engines::build_host(&workspace)?;
    engines::trust(&workspace, &libraries)?;
    for search in chosen {
        let file = workspace
            .root
            .join("openings")
            .join(search.game)
            .join(search.variant)
            .with_extension("txt");
        eprintln!("== {}", file.display());
        let mut command = engines::host(&workspace);
        command.args(["arena", "openings", search.engine, "--game", search.game]);
        command.args(["--variant", search.variant]).args(search.options).arg("--out").arg(&file);
        command.arg("--engines-dir").arg(workspace.root.join("engines-dir"));
        run(&mut command)?;
    }
    Ok(())
}
