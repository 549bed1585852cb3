//! What is kept of arenas, for people and programs. Plays nothing, and changes no store.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::json;

use super::begin::usual_folder;
use super::play::view_of;
use crate::arena::store::Query;
use crate::arena::{Filter, GameKey, GameRow, OpenFolder, View, present};
use crate::cli::usage;

/// So many games are listed where nobody says.
const LISTED: u32 = 50;
/// So wide is a table that goes to no terminal, in columns.
const WIDTH: u16 = 120;
/// And at most.
const LISTED_MAX: i64 = 1_000_000;

/// List the arenas of a folder
///
/// For example: sandboard arena list
#[derive(clap::Args, Debug)]
pub struct ListArgs {
    /// Where they lie [default: `arena` in the user's data folder]
    #[arg(value_name = "FOLDER")]
    folder: Option<PathBuf>,
    /// Print one JSON line for each
    #[arg(long)]
    json: bool,
}

/// Show standings, ratings and tables of an arena, while it is played or after
///
/// For example: sandboard arena show DIR --player alpha --player beta --html report.html
#[derive(clap::Args, Debug)]
pub struct ShowArgs {
    /// The folder of the arena
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    #[command(flatten)]
    filter: FilterArgs,
    /// Print everything as one JSON object
    #[arg(long)]
    json: bool,
    /// Write a report as one page of HTML, with tables, plot and the latest games, over whatever the file holds
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Write the standings as CSV
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Write all games as CSV
    #[arg(long, value_name = "FILE")]
    games_csv: Option<PathBuf>,
}

/// Which games count for ratings and tables
#[derive(clap::Args, Debug)]
struct FilterArgs {
    /// Games between these players alone; several times
    #[arg(long = "player", value_name = "NAME")]
    players: Vec<String>,
    /// Games from this opening, counted from 1
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    opening: Option<u32>,
    /// Games of this round, counted from 1
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    round: Option<u32>,
    /// Leave out pairs in which an engine did something wrong
    #[arg(long)]
    no_faults: bool,
}

/// List the games of an arena, the latest first
///
/// For example: sandboard arena games DIR --faults
#[derive(clap::Args, Debug)]
pub struct GamesArgs {
    /// The folder of the arena
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    /// Games of this player
    #[arg(long, value_name = "NAME")]
    player: Option<String>,
    /// Only games in which an engine did something wrong
    #[arg(long)]
    faults: bool,
    /// At most so many
    #[arg(long, value_name = "N", default_value_t = LISTED)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=LISTED_MAX))]
    limit: u32,
    /// Print one JSON line for each
    #[arg(long)]
    json: bool,
}

