//! `sandboard dev`: rebuilds an engine at each save; its builds override the installed engine with
//! the same id.

use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::output::error_line;
use anyhow::{Context, Result};
use sandboard_builder::SourceFolder;

use super::build::{OrderArgs, described, trust_note};
use super::engines::{EngineArgs, shell_word};
use sandboard_packs::packaging::dev::{DevEvent, DevSession};

const EXAMPLES: &str = "\
While it runs, every other `sandboard` command with the same engines folder uses the last good build
of this engine, from the next game on. Games and matches in progress keep their build. Ctrl-C stops
it; the installed engine, if there is one, is then used again. It watches the source folder itself,
not other crates that the engine depends on.

Examples:
  sandboard dev mine                       # in one terminal; then in another:
  sandboard play gomoku --seat human --seat mine
  sandboard dev mine --kind native --debug
  gdb --args sandboard play gomoku --seat mine-native --seat random-mover --budget none";

/// Rebuild an engine at each save; its builds override the installed engine until Ctrl-C
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// The folder with the engine's source
    dir: PathBuf,
    #[command(flatten)]
    order: OrderArgs,
    #[command(flatten)]
    engines: EngineArgs,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let order = args.order.order()?;
    let engines_dir = args.engines.folder_to_change()?;
    anyhow::ensure!(engines_dir.is_dir(), "folder {} does not exist", engines_dir.display());
    let source = SourceFolder::open(&args.dir)?;
    let (name, folder) = (source.name()?.to_owned(), source.folder().display().to_string());
    let loader = args.engines.loader()?;
    let session = DevSession::begin(source, order, loader, &engines_dir)?;
    let stopper = session.stopper();
    let requested = AtomicBool::new(false);
    let handler = move || {
        if requested.swap(true, Ordering::SeqCst) {
            // A build in progress is abandoned; the system releases the claim on the engine's id.
            std::process::exit(130);
        }
        stopper.stop();
    };
    ctrlc::set_handler(handler).context("cannot handle Ctrl-C")?;
    let mut out = crate::output::CleanWriter::new(std::io::stdout());
    let arguments = args.engines.as_arguments();
    let mut noted = false;
    session.run(&mut |event| {
        match event {
            DevEvent::Building(None) => writeln!(out, "{name}: building {folder}")?,
            DevEvent::Building(Some(file)) => {
                let file = file.strip_prefix(&folder).unwrap_or(file);
                writeln!(out, "{name}: {} changed, building", file.display())?;
            }
            DevEvent::Failed { has_good_build: true, error } => {
                error_line!("error: {error:#}");
                writeln!(out, "{name}: failed; the last good build stays in use")?;
            }
            DevEvent::Failed { has_good_build: false, error } => {
                error_line!("error: {error:#}");
                writeln!(out, "{name}: failed; there is no good build yet")?;
            }
            DevEvent::Ready { built, duration } => {
                let seconds = duration.as_secs_f64();
                writeln!(out, "{name}: ready after {seconds:.1} s, used from the next game on")?;
                for entry in &built.entries {
                    writeln!(out, "  {}", described(entry))?;
                }
                if let Some(note) = trust_note(built).filter(|_| !noted) {
                    noted = true;
                    writeln!(out, "  {note}; this applies to every further build")?;
                }
                if let Some(entry) = built.entries.first()
                    && let Some(game) = entry.games.first()
                {
                    let (id, game) = (shell_word(&entry.id), &game.game);
                    writeln!(out, "  sandboard play {game} --seat human --seat {id}{arguments}")?;
                }
                writeln!(out, "{name}: waiting for changes; Ctrl-C ends it")?;
            }
        }
        Ok(out.flush()?)
    })?;
    writeln!(out, "{name}: ended; the installed engine is used again")?;
    Ok(())
}
