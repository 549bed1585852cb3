//! `sandboard verify --bundle`: checks a bundle, which may come from anyone, for consistency, and
//! replays its games with its modules in jailed processes.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError, mpsc};

use anyhow::{Result, anyhow, bail};
use sandboard_abi::Unit;
use tempfile::TempDir;

use super::{Args, found, print};
use crate::engines::{EngineArgs, caps_from_record};
use crate::output::error_line;
use crate::progress::progress;
use crate::{AlreadyReported, IncompleteBundle, Inconclusive, usage};
use sandboard_bout::record::EngineRecord;
use sandboard_bundle::game_check::{CheckedGame, Outcome, RecordLocation, check_game};
use sandboard_bundle::{
    Bundle, Finding, Game, ReplayedGames, Verdict, module_file, other_commitment, verify,
};
use sandboard_common::bounded_files::read_bounded;
use sandboard_common::files::write_atomically;
use sandboard_common::hex::sha256_hex;
use sandboard_common::text::plain;
use sandboard_engine::Caps;
use sandboard_engine_wasm::Metering;
use sandboard_engine_wasm::scan::MODULE_BYTES_MAX;
use sandboard_packs::catalog::{Entry, EntryKind};
use sandboard_packs::loader::{LoadOptions, LoadedEngine, Loader};
use sandboard_packs::manifest::ModuleKind;

/// A commitment of a contest: a SHA-256 in lower-case hexadecimal.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Commitment(String);

impl FromStr for Commitment {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            true => Ok(Self(text.to_ascii_lowercase())),
            false => Err("write the 64 hexadecimal digits of the published commitment".into()),
        }
    }
}

/// A percentage above 0 and up to 100.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Percent(f64);

impl FromStr for Percent {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = text.strip_suffix('%').and_then(|number| number.parse::<f64>().ok());
        match number.filter(|number| *number > 0.0 && *number <= 100.0) {
            Some(number) => Ok(Self(number)),
            None => Err("write a share such as 10% (above 0%, at most 100%)".into()),
        }
    }
}

impl Percent {
    /// Draws this share of the numbers below `all` at random: at least one, if there is one.
    fn draw(self, all: u64) -> Result<BTreeSet<u64>> {
        let wanted = ((all as f64 * self.0 / 100.0).ceil() as u64).min(all);
        let mut drawn = BTreeSet::new();
        // Floyd's algorithm for a random set (Bentley, Communications of the ACM 30, 1987).
        for below in all - wanted..all {
            let mut bytes = [0; 8];
            getrandom::fill(&mut bytes)
                .map_err(|error| anyhow!("the system provides no random numbers: {error}"))?;
            let one = u64::from_le_bytes(bytes) % (below + 1);
            if !drawn.insert(one) {
                drawn.insert(below);
            }
        }
        Ok(drawn)
    }
}

