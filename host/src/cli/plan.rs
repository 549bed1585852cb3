//! From what was typed after `play` to a bout that can begin: position, players,
//! budgets, the giver of hints, the place of the record. Plays nothing.

use std::hash::{BuildHasher, Hasher};
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, bail};
use sandboard_abi::Unit;
use sandboard_games::{GameInfo, Seat};

use super::engines::{Engines, check_budget};
use super::play::Args;
use super::ponder::{self, Candidate};
use super::seat::{EngineSpec, FORM, SeatSpec, Who};
use super::{game_named, usage, variant_of};
use crate::arena::{load_record, usual_concurrency};
use crate::bout::{BoutSetup, EnginePlayer, Hint, Mover, Participant, Place};
use crate::budget::Budget;
use crate::exact;
use crate::record::{EngineRecord, Record, Start};
use crate::referee::{Adjudication, PlayerKind, Settings};

/// What an engine may spend on a move when nothing is said.
const USUAL_US: u64 = 5_000_000;

/// The bout that `args` ask for.
pub fn plan(args: &Args) -> Result<BoutSetup> {
    match &args.resume {
        Some(file) => resumed(args, file),
        None => fresh(args),
    }
}

fn fresh(args: &Args) -> Result<BoutSetup> {
    let from = args.from.as_deref().map(Origin::read).transpose()?;
    let seed = args.seed.unwrap_or_else(drawn_seed);
    let start = match &from {
        // The mark of that bout is what it was worth from its own beginning.
        Some(origin) => exact::marked_anew(&origin.start(args)?, &|| true),
        None => exact::marked(&start(args, seed)?, &|| true),
    };
    let start = start.map_err(usage)?;
    let specs = match (args.seat.is_empty(), &from) {
        (true, Some(origin)) => origin.seats(args.budget.is_none()),
        _ => args.seat.clone(),
    };
    let seats = seats_of(&start, specs.len())?;
    let mut engines = Engines::open(&args.engines)?;
    let budgets = specs.iter().map(|spec| budget(args, spec)).collect::<Result<Vec<_>>>()?;
    let mut players = Vec::new();
    for ((spec, seats), budget) in specs.iter().zip(seats).zip(budgets) {
        let (name, mover) = match &spec.who {
            Who::Human(name) => (name.clone(), Mover::Person),
            Who::Engine(spec) => {
                let game = (start.game, &start.variant);
                let player = engines.player(spec, budget.unit(), game)?;
                (player.id.clone(), Mover::Engine(player))
            }
        };
        players.push(Participant { name, seats, budget, mover, ponders: false });
    }
    ponder(args, &mut players)?;
    let hint = hint(args, &mut engines, &start, &players)?;
    let adjudication = adjudication(args, &start, &players)?;
    let usual = Settings::default();
    Ok(BoutSetup {
        start,
        seed,
        settings: Settings {
            requests: args.requests.unwrap_or(usual.requests),
            on_timeout: args.on_timeout.unwrap_or_default().into(),
            adjudication,
            ..usual
        },
        players,
        hint,
        live: None,
        place: place(args.record.as_deref())?,
        resumed: None,
    })
}

fn resumed(args: &Args, file: &Path) -> Result<BoutSetup> {
    let record = load_record(file, sandboard_games::game)?;
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
        Some(record) => Place::File(record.clone()),
        None => Place::File(file.to_owned()),
    };
    let mut engines = Engines::open(&args.engines)?;
    let setup = BoutSetup::resume(record, place, sandboard_games::game, |engine| {
        let unit = units.iter().find(|(other, _)| other == engine).map(|(_, unit)| *unit);
        let loaded = engines.of_record(engine, unit.unwrap_or_default());
        loaded.map(|loaded| loaded.source).map_err(|error| error.to_string())
    });
    let mut setup = setup.map_err(|error| anyhow!("{}: {error}", file.display()))?;
    setup.hint = hint(args, &mut engines, &setup.start, &setup.players)?;
    Ok(setup)
}

/// Where a bout begins that is no other's continuation: a game that begins by chance with the
/// deal of the bout's seed.
fn start(args: &Args, seed: u64) -> Result<Start> {
    let Some(id) = args.game.as_deref() else {
        let games: Vec<_> = sandboard_games::GAMES.iter().map(|info| info.id).collect();
        let games = games.join(", ");
        return Err(usage(format!("name a game ({games}), or a record with --from or --resume")));
    };
    let game = game_named(id)?;
    let variant = variant_of(game, args.variant.as_deref())?;
    let dealt = || game.deal.map(|deal| deal(&variant, seed));
    let position = args.position.clone().or_else(dealt);
    let start = Start { game, variant, position };
    start.set_up().map_err(usage)?;
    Ok(start)
}

