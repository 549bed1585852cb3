//! `sandboard arena match`: from what was typed to a match that can be played,
//! and its result as text or JSON. Plays nothing itself.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Result, anyhow, bail};
use sandboard_abi::Unit;
use sandboard_games::{GameInfo, Variant};

use super::engines::{EngineArgs, Engines, check_budget, shell_word};
use super::plan::drawn_seed;
use super::ponder::{Candidate, MatchPonder, for_match, shared_cores};
use super::seat::{EngineSpec, SeatSpec};
use super::{game_named, threads, usage, variant_of};
use crate::arena::{
    Bar, CONCURRENCY_MAX, Contestant, Match, MatchFolder, MatchSetup, Openings, PAIRS_MAX, Parts,
    Report, run as play, usual_concurrency,
};
use crate::bout::EnginePlayer;
use crate::budget::Budget;
use crate::catalog::Entry;
use crate::record::Start;
use crate::record::store::{data_folder, stem};

/// What an engine may spend on a move when nothing is said.
const USUAL_US: u64 = 1_000_000;

const EXAMPLES: &str = "\
Examples:
  sandboard arena match alpha beta --pairs 100 --budget 100ms/move
  sandboard arena match alpha:threads=2 alpha --pairs 50 --budget 200ms/move
  sandboard arena match alpha beta --pairs 50 --ponder=a --budget 30ms/move
  sandboard arena match alpha:depth=4 alpha:depth=5 --pairs 50 --openings book.txt --seed 1
  sandboard arena match --resume ~/.local/share/sandboard/arena/alpha-beta-20260701-123456";

/// Play many games between engines, and find fair openings for them.
///
/// For example: sandboard arena match alpha beta --pairs 100
#[derive(clap::Args, Debug)]
pub struct ArenaArgs {
    #[command(subcommand)]
    command: ArenaCommand,
}

#[derive(clap::Subcommand, Debug)]
enum ArenaCommand {
    Match(Box<MatchArgs>),
    Openings(Box<super::openings::Args>),
}

/// Play a match of two engines in pairs of games with the seats exchanged.
///
/// Every finished game is a file in the match's folder at once; a match that was interrupted
/// goes on with --resume and ends as it would have ended undisturbed. Losing a match is no
/// error: the exit code is 0.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct MatchArgs {
    /// The first player: an engine's id with options and a budget where wanted,
    /// `id:option=value:threads=2@5s/move`
    #[arg(value_name = "A", required_unless_present = "resume", requires = "b")]
    a: Option<SeatSpec>,
    /// The second player
    #[arg(value_name = "B", required_unless_present = "resume")]
    b: Option<SeatSpec>,
    /// How many pairs of games
    #[arg(long, value_name = "N", required_unless_present = "resume")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=i64::from(PAIRS_MAX)))]
    pairs: Option<u32>,
    /// A file of openings: on each line moves from the start position, or a position; `#`
    /// begins a comment. Pairs take them in turn [default: the start position; of a game that
    /// begins by chance a deal for each pair, from the seed]
    #[arg(long, value_name = "FILE")]
    openings: Option<PathBuf>,
    /// The game [default: the only one that both play]
    #[arg(long)]
    game: Option<String>,
    /// The variant [default: the game's first]
    #[arg(long)]
    variant: Option<String>,
    /// What each may spend, where it does not say so itself [default: 1s/move]
    #[arg(long)]
    budget: Option<Budget>,
    /// What all randomness is drawn from [default: drawn]
    #[arg(long)]
    seed: Option<u64>,
    /// Games played at once [default: one for each core; fewer where a game keeps several busy,
    /// with --ponder or `threads`]
    #[arg(long, value_name = "N")]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=CONCURRENCY_MAX as i64))]
    concurrency: Option<u16>,
    /// Who thinks on the opponent's time: nobody (`off`), both (`on`, or --ponder alone), one of
    /// the players (`a`, `b`), or both where there is a core for each engine of all games at once
    /// (`auto`); not under fuel [default: off, since games of a match share the cores]
    #[arg(long, value_enum, value_name = "WHO", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "on")]
    ponder: Option<MatchPonder>,
    /// The folder of the match [default: `arena/A-B-date` in the user's data folder]
    #[arg(long, value_name = "DIR", conflicts_with = "resume")]
    dir: Option<PathBuf>,
    /// Go on with the match in this folder; whatever else is said must be as it was
    #[arg(long, value_name = "DIR")]
    resume: Option<PathBuf>,
    /// Print the result as one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    engines: EngineArgs,
}

