//! `cargo xtask new-engine`: a folder to write an engine in.

use std::path::PathBuf;

use anyhow::{Result, bail};
use sandboard_forge::Template;

use crate::workspace::Workspace;

#[derive(clap::Args)]
pub struct Args {
    /// What the engine is called: lower-case letters, digits, `-` and `_`
    name: String,

    /// The game that it plays
    #[arg(long, default_value = "gomoku")]
    game: String,

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
    Template { name, game, root: workspace.root.clone() }.write(&folder)?;
    let folder = folder.display();
    eprintln!("made {folder}: the next move is one function, in {folder}/src/lib.rs");
    eprintln!("next: sandboard check {folder}");
    Ok(())
}
