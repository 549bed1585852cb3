//! `cargo xtask new-engine`: creates the folder of a new engine that uses the SDK of this clone.
//! `sandboard new` does the same without a clone.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::builder::PossibleValuesParser;
use sandboard_builder::command::shell_quote;
use sandboard_builder::{EngineTemplate, LANGUAGES, Language, SdkLocation};

use crate::workspace::Workspace;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The engine's name: lower-case letters, digits, `-` and `_`
    name: String,

    /// The game that the engine plays
    #[arg(long, default_value = "gomoku")]
    game: String,

    /// The language of its source
    #[arg(long, default_value = "rust", value_parser = PossibleValuesParser::new(LANGUAGES.iter().map(|row| row.id)))]
    lang: String,

    /// The folder to create [default: ./NAME]
    #[arg(long)]
    dir: Option<PathBuf>,
}

pub(crate) fn main(args: &Args) -> Result<()> {
    let workspace = Workspace::load()?;
    let games = workspace.games()?;
    if !games.contains(&args.game) {
        bail!("unknown game `{}`; known ones: {}", args.game, games.join(", "));
    }
    let (name, game) = (args.name.clone(), args.game.clone());
    let folder = args.dir.clone().unwrap_or_else(|| PathBuf::from(&name));
    let language = Language::from_id(&args.lang).unwrap_or_default();
    let template =
        EngineTemplate { language, name, game, sdk: SdkLocation::Clone(workspace.root.clone()) };
    template.write(&folder)?;
    let file = folder.join(template.main_file());
    eprintln!("created {}; write the engine in {}", folder.display(), file.display());
    eprintln!("next: sandboard check {}", shell_quote(&folder.to_string_lossy()));
    Ok(())
}
