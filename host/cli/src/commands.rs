//! The table of the subcommands of `sandboard`, and the program's entry point.

use std::ffi::OsString;
use std::io::IsTerminal;
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};
use env_logger::{Target, WriteStyle};
use sandboard_arena::database::sqlite;

#[cfg(not(all(feature = "nats", feature = "tune")))]
use crate::not_built;
use crate::output::{CleanWriter, error_line, out_line};
#[cfg(feature = "tune")]
use crate::tune;
#[cfg(feature = "nats")]
use crate::worker;
use crate::{
    add, analyse, arena, build, check, completions, contest, convert, deal, demo, dev, doctor,
    errors, list, man, new, options, perft, play, playouts, protocol, publish, replay, rules,
    serve, solve, suite, trust, untrust, verify, zygote,
};

/// The end of the main help page.
const MORE: &str = "\
Exit codes, unless a command's help says otherwise: 0: success, even if an engine lost; 1: failure;
2: usage error.
Set RUST_LOG=info to log loads, starts, refused moves, faults and ends to standard error.";

/// Host board-game engines: find them, play them, test them
///
/// Engines are WebAssembly components, native libraries, or programs that speak UCI, UCCI, Gomocup,
/// GTP or NBoard. Put an engine into the engines folder, and every command finds it. `sandboard
/// list` shows all engines, and why one is not usable.
#[derive(Debug, Parser)]
#[command(name = "sandboard", version, after_long_help = MORE, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
}

/// What `sandboard` prints without arguments.
const FIRST_STEPS: &str = "\
Sandboard plays, tests and compares game-playing programs. Three things to do:

  sandboard serve          play in the browser: prints a link
  sandboard play gomoku    play at this terminal
  sandboard demo           let two engines play, and verify their game: tests this installation

`sandboard list` shows the engines, `sandboard help` all commands.";

#[derive(Debug, Subcommand)]
enum Command {
    Demo(demo::Args),
    List(list::Args),
    Options(options::Args),
    New(new::Args),
    Build(build::Args),
    Add(add::Args),
    Dev(dev::Args),
    Play(Box<play::Args>),
    Rules(rules::Args),
    Perft(perft::Args),
    Playouts(playouts::Args),
    Analyse(Box<analyse::Args>),
    Suite(Box<suite::Args>),
    Protocol(Box<protocol::Args>),
    Solve(Box<solve::Args>),
    Deal(deal::Args),
    Arena(Box<arena::ArenaArgs>),
    #[cfg(feature = "tune")]
    Tune(Box<tune::Args>),
    #[cfg(not(feature = "tune"))]
    #[command(hide = true)]
    Tune(not_built::CommandArgs),
    Check(Box<check::Args>),
    Contest(contest::Args),
    Publish(publish::Args),
    Trust(trust::Args),
    Untrust(untrust::Args),
    Verify(verify::Args),
    Replay(replay::Args),
    Convert(convert::Args),
    Serve(Box<serve::Args>),
    Doctor(doctor::Args),
    Completions(completions::Args),
    Man(man::Args),
    #[cfg(feature = "nats")]
    Worker(Box<worker::Args>),
    #[cfg(not(feature = "nats"))]
    #[command(hide = true)]
    Worker(not_built::CommandArgs),
    #[command(hide = true)]
    Zygote(zygote::Args),
}

/// Parses the arguments of this process, and runs the command. Returns its exit code.
pub fn main() -> ExitCode {
    start_log();
    let words = match arena::expand_config(std::env::args_os().collect()) {
        Ok(words) => words,
        Err(error) => return errors::report(&error),
    };
    let parsed = Cli::try_parse_from(&words).unwrap_or_else(|error| {
        if error.use_stderr()
            && let Some(hint) = arena::foreign_hint(&words)
        {
            let _ = error.print();
            error_line!("\n{hint}");
            std::process::exit(error.exit_code());
        }
        error.exit()
    });
    let result = match parsed.command {
        None => {
            out_line!("{FIRST_STEPS}");
            Ok(())
        }
        Some(Command::Zygote(args)) => return zygote::run(&args),
        Some(command) => run(command),
    };
    // Threads that are still at work may have stores open.
    sqlite::empty_all_logs(sqlite::LOG_WAIT_MAX);
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => errors::report(&error),
    }
}

/// The definition of the command line.
pub(crate) fn definition() -> clap::Command {
    Cli::command()
}

/// Runs the command of these words, which follow the program's name on a command line.
pub(crate) fn run_words(words: &[OsString]) -> anyhow::Result<()> {
    let words = std::iter::once(OsString::from("sandboard")).chain(words.iter().cloned());
    match Cli::try_parse_from(words).map_err(super::usage)?.command {
        Some(command) => run(command),
        None => Ok(()),
    }
}

fn run(command: Command) -> anyhow::Result<()> {
    match command {
        Command::Demo(args) => demo::run(&args),
        Command::List(args) => list::run(&args),
        Command::Options(args) => options::run(&args),
        Command::New(args) => new::run(&args),
        Command::Build(args) => build::run(&args),
        Command::Add(args) => add::run(&args),
        Command::Dev(args) => dev::run(&args),
        Command::Play(args) => play::run(&args),
        Command::Rules(args) => rules::run(&args),
        Command::Perft(args) => perft::run(&args),
        Command::Playouts(args) => playouts::run(&args),
        Command::Analyse(args) => analyse::run(&args),
        Command::Suite(args) => suite::run(&args),
        Command::Protocol(args) => protocol::run(&args),
        Command::Solve(args) => solve::run(&args),
        Command::Deal(args) => deal::run(&args),
        Command::Arena(args) => arena::run(&args),
        #[cfg(feature = "tune")]
        Command::Tune(args) => tune::run(&args),
        #[cfg(not(feature = "tune"))]
        Command::Tune(_) => Err(super::usage(not_built::TUNE)),
        Command::Check(args) => check::run(&args),
        Command::Contest(args) => contest::run(&args),
        Command::Publish(args) => publish::run(&args),
        Command::Trust(args) => trust::run(&args),
        Command::Untrust(args) => untrust::run(&args),
        Command::Verify(args) => verify::run(&args),
        Command::Replay(args) => replay::run(&args),
        Command::Convert(args) => convert::run(&args),
        Command::Serve(args) => serve::run(&args),
        Command::Doctor(args) => doctor::run(&args),
        Command::Completions(args) => completions::run(&args),
        Command::Man(args) => man::run(&args),
        #[cfg(feature = "nats")]
        Command::Worker(args) => worker::run(&args),
        #[cfg(not(feature = "nats"))]
        Command::Worker(_) => Err(super::usage(not_built::NATS)),
        Command::Zygote(_) => Err(super::usage("`zygote` is a process of its own")),
    }
}

/// Sends log messages to standard error. They quote texts of strangers, so they are cleaned.
fn start_log() {
    let on_terminal = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    let style = if on_terminal { WriteStyle::Always } else { WriteStyle::Never };
    env_logger::Builder::from_env(env_logger::Env::default().default_filter_or("warn"))
        .target(Target::Pipe(Box::new(CleanWriter::new(std::io::stderr()))))
        .write_style(style)
        .init();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arguments_are_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_help_page_has_an_example() {
        let mut cli = Cli::command();
        for command in cli.get_subcommands_mut().filter(|command| !command.is_hide_set()) {
            let name = command.get_name().to_owned();
            let help = command.render_long_help().to_string();
            assert!(help.contains(&format!("sandboard {name}")), "{name}: no example in {help}");
        }
    }
}
