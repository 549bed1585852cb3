//! `arena list`, `show`, `games`, `game`: shows stored arenas to people and programs. Plays
//! nothing, and changes no store.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::json;

use super::create::default_folder;
use super::play::view_of;
use crate::output_file::{FileKind, ensure_replaceable};
use crate::{known_games, usage};
use sandboard_arena::store::GameQuery;
use sandboard_arena::{OpenFolder, present};
use sandboard_arena_plan::{Filter, GameKey, GameRow, View};

/// The default number of games in a list.
const LISTED: u32 = 50;
/// The width of a table that is not printed to a terminal, in columns.
const WIDTH: u16 = 120;
/// The most games in a list.
const LISTED_MAX: i64 = 1_000_000;

/// List the arenas of a folder
///
/// For example: sandboard arena list
#[derive(clap::Args, Debug)]
pub(super) struct ListArgs {
    /// The folder that contains them [default: `arena` in the user's data folder]
    #[arg(value_name = "FOLDER")]
    folder: Option<PathBuf>,
    /// Print one JSON line for each arena
    #[arg(long)]
    json: bool,
}

/// Show the standings, ratings and tables of an arena, in progress or complete
///
/// For example: sandboard arena show DIR --player alpha --player beta --html report.html
#[derive(clap::Args, Debug)]
pub(super) struct ShowArgs {
    /// The folder of the arena
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    #[command(flatten)]
    filter: FilterArgs,
    /// Print everything as one JSON object
    #[arg(long)]
    json: bool,
    /// Write a report as one HTML page, with tables, a plot and the latest games; an existing file
    /// is replaced
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Write the standings as CSV
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Write all games as CSV
    #[arg(long, value_name = "FILE")]
    games_csv: Option<PathBuf>,
}

/// The games that count for ratings and tables.
#[derive(clap::Args, Debug)]
struct FilterArgs {
    /// Only games between these players; may be repeated
    #[arg(long = "player", value_name = "NAME")]
    players: Vec<String>,
    /// Only games from this opening, counted from 1
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    opening: Option<u32>,
    /// Only games of this round, counted from 1
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    round: Option<u32>,
    /// Leave out pairs in which an engine had a fault
    #[arg(long)]
    no_faults: bool,
}

/// List the games of an arena, the latest first
///
/// For example: sandboard arena games DIR --faults
#[derive(clap::Args, Debug)]
pub(super) struct GamesArgs {
    /// The folder of the arena
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    /// Only games of this player
    #[arg(long, value_name = "NAME")]
    player: Option<String>,
    /// Only games in which an engine had a fault
    #[arg(long)]
    faults: bool,
    /// The most games to list
    #[arg(long, value_name = "N", default_value_t = LISTED)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=LISTED_MAX))]
    limit: u32,
    /// Print one JSON line for each game
    #[arg(long)]
    json: bool,
}

/// Print the record of a game, or write it to a file
///
/// Other commands take a game as `DIR/NAME`: sandboard replay DIR/pair-000001-1. For example:
/// sandboard arena game DIR pair-000001-1
#[derive(clap::Args, Debug)]
pub(super) struct GameArgs {
    /// The folder of the arena
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    /// The game's name; `all` writes every game into the folder --out
    #[arg(value_name = "NAME")]
    name: String,
    /// The output file; an existing file is replaced
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// `sandboard arena list`.
pub(super) fn list(args: &ListArgs) -> Result<()> {
    let folder = match &args.folder {
        Some(folder) => folder.clone(),
        None => default_folder()?,
    };
    let mut out = crate::output::stdout();
    let entries = match std::fs::read_dir(&folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound && args.folder.is_none() => {
            return Ok(());
        }
        Err(error) => {
            return Err(error).with_context(|| format!("cannot read {}", folder.display()));
        }
    };
    let mut dirs: Vec<PathBuf> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|dir| OpenFolder::holds_arena(dir))
        .collect();
    dirs.sort();
    for dir in dirs {
        // A broken arena must not hide the others.
        let view = match load_view(&dir, &Filter::default()) {
            Ok(view) => view,
            Err(error) => {
                log::warn!("{error:#}");
                continue;
            }
        };
        if args.json {
            let names: Vec<&str> = view.players.iter().map(|player| player.name.as_str()).collect();
            let line = json!({
                "folder": dir.display().to_string(), "id": view.id, "game": view.game, "variant": view.variant,
                "format": view.format, "state": view.state, "created_at": view.created_at,
                "players": names, "pairs": view.progress.pairs, "pairs_left": view.progress.pairs_left,
            });
            writeln!(out, "{line}")?;
        } else {
            let state = serde_json::to_value(view.state)?;
            let pairs = view.progress.pairs;
            writeln!(
                out,
                "{}  {} {}, {} pairs",
                dir.display(),
                view.game,
                state.as_str().unwrap_or(""),
                pairs
            )?;
        }
    }
    Ok(())
}

fn load_view(dir: &Path, filter: &Filter) -> Result<View> {
    let folder = OpenFolder::open_to_read(dir)?;
    view_of(&folder, &known_games(), filter, folder.is_running())
}

