//! `sandboard verify --bundle`: a bundle from a stranger, held against itself, and its games played again by its modules in
//! jailed processes.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError, mpsc};

use anyhow::{Result, anyhow, bail};
use sandboard_abi::Unit;
use sandboard_tournament::schedule::Change;
use serde_json::json;
use tempfile::TempDir;

use super::record::{self, Outcome, Place, Verified};
use super::{Args, print};
use crate::bundle::{Bundle, Finding, Game, Kind, verify};
use crate::catalog::{Catalog, Entry, Subject, read_bounded};
use crate::cli::engines::{EngineArgs, caps_of_replay};
use crate::cli::progress::progress;
use crate::cli::{Told, Undecided, usage};
use crate::counted;
use crate::engine::Caps;
use crate::engine::wasm::Metering;
use crate::engine::wasm::scan::MODULE_BYTES;
use crate::loader::{Loaded, Loader};
use crate::manifest::ModuleKind;
use crate::record::EngineRecord;
use crate::record::store::write_atomically;
use crate::sha256_hex;

/// How much of something.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Percent(f64);

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
    /// Which of so many things are drawn: at least one, if there is one.
    fn draw(self, all: u64) -> Result<BTreeSet<u64>> {
        let wanted = ((all as f64 * self.0 / 100.0).ceil() as u64).min(all);
        let mut drawn = BTreeSet::new();
        // Floyd's way to draw a set (Bentley, Communications of the ACM 30, 1987).
        for below in all - wanted..all {
            let mut bytes = [0; 8];
            getrandom::fill(&mut bytes)
                .map_err(|error| anyhow!("the system gives no random numbers: {error}"))?;
            let one = u64::from_le_bytes(bytes) % (below + 1);
            if !drawn.insert(one) {
                drawn.insert(below);
            }
        }
        Ok(drawn)
    }
}

/// Runs the command.
pub fn run(args: &Args, file: &Path, jobs: usize) -> Result<()> {
    let bundle = Bundle::open(file).map_err(usage)?;
    let engines = EngineArgs { contest: true, ..args.engines.clone() };
    let loader = engines.loader().map_err(|error| usage(format!("{error:#}")))?;
    let loader = loader.with_runtime(args.runtime());
    let shelf = Shelf::new(&bundle, args.modules.as_deref(), &args.engines, loader)?;
    let all: u64 = bundle.index.arenas.iter().map(|arena| arena.games.len() as u64).sum();
    let drawn = args.sample.draw(all)?;
    let bar = progress(all, "games");
    let find = |engine: &EngineRecord, _: Unit| shelf.find(engine);
    let mut worst = Outcome::Verified;
    let (mut replayed, mut unequal) = (0_u64, 0_u64);
    let findings = std::thread::scope(|scope| -> Result<Vec<Finding>> {
        // No more records than threads wait for one.
        let (games, queue) = mpsc::sync_channel::<Game>(jobs);
        let (queue, (sender, results)) = (Arc::new(Mutex::new(queue)), mpsc::channel());
        for _ in 0..jobs {
            let (sender, queue, find) = (sender.clone(), queue.clone(), &find);
            scope.spawn(move || {
                loop {
                    let game = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
                    let Ok(Game { name, record }) = game else { return };
                    let place = Place { name, file: None };
                    let verified = record::verify(place, Ok(record), find, |_, _, _| ());
                    if sender.send(verified).is_err() {
                        return;
                    }
                }
            });
        }
        drop((sender, queue));
        let (bundle, drawn, bar) = (&bundle, &drawn, &bar);
        let reader = scope.spawn(move || {
            let mut number = 0;
            verify(bundle, &mut |game| {
                if drawn.contains(&number) {
                    drop(games.send(game));
                }
                number += 1;
                bar.inc(1);
            })
        });
        for verified in results {
            replayed += 1;
            worst = worst.max(verified.outcome);
            unequal += u64::from(verified.outcome > Outcome::Partly);
            if args.json || verified.outcome > Outcome::Partly {
                bar.suspend(|| print(&failures(verified, args.json), args.json))?;
            }
        }
        reader.join().map_err(|_| anyhow!("a thread of the host did not end"))
    })?;
    bar.finish_and_clear();
    let outcome = findings.iter().fold(worst, |worst, finding| {
        worst.max(match finding.kind {
            Kind::Differs => Outcome::Differs,
            Kind::Undecided => Outcome::Unverifiable,
        })
    });
    let sum = Sum { all, replayed, unequal, findings: &findings, outcome };
    sum.print(&bundle, args.json)?;
    match outcome {
        Outcome::Verified | Outcome::Partly => Ok(()),
        Outcome::Differs => Err(Told.into()),
        Outcome::Unverifiable => Err(Undecided.into()),
    }
}

