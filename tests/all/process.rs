//! External engines that speak UCI or Gomocup's protocol: the commands that they receive, their use
//! in the CLI, and the jail that they need. `hostile::process` tests their faults.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use sandboard_abi::{Barred, Decision, Limits, Setup, Unit};
use sandboard_engine::{Engine, EngineSource, Fault, Resources};
use sandboard_engine_process::external::ExternalSource;
use sandboard_engine_process::{CompileLimits, EngineProcesses};
use sandboard_jail::{Jail, Layer};
use sandboard_protocols::{Dialect, Protocol, ProtocolConfig};
use sandboard_tests::{RecordingListener, binary, engine_processes, gomoku, root};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::cli::{CommandOutput, TestHome};
use crate::engines::lenient_limits;
use crate::hostile::process::guest::{caps, description, program, protocol_config};
use crate::jail::traces::{host, is_a_host, wait_to_be_killed};

fn source_of(
    processes: &Arc<EngineProcesses>,
    protocol_config: &ProtocolConfig,
) -> Result<ExternalSource, Fault> {
    let bytes = std::fs::read(program()).expect("it was built");
    ExternalSource::new(
        processes,
        &bytes,
        &description(),
        protocol_config,
        caps(),
        &Resources::default(),
    )
}

/// Starts a game; the engine and a listener with the commands that the program received.
fn start_game(
    protocol_config: &ProtocolConfig,
    setup: &Setup,
) -> Result<(Box<dyn Engine>, Arc<RecordingListener>), Fault> {
    let listener = RecordingListener::new();
    let mut engine = source_of(engine_processes(), protocol_config)?.open(listener.clone(), 1)?;
    engine.start(setup)?;
    Ok((engine, listener))
}

/// Takes the commands that the program has received since the last call.
fn received(listener: &RecordingListener) -> Vec<String> {
    let log = std::mem::take(&mut *listener.log.lock().expect("no test panics here"));
    log.iter().filter_map(|line| line.strip_prefix("received ").map(str::to_owned)).collect()
}

#[test]
fn options_are_sent_by_their_protocol_names() {
    let check = |options: &[(&str, &str)], threads: u16, expected: &[&str]| {
        let setup = Setup { threads, ..gomoku(options) };
        let (_engine, listener) =
            start_game(&protocol_config("none", ""), &setup).expect("it starts");
        let expected = expected.iter().map(|it| format!("setoption name {it}"));
        assert_eq!(received(&listener), expected.collect::<Vec<_>>(), "{options:?}");
    };
    check(&[], 1, &["Skill Level value 3", "Style value wild", "Threads value 1"]);
    let set = [("skill", "20"), ("style", "calm")];
    check(&set, 2, &["Skill Level value 20", "Style value calm", "Threads value 2"]);
}

#[test]
fn invalid_option_values_are_refused_with_a_reason() {
    let check = |setup: &Setup, why: &str| {
        let fault = start_game(&protocol_config("none", ""), setup).err().expect("it is refused");
        assert!(fault.sentence.contains(why), "{fault} is not {why}");
    };
    check(
        &gomoku(&[("skill", "21")]),
        "accepts a whole number from 0 to 20 for its option `Skill Level`, not `21`",
    );
    check(
        &Setup { threads: 9, ..gomoku(&[]) },
        "accepts a whole number from 1 to 8 for its option `Threads`, not `9`",
    );
    check(&gomoku(&[("depth", "3")]), "cannot begin: its manifest has no option `depth`");
    check(
        &gomoku(&[("style", "calm\nquit")]),
        "accepts one of calm, wild for its option `Style`, not `calm",
    );
    check(&Setup { game: "chess".into(), ..gomoku(&[]) }, "cannot begin: no game `chess`");
    check(&Setup { start: "nonsense".into(), ..gomoku(&[]) }, "cannot begin: ");
    check(&Setup { moves: "a1 a1".into(), ..gomoku(&[]) }, "cannot begin: ");
    let other = ProtocolConfig { option_names: vec![], ..protocol_config("none", "") };
    let fault = start_game(&other, &gomoku(&[])).err().expect("it is refused");
    assert_eq!(fault.sentence, "offers no option `skill`, which its manifest sets");
}

