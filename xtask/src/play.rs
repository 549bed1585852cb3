//! `cargo xtask play`: builds everything, then a person plays in the browser or at the terminal.
//! Without a terminal, two engines play one game and the command ends.

use std::ffi::OsString;
use std::io::IsTerminal;

use anyhow::Result;
use sandboard_builder::command::run;
use sandboard_builder::rust::Warnings;

use crate::engines::Libraries;
use crate::steps::step;
use crate::workspace::Workspace;
use crate::{engines, serve, setup, web};

/// For each game, the engine that plays against a person, and its opponent if there is no person.
const ENGINES: [(&str, &str, &str); 4] = [
    ("gomoku", "gomoku-alpha", "random-mover"),
    ("reversi", "reversi-ponder", "reversi-simple"),
    ("bridge", "bridge-dd", "bridge-dd:level=3"),
    ("xiangqi", "xiangqi-mt", "xiangqi-mt:level=3"),
];

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Play at the terminal instead of in the browser
    #[arg(long)]
    terminal: bool,

    /// Arguments for `sandboard play`: a game, --variant, --seat, --budget, --record …
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

pub(crate) fn main(args: &Args) -> Result<()> {
    let person = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    let workspace = Workspace::load()?;
    build(&workspace)?;
    if in_browser(args, person) {
        return serve::open(&workspace, &["--port".into(), "0".into()]);
    }
    let mut command = engines::host(&workspace);
    command.arg("play").args(with_defaults(&args.arguments, person));
    run(serve::with_engines(&mut command, &workspace, &args.arguments))
}

/// Builds everything that playing needs: client, engines and host.
pub(crate) fn build(workspace: &Workspace) -> Result<()> {
    step("required packages", setup::for_engines)?;
    // Before the host, which embeds the client.
    step("web client", || web::build(workspace))?;
    let libraries = engines::build(workspace, Warnings::Allow, Libraries::KeepUpToDate)?;
    engines::build_host(workspace)?;
    step("trust engines", || engines::trust(workspace, &libraries))
}

/// Whether the browser is opened: for a person who gave no arguments for `sandboard play`.
fn in_browser(args: &Args, person: bool) -> bool {
    person && !args.terminal && args.arguments.is_empty()
}

/// The arguments, with a game, seats and a budget added if they have none.
fn with_defaults(arguments: &[OsString], person: bool) -> Vec<OsString> {
    // A saved bout already has a game and players.
    if has_option(arguments, "--from") || has_option(arguments, "--resume") {
        return arguments.to_vec();
    }
    let names_game =
        arguments.first().and_then(|a| a.to_str()).is_some_and(|a| !a.starts_with('-'));
    let mut all: Vec<OsString> = Vec::new();
    if !names_game {
        all.push("gomoku".into());
    }
    all.extend_from_slice(arguments);
    let engines = ENGINES.iter().find(|(game, ..)| all[0] == *game);
    if let Some(&(_, strong, weak)) = engines.filter(|_| !has_option(arguments, "--seat")) {
        let seats = if person { ["human", strong] } else { [strong, weak] };
        all.extend(seats.iter().flat_map(|seat| ["--seat".into(), OsString::from(seat)]));
        if !person && !has_option(arguments, "--budget") {
            all.extend(["--budget".into(), "1s/move".into()]);
        }
    }
    all
}

/// Whether an option is among the arguments, as `--name value` or `--name=value`.
pub(crate) fn has_option(arguments: &[OsString], option: &str) -> bool {
    arguments.iter().filter_map(|argument| argument.to_str()).any(|argument| {
        argument.strip_prefix(option).is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(arguments: &str, person: bool, expected: &str) {
        let arguments: Vec<OsString> = arguments.split_whitespace().map(OsString::from).collect();
        let all = with_defaults(&arguments, person);
        assert_eq!(all.join(" ".as_ref()), OsString::from(expected));
    }

    #[test]
    fn a_person_without_arguments_plays_in_the_browser() {
        let check = |terminal, words: &str, person, expected| {
            let arguments = words.split_whitespace().map(OsString::from).collect();
            assert_eq!(in_browser(&Args { terminal, arguments }, person), expected, "{words}");
        };
        check(false, "", true, true);
        check(true, "", true, false);
        check(false, "reversi", true, false);
        check(false, "", false, false);
    }

    #[test]
    fn a_person_plays_an_engine_and_without_a_person_two_engines_play() {
        check("", true, "gomoku --seat human --seat gomoku-alpha");
        check("", false, "gomoku --seat gomoku-alpha --seat random-mover --budget 1s/move");
    }

    #[test]
    fn arguments_take_precedence_over_defaults() {
        check("--seat=a --seat b", true, "gomoku --seat=a --seat b");
        check("--budget 5s/move", true, "gomoku --budget 5s/move --seat human --seat gomoku-alpha");
        check(
            "gomoku --budget=9s/move",
            false,
            "gomoku --budget=9s/move --seat gomoku-alpha --seat random-mover",
        );
        check("reversi --seat human --seat human", true, "reversi --seat human --seat human");
        let reversi = "--seat reversi-ponder --seat reversi-simple --budget 1s/move";
        check("reversi", false, &format!("reversi {reversi}"));
        check("reversi", true, "reversi --seat human --seat reversi-ponder");
        check("bridge", true, "bridge --seat human --seat bridge-dd");
        check("chess", true, "chess");
        check("--resume x", true, "--resume x");
        check("--from=x@12 --seat human", true, "--from=x@12 --seat human");
    }
}
