//! `sandboard demo`: a first look at Sandboard, and the self-test of an installation. It chooses
//! two engines and runs other commands, which it shows.

use std::ffi::OsString;
use std::io::Write;

use anyhow::{Context, Result, bail};

use super::commands::run_words;
use super::engines::{EngineArgs, shell_word};
use sandboard_common::files::data_folder;
use sandboard_packs::catalog::Entry;
use sandboard_packs::manifest::ModuleKind;

const GAME: &str = "gomoku";
/// The record of the game, in the user's data folder. The next demo replaces it.
const RECORD: &str = "demo.json";
/// Engines of this repository, the strongest first. Others follow by their ids.
const PREFERRED: [&str; 3] = ["gomoku-alpha", "gomoku-simple", "random-mover"];
/// An engine of this repository that loses by a fault.
const FAULTY: &str = "faulty";

/// Play a game of two engines and verify it: a test of this installation
///
/// The command lists the engines, plays a game of gomoku between two engines in the sandbox, and
/// repeats the game to verify every move and its fuel. It takes a few seconds and shows the
/// commands that it runs.
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    engines: EngineArgs,
}

const EXAMPLES: &str = "\
Exit codes: 0: everything works; 1: something does not, and the message says what.

Examples:
  sandboard demo
  sandboard demo --engines-dir /usr/lib/sandboard/engines";

pub(crate) fn run(args: &Args) -> Result<()> {
    let folder = args.engines.folder()?;
    let catalog = args.engines.catalog(&folder)?;
    let Some([first, second]) = two_engines(&catalog.entries) else {
        bail!(
            "{} has fewer than two usable engines for {GAME} in WebAssembly; `sandboard list` shows \
             what it has",
            folder.display()
        );
    };
    let data = data_folder()?;
    std::fs::create_dir_all(&data).with_context(|| format!("cannot make {}", data.display()))?;
    let record = data.join(RECORD).to_string_lossy().into_owned();
    let more: Vec<OsString> = args
        .engines
        .engines_dir
        .iter()
        .flat_map(|dir| ["--engines-dir".into(), dir.into()])
        .collect();
    show_and_run(1, "the engines", &["list"], &more)?;
    let play = [
        ["play", GAME, "--seat", &first.id, "--seat", &second.id],
        ["--budget", "fuel:1e7/move", "--seed", "1", "--record", &record],
    ];
    show_and_run(2, "a game of two engines, with a budget in fuel", &play.concat(), &more)?;
    show_and_run(3, "the game again, move by move", &["verify", &record], &more)?;
    let mut out = crate::output::stdout();
    writeln!(
        out,
        "\nSandboard works: the engines are found, the sandbox runs them, and the game is the same \
         when it is repeated.\nNext: `sandboard serve` plays in the browser, `sandboard play {GAME}` \
         at this terminal."
    )?;
    Ok(())
}

/// The two engines that play. None: there are fewer than two.
fn two_engines(entries: &[Entry]) -> Option<[&Entry; 2]> {
    let is_suitable = |entry: &&Entry| {
        entry.is_usable()
            && entry.kind == Some(ModuleKind::Wasm)
            && entry.games.iter().any(|game| game.game == GAME)
            && entry.id != FAULTY
    };
    let rank =
        |entry: &&Entry| PREFERRED.iter().position(|id| *id == entry.id).unwrap_or(usize::MAX);
    let mut suitable: Vec<&Entry> = entries.iter().filter(is_suitable).collect();
    suitable.sort_by_key(|entry| (rank(entry), entry.id.clone()));
    suitable.dedup_by_key(|entry| &entry.id);
    suitable.get(..2)?.try_into().ok()
}

/// Shows a command as a person would type it, and runs it.
fn show_and_run(step: u32, about: &str, words: &[&str], more: &[OsString]) -> Result<()> {
    let words: Vec<OsString> =
        words.iter().map(OsString::from).chain(more.iter().cloned()).collect();
    let typed: Vec<String> = words.iter().map(|word| shell_word(&word.to_string_lossy())).collect();
    let mut out = crate::output::stdout();
    writeln!(out, "\n== {step} of 3: {about}\n$ sandboard {}", typed.join(" "))?;
    out.flush()?;
    drop(out);
    run_words(&words)
}
