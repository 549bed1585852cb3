//! Creates a new arena from the arguments.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Result, anyhow};
use sandboard_games::{GameInfo, Variant};
use sandboard_tournament::schedule::{Format, swiss_rounds_max};
use sandboard_tournament::stats::SprtSetup;

use super::CreateArgs;
use super::players::{DEFAULT_MOVE_US, common_game, contestant_of, make_names_unique, sized};
use super::programs::OwnPacks;
use crate::engines::{Engines, check_limited};
use crate::plan::random_seed;
use crate::ponder::{Candidate, for_match};
use crate::seat::SeatSpec;
use crate::{game_named, usage, variant_of};
use sandboard_arena::database::{DatabaseLocation, LocationArgument, Url};
use sandboard_arena::{ArenaFolder, OpenFolder, default_concurrency};
use sandboard_arena_plan::{
    ArenaSetup, Contestant, FORMAT, Ledger, Openings, OpeningsSource, VERSION,
};
use sandboard_bout::clock::Grace;
use sandboard_bout::driver::EnginePlayer;
use sandboard_bout::record::RulesRecord;
use sandboard_bout::referee::BoutSettings;
use sandboard_bout::start::StartPosition;
use sandboard_common::date::rfc3339;
use sandboard_common::files::{data_folder, record_stem};
use sandboard_engine::Budget;

/// The most engine ids in the name of an arena's folder.
const FOLDER_ENGINES_MAX: usize = 3;

/// The schedule of a new arena.
#[derive(Clone, Copy)]
pub(super) struct ArenaPlan<'a> {
    pub format: Format,
    pub players: &'a [SeatSpec],
    pub sprt: Option<SprtSetup>,
}

/// An arena that is ready to be played.
pub(super) struct PreparedArena {
    pub folder: ArenaFolder,
    pub engines: Engines,
    pub start: StartPosition,
    pub openings: Vec<StartPosition>,
    pub players: Vec<(Contestant, EnginePlayer)>,
    /// Notes for the user.
    pub notes: Vec<String>,
}

/// Creates an arena and plays it.
pub(super) fn run(args: &CreateArgs, plan: &ArenaPlan<'_>) -> Result<()> {
    let mut engines = Engines::open(&args.play.engines)?;
    if !args.programs.is_empty() && args.game.is_none() {
        return Err(usage("--engine needs --game: a program does not say which game it plays"));
    }
    let game = game_of(args, &engines, plan.players)?;
    let trusts = args.play.trust_programs;
    let (packs, programs) = args.programs.prepare(&mut engines, game.0, trusts)?;
    let all = [plan.players, &programs].concat();
    if all.len() < 2 {
        return Err(usage(
            "an arena needs two players: name engines (`sandboard list`), or programs with --engine",
        ));
    }
    let plan = &ArenaPlan { players: &all, ..*plan };
    let players = load_players(args, plan, &mut engines, (game.0, &game.1))?;
    run_with(args, plan, engines, game, players, &packs)
}

/// The game of --game, or the only common one, and its variant.
pub(super) fn game_of(
    args: &CreateArgs,
    engines: &Engines,
    players: &[SeatSpec],
) -> Result<(&'static GameInfo, Variant)> {
    let game = match &args.game {
        Some(id) => game_named(engines.games(), id)?,
        None => common_game(engines, players)?,
    };
    Ok((game, sized(game, &variant_of(game, args.variant.as_deref())?)?))
}