/// `sandboard arena show`.
pub(super) fn show(args: &ShowArgs) -> Result<()> {
    let folder = OpenFolder::open_to_read(&args.dir)?;
    let filter = args.filter.filter(&folder)?;
    let files = [
        ("--html", &args.html, FileKind::Html),
        ("--csv", &args.csv, FileKind::StandingsCsv),
        ("--games-csv", &args.games_csv, FileKind::GamesCsv),
    ];
    for (option, file, kind) in files {
        file.as_ref().map_or(Ok(()), |file| ensure_replaceable(option, file, kind))?;
    }
    let view =
        view_of(&folder, &known_games(), &filter, folder.is_running())?.with_replays(&args.dir, "");
    if let Some(file) = &args.html {
        let rows = rows(&folder)?;
        report(file, |out| present::html(&view, &mut rows.into_iter(), out))?;
    }
    if let Some(file) = &args.csv {
        report(file, |out| present::standings_csv(&view, out))?;
    }
    if let Some(file) = &args.games_csv {
        let rows = rows(&folder)?;
        report(file, |out| present::games_csv(&view, &mut rows.into_iter(), out))?;
    }
    let mut out = crate::output::stdout();
    match args.json {
        true => writeln!(out, "{}", serde_json::to_string(&view)?)?,
        false => write!(out, "{}", text(&view, &args.dir))?,
    }
    Ok(())
}

/// The table for people, as wide as the terminal.
pub(super) fn text(view: &View, dir: &Path) -> String {
    present::text(view, &dir.to_string_lossy(), width_columns())
}

/// The width of standard output in columns; the default if it is not a terminal.
pub(super) fn width_columns() -> usize {
    let (_, columns) = console::Term::stdout().size_checked().unwrap_or((0, WIDTH));
    usize::from(columns)
}

/// Writes a report completely or not at all.
fn report(file: &Path, write: impl FnOnce(&mut Vec<u8>) -> std::io::Result<()>) -> Result<()> {
    let mut bytes = Vec::new();
    write(&mut bytes)?;
    Ok(sandboard_common::files::write_atomically(file, &bytes)?)
}

/// All counted games, in the order of the schedule.
fn rows(folder: &OpenFolder) -> Result<Vec<GameRow>> {
    let query = GameQuery { limit: u32::MAX, ..GameQuery::default() };
    let games = folder.wait(folder.reader().games(&query))?;
    Ok(games.iter().rev().map(GameRow::from).collect())
}

impl FilterArgs {
    fn filter(&self, folder: &OpenFolder) -> Result<Filter> {
        let mut players = Vec::new();
        if !self.players.is_empty() {
            let loaded = folder.load()?;
            for name in &self.players {
                players.push(number_of(&loaded.players, name)?);
            }
        }
        let number = |from_one: Option<u32>| from_one.map(|number| number - 1);
        let (opening, round) = (number(self.opening), number(self.round));
        Ok(Filter { players, opening, round, no_faults: self.no_faults })
    }
}

fn number_of(players: &[sandboard_arena_plan::Contestant], name: &str) -> Result<u32> {
    let number = players.iter().position(|player| player.name == name);
    number.map(|number| number as u32).ok_or_else(|| {
        let names: Vec<&str> = players.iter().map(|player| player.name.as_str()).collect();
        usage(format!("unknown player `{name}`; the players are: {}", names.join(", ")))
    })
}

/// `sandboard arena games`.
pub(super) fn games(args: &GamesArgs) -> Result<()> {
    let folder = OpenFolder::open_to_read(&args.dir)?;
    let players = folder.load()?.players;
    let player = args.player.as_deref().map(|name| number_of(&players, name)).transpose()?;
    let fault = args.faults.then_some(true);
    let query = GameQuery { player, fault, limit: args.limit, ..GameQuery::default() };
    let mut out = crate::output::stdout();
    for listed in folder.wait(folder.reader().games(&query))? {
        let row = GameRow::from(&listed);
        if args.json {
            writeln!(out, "{}", serde_json::to_string(&row)?)?;
            continue;
        }
        let name =
            |number: u32| players.get(number as usize).map_or("?", |player| player.name.as_str());
        let players: Vec<&str> = row.players.iter().map(|number| name(*number)).collect();
        let players = players.join(" against ");
        writeln!(out, "{}  {players}, {} plies: {}", row.name, row.plies, row.sentence)?;
    }
    Ok(())
}

/// `sandboard arena game`.
pub(super) fn game(args: &GameArgs) -> Result<()> {
    let folder = OpenFolder::open_to_read(&args.dir)?;
    if args.name == "all" {
        let out = args.out.as_deref();
        let out =
            out.ok_or_else(|| usage("`all` writes the games into a folder: set it with --out"))?;
        return all_games(&folder, out);
    }
    let record = folder.record(&args.name)?;
    match &args.out {
        Some(file) => {
            ensure_replaceable("--out", file, FileKind::Record)?;
            sandboard_common::files::write_atomically(file, &record)?;
        }
        None => crate::output::write_file(&record)?,
    }
    Ok(())
}

fn all_games(folder: &OpenFolder, out: &Path) -> Result<()> {
    std::fs::create_dir_all(out)
        .with_context(|| format!("cannot make the folder {}", out.display()))?;
    for name in names(folder)? {
        let record = folder.record(&name)?;
        let file = out.join(format!("{name}.json"));
        ensure_replaceable("--out", &file, FileKind::Record)?;
        sandboard_common::files::write_atomically(&file, &record)?;
    }
    Ok(())
}

/// The names of all counted games, in the order of the schedule.
pub(super) fn names(folder: &OpenFolder) -> Result<Vec<String>> {
    let games = folder.wait(folder.reader().accepted())?;
    Ok(games.into_iter().map(|game| GameKey::name(&game.game)).collect())
}
