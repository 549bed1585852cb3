//! Writes a bundle of finished arenas. Plays and runs nothing.
//!
//! Invariant: writing holds no more than one record in memory.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::store::{Entrant, Founding, Submission};
use sandboard_archive::ZipWriter;
use sandboard_arena::{FolderError, OpenFolder};
use sandboard_arena_plan::{Contestant, GameResult, Job};
use sandboard_bout::record::{Record, RecordError};
use sandboard_bout::replay::{UnverifiableReason, unverifiable_setup_reason};
use sandboard_bundle::schedule_walk::{WalkError, table, walk};
use sandboard_bundle::{
    ArenaIndex, ContestIndex, EntrantIndex, EntryIndex, FORMAT, GameIndex, INDEX, Index, LIMITS,
    ModuleIndex, VERSION, check_name, module_file, openings_file, record_file,
};
use sandboard_common::date::rfc3339;
use sandboard_common::files;
use sandboard_common::files::FileError;
use sandboard_common::hex::{hex, sha256_hex};
use sandboard_engine::FuelMeter;
use sandboard_games::Games;

/// The input of a bundle.
pub struct BundleSource<'a> {
    /// The title for people.
    pub title: &'a str,
    pub arenas: Vec<BundleArena<'a>>,
    /// The games that this host knows.
    pub games: &'a Games,
    /// The bytes of the module with this SHA-256 in hexadecimal; `None` if it is missing.
    pub module: &'a dyn Fn(&str) -> Option<Vec<u8>>,
    /// Whether the module with this hash may be published.
    pub may_publish: &'a dyn Fn(&str) -> bool,
    /// The contest of the arenas.
    pub contest: Option<ContestIndex>,
}

/// An arena of a bundle.
pub struct BundleArena<'a> {
    /// The unique name; see [`check_name`].
    pub name: String,
    /// The arena's folder.
    pub folder: &'a OpenFolder,
}

/// The contents of a written bundle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BundleSummary {
    /// The number of games in all arenas.
    pub games: u64,
    /// The number of modules in the bundle.
    pub modules: usize,
    /// The number of modules that played and are not in it.
    pub omitted: usize,
}

