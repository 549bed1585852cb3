//! Creates a tuning run from the arguments, or opens an existing one.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context, Result, anyhow};
use sandboard_abi::Unit;
use sandboard_arena::read_openings;
use sandboard_evolution::{Budget as RunBudget, Method, Setup, Space};
use sandboard_games::{GameInfo, Games, Variant};

use super::space::{method, space};
use super::{Args, MethodName};
use crate::arena::{common_game, contestant, player_notes, repeated_openings, sized};
use crate::engines::{Engines, option_specs};
use crate::plan::random_seed;
use crate::seat::SeatSpec;
use crate::{convert, game_named, usage, variant_of};
use sandboard_arena_plan::{Contestant, OpeningsSource, Plan};
use sandboard_bout::driver::EnginePlayer;
use sandboard_bout::referee::BoutSettings;
use sandboard_bout::start::StartPosition;
use sandboard_common::date::rfc3339;
use sandboard_common::files::{data_folder, read_regular, record_stem};
use sandboard_common::text::counted;
use sandboard_engine::Budget;
use sandboard_tuner::{
    FORMAT, Journal, Line, Measure, POSITIONS_PER_UNIT, TrainingPosition, TuneSetup, VERSION,
    training_positions,
};

/// The default budget of a move.
const DEFAULT_BUDGET: &str = "fuel:1e7/move";
/// The default number of pairs of a measurement.
const PAIRS: u32 = 16;
/// The default number of positions of a measurement.
const POSITIONS: u32 = 256;
/// The default number of measurements of a run.
const MEASUREMENTS: u32 = 500;
/// The default number of seasons in self-play.
const SEASONS: u32 = 4;

/// A run that is ready to be executed.
pub(super) struct PreparedRun {
    pub dir: PathBuf,
    pub journal: Journal,
    pub setup: TuneSetup,
    /// The lines of the journal so far.
    pub lines: Vec<Line>,
    pub start: StartPosition,
    pub openings: Vec<StartPosition>,
    pub engine: EnginePlayer,
    pub opponents: Vec<EnginePlayer>,
    /// Positions of recorded games, with --agree.
    pub training_positions: Vec<TrainingPosition>,
    /// Notes for the user about the arguments.
    pub notes: Vec<String>,
}

/// What a measurement consists of.
struct MeasureSetup {
    measure: Measure,
    training_positions: Vec<TrainingPosition>,
    bytes: Option<Vec<u8>>,
    notes: Vec<String>,
}