#[test]
fn positions_and_limits_are_sent_as_commands() {
    let setup = Setup { variant: "freestyle-5".into(), ..gomoku(&[]) };
    let (mut engine, listener) =
        start_game(&protocol_config("none", ""), &setup).expect("it starts");
    received(&listener);
    let check = |engine: &mut dyn Engine, limits: &Limits, position: &str, go: &str| {
        let answer = engine.choose(limits, &[]).expect("it answers");
        let received = received(&listener);
        assert_eq!(received[0], format!("position fen {position}"));
        assert!(received[1].starts_with(go), "{received:?}");
        answer.choice.decision
    };
    let nodes = Limits { nodes: Some(100), ..Limits::default() };
    let first = check(&mut *engine, &nodes, "5/5/5/5/5 b", "go nodes 100");
    assert_eq!(first, Decision::Play("a5".into()));
    engine.played("c3").expect("the engine accepts it");
    engine.played("a5").expect("the engine accepts it");
    let wall = Limits { unit: Unit::Wall, call_max: Some(30_000_000), ..Limits::default() };
    let third = check(&mut *engine, &wall, "o4/5/2x2/5/5 b", "go movetime 29");
    assert_eq!(third, Decision::Play("b5".into()));
    let clock = Limits { game_left: Some(60_000_000), increment: 1_000_000, ..wall };
    let go = "go wtime 29";
    check(&mut *engine, &clock, "o4/5/2x2/5/5 b", go);
}

