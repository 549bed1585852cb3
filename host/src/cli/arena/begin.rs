//! A new arena: from what was typed to its folder.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Result, anyhow};
use sandboard_games::{GameInfo, Variant};
use sandboard_tournament::schedule::Format;
use sandboard_tournament::stats::SprtSetup;

use super::BeginArgs;
use super::players::{USUAL_US, common_game, contestant, named_apart, sized};
use crate::arena::{
    ArenaFolder, ArenaSetup, Contestant, FORMAT, Ledger, OpenFolder, Openings, OpeningsSource,
    VERSION, usual_concurrency,
};
use crate::bout::EnginePlayer;
use crate::budget::Budget;
use crate::cli::engines::Engines;
use crate::cli::plan::drawn_seed;
use crate::cli::ponder::{Candidate, for_match};
use crate::cli::seat::SeatSpec;
use crate::cli::{game_named, usage, variant_of};
use crate::database::{Place, TypedPlace, Url};
use crate::record::store::{data_folder, stem};
use crate::record::{Start, rfc3339};
use crate::referee::Settings;

/// So many names are in the name of a folder.
const NAMED: usize = 3;

/// What is to be played, and by whom.
pub struct Wanted<'a> {
    pub format: Format,
    pub players: &'a [SeatSpec],
    pub sprt: Option<SprtSetup>,
}

/// An arena that can be played.
pub struct Begun {
    pub folder: ArenaFolder,
    pub engines: Engines,
    pub start: Start,
    pub openings: Vec<Start>,
    pub players: Vec<(Contestant, EnginePlayer)>,
    /// For people.
    pub notes: Vec<String>,
}

/// Begins it and plays it.
pub fn run(args: &BeginArgs, wanted: &Wanted<'_>) -> Result<()> {
    let mut engines = Engines::open(&args.play.engines)?;
    let game = game_of(args, &engines, wanted.players)?;
    let players = seated(args, wanted, &mut engines, (game.0, &game.1))?;
    run_with(args, wanted, engines, game, players)
}

/// The game that is asked for, or that all play, and its variant.
pub fn game_of(
    args: &BeginArgs,
    engines: &Engines,
    players: &[SeatSpec],
) -> Result<(&'static GameInfo, Variant)> {
    let game = match &args.game {
        Some(id) => game_named(id)?,
        None => common_game(engines, players)?,
    };
    Ok((game, sized(game, &variant_of(game, args.variant.as_deref())?)?))
}