/// Creates a run.
pub(super) fn create(args: &Args, spec: &SeatSpec) -> Result<PreparedRun> {
    if args.method == MethodName::Spsa && (args.agree.is_some() || !args.against.is_empty()) {
        return Err(usage(
            "spsa plays weights against each other: leave out --agree and --against, or choose \
             another --method",
        ));
    }
    let has_seasons = args.method != MethodName::Spsa && args.agree.is_none();
    if !has_seasons && args.seasons.is_some_and(|seasons| seasons > 1) {
        return Err(usage(
            "spsa and --agree have only one season: leave out --seasons, or choose another method",
        ));
    }
    let mut engines = Engines::open(&args.run.engines)?;
    let all: Vec<SeatSpec> = std::iter::once(spec).chain(&args.against).cloned().collect();
    let game = match &args.game {
        Some(id) => game_named(engines.games(), id)?,
        None => common_game(&engines, &all)?,
    };
    let variant = sized(game, &variant_of(game, args.variant.as_deref())?)?;
    let default = args.budget.map_or_else(|| DEFAULT_BUDGET.parse::<Budget>(), Ok);
    let default = default.map_err(usage)?;
    let mut player = |spec: &SeatSpec| {
        let budget = spec.budget.unwrap_or(default);
        contestant(&mut engines, spec, budget, (game, &variant))
    };
    let (mut about, mut engine) = player(spec)?;
    let opponents = args.against.iter().map(&mut player).collect::<Result<Vec<_>>>()?;
    let space = space_of(args, &mut engines, spec, &about)?;
    remove_tuned_options(&space, &mut about, &mut engine);
    let seed = args.seed.unwrap_or_else(random_seed);
    let measured = measure_setup(args, engines.games(), (game, &variant), seed)?;
    let openings = args.openings.as_deref().map(|file| read_openings(file, game, &variant));
    let openings = openings.transpose().map_err(usage)?;
    let file = args.openings.as_deref().map(|file| file.display().to_string());
    let measurements = args.measurements.or((args.games.is_none()).then_some(MEASUREMENTS));
    let now = SystemTime::now();
    let method = method(args.method, &args.settings)?;
    let budget = RunBudget { measurements, games: args.games };
    let most = most_seasons(&method, &space, &budget, &measured.measure);
    let seasons = if has_seasons && args.against.is_empty() { SEASONS.min(most) } else { 1 };
    let mut notes = measured.notes;
    if let Some(seasons) = args.seasons.filter(|seasons| *seasons > most.max(1)) {
        notes.push(format!(
            "{seasons} seasons are too many for this run: a season needs the measurements of three \
             generations to make progress; use at most {most}",
        ));
    }
    let setup = TuneSetup {
        format: FORMAT.into(),
        version: VERSION,
        host: env!("CARGO_PKG_VERSION").into(),
        created_at: rfc3339(now),
        game: game.id.into(),
        variant: variant.text(),
        engine: about,
        opponents: opponents.iter().map(|(about, _)| about.clone()).collect(),
        measure: measured.measure,
        openings: openings.as_ref().zip(file).map(|(openings, file)| OpeningsSource {
            file,
            sha256: openings.sha256.clone(),
            count: openings.starts.len() as u32,
        }),
        settings: BoutSettings {
            undo: false,
            plies_max: args.plies_max.unwrap_or(BoutSettings::default().plies_max),
            ..BoutSettings::default()
        },
        run: Setup { space, method, seed, budget },
        seasons: args.seasons.unwrap_or(seasons),
        final_pairs: args.final_pairs,
    };
    // The setup is checked before a folder is created.
    sandboard_tuner::State::new(&setup, 1).map_err(usage)?;
    let dir = match &args.dir {
        Some(dir) => dir.clone(),
        None => make_default_dir(&setup, now)?,
    };
    let copies = [
        (OPENINGS, openings.as_ref().map(|it| it.bytes.as_slice())),
        (GAMES, measured.bytes.as_deref()),
    ];
    let copies: Vec<(&str, &[u8])> =
        copies.into_iter().filter_map(|(name, bytes)| Some((name, bytes?))).collect();
    let journal = Journal::create(&dir, &setup, &copies)?;
    Ok(PreparedRun {
        dir,
        journal,
        setup,
        lines: Vec::new(),
        start: StartPosition::new(game, variant, None),
        openings: openings.map_or(Vec::new(), |openings| openings.starts),
        engine,
        opponents: opponents.into_iter().map(|(_, engine)| engine).collect(),
        training_positions: measured.training_positions,
        notes,
    })
}

/// The largest number of seasons that is useful, at least 1: a season needs three generations to
/// make progress.
fn most_seasons(method: &Method, space: &Space, budget: &RunBudget, measure: &Measure) -> u32 {
    let games = budget.games.map(|games| games / (2 * u64::from(measure.units().max(1))));
    let games = games.map(|it| u32::try_from(it).unwrap_or(u32::MAX));
    let measurements = [budget.measurements, games].into_iter().flatten().min().unwrap_or(u32::MAX);
    (measurements / method.generation_size(space).saturating_mul(3).max(1)).max(1)
}

/// The files in a run's folder with copies of its openings and games.
const OPENINGS: &str = "openings.txt";
const GAMES: &str = "games";

/// Opens the run of a folder.
pub(super) fn open(dir: &Path, args: &super::RunArgs) -> Result<PreparedRun> {
    let (journal, setup, lines) = Journal::open(dir)?;
    let mut engines = Engines::open(&args.engines)?;
    let game = game_named(engines.games(), &setup.game)?;
    let variant = sized(game, &variant_of(game, Some(&setup.variant))?)?;
    let mut load =
        |about: &Contestant| crate::arena::load_contestant(&mut engines, about, (game, &variant));
    let engine = load(&setup.engine)?.1;
    let opponents = setup.opponents.iter().map(|about| Ok(load(about)?.1));
    let opponents = opponents.collect::<Result<Vec<_>>>()?;
    let openings = match &setup.openings {
        None => Vec::new(),
        Some(source) => {
            let openings = read_openings(&dir.join(OPENINGS), game, &variant)?;
            check_hash(&dir.join(OPENINGS), &openings.sha256, &source.sha256)?;
            openings.starts
        }
    };
    let training_positions = match &setup.measure {
        Measure::Games { .. } => Vec::new(),
        Measure::Agreement { file, sha256, .. } => {
            let copy = dir.join(GAMES);
            let bytes = read_regular(&copy, u64::MAX)
                .with_context(|| format!("cannot read {}", copy.display()))?;
            check_hash(&copy, &sha256_of(&bytes), sha256)?;
            let game = (game, &variant);
            let file = Path::new(file);
            read_training_positions(engines.games(), file, &bytes, game, setup.run.seed)?.0
        }
    };
    let start = StartPosition::new(game, variant, None);
    Ok(PreparedRun {
        dir: dir.to_owned(),
        journal,
        setup,
        lines,
        start,
        openings,
        engine,
        opponents,
        training_positions,
        notes: Vec::new(),
    })
}