/// Print the record of a game, or write it into a file
///
/// Other commands take it as `DIR/NAME`: sandboard replay DIR/pair-000001-1. For example: sandboard arena game DIR pair-000001-1
#[derive(clap::Args, Debug)]
pub struct GameArgs {
    /// The folder of the arena
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    /// The game's name; `all` for each of them, into the folder of --out
    #[arg(value_name = "NAME")]
    name: String,
    /// The file that it is written into, over whatever it holds
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// `sandboard arena list`.
pub fn list(args: &ListArgs) -> Result<()> {
    let folder = match &args.folder {
        Some(folder) => folder.clone(),
        None => usual_folder()?,
    };
    let mut out = std::io::stdout().lock();
    let entries = match std::fs::read_dir(&folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound && args.folder.is_none() => {
            return Ok(());
        }
        Err(error) => {
            return Err(error).with_context(|| format!("cannot read {}", folder.display()));
        }
    };
    let mut dirs: Vec<PathBuf> =
        entries.flatten().map(|entry| entry.path()).filter(|dir| OpenFolder::is_one(dir)).collect();
    dirs.sort();
    for dir in dirs {
        // One that is broken hides no other.
        let view = match looked_at(&dir, &Filter::default()) {
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

fn looked_at(dir: &Path, filter: &Filter) -> Result<View> {
    let folder = OpenFolder::look(dir)?;
    view_of(&folder, filter, folder.is_played())
}

/// `sandboard arena show`.
pub fn show(args: &ShowArgs) -> Result<()> {
    let folder = OpenFolder::look(&args.dir)?;
    let filter = args.filter.filter(&folder)?;
    let view = view_of(&folder, &filter, folder.is_played())?.with_replays(&args.dir, "");
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
    let mut out = std::io::stdout().lock();
    match args.json {
        true => writeln!(out, "{}", serde_json::to_string(&view)?)?,
        false => write!(out, "{}", text(&view, &args.dir))?,
    }
    Ok(())
}

/// The table for people, as wide as the terminal, or as is usual where there is none.
pub fn text(view: &View, dir: &Path) -> String {
    present::text(view, &dir.to_string_lossy(), width_columns())
}

/// How wide standard output is, in columns.
pub fn width_columns() -> usize {
    let (_, columns) = console::Term::stdout().size_checked().unwrap_or((0, WIDTH));
    usize::from(columns)
}

/// Writes a report whole or not at all.
fn report(file: &Path, write: impl FnOnce(&mut Vec<u8>) -> std::io::Result<()>) -> Result<()> {
    let mut bytes = Vec::new();
    write(&mut bytes)?;
    Ok(crate::record::store::write_atomically(file, &bytes)?)
}

/// All games that count, in the order of the schedule.
fn rows(folder: &OpenFolder) -> Result<Vec<GameRow>> {
    let query = Query { limit: u32::MAX, ..Query::default() };
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

fn number_of(players: &[crate::arena::Contestant], name: &str) -> Result<u32> {
    let number = players.iter().position(|player| player.name == name);
    number.map(|number| number as u32).ok_or_else(|| {
        let names: Vec<&str> = players.iter().map(|player| player.name.as_str()).collect();
        usage(format!("nobody here is called `{name}`; there are: {}", names.join(", ")))
    })
}

/// `sandboard arena games`.
pub fn games(args: &GamesArgs) -> Result<()> {
    let folder = OpenFolder::look(&args.dir)?;
    let players = folder.load()?.players;
    let player = args.player.as_deref().map(|name| number_of(&players, name)).transpose()?;
    let fault = args.faults.then_some(true);
    let query = Query { player, fault, limit: args.limit, ..Query::default() };
    let mut out = std::io::stdout().lock();
    for listed in folder.wait(folder.reader().games(&query))? {
        let row = GameRow::from(&listed);
        if args.json {
            writeln!(out, "{}", serde_json::to_string(&row)?)?;
            continue;
        }
        let name = |number: u32| players.get(number as usize).map_or("?", |player| &player.name);
        let [first, second] = row.players.map(name);
        writeln!(
            out,
            "{}  {first} against {second}, {} plies: {}",
            row.name, row.plies, row.sentence
        )?;
    }
    Ok(())
}

/// `sandboard arena game`.
pub fn game(args: &GameArgs) -> Result<()> {
    let folder = OpenFolder::look(&args.dir)?;
    if args.name == "all" {
        let out = args.out.as_deref();
        let out = out.ok_or_else(|| usage("`all` games go into a folder: name it with --out"))?;
        return all_games(&folder, out);
    }
    let record = folder.record(&args.name)?;
    match &args.out {
        Some(file) => crate::record::store::write_atomically(file, &record)?,
        None => std::io::stdout().lock().write_all(&record)?,
    }
    Ok(())
}

fn all_games(folder: &OpenFolder, out: &Path) -> Result<()> {
    std::fs::create_dir_all(out)
        .with_context(|| format!("cannot make the folder {}", out.display()))?;
    for name in names(folder)? {
        let record = folder.record(&name)?;
        crate::record::store::write_atomically(&out.join(format!("{name}.json")), &record)?;
    }
    Ok(())
}

/// The names of all games that count, in the order of the schedule.
pub fn names(folder: &OpenFolder) -> Result<Vec<String>> {
    let games = folder.wait(folder.reader().accepted())?;
    Ok(games.into_iter().map(|game| GameKey::name(&game.game)).collect())
}
