//! `sandboard dev`: builds at each save; the engine that is worked on goes before the
//! installed one of its id.

use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result};
use sandboard_forge::Source;

use super::build::{OrderArgs, described, trusted};
use super::engines::{EngineArgs, shell_word};
use crate::workshop::dev::{Event, Session};

const EXAMPLES: &str = "\
While it runs, every other `sandboard` command that is given this engines folder takes the last
good build for the engine of that id, from its next game on. Games and matches that are being
played keep the build that they began with. Ctrl-C ends it, and the installed engine, if there is one, is back.
The folder itself is watched, not the crates beside it that it may use.

Examples:
  sandboard dev mine                       in one terminal, and in another:
  sandboard play gomoku --seat human --seat mine
  sandboard dev mine --kind native --debug
  gdb --args sandboard play gomoku --seat mine-native --seat random-mover --budget none";

/// Rebuild an engine at each save; until Ctrl-C it goes before the installed one of its id
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// The folder with the engine's source
    dir: PathBuf,
    #[command(flatten)]
    order: OrderArgs,
    #[command(flatten)]
    engines: EngineArgs,
}

pub fn run(args: &Args) -> Result<()> {
    let order = args.order.order()?;
    let engines_dir = args.engines.folder()?;
    anyhow::ensure!(engines_dir.is_dir(), "there is no folder {}", engines_dir.display());
    let source = Source::open(&args.dir)?;
    let (name, folder) = (source.name()?.to_owned(), source.folder().display().to_string());
    let loader = args.engines.loader()?;
    let session = Session::begin(source, order, loader, &engines_dir)?;
    let stopper = session.stopper();
    let asked = AtomicBool::new(false);
    let handler = move || {
        if asked.swap(true, Ordering::SeqCst) {
            // A build that does not come to an end; the system takes the claim back.
            std::process::exit(130);
        }
        stopper.stop();
    };
    ctrlc::set_handler(handler).context("cannot listen for Ctrl-C")?;
    let mut out = std::io::stdout();
    let typed = args.engines.typed();
    let mut told = false;
    session.run(&mut |event| {
        match event {
            Event::Building(None) => writeln!(out, "{name}: building {folder}")?,
            Event::Building(Some(file)) => {
                let file = file.strip_prefix(&folder).unwrap_or(file);
                writeln!(out, "{name}: {} changed, building", file.display())?;
            }
            Event::Failed { keeps: true, error } => {
                eprintln!("error: {error:#}");
                writeln!(out, "{name}: failed; the last good build stays in use")?;
            }
            Event::Failed { keeps: false, error } => {
                eprintln!("error: {error:#}");
                writeln!(out, "{name}: failed; nothing is overridden yet")?;
            }
            Event::Ready { built, took } => {
                let seconds = took.as_secs_f64();
                writeln!(out, "{name}: ready after {seconds:.1} s, used from the next game on")?;
                for entry in &built.entries {
                    writeln!(out, "  {}", described(entry))?;
                }
                if let Some(trusted) = trusted(built).filter(|_| !told) {
                    told = true;
                    writeln!(out, "  {trusted}; so is every build from now on")?;
                }
                if let Some(entry) = built.entries.first()
                    && let Some(game) = entry.games.first()
                {
                    let (id, game) = (shell_word(&entry.id), &game.game);
                    writeln!(out, "  sandboard play {game} --seat human --seat {id}{typed}")?;
                }
                writeln!(out, "{name}: waiting for you to save; Ctrl-C ends it")?;
            }
        }
        Ok(out.flush()?)
    })?;
    writeln!(out, "{name}: ended; what was installed is used again")?;
    Ok(())
}