fn check_hash(file: &Path, found: &str, expected: &str) -> Result<()> {
    match found == expected {
        true => Ok(()),
        false => Err(anyhow!(
            "the hash of {} is {found}, but was {expected} when the run was created",
            file.display()
        )),
    }
}

fn sha256_of(bytes: &[u8]) -> String {
    use sha2::{Digest, Sha256};
    sandboard_common::hex::hex(&Sha256::digest(bytes))
}

/// The space of the tuned options that the engine declares.
fn space_of(
    args: &Args,
    engines: &mut Engines,
    spec: &SeatSpec,
    about: &Contestant,
) -> Result<Space> {
    let entry = engines.find(&spec.engine()?.id)?;
    let loaded = engines.load(&entry, about.budget.unit())?;
    let specs = option_specs(&entry, &loaded);
    let given: Vec<_> = about.options.clone().into_iter().collect();
    space(&about.engine, specs, &args.options, &given)
}

/// Removes the tuned options from those that the engine always gets.
fn remove_tuned_options(space: &Space, about: &mut Contestant, engine: &mut EnginePlayer) {
    let tuned = |name: &str| space.parameters().iter().any(|parameter| parameter.name == name);
    about.options.retain(|name, _| !tuned(name));
    engine.options.retain(|(name, _)| !tuned(name));
}

