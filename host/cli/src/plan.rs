//! Makes a bout from the arguments of `play`: position, players, budgets, the engine that gives
//! hints, the file of the record. Plays nothing.

use std::hash::{BuildHasher, Hasher};
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow};
use sandboard_abi::Unit;
use sandboard_games::{GameInfo, Games};

use super::engines::{Engines, check_budget};
use super::play::Args;
use super::ponder::{self, Candidate};
use super::seat::{EngineSpec, PlayerSpec, SYNTAX, SeatSpec};
use super::{game_named, usage, variant_of};
use crate::output_file::{FileKind, ensure_replaceable};
use sandboard_arena::{default_concurrency, load_record};
use sandboard_bout::driver::{BoutSetup, EnginePlayer, HintEngine, Participant, RecordDestination};
use sandboard_bout::record::{EngineRecord, Record};
use sandboard_bout::referee::{Adjudication, BoutSettings, PlayerKind};
use sandboard_bout::solver;
use sandboard_bout::start::StartPosition;
use sandboard_engine::Budget;

/// The default budget of an engine, in microseconds of wall time a move.
const DEFAULT_MOVE_US: u64 = 5_000_000;

/// The bout that the arguments describe, and the games of the engines folder.
pub(crate) fn plan(args: &Args) -> Result<(BoutSetup, Games)> {
    let mut engines = Engines::open(&args.engines)?;
    let games = engines.games().clone();
    let setup = match &args.resume {
        Some(file) => plan_resumed(args, file, &games, &mut engines)?,
        None => plan_new(args, &games, &mut engines)?,
    };
    Ok((setup, games))
}

fn plan_new(args: &Args, games: &Games, engines: &mut Engines) -> Result<BoutSetup> {
    let from = args.from.as_deref().map(|text| Origin::read(text, games)).transpose()?;
    let seed = args.seed.unwrap_or_else(random_seed);
    let start = match &from {
        // The record's mark (the solved value) belongs to the record's own start: solve again.
        Some(origin) => solver::with_new_mark(&origin.start(args, games)?, &|| true),
        None => solver::with_mark(&start(args, games, seed)?, &|| true),
    };
    let start = start.map_err(usage)?;
    let specs = match (args.seat.is_empty(), &from) {
        (true, Some(origin)) => origin.seats(args.budget.is_none()),
        _ => args.seat.clone(),
    };
    let seats = seats_of(&start, specs.len())?;
    let budgets = specs.iter().map(|spec| budget(args, spec)).collect::<Result<Vec<_>>>()?;
    let mut players = Vec::new();
    for ((spec, seats), budget) in specs.iter().zip(seats).zip(budgets) {
        let (name, engine) = match &spec.player {
            PlayerSpec::Human(name) => (name.clone(), None),
            PlayerSpec::Engine(spec) => {
                let game = (start.game, &start.variant);
                let player = engines.player(spec, budget.unit(), game)?;
                (spec.name.clone().unwrap_or_else(|| player.id.clone()), Some(player))
            }
        };
        players.push(Participant { name, seats, budget, engine, ponders: false });
    }
    ponder(args, &mut players)?;
    let hint = hint(args, engines, &start, &players)?;
    let adjudication = adjudication(args, &start, &players)?;
    let default = BoutSettings::default();
    Ok(BoutSetup {
        start,
        seed,
        settings: BoutSettings {
            requests: args.requests.unwrap_or(default.requests),
            on_timeout: args.on_timeout.unwrap_or_default().into(),
            adjudication,
            move_guard_us: args.move_guard.map_or(default.move_guard_us, |guard| guard.us),
            ..default
        },
        players,
        hint,
        output_listener: None,
        destination: record_place(args.record.as_deref())?,
        resumed_from: None,
    })
}

fn plan_resumed(
    args: &Args,
    file: &Path,
    games: &Games,
    engines: &mut Engines,
) -> Result<BoutSetup> {
    let record = load_record(file, games)?;
    if let Some(game) = args.game.as_deref().filter(|game| *game != record.game) {
        return Err(usage(format!(
            "{} is a bout of {}, not of {game}",
            file.display(),
            record.game
        )));
    }
    record.players.iter().try_for_each(|player| check_budget(&player.budget))?;
    let units: Vec<(EngineRecord, Unit)> = record
        .players
        .iter()
        .filter_map(|player| Some((player.engine.clone()?, player.budget.unit())))
        .collect();
    let place = match &args.record {
        Some(record) => RecordDestination::File(record.clone()),
        None => RecordDestination::File(file.to_owned()),
    };
    let setup = BoutSetup::resume(record, place, games, |engine| {
        let unit = units.iter().find(|(other, _)| other == engine).map(|(_, unit)| *unit);
        let loaded = engines.for_record(engine, unit.unwrap_or_default());
        loaded.map(|loaded| loaded.source).map_err(|error| error.to_string())
    });
    let mut setup = setup.map_err(|error| anyhow!("{}: {error}", file.display()))?;
    setup.hint = hint(args, engines, &setup.start, &setup.players)?;
    Ok(setup)
}

