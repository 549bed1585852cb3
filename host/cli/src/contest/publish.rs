//! `contest bundle`, `export`: writes what a contest stores to files. Decides nothing itself.

use std::collections::BTreeSet;
use std::path::PathBuf;

use anyhow::{Result, bail};
use serde_json::json;

use crate::arena::{modules_of, print_written};
use crate::known_games;
use crate::output::{error_line, out_line};
use crate::output_file::{FileKind, ensure_replaceable};
use crate::progress::progress;
use sandboard_arena::OpenFolder;
use sandboard_arena_plan::Contestant;
use sandboard_common::bounded_files::read_bounded;
use sandboard_common::text::counted;
use sandboard_contest::ContestFolder;
use sandboard_contest::bundle_writer::{BundleArena, BundleSource, contest_index, write};
use sandboard_contest::export::{Exported, arenas};
use sandboard_contest::store::OVER_PROPERTY;
use sandboard_engine_wasm::scan::MODULE_BYTES_MAX;

/// Write a contest that is over into one file, which anyone can verify
///
/// The file contains the games, the openings, the seed and its commitment, and the modules of the
/// house engines; those of the entries too, if the contest file sets `publish_modules`. `sandboard
/// verify --bundle FILE` replays all of it, bit for bit. For example: sandboard contest bundle
/// autumn -o autumn.zip
#[derive(clap::Args, Debug)]
pub(super) struct BundleArgs {
    /// The folder of the contest
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    /// The output file; an existing file is replaced
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
    /// The engines folder with the house engines [default: the same as for other commands]
    #[arg(long, value_name = "DIR")]
    engines_dir: Option<PathBuf>,
    /// Print one JSON object: `file`, `games`, `modules`, `omitted`
    #[arg(long)]
    json: bool,
}

/// Write everything that a contest stores to files: entries, reports, records, the audit log
///
/// This is for the organiser, since it includes all entries. It contains no tokens, and the seed
/// only when everything is played. For example: sandboard contest export autumn -o autumn-files
#[derive(clap::Args, Debug)]
pub(super) struct ExportArgs {
    /// The folder of the contest
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    /// The folder to create
    #[arg(short, long, value_name = "DIR")]
    out: PathBuf,
    /// Print one JSON object: `dir`, `entries`, `trials`, `games`
    #[arg(long)]
    json: bool,
}

/// Writes a bundle.
pub(super) fn bundle(args: &BundleArgs) -> Result<()> {
    ensure_replaceable("--out", &args.out, FileKind::Bundle)?;
    let folder = ContestFolder::open(&args.dir, &known_games())?;
    let (contest, store) = (folder.contest(), folder.store());
    let over = folder.wait(store.property(OVER_PROPERTY))?.filter(|text| !text.is_empty());
    if over.is_none() {
        bail!(
            "{} is not over, and its seed is secret until then; `sandboard contest run` continues \
             it",
            contest.name
        );
    }
    let (mut opened, mut games, mut unfinished) = (Vec::new(), 0, Vec::new());
    let mut house_modules = BTreeSet::new();
    for name in arenas(&folder) {
        let arena = OpenFolder::open_to_read(&args.dir.join(&name))?;
        let loaded = arena.load()?;
        if !loaded.ledger.is_complete() {
            // A later arena replaced it before its end.
            error_line!("note: {name} is incomplete; the bundle names it, without its games");
            unfinished.push(name);
            continue;
        }
        let is_house = |player: &&Contestant| contest.house.contains(&player.name);
        let played = loaded.players.iter().filter(is_house);
        house_modules.extend(played.map(|player| player.module_sha256.clone()));
        games += 2 * loaded.ledger.counted_results().pairs.len() as u64;
        opened.push((name, arena));
    }
    let entrants = folder.wait(store.entrants())?;
    let submissions = folder.wait(store.entries(None))?;
    let entries: BTreeSet<&str> = submissions.iter().map(|it| it.sha256.as_str()).collect();
    let house = modules_of(args.engines_dir.as_ref())?;
    let module = |sha256: &str| match entries.contains(sha256) {
        true => folder.wait(store.module(sha256)).ok().flatten(),
        false => read_bounded(house.get(sha256)?, MODULE_BYTES_MAX).ok(),
    };
    let founding = folder.founding();
    let known = known_games();
    let source = BundleSource {
        games: &known,
        title: &contest.name,
        arenas: opened
            .iter()
            .map(|(name, folder)| BundleArena { name: name.clone(), folder })
            .collect(),
        module: &module,
        // The module of a house engine is public, even if an entrant submitted it, too.
        may_publish: &|sha256| {
            let is_house = house_modules.contains(sha256);
            contest.publish_modules || is_house || !entries.contains(sha256)
        },
        contest: Some(contest_index(founding, &entrants, &submissions, unfinished)),
    };
    let bar = progress(games, "games");
    let written = write(&source, &args.out, &mut |games| bar.set_position(games));
    bar.finish_and_clear();
    print_written(&args.out, written?, args.json)
}

/// Writes everything to files.
pub(super) fn export(args: &ExportArgs) -> Result<()> {
    let folder = ContestFolder::open(&args.dir, &known_games())?;
    let exported = sandboard_contest::export::export(&folder, &args.out)?;
    let Exported { entries, trials, games } = exported;
    if args.json {
        let dir = args.out.to_string_lossy();
        out_line!(
            "{}",
            json!({ "dir": dir, "entries": entries, "trials": trials, "games": games })
        );
        return Ok(());
    }
    let [trials, games] = [counted(trials, "unrated bout"), counted(games, "game")];
    out_line!("{}: entries {entries}, {trials}, {games}", args.out.display());
    Ok(())
}
