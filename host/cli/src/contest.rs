//! `sandboard contest`: its arguments, and the module that runs each subcommand. A contest plays
//! untrusted entries.

mod check;
mod client;
mod create;
mod house;
mod organiser;
mod publish;
mod run;
mod show;
mod submit;

use std::path::Path;

use anyhow::Result;

use super::{known_games, usage};
use sandboard_common::files::read_regular;
use sandboard_contest::service::{ContestService, ServiceError};
use sandboard_contest::{ContestFolder, now_ms};
use sandboard_contest_rules::Contest;

/// The size limit of a contest file, in bytes.
const CONTEST_BYTES: u64 = 64 * 1024;

/// Hold contests between untrusted engines: create a contest, submit entries, run it, show it
///
/// A contest is defined by a file (docs/contests.md): its game, the budget of a move, the limits of
/// an entry, its dates. Entrants get a token and submit WebAssembly components. The organiser's
/// `contest run` tests the entries, plays the games, and stores everything, so that anyone can
/// replay it bit for bit. For example: sandboard contest check entry.wasm --contest autumn.toml
#[derive(clap::Args, Debug)]
#[command(arg_required_else_help = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand, Debug)]
enum Command {
    Check(Box<check::Args>),
    Submit(submit::SubmitArgs),
    Trial(submit::TrialArgs),
    Create(create::CreateArgs),
    AddEntrant(create::AddEntrantArgs),
    Run(run::Args),
    Show(show::Args),
    Close(organiser::CloseArgs),
    Withdraw(organiser::WithdrawArgs),
    Disqualify(organiser::DisqualifyArgs),
    Rerun(organiser::RerunArgs),
    Bundle(publish::BundleArgs),
    Export(publish::ExportArgs),
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> Result<()> {
    match &args.command {
        Command::Check(args) => check::run(args),
        Command::Submit(args) => submit::submit(args),
        Command::Trial(args) => submit::trial(args),
        Command::Create(args) => create::create(args),
        Command::AddEntrant(args) => create::add_entrant(args),
        Command::Run(args) => run::run(args),
        Command::Show(args) => show::run(args),
        Command::Close(args) => organiser::close(args),
        Command::Withdraw(args) => organiser::withdraw(args),
        Command::Disqualify(args) => organiser::disqualify(args),
        Command::Rerun(args) => organiser::rerun(args),
        Command::Bundle(args) => publish::bundle(args),
        Command::Export(args) => publish::export(args),
    }
}

/// Reads a contest file: its text, and the parsed contest.
fn read_contest(file: &Path) -> Result<(String, Contest)> {
    let shown = file.display();
    let bytes = read(file, CONTEST_BYTES)?;
    if bytes.len() as u64 > CONTEST_BYTES {
        return Err(usage(format!(
            "{shown} is not a contest file: it has more than {CONTEST_BYTES} bytes"
        )));
    }
    let text = String::from_utf8(bytes).map_err(|_| usage(format!("{shown} is not UTF-8")))?;
    let contest = Contest::parse(&text, &known_games())
        .map_err(|error| usage(format!("{shown}: {error}")))?;
    Ok((text, contest))
}

/// Reads a file, but at most one byte more than `bytes_most`.
fn read(file: &Path, bytes_most: u64) -> Result<Vec<u8>> {
    let cannot = || format!("cannot read {}", file.display());
    read_regular(file, bytes_most).map_err(|error| usage(format!("{}: {error}", cannot())))
}

/// The service of a contest, at the current time.
fn service(folder: &ContestFolder) -> ContestService<'_> {
    ContestService { store: &**folder.store(), contest: folder.contest(), now_ms: now_ms() }
}

/// A refusal as a usage error, or an error of the store.
fn shown(error: ServiceError) -> anyhow::Error {
    match error {
        ServiceError::Store(error) => error.into(),
        error => usage(error),
    }
}
