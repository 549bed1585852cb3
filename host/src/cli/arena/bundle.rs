//! `sandboard arena bundle`: arenas as one file that anybody can verify. Plays nothing, and changes no store.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::json;

use crate::arena::OpenFolder;
use crate::builds::Builds;
use crate::bundle::{BundleArena, BundleSource, Written, check_name, write};
use crate::catalog::{Catalog, read_bounded};
use crate::cli::engines::EngineArgs;
use crate::cli::progress::progress;
use crate::cli::usage;
use crate::counted;
use crate::engine::wasm::scan::MODULE_BYTES;

/// Write arenas that were played on fuel into one file, which anybody can verify on any machine
///
/// `sandboard verify --bundle FILE` plays all games again, bit for bit. For example: sandboard arena bundle DIR -o autumn.zip
#[derive(clap::Args, Debug)]
pub struct Args {
    /// The folders of the arenas; in the bundle they are called as their folders are
    #[arg(required = true, value_name = "DIR")]
    dirs: Vec<PathBuf>,
    /// The file that it is written into, over whatever it holds
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
    /// Leave the modules of the engines out: who verifies must have them
    #[arg(long)]
    without_modules: bool,
    /// What the bundle is called [default: the names of the arenas]
    #[arg(long)]
    title: Option<String>,
    /// Print one JSON object: `file`, `games`, `modules`, `left_out`
    #[arg(long)]
    json: bool,
    /// Where the modules are [default: as everywhere, and the builds that are kept]
    #[arg(long, value_name = "DIR")]
    engines_dir: Option<PathBuf>,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<()> {
    let mut folders = Vec::with_capacity(args.dirs.len());
    for dir in &args.dirs {
        folders.push((name_of(dir)?, OpenFolder::look(dir)?));
    }
    let names: Vec<&str> = folders.iter().map(|(name, _)| name.as_str()).collect();
    let usual = names.join(", ");
    let mut all = 0;
    for (_, folder) in &folders {
        all += 2 * folder.load()?.ledger.standing().pairs.len() as u64;
    }
    let modules = match args.without_modules {
        true => BTreeMap::new(),
        false => modules_of(args.engines_dir.as_ref())?,
    };
    let builds = Builds::of_user().ok();
    let module = |sha256: &str| {
        let kept = || builds.as_ref().map(|builds| builds.file(sha256));
        read_bounded(&modules.get(sha256).cloned().or_else(kept)?, MODULE_BYTES).ok()
    };
    let source = BundleSource {
        title: args.title.as_deref().unwrap_or(&usual),
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
    tell(&args.out, written?, args.json)
}

/// Tells what was written where.
pub fn tell(out: &Path, written: Written, json: bool) -> Result<()> {
    let Written { games, modules, left_out } = written;
    if json {
        let told = json!({
            "file": out.to_string_lossy(), "games": games, "modules": modules, "left_out": left_out,
        });
        writeln!(std::io::stdout(), "{told}")?;
        return Ok(());
    }
    let (file, modules) = (out.display(), counted(modules, "module"));
    let without = match left_out {
        0 => String::new(),
        left_out => format!("; {} left out", counted(left_out, "module")),
    };
    eprintln!("{file}: {games} games, {modules}{without}");
    Ok(())
}

/// What an arena is called: as its folder.
fn name_of(dir: &Path) -> Result<String> {
    let whole = dir.canonicalize().with_context(|| format!("cannot find {}", dir.display()))?;
    let name = whole.file_name().unwrap_or_default().to_string_lossy().into_owned();
    check_name(&name).map_err(|why| usage(format!("{}: {why}", dir.display())))?;
    Ok(name)
}

/// Where the modules of this engines folder, or of the usual one, are, by their hashes.
pub fn modules_of(engines_dir: Option<&PathBuf>) -> Result<BTreeMap<String, PathBuf>> {
    let engines = EngineArgs { engines_dir: engines_dir.cloned(), ..EngineArgs::default() };
    let dir = match engines.folder() {
        Ok(dir) => dir,
        Err(error) if engines_dir.is_some() => return Err(error),
        // The builds that are kept may do.
        Err(_) => return Ok(BTreeMap::new()),
    };
    let catalog = Catalog::scan_capped(&dir, &engines.load_caps())?;
    Ok(catalog.entries.into_iter().map(|entry| (entry.sha256, entry.module)).collect())
}