/// Runs the command.
pub(super) fn run(args: &Args, file: &Path, jobs: usize) -> Result<()> {
    let bundle = Bundle::open(file).map_err(usage)?;
    let engines = EngineArgs { contest: true, ..args.engines.clone() };
    let loader = engines.loader_with(args.runtime_options()?);
    let loader = loader.map_err(|error| usage(format!("{error:#}")))?;
    let known = loader.games().clone();
    let modules = ModuleStore::new(&bundle, args.modules.as_deref(), &args.engines, loader)?;
    let all = bundle.index.game_count();
    let drawn = args.sample.draw(all)?;
    let bar = progress(all, "games");
    let find = |engine: &EngineRecord, _: Unit| found(modules.find(engine));
    let mut replayed = ReplayedGames::default();
    let findings = std::thread::scope(|scope| -> Result<Vec<Finding>> {
        // The queue is bounded, so that few records are in memory.
        let (games, queue) = mpsc::sync_channel::<Game>(jobs);
        let (queue, (sender, results)) = (Arc::new(Mutex::new(queue)), mpsc::channel());
        for _ in 0..jobs {
            let (sender, queue, find) = (sender.clone(), queue.clone(), &find);
            let known = &known;
            scope.spawn(move || {
                loop {
                    let game = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
                    let Ok(Game { name, record }) = game else { return };
                    let place = RecordLocation { name, file: None };
                    let checked = check_game(place, Ok(record), known, find, |_, _, _| ());
                    if sender.send(checked).is_err() {
                        return;
                    }
                }
            });
        }
        drop((sender, queue));
        let (bundle, known, drawn, bar) = (&bundle, &known, &drawn, &bar);
        let reader = scope.spawn(move || {
            let mut number = 0;
            verify(bundle, known, &mut |game| {
                if drawn.contains(&number) {
                    drop(games.send(game));
                }
                number += 1;
                bar.inc(1);
            })
        });
        for checked in results {
            replayed.add(checked.outcome);
            if args.json || checked.outcome > Outcome::Partly {
                bar.suspend(|| print(&failures(checked, args.json), args.json))?;
            }
        }
        reader.join().map_err(|_| anyhow!("a thread of the host did not end"))
    })?;
    bar.finish_and_clear();
    let expected = args.commitment.as_ref();
    let other = expected.and_then(|expected| other_commitment(&bundle.index, &expected.0));
    let findings: Vec<Finding> = other.into_iter().chain(findings).collect();
    let verdict = Verdict::new(&bundle.index, replayed, &findings);
    print_verdict(&verdict, &findings, args.json)?;
    if let (None, Some(contest), false) = (&args.commitment, &bundle.index.contest, args.json) {
        error_line!(
            "note: its commitment is {}; compare it with the one that was published before the \
             first entry (--commitment)",
            plain(&contest.commitment)
        );
    }
    match verdict.outcome {
        Outcome::Verified | Outcome::Partly if verdict.is_incomplete => {
            Err(IncompleteBundle.into())
        }
        Outcome::Verified | Outcome::Partly => Ok(()),
        Outcome::Differs => Err(AlreadyReported.into()),
        Outcome::Unverifiable => Err(Inconclusive.into()),
    }
}

/// The part of a result to print: for people, only the errors.
fn failures(mut checked: CheckedGame, json: bool) -> CheckedGame {
    if !json {
        checked.lines = std::mem::take(&mut checked.wrongs);
    }
    checked
}

/// Prints the verdict: for people after the findings.
fn print_verdict(verdict: &Verdict<'_>, findings: &[Finding], json: bool) -> std::io::Result<()> {
    use std::io::Write;
    let mut out = crate::output::stdout();
    if json {
        return writeln!(out, "{}", verdict.to_json());
    }
    for finding in findings {
        writeln!(out, "{finding}")?;
    }
    writeln!(out, "{}", verdict.sentence())
}

/// The modules of the players, by their hashes, and the engines that are loaded.
struct ModuleStore<'a> {
    bundle: &'a Bundle,
    /// The modules in the bundle that a player uses.
    published: BTreeSet<&'a str>,
    /// The folder for modules unpacked from the bundle.
    unpacked: TempDir,
    /// The modules outside the bundle.
    modules: BTreeMap<String, PathBuf>,
    loader: Loader,
    loaded: Mutex<HashMap<(String, Caps), LoadedEngine>>,
}

impl<'a> ModuleStore<'a> {
    /// Takes modules from the bundle, from a folder, and from the engines folder.
    fn new(
        bundle: &'a Bundle,
        folder: Option<&Path>,
        engines: &EngineArgs,
        loader: Loader,
    ) -> Result<Self> {
        let (unpacked, modules) = (tempfile::tempdir()?, elsewhere(folder, engines)?);
        let players = bundle.index.arenas.iter().flat_map(|arena| arena.players());
        let named: BTreeSet<&str> = players.map(|player| player.module_sha256.as_str()).collect();
        let published = bundle.index.modules.iter().filter(|module| module.published);
        let published = published.map(|module| module.sha256.as_str());
        let published = published.filter(|sha256| named.contains(sha256)).collect();
        Ok(Self { bundle, published, unpacked, modules, loader, loaded: Mutex::default() })
    }

