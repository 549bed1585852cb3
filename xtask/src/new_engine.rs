//! `cargo xtask new-engine`: a folder to write an engine in, on the SDK of this clone. `sandboard new`
//! is the same without a clone.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::builder::PossibleValuesParser;
use sandboard_forge::run::quoted;
use sandboard_forge::{LANGUAGES, Language, Sdk, Template};

use crate::workspace::Workspace;

#[derive(clap::Args)]
pub struct Args {
    /// What the engine is called: lower-case letters, digits, `-` and `_`
    name: String,

    /// The game that it plays
    #[arg(long, default_value = "gomoku")]
    game: String,

    /// What it is written in
    #[arg(long, default_value = "rust", value_parser = PossibleValuesParser::new(LANGUAGES.iter().map(|row| row.id)))]
    lang: String,

    /// The folder to make [default: ./NAME]
    #[arg(long)]
    dir: Option<PathBuf>,
}

pub fn main(args: &Args) -> Result<()> {
    let workspace = Workspace::load()?;
    let games = workspace.games()?;
    if !games.contains(&args.game) {
        bail!("there is no game `{}`; there are: {}", args.game, games.join(", "));
    }
    let (name, game) = (args.name.clone(), args.game.clone());
    let folder = args.dir.clone().unwrap_or_else(|| PathBuf::from(&name));
    let language = Language::named(&args.lang).unwrap_or_default();
    let template = Template { language, name, game, sdk: Sdk::Clone(workspace.root.clone()) };
    template.write(&folder)?;
    let file = folder.join(template.main_file());
    eprintln!("made {}: the next move is one function, in {}", folder.display(), file.display());
    eprintln!("next: sandboard check {}", quoted(&folder.to_string_lossy()));
    Ok(())
}