/// Why no bundle was written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// An arena cannot be in a bundle.
    #[error("the arena `{arena}` {reason}")]
    Arena {
        arena: String,
        /// The reason, and what to do.
        reason: String,
    },
    /// A name is invalid, or two arenas have the same.
    #[error("{0}")]
    Name(String),
    /// A module to publish is missing or has changed.
    #[error("the module of {engine} with the SHA-256 {sha256} {reason}")]
    Module {
        /// The engine's name.
        engine: String,
        /// The module's hash.
        sha256: String,
        reason: &'static str,
    },
    /// An arena cannot be read.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The games of an arena cannot be derived.
    #[error(transparent)]
    Walk(#[from] WalkError),
    /// The record of a game is invalid.
    #[error("the record of {game}: {error}")]
    Record {
        /// The game's name.
        game: String,
        error: RecordError,
    },
    /// The bundle cannot be written.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The file cannot be replaced.
    #[error(transparent)]
    Store(#[from] FileError),
}

/// The index of a contest that is over.
pub fn contest_index(
    founding: &Founding,
    entrants: &[Entrant],
    entries: &[Submission],
    unfinished: Vec<String>,
) -> ContestIndex {
    let entrant = |it: &Entrant| EntrantIndex {
        name: it.name.clone(),
        status: it.status,
        reason: it.reason.clone(),
    };
    let entry = |it: &Submission| EntryIndex {
        number: it.number,
        entrant: it.entrant.clone(),
        sha256: it.sha256.clone(),
        state: it.state,
        tested_at: it.judged_ms.map(|ms| rfc3339(since_1970(ms))),
    };
    ContestIndex {
        file: founding.file.clone(),
        openings_sha256: founding.openings.as_deref().map(sha256_hex),
        commitment: founding.commitment(),
        seed: hex(&founding.seed),
        entrants: entrants.iter().map(entrant).collect(),
        entries: entries.iter().map(entry).collect(),
        unfinished,
    }
}

fn since_1970(ms: i64) -> SystemTime {
    UNIX_EPOCH + Duration::from_millis(u64::try_from(ms).unwrap_or(0))
}

/// Writes a bundle into a file and replaces its content. `on_game` receives the number of written
/// games after each. If anything fails, the file stays as it was.
pub fn write(
    source: &BundleSource<'_>,
    out: &Path,
    on_game: &mut dyn FnMut(u64),
) -> Result<BundleSummary, WriteError> {
    let mut written = None;
    let placed = files::replace(out, |file| {
        let filled = fill(source, io::BufWriter::new(file), on_game);
        let failed = filled.is_err();
        written = Some(filled);
        if failed { Err(io::Error::other("the bundle is incomplete")) } else { Ok(()) }
    });
    // The error from writing the contents is more specific than the one from replacing the file.
    let written = written.transpose()?;
    placed?;
    Ok(written.unwrap_or_default())
}

fn fill(
    source: &BundleSource<'_>,
    out: impl io::Write,
    on_game: &mut dyn FnMut(u64),
) -> Result<BundleSummary, WriteError> {
    check_names(source)?;
    let mut zip = ZipWriter::new(out, LIMITS);
    let (mut arenas, mut common_meter, mut games) = (Vec::new(), None, 0);
    let mut engines: BTreeMap<String, String> = BTreeMap::new();
    let mut opened: BTreeSet<String> = BTreeSet::new();
    for BundleArena { name, folder } in &source.arenas {
        let loaded = folder.load()?;
        let refuse = |reason: String| WriteError::Arena { arena: name.clone(), reason };
        if !loaded.ledger.is_complete() {
            let dir = folder.dir().display();
            return Err(refuse(format!(
                "is not finished: continue it with `sandboard arena --resume {dir}`"
            )));
        }
        for player in &loaded.players {
            let meter = fuel_meter(player).map_err(&refuse)?;
            let known: &FuelMeter = common_meter.get_or_insert_with(|| meter.clone());
            if known != meter {
                return Err(refuse(format!(
                    "has a player, {}, whose fuel was counted by {meter}, and that of others by {known}: make a bundle of each",
                    player.name
                )));
            }
            engines.insert(player.module_sha256.clone(), player.describe());
        }
        if let (Some(about), Some(bytes)) = (&loaded.setup.openings, &loaded.openings)
            && opened.insert(about.sha256.clone())
        {
            zip.add(&openings_file(&about.sha256), bytes)?;
        }
        let events = loaded.ledger.schedule().events().to_vec();
        let mut listed = Vec::new();
        let ledger = walk(&loaded.setup, &events, |job: &Job| {
            let (game, result, bytes) = game(folder, job, source.games)?;
            zip.add(&record_file(name, &game.name), &bytes)?;
            listed.push(game);
            games += 1;
            on_game(games);
            Ok::<_, WriteError>(Some(result))
        })?;
        let mut setup = loaded.setup;
        let info = source.games.find(&setup.game);
        let info = info.ok_or_else(|| refuse(format!("plays {}, which is unknown", setup.game)))?;
        let table = table(info, &setup, &loaded.players, &ledger);
        // The path of the openings file is private to this machine.
        setup.openings = setup.openings.map(sandboard_arena_plan::OpeningsSource::without_path);
        let joined = loaded.players[setup.players.len()..].to_vec();
        let name = name.clone();
        arenas.push(ArenaIndex { name, setup, joined, events, games: listed, table });
    }
    let no_arena = || WriteError::Name("a bundle needs at least one arena".into());
    let fuel_meter = common_meter.ok_or_else(no_arena)?;
    let modules = modules(source, &engines, &mut zip)?;
    let published = modules.iter().filter(|module| module.published).count();
    let written = BundleSummary { games, modules: published, omitted: modules.len() - published };
    let index = Index {
        format: FORMAT.into(),
        version: VERSION,
        title: source.title.to_owned(),
        host: env!("CARGO_PKG_VERSION").into(),
        fuel_meter,
        contest: source.contest.clone(),
        modules,
        arenas,
    };
    zip.add(INDEX, &serde_json::to_vec_pretty(&index).map_err(io::Error::from)?)?;
    zip.finish()?;
    Ok(written)
}

fn check_names(source: &BundleSource<'_>) -> Result<(), WriteError> {
    let mut names = BTreeSet::new();
    for BundleArena { name, .. } in &source.arenas {
        check_name(name).map_err(WriteError::Name)?;
        // Some systems do not distinguish upper and lower case.
        if !names.insert(name.to_lowercase()) {
            return Err(WriteError::Name(format!("two arenas are called `{name}`: rename one")));
        }
    }
    Ok(())
}

/// What counted the fuel of a player. The error says why its games cannot be replayed.
fn fuel_meter(player: &Contestant) -> Result<&FuelMeter, String> {
    let name = &player.name;
    let never = |why: &str| format!("cannot be replayed bit for bit: {name} {why}");
    match unverifiable_setup_reason(player.ponders, player.threads, player.budget) {
        Some(UnverifiableReason::Pondered) => Err(never("thinks on its opponents' time")),
        Some(UnverifiableReason::Threads) => Err(never("searches with several threads")),
        Some(_) => Err(never("does not play on fuel (--budget fuel:1e8/move)")),
        None if !player.assets.is_empty() => {
            Err(never("reads files besides its module, which a bundle cannot hold"))
        }
        None => player.fuel_meter.as_ref().ok_or_else(|| never("has no count of its fuel")),
    }
}

/// A game for the index, its result, and the bytes of its record.
fn game(
    folder: &OpenFolder,
    job: &Job,
    games: &Games,
) -> Result<(GameIndex, GameResult, Vec<u8>), WriteError> {
    let name = job.name();
    let bytes = folder.record(&name)?;
    let record = Record::parse(&bytes, games);
    let record = record.map_err(|error| WriteError::Record { game: name.clone(), error })?;
    let none = || FolderError::NoGame { dir: folder.dir().to_owned(), name: name.clone() };
    let result = GameResult::from_record(&record, job).ok_or_else(none)?;
    let game = GameIndex {
        sha256: sha256_hex(&bytes),
        half_points: result.half_points,
        plies: result.plies,
        sentence: result.sentence.clone(),
        name,
    };
    Ok((game, result, bytes))
}

/// Adds the publishable modules and returns all modules that played.
fn modules(
    source: &BundleSource<'_>,
    engines: &BTreeMap<String, String>,
    zip: &mut ZipWriter<impl io::Write>,
) -> Result<Vec<ModuleIndex>, WriteError> {
    let mut modules = Vec::with_capacity(engines.len());
    for (hash, engine) in engines {
        let published = (source.may_publish)(hash);
        if published {
            let (engine, hash) = (engine.clone(), hash.clone());
            let refuse = |reason| WriteError::Module { engine, sha256: hash.clone(), reason };
            match (source.module)(&hash) {
                None => {
                    return Err(refuse(
                        "is neither in the engines folder nor among the kept builds",
                    ));
                }
                Some(bytes) if sha256_hex(&bytes) != hash => {
                    return Err(refuse("has changed"));
                }
                Some(bytes) => zip.add(&module_file(&hash), &bytes)?,
            }
        }
        modules.push(ModuleIndex { sha256: hash.clone(), published });
    }
    Ok(modules)
}
