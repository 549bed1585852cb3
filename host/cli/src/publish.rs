//! `sandboard publish`: writes a folder with a page that plays against one engine without a server.
//! The server's crate puts the files together; this one finds the engine and writes them.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use sandboard_abi::Unit;
use sandboard_games::Variant;
use sandboard_packs::catalog::{Catalog, Entry, GameEntry};
use sandboard_packs::manifest::ModuleKind;
use sandboard_packs::pack_files::{engine_files, rules_module};
use sandboard_server::{DESCRIPTION_FILE, PageFile, PublishedPage};

use super::engines::{EngineArgs, Engines, check_plays, only_game, shell_word};
use super::output::out_line;
use super::{SeatSpec, game_named, usage};

const EXAMPLES: &str = "\
The page has a board, levels, undo, analysis and downloads of its games, and runs the engine in the
visitor's browser. Any web server can offer the folder: nothing runs on it. After the first visit
the page works without a network, if its address is secure (https:) or on the visitor's own machine.
Games can be verified: `sandboard verify GAME.json`.

Only WebAssembly engines can be published: a browser runs nothing else. The folder contains the
engine; every visitor can take it from there.

Examples:
  sandboard publish gomoku-alpha --out public
  sandboard publish reversi-ponder --out public/reversi --title 'Beat my reversi engine'
  sandboard publish general-mcts --game connect-four --out public
  sandboard publish gomoku-alpha:table-mib=8 --fuel 500e6 --out public
  python3 -m http.server --directory public     # then open http://localhost:8000/";

/// Write a page that plays against an engine in the visitor's browser, without a server
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// The engine's id, optionally with options for every game (`id:option=value`)
    #[arg(value_name = "ENGINE")]
    engine: SeatSpec,
    /// The folder of the page: a new one, an empty one, or an earlier page, which is replaced
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    /// The game's id; optional when the engine plays only one
    #[arg(long, value_name = "GAME")]
    game: Option<String>,
    /// The title of the page [default: the names of the engine and the game]
    #[arg(long)]
    title: Option<String>,
    /// What a move at full strength may use, in units of fuel: about 1e9 a second
    #[arg(long, value_name = "UNITS", default_value = "2e9", value_parser = fuel)]
    fuel: u64,
    #[command(flatten)]
    engines: EngineArgs,
}

/// Parses a positive amount of fuel, such as `500e6`.
fn fuel(text: &str) -> Result<u64, String> {
    let budget: sandboard_engine::Budget =
        format!("fuel:{text}/move").parse().map_err(|_| "not an amount of fuel".to_owned())?;
    budget.per_move().ok_or_else(|| "not an amount of fuel".to_owned())
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let spec = args.engine.engine()?;
    ensure_replaceable(&args.out)?;
    let mut engines = Engines::open(&args.engines)?;
    let entry = engines.find(&spec.id)?;
    if entry.kind != Some(ModuleKind::Wasm) {
        let noun = entry.kind.map_or("of unknown kind", ModuleKind::noun);
        return Err(usage(format!(
            "engine `{}` is {noun}, which a browser cannot run; publish its WebAssembly build",
            entry.id
        )));
    }
    let game = match &args.game {
        Some(game) => game_named(engines.games(), game)?,
        None => only_game(engines.games(), &entry)?,
    };
    let plays = |variant: &Variant| check_plays(&entry, &entry.games, game, variant).is_ok();
    let variants = game.variants.iter().filter_map(|info| game.variant(info.id).ok());
    // The error about an engine that plays none of them names the first one.
    let variant = variants.into_iter().find(plays).unwrap_or_else(|| game.default_variant());
    // Loads the engine, and checks its options and that it plays the game.
    let player = engines.player_of(&entry, spec, Unit::Fuel, (game, &variant))?;
    let description = engines.load(&entry, Unit::Fuel)?.description;
    let rules = match game.plugged_in {
        Some(_) => Some(rules_of(&engines.catalog, game.id)?),
        None => None,
    };
    let title =
        args.title.clone().unwrap_or_else(|| default_title(&entry, &description.name, game));
    let page = PublishedPage {
        title: &title,
        game,
        rules: match rules {
            Some(rules) => Some((rules, rules_module(rules)?)),
            None => None,
        },
        entry: &entry,
        description: &description,
        files: engine_files(&entry)?,
        options: &player.options,
        fuel: args.fuel,
    };
    let files = page.into_files()?;
    write(&args.out, &files)?;
    let bytes: usize = files.iter().map(|file| file.bytes.len()).sum();
    let folder = shell_word(&args.out.to_string_lossy());
    out_line!("{folder}: {} files, {:.1} MB", files.len(), bytes as f64 / 1e6);
    out_line!("copy the folder to any web server, or try it here:");
    out_line!("  python3 -m http.server --directory {folder}");
    Ok(())
}