/// Begins an arena of players that are ready, and plays it.
pub fn run_with(
    args: &BeginArgs,
    wanted: &Wanted<'_>,
    engines: Engines,
    (game, variant): (&'static GameInfo, Variant),
    mut players: Vec<(Contestant, EnginePlayer)>,
) -> Result<()> {
    let database = args.store.as_ref().map(database).transpose()?;
    // What is wrongly typed is said before there is a folder.
    super::play::broker(&args.play)?;
    if let Some(rules) = &args.adjudicate {
        let game = (game.new)(&variant, None).map_err(usage)?;
        rules.fits(&*game).map_err(|error| usage(format!("--adjudicate: {error}")))?;
    }
    let openings = args.openings.as_deref().map(|file| Openings::read(file, game, &variant));
    let openings = openings.transpose().map_err(usage)?;
    let notes = ponder(args, &mut players)?;
    let now = SystemTime::now();
    let file = args.openings.as_deref().map(|file| file.display().to_string());
    let setup = ArenaSetup {
        format: FORMAT.into(),
        version: VERSION,
        host: env!("CARGO_PKG_VERSION").into(),
        id: drawn_id()?,
        created_at: rfc3339(now),
        game: game.id.into(),
        variant: variant.text(),
        seed: args.seed.unwrap_or_else(drawn_seed),
        sealed: None,
        schedule: wanted.format,
        openings: openings.as_ref().zip(file).map(|(openings, file)| OpeningsSource {
            file,
            sha256: openings.sha256.clone(),
            count: openings.starts.len() as u32,
        }),
        settings: settings(args),
        sprt: wanted.sprt,
        players: players.iter().map(|(player, _)| player.clone()).collect(),
    };
    // Whether it is a tournament at all, before there is a folder.
    Ledger::new(&setup).map_err(usage)?;
    let dir = match &args.dir {
        Some(dir) => dir.clone(),
        None => usual_dir(&setup, now)?,
    };
    let bytes = openings.as_ref().map(|openings| openings.bytes.as_slice());
    let folder = ArenaFolder::create(&dir, database.as_ref(), &setup, bytes)?;
    let start = Start { game, variant, position: None };
    let openings = openings.map_or(Vec::new(), |openings| openings.starts);
    super::play::play(Begun { folder, engines, start, openings, players, notes }, &args.play)
}

/// The database that is asked for.
fn database(typed: &TypedPlace) -> Result<Url> {
    match typed.place().map_err(usage)? {
        Place::Server(url) => Ok(url),
        Place::File(_) => Err(usage(
            "--store takes the URL of a database, postgres://USER@HOST/DATABASE; a file is in the folder that --dir names",
        )),
    }
}

/// The rules of every bout: as usual, but nobody is there to take a move back.
fn settings(args: &BeginArgs) -> Settings {
    let usual = Settings::default();
    Settings {
        undo: false,
        plies_max: args.plies_max.unwrap_or(usual.plies_max),
        adjudication: args.adjudicate.unwrap_or_default(),
        ..usual
    }
}

fn seated(
    args: &BeginArgs,
    wanted: &Wanted<'_>,
    engines: &mut Engines,
    game: (&'static GameInfo, &Variant),
) -> Result<Vec<(Contestant, EnginePlayer)>> {
    if args.ratings.len() > wanted.players.len() {
        let (ratings, players) = (args.ratings.len(), wanted.players.len());
        return Err(usage(format!("--ratings: {ratings} ratings for {players} players")));
    }
    let mut players = Vec::with_capacity(wanted.players.len());
    for spec in wanted.players {
        let budget = spec.budget.or(args.budget).unwrap_or(Budget::wall_per_move(USUAL_US));
        players.push(contestant(engines, spec, budget, game)?);
    }
    for ((player, _), rating) in players.iter_mut().zip(&args.ratings) {
        player.rating = *rating;
    }
    named_apart(&mut players);
    Ok(players)
}

/// Settles who thinks on the opponent's time.
fn ponder(args: &BeginArgs, players: &mut [(Contestant, EnginePlayer)]) -> Result<Vec<String>> {
    let candidates: Vec<Candidate<'_>> = players
        .iter()
        .map(|(player, engine)| Candidate {
            name: &player.name,
            can: engine.can_ponder,
            person: false,
            budget: player.budget,
        })
        .collect();
    let games = args.play.concurrency.map(usize::from);
    let decided = for_match(args.ponder, &candidates, games, usual_concurrency())?;
    for ((player, _), on) in players.iter_mut().zip(decided.on) {
        player.ponders = on;
    }
    Ok(decided.notes)
}

fn drawn_id() -> Result<String> {
    let mut bytes = [0; 8];
    getrandom::fill(&mut bytes)
        .map_err(|error| anyhow!("the system gives no random numbers: {error}"))?;
    Ok(crate::hex(&bytes))
}

/// Where arenas lie where nobody says.
pub fn usual_folder() -> Result<PathBuf> {
    Ok(data_folder()?.join("arena"))
}

/// A folder in the user's data folder that nobody has.
fn usual_dir(setup: &ArenaSetup, now: SystemTime) -> Result<PathBuf> {
    let mut names: Vec<&str> = setup.players.iter().map(|player| player.engine.as_str()).collect();
    names.dedup();
    let more = if names.len() > NAMED { "-and-others" } else { "" };
    names.truncate(NAMED);
    let stem = stem(&format!("{}{more}", names.join("-")), now);
    let arena = usual_folder()?;
    let numbered = (2..).map(|number| arena.join(format!("{stem}-{number}")));
    let mut free = std::iter::once(arena.join(&stem)).chain(numbered).filter(|dir| !dir.exists());
    free.next().ok_or_else(|| anyhow!("no folder is free in {}", arena.display()))
}

/// The openings that an arena was begun with.
pub fn openings_again(
    setup: &ArenaSetup,
    bytes: Option<Vec<u8>>,
    folder: &OpenFolder,
    game: (&'static GameInfo, &Variant),
) -> Result<Vec<Start>> {
    let Some(source) = &setup.openings else { return Ok(Vec::new()) };
    let lost = || anyhow!("{}: its openings ({}) are lost", folder.dir().display(), source.file);
    let openings = Openings::of(bytes.ok_or_else(lost)?, Path::new(&source.file), game.0, game.1)?;
    if openings.sha256 != source.sha256 {
        return Err(anyhow!(
            "{}: the hash of its openings is {} and was {}",
            folder.dir().display(),
            openings.sha256,
            source.sha256
        ));
    }
    Ok(openings.starts)
}