    /// The file of the module with this hash; `None`: it is missing. A module of the bundle is
    /// unpacked first.
    fn module(&self, sha256: &str) -> Result<Option<PathBuf>> {
        let elsewhere = || Ok(self.modules.get(sha256).cloned());
        if !self.published.contains(sha256) {
            return elsewhere();
        }
        let path = self.unpacked.path().join(format!("{sha256}.wasm"));
        if path.exists() {
            return Ok(Some(path));
        }
        // Errors of the bundle's files are reported where its files are checked.
        let Ok(Some(bytes)) = self.bundle.read(&module_file(sha256), MODULE_BYTES_MAX) else {
            return elsewhere();
        };
        if sha256_hex(&bytes) != sha256 {
            return elsewhere();
        }
        write_atomically(&path, &bytes)?;
        Ok(Some(path))
    }

    /// The engine of a record. Err: its module is missing, or does not load.
    fn find(&self, engine: &EngineRecord) -> Result<LoadedEngine> {
        let sha256 = engine.module_sha256.clone().unwrap_or_default();
        let key = (sha256, caps_from_record(engine, true));
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(loaded) = loaded.get(&key) {
            return Ok(loaded.clone());
        }
        let Some(module) = self.module(&key.0)? else {
            let sha256 = &key.0;
            bail!("its module {sha256} is missing: name a folder that has it with --modules");
        };
        let entry = Entry {
            entry_kind: EntryKind::BareModule,
            id: engine.id.clone(),
            kind: Some(ModuleKind::Wasm),
            module_bytes: std::fs::metadata(&module)?.len(),
            module,
            sha256: key.0.clone(),
            ..Entry::default()
        };
        let metering = Metering::counting_as(&self.bundle.index.fuel_meter);
        let found = self.loader.load_with(&entry, &LoadOptions::new(metering, key.1));
        let found = found.map_err(|fault| anyhow!("its module {} {fault}", key.0))?;
        loaded.insert(key, found.clone());
        Ok(found)
    }
}

/// The modules outside the bundle: those of a folder, and those of the engines folder, if there is
/// one.
fn elsewhere(folder: Option<&Path>, engines: &EngineArgs) -> Result<BTreeMap<String, PathBuf>> {
    let mut modules = BTreeMap::new();
    if let Ok(dir) = engines.folder() {
        match engines.catalog(&dir) {
            Ok(catalog) => {
                let wasm = |entry: &Entry| entry.kind == Some(ModuleKind::Wasm);
                let entries = catalog.entries.into_iter().filter(wasm);
                modules.extend(entries.map(|entry| (entry.sha256, entry.module)));
            }
            Err(error) if engines.engines_dir.is_some() => return Err(error.into()),
            Err(_) => (),
        }
    }
    let Some(folder) = folder else { return Ok(modules) };
    let cannot =
        |error: std::io::Error| usage(format!("cannot list {}: {error}", folder.display()));
    for entry in std::fs::read_dir(folder).map_err(cannot)? {
        let path = entry.map_err(cannot)?.path();
        if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("wasm"))
            && let Ok(bytes) = read_bounded(&path, MODULE_BYTES_MAX)
        {
            modules.insert(sha256_hex(&bytes), path);
        }
    }
    Ok(modules)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_drawn() {
        let check = |text: &str, all: u64, expected: Option<usize>| {
            let drawn = text.parse::<Percent>().ok().map(|share| share.draw(all).unwrap());
            assert!(drawn.iter().flatten().all(|one| *one < all), "{drawn:?}");
            assert_eq!(drawn.map(|drawn| drawn.len()), expected, "{text} of {all}");
        };
        check("100%", 0, Some(0));
        check("100%", 7, Some(7));
        check("10%", 7, Some(1));
        check("50%", 7, Some(4));
        check("0.1%", 1000, Some(1));
        for wrong in ["", "10", "0%", "-1%", "100.1%", "%", "NaN%", "x%"] {
            check(wrong, 7, None);
        }
    }
}
