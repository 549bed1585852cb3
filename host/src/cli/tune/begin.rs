//! A new tuning run: from what was typed to its folder.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context, Result, anyhow};
use sandboard_abi::Unit;
use sandboard_evolution::{Budget as RunBudget, Method, Setup, Space};
use sandboard_games::{GameInfo, Variant};

use super::space::{method, space};
use super::{Args, MethodName};
use crate::arena::{Contestant, Openings, OpeningsSource, Plan};
use crate::bout::EnginePlayer;
use crate::budget::Budget;
use crate::cli::arena::{common_game, contestant, of_players, repeated, sized};
use crate::cli::engines::{Engines, option_specs};
use crate::cli::plan::drawn_seed;
use crate::cli::seat::SeatSpec;
use crate::cli::{convert, game_named, usage, variant_of};
use crate::counted;
use crate::record::store::{data_folder, stem};
use crate::record::{Start, rfc3339};
use crate::referee::Settings;
use crate::tuner::{BLOCK, FORMAT, Journal, Lesson, Line, Measure, TuneSetup, VERSION, lessons};

/// What each may spend on a move when nothing is said, in units of fuel.
const USUAL: &str = "fuel:1e7/move";
const PAIRS: u32 = 16;
const POSITIONS: u32 = 256;
const MEASUREMENTS: u32 = 500;
const SEASONS: u32 = 4;

/// A run that can be made.
pub struct Begun {
    pub dir: PathBuf,
    pub journal: Journal,
    pub setup: TuneSetup,
    /// What the journal says.
    pub lines: Vec<Line>,
    pub start: Start,
    pub openings: Vec<Start>,
    pub engine: EnginePlayer,
    pub opponents: Vec<EnginePlayer>,
    /// Games that were played, where it is held against them.
    pub lessons: Vec<Lesson>,
    /// What people should know of it, besides what the setup says.
    pub notes: Vec<String>,
}

/// What is measured, from what was typed.
struct Measured {
    measure: Measure,
    lessons: Vec<Lesson>,
    bytes: Option<Vec<u8>>,
    notes: Vec<String>,
}