#[test]
fn excluded_moves_are_not_in_searchmoves() {
    let setup = Setup { variant: "freestyle-5".into(), ..gomoku(&[]) };
    let search_moves = |dialect: Dialect| {
        let protocol_config = ProtocolConfig { dialect, ..protocol_config("none", "") };
        let (mut engine, listener) = start_game(&protocol_config, &setup).expect("it starts");
        let barred = [Barred { r#move: "a1".into(), reason: "taken".into() }];
        engine.choose(&lenient_limits(), &barred).expect("it answers");
        let received = received(&listener).pop().expect("a command was sent");
        let (_, moves) = received.split_once(" searchmoves ").expect("the command has searchmoves");
        let mut moves: Vec<String> = moves.split(' ').map(str::to_owned).collect();
        moves.sort();
        assert_eq!(moves.len(), 24);
        moves.swap_remove(0)
    };
    assert_eq!(search_moves(Dialect::Same), "a2");
    assert_eq!(search_moves(Dialect::RanksFromOne), "a3");
}

#[test]
fn a_dialect_is_translated_in_both_directions() {
    let protocol_config =
        ProtocolConfig { dialect: Dialect::RanksFromOne, ..protocol_config("none", "") };
    let (mut engine, _) = start_game(&protocol_config, &gomoku(&[])).expect("it starts");
    // The program answers `a15`, which means the rank below.
    let answer = engine.choose(&lenient_limits(), &[]).expect("it answers");
    assert_eq!(answer.choice.decision, Decision::Play("a14".into()));
    assert_eq!(answer.choice.line.expect("it says why").moves, "a14");
}

#[test]
fn a_move_is_sent_again_after_a_take_back() {
    let (mut engine, _) =
        start_game(&protocol_config("none", ""), &gomoku(&[])).expect("it starts");
    let choose = |engine: &mut dyn Engine| {
        let answer = engine.choose(&lenient_limits(), &[]).expect("it answers");
        let Decision::Play(mv) = answer.choice.decision else { panic!("it plays") };
        mv
    };
    assert_eq!(choose(&mut *engine), "a15");
    engine.played("a15").expect("the engine accepts it");
    assert_eq!(choose(&mut *engine), "b15");
    engine.taken_back(1).expect("the engine accepts it");
    assert_eq!(choose(&mut *engine), "a15");
}

/// Limits of a move: wall time without grace.
fn limits_of(ms: u64) -> Limits {
    Limits { unit: Unit::Wall, call_max: Some(ms * 1000), grace: 0, ..Limits::default() }
}

/// The program as a Gomocup engine that does an act instead of its first move.
fn brain(act: &str) -> Result<ExternalSource, Fault> {
    let protocol_config = ProtocolConfig {
        protocol: Protocol::Gomocup,
        ..protocol_config(&format!("{act}@BEGIN"), "40")
    };
    source_of(engine_processes(), &protocol_config)
}

#[test]
fn a_gomocup_engine_plays_a_whole_game_with_a_take_back() {
    let listener = RecordingListener::new();
    let mut engine =
        brain("none").and_then(|source| source.open(listener.clone(), 1)).expect("it opens");
    engine.start(&gomoku(&[])).expect("it starts");
    let mut play = |takes_back: bool, expected: &str| {
        let answer = engine.choose(&lenient_limits(), &[]).expect("it answers");
        assert_eq!(answer.choice.decision, Decision::Play(expected.into()));
        engine.played(expected).expect("the engine accepts it");
        if takes_back {
            engine.taken_back(1).expect("the engine accepts it");
        }
    };
    // The engine plays both sides, so each position differs from the one it knows.
    play(false, "a15");
    play(true, "b15");
    play(false, "b15");
    play(false, "c15");
    let log = std::mem::take(&mut *listener.log.lock().expect("no test panics here"));
    assert!(log.contains(&"received INFO rule 0".to_owned()), "{log:?}");
}

#[test]
fn misbehaviour_of_a_gomocup_engine_is_a_fault() {
    let check = |act: &str, ms: u64, why: &str| {
        let mut engine =
            brain(act).and_then(|it| it.open(RecordingListener::new(), 1)).expect("it opens");
        engine.start(&gomoku(&[])).expect("it starts");
        let limits = limits_of(ms);
        let fault = engine.choose(&limits, &[]).expect_err("it is at fault");
        assert!(fault.sentence.starts_with(why), "{act}: {fault}, not {why}");
    };
    check("segv", 30_000, "was killed by SIGSEGV; its last output: about to touch nothing");
    check("exit", 30_000, "ended its process before it answered (exit status 3)");
    check("close-output", 30_000, "closed its channel before it answered");
    check("silent", 60, "did not answer within 60 ms");
    check("deaf", 60, "did not answer within 60 ms");
    check("slow", 20, "did not answer within 20 ms");
    check("no-text", 30_000, "printed a line that is not UTF-8: bestmove");
    check("flood-lines", 30_000, "printed more than 67108864 bytes in one call");
    check("flood-line", 30_000, "printed a line of more than 65536 bytes");
}

#[test]
fn external_engines_need_jail_layers() {
    let check = |without: &[Layer], expected: Option<&str>| {
        let processes = EngineProcesses::new(binary(), CompileLimits::EVERYDAY, without);
        let found =
            source_of(&processes, &protocol_config("none", "")).err().map(|fault| fault.sentence);
        let jail = Jail::start_without(&binary(), without).expect("this system has a jail");
        let complete = [Layer::PidNamespace, Layer::Landlock]
            .iter()
            .all(|it| jail.layers().has(*it) || without.contains(it));
        let found_here = found.as_deref().unwrap_or_default();
        match expected {
            Some(expected) => assert!(found_here.contains(expected), "{without:?}: {found_here}"),
            None if complete => assert_eq!(found, None, "{without:?}"),
            None => (),
        }
        // `doctor` has the same result.
        assert_eq!(jail.test_program().is_err(), found.is_some(), "{without:?}: {found:?}");
    };
    check(&[], None);
    check(&[Layer::Landlock], None);
    check(&[Layer::PidNamespace], Some("external engines need pid-namespace, which"));
    let both = [Layer::Landlock, Layer::MountNamespace];
    check(&both, Some("external engines need landlock or mount-namespace, which"));
}

#[test]
fn host_with_a_program() {
    if !is_a_host() {
        return;
    }
    let (_engine, _) = start_game(&protocol_config("none", ""), &gomoku(&[])).expect("it starts");
    wait_to_be_killed();
}

#[test]
fn a_killed_host_leaves_no_program() {
    host("process::host_with_a_program", Some(3));
}

/// An engines folder with the program and with an invalid one.
fn pack(home: &TestHome) -> String {
    let folder = home.file("e");
    std::fs::create_dir(&folder).unwrap();
    std::fs::copy(program(), folder.join("program")).unwrap();
    std::fs::write(folder.join("script"), "#!/bin/sh\necho uciok\n").unwrap();
    let place = program().display();
    let engine = |id: &str, code: &str| {
        format!(
            r#"<Engine id="{id}" version="1" kind="external" protocol="uci" {code}>
                 <Game id="gomoku" variants="freestyle"/>
                 <Option name="skill" protocol_name="Skill Level" kind="whole" min="0" max="20" default="5"/>
               </Engine>"#
        )
    };
    let engines = [
        engine("ours", r#"module="program""#),
        engine("theirs", &format!(r#"program="{place}""#)),
        engine("script", r#"module="script""#),
        engine("missing", r#"program="/no/such/program""#),
    ];
    let manifest = format!(r#"<EngineConfigs abi="1">{}</EngineConfigs>"#, engines.concat());
    std::fs::write(folder.join("EngineConfigs.xml"), manifest).unwrap();
    folder.display().to_string()
}

#[test]
fn commands_support_external_engines() {
    let home = TestHome::without_engines();
    let folder = pack(&home);
    let run = |words: &str| {
        let words = format!("{words} --engines-dir {folder}");
        home.run(&words.split(' ').collect::<Vec<_>>(), "{}\n")
    };
    let analyse = "analyse ours --game gomoku --variant freestyle-5 --budget 10s/move";
    let refused = |words: &str, why: &str| {
        let CommandOutput { err, code, .. } = run(words);
        assert!(code != Some(0) && err.contains(why), "{words}: no {why:?} in {err}");
    };
    let listed: Value = serde_json::from_str(&run("list --json").out).unwrap();
    let engines = listed["engines"].as_array().unwrap();
    let of = |id: &str| engines.iter().find(|it| it["id"] == id).unwrap();
    assert_eq!(of("ours")["kind"], "external");
    assert_eq!(of("ours")["needs_trust"], true);
    assert_eq!(of("ours")["trusted"], false);
    assert_eq!(of("ours")["protocol_config"]["option_names"][0][1], "Skill Level");
    // Both engines have the same bytes.
    assert_eq!(of("ours")["sha256"], of("theirs")["sha256"]);
    let fault = |id: &str| of(id)["faults"][0]["reason"].as_str().unwrap().to_owned();
    assert_eq!(fault("script"), "`script`: is a script; name its interpreter as the program");
    assert_eq!(fault("missing"), "`/no/such/program`: no such file");
    assert!(run("list").out.contains("external, needs trust"));

    refused(analyse, "is a program, and is not trusted: its SHA-256 is ");
    let trust = run("trust theirs");
    assert!(trust.out.contains("warning  a program:"), "{}", trust.out);
    refused(&format!("{analyse} --native refuse"), "is a program, and those are refused here");
    refused(&format!("{analyse} --contest"), "is a program, and those are refused here");
    let fuel = analyse.replace("10s/move", "fuel:1e7/move");
    refused(&fuel, "is a program, whose fuel cannot be counted; use a budget of wall time");
    for native in ["jailed", "in-process"] {
        let found = run(&format!("{analyse} --native {native}"));
        let answer: Value = serde_json::from_str(&found.out).unwrap_or_default();
        assert_eq!(answer["move"], "a5", "{}{}", found.out, found.err);
        assert_eq!(answer["score"], 3);
    }
    refused(&analyse.replace("10s/move", "none"), "needs an engine that can prove a result");

    let record = home.file("record.json").display().to_string();
    let played = run(&format!(
        "play gomoku --variant freestyle-5 --seat ours:skill=7 --seat theirs --budget 10s/move \
         --record {record}"
    ));
    assert_eq!(played.code, Some(0), "{}", played.err);
    let record: Value = serde_json::from_slice(&std::fs::read(&record).unwrap()).unwrap();
    let engine = &record["players"][0]["engine"];
    assert_eq!(engine["module_sha256"], of("ours")["sha256"]);
    assert_eq!(engine["options"]["skill"], "7");
    assert!(engine["jail"]["layers"].as_array().unwrap().iter().any(|it| it == "seccomp"));
    assert!(record["plies"][0]["spent"]["cpu_us"].is_u64(), "{}", record["plies"][0]);
    let verified = run(&format!("verify {}", home.file("record.json").display()));
    let output = verified.out + &verified.err;
    assert!(output.contains("no engine played on fuel"), "{output}");
    let again = run(&format!("replay {} --ply 4", home.file("record.json").display()));
    assert_eq!(again.code, Some(0), "{}{}", again.out, again.err);
}

#[test]
fn external_engines_pass_the_check_steps_for_programs() {
    let home = TestHome::without_engines();
    let folder = pack(&home);
    let run = |words: &str| {
        let words = format!("{words} --engines-dir {folder}");
        home.run(&words.split(' ').collect::<Vec<_>>(), "")
    };
    run("trust ours");
    let steps = [1, 2, 4, 8, 9, 15].map(|step| format!(" --step {step}")).concat();
    let found = run(&format!("check ours --variant freestyle-5{steps}"));
    assert_eq!(found.code, Some(0), "{}{}", found.out, found.err);
    assert!(found.out.contains("external, speaks uci, "), "{}", found.out);
}

/// The output of the documented script for these lines.
fn scripted(script: &Path, lines: &str) -> String {
    let mut dash = Command::new("/bin/dash");
    let dash = dash.arg(script).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut dash = dash.spawn().unwrap();
    dash.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    String::from_utf8(dash.wait_with_output().unwrap().stdout).unwrap()
}

/// The script in the documentation plays a whole game and asks the host for the rules.
#[test]
fn the_documented_script_plays_a_game() {
    let text = std::fs::read_to_string(root().join("docs/process.md")).unwrap();
    let script = text.split("```sh\n").find(|it| it.contains("while read -r word rest")).unwrap();
    let script = script.split("```").next().unwrap();
    let home = TestHome::without_engines();
    let folder = home.file("e");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("engine.sh"), script).unwrap();
    let check = |lines: &str, expected: &str| {
        assert_eq!(scripted(&folder.join("engine.sh"), lines), expected, "{lines}");
    };
    check("begin\nchoose\nlegal a1 b2\nping\n", "ready\nlegal\nplay a1\npong\n");
    check("choose\nstop\nlegal a1 b2\nping\n", "legal\nplay a1\npong\n");
    check("stop\nping\n", "pong\n");
    let barred = "barred a1 it was refused, as b2 was not\nbarred c\n";
    check(&format!("{barred}choose\nlegal a1 b2\n"), "legal\nplay b2\n");
    check(&format!("{barred}choose\nstop\nlegal a1 c c3 d4\n"), "legal\nplay c3\n");
    // Exclusions hold for one choice only.
    let again = format!("{barred}choose\nlegal a1 b2\nchoose\nlegal a1 b2\n");
    check(&again, "legal\nplay b2\nlegal\nplay a1\n");
    let sha256 = sandboard_common::hex::hex(&Sha256::digest(script));
    let manifest = format!(
        r#"<EngineConfigs abi="1">
             <Engine id="first" version="1" kind="external" protocol="sandboard" program="/bin/dash">
               <Game id="reversi"/><Game id="bridge"/>
               <Argument value="/own/engine.sh"/>
               <Asset name="engine.sh" path="engine.sh" sha256="{sha256}"/>
             </Engine>
           </EngineConfigs>"#
    );
    std::fs::write(folder.join("EngineConfigs.xml"), manifest).unwrap();
    home.succeed(&["trust", "first", "--engines-dir", "e"], "");
    for (game, variant, seats) in [("reversi", "standard-6", 2), ("bridge", "", 4)] {
        let mut arguments = vec!["play", game];
        if !variant.is_empty() {
            arguments.extend(["--variant", variant]);
        }
        arguments.extend(["--seat", "first@10s/move"].repeat(seats));
        arguments.extend(["--engines-dir", "e", "--json"]);
        let line: Value = serde_json::from_str(&home.succeed(&arguments, "")).unwrap();
        assert!(line["record"].is_string() && line["fault"].is_null(), "{line}");
    }
}
