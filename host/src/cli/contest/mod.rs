//! `sandboard contest`: games between entries that nobody trusts. What was typed, and which part of it does the
//! work.

mod check;

use anyhow::Result;

/// Contests between engines that nobody trusts: whether an entry would be accepted
///
/// A contest is a file (docs/contests.md): its game, what each move may spend, what an entry may hold. For
/// example: sandboard contest check entry.wasm --contest autumn.toml
#[derive(clap::Args, Debug)]
#[command(arg_required_else_help = true)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand, Debug)]
enum Command {
    Check(Box<check::Args>),
}

/// Runs the command.
pub fn run(args: &Args) -> Result<()> {
    match &args.command {
        Command::Check(args) => check::run(args),
    }
}