/// Runs the command.
pub fn run(args: &ArenaArgs) -> Result<()> {
    match &args.command {
        ArenaCommand::Match(args) => run_match(args),
        ArenaCommand::Openings(args) => super::openings::run(args),
    }
}

fn run_match(args: &MatchArgs) -> Result<()> {
    let (the_match, setup, folder, decided) = match &args.resume {
        Some(dir) => resumed(args, dir)?,
        None => fresh(args)?,
    };
    let usual = threads::games_at_once(busy_cores(&setup), usual_concurrency());
    let concurrency = args.concurrency.map_or(usual, usize::from);
    let ledger = folder.load(&the_match, sandboard_games::game)?;
    let dir = shell_word(&folder.dir().to_string_lossy());
    let again = format!("sandboard arena match --resume {dir}{}", args.engines.typed());
    if !ledger.is_complete() {
        for note in notes(&setup, the_match.game(), concurrency).into_iter().chain(decided) {
            eprintln!("note: {note}");
        }
        eprintln!("to go on after an interruption: {again}");
    }
    let mut bar = Bar::new(&ledger);
    let (ledger, ended) = play(&the_match, &folder, ledger, concurrency, &mut bar);
    let session = bar.finish();
    let report = Report::new(&setup, the_match.game().sides, &ledger, session);
    let report = report.in_folder(&folder, &args.engines.typed());
    let mut out = std::io::stdout().lock();
    match args.json {
        true => writeln!(out, "{}", serde_json::to_string(&report)?)?,
        false => write!(out, "{report}")?,
    }
    ended.map_err(|error| anyhow!("{error}; what is finished is kept, to go on: {again}"))
}

/// A match, and what people are to know of how it is played.
type Planned = (Match, MatchSetup, MatchFolder, Vec<String>);

fn fresh(args: &MatchArgs) -> Result<Planned> {
    let (Some(a), Some(b), Some(pairs)) = (&args.a, &args.b, args.pairs) else {
        return Err(usage("name two engines and --pairs, or a match with --resume"));
    };
    let mut engines = Engines::open(&args.engines)?;
    let game = match &args.game {
        Some(id) => game_named(id)?,
        None => common_game(&engines, a, b)?,
    };
    let variant = sized(game, &variant_of(game, args.variant.as_deref())?)?;
    let openings = args.openings.as_deref().map(|file| openings(file, file, game, &variant));
    let openings = openings.transpose()?;
    let mut player = |spec: &SeatSpec| {
        let budget = spec.budget.or(args.budget).unwrap_or(Budget::wall_per_move(USUAL_US));
        contestant(&mut engines, spec, budget, (game, &variant))
    };
    let mut players = named_apart([player(a)?, player(b)?]);
    let notes = ponder(args, args.ponder, &mut players)?;
    let parts = Parts {
        players,
        start: Start { game, variant, position: None },
        openings,
        pairs,
        seed: args.seed.unwrap_or_else(drawn_seed),
        settings: Parts::usual_settings(),
    };
    let now = SystemTime::now();
    let setup = parts.setup(now);
    let dir = match &args.dir {
        Some(dir) => dir.clone(),
        None => usual_dir(&setup, now)?,
    };
    let bytes = parts.openings.as_ref().map(|(_, openings)| openings.bytes.clone());
    let the_match = parts.into_match()?;
    let folder = MatchFolder::create(&dir, &setup, bytes.as_deref())?;
    Ok((the_match, setup, folder, notes))
}

/// Settles who thinks on the opponent's time.
fn ponder(
    args: &MatchArgs,
    typed: Option<MatchPonder>,
    players: &mut [(Contestant, EnginePlayer); 2],
) -> Result<Vec<String>> {
    let candidates = players.each_ref().map(|(player, engine)| Candidate {
        name: &player.name,
        can: engine.can_ponder,
        person: false,
        budget: player.budget,
    });
    let games = args.concurrency.map(usize::from);
    let decided = for_match(typed, &candidates, games, usual_concurrency())?;
    for ((player, _), on) in players.iter_mut().zip(decided.on) {
        player.ponders = on;
    }
    Ok(decided.notes)
}