/// A record whose position a new bout begins with.
struct Origin {
    file: PathBuf,
    record: Record,
    ply: Option<u32>,
}

impl Origin {
    /// Reads `FILE` or `FILE@ply`.
    fn read(text: &str) -> Result<Self> {
        let (file, ply) = match text.rsplit_once('@') {
            Some((file, ply)) if !Path::new(text).exists() => {
                let ply = ply.parse().map_err(|_| {
                    usage(format!("`{ply}` is no ply: write --from FILE@17 for after 17 moves"))
                })?;
                (file, Some(ply))
            }
            _ => (text, None),
        };
        let file = PathBuf::from(file);
        let record = load_record(&file, sandboard_games::game)?;
        Ok(Self { file, record, ply })
    }

    fn start(&self, args: &Args) -> Result<Start> {
        let start = self.record.start_after(self.ply, sandboard_games::game);
        let start = start.map_err(|error| usage(format!("{}: {error}", self.file.display())))?;
        if let Some(game) = args.game.as_deref().filter(|game| *game != start.game.id) {
            let file = self.file.display();
            return Err(usage(format!("{file} is a bout of {}, not of {game}", start.game.id)));
        }
        if start.set_up().map_err(usage)?.outcome().is_some() {
            return Err(usage(format!(
                "the bout is over after all {} moves; begin before that: --from {}@{}",
                self.record.plies.len(),
                self.file.display(),
                self.record.plies.len().saturating_sub(1)
            )));
        }
        Ok(start)
    }

    /// Those who played it, in the order of their first seats, and where wanted
    /// with their budgets.
    fn seats(&self, with_budgets: bool) -> Vec<SeatSpec> {
        let spec = |player: &crate::record::PlayerRecord| SeatSpec {
            who: match (&player.engine, player.kind) {
                (Some(engine), PlayerKind::Engine) => Who::Engine(EngineSpec {
                    id: engine.id.clone(),
                    options: engine.options.clone().into_iter().collect(),
                    options_file: None,
                    threads: engine.threads,
                }),
                _ => Who::Human(player.name.clone()),
            },
            budget: with_budgets.then_some(player.budget),
        };
        let mut players: Vec<_> = self.record.players.iter().collect();
        players.sort_by_key(|player| player.seats.first().copied());
        players.into_iter().map(spec).collect()
    }
}

/// Which seats each of so many players has: one each, or all of a side.
fn seats_of(start: &Start, players: usize) -> Result<Vec<Vec<u8>>> {
    let info = start.game;
    let all = 0..info.seats;
    if players == usize::from(info.seats) {
        return Ok(all.map(|seat| vec![seat]).collect());
    }
    if players == 2 {
        let game = start.set_up().map_err(usage)?;
        let of_side = |side: u8| all.clone().filter(|s| game.side(Seat(*s)).0 == side).collect();
        return Ok(vec![of_side(0), of_side(1)]);
    }
    let seats = info.seats;
    let wanted = if seats == 2 { "2".into() } else { format!("2 (one for each side) or {seats}") };
    Err(usage(format!(
        "{} takes {wanted} players and {players} {} named; give --seat for each, first {}: \
         sandboard play {} --seat human --seat random-mover (a seat is {FORM})",
        info.id,
        if players == 1 { "is" } else { "are" },
        info.sides[0],
        info.id
    )))
}

/// When the bout ends early: of engines alone.
fn adjudication(args: &Args, start: &Start, players: &[Participant]) -> Result<Adjudication> {
    let rules = args.adjudicate.unwrap_or_default();
    let game = start.set_up().map_err(usage)?;
    rules.fits(&*game).map_err(|error| usage(format!("--adjudicate: {error}")))?;
    let person = players.iter().find(|player| matches!(player.mover, Mover::Person));
    match person.filter(|_| !rules.is_none()) {
        Some(person) => Err(usage(format!(
            "--adjudicate is for engines among themselves, and {} is a person",
            person.name
        ))),
        None => Ok(rules),
    }
}

