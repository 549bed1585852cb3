//! Runs our protocol server under UCI2WB, the adapter by which XBoard plays UCI and UCCI engines,
//! and speaks to it as XBoard does.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use sandboard_builder::packages;
use sandboard_games::{DynGame, Games};
use sandboard_tests::{binary, built, data_variables, root};

use crate::cli::TestHome;

/// Longer than any answer takes; an adapter that is silent for this time hangs.
const TIMEOUT: Duration = Duration::from_secs(120);

/// The adapter, with a session of ours behind it.
struct Adapter {
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
    _home: TestHome,
}

impl Adapter {
    fn start(flag: &str, protocol: &str) -> Self {
        built("xiangqi-mt.wasm");
        let program = packages::find_game("uci2wb")
            .expect("uci2wb is missing; `cargo xtask test` installs it");
        let home = TestHome::new();
        let session = format!("{} protocol {protocol} --engine xiangqi-mt", binary().display());
        let mut child = Command::new(program)
            .args([flag, &session])
            .current_dir(home.path())
            .envs(data_variables(home.path()))
            .env("SANDBOARD_ENGINES", root().join("engines-dir"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("it runs");
        let stdout = BufReader::new(child.stdout.take().expect("it was piped"));
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            let mut lines = stdout.lines().map_while(Result::ok);
            lines.all(|line| sender.send(line).is_ok());
        });
        let input = child.stdin.take().expect("it was piped");
        Self { child, input, lines, _home: home }
    }

    fn send(&mut self, line: &str) {
        writeln!(self.input, "{line}").expect("the adapter reads its input");
    }

    /// The rest of the next line that contains this text, after the text.
    #[track_caller]
    fn next_with(&self, text: &str) -> String {
        let mut skipped = String::new();
        loop {
            let line = self.lines.recv_timeout(TIMEOUT);
            let line = line.unwrap_or_else(|error| panic!("{error}: no {text:?} in\n{skipped}"));
            if let Some((_, rest)) = line.split_once(text) {
                return rest.trim().to_owned();
            }
            skipped += &line;
            skipped.push('\n');
        }
    }

    fn new_game(&mut self) -> Box<dyn DynGame> {
        for line in ["new", "variant xiangqi", "level 40 0:01 0", "post", "easy"] {
            self.send(line);
        }
        let info = Games::default().find("xiangqi").expect("the game is known");
        let variant = info.variant("").expect("the game has a default variant");
        (info.new)(&variant, None).expect("the start position is valid")
    }

    /// Plays `moves` moves and the adapter's answers. The answers depend on the engine's time, so
    /// each of our moves is the first legal one.
    #[track_caller]
    fn play(&mut self, board: &mut dyn DynGame, moves: usize) {
        for _ in 0..moves {
            let mv = first_legal(board);
            board.play(&mv).unwrap_or_else(|error| panic!("{error}"));
            for line in ["time 100", "otim 100"] {
                self.send(line);
            }
            self.send(&format!("usermove {mv}"));
            let answer = self.next_with("move ");
            board.play(&answer).unwrap_or_else(|error| panic!("{answer}: {error}"));
        }
    }

    /// Waits for the adapter's exit, at most `TIMEOUT`.
    #[track_caller]
    fn wait(&mut self) -> ExitStatus {
        let began = Instant::now();
        // The output closes when the process exits, or shortly before.
        while self.lines.recv_timeout(TIMEOUT).is_ok() {}
        loop {
            if let Some(status) = self.child.try_wait().expect("the adapter is our child process") {
                return status;
            }
            assert!(began.elapsed() < TIMEOUT, "the adapter does not exit");
            std::thread::yield_now();
        }
    }
}

fn first_legal(board: &dyn DynGame) -> String {
    let mut legal = String::new();
    board.write_legal(&mut legal);
    legal.split_whitespace().next().expect("the game is not over").to_owned()
}

impl Drop for Adapter {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Plays two games, takes a move back in the first, and quits.
#[track_caller]
fn check(flag: &str, protocol: &str) {
    let mut adapter = Adapter::start(flag, protocol);
    adapter.send("xboard");
    adapter.send("protover 2");
    assert!(adapter.next_with("feature myname=").contains("Xiangqi MT"));
    adapter.next_with("done=1");
    let mut board = adapter.new_game();
    adapter.play(board.as_mut(), 2);
    adapter.send("undo");
    adapter.send("undo");
    board.take_back(2);
    adapter.play(board.as_mut(), 2);
    let mut board = adapter.new_game();
    adapter.play(board.as_mut(), 1);
    adapter.send("quit");
    let wait = adapter.wait();
    assert!(wait.success(), "{wait}");
}

#[test]
fn xboard_plays_by_ucci() {
    check("-x", "ucci");
}

#[test]
fn xboard_plays_by_uci() {
    // In the dialect of xiangqi programs: positions are sent without `position`.
    check("-c", "uci");
}