fn resumed(args: &MatchArgs, dir: &Path) -> Result<Planned> {
    if args.budget.is_some() && args.a.is_none() {
        return Err(usage("--budget is that of players who name none: name A and B, too"));
    }
    let (folder, begun) = MatchFolder::open(dir)?;
    let mut engines = Engines::open(&args.engines)?;
    let game = game_named(args.game.as_deref().unwrap_or(&begun.game))?;
    let variant = args.variant.as_deref().unwrap_or(&begun.variant);
    let variant = sized(game, &variant_of(game, Some(variant))?)?;
    let copy = folder.openings_path();
    let openings = match (&args.openings, &begun.openings) {
        (Some(file), _) => Some(openings(file, file, game, &variant)?),
        (None, Some(source)) => Some(openings(&copy, Path::new(&source.file), game, &variant)?),
        (None, None) => None,
    };
    let mut player = |spec: &Option<SeatSpec>, begun: &Contestant| match spec {
        Some(spec) => {
            let budget = spec.budget.or(args.budget).unwrap_or(begun.budget);
            contestant(&mut engines, spec, budget, (game, &variant))
        }
        None => contestant_again(&mut engines, begun, (game, &variant)),
    };
    let mut players = [player(&args.a, &begun.players[0])?, player(&args.b, &begun.players[1])?];
    for ((player, _), begun) in players.iter_mut().zip(&begun.players) {
        player.name.clone_from(&begun.name);
        player.ponders = begun.ponders;
    }
    let notes = match args.ponder {
        Some(_) => ponder(args, args.ponder, &mut players)?,
        None => Vec::new(),
    };
    let parts = Parts {
        players,
        start: Start { game, variant, position: None },
        openings,
        pairs: args.pairs.unwrap_or(begun.pairs),
        seed: args.seed.unwrap_or(begun.seed),
        settings: begun.settings,
    };
    let differences = begun.differences(&parts.setup(SystemTime::now()));
    if !differences.is_empty() {
        bail!("the match in {} is another one: {}", dir.display(), differences.join("; "));
    }
    Ok((parts.into_match()?, begun, folder, notes))
}

/// The variant with the size in force.
pub(super) fn sized(game: &'static GameInfo, variant: &Variant) -> Result<Variant> {
    Ok((game.new)(variant, None).map_err(usage)?.variant())
}

/// The openings of a file, under the name that the match knows it by.
fn openings(
    file: &Path,
    name: &Path,
    game: &'static GameInfo,
    variant: &Variant,
) -> Result<(String, Openings)> {
    let openings = Openings::read(file, game, variant).map_err(usage)?;
    Ok((name.display().to_string(), openings))
}

