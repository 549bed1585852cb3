//! `cargo xtask new-engine`: a folder to write an engine in.

use std::path::PathBuf;

use anyhow::{Result, bail};
use sandboard_forge::run::quoted;
use sandboard_forge::{Language, Template};

use crate::workspace::Workspace;

#[derive(clap::Args)]
pub struct Args {
    /// What the engine is called: lower-case letters, digits, `-` and `_`
    name: String,

    /// The game that it plays
    #[arg(long, default_value = "gomoku")]
    game: String,

    /// What it is written in
    #[arg(long, value_enum, default_value_t = Lang::Rust)]
    lang: Lang,

    /// The folder to make [default: ./NAME]
    #[arg(long)]
    dir: Option<PathBuf>,
}

/// [`Language`] on the command line.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq)]
enum Lang {
    /// A crate on the SDK, with the game's rules and a search at hand
    Rust,
    /// A file on the C header, which asks the host for the rules
    C,
}

pub fn main(args: &Args) -> Result<()> {
    let workspace = Workspace::load()?;
    let games = workspace.games()?;
    if !games.contains(&args.game) {
        bail!("there is no game `{}`; there are: {}", args.game, games.join(", "));
    }
    let (name, game) = (args.name.clone(), args.game.clone());
    let folder = args.dir.clone().unwrap_or_else(|| PathBuf::from(&name));
    let language = match args.lang {
        Lang::Rust => Language::Rust,
        Lang::C => Language::C,
    };
    let template = Template { language, name, game, root: workspace.root.clone() };
    template.write(&folder)?;
    let file = folder.join(template.main_file());
    eprintln!("made {}: the next move is one function, in {}", folder.display(), file.display());
    eprintln!("next: sandboard check {}", quoted(&folder.to_string_lossy()));
    Ok(())
}
