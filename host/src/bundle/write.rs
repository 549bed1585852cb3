//! Makes a bundle of arenas that are played to their end. Plays and runs nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;

use super::games::{WalkError, table, walk};
use super::index::{ArenaIndex, ContestIndex, GameIndex, Index, ModuleIndex};
use super::zip::ZipWriter;
use super::{FORMAT, INDEX, VERSION, check_name, module_file, openings_file, record_file};
use crate::arena::{Contestant, FolderError, GameResult, Job, OpenFolder};
use crate::engine::FuelClock;
use crate::record::store::{self, StoreError};
use crate::record::{Record, RecordError};
use crate::replay::{Unverifiable, unverifiable_setup};
use crate::sha256_hex;

/// What a bundle is made of.
pub struct BundleSource<'a> {
    /// For people.
    pub title: &'a str,
    /// Its arenas.
    pub arenas: Vec<BundleArena<'a>>,
    /// The bytes of the module with this SHA-256 in hexadecimal; none: it is not here.
    pub module: &'a dyn Fn(&str) -> Option<Vec<u8>>,
    /// Whether the module with this hash may be published.
    pub may_publish: &'a dyn Fn(&str) -> bool,
    /// The contest that the arenas are of.
    pub contest: Option<ContestIndex>,
}

/// An arena of a bundle.
pub struct BundleArena<'a> {
    /// Its name, which no other has: see [`check_name`].
    pub name: String,
    /// Where it is kept.
    pub folder: &'a OpenFolder,
}

/// What was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Games, of all arenas.
    pub games: u64,
    /// Modules that the bundle holds.
    pub modules: usize,
    /// Modules that played and are not in it.
    pub left_out: usize,
}