/// Settles which engines think on their opponents' time.
fn ponder(args: &Args, players: &mut [Participant]) -> Result<()> {
    let candidate = |player: &'_ Participant| {
        let can = match &player.mover {
            Mover::Engine(engine) => engine.can_ponder,
            Mover::Person => false,
        };
        (player.name.clone(), can, matches!(player.mover, Mover::Person), player.budget)
    };
    let told: Vec<_> = players.iter().map(candidate).collect();
    let candidates = told.iter().map(|(name, can, person, budget)| Candidate {
        name,
        can: *can,
        person: *person,
        budget: *budget,
    });
    let candidates: Vec<_> = candidates.collect();
    let typed = args.ponder.unwrap_or_default();
    let decided = ponder::for_play(typed, &candidates, usual_concurrency())?;
    decided.notes.iter().for_each(|note| log::warn!("{note}"));
    for (player, on) in players.iter_mut().zip(decided.on) {
        player.ponders = on;
    }
    Ok(())
}

/// What a player may spend: what its seat says, else --budget, else the usual.
/// A person has no limit where the common budget counts what only machines spend.
fn budget(args: &Args, spec: &SeatSpec) -> Result<Budget> {
    let human = matches!(spec.who, Who::Human(_));
    let for_people = |budget: &Budget| !matches!(budget.unit(), Unit::Cpu | Unit::Fuel);
    let common = args.budget.filter(|budget| !human || for_people(budget));
    let usual = if human { Budget::NONE } else { Budget::wall_per_move(USUAL_US) };
    let budget = spec.budget.or(common).unwrap_or(usual);
    check_budget(&budget)?;
    match budget.unit() {
        Unit::Fuel if human => {
            Err(usage("a person burns no fuel: give the seat wall time, as in human@10m+5s"))
        }
        Unit::Cpu if human => {
            Err(usage("a person uses no CPU time: give the seat wall time, as in human@10m+5s"))
        }
        _ => Ok(budget),
    }
}

/// Who gives hints: the engine that was asked for, else the first that plays.
fn hint(
    args: &Args,
    engines: &mut Engines,
    start: &Start,
    players: &[Participant],
) -> Result<Option<Hint>> {
    let person = players.iter().any(|player| matches!(player.mover, Mover::Person));
    if let Some(spec) = &args.hint {
        let asked = spec.engine()?;
        let budget = bounded(spec.budget.unwrap_or_default());
        check_budget(&budget)?;
        let engine = engines.player(asked, budget.unit(), game(start))?;
        return Ok(Some(Hint { engine, budget }));
    }
    let engine = |player: &Participant| match &player.mover {
        Mover::Engine(engine) if person => {
            let engine = EnginePlayer { seed: None, ..engine.clone() };
            Some(Hint { engine, budget: bounded(player.budget) })
        }
        _ => None,
    };
    Ok(players.iter().find_map(engine))
}

fn game(start: &Start) -> (&'static GameInfo, &sandboard_games::Variant) {
    (start.game, &start.variant)
}

/// A hint comes to an end.
fn bounded(budget: Budget) -> Budget {
    if budget.is_none() { Budget::wall_per_move(USUAL_US) } else { budget }
}

/// Whether there is a file that is no record: one that somebody else wants.
fn is_foreign(path: &Path) -> bool {
    let mut head = Vec::new();
    let read = std::fs::File::open(path).and_then(|file| file.take(256).read_to_end(&mut head));
    read.is_ok() && !String::from_utf8_lossy(&head).contains(crate::record::FORMAT)
}

fn place(record: Option<&Path>) -> Result<Place> {
    let Some(record) = record else { return Ok(Place::usual()?) };
    if record.is_dir() {
        bail!(usage(format!("--record names a file, and {} is a folder", record.display())));
    }
    let folder = record.parent().filter(|folder| *folder != Path::new(""));
    match folder {
        Some(folder) if !folder.is_dir() => {
            bail!(usage(format!("--record: there is no folder {}", folder.display())))
        }
        _ if is_foreign(record) => bail!(usage(format!(
            "--record: {} is there already and is no record; it is not overwritten",
            record.display()
        ))),
        _ => Ok(Place::File(record.to_owned())),
    }
}

/// A seed from the system, in 53 bits so that every reader of JSON keeps it whole.
pub(super) fn drawn_seed() -> u64 {
    std::hash::RandomState::new().build_hasher().finish() >> 11
}
