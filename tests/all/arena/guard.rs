//! Engines that never answer and engines that never start, and the signals that end an arena.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use serde_json::Value;

use super::TestHome;

/// The guard stops an engine that never answers, and the arena ends. Whether the engine loses or
/// the pair is void depends on the load of the machine.
fn check_guard(fault: &str, budget: &str) {
    let home = TestHome::new();
    let words = format!(
        "match random-mover faulty:fault={fault}@{budget} --pairs 1 --variant freestyle-9 --seed 1 \
         --move-guard 50ms --json --dir m"
    );
    let output = home.run(&words);
    let (text, errors) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let sentence = "did not answer within 50 ms, the guard of moves without a time limit";
    assert!(text.contains(sentence), "{fault} {budget}: {text}{errors}");
    let last: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    let lost = last["view"]["faults"][0]["code"] == "timeout";
    let is_void = text.contains("a busy machine gave it");
    assert!(lost || is_void, "{fault} {budget}: {text}{errors}");
    // The guard is part of the setup.
    assert_eq!(last["view"]["settings"]["move_guard_us"], 50_000);
}

#[test]
fn an_engine_that_never_answers_does_not_hang_its_arena() {
    check_guard("loop", "depth:3");
    check_guard("loop", "nodes:1000");
    // It would answer a stop request, and gets no benefit from it.
    check_guard("ignore-depth", "nodes:1000");
}

#[test]
fn the_first_signal_names_the_second_which_ends_the_process() {
    let home = TestHome::new();
    let words = "round-robin random-mover random-mover faulty:fault=loop --budget depth:2 --variant freestyle-9 \
                 --seed 1 --concurrency 6 --json --dir m";
    let mut child =
        home.command(words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let pid = rustix::process::Pid::from_child(&child);
    let signal = || rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    let find = |lines: &mut dyn Iterator<Item = std::io::Result<String>>, part: &str| {
        let found = lines.map(Result::unwrap).find(|line| line.contains(part));
        assert!(found.is_some(), "no line with {part}");
    };
    let mut output = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut errors = BufReader::new(child.stderr.take().unwrap()).lines();
    // A game is stored. Four others never end.
    find(&mut output, "\"event\":\"game\"");
    signal();
    find(&mut errors, "a second signal (Ctrl-C) ends at once");
    signal();
    assert_eq!(child.wait().unwrap().code(), Some(1));
    // What was stored is in the file itself.
    std::fs::create_dir(home.path("copy")).unwrap();
    std::fs::copy(home.path("m/arena.db"), home.path("copy/arena.db")).unwrap();
    let games = home.games("copy");
    assert!((1..=2).contains(&games.len()), "{games:?}");
}

#[test]
fn an_engine_that_never_starts_ends_the_arena_and_decides_no_test() {
    let home = TestHome::new();
    let check = |fault: &str| {
        let words = format!(
            "match random-mover faulty:fault={fault} --pairs 500 --sprt 0,10 --variant freestyle-9 \
             --budget fuel:1e7/move --seed 1 --dir {fault}"
        );
        let errors = home.fail(&words, 1);
        let sentence = "faulty failed to start in 3 games in a row: game pair-0000";
        assert!(errors.contains(sentence), "{errors}");
        assert!(errors.contains("faulty (") && errors.contains("loses: it"), "{errors}");
        let view: Value =
            serde_json::from_str(&home.succeed(&format!("show {fault} --json"))).unwrap();
        assert_eq!(view["match_statistics"]["sprt"]["verdict"], "open", "{view}");
    };
    check("panic-in-start");
    check("refuse-start");
}

#[test]
fn arenas_that_could_not_end_as_requested_are_refused() {
    let home = TestHome::new();
    let check = |words: &str, expected: &str| {
        let errors = home.fail(&format!("{words} --dir m"), 2);
        assert!(errors.contains(expected), "{words}: {errors}");
        assert!(!home.path("m").exists(), "{words}");
    };
    let endless = "the budget `none` has no limit, so an engine may think for ever";
    check("match random-mover random-mover --pairs 1 --budget none", endless);
    check("match random-mover random-mover@none --pairs 1", endless);
    let three = "swiss random-mover random-mover random-mover --rounds";
    let most = "--rounds 9: 3 players can play at most 3 rounds of a Swiss system";
    check(&format!("{three} 9"), most);
    check(&format!("{three} 4"), "at most 3 rounds");
    let four = "swiss random-mover random-mover random-mover random-mover --rounds 4";
    check(four, "4 players can play at most 3 rounds");
    check("match random-mover random-mover --pairs 1 --move-guard none", "--move-guard");
    check("match random-mover random-mover --pairs 1 --move-guard 0s", "--move-guard");
    let view = home.play(&format!("{three} 3 --budget fuel:1e6/move --seed 1"));
    assert_eq!(view["progress"]["games"], 6);
}
