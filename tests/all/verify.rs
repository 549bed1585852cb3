//! `verify` on bouts with fuel budgets: sound records are verified, every change is found, and
//! faults are reproduced.

use std::io::Read;
use std::path::Path;

use serde_json::{Value, json};

use crate::cli::{CommandOutput, TestHome};

/// Plays `first` as black against the random mover on fuel; the JSON line.
fn bout(home: &TestHome, first: &str, more: &[&str]) -> Value {
    let arguments = [
        &["play", "gomoku", "--seat", first, "--seat", "random-mover", "--seed", "7"][..],
        &["--record", "b.json", "--json"],
        more,
    ];
    let line = home.succeed(&arguments.concat(), "");
    serde_json::from_str(&line).unwrap()
}

const FUEL: [&str; 2] = ["--budget", "fuel:3e6/move"];

fn verify(home: &TestHome) -> CommandOutput {
    home.run(&["verify", "b.json"], "")
}

#[test]
fn every_kind_of_ending_is_verified() {
    let endings = [
        ("gomoku-simple", "five in a row"),
        ("faulty:fault=panic:at=2", "gave up: panicked at"),
        ("faulty:fault=panic-in-start", "gave up: panicked at"),
        ("faulty:fault=panic-in-played:at=2", "gave up: panicked at"),
        ("faulty:fault=loop:at=3", "used up its 3"),
        ("faulty:fault=loop-in-played:at=2", "used up its"),
        ("faulty:fault=memory", "used up its 64 MiB of memory"),
        ("faulty:fault=stack", "used up its 64512 slots of stack"),
        ("faulty:fault=error:at=2", "answered with an error"),
        ("faulty:fault=refuse-start", "answered with an error: asked not to start"),
        ("faulty:fault=occupied-point:at=2", "is illegal"),
        ("faulty:fault=malformed-move", "is illegal"),
        ("faulty:fault=huge-move", "sent a move of"),
        ("faulty:fault=huge-log", ""),
        ("faulty:fault=log-flood", ""),
        ("faulty:fault=report-flood", ""),
        ("faulty:fault=resign:at=4", "resigns"),
        ("faulty:fault=accept-draw:at=3", "is illegal"),
        ("faulty:fault=query-host:at=2", ""),
    ];
    let home = TestHome::new();
    for (first, sentence) in endings {
        let line = bout(&home, first, &FUEL);
        let found = line["result"]["sentence"].as_str().unwrap();
        assert!(found.contains(sentence), "{first}: {found}");
        let check = |more: &[&str]| {
            let CommandOutput { code, out, err } =
                home.run(&[&["verify", "b.json"], more].concat(), "");
            assert_eq!(code, Some(0), "{first}, {more:?}: {found}\n{out}{err}");
            assert_eq!(out.matches(" verified: ").count(), 2, "{first}, {more:?}: {out}");
        };
        check(&[]);
        // Compiler settings and the memory allocator make no difference, nor does an interpreter.
        check(&["--opt-level", "none", "--allocator", "on-demand"]);
        check(&["--runtime", "wasmi"]);
    }
}

#[test]
fn a_bout_that_begins_with_moves_is_verified() {
    let home = TestHome::new();
    bout(&home, "gomoku-simple", &FUEL);
    let from = ["play", "--from", "b.json@4", "--record", "c.json"];
    home.succeed(&from, "");
    let record: Value = read(&home.file("c.json"));
    assert_eq!(record["opening"].as_array().unwrap().len(), 4);
    let check = |change: &dyn Fn(&mut Value), code: i32, expected: &str| {
        let mut changed = record.clone();
        change(&mut changed);
        std::fs::write(home.file("d.json"), changed.to_string()).unwrap();
        let CommandOutput { code: found, out, err } = home.run(&["verify", "d.json"], "");
        assert!(format!("{out}{err}").contains(expected), "{out}{err}, not {expected}");
        assert_eq!(found, Some(code), "{out}{err}");
    };
    check(&|_| (), 0, " verified: ");
    // The engines got these moves: as a position, the same start gives another transcript.
    let position = |record: &mut Value| {
        let moves = record["opening"].as_array().unwrap().iter();
        let moves: Vec<&str> = moves.map(|mv| mv["move"].as_str().unwrap()).collect();
        let request = json!({"variant": record["variant"], "moves": moves.join(" ")});
        let answer = home.succeed(&["rules", "gomoku"], &request.to_string());
        let answer: Value = serde_json::from_str(&answer).unwrap();
        record["start"] = answer["position"].clone();
        record["opening"] = json!([]);
    };
    check(&position, 1, " differs: ");
}