/// What is said of a record: for people nothing of what is right.
fn failures(mut verified: Verified, json: bool) -> Verified {
    if !json {
        verified.lines = std::mem::take(&mut verified.wrongs);
    }
    verified
}

/// What came of it all.
struct Sum<'a> {
    all: u64,
    replayed: u64,
    unequal: u64,
    findings: &'a [Finding],
    outcome: Outcome,
}

impl Sum<'_> {
    fn print(&self, bundle: &Bundle, json: bool) -> std::io::Result<()> {
        use std::io::Write;
        let mut out = std::io::stdout().lock();
        let Self { all, replayed, unequal, findings, outcome } = self;
        let events = bundle.index.arenas.iter().flat_map(|arena| &arena.events);
        let void = events.filter(|event| matches!(event.change, Change::Void { .. })).count();
        let title = &bundle.index.title;
        if json {
            let sum = json!({
                "bundle": title, "verdict": outcome.word(), "games": all, "replayed": replayed,
                "not_verified": unequal, "void_pairs": void, "findings": findings,
            });
            return writeln!(out, "{sum}");
        }
        for finding in *findings {
            writeln!(out, "{finding}")?;
        }
        if void > 0 {
            let pairs = counted(void, "pair");
            writeln!(
                out,
                "void, and in no table: {pairs}; whoever played them says that a game could not be played"
            )?;
        }
        let arenas = counted(bundle.index.arenas.len(), "arena");
        let equal = replayed - unequal;
        let sampled = match replayed == all {
            true => String::new(),
            false => format!(" ({replayed} of {all} games were played again)"),
        };
        let word = outcome.word();
        writeln!(out, "{title}: {word}: {equal} games of {arenas} are equal bit for bit{sampled}")
    }
}

/// The modules that are wanted, by their hashes, and those that are loaded.
struct Shelf<'a> {
    bundle: &'a Bundle,
    /// Those of the bundle that a player names.
    published: BTreeSet<&'a str>,
    /// Where those of the bundle are, once they are wanted.
    unpacked: TempDir,
    /// Those that are elsewhere.
    modules: BTreeMap<String, PathBuf>,
    loader: Loader,
    loaded: Mutex<HashMap<(String, Caps), Loaded>>,
}

impl<'a> Shelf<'a> {
    /// Where every module of a bundle is looked for: in itself, in a folder, in the engines folder.
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

    /// Where the module with this hash is; none: it is not here. One that the bundle holds is unpacked first.
    fn module(&self, sha256: &str) -> Result<Option<PathBuf>> {
        let elsewhere = || Ok(self.modules.get(sha256).cloned());
        if !self.published.contains(sha256) {
            return elsewhere();
        }
        let path = self.unpacked.path().join(format!("{sha256}.wasm"));
        if path.exists() {
            return Ok(Some(path));
        }
        // What is wrong with it is said where the bundle's files are.
        let Ok(Some(bytes)) = self.bundle.read(&format!("modules/{sha256}.wasm"), MODULE_BYTES)
        else {
            return elsewhere();
        };
        if sha256_hex(&bytes) != sha256 {
            return elsewhere();
        }
        write_atomically(&path, &bytes)?;
        Ok(Some(path))
    }

    /// The engine of a record. Err: it is not here, or does not load.
    fn find(&self, engine: &EngineRecord) -> Result<Loaded> {
        let sha256 = engine.module_sha256.clone().unwrap_or_default();
        let key = (sha256, caps_of_replay(engine, true));
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(loaded) = loaded.get(&key) {
            return Ok(loaded.clone());
        }
        let Some(module) = self.module(&key.0)? else {
            let sha256 = &key.0;
            bail!("its module {sha256} is not here: name the folder that has it with --modules");
        };
        let entry = Entry {
            subject: Subject::Bare,
            id: engine.id.clone(),
            kind: Some(ModuleKind::Wasm),
            module_bytes: std::fs::metadata(&module)?.len(),
            module,
            sha256: key.0.clone(),
            ..Entry::default()
        };
        let found = self.loader.load_with(&entry, Metering::Fuel, key.1);
        let found = found.map_err(|fault| anyhow!("its module {} {fault}", key.0))?;
        loaded.insert(key, found.clone());
        Ok(found)
    }
}

/// Modules that no bundle holds: those of a folder, and those of the engines folder, if there is one.
fn elsewhere(folder: Option<&Path>, engines: &EngineArgs) -> Result<BTreeMap<String, PathBuf>> {
    let mut modules = BTreeMap::new();
    if let Ok(dir) = engines.folder() {
        match Catalog::scan_capped(&dir, &engines.load_caps()) {
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
            && let Ok(bytes) = read_bounded(&path, MODULE_BYTES)
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
    fn shares() {
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