fn default_title(entry: &Entry, described: &str, game: &sandboard_games::GameInfo) -> String {
    let names = [entry.name.as_str(), described, entry.id.as_str()];
    let name = names.into_iter().find(|name| !name.is_empty()).unwrap_or_default();
    format!("{name} – {}", game.name)
}

/// The newest usable rules of a plugged-in game.
fn rules_of<'a>(catalog: &'a Catalog, game: &str) -> Result<&'a GameEntry> {
    let info = catalog.games.find(game).and_then(|info| info.plugged_in);
    let is_played = |entry: &&GameEntry| {
        entry.id == game && info.is_some_and(|info| info.sha256 == entry.sha256)
    };
    catalog
        .game_entries
        .iter()
        .find(is_played)
        .context("the rules of the game are not in the folder")
}

/// Refuses a folder with other files than those of an earlier page.
fn ensure_replaceable(folder: &Path) -> Result<()> {
    let shown = folder.display();
    let parent = folder.parent().filter(|parent| *parent != Path::new(""));
    if let Some(parent) = parent.filter(|parent| !parent.is_dir()) {
        return Err(usage(format!("--out: folder {} does not exist", parent.display())));
    }
    if folder.file_name().is_none() {
        return Err(usage(format!("--out: {shown} is no name of a folder to make")));
    }
    let Ok(mut entries) = std::fs::read_dir(folder) else {
        return match folder.exists() {
            true => Err(usage(format!("--out needs a folder, and {shown} is a file"))),
            false => Ok(()),
        };
    };
    let is_page = || folder.join(DESCRIPTION_FILE).is_file() && folder.join("index.html").is_file();
    if entries.next().is_some() && !is_page() {
        return Err(usage(format!("--out: {shown} has other files; name a new folder")));
    }
    Ok(())
}

/// Writes all files into a folder beside the wanted one, which then takes its place.
fn write(folder: &Path, files: &[PageFile]) -> Result<()> {
    let parent = folder.parent().filter(|parent| *parent != Path::new(""));
    let parent = parent.unwrap_or(Path::new("."));
    let failed = |what: &Path| format!("cannot write {}", what.display());
    let part = tempfile::Builder::new().prefix(".sandboard-publish-").tempdir_in(parent);
    let part = part.with_context(|| failed(parent))?;
    let new = part.path().join("new");
    for PageFile { path, bytes } in files {
        let file = new.join(path);
        if let Some(folder) = file.parent() {
            std::fs::create_dir_all(folder).with_context(|| failed(folder))?;
        }
        std::fs::write(&file, bytes).with_context(|| failed(&file))?;
    }
    let old = part.path().join("old");
    let had_one = folder.exists();
    if had_one {
        std::fs::rename(folder, &old).with_context(|| failed(folder))?;
    }
    if let Err(error) = std::fs::rename(&new, folder) {
        if had_one {
            // The former page keeps its place.
            std::fs::rename(&old, folder).with_context(|| failed(folder))?;
        }
        bail!("cannot write {}: {error}", folder.display());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_page_is_replaced() {
        let temp = tempfile::tempdir().unwrap();
        let at = |name: &str| temp.path().join(name);
        for (name, files) in [
            ("empty", [].as_slice()),
            ("page", &["index.html", DESCRIPTION_FILE]),
            ("other", &["index.html"]),
        ] {
            std::fs::create_dir(at(name)).unwrap();
            files.iter().for_each(|file| std::fs::write(at(name).join(file), "x").unwrap());
        }
        std::fs::write(at("file"), "x").unwrap();
        let check = |folder: &str, expected: &str| {
            let answer = ensure_replaceable(&at(folder)).map_err(|error| error.to_string());
            let text = answer.err().unwrap_or_default();
            assert!(text.contains(expected) && text.is_empty() == expected.is_empty(), "{text}");
        };
        check("new", "");
        check("empty", "");
        check("page", "");
        check("other", "has other files");
        check("file", "is a file");
        check("missing/new", "does not exist");
        check("page/..", "no name");
    }

    #[test]
    fn a_page_takes_the_place_of_the_former_one() {
        let temp = tempfile::tempdir().unwrap();
        let folder = temp.path().join("page");
        let file = |path: &str| PageFile { path: path.into(), bytes: path.as_bytes().to_vec() };
        write(&folder, &[file("a"), file("assets/b")]).unwrap();
        write(&folder, &[file("c")]).unwrap();
        let names = |folder: &Path| -> Vec<_> {
            std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name()).collect()
        };
        assert_eq!(names(&folder), ["c"]);
        assert_eq!(names(temp.path()), ["page"]);
    }

    #[test]
    fn amounts_of_fuel_are_read() {
        let check = |text: &str, expected: Option<u64>| {
            assert_eq!(fuel(text).ok(), expected, "{text}");
        };
        check("500e6", Some(500_000_000));
        check("1", Some(1));
        check("0", None);
        check("5s", None);
        check("", None);
    }
}
