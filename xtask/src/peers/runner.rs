//! Runners of engines: the same match of chess by `sandboard arena` and by another runner, such as
//! fastchess or cutechess-cli. A UCI program plays against itself with a fixed number of nodes, so
//! the games of all runners should be the same, and the wall time per move shows what each runner
//! adds.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::str::FromStr;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use clap::Parser;
use sandboard_builder::command::command_line;
use sandboard_builder::packages;
use serde::Deserialize;

use super::table::Table;
use crate::engines;
use crate::workspace::Workspace;

/// Positions from which the pairs begin: the first moves of common openings.
const OPENINGS: &str = "\
rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq -
rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq -
rnbqkbnr/pppp1ppp/4p3/8/4P3/8/PPPP1PPP/RNBQKBNR w KQkq -
rnbqkbnr/pp1ppppp/2p5/8/4P3/8/PPPP1PPP/RNBQKBNR w KQkq -
rnbqkbnr/ppp1pppp/8/3p4/3P4/8/PPP1PPPP/RNBQKBNR w KQkq -
rnbqkb1r/pppppppp/5n2/8/3P4/8/PPP1PPPP/RNBQKBNR w KQkq -
rnbqkbnr/ppppp1pp/8/5p2/3P4/8/PPP1PPPP/RNBQKBNR w KQkq -
rnbqkbnr/pppp1ppp/8/4p3/2P5/8/PP1PPPPP/RNBQKBNR w KQkq -
rnbqkb1r/pppppppp/5n2/8/8/5N2/PPPPPPPP/RNBQKB1R w KQkq -
rnbqkbnr/ppp1pppp/8/3p4/8/5NP1/PPPPPP1P/RNBQKB1R b KQkq -
";

/// Play the same match of chess by sandboard and by other runners
#[derive(Parser)]
#[command(name = "cargo xtask bench peers runner")]
struct Args {
    /// Another runner, with the options of fastchess or cutechess-cli; may be repeated
    #[arg(long = "peer", value_name = "NAME=PATH", required = true)]
    peers: Vec<PeerRunner>,
    /// The UCI program that plays against itself [default: Debian's stockfish]
    #[arg(long, value_name = "PATH")]
    engine: Option<PathBuf>,
    /// The nodes of each move
    #[arg(long, value_name = "N", default_value_t = 1)]
    nodes: u64,
    /// The number of pairs of each match
    #[arg(long, value_name = "N", default_value_t = 10)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    pairs: u32,
    /// How often all runners play the match, in turn
    #[arg(long, value_name = "N", default_value_t = 3)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
}

/// Another runner of engines, with its name in the table.
#[derive(Clone)]
struct PeerRunner {
    name: String,
    program: PathBuf,
}

impl FromStr for PeerRunner {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, program) =
            text.split_once('=').ok_or("write NAME=PATH: fastchess=./fastchess")?;
        Ok(Self { name: name.into(), program: program.into() })
    }
}

/// What a runner measured, by the first player's view.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Played {
    wins: u32,
    draws: u32,
    losses: u32,
    plies: u64,
}

/// The runs of one runner.
struct Runs {
    name: String,
    played: Played,
    seconds: Vec<f64>,
}

/// Plays the matches, and prints the table.
pub(super) fn main(workspace: &Workspace, arguments: &[OsString]) -> Result<()> {
    let name = OsString::from("runner");
    let args = Args::try_parse_from([&name].into_iter().chain(arguments))
        .unwrap_or_else(|error| error.exit());
    let engine = args.engine.clone().or_else(|| packages::find_game("stockfish"));
    let engine = engine.context("no stockfish: install it, or name a program with --engine")?;
    engines::build_host(workspace)?;
    if !workspace.root.join("engines-dir/chess/chess.wasm").is_file() {
        bail!("the rules of chess are not built: run `cargo xtask engines` first");
    }
    let folder = workspace.target.join("peers").join("runner");
    if folder.exists() {
        std::fs::remove_dir_all(&folder)
            .with_context(|| format!("cannot remove {}", folder.display()))?;
    }
    std::fs::create_dir_all(&folder)?;
    std::fs::write(folder.join("openings.epd"), OPENINGS)?;
    let bench = Bench { args, engine, folder };
    bench.table(bench.play(workspace)?).finish(&workspace.target);
    Ok(())
}

