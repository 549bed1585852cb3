//! The command line of `sandboard`: one file for each command, and what they
//! share. Texts come in, the library is asked, answers go to standard output
//! and everything else to standard error. Exit codes: 0 done (a lost game is
//! done), 1 it did not work, 2 it was asked for wrongly.

mod analyse;
mod arena;
mod build;
mod check;
mod contest;
mod convert;
mod deal;
mod dev;
mod doctor;
mod engines;
mod fail;
mod games;
mod interrupt;
mod json_lines;
mod list;
mod new;
mod option_file;
mod options;
mod perft;
mod plan;
mod play;
mod ponder;
mod progress;
mod protocol;
mod replay;
mod rules;
mod seat;
mod serve;
mod solve;
mod suite;
mod threads;
mod trust;
mod tune;
mod untrust;
mod verify;
#[cfg(feature = "nats")]
mod worker;
mod zygote;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

pub use engines::{EngineArgs, Engines, check_budget, checked_options, shell_word};
pub use fail::{Told, Undecided, Usage, usage};
pub use games::{game_named, set_up, variant_of};
pub use json_lines::next_line;
pub use seat::{SeatSpec, Who};

/// What a help page ends with.
const MORE: &str = "\
Exit codes: 0 done (a lost game is done), 1 it did not work, 2 it was asked for wrongly.
Set RUST_LOG=info to see loads, starts, refusals, faults and ends on standard error.";

/// Hosts board-game engines: finds them, plays them, asks them.
///
/// Engines are WebAssembly components or native libraries. Drop one into the engines folder
/// and it is there: `sandboard list` shows what was found and why something is not usable.
#[derive(Debug, Parser)]
#[command(name = "sandboard", version, after_long_help = MORE, max_term_width = 100)]
#[command(arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    List(list::Args),
    Options(options::Args),
    New(new::Args),
    Build(build::Args),
    Dev(dev::Args),
    Play(Box<play::Args>),
    Rules(rules::Args),
    Perft(perft::Args),
    Analyse(Box<analyse::Args>),
    Suite(Box<suite::Args>),
    Protocol(Box<protocol::Args>),
    Solve(Box<solve::Args>),
    Deal(deal::Args),
    Arena(Box<arena::ArenaArgs>),
    Tune(Box<tune::Args>),
    Check(Box<check::Args>),
    Contest(contest::Args),
    Trust(trust::Args),
    Untrust(untrust::Args),
    Verify(verify::Args),
    Replay(replay::Args),
    Convert(convert::Args),
    Serve(Box<serve::Args>),
    Doctor(doctor::Args),
    #[cfg(feature = "nats")]
    Worker(Box<worker::Args>),
    #[command(hide = true)]
    Zygote(zygote::Args),
}

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    env_logger::Builder::from_env(env_logger::Env::default().default_filter_or("warn")).init();
    let done = match Cli::parse().command {
        Command::List(args) => list::run(&args),
        Command::Options(args) => options::run(&args),
        Command::New(args) => new::run(&args),
        Command::Build(args) => build::run(&args),
        Command::Dev(args) => dev::run(&args),
        Command::Play(args) => play::run(&args),
        Command::Rules(args) => rules::run(&args),
        Command::Perft(args) => perft::run(&args),
        Command::Analyse(args) => analyse::run(&args),
        Command::Suite(args) => suite::run(&args),
        Command::Protocol(args) => protocol::run(&args),
        Command::Solve(args) => solve::run(&args),
        Command::Deal(args) => deal::run(&args),
        Command::Arena(args) => arena::run(&args),
        Command::Tune(args) => tune::run(&args),
        Command::Check(args) => check::run(&args),
        Command::Contest(args) => contest::run(&args),
        Command::Trust(args) => trust::run(&args),
        Command::Untrust(args) => untrust::run(&args),
        Command::Verify(args) => verify::run(&args),
        Command::Replay(args) => replay::run(&args),
        Command::Convert(args) => convert::run(&args),
        Command::Serve(args) => serve::run(&args),
        Command::Doctor(args) => doctor::run(&args),
        #[cfg(feature = "nats")]
        Command::Worker(args) => worker::run(&args),
        Command::Zygote(args) => return zygote::run(&args),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fail::report(&error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_command_teaches_by_example() {
        let mut cli = Cli::command();
        for command in cli.get_subcommands_mut().filter(|command| !command.is_hide_set()) {
            let name = command.get_name().to_owned();
            let help = command.render_long_help().to_string();
            assert!(help.contains(&format!("sandboard {name}")), "{name}: no example in {help}");
        }
    }
}