#[test]
fn a_move_taken_from_a_report_is_verified() {
    let home = TestHome::new();
    let first = "faulty:fault=report-then-loop:at=2";
    let more = [&FUEL[..], &["--on-timeout", "play-reported"]].concat();
    bout(&home, first, &more);
    let record: Value = read(&home.file("b.json"));
    assert_eq!(record["plies"][2]["origin"], "reported-on-timeout");
    let CommandOutput { code, out, .. } = verify(&home);
    assert_eq!(code, Some(0), "{out}");
    let mut other = record.clone();
    other["plies"].as_array_mut().unwrap().truncate(3);
    other["plies"][2]["move"] = json!("a9");
    let events = other["events"].as_array_mut().unwrap();
    let started = |event: &Value| event["event"] == "started";
    events.retain(|event| {
        event["at_ply"].as_u64() < Some(3) || event["at_ply"] == 3 && started(event)
    });
    other["result"] = Value::Null;
    std::fs::write(home.file("b.json"), other.to_string()).unwrap();
    let CommandOutput { code, out, .. } = verify(&home);
    assert!(out.contains(", the record reported `a9`; see: "), "{out}");
    assert_eq!(code, Some(1), "{out}");
}

fn read(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

/// Verifying a sound record after `change` prints `expected` and exits with `code`.
fn check(change: impl FnOnce(&mut Value), code: i32, expected: &str) {
    let home = TestHome::new();
    bout(&home, "gomoku-simple", &FUEL);
    let mut record = read(&home.file("b.json"));
    change(&mut record);
    std::fs::write(home.file("b.json"), record.to_string()).unwrap();
    let ended = verify(&home);
    let output = format!("{}{}", ended.out, ended.err);
    assert!(output.contains(expected), "{output:?}, not {expected:?}");
    assert_eq!(ended.code, Some(code), "{output}");
}

#[test]
fn the_first_difference_is_reported() {
    let more_fuel = |record: &mut Value| {
        let fuel = &mut record["plies"][2]["spent"]["fuel"];
        *fuel = json!(fuel.as_u64().unwrap() + 1);
    };
    check(more_fuel, 1, "ply 2 differs: gomoku-simple: the replay took ");
    let border = |record: &mut Value| {
        record["plies"][4]["spent"]["transcript_hash"] = json!("00".repeat(16));
    };
    check(border, 1, "ply 4 differs: gomoku-simple: the same answer for the same fuel, but");
    let mv = |record: &mut Value| record["plies"][1]["move"] = json!("a1");
    check(mv, 1, "ply 1 differs: random-mover: the replay chose `");
    let seed = |record: &mut Value| record["players"][1]["engine"]["seed"] = json!(1);
    check(seed, 1, "ply 1 differs: random-mover");
    let depth = |record: &mut Value| {
        record["players"][0]["engine"]["options"] = json!({ "depth": "1" });
    };
    check(depth, 1, "ply 0 differs: gomoku-simple: the replay took ");
    let winner = |record: &mut Value| record["result"]["winner"] = json!(1);
    check(winner, 1, "result: the bout ends with: gomoku-simple (black) wins");
    let started = |record: &mut Value| drop(record["events"].as_array_mut().unwrap().remove(0));
    check(
        started,
        1,
        "events[0]: here the bout has {\"at_ply\":0,\"event\":\"started\",\"player\":0}",
    );
}

/// A bout in which `faulty` has a budget for years: its second choice never ends, and the bout was
/// interrupted there. Returns the record.
fn interrupted_loop(home: &TestHome) -> Value {
    let seats = ["--seat", "faulty:fault=loop:at=2", "--seat", "random-mover", "--seed", "7"];
    let more = ["--budget", "fuel:1e18/move", "--record", "b.json"];
    let mut command = home.command(&[&["play", "gomoku"], &seats[..], &more].concat());
    let mut child = command.stdout(std::process::Stdio::piped()).spawn().unwrap();
    let mut output = child.stdout.take().unwrap();
    let (mut seen, mut byte) = (String::new(), [0]);
    // The second move is printed when it was played.
    while seen.split_once(" 1. ").is_none_or(|(_, moves)| moves.split_whitespace().count() < 2) {
        assert_eq!(output.read(&mut byte).unwrap(), 1, "{seen}");
        seen.push(byte[0].into());
    }
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    std::io::copy(&mut output, &mut std::io::sink()).unwrap();
    child.wait().unwrap();
    let mut record = read(&home.file("b.json"));
    record["plies"].as_array_mut().unwrap().truncate(2);
    record["events"].as_array_mut().unwrap().retain(|event| event["event"] == "started");
    record["result"] = Value::Null;
    record
}

#[test]
fn a_call_ends_soon_after_its_recorded_fuel_whatever_its_budget() {
    let home = TestHome::new();
    let record = interrupted_loop(&home);
    let check = |fuel: u64, expected: &str| {
        let mut forged = record.clone();
        let plies = forged["plies"].as_array_mut().unwrap();
        let mut ply = plies[0].clone();
        (ply["move"], ply["spent"]["fuel"]) = (json!("a1"), json!(fuel));
        plies.push(ply);
        std::fs::write(home.file("b.json"), forged.to_string()).unwrap();
        let CommandOutput { code, out, err } = verify(&home);
        assert!(out.contains(expected), "{out}{err}");
        assert_eq!(code, Some(2), "{out}{err}");
    };
    check(1_000, "a call ran far longer than its recorded fuel explains");
    check(20_000_000_000_000, "a call used more than 1e13 units of fuel");
}

#[test]
fn suggested_commands_keep_the_engines_folder() {
    let home = TestHome::new();
    let folder = sandboard_tests::root().join("engines-dir");
    let named = ["--engines-dir", folder.to_str().unwrap()];
    let line = bout(&home, "faulty:fault=panic:at=2", &[&FUEL[..], &named].concat());
    let expected = format!("--player 0 --engines-dir {}", folder.display());
    let command = line["faults"][0]["replay"].as_str().unwrap();
    assert!(command.ends_with(&expected), "{command}");
    let mut record = read(&home.file("b.json"));
    record["players"][0]["engine"]["seed"] = json!(1);
    std::fs::write(home.file("b.json"), record.to_string()).unwrap();
    let ended = home.run(&[&["verify", "b.json"][..], &named].concat(), "");
    assert!(ended.out.contains(&expected), "{}", ended.out);
    let arena =
        "arena match random-mover faulty:fault=panic:at=2 --pairs 1 --seed 1 --dir m --json";
    let arguments: Vec<&str> = arena.split(' ').chain(named).collect();
    let output = home.succeed(&arguments, "");
    let line: Value = serde_json::from_str(output.lines().last().unwrap()).unwrap();
    let command = line["view"]["faults"][0]["replay"].as_str().unwrap();
    assert!(command.contains("m/pair-000001-1 --ply 3 "), "{command}");
    assert!(
        command.ends_with(&format!("--player 1 --engines-dir {}", folder.display())),
        "{command}"
    );
}

/// Ends the recorded bout after four moves by this event and result.
fn ends(record: &mut Value, event: Value, winner: Value, termination: &str, sentence: &str) {
    record["plies"].as_array_mut().unwrap().truncate(4);
    record["events"].as_array_mut().unwrap().extend([event].into_iter().filter(|it| !it.is_null()));
    record["result"] =
        json!({ "winner": winner, "termination": termination, "sentence": sentence });
}

#[test]
fn forged_endings_are_found() {
    let resigned = |record: &mut Value| {
        let event = json!({ "at_ply": 4, "event": "resigned", "player": 0 });
        ends(record, event, json!(1), "resignation", "gomoku-simple (black) resigns");
    };
    check(resigned, 1, "events[2]: player 0 is an engine, but the usage is missing");
    let gone = |record: &mut Value| {
        let sentence = "gomoku-simple (black) loses: the connection is lost";
        ends(record, Value::Null, json!(1), "disconnected", sentence);
    };
    check(gone, 1, "result: no person has disconnected");
    let out_of_turn = |record: &mut Value| {
        let event = json!({
            "at_ply": 4, "event": "fault", "player": 1, "code": "crash", "sentence": "trapped",
        });
        ends(record, event, json!(0), "fault", "random-mover (white) loses: it trapped");
        record["result"]["fault"] = json!("crash");
    };
    check(out_of_turn, 1, "events[2]: player 1 had no call that could fail");
    let legal = |record: &mut Value| {
        let (mv, spent) = (record["plies"][4]["move"].clone(), record["plies"][4]["spent"].clone());
        let event = json!({
            "at_ply": 4, "event": "refused", "player": 0, "move": mv, "reason": "it is", "spent": spent,
        });
        ends(record, event, json!(1), "illegal-move", "gomoku-simple (black) loses");
        record["settings"]["requests"] = json!(1);
    };
    check(legal, 1, "events[2]: 5 moves have been played");
    let overrun = |record: &mut Value| {
        let event = json!({
            "at_ply": 4, "event": "overrun", "player": 0, "spent": 60_000_000, "allowed": 3_000_000,
        });
        ends(record, event, json!(1), "timeout", "gomoku-simple (black) loses on time");
    };
    check(overrun, 1, "events[2]: an engine that uses up its fuel does not answer");
}

#[test]
fn missing_usage_values_are_differences() {
    let left_out = |field: &'static str| {
        move |record: &mut Value| {
            drop(record["plies"][2]["spent"].as_object_mut().unwrap().remove(field))
        }
    };
    check(
        left_out("transcript_hash"),
        1,
        "ply 2 differs: gomoku-simple: the same answer for the same fuel",
    );
    check(left_out("peak_memory_bytes"), 1, "bytes of memory, the record has none");
}