struct Bench {
    args: Args,
    engine: PathBuf,
    folder: PathBuf,
}

impl Bench {
    /// Plays the match by all runners in turn. A peer also plays it with a fresh process for each
    /// game, as sandboard does.
    fn play(&self, workspace: &Workspace) -> Result<Vec<Runs>> {
        let mut runs = vec![Runs::new("sandboard")];
        for peer in &self.args.peers {
            runs.push(Runs::new(&peer.name));
            runs.push(Runs::new(&format!("{}, restart=on", peer.name)));
        }
        for round in 1..=self.args.rounds {
            let mut commands = vec![self.ours(workspace, round)];
            for peer in &self.args.peers {
                commands.push(self.theirs(peer, round, "off"));
                commands.push(self.theirs(peer, round, "on"));
            }
            for (runs, (mut command, pgn)) in runs.iter_mut().zip(commands) {
                eprintln!("round {round}: {}", runs.name);
                let begin = Instant::now();
                let output = command.stdin(Stdio::null()).output();
                let output =
                    output.with_context(|| format!("cannot run `{}`", command_line(&command)))?;
                runs.seconds.push(begin.elapsed().as_secs_f64());
                if !output.status.success() {
                    let errors = String::from_utf8_lossy(&output.stderr);
                    bail!("`{}` failed: {errors}", command_line(&command));
                }
                runs.played = match pgn {
                    Some(file) => Played::of_pgn(&std::fs::read_to_string(&file)?),
                    None => Played::of_json(&String::from_utf8_lossy(&output.stdout))?,
                };
            }
        }
        Ok(runs)
    }

    fn ours(&self, workspace: &Workspace, round: u32) -> (Command, Option<PathBuf>) {
        let mut command = engines::host(workspace);
        command.args(["arena", "match"]);
        for name in ["a", "b"] {
            let program = self.engine.display();
            command.args(["--engine", &format!("cmd={program},name={name},option.Hash=1")]);
        }
        command.args(["--game", "chess", "--trust-programs", "--concurrency", "1", "--json"]);
        command.args(["--budget", &format!("nodes:{}", self.args.nodes), "--seed", "1"]);
        command.args(["--pairs", &self.args.pairs.to_string()]);
        command.arg("--openings").arg(self.folder.join("openings.epd"));
        command.arg("--dir").arg(self.folder.join(format!("arena-{round}")));
        command.arg("--engines-dir").arg(workspace.root.join("engines-dir"));
        command.env("SANDBOARD_HOME", self.folder.join("home"));
        (command, None)
    }

    fn theirs(&self, peer: &PeerRunner, round: u32, restart: &str) -> (Command, Option<PathBuf>) {
        let pgn = self.folder.join(format!("{}-{restart}-{round}.pgn", peer.name));
        let mut command = Command::new(&peer.program);
        for name in ["a", "b"] {
            command.arg("-engine").arg(format!("cmd={}", self.engine.display()));
            command.arg(format!("name={name}"));
        }
        command.args(["-each", "proto=uci", "tc=600+1", "option.Hash=1"]);
        command.args([&format!("nodes={}", self.args.nodes), &format!("restart={restart}")]);
        command.args(["-rounds", &self.args.pairs.to_string(), "-games", "2", "-repeat"]);
        command.args(["-concurrency", "1", "-recover", "-openings"]);
        command.arg(format!("file={}", self.folder.join("openings.epd").display()));
        command.args(["format=epd", "order=sequential"]);
        command.arg("-pgnout").arg(format!("file={}", pgn.display()));
        command.current_dir(&self.folder);
        (command, Some(pgn))
    }

