//! Requests to a process that plays an arena: add a player, withdraw a player, stop.

use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};

use serde_json::Value;

use super::TestHome;

/// A running arena.
struct RunningArena {
    child: Child,
    lines: Receiver<Value>,
}

impl RunningArena {
    /// Starts the arena and waits until one of its games is stored.
    fn start(home: &TestHome, words: &str) -> Self {
        let mut command = home.command(&format!("{words} --json"));
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap()).lines();
        let (sender, lines) = channel();
        // A thread reads all output; otherwise the arena would block on a full pipe.
        std::thread::spawn(move || {
            for line in output {
                drop(sender.send(serde_json::from_str(&line.unwrap()).unwrap()));
            }
        });
        let arena = Self { child, lines };
        arena.until(|line| line["event"] == "game");
        arena
    }

    /// The first line for which `wanted` is true.
    fn until(&self, wanted: impl Fn(&Value) -> bool) -> Value {
        self.lines.iter().find(wanted).expect("the line is printed before the arena ends")
    }

    fn end(mut self) -> Value {
        let last = self.until(|line| line["event"] == "end");
        assert!(self.child.wait().unwrap().success());
        last["view"].clone()
    }
}

const LONG: &str =
    "ladder random-mover random-mover --pairs 100000 --seed 1 --budget nodes:9 --dir m";

#[test]
fn players_join_and_withdraw_during_play() {
    let home = TestHome::new();
    let arena = RunningArena::start(&home, LONG);
    let answer = home.succeed("join m gomoku-simple --budget depth:1 --rating 100");
    assert!(answer.starts_with("gomoku-simple has joined and plays from pair "), "{answer}");
    let request = arena.until(|line| line["event"] == "request");
    assert_eq!(request["answer"], answer.trim());
    arena.until(|line| {
        line["event"] == "game" && line["players"].as_array().unwrap().contains(&2.into())
    });
    let answer = home.succeed("join m random-mover --budget nodes:9");
    assert!(answer.starts_with("random-mover has joined"), "{answer}");
    let answer = home.succeed("withdraw m gomoku-simple");
    assert!(answer.starts_with("gomoku-simple is withdrawn from pair "), "{answer}");
    for (words, expected) in [
        ("withdraw m gomoku-simple", "player 2 has already withdrawn"),
        (
            "withdraw m missing",
            "no player is named `missing`; the players are: random-mover (1), random-mover (2), ",
        ),
        ("join m missing", "missing"),
        ("join m reversi-simple", "gomoku"),
    ] {
        assert!(home.fail(words, 1).contains(expected), "{words}");
    }
    home.fail("join m human", 2);
    assert!(home.succeed("stop m").contains("games in play are finished"));
    let view = arena.end();
    assert_eq!(view["state"], "open");
    let names: Vec<&str> =
        view["players"].as_array().unwrap().iter().map(|it| it["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["random-mover (1)", "random-mover (2)", "gomoku-simple", "random-mover"]);
    assert_eq!(view["players"][2]["withdrawn"], true);
    assert!(view["players"][2]["half_points"].as_u64() > Some(0));
    // Players who joined are present after a resume.
    let resumed = RunningArena::start(&home, "--resume m");
    resumed.until(|line| {
        line["event"] == "game" && line["players"].as_array().unwrap().contains(&3.into())
    });
    assert!(home.fail("--resume m", 1).contains("is being played by another process"));
    home.succeed("stop m");
    let view = resumed.end();
    assert_eq!(view["players"].as_array().unwrap().len(), 4);
    assert_eq!(home.succeed("stop m"), "the arena is not being played\n");
}

#[test]
fn requests_that_the_format_forbids_are_refused() {
    let home = TestHome::new();
    let words = "match random-mover random-mover --pairs 50000 --seed 1 --budget nodes:9 --dir m";
    let arena = RunningArena::start(&home, words);
    let why = "players cannot join a match or a knockout after its setup";
    assert!(home.fail("join m random-mover", 1).contains(why));
    home.succeed("stop m");
    arena.end();
    // The request waits in the store until the arena is resumed; a match with one player left is
    // over.
    let answer = home.succeed("withdraw m anybody");
    assert!(answer.contains("when it is resumed"), "{answer}");
}