/// Begins a run.
pub fn begin(args: &Args, spec: &SeatSpec) -> Result<Begun> {
    if args.method == MethodName::Spsa && (args.agree.is_some() || !args.against.is_empty()) {
        return Err(usage(
            "spsa lets weights play against each other: leave out --agree and --against, or take another --method",
        ));
    }
    let can_renew = args.method != MethodName::Spsa && args.agree.is_none();
    if !can_renew && args.seasons.is_some_and(|seasons| seasons > 1) {
        return Err(usage(
            "several seasons are for weights that play opponents: leave out --seasons, or spsa and --agree",
        ));
    }
    let mut engines = Engines::open(&args.make.engines)?;
    let all: Vec<SeatSpec> = std::iter::once(spec).chain(&args.against).cloned().collect();
    let game = match &args.game {
        Some(id) => game_named(id)?,
        None => common_game(&engines, &all)?,
    };
    let variant = sized(game, &variant_of(game, args.variant.as_deref())?)?;
    let usual = args.budget.map_or_else(|| USUAL.parse::<Budget>(), Ok);
    let usual = usual.map_err(usage)?;
    let mut player = |spec: &SeatSpec| {
        let budget = spec.budget.unwrap_or(usual);
        contestant(&mut engines, spec, budget, (game, &variant))
    };
    let (mut about, mut engine) = player(spec)?;
    let opponents = args.against.iter().map(&mut player).collect::<Result<Vec<_>>>()?;
    let space = space_of(args, &mut engines, spec, &about)?;
    leave_to_tuning(&space, &mut about, &mut engine);
    let seed = args.seed.unwrap_or_else(drawn_seed);
    let measured = measured(args, (game, &variant), seed)?;
    let openings = args.openings.as_deref().map(|file| Openings::read(file, game, &variant));
    let openings = openings.transpose().map_err(usage)?;
    let file = args.openings.as_deref().map(|file| file.display().to_string());
    let questions = args.measurements.or((args.games.is_none()).then_some(MEASUREMENTS));
    let now = SystemTime::now();
    let method = method(args.method, &args.settings)?;
    let budget = RunBudget { questions, games: args.games };
    let most = most_seasons(&method, &space, &budget, &measured.measure);
    let seasons = if can_renew && args.against.is_empty() { SEASONS.min(most) } else { 1 };
    let mut said = measured.notes;
    if let Some(asked) = args.seasons.filter(|asked| *asked > most.max(1)) {
        said.push(format!(
            "{asked} seasons are too many for so short a run: one that has fewer measurements than three generations finds \
             little, and begins the next where it began; {most} are as many as make sense",
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
        settings: Settings {
            undo: false,
            plies_max: args.plies_max.unwrap_or(Settings::default().plies_max),
            ..Settings::default()
        },
        run: Setup { space, method, seed, budget },
        seasons: args.seasons.unwrap_or(seasons),
        final_pairs: args.final_pairs,
    };
    // Whether it is a run at all, before there is a folder.
    crate::tuner::State::new(&setup, 1).map_err(usage)?;
    let dir = match &args.dir {
        Some(dir) => dir.clone(),
        None => make_usual_dir(&setup, now)?,
    };
    let copies = [
        (OPENINGS, openings.as_ref().map(|it| it.bytes.as_slice())),
        (GAMES, measured.bytes.as_deref()),
    ];
    let copies: Vec<(&str, &[u8])> =
        copies.into_iter().filter_map(|(name, bytes)| Some((name, bytes?))).collect();
    let journal = Journal::create(&dir, &setup, &copies)?;
    Ok(Begun {
        dir,
        journal,
        setup,
        lines: Vec::new(),
        start: Start { game, variant, position: None },
        openings: openings.map_or(Vec::new(), |openings| openings.starts),
        engine,
        opponents: opponents.into_iter().map(|(_, engine)| engine).collect(),
        lessons: measured.lessons,
        notes: said,
    })
}

/// How many seasons make sense, 1 at least: a season learns something in three generations.
fn most_seasons(method: &Method, space: &Space, budget: &RunBudget, measure: &Measure) -> u32 {
    let games = budget.games.map(|games| games / (2 * u64::from(measure.units().max(1))));
    let games = games.map(|it| u32::try_from(it).unwrap_or(u32::MAX));
    let measurements = [budget.questions, games].into_iter().flatten().min().unwrap_or(u32::MAX);
    (measurements / method.generation(space).saturating_mul(3).max(1)).max(1)
}

/// The copies of what a run was begun with.
const OPENINGS: &str = "openings.txt";
const GAMES: &str = "games";

/// The run of a folder, as it was begun.
pub fn begin_again(dir: &Path, args: &super::MakeArgs) -> Result<Begun> {
    let (journal, setup, lines) = Journal::open(dir)?;
    let mut engines = Engines::open(&args.engines)?;
    let game = game_named(&setup.game)?;
    let variant = sized(game, &variant_of(game, Some(&setup.variant))?)?;
    let mut again = |about: &Contestant| {
        crate::cli::arena::contestant_again(&mut engines, about, (game, &variant))
    };
    let engine = again(&setup.engine)?.1;
    let opponents = setup.opponents.iter().map(|about| Ok(again(about)?.1));
    let opponents = opponents.collect::<Result<Vec<_>>>()?;
    let openings = match &setup.openings {
        None => Vec::new(),
        Some(source) => {
            let openings = Openings::read(&dir.join(OPENINGS), game, &variant)?;
            same(&dir.join(OPENINGS), &openings.sha256, &source.sha256)?;
            openings.starts
        }
    };
    let lessons = match &setup.measure {
        Measure::Games { .. } => Vec::new(),
        Measure::Agreement { file, sha256, .. } => {
            let copy = dir.join(GAMES);
            let bytes =
                std::fs::read(&copy).with_context(|| format!("cannot read {}", copy.display()))?;
            same(&copy, &sha256_of(&bytes), sha256)?;
            lessons_of(Path::new(file), &bytes, (game, &variant), setup.run.seed)?.0
        }
    };
    let start = Start { game, variant, position: None };
    Ok(Begun {
        dir: dir.to_owned(),
        journal,
        setup,
        lines,
        start,
        openings,
        engine,
        opponents,
        lessons,
        notes: Vec::new(),
    })
}

fn same(file: &Path, found: &str, begun: &str) -> Result<()> {
    match found == begun {
        true => Ok(()),
        false => Err(anyhow!("the hash of {} is {found} and was {begun}", file.display())),
    }
}

fn sha256_of(bytes: &[u8]) -> String {
    use sha2::{Digest, Sha256};
    crate::hex(&Sha256::digest(bytes))
}

/// What the engine of this name declares, as a space.
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

/// What is tuned is no longer among what it is given.
fn leave_to_tuning(space: &Space, about: &mut Contestant, engine: &mut EnginePlayer) {
    let tuned = |name: &str| space.parameters().iter().any(|parameter| parameter.name == name);
    about.options.retain(|name, _| !tuned(name));
    engine.options.retain(|(name, _)| !tuned(name));
}

fn measured(args: &Args, game: (&'static GameInfo, &Variant), seed: u64) -> Result<Measured> {
    let race_error = (args.race != 0.0).then_some(args.race);
    let Some(file) = &args.agree else {
        let pairs = args.pairs.unwrap_or(PAIRS);
        let measure = Measure::Games { pairs, race_error };
        return Ok(Measured { measure, lessons: Vec::new(), bytes: None, notes: Vec::new() });
    };
    let bytes = std::fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
    let (lessons, left_out) = lessons_of(file, &bytes, game, seed)?;
    let wanted = args.positions.unwrap_or(POSITIONS);
    let there = u32::try_from(lessons.len()).unwrap_or(u32::MAX);
    let positions = wanted.min(there) / BLOCK * BLOCK;
    if positions == 0 {
        return Err(usage(format!(
            "{}: its games have {} positions with a choice, and {BLOCK} are needed",
            file.display(),
            lessons.len()
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
        let moves = counted(left_out, "move");
        notes.push(format!(
            "{name}: the rules refuse {moves}; left out, with all that follows (`sandboard convert` names them)"
        ));
    }
    if args.positions.is_some_and(|asked| asked != positions) || there < wanted {
        notes.push(format!(
            "{name}: a measurement has {positions} positions, not {wanted}: there are {there} with a choice, and \
             they are taken {BLOCK} at a time"
        ));
    }
    Ok(Measured { measure, lessons, bytes: Some(bytes), notes })
}

fn lessons_of(
    file: &Path,
    bytes: &[u8],
    game: (&'static GameInfo, &Variant),
    seed: u64,
) -> Result<(Vec<Lesson>, usize)> {
    let (games, left_out) = convert::games(file, "--agree", bytes, game)?;
    let lessons = lessons(&games, seed).with_context(|| file.display().to_string())?;
    Ok((lessons, left_out))
}

/// Makes a folder in the user's data folder that nobody has, nor a run that is begun in the same second.
fn make_usual_dir(setup: &TuneSetup, now: SystemTime) -> Result<PathBuf> {
    let runs = data_folder()?.join("tune");
    let stem = stem(&setup.engine.engine, now);
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
    Err(anyhow!("no folder is free in {}", runs.display()))
}

/// What people should know before they wait for hours.
pub fn notes(setup: &TuneSetup, concurrency: usize) -> Vec<String> {
    let mut notes = Vec::new();
    let players: Vec<Contestant> =
        std::iter::once(&setup.engine).chain(&setup.opponents).cloned().collect();
    if players.iter().any(|player| !repeats(player)) {
        notes.push(
            "the same seed gives the same run only under fuel, or a limit of depth or nodes, and with one thread \
             (--budget fuel:1e7/move)"
                .into(),
        );
    }
    notes.extend(of_players(&players, concurrency));
    let openings = setup.openings.as_ref().map_or(0, |openings| openings.count);
    // Every pair is a deal of its own.
    let dealt =
        openings == 0 && sandboard_games::game(&setup.game).is_some_and(|it| it.deal.is_some());
    let pairs = match setup.measure {
        Measure::Games { pairs, .. } => pairs.max(setup.final_pairs),
        Measure::Agreement { .. } => setup.final_pairs,
    };
    if pairs > openings.max(1) && !dealt {
        notes.push(repeated(openings.into(), pairs.into()));
    }
    notes
}

/// Whether a player does the same again with the same seed.
fn repeats(player: &Contestant) -> bool {
    let unit = player.budget.unit();
    player.threads <= 1 && !matches!(unit, Unit::Wall | Unit::Cpu)
}

/// What the jobs of its games have in common.
pub fn plan(setup: &TuneSetup) -> Plan {
    let openings = setup.openings.as_ref().map_or(0, |openings| openings.count);
    Plan { openings, seed: setup.run.seed, seal: None }
}

#[cfg(test)]
mod tests {
    use sandboard_evolution::{Kind, Parameter};

    use super::*;

    #[test]
    fn each_season_has_three_generations() {
        let check = |name, settings: &[&str], questions: Option<u32>, games, expected: u32| {
            let weight = |number: usize| Parameter {
                name: format!("w{number}"),
                kind: Kind::Whole,
                min: 0.0,
                max: 100.0,
                start: 10.0,
                step: None,
            };
            let space = Space::new((0..9).map(weight).collect()).unwrap();
            let settings: Vec<_> = settings.iter().map(|it| it.parse().unwrap()).collect();
            let method = method(name, &settings).unwrap();
            let measure = Measure::Games { pairs: 16, race_error: None };
            let budget = RunBudget { questions, games };
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
