//! `sandboard contest`: games between entries that nobody trusts. What was typed, and which part of it does the
//! work.

mod act;
mod check;
mod counter;
mod create;
mod publish;
mod run;
mod show;
mod submit;

use std::fs::File;
use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result};

use super::usage;
use crate::contest::desk::{Desk, Refused};
use crate::contest::{Contest, ContestFolder, now_ms};

/// The longest file of a contest, in bytes.
const CONTEST_BYTES: u64 = 64 * 1024;

/// Contests between engines that nobody trusts: made, entered, run, shown
///
/// A contest is made of a file (docs/contests.md): its game, what each move may spend, what an entry may hold, its dates. Entrants
/// get a token and submit WebAssembly components; whoever runs the contest tries them, plays the games, and keeps everything so that
/// anybody can replay it bit for bit. For example: sandboard contest check entry.wasm --contest autumn.toml
#[derive(clap::Args, Debug)]
#[command(arg_required_else_help = true)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand, Debug)]
enum Command {
    Check(Box<check::Args>),
    Submit(submit::SubmitArgs),
    Ask(submit::AskArgs),
    Create(create::CreateArgs),
    Enter(create::EnterArgs),
    Run(run::Args),
    Show(show::Args),
    Close(act::CloseArgs),
    Withdraw(act::WithdrawArgs),
    Disqualify(act::DisqualifyArgs),
    Rerun(act::RerunArgs),
    Bundle(publish::BundleArgs),
    Export(publish::ExportArgs),
}

/// Runs the command.
pub fn run(args: &Args) -> Result<()> {
    match &args.command {
        Command::Check(args) => check::run(args),
        Command::Submit(args) => submit::submit(args),
        Command::Ask(args) => submit::ask(args),
        Command::Create(args) => create::create(args),
        Command::Enter(args) => create::enter(args),
        Command::Run(args) => run::run(args),
        Command::Show(args) => show::run(args),
        Command::Close(args) => act::close(args),
        Command::Withdraw(args) => act::withdraw(args),
        Command::Disqualify(args) => act::disqualify(args),
        Command::Rerun(args) => act::rerun(args),
        Command::Bundle(args) => publish::bundle(args),
        Command::Export(args) => publish::export(args),
    }
}

/// The file of a contest: its text, and what it says.
fn read_contest(file: &Path) -> Result<(String, Contest)> {
    let shown = file.display();
    let bytes = read(file, CONTEST_BYTES)?;
    if bytes.len() as u64 > CONTEST_BYTES {
        return Err(usage(format!(
            "{shown} is no file of a contest: it has more than {CONTEST_BYTES} bytes"
        )));
    }
    let text = String::from_utf8(bytes).map_err(|_| usage(format!("{shown} is not UTF-8")))?;
    let contest = Contest::parse(&text).map_err(|error| usage(format!("{shown}: {error}")))?;
    Ok((text, contest))
}

/// The file, as far as a byte beyond so many.
fn read(file: &Path, bytes_most: u64) -> Result<Vec<u8>> {
    let cannot = || format!("cannot read {}", file.display());
    let mut bytes = Vec::new();
    let opened = File::open(file).map_err(|error| usage(format!("{}: {error}", cannot())))?;
    opened.take(bytes_most + 1).read_to_end(&mut bytes).with_context(cannot)?;
    Ok(bytes)
}

/// The desk of a contest, at this moment.
fn desk(folder: &ContestFolder) -> Desk<'_> {
    Desk { store: &**folder.store(), contest: folder.contest(), now_ms: now_ms() }
}

/// What was refused, as an error of what was typed, or of the store.
fn shown(refused: Refused) -> anyhow::Error {
    match refused {
        Refused::Store(error) => error.into(),
        refused => usage(refused),
    }
}