fn measure_setup(
    args: &Args,
    games: &Games,
    game: (&'static GameInfo, &Variant),
    seed: u64,
) -> Result<MeasureSetup> {
    let race_error = (args.race != 0.0).then_some(args.race);
    let Some(file) = &args.agree else {
        let pairs = args.pairs.unwrap_or(PAIRS);
        let measure = Measure::Games { pairs, race_error };
        return Ok(MeasureSetup {
            measure,
            training_positions: Vec::new(),
            bytes: None,
            notes: Vec::new(),
        });
    };
    let bytes =
        read_regular(file, u64::MAX).with_context(|| format!("cannot read {}", file.display()))?;
    let (training_positions, left_out) = read_training_positions(games, file, &bytes, game, seed)?;
    let wanted = args.positions.unwrap_or(POSITIONS);
    let available = u32::try_from(training_positions.len()).unwrap_or(u32::MAX);
    let positions = wanted.min(available) / POSITIONS_PER_UNIT * POSITIONS_PER_UNIT;
    if positions == 0 {
        return Err(usage(format!(
            "{}: its games have {} positions with a choice, but {POSITIONS_PER_UNIT} are needed",
            file.display(),
            training_positions.len()
        )));
    }
    let measure = Measure::Agreement {
        file: file.display().to_string(),
        sha256: sha256_of(&bytes),
        positions,
        race_error,
    };
    let mut notes = Vec::new();
    let name = file.display();
    if left_out > 0 {
        let moves = counted(left_out, "illegal move");
        notes.push(format!(
            "{name}: left out: {moves}, and all later moves of the same line (`sandboard convert` \
             lists them)"
        ));
    }
    if args.positions.is_some_and(|requested| requested != positions) || available < wanted {
        notes.push(format!(
            "{name}: a measurement uses {positions} positions instead of {wanted}: the games have \
             {available} with a choice, and they are used in blocks of {POSITIONS_PER_UNIT}"
        ));
    }
    Ok(MeasureSetup { measure, training_positions, bytes: Some(bytes), notes })
}

fn read_training_positions(
    known: &Games,
    file: &Path,
    bytes: &[u8],
    game: (&'static GameInfo, &Variant),
    seed: u64,
) -> Result<(Vec<TrainingPosition>, usize)> {
    let games = convert::games(known, file, "--agree", bytes, game)?;
    let left_out = games.iter().map(|(_, illegal)| illegal).sum();
    let games: Vec<_> = games.into_iter().map(|(game, _)| game).collect();
    let training_positions =
        training_positions(&games, seed).with_context(|| file.display().to_string())?;
    Ok((training_positions, left_out))
}

/// Makes an unused folder in the user's data folder, safe against other runs that start in the same
/// second.
fn make_default_dir(setup: &TuneSetup, now: SystemTime) -> Result<PathBuf> {
    let runs = data_folder()?.join("tune");
    let stem = record_stem(&setup.engine.engine, now);
    let numbered = (2..).map(|number| runs.join(format!("{stem}-{number}")));
    std::fs::create_dir_all(&runs).with_context(|| format!("cannot make {}", runs.display()))?;
    for dir in std::iter::once(runs.join(&stem)).chain(numbered) {
        match std::fs::create_dir(&dir) {
            Ok(()) => return Ok(dir),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => (),
            Err(error) => {
                return Err(error).with_context(|| format!("cannot make {}", dir.display()));
            }
        }
    }
    Err(anyhow!("no unused folder name in {}", runs.display()))
}

/// Notes that a user should read before a long run starts.
pub(super) fn notes(setup: &TuneSetup, game: &GameInfo, concurrency: usize) -> Vec<String> {
    let mut notes = Vec::new();
    let players: Vec<Contestant> =
        std::iter::once(&setup.engine).chain(&setup.opponents).cloned().collect();
    if players.iter().any(|player| !is_repeatable(player)) {
        notes.push(
            "a run can be repeated from its seed only on fuel, or with a limit of depth or nodes, \
             and with one thread (--budget fuel:1e7/move)"
                .into(),
        );
    }
    notes.extend(player_notes(&players, concurrency));
    let openings = setup.openings.as_ref().map_or(0, |openings| openings.count);
    // Every pair is a separate deal.
    let dealt = openings == 0 && game.deal.is_some();
    let pairs = match setup.measure {
        Measure::Games { pairs, .. } => pairs.max(setup.final_pairs),
        Measure::Agreement { .. } => setup.final_pairs,
    };
    if pairs > openings.max(1) && !dealt {
        notes.push(repeated_openings(openings.into(), pairs.into()));
    }
    notes
}

/// Whether a player chooses the same moves again with the same seed.
fn is_repeatable(player: &Contestant) -> bool {
    let unit = player.budget.unit();
    player.threads <= 1 && !matches!(unit, Unit::Wall | Unit::Cpu)
}

/// The part of a job that all games of the run share.
pub(super) fn plan(setup: &TuneSetup) -> Plan {
    let openings = setup.openings.as_ref().map_or(0, |openings| openings.count);
    Plan { openings, seed: setup.run.seed, seed_key: None, shares_chance: false }
}

#[cfg(test)]
mod tests {
    use sandboard_evolution::{Parameter, ParameterKind};

    use super::*;

    #[test]
    fn each_season_has_three_generations() {
        let check = |name, settings: &[&str], measurements: Option<u32>, games, expected: u32| {
            let weight = |number: usize| Parameter {
                name: format!("w{number}"),
                kind: ParameterKind::Whole,
                min: 0.0,
                max: 100.0,
                start: 10.0,
                step: None,
            };
            let space = Space::new((0..9).map(weight).collect()).unwrap();
            let settings: Vec<_> = settings.iter().map(|it| it.parse().unwrap()).collect();
            let method = method(name, &settings).unwrap();
            let measure = Measure::Games { pairs: 16, race_error: None };
            let budget = RunBudget { measurements, games };
            assert_eq!(most_seasons(&method, &space, &budget, &measure), expected, "{method:?}");
        };
        let steady = MethodName::SteadyState;
        check(steady, &[], Some(500), None, 13);
        check(steady, &[], Some(71), None, 1);
        check(steady, &[], Some(72), None, 2);
        check(steady, &[], Some(1), None, 1);
        check(steady, &["population=3"], Some(72), None, 8);
        check(steady, &[], None, Some(72 * 32), 2);
        check(steady, &[], None, Some(72 * 32 - 1), 1);
        check(steady, &[], Some(500), Some(72 * 32), 2);
        check(MethodName::Generational, &[], Some(144), None, 2);
        check(MethodName::CmaEs, &[], Some(180), None, 2);
        check(MethodName::CmaEs, &[], Some(179), None, 1);
    }
}
