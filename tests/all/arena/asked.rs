//! What one process asks of another that plays: to let somebody in or out, to stop.

use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};

use serde_json::Value;

use super::Home;

/// An arena that is being played.
struct Played {
    child: Child,
    lines: Receiver<Value>,
}

impl Played {
    /// Begins it, and waits until a game of it is kept.
    fn begin(home: &Home, words: &str) -> Self {
        let mut command = home.command(&format!("{words} --json"));
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let told = BufReader::new(child.stdout.take().unwrap()).lines();
        let (sender, lines) = channel();
        // Whoever plays would wait for a reader that is busy with something else.
        std::thread::spawn(move || {
            for line in told {
                drop(sender.send(serde_json::from_str(&line.unwrap()).unwrap()));
            }
        });
        let played = Self { child, lines };
        played.until(|line| line["event"] == "game");
        played
    }

    /// The first line that is wanted.
    fn until(&self, wanted: impl Fn(&Value) -> bool) -> Value {
        self.lines.iter().find(wanted).expect("it says so before it ends")
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
fn players_join_and_leave_while_it_is_played() {
    let home = Home::new();
    let played = Played::begin(&home, LONG);
    let said = home.succeed("join m gomoku-simple --budget depth:1 --rating 100");
    assert!(said.starts_with("gomoku-simple is in, from pair "), "{said}");
    let asked = played.until(|line| line["event"] == "asked");
    assert_eq!(asked["answer"], said.trim());
    played.until(|line| {
        line["event"] == "game" && line["players"].as_array().unwrap().contains(&2.into())
    });
    let said = home.succeed("join m random-mover --budget nodes:9");
    assert!(said.starts_with("random-mover is in"), "{said}");
    let said = home.succeed("withdraw m gomoku-simple");
    assert!(said.starts_with("gomoku-simple has left, from pair "), "{said}");
    for (words, expected) in [
        ("withdraw m gomoku-simple", "player 2 has withdrawn before"),
        (
            "withdraw m nobody",
            "nobody here is called `nobody`; there are: random-mover (1), random-mover (2), ",
        ),
        ("join m nobody", "nobody"),
        ("join m reversi-simple", "gomoku"),
    ] {
        assert!(home.fail(words, 1).contains(expected), "{words}");
    }
    home.fail("join m human", 2);
    assert!(home.succeed("stop m").contains("games in play are finished"));
    let view = played.end();
    assert_eq!(view["state"], "open");
    let names: Vec<&str> =
        view["players"].as_array().unwrap().iter().map(|it| it["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["random-mover (1)", "random-mover (2)", "gomoku-simple", "random-mover"]);
    assert_eq!(view["players"][2]["withdrawn"], true);
    assert!(view["players"][2]["half_points"].as_u64() > Some(0));
    // Those who joined are there when it goes on.
    let again = Played::begin(&home, "--resume m");
    again.until(|line| {
        line["event"] == "game" && line["players"].as_array().unwrap().contains(&3.into())
    });
    assert!(home.fail("--resume m", 1).contains("is being played by another process"));
    home.succeed("stop m");
    let view = again.end();
    assert_eq!(view["players"].as_array().unwrap().len(), 4);
    assert_eq!(home.succeed("stop m"), "nobody plays it\n");
}

#[test]
fn what_a_format_does_not_admit_is_refused() {
    let home = Home::new();
    let words = "match random-mover random-mover --pairs 50000 --seed 1 --budget nodes:9 --dir m";
    let played = Played::begin(&home, words);
    let why = "nobody can join a match or a knockout once it was set up";
    assert!(home.fail("join m random-mover", 1).contains(why));
    home.succeed("stop m");
    played.end();
    // Asked of nobody, it waits for whoever plays next; a match of one is over.
    let said = home.succeed("withdraw m anybody");
    assert!(said.contains("when somebody goes on with it"), "{said}");
}
