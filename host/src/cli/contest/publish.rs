//! `sandboard contest bundle`, `export`: what a contest keeps leaves its folder. Decides nothing itself.

use std::collections::BTreeSet;
use std::path::PathBuf;

use anyhow::{Result, bail};
use serde_json::json;

use crate::arena::OpenFolder;
use crate::bundle::{BundleArena, BundleSource, ContestIndex, write};
use crate::catalog::read_bounded;
use crate::cli::arena::{modules_of, tell_bundle};
use crate::cli::progress::progress;
use crate::contest::export::{Exported, arenas};
use crate::contest::runner::OVER_PAPER;
use crate::contest::{ContestFolder, lot};
use crate::counted;
use crate::engine::wasm::scan::MODULE_BYTES;

/// Write a contest that is over into one file, which anybody can verify
///
/// Its games, its openings, the seed and what was published of it beforehand; the engines of the house, and the entries where the
/// contest's file has `publish_modules`. `sandboard verify --bundle FILE` plays all of it again, bit for bit. For example:
/// sandboard contest bundle autumn -o autumn.zip
#[derive(clap::Args, Debug)]
pub struct BundleArgs {
    /// The folder of the contest
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    /// The file that it is written into, over whatever it holds
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
    /// Where the engines of the house are [default: as everywhere]
    #[arg(long, value_name = "DIR")]
    engines_dir: Option<PathBuf>,
    /// Print one JSON object: `file`, `games`, `modules`, `left_out`
    #[arg(long)]
    json: bool,
}

/// Write all that a contest keeps into files: entries, reports, records, what was done
///
/// It is for the organiser: it has everybody's entries. No token is in it, and the seed only when all is played. For example:
/// sandboard contest export autumn -o autumn-files
#[derive(clap::Args, Debug)]
pub struct ExportArgs {
    /// The folder of the contest
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    /// The folder that is made
    #[arg(short, long, value_name = "DIR")]
    out: PathBuf,
    /// Print one JSON object: `dir`, `entries`, `trials`, `games`
    #[arg(long)]
    json: bool,
}

/// Writes a bundle.
pub fn bundle(args: &BundleArgs) -> Result<()> {
    let folder = ContestFolder::open(&args.dir)?;
    let (contest, store) = (folder.contest(), folder.store());
    let over = folder.wait(store.paper(OVER_PAPER))?.filter(|text| !text.is_empty());
    if over.is_none() {
        bail!(
            "{} is not over: its seed is a secret until all is played; `sandboard contest run` plays on",
            contest.name
        );
    }
    let (mut opened, mut games) = (Vec::new(), 0);
    for name in arenas(&folder) {
        let arena = OpenFolder::look(&args.dir.join(&name))?;
        let ledger = arena.load()?.ledger;
        match ledger.is_complete() {
            true => {
                games += 2 * ledger.standing().pairs.len() as u64;
                opened.push((name, arena));
            }
            // Another one took its place before its end.
            false => eprintln!("note: {name} was not played to its end, and is left out"),
        }
    }
    let entries: BTreeSet<String> =
        folder.wait(store.entries(None))?.into_iter().map(|entry| entry.sha256).collect();
    let house = modules_of(args.engines_dir.as_ref())?;
    let module = |sha256: &str| match entries.contains(sha256) {
        true => folder.wait(store.module(sha256)).ok().flatten(),
        false => read_bounded(house.get(sha256)?, MODULE_BYTES).ok(),
    };
    let founding = folder.founding();
    let source = BundleSource {
        title: &contest.name,
        arenas: opened
            .iter()
            .map(|(name, folder)| BundleArena { name: name.clone(), folder })
            .collect(),
        module: &module,
        may_publish: &|sha256| contest.publish_modules || !entries.contains(sha256),
        contest: Some(ContestIndex {
            file: founding.file.clone(),
            commitment: lot::commitment(&founding.seed),
            seed: crate::hex(&founding.seed),
        }),
    };
    let bar = progress(games, "games");
    let written = write(&source, &args.out, &mut |games| bar.set_position(games));
    bar.finish_and_clear();
    tell_bundle(&args.out, written?, args.json)
}

/// Writes everything into files.
pub fn export(args: &ExportArgs) -> Result<()> {
    let folder = ContestFolder::open(&args.dir)?;
    let exported = crate::contest::export::export(&folder, &args.out)?;
    let Exported { entries, trials, games } = exported;
    if args.json {
        let dir = args.out.to_string_lossy();
        println!("{}", json!({ "dir": dir, "entries": entries, "trials": trials, "games": games }));
        return Ok(());
    }
    let [trials, games] = [counted(trials, "unrated bout"), counted(games, "game")];
    println!("{}: entries {entries}, {trials}, {games}", args.out.display());
    Ok(())
}
