//! `cargo xtask play`: the main job on a fresh clone. A person plays in the browser, or where
//! it is asked for at the terminal; without a terminal two engines play and the command ends.

use std::ffi::OsString;
use std::io::IsTerminal;

use anyhow::Result;
use sandboard_forge::run::run;

use crate::workspace::Workspace;
use crate::{engines, serve, setup, web};

/// A game, the engine that plays a person, and the one that this engine plays where nobody is there.
const ENGINES: [(&str, &str, &str); 4] = [
    ("gomoku", "gomoku-alpha", "random-mover"),
    ("reversi", "reversi-ponder", "reversi-simple"),
    ("bridge", "bridge-dd", "bridge-dd:level=3"),
    ("xiangqi", "xiangqi-mt", "xiangqi-mt:level=3"),
];

#[derive(clap::Args)]
pub struct Args {
    /// Play at the terminal, not in the browser
    #[arg(long)]
    terminal: bool,

    /// Passed on to `sandboard play`: a game, --variant, --seat, --budget, --record …
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

pub fn main(args: &Args) -> Result<()> {
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

/// Everything that playing needs: client, engines, host.
pub fn build(workspace: &Workspace) -> Result<()> {
    setup::for_engines()?;
    // Before the host, which embeds it.
    web::build(workspace)?;
    let libraries = engines::build(workspace, &engines::Args::default())?;
    engines::build_host(workspace)?;
    engines::trust(workspace, &libraries)
}

/// Whoever says what is to be played means the command line that knows these words.
fn in_browser(args: &Args, person: bool) -> bool {
    person && !args.terminal && args.arguments.is_empty()
}

/// What was asked for, and a game, seats and a budget where nothing was said about them.
fn with_defaults(asked: &[OsString], person: bool) -> Vec<OsString> {
    // A saved bout brings its game and its players.
    if mentions(asked, "--from") || mentions(asked, "--resume") {
        return asked.to_vec();
    }
    let names_game = asked.first().and_then(|a| a.to_str()).is_some_and(|a| !a.starts_with('-'));
    let mut all: Vec<OsString> = Vec::new();
    if !names_game {
        all.push("gomoku".into());
    }
    all.extend_from_slice(asked);
    let engines = ENGINES.iter().find(|(game, ..)| all[0] == *game);
    if let Some(&(_, strong, weak)) = engines.filter(|_| !mentions(asked, "--seat")) {
        let seats = if person { ["human", strong] } else { [strong, weak] };
        all.extend(seats.iter().flat_map(|seat| ["--seat".into(), OsString::from(seat)]));
        if !person && !mentions(asked, "--budget") {
            all.extend(["--budget".into(), "1s/move".into()]);
        }
    }
    all
}

/// Whether an option is given, as `--name value` or `--name=value`.
pub fn mentions(arguments: &[OsString], option: &str) -> bool {
    arguments.iter().filter_map(|argument| argument.to_str()).any(|argument| {
        argument.strip_prefix(option).is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(asked: &str, person: bool, expected: &str) {
        let asked: Vec<OsString> = asked.split_whitespace().map(OsString::from).collect();
        let all = with_defaults(&asked, person);
        assert_eq!(all.join(" ".as_ref()), OsString::from(expected));
    }

    #[test]
    fn a_person_plays_in_the_browser_unless_the_terminal_is_asked_for() {
        let check = |terminal, asked: &str, person, expected| {
            let arguments = asked.split_whitespace().map(OsString::from).collect();
            assert_eq!(in_browser(&Args { terminal, arguments }, person), expected, "{asked}");
        };
        check(false, "", true, true);
        check(true, "", true, false);
        check(false, "reversi", true, false);
        check(false, "", false, false);
    }

    #[test]
    fn a_person_plays_an_engine_and_nobody_watches_two() {
        check("", true, "gomoku --seat human --seat gomoku-alpha");
        check("", false, "gomoku --seat gomoku-alpha --seat random-mover --budget 1s/move");
    }

    #[test]
    fn what_is_asked_for_wins() {
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