/// A player as it was typed.
fn contestant(
    engines: &mut Engines,
    spec: &SeatSpec,
    budget: Budget,
    game: (&'static GameInfo, &Variant),
) -> Result<(Contestant, EnginePlayer)> {
    let spec = spec.engine()?;
    check_budget(&budget)?;
    let entry = engines.find(&spec.id)?;
    let engine = engines.player(spec, budget.unit(), game)?;
    Ok((described(&entry, &engine, budget), engine))
}

/// The player of a match that was begun: the very module where it is still
/// there, else what now has its name (and is found to differ).
fn contestant_again(
    engines: &mut Engines,
    begun: &Contestant,
    game: (&'static GameInfo, &Variant),
) -> Result<(Contestant, EnginePlayer)> {
    let same = |entry: &&Entry| {
        entry.is_usable() && entry.id == begun.engine && entry.sha256 == begun.module_sha256
    };
    let name = match engines.catalog.entries.iter().find(same) {
        Some(entry) if !entry.version.is_empty() => format!("{}-{}", entry.id, entry.version),
        _ => begun.engine.clone(),
    };
    let entry = engines.find(&name)?;
    let spec = EngineSpec { id: name, options: Vec::new(), threads: begun.threads };
    let mut engine = engines.player(&spec, begun.budget.unit(), game)?;
    // Presets are in there already.
    engine.options = begun.options.clone().into_iter().collect();
    Ok((described(&entry, &engine, begun.budget), engine))
}

fn described(entry: &Entry, engine: &EnginePlayer, budget: Budget) -> Contestant {
    Contestant {
        name: engine.id.clone(),
        engine: engine.id.clone(),
        version: engine.version.clone(),
        module_sha256: engine.module_sha256.clone().unwrap_or_default(),
        assets: entry.asset_hashes(),
        options: engine.options.iter().cloned().collect::<BTreeMap<_, _>>(),
        budget,
        memory_bytes: engine.memory_bytes,
        threads: engine.threads,
        fuel_clock: engine.source.fuel_clock(),
        jail: engine.source.confinement(),
        ponders: false,
    }
}

/// Two players of one name are told apart.
fn named_apart(mut players: [(Contestant, EnginePlayer); 2]) -> [(Contestant, EnginePlayer); 2] {
    if players[0].0.name == players[1].0.name {
        for ((player, _), letter) in players.iter_mut().zip(["A", "B"]) {
            player.name = format!("{} ({letter})", player.name);
        }
    }
    players
}

/// The only game that both play.
fn common_game(engines: &Engines, a: &SeatSpec, b: &SeatSpec) -> Result<&'static GameInfo> {
    let ids = |spec: &SeatSpec| -> Result<Vec<String>> {
        let entry = engines.find(&spec.engine()?.id)?;
        Ok(entry.games.into_iter().map(|spec| spec.game).collect())
    };
    let (of_a, of_b) = (ids(a)?, ids(b)?);
    let common: Vec<&String> = of_a.iter().filter(|id| of_b.contains(id)).collect();
    match common.as_slice() {
        [id] => game_named(id),
        [] => Err(usage(format!(
            "the engines play no common game: A plays {}, B plays {}",
            of_a.join(", "),
            of_b.join(", ")
        ))),
        several => {
            let several: Vec<&str> = several.iter().map(|id| id.as_str()).collect();
            Err(usage(format!("both play {}: say which with --game", several.join(", "))))
        }
    }
}

/// A folder in the user's data folder that nobody has.
fn usual_dir(setup: &MatchSetup, now: SystemTime) -> Result<PathBuf> {
    let [a, b] = &setup.players;
    let stem = stem(&format!("{}-{}", a.engine, b.engine), now);
    let arena = data_folder()?.join("arena");
    let numbered = (2..).map(|number| arena.join(format!("{stem}-{number}")));
    let mut free = std::iter::once(arena.join(&stem)).chain(numbered).filter(|dir| !dir.exists());
    free.next().ok_or_else(|| anyhow!("no folder is free in {}", arena.display()))
}

/// What people should know before they wait for hours.
fn notes(setup: &MatchSetup, game: &GameInfo, concurrency: usize) -> Vec<String> {
    let mut notes = Vec::new();
    let openings = setup.openings.as_ref().map_or(0, |openings| openings.count);
    // Every pair has a deal of its own.
    let dealt = openings == 0 && game.deal.is_some();
    if setup.pairs > openings.max(1) && !dealt {
        let begin = match openings {
            0 => "without --openings all pairs begin alike".to_owned(),
            count => format!("{count} openings for {} pairs come up again", setup.pairs),
        };
        notes.push(format!(
            "{begin}: engines that draw nothing from their seed will repeat the same games, and \
             the error bars then promise too much"
        ));
    }
    if setup.players.iter().any(|player| player.budget.is_none()) {
        notes.push("an engine without a limit may think for ever".into());
    }
    let timed = setup.players.iter().any(|player| player.budget.unit() == Unit::Wall);
    if timed && concurrency > usual_concurrency() {
        notes.push(format!(
            "{concurrency} games at once on {} cores take time from each other",
            usual_concurrency()
        ));
    }
    let cores = usual_concurrency();
    if setup.players.iter().any(|player| player.threads > 1) {
        notes.extend(threads::shared_cores(concurrency, busy_cores(setup), cores));
    } else if setup.players.iter().any(|player| player.ponders) {
        notes.extend(shared_cores(concurrency, cores));
    }
    notes
}

/// Cores that one of its games keeps busy.
fn busy_cores(setup: &MatchSetup) -> usize {
    threads::busy_cores(setup.players.iter().map(|player| (player.threads, player.ponders)))
}