#[test]
fn players_are_identified_by_their_module_and_open_ends_are_reported() {
    let names = |record: &mut Value| {
        record["players"][0]["name"] = json!("random-mover");
        record["result"]["sentence"] = json!("random-mover (black) wins: five in a row");
    };
    check(names, 0, "units of fuel; its module is gomoku-simple 0.1.0");
    let aborted = |record: &mut Value| {
        ends(record, Value::Null, Value::Null, "aborted", "aborted: power");
    };
    check(aborted, 0, "the end of the bout is accepted as recorded: aborted: power");
    let unfinished = |record: &mut Value| {
        record["plies"].as_array_mut().unwrap().truncate(4);
        record["result"] = Value::Null;
    };
    check(unfinished, 0, "the bout is unfinished after 4 moves");
}

#[test]
fn a_forged_draw_offer_is_found() {
    let home = TestHome::new();
    let seats = ["--seat", "human", "--seat", "gomoku-simple@fuel:3e6/move"];
    let arguments = [&["play", "gomoku", "--record", "b.json"][..], &seats].concat();
    home.succeed(&arguments, "h8\nresign\n");
    assert_eq!(verify(&home).code, Some(0));
    let record = read(&home.file("b.json"));
    let check = |with_the_move: bool, expected: &str| {
        let mut record = record.clone();
        if with_the_move {
            record["plies"][1]["offers_draw"] = json!(true);
        }
        let events = record["events"].as_array_mut().unwrap();
        events.truncate(1);
        events.push(json!({ "at_ply": 2, "event": "draw-offered", "player": 1 }));
        events.push(json!({ "at_ply": 2, "event": "draw-accepted", "player": 0 }));
        record["result"] = json!({ "winner": null, "termination": "draw-agreed", "scores": [0, 0],
                "sentence": "draw: agreed" });
        std::fs::write(home.file("b.json"), record.to_string()).unwrap();
        let CommandOutput { code, out, .. } = verify(&home);
        assert!(out.contains(expected), "{out}");
        assert_eq!(code, Some(1), "{out}");
    };
    check(true, "and offered a draw; see: ");
    check(false, "events[1]: player 1 is an engine, but the usage is missing");
}