    fn table(&self, runs: Vec<Runs>) -> Table {
        let mut table = Table::of("runner");
        let ours = runs.first().map_or(Played::default(), |runs| runs.played);
        for runs in &runs {
            let plies = runs.played.plies.max(1) as f64;
            table.add(
                format!("{}: wall time per move", runs.name),
                runs.median() / plies * 1e6,
                "µs",
                None,
            );
            table.add(
                format!("{}: wall time per game", runs.name),
                runs.median() * 1e3 / runs.played.games(),
                "ms",
                None,
            );
            let Played { wins, draws, losses, plies } = runs.played;
            let same = if runs.played == ours { "the same games" } else { "other games" };
            eprintln!(
                "{}: a won {wins}, drew {draws} and lost {losses}, {plies} plies: {same}",
                runs.name
            );
        }
        table
    }
}

impl Runs {
    fn new(name: &str) -> Self {
        Self { name: name.to_owned(), played: Played::default(), seconds: Vec::new() }
    }

    /// The median duration of a match, in seconds.
    fn median(&self) -> f64 {
        let mut seconds = self.seconds.clone();
        seconds.sort_by(f64::total_cmp);
        seconds.get(seconds.len() / 2).copied().unwrap_or_default()
    }
}

impl Played {
    fn games(self) -> f64 {
        f64::from(self.wins + self.draws + self.losses).max(1.0)
    }

    /// From the last line of `arena --json`.
    fn of_json(output: &str) -> Result<Self> {
        #[derive(Deserialize)]
        struct LastLine {
            view: View,
        }
        #[derive(Deserialize)]
        struct View {
            players: Vec<Player>,
            progress: Progress,
            faults: Vec<serde_json::Value>,
        }
        #[derive(Deserialize)]
        struct Player {
            by_seat: Vec<super::matches::Tally>,
        }
        #[derive(Deserialize)]
        struct Progress {
            plies: u64,
        }
        let last = output.lines().last().unwrap_or_default();
        let LastLine { view } =
            serde_json::from_str(last).context("the arena printed no result")?;
        if !view.faults.is_empty() {
            bail!("engines had faults: {:?}", view.faults);
        }
        let mut played = Self { plies: view.progress.plies, ..Self::default() };
        for tally in view.players.first().map_or(&[][..], |player| &player.by_seat) {
            played.wins += tally.wins;
            played.draws += tally.draws;
            played.losses += tally.losses;
        }
        Ok(played)
    }

    /// From the tags of a PGN file.
    fn of_pgn(text: &str) -> Self {
        let mut played = Self::default();
        for game in text.split("[Event ").skip(1) {
            let tag = |name: &str| {
                let (_, rest) = game.split_once(&format!("[{name} \""))?;
                rest.split('"').next()
            };
            let is_white = tag("White") == Some("a");
            match tag("Result") {
                Some("1-0") if is_white => played.wins += 1,
                Some("0-1") if !is_white => played.wins += 1,
                Some("1-0" | "0-1") => played.losses += 1,
                Some("1/2-1/2") => played.draws += 1,
                _ => (),
            }
            played.plies += tag("PlyCount").and_then(|plies| plies.parse().ok()).unwrap_or(0);
        }
        played
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_read() {
        let pgn = "[Event \"x\"]\n[White \"a\"]\n[Black \"b\"]\n[Result \"1-0\"]\n[PlyCount \"31\"]\n\n1. e4 1-0\n\n\
                   [Event \"x\"]\n[White \"b\"]\n[Black \"a\"]\n[Result \"1-0\"]\n[PlyCount \"20\"]\n\n\
                   [Event \"x\"]\n[White \"b\"]\n[Black \"a\"]\n[Result \"1/2-1/2\"]\n";
        let expected = Played { wins: 1, draws: 1, losses: 1, plies: 51 };
        assert_eq!(Played::of_pgn(pgn), expected);
        let json = r#"{"view": {"players": [{"by_seat": [{"wins": 1, "draws": 0, "losses": 1},
            {"wins": 0, "draws": 1, "losses": 0}]}], "progress": {"plies": 51}, "faults": []}}"#;
        assert_eq!(Played::of_json(&json.replace('\n', " ")).unwrap(), expected);
        assert!(Played::of_json(&json.replace('\n', " ").replace("[]}}", "[1]}}")).is_err());
        assert!(Played::of_json("nothing").is_err());
    }
}
