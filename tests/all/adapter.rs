//! Our engine in a program of others: UCI2WB, by which XBoard runs programs of UCI and UCCI, as XBoard speaks to it.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use sandboard_forge::packages;
use sandboard_games::{DynGame, game};
use sandboard_tests::{binary, built, root};

use crate::cli::Home;

/// Longer than any answer takes; an adapter that says nothing for so long hangs.
const PATIENCE: Duration = Duration::from_secs(120);

/// The adapter, with a session of ours behind it.
struct Adapter {
    child: Child,
    says: ChildStdin,
    lines: Receiver<String>,
    _home: Home,
}

impl Adapter {
    fn begin(flag: &str, protocol: &str) -> Self {
        built("xiangqi-mt.wasm");
        let program =
            packages::game("uci2wb").expect("uci2wb is missing; `cargo xtask test` installs it");
        let home = Home::new();
        let session = format!("{} protocol {protocol} --engine xiangqi-mt", binary().display());
        let mut child = Command::new(program)
            .args([flag, &session])
            .current_dir(home.path())
            .env("SANDBOARD_HOME", home.path())
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
        let says = child.stdin.take().expect("it was piped");
        Self { child, says, lines, _home: home }
    }

    fn say(&mut self, line: &str) {
        writeln!(self.says, "{line}").expect("it listens");
    }

    /// What follows this text in the next line that holds it.
    #[track_caller]
    fn hear(&self, text: &str) -> String {
        let mut heard = String::new();
        loop {
            let line = self.lines.recv_timeout(PATIENCE);
            let line = line.unwrap_or_else(|error| panic!("{error}: no {text:?} in\n{heard}"));
            if let Some((_, rest)) = line.split_once(text) {
                return rest.trim().to_owned();
            }
            heard += &line;
            heard.push('\n');
        }
    }

    fn new_game(&mut self) -> Box<dyn DynGame> {
        for line in ["new", "variant xiangqi", "level 40 0:01 0", "post", "easy"] {
            self.say(line);
        }
        let info = game("xiangqi").expect("it is a game");
        let variant = info.variant("").expect("it has one");
        (info.new)(&variant, None).expect("it begins")
    }

    /// Plays so many moves, each of which it answers. What it answers depends on its time: the moves are the
    /// first that are legal then.
    #[track_caller]
    fn play(&mut self, board: &mut dyn DynGame, moves: usize) {
        for _ in 0..moves {
            let mv = first_legal(board);
            board.play(&mv).unwrap_or_else(|error| panic!("{error}"));
            for line in ["time 100", "otim 100"] {
                self.say(line);
            }
            self.say(&format!("usermove {mv}"));
            let answer = self.hear("move ");
            board.play(&answer).unwrap_or_else(|error| panic!("{answer}: {error}"));
        }
    }

    /// Waits until it has ended, but not for ever.
    #[track_caller]
    fn ended(&mut self) -> ExitStatus {
        let began = Instant::now();
        // Its output ends with it, or a moment before.
        while self.lines.recv_timeout(PATIENCE).is_ok() {}
        loop {
            if let Some(status) = self.child.try_wait().expect("it is a child") {
                return status;
            }
            assert!(began.elapsed() < PATIENCE, "it does not end");
            std::thread::yield_now();
        }
    }
}

fn first_legal(board: &dyn DynGame) -> String {
    let mut legal = String::new();
    board.write_legal(&mut legal);
    legal.split_whitespace().next().expect("nobody is mated so soon").to_owned()
}

impl Drop for Adapter {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Two games with a move taken back, and the end.
#[track_caller]
fn check(flag: &str, protocol: &str) {
    let mut adapter = Adapter::begin(flag, protocol);
    adapter.say("xboard");
    adapter.say("protover 2");
    assert!(adapter.hear("feature myname=").contains("Xiangqi MT"));
    adapter.hear("done=1");
    let mut board = adapter.new_game();
    adapter.play(board.as_mut(), 2);
    adapter.say("undo");
    adapter.say("undo");
    board.take_back(2);
    adapter.play(board.as_mut(), 2);
    let mut board = adapter.new_game();
    adapter.play(board.as_mut(), 1);
    adapter.say("quit");
    let ended = adapter.ended();
    assert!(ended.success(), "{ended}");
}

#[test]
fn xboard_plays_by_ucci() {
    check("-x", "ucci");
}

#[test]
fn xboard_plays_by_uci() {
    // In the dialect of programs for xiangqi: positions without `position`.
    check("-c", "uci");
}