/// Why there is no bundle.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// An arena cannot be in a bundle.
    #[error("the arena `{arena}` {reason}")]
    Arena {
        /// Its name.
        arena: String,
        /// Why not, and what to do.
        reason: String,
    },
    /// A name that cannot be one, or that two arenas have.
    #[error("{0}")]
    Name(String),
    /// A module that is to be published is not there, or is another one.
    #[error("the module of {engine} with the SHA-256 {sha256} {reason}")]
    Module {
        /// Whose.
        engine: String,
        /// Its hash.
        sha256: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// An arena cannot be read.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The games of an arena cannot be found.
    #[error(transparent)]
    Walk(#[from] WalkError),
    /// The record of a game is none.
    #[error("the record of {game}: {error}")]
    Record {
        /// Which.
        game: String,
        /// What is wrong with it.
        error: RecordError,
    },
    /// It cannot be written.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// Nor kept where it is to be.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Writes a bundle into a file, over whatever it holds; `see` hears after each game how many were written. Where anything
/// fails the file is as it was.
pub fn write(
    source: &BundleSource<'_>,
    out: &Path,
    see: &mut dyn FnMut(u64),
) -> Result<Written, WriteError> {
    let mut written = None;
    let placed = store::replace(out, |file| {
        let filled = fill(source, io::BufWriter::new(file), see);
        let failed = filled.is_err();
        written = Some(filled);
        if failed { Err(io::Error::other("it was not written to its end")) } else { Ok(()) }
    });
    // Why it was not filled says more than that it was not.
    let written = written.transpose()?;
    placed?;
    Ok(written.unwrap_or_default())
}

fn fill(
    source: &BundleSource<'_>,
    out: impl io::Write,
    see: &mut dyn FnMut(u64),
) -> Result<Written, WriteError> {
    check_names(source)?;
    let mut zip = ZipWriter::new(out);
    let (mut arenas, mut clock, mut games) = (Vec::new(), None, 0);
    let mut engines: BTreeMap<String, String> = BTreeMap::new();
    let mut opened: BTreeSet<String> = BTreeSet::new();
    for BundleArena { name, folder } in &source.arenas {
        let loaded = folder.load()?;
        let wrong = |reason: String| WriteError::Arena { arena: name.clone(), reason };
        if !loaded.ledger.is_complete() {
            let dir = folder.dir().display();
            return Err(wrong(format!(
                "is not played to its end: go on with it by `sandboard arena --resume {dir}`"
            )));
        }
        for player in &loaded.players {
            let counted = counted(player).map_err(&wrong)?;
            let known: &FuelClock = clock.get_or_insert_with(|| counted.clone());
            if known != counted {
                return Err(wrong(format!(
                    "has a player, {}, whose fuel was counted by {counted}, and others' was by {known}: make a bundle of each",
                    player.name
                )));
            }
            engines.insert(player.module_sha256.clone(), player.in_words());
        }
        if let (Some(about), Some(bytes)) = (&loaded.setup.openings, &loaded.openings)
            && opened.insert(about.sha256.clone())
        {
            zip.add(&openings_file(&about.sha256), bytes)?;
        }
        let events = loaded.ledger.schedule().events().to_vec();
        let mut listed = Vec::new();
        let ledger = walk(&loaded.setup, &events, |job: &Job| {
            let (game, result, bytes) = game(folder, job)?;
            zip.add(&record_file(name, &game.name), &bytes)?;
            listed.push(game);
            games += 1;
            see(games);
            Ok::<_, WriteError>(Some(result))
        })?;
        let mut setup = loaded.setup;
        let info = sandboard_games::game(&setup.game);
        let info = info.ok_or_else(|| wrong(format!("plays {}, which is unknown", setup.game)))?;
        let table = table(info, &setup, &loaded.players, &ledger);
        // Where the file of openings lay is nobody's business.
        setup.openings = setup.openings.map(crate::arena::OpeningsSource::without_path);
        let joined = loaded.players[setup.players.len()..].to_vec();
        let name = name.clone();
        arenas.push(ArenaIndex { name, setup, joined, events, games: listed, table });
    }
    let fuel_clock = clock.ok_or_else(|| WriteError::Name("a bundle has an arena".into()))?;
    let modules = modules(source, &engines, &mut zip)?;
    let published = modules.iter().filter(|module| module.published).count();
    let written = Written { games, modules: published, left_out: modules.len() - published };
    let index = Index {
        format: FORMAT.into(),
        version: VERSION,
        title: source.title.to_owned(),
        host: env!("CARGO_PKG_VERSION").into(),
        fuel_clock,
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
        // Some systems take names for one that differ by upper and lower case only.
        if !names.insert(name.to_lowercase()) {
            return Err(WriteError::Name(format!("two arenas are called `{name}`: name one anew")));
        }
    }
    Ok(())
}

/// What counted the fuel of a player. Err: why nobody can play its games again.
fn counted(player: &Contestant) -> Result<&FuelClock, String> {
    let name = &player.name;
    let never = |why: &str| format!("cannot be played again bit for bit: {name} {why}");
    match unverifiable_setup(player.ponders, player.threads, player.budget) {
        Some(Unverifiable::Pondered) => Err(never("thinks on its opponents' time")),
        Some(Unverifiable::Threads) => Err(never("searches with several threads")),
        Some(_) => Err(never("does not play on fuel (--budget fuel:1e8/move)")),
        None if !player.assets.is_empty() => {
            Err(never("reads files beside its module, which no bundle holds"))
        }
        None => player.fuel_clock.as_ref().ok_or_else(|| never("has no count of its fuel")),
    }
}

/// A game as the index has it, its result, and the bytes of its record.
fn game(folder: &OpenFolder, job: &Job) -> Result<(GameIndex, GameResult, Vec<u8>), WriteError> {
    let name = job.name();
    let bytes = folder.record(&name)?;
    let record = Record::parse(&bytes, sandboard_games::game);
    let record = record.map_err(|error| WriteError::Record { game: name.clone(), error })?;
    let none = || FolderError::NoGame { dir: folder.dir().to_owned(), name: name.clone() };
    let result = GameResult::of(&record, job).ok_or_else(none)?;
    let game = GameIndex {
        sha256: sha256_hex(&bytes),
        half_points: result.half_points,
        plies: result.plies,
        sentence: result.sentence.clone(),
        name,
    };
    Ok((game, result, bytes))
}

/// Adds the modules that may be published; all that played, by their hashes.
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
            let wrong = |reason| WriteError::Module { engine, sha256: hash.clone(), reason };
            match (source.module)(&hash) {
                None => return Err(wrong("is not here")),
                Some(bytes) if sha256_hex(&bytes) != hash => {
                    return Err(wrong("is another one now"));
                }
                Some(bytes) => zip.add(&module_file(&hash), &bytes)?,
            }
        }
        modules.push(ModuleIndex { sha256: hash.clone(), published });
    }
    Ok(modules)
}