#[test]
fn a_bout_with_undone_moves_is_sound_but_unfinished() {
    let home = TestHome::new();
    let seats = ["--seat", "human", "--seat", "gomoku-simple@fuel:3e6/move"];
    let arguments = [&["play", "gomoku", "--record", "b.json"][..], &seats].concat();
    home.succeed(&arguments, "h8\nh9\nundo\nh10\nresign\n");
    let CommandOutput { code, out, .. } = verify(&home);
    assert!(out.contains("cannot be verified from ply 3 on: moves were undone there"), "{out}");
    assert_eq!(code, Some(2), "{out}");
}

#[test]
fn unverifiable_records_are_reported_with_a_reason() {
    let module = |record: &mut Value| {
        record["players"][0]["engine"]["module_sha256"] = json!("ab".repeat(32));
    };
    check(module, 2, "gomoku-simple cannot be verified: the module of gomoku-simple");
    let asset = |record: &mut Value| {
        record["players"][0]["engine"]["assets"] = json!({ "book": "cd" });
    };
    check(asset, 2, "with the assets book (cd) is not in");
    let meter = |meter: Value| {
        move |record: &mut Value| {
            record["players"][0]["engine"]["fuel_meter"] = meter.clone();
        }
    };
    let runtime = json!({"runtime": "wasmtime 1.2.3", "prices": 2, "opt_level": "speed"});
    check(meter(runtime), 2, "its fuel was counted by wasmtime 1.2.3, optimisation `speed`, price");
    let later = json!({"prices": 2, "instrumentation": 99});
    check(meter(later), 2, "its fuel was counted by instrumentation 99, price table 2, but this");
    let stopped = |record: &mut Value| record["plies"][2]["spent"]["stopped"] = json!(true);
    check(stopped, 2, "cannot be verified from ply 2 on: the engine was stopped there on request");
    let home = TestHome::new();
    bout(&home, "gomoku-simple", &["--budget", "depth:1"]);
    let ended = verify(&home);
    assert!(ended.out.contains("gomoku-simple did not play on fuel"), "{}", ended.out);
    assert_eq!(ended.code, Some(2));
    let ended = home.run(&["verify", "nowhere.json"], "");
    assert!(ended.out.contains("cannot read nowhere.json"), "{}", ended.out);
    assert_eq!(ended.code, Some(1));
}