/// The start of a bout that continues no other one; the seed deals the position of a game with
/// random starts.
fn start(args: &Args, games: &Games, seed: u64) -> Result<StartPosition> {
    let Some(id) = args.game.as_deref() else {
        let games: Vec<_> = games.iter().map(|info| info.id).collect();
        let games = games.join(", ");
        return Err(usage(format!("name a game ({games}), or a record with --from or --resume")));
    };
    let game = game_named(games, id)?;
    let variant = variant_of(game, args.variant.as_deref())?;
    let dealt = || game.deal.map(|deal| deal(&variant, seed));
    let position = args.position.clone().or_else(dealt);
    let start = StartPosition::new(game, variant, position);
    start.set_up().map_err(usage)?;
    Ok(start)
}

/// A record, and the ply of it from which a new bout starts.
struct Origin {
    file: PathBuf,
    record: Record,
    ply: Option<u32>,
}

impl Origin {
    /// Reads `FILE` or `FILE@ply`.
    fn read(text: &str, games: &Games) -> Result<Self> {
        let (file, ply) = match text.rsplit_once('@') {
            Some((file, ply)) if !Path::new(text).exists() => {
                let ply = ply.parse().map_err(|_| {
                    usage(format!(
                        "`{ply}` is not a ply number: --from FILE@17 starts after 17 moves"
                    ))
                })?;
                (file, Some(ply))
            }
            _ => (text, None),
        };
        let file = PathBuf::from(file);
        let record = load_record(&file, games)?;
        Ok(Self { file, record, ply })
    }

    fn start(&self, args: &Args, games: &Games) -> Result<StartPosition> {
        let start = self.record.start_position_after(self.ply, games);
        let start = start.map_err(|error| usage(format!("{}: {error}", self.file.display())))?;
        if let Some(game) = args.game.as_deref().filter(|game| *game != start.game.id) {
            let file = self.file.display();
            return Err(usage(format!("{file} is a bout of {}, not of {game}", start.game.id)));
        }
        if start.set_up().map_err(usage)?.is_over() {
            return Err(usage(format!(
                "the bout is over after all {} moves; start earlier: --from {}@{}",
                self.record.plies.len(),
                self.file.display(),
                self.record.plies.len().saturating_sub(1)
            )));
        }
        Ok(start)
    }

    /// The players of the record, in the order of their first seats; optionally with their budgets.
    fn seats(&self, with_budgets: bool) -> Vec<SeatSpec> {
        let spec = |player: &sandboard_bout::record::PlayerRecord| SeatSpec {
            player: match (&player.engine, player.kind) {
                (Some(engine), PlayerKind::Engine) => PlayerSpec::Engine(EngineSpec {
                    id: engine.id.clone(),
                    options: engine.options.clone().into_iter().collect(),
                    options_file: None,
                    threads: engine.threads,
                    name: Some(player.name.clone()),
                }),
                _ => PlayerSpec::Human(player.name.clone()),
            },
            budget: with_budgets.then_some(player.budget),
        };
        let mut players: Vec<_> = self.record.players.iter().collect();
        players.sort_by_key(|player| player.seats.first().copied());
        players.into_iter().map(spec).collect()
    }
}

/// The seats of each player: one each, or with a player for each side all seats of the side.
fn seats_of(start: &StartPosition, players: usize) -> Result<Vec<Vec<u8>>> {
    let (info, variant) = (start.game, &start.variant);
    let seats = usize::from(info.seats_of(variant));
    if players == seats {
        return Ok((0..info.seats_of(variant)).map(|seat| vec![seat]).collect());
    }
    let by_side = info.seats_of_players(variant);
    if players == by_side.len() {
        return Ok(by_side);
    }
    let sides = by_side.len();
    let needed = match seats == sides {
        true => seats.to_string(),
        false => format!("{sides} (one for each side) or {seats}"),
    };
    let has_other_counts =
        info.variants.iter().any(|other| other.seats.is_some_and(|seats| seats != info.seats));
    let (id, text) = (info.id, variant.text());
    let (name, arguments) = match has_other_counts {
        true => (format!("{id} {text}"), format!("{id} --variant {text}")),
        false => (id.to_owned(), id.to_owned()),
    };
    Err(usage(format!(
        "{name} takes {needed} player{}, but {players} {} given; give --seat for each, first {}: \
         sandboard play {arguments} --seat human --seat random-mover (a seat is {SYNTAX})",
        if needed == "1" { "" } else { "s" },
        if players == 1 { "is" } else { "are" },
        info.sides[0],
    )))
}

