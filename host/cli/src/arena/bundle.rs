//! `sandboard arena bundle`: writes arenas into one file that anyone can verify. Plays nothing, and
//! changes no store.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::json;

use crate::engines::EngineArgs;
use crate::output::error_line;
use crate::output_file::{FileKind, ensure_replaceable};
use crate::progress::progress;
use crate::{known_games, usage};
use sandboard_arena::OpenFolder;
use sandboard_bundle::check_name;
use sandboard_common::bounded_files::read_bounded;
use sandboard_common::text::counted;
use sandboard_contest::bundle_writer::{BundleArena, BundleSource, BundleSummary, write};
use sandboard_engine_wasm::scan::MODULE_BYTES_MAX;
use sandboard_packs::builds::BuildStore;

/// Write arenas that were played on fuel into one file, which anyone can verify on any machine
///
/// `sandboard verify --bundle FILE` replays all games, bit for bit. For example: sandboard arena
/// bundle DIR -o autumn.zip
#[derive(clap::Args, Debug)]
pub(super) struct Args {
    /// The folders of the arenas; the bundle uses the folders' names
    #[arg(required = true, value_name = "DIR")]
    dirs: Vec<PathBuf>,
    /// The output file; an existing file is replaced
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
    /// Leave out the modules of the engines; to verify the bundle, one must have them
    #[arg(long)]
    without_modules: bool,
    /// The title of the bundle [default: the names of the arenas]
    #[arg(long)]
    title: Option<String>,
    /// Print one JSON object: `file`, `games`, `modules`, `omitted`
    #[arg(long)]
    json: bool,
    /// The engines folder to take modules from [default: the same as for other commands, and the
    /// kept builds]
    #[arg(long, value_name = "DIR")]
    engines_dir: Option<PathBuf>,
}

/// Runs the command.
pub(super) fn run(args: &Args) -> Result<()> {
    ensure_replaceable("--out", &args.out, FileKind::Bundle)?;
    let mut folders = Vec::with_capacity(args.dirs.len());
    for dir in &args.dirs {
        folders.push((name_of(dir)?, OpenFolder::open_to_read(dir)?));
    }
    let names: Vec<&str> = folders.iter().map(|(name, _)| name.as_str()).collect();
    let default_title = names.join(", ");
    let mut all = 0;
    for (_, folder) in &folders {
        let loaded = folder.load()?;
        let pairs = loaded.ledger.counted_results().pairs.len() as u64;
        all += u64::from(loaded.setup.seats) * pairs;
    }
    let modules = match args.without_modules {
        true => BTreeMap::new(),
        false => modules_of(args.engines_dir.as_ref())?,
    };
    let builds = BuildStore::of_user().ok();
    let module = |sha256: &str| {
        let kept = || builds.as_ref().map(|builds| builds.file(sha256));
        read_bounded(&modules.get(sha256).cloned().or_else(kept)?, MODULE_BYTES_MAX).ok()
    };
    let games = known_games();
    let source = BundleSource {
        games: &games,
        title: args.title.as_deref().unwrap_or(&default_title),
        arenas: folders
            .iter()
            .map(|(name, folder)| BundleArena { name: name.clone(), folder })
            .collect(),
        module: &module,
        may_publish: &|_| !args.without_modules,
        contest: None,
    };
    let bar = progress(all, "games");
    let written = write(&source, &args.out, &mut |games| bar.set_position(games));
    bar.finish_and_clear();
    print_written(&args.out, written?, args.json)
}

/// Prints what was written.
pub(crate) fn print_written(out: &Path, written: BundleSummary, json: bool) -> Result<()> {
    let BundleSummary { games, modules, omitted } = written;
    if json {
        let line = json!({
            "file": out.to_string_lossy(), "games": games, "modules": modules, "omitted": omitted,
        });
        writeln!(crate::output::stdout(), "{line}")?;
        return Ok(());
    }
    let (file, modules) = (out.display(), counted(modules, "module"));
    let without = match omitted {
        0 => String::new(),
        omitted => format!("; {} left out", counted(omitted, "module")),
    };
    error_line!("{file}: {games} games, {modules}{without}");
    Ok(())
}

/// The name of an arena in a bundle: that of its folder.
fn name_of(dir: &Path) -> Result<String> {
    let whole = dir.canonicalize().with_context(|| format!("cannot find {}", dir.display()))?;
    let name = whole.file_name().unwrap_or_default().to_string_lossy().into_owned();
    check_name(&name).map_err(|why| usage(format!("{}: {why}", dir.display())))?;
    Ok(name)
}

/// The files of the modules in an engines folder, by their hashes.
pub(crate) fn modules_of(engines_dir: Option<&PathBuf>) -> Result<BTreeMap<String, PathBuf>> {
    let engines = EngineArgs { engines_dir: engines_dir.cloned(), ..EngineArgs::default() };
    let dir = match engines.folder() {
        Ok(dir) => dir,
        Err(error) if engines_dir.is_some() => return Err(error),
        // The kept builds may be sufficient.
        Err(_) => return Ok(BTreeMap::new()),
    };
    let catalog = engines.catalog(&dir)?;
    Ok(catalog.entries.into_iter().map(|entry| (entry.sha256, entry.module)).collect())
}