#[test]
fn only_players_on_fuel_are_replayed() {
    let home = TestHome::new();
    let seats = ["--seat", "gomoku-simple@fuel:3e6/move", "--seat", "random-mover@5s/move"];
    let arguments = [&["play", "gomoku", "--record", "b.json", "--json"][..], &seats].concat();
    home.succeed(&arguments, "");
    let CommandOutput { code, out, .. } = verify(&home);
    assert!(out.contains("random-mover did not play on fuel"), "{out}");
    assert!(out.contains("gomoku-simple verified: "), "{out}");
    assert_eq!(code, Some(0));
    let strict = home.run(&["verify", "b.json", "--strict", "--json"], "");
    let line: Value = serde_json::from_str(&strict.out).unwrap();
    assert_eq!((strict.code, &line["verdict"]), (Some(2), &json!("partly")), "{line}");
}

#[test]
fn a_match_is_verified_as_a_whole() {
    let home = TestHome::new();
    let arguments = "arena match gomoku-simple random-mover --pairs 3 --seed 1 --dir m \
                     --budget fuel:3e6/move --json";
    home.succeed(&arguments.split_whitespace().collect::<Vec<_>>(), "");
    let out = home.succeed(&["verify", "m"], "");
    assert!(out.ends_with("6 verified, 0 partly, 0 differ, 0 cannot be verified\n"), "{out}");
    let json = home.succeed(&["verify", "m", "--json", "--jobs", "1"], "");
    let lines: Vec<Value> = json.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 6);
    assert!(lines.iter().all(|line| line["verdict"] == "verified"), "{json}");
    let one = home.succeed(&["verify", "m/pair-000002-1", "--json"], "");
    assert_eq!(one.lines().count(), 1);
    for none in ["m/none", "m/pair-000004-1"] {
        let ended = home.run(&["verify", none], "");
        assert_eq!(ended.code, Some(1), "{}", ended.out);
        assert!(ended.out.contains("has no finished game"), "{}", ended.out);
    }
    // The same records as files in a folder with a link to itself.
    home.succeed(&["arena", "game", "m", "all", "--out", "files"], "");
    #[cfg(unix)]
    std::os::unix::fs::symlink(".", home.file("files/again")).unwrap();
    let out = home.succeed(&["verify", "files"], "");
    assert!(out.ends_with("6 verified, 0 partly, 0 differ, 0 cannot be verified\n"), "{out}");
}

#[test]
fn the_suggested_command_reproduces_the_fault() {
    let home = TestHome::new();
    let check = |first: &str, at_ply: u64, call: &str| {
        for budget in [&FUEL, &["--budget", "5s/move"]] {
            let line = bout(&home, first, budget);
            let fault = &line["faults"][0];
            assert_eq!(
                (&fault["at_ply"], &fault["call"]),
                (&json!(at_ply), &json!(call)),
                "{line}"
            );
            let command = fault["replay"].as_str().unwrap();
            let words: Vec<&str> = command.split(' ').collect();
            assert_eq!((words[0], words[1]), ("sandboard", "replay"), "{command}");
            let out = home.succeed(&words[1..], "");
            let sentence = fault["sentence"].as_str().unwrap();
            assert_eq!(out.matches(sentence).count(), 2, "now and recorded: {sentence}\n{out}");
        }
    };
    check("faulty:fault=panic:at=3", 4, "choose");
    check("faulty:fault=panic-in-played:at=2", 1, "played");
    check("faulty:fault=refuse-start", 0, "start");
    let line = bout(&home, "faulty:fault=occupied-point:at=2", &FUEL);
    assert_eq!(line["faults"][0]["code"], "illegal-move");
    let out = home.succeed(&["replay", "b.json", "--ply", "2", "--no-deadline"], "");
    assert!(out.contains(", which was refused, "), "{out}");
    assert!(out.contains(", not "), "the second request bars the first answer: {out}");
    assert!(out.contains("the next call is the one"), "{out}");
    let ended = home.run(&["replay", "b.json", "--ply", "77"], "");
    assert!(ended.err.contains("b.json has no such call after 77 moves"), "{}", ended.err);
    assert_eq!(ended.code, Some(2));
}