/// Creates an arena of loaded players, and plays it.
pub(super) fn run_with(
    args: &CreateArgs,
    plan: &ArenaPlan<'_>,
    engines: Engines,
    (game, variant): (&'static GameInfo, Variant),
    mut players: Vec<(Contestant, EnginePlayer)>,
    packs: &OwnPacks,
) -> Result<()> {
    if let Some(file) = &args.play.export {
        super::export::format_of(file, game)?;
        super::export::check_replaceable(file, None)?;
    }
    let database = args.store.as_ref().map(database).transpose()?;
    // Usage errors are found before a folder is created.
    super::play::broker(&args.play)?;
    if let Some(rules) = &args.adjudicate {
        let game = (game.new)(&variant, None).map_err(usage)?;
        rules.check_for(&*game).map_err(|error| usage(format!("--adjudicate: {error}")))?;
    }
    let seed = args.seed.unwrap_or_else(random_seed);
    let openings = args.openings.load(engines.games(), seed, (game, &variant))?;
    let notes = set_pondering(args, &mut players)?;
    let now = SystemTime::now();
    let file = args.openings.source();
    let setup = new_setup(
        ArenaParts {
            game: (game, &variant),
            format: plan.format,
            sprt: plan.sprt,
            players: &players,
            openings: openings.as_ref().zip(file),
            settings: settings(args),
            seed,
        },
        now,
    )?;
    check_rounds(&setup)
        .map_err(|(rounds, reason)| usage(format!("--rounds {rounds}: {reason}")))?;
    // The format is checked before a folder is created.
    Ledger::new(&setup).map_err(usage)?;
    let dir = match &args.dir {
        Some(dir) => dir.clone(),
        None => unused_dir(&default_folder()?, &setup, now)?,
    };
    let bytes = openings.as_ref().map(|openings| openings.bytes.as_slice());
    let folder = ArenaFolder::create(&dir, database.as_ref(), &setup, bytes)?;
    packs.store_in(&dir)?;
    let start = StartPosition::new(game, variant, None);
    let openings = openings.map_or(Vec::new(), |openings| openings.starts);
    super::play::play(
        PreparedArena { folder, engines, start, openings, players, notes },
        &args.play,
    )
}

/// What a new arena plays, with its players loaded.
pub(crate) struct ArenaParts<'a> {
    pub game: (&'static GameInfo, &'a Variant),
    pub format: Format,
    pub sprt: Option<SprtSetup>,
    pub players: &'a [(Contestant, EnginePlayer)],
    /// The openings, and the name of their file.
    pub openings: Option<(&'a Openings, String)>,
    pub settings: BoutSettings,
    pub seed: u64,
}

/// The setup of a new arena. [`check_rounds`] and [`Ledger::new`] check that its format fits its
/// players.
pub(crate) fn new_setup(parts: ArenaParts<'_>, now: SystemTime) -> Result<ArenaSetup> {
    let (game, variant) = parts.game;
    Ok(ArenaSetup {
        format: FORMAT.into(),
        version: VERSION,
        host: env!("CARGO_PKG_VERSION").into(),
        id: random_id()?,
        created_at: rfc3339(now),
        game: game.id.into(),
        rules: RulesRecord::of(game),
        variant: variant.text(),
        seed: parts.seed,
        seed_key: None,
        schedule: parts.format,
        seats: game.seats_of_players(variant).len() as u8,
        shares_chance: game.features.chance,
        openings: parts.openings.map(|(openings, file)| OpeningsSource {
            file,
            sha256: openings.sha256.clone(),
            count: openings.starts.len() as u32,
        }),
        settings: parts.settings,
        sprt: parts.sprt,
        players: parts.players.iter().map(|(player, _)| player.clone()).collect(),
    })
}

/// Refuses a Swiss system in which two players would have to meet twice. Err: the number of rounds,
/// and what is wrong with it.
pub(crate) fn check_rounds(setup: &ArenaSetup) -> Result<(), (u32, String)> {
    let players = u32::try_from(setup.players.len()).unwrap_or(u32::MAX);
    let most = swiss_rounds_max(players);
    match setup.schedule {
        Format::Swiss { rounds } if setup.seats == 2 && rounds > most => Err((
            rounds,
            format!(
                "{players} players can play at most {most} rounds of a Swiss system, because no \
                 two of them meet twice"
            ),
        )),
        _ => Ok(()),
    }
}

/// The database of --store.
fn database(typed: &LocationArgument) -> Result<Url> {
    match typed.location().map_err(usage)? {
        DatabaseLocation::Server(url) => Ok(url),
        DatabaseLocation::File(_) => Err(usage(
            "--store needs the URL of a database, postgres://USER@HOST/DATABASE; to choose a \
             folder, use --dir",
        )),
    }
}

/// The settings of every bout: those of the arguments, else the defaults.
fn settings(args: &CreateArgs) -> BoutSettings {
    let default = default_settings();
    BoutSettings {
        plies_max: args.plies_max.unwrap_or(default.plies_max),
        adjudication: args.adjudicate.unwrap_or_default(),
        grace: Grace { us: args.grace.unwrap_or(default.grace.us), ..default.grace },
        move_guard_us: args.move_guard.map_or(default.move_guard_us, |guard| guard.us),
        ..default
    }
}

/// The default settings of every bout of an arena: without takebacks.
pub(crate) fn default_settings() -> BoutSettings {
    BoutSettings { undo: false, ..BoutSettings::default() }
}

fn load_players(
    args: &CreateArgs,
    plan: &ArenaPlan<'_>,
    engines: &mut Engines,
    game: (&'static GameInfo, &Variant),
) -> Result<Vec<(Contestant, EnginePlayer)>> {
    if args.ratings.len() > plan.players.len() {
        let (ratings, players) = (args.ratings.len(), plan.players.len());
        return Err(usage(format!("--ratings: {ratings} ratings for {players} players")));
    }
    let mut players = Vec::with_capacity(plan.players.len());
    for spec in plan.players {
        let budget = spec.budget.or(args.budget).unwrap_or(Budget::wall_per_move(DEFAULT_MOVE_US));
        check_limited(&budget)?;
        let engine = spec.engine()?.clone().with_defaults(&args.options)?;
        let entry = engines.find(&engine.id)?;
        players.push(contestant_of(engines, &entry, &engine, budget, game)?);
    }
    for ((player, _), rating) in players.iter_mut().zip(&args.ratings) {
        player.rating = *rating;
    }
    make_names_unique(&mut players);
    Ok(players)
}

/// Decides which players think on the opponent's time; returns notes for the user.
fn set_pondering(
    args: &CreateArgs,
    players: &mut [(Contestant, EnginePlayer)],
) -> Result<Vec<String>> {
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
    let decided = for_match(args.ponder, &candidates, games, default_concurrency())?;
    for ((player, _), on) in players.iter_mut().zip(decided.on) {
        player.ponders = on;
    }
    Ok(decided.notes)
}

fn random_id() -> Result<String> {
    let mut bytes = [0; 8];
    getrandom::fill(&mut bytes)
        .map_err(|error| anyhow!("the system provides no random numbers: {error}"))?;
    Ok(sandboard_common::hex::hex(&bytes))
}

/// The default folder of arenas.
pub(crate) fn default_folder() -> Result<PathBuf> {
    Ok(data_folder()?.join("arena"))
}

/// An unused folder in this folder of arenas, named after the players and the date.
pub(crate) fn unused_dir(arenas: &Path, setup: &ArenaSetup, now: SystemTime) -> Result<PathBuf> {
    let mut names: Vec<&str> = setup.players.iter().map(|player| player.engine.as_str()).collect();
    names.dedup();
    let more = if names.len() > FOLDER_ENGINES_MAX { "-and-others" } else { "" };
    names.truncate(FOLDER_ENGINES_MAX);
    let stem = record_stem(&format!("{}{more}", names.join("-")), now);
    let numbered = (2..).map(|number| arenas.join(format!("{stem}-{number}")));
    let mut free = std::iter::once(arenas.join(&stem)).chain(numbered).filter(|dir| !dir.exists());
    free.next().ok_or_else(|| anyhow!("no unused folder name in {}", arenas.display()))
}

/// The openings of an existing arena, checked by their hash.
pub(super) fn stored_openings(
    setup: &ArenaSetup,
    bytes: Option<Vec<u8>>,
    folder: &OpenFolder,
    game: (&'static GameInfo, &Variant),
) -> Result<Vec<StartPosition>> {
    let Some(source) = &setup.openings else { return Ok(Vec::new()) };
    let lost = || anyhow!("{}: its openings ({}) are missing", folder.dir().display(), source.file);
    let openings =
        Openings::parse(bytes.ok_or_else(lost)?, Path::new(&source.file), game.0, game.1)?;
    if openings.sha256 != source.sha256 {
        return Err(anyhow!(
            "{}: the hash of its openings is {}, but was {} when it was created",
            folder.dir().display(),
            openings.sha256,
            source.sha256
        ));
    }
    Ok(openings.starts)
}