/// The rules that end a bout between engines early.
fn adjudication(
    args: &Args,
    start: &StartPosition,
    players: &[Participant],
) -> Result<Adjudication> {
    let rules = args.adjudicate.unwrap_or_default();
    let game = start.set_up().map_err(usage)?;
    rules.check_for(&*game).map_err(|error| usage(format!("--adjudicate: {error}")))?;
    let person = players.iter().find(|player| player.engine.is_none());
    match person.filter(|_| !rules.is_none()) {
        Some(person) => Err(usage(format!(
            "--adjudicate applies to bouts between engines, and {} is a person",
            person.name
        ))),
        None => Ok(rules),
    }
}

/// Decides which engines think on their opponents' time.
fn ponder(args: &Args, players: &mut [Participant]) -> Result<()> {
    let candidate = |player: &'_ Participant| {
        let can = player.engine.as_ref().is_some_and(|engine| engine.can_ponder);
        (player.name.clone(), can, player.engine.is_none(), player.budget)
    };
    let details: Vec<_> = players.iter().map(candidate).collect();
    let candidates = details.iter().map(|(name, can, person, budget)| Candidate {
        name,
        can: *can,
        person: *person,
        budget: *budget,
    });
    let candidates: Vec<_> = candidates.collect();
    let mode = args.ponder.unwrap_or_default();
    let decided = ponder::for_play(mode, &candidates, default_concurrency())?;
    decided.notes.iter().for_each(|note| log::warn!("{note}"));
    for (player, on) in players.iter_mut().zip(decided.on) {
        player.ponders = on;
    }
    Ok(())
}

/// The budget of a player: that of its seat, else --budget, else the default. A person has no
/// limit if --budget is in fuel or CPU time.
fn budget(args: &Args, spec: &SeatSpec) -> Result<Budget> {
    let human = matches!(spec.player, PlayerSpec::Human(_));
    let for_people = |budget: &Budget| !matches!(budget.unit(), Unit::Cpu | Unit::Fuel);
    let common = args.budget.filter(|budget| !human || for_people(budget));
    let default = if human { Budget::NONE } else { Budget::wall_per_move(DEFAULT_MOVE_US) };
    let budget = spec.budget.or(common).unwrap_or(default);
    check_budget(&budget)?;
    match budget.unit() {
        Unit::Fuel if human => Err(usage(
            "a person cannot have a fuel budget: give the seat wall time, such as human@10m+5s",
        )),
        Unit::Cpu if human => Err(usage(
            "a person cannot have a CPU time budget: give the seat wall time, such as human@10m+5s",
        )),
        _ => Ok(budget),
    }
}

/// The engine that gives hints: that of --hint, else the first engine that plays.
fn hint(
    args: &Args,
    engines: &mut Engines,
    start: &StartPosition,
    players: &[Participant],
) -> Result<Option<HintEngine>> {
    let person = players.iter().any(|player| player.engine.is_none());
    if let Some(spec) = &args.hint {
        let engine_spec = spec.engine()?;
        let budget = bounded(spec.budget.unwrap_or_default());
        check_budget(&budget)?;
        let engine = engines.player(engine_spec, budget.unit(), game(start))?;
        return Ok(Some(HintEngine { engine, budget }));
    }
    let engine = |player: &Participant| match &player.engine {
        Some(engine) if person => {
            let engine = EnginePlayer { seed: None, ..engine.clone() };
            Some(HintEngine { engine, budget: bounded(player.budget) })
        }
        _ => None,
    };
    Ok(players.iter().find_map(engine))
}

fn game(start: &StartPosition) -> (&'static GameInfo, &sandboard_games::Variant) {
    (start.game, &start.variant)
}

/// A budget with a limit, since a search for a hint must end.
fn bounded(budget: Budget) -> Budget {
    if budget.is_none() { Budget::wall_per_move(DEFAULT_MOVE_US) } else { budget }
}

fn record_place(record: Option<&Path>) -> Result<RecordDestination> {
    let Some(record) = record else { return Ok(RecordDestination::default_folder()?) };
    ensure_replaceable("--record", record, FileKind::Record)?;
    Ok(RecordDestination::File(record.to_owned()))
}

/// A random seed from the system. It has 53 bits, which every JSON reader keeps exactly.
pub(super) fn random_seed() -> u64 {
    std::hash::RandomState::new().build_hasher().finish() >> 11
}
