//! Programs that speak UCI as engines of this host: what is said to them, what the commands make
//! of them, and which machines have a jail for them. What they do wrong is in `hostile::process`.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use sandboard_abi::{Barred, Decision, Limits, Setup, Unit};
use sandboard_host::engine::{Assets, Engine, EngineSource, Fault};
use sandboard_host::jail::{Jail, Layer};
use sandboard_host::process::{Dialect, ProcessSource, Protocol, Speech};
use sandboard_host::worker::{CompileLimits, Workers};
use sandboard_tests::{Ear, binary, gomoku, root, workers};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::cli::{Ended, Home};
use crate::engines::patient;
use crate::hostile::process::guest::{caps, description, program, speech};
use crate::jail::traces::{host, is_a_host, wait_to_be_killed};

fn source_of(workers: &Arc<Workers>, speech: &Speech) -> Result<ProcessSource, Fault> {
    let bytes = std::fs::read(program()).expect("it was built");
    ProcessSource::new(workers, &bytes, &description(), speech, caps(), &Assets::default())
}

/// A game that has begun, and an ear for what the program was told.
fn begun(speech: &Speech, setup: &Setup) -> Result<(Box<dyn Engine>, Arc<Ear>), Fault> {
    let ear = Ear::new();
    let mut engine = source_of(workers(), speech)?.open(ear.clone())?;
    engine.start(setup)?;
    Ok((engine, ear))
}

/// The commands that the program has heard since.
fn heard(ear: &Ear) -> Vec<String> {
    let log = std::mem::take(&mut *ear.log.lock().expect("nobody panics"));
    log.iter().filter_map(|line| line.strip_prefix("heard ").map(str::to_owned)).collect()
}

#[test]
fn every_option_of_its_manifest_is_told_by_its_own_name() {
    let check = |options: &[(&str, &str)], threads: u16, expected: &[&str]| {
        let setup = Setup { threads, ..gomoku(options) };
        let (_engine, ear) = begun(&speech("none", ""), &setup).expect("it starts");
        let expected = expected.iter().map(|it| format!("setoption name {it}"));
        assert_eq!(heard(&ear), expected.collect::<Vec<_>>(), "{options:?}");
    };
    check(&[], 1, &["Skill Level value 3", "Style value wild", "Threads value 1"]);
    let set = [("skill", "20"), ("style", "calm")];
    check(&set, 2, &["Skill Level value 20", "Style value calm", "Threads value 2"]);
}

#[test]
fn what_cannot_be_told_is_refused_with_its_reason() {
    let check = |setup: &Setup, why: &str| {
        let fault = begun(&speech("none", ""), setup).err().expect("it is refused");
        assert!(fault.sentence.contains(why), "{fault} is not {why}");
    };
    check(
        &gomoku(&[("skill", "21")]),
        "takes for its option `Skill Level` a whole number from 0 to 20, not `21`",
    );
    check(
        &Setup { threads: 9, ..gomoku(&[]) },
        "takes for its option `Threads` a whole number from 1 to 8, not `9`",
    );
    check(&gomoku(&[("depth", "3")]), "cannot begin: its manifest names no option `depth`");
    check(&gomoku(&[("style", "calm\nquit")]), "takes for its option `Style` one of calm, wild");
    check(&Setup { game: "chess".into(), ..gomoku(&[]) }, "cannot begin: no game `chess`");
    check(&Setup { start: "nonsense".into(), ..gomoku(&[]) }, "cannot begin: ");
    check(&Setup { moves: "a1 a1".into(), ..gomoku(&[]) }, "cannot begin: ");
    let other = Speech { spoken: vec![], ..speech("none", "") };
    let fault = begun(&other, &gomoku(&[])).err().expect("it is refused");
    assert_eq!(fault.sentence, "offers no option `skill`, which its manifest sets");
}

#[test]
fn positions_and_limits_as_they_are_told() {
    let setup = Setup { variant: "freestyle-5".into(), ..gomoku(&[]) };
    let (mut engine, ear) = begun(&speech("none", ""), &setup).expect("it starts");
    heard(&ear);
    let check = |engine: &mut dyn Engine, limits: &Limits, position: &str, go: &str| {
        let answer = engine.choose(limits, &[]).expect("it answers");
        let heard = heard(&ear);
        assert_eq!(heard[0], format!("position fen {position}"));
        assert!(heard[1].starts_with(go), "{heard:?}");
        answer.choice.decision
    };
    let nodes = Limits { nodes: Some(100), ..Limits::default() };
    let first = check(&mut *engine, &nodes, "5/5/5/5/5 b", "go nodes 100");
    assert_eq!(first, Decision::Play("a5".into()));
    engine.played("c3").expect("it hears");
    engine.played("a5").expect("it hears");
    let wall = Limits { unit: Unit::Wall, call_max: Some(30_000_000), ..Limits::default() };
    let third = check(&mut *engine, &wall, "o4/5/2x2/5/5 b", "go movetime 29");
    assert_eq!(third, Decision::Play("b5".into()));
    let clock = Limits { game_left: Some(60_000_000), increment: 1_000_000, ..wall };
    let told = "go wtime 29";
    check(&mut *engine, &clock, "o4/5/2x2/5/5 b", told);
}

#[test]
fn a_move_that_is_barred_is_not_among_those_to_choose_from() {
    let setup = Setup { variant: "freestyle-5".into(), ..gomoku(&[]) };
    let told = |dialect: Dialect| {
        let speech = Speech { dialect, ..speech("none", "") };
        let (mut engine, ear) = begun(&speech, &setup).expect("it starts");
        let barred = [Barred { r#move: "a1".into(), reason: "taken".into() }];
        engine.choose(&patient(), &barred).expect("it answers");
        let heard = heard(&ear).pop().expect("it was asked");
        let (_, moves) = heard.split_once(" searchmoves ").expect("it is told which");
        let mut moves: Vec<String> = moves.split(' ').map(str::to_owned).collect();
        moves.sort();
        assert_eq!(moves.len(), 24);
        moves.swap_remove(0)
    };
    assert_eq!(told(Dialect::Same), "a2");
    assert_eq!(told(Dialect::RanksFromOne), "a3");
}

#[test]
fn a_dialect_is_translated_both_ways() {
    let speech = Speech { dialect: Dialect::RanksFromOne, ..speech("none", "") };
    let (mut engine, _) = begun(&speech, &gomoku(&[])).expect("it starts");
    // It says `a15`, and means the rank below.
    let answer = engine.choose(&patient(), &[]).expect("it answers");
    assert_eq!(answer.choice.decision, Decision::Play("a14".into()));
    assert_eq!(answer.choice.line.expect("it says why").moves, "a14");
}

#[test]
fn a_move_taken_back_is_told_again() {
    let (mut engine, _) = begun(&speech("none", ""), &gomoku(&[])).expect("it starts");
    let choose = |engine: &mut dyn Engine| {
        let answer = engine.choose(&patient(), &[]).expect("it answers");
        let Decision::Play(mv) = answer.choice.decision else { panic!("it plays") };
        mv
    };
    assert_eq!(choose(&mut *engine), "a15");
    engine.played("a15").expect("it hears");
    assert_eq!(choose(&mut *engine), "b15");
    engine.taken_back(1).expect("it hears");
    assert_eq!(choose(&mut *engine), "a15");
}

/// So much time for a move, and not a moment more.
fn limits_of(ms: u64) -> Limits {
    Limits { unit: Unit::Wall, call_max: Some(ms * 1000), grace: 0, ..Limits::default() }
}

/// The program as a brain of Gomocup, which does an act in the place of its first move.
fn brain(act: &str) -> Result<ProcessSource, Fault> {
    let speech = Speech { protocol: Protocol::Gomocup, ..speech(&format!("{act}@BEGIN"), "40") };
    source_of(workers(), &speech)
}

#[test]
fn a_brain_of_gomocup_plays_a_whole_game_with_a_move_taken_back() {
    let ear = Ear::new();
    let mut engine = brain("none").and_then(|source| source.open(ear.clone())).expect("it opens");
    engine.start(&gomoku(&[])).expect("it starts");
    let mut play = |takes_back: bool, expected: &str| {
        let answer = engine.choose(&patient(), &[]).expect("it answers");
        assert_eq!(answer.choice.decision, Decision::Play(expected.into()));
        engine.played(expected).expect("it hears");
        if takes_back {
            engine.taken_back(1).expect("it hears");
        }
    };
    // Both colours are its own: each time the board is another than it knows.
    play(false, "a15");
    play(true, "b15");
    play(false, "b15");
    play(false, "c15");
    let log = std::mem::take(&mut *ear.log.lock().expect("nobody panics"));
    assert!(log.contains(&"heard INFO rule 0".to_owned()), "{log:?}");
}

#[test]
fn what_a_brain_does_wrong_is_a_fault_as_of_any_program() {
    let check = |act: &str, ms: u64, why: &str| {
        let mut engine = brain(act).and_then(|it| it.open(Ear::new())).expect("it opens");
        engine.start(&gomoku(&[])).expect("it starts");
        let limits = limits_of(ms);
        let fault = engine.choose(&limits, &[]).expect_err("it is at fault");
        assert!(fault.sentence.starts_with(why), "{act}: {fault}, not {why}");
    };
    check(
        "segv",
        30_000,
        "was killed by SIGSEGV; the last that it printed: about to touch nothing",
    );
    check("exit", 30_000, "ended its process before it answered (exit status 3)");
    check("close-output", 30_000, "closed its channel before it answered");
    check("silent", 60, "did not answer within 60 ms");
    check("deaf", 60, "did not answer within 60 ms");
    check("slow", 20, "did not answer within 20 ms");
    check("no-text", 30_000, "printed a line that is no UTF-8: bestmove");
    check("flood-lines", 30_000, "printed more than 67108864 bytes in one call");
    check("flood-line", 30_000, "printed a line of more than 65536 bytes");
}

#[test]
fn a_machine_without_the_layers_has_no_programs() {
    let check = |without: &[Layer], expected: Option<&str>| {
        let workers = Workers::new(binary(), CompileLimits::EVERYDAY, without);
        let found = source_of(&workers, &speech("none", "")).err().map(|fault| fault.sentence);
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
        // The doctor comes to the same by trying.
        assert_eq!(jail.try_program().is_err(), found.is_some(), "{without:?}: {found:?}");
    };
    check(&[], None);
    check(&[Layer::Landlock], None);
    check(&[Layer::PidNamespace], Some("programs need pid-namespace, which"));
    let both = [Layer::Landlock, Layer::MountNamespace];
    check(&both, Some("programs need landlock or mount-namespace, which"));
}

#[test]
fn host_with_a_program() {
    if !is_a_host() {
        return;
    }
    let (_engine, _) = begun(&speech("none", ""), &gomoku(&[])).expect("it starts");
    wait_to_be_killed();
}

#[test]
fn a_killed_host_leaves_no_program() {
    host("process::host_with_a_program", Some(3));
}

/// An engines folder with the program in it, and one with what is none.
fn pack(home: &Home) -> String {
    let folder = home.file("e");
    std::fs::create_dir(&folder).unwrap();
    std::fs::copy(program(), folder.join("program")).unwrap();
    std::fs::write(folder.join("script"), "#!/bin/sh\necho uciok\n").unwrap();
    let place = program().display();
    let engine = |id: &str, code: &str| {
        format!(
            r#"<Engine id="{id}" version="1" kind="process" protocol="uci" {code}>
                 <Game id="gomoku" variants="freestyle"/>
                 <Option name="skill" spoken="Skill Level" kind="whole" min="0" max="20" default="5"/>
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
fn commands_know_programs() {
    let home = Home::without_engines();
    let folder = pack(&home);
    let run = |words: &str| {
        let words = format!("{words} --engines-dir {folder}");
        home.run(&words.split(' ').collect::<Vec<_>>(), "{}\n")
    };
    let analyse = "analyse ours --game gomoku --variant freestyle-5 --budget 10s/move";
    let refused = |words: &str, why: &str| {
        let Ended { err, code, .. } = run(words);
        assert!(code != Some(0) && err.contains(why), "{words}: no {why:?} in {err}");
    };
    let listed: Value = serde_json::from_str(&run("list --json").out).unwrap();
    let engines = listed["engines"].as_array().unwrap();
    let of = |id: &str| engines.iter().find(|it| it["id"] == id).unwrap();
    assert_eq!(of("ours")["kind"], "process");
    assert_eq!(of("ours")["needs_trust"], true);
    assert_eq!(of("ours")["trusted"], false);
    assert_eq!(of("ours")["speech"]["spoken"][0][1], "Skill Level");
    // The same bytes in both places.
    assert_eq!(of("ours")["sha256"], of("theirs")["sha256"]);
    let fault = |id: &str| of(id)["faults"][0]["reason"].as_str().unwrap().to_owned();
    assert_eq!(fault("script"), "`script`: is a script; what it is read by is the program");
    assert_eq!(fault("missing"), "`/no/such/program`: no such file");
    assert!(run("list").out.contains("process, needs trust"));

    refused(analyse, "is a program, and is not trusted: its SHA-256 is ");
    let trust = run("trust theirs");
    assert!(trust.out.contains("means    a program:"), "{}", trust.out);
    refused(&format!("{analyse} --native refuse"), "is a program, and those are refused here");
    refused(&format!("{analyse} --contest"), "is a program, and those are refused here");
    let fuel = analyse.replace("10s/move", "fuel:1e7/move");
    refused(&fuel, "is a program, whose fuel cannot be counted; give it a budget of wall time");
    for native in ["jailed", "in-process"] {
        let found = run(&format!("{analyse} --native {native}"));
        let answer: Value = serde_json::from_str(&found.out).unwrap_or_default();
        assert_eq!(answer["move"], "a5", "{}{}", found.out, found.err);
        assert_eq!(answer["score"], 3);
    }
    refused(&analyse.replace("10s/move", "none"), "for engines that can prove a result");

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
    let told = verified.out + &verified.err;
    assert!(told.contains("nobody played on fuel"), "{told}");
    let again = run(&format!("replay {} --ply 4", home.file("record.json").display()));
    assert_eq!(again.code, Some(0), "{}{}", again.out, again.err);
}

#[test]
fn a_program_is_checked_as_far_as_the_list_goes() {
    let home = Home::without_engines();
    let folder = pack(&home);
    let run = |words: &str| {
        let words = format!("{words} --engines-dir {folder}");
        home.run(&words.split(' ').collect::<Vec<_>>(), "")
    };
    run("trust ours");
    let steps = [1, 2, 4, 8, 9, 15].map(|step| format!(" --step {step}")).concat();
    let found = run(&format!("check ours --variant freestyle-5{steps}"));
    assert_eq!(found.code, Some(0), "{}{}", found.out, found.err);
    assert!(found.out.contains("a program, speaks uci, "), "{}", found.out);
}

/// What the script of the documentation says to these lines.
fn scripted(script: &Path, lines: &str) -> String {
    let mut dash = Command::new("/bin/dash");
    let dash = dash.arg(script).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut dash = dash.spawn().unwrap();
    dash.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    String::from_utf8(dash.wait_with_output().unwrap().stdout).unwrap()
}

/// The script of the documentation plays a whole game, asking the host for the rules.
#[test]
fn the_documented_script_plays_a_game() {
    let text = std::fs::read_to_string(root().join("docs/process.md")).unwrap();
    let script = text.split("```sh\n").find(|it| it.contains("while read -r word rest")).unwrap();
    let script = script.split("```").next().unwrap();
    let home = Home::without_engines();
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
    // Of one choice only.
    let again = format!("{barred}choose\nlegal a1 b2\nchoose\nlegal a1 b2\n");
    check(&again, "legal\nplay b2\nlegal\nplay a1\n");
    let sha256 = sandboard_host::hex(&Sha256::digest(script));
    let manifest = format!(
        r#"<EngineConfigs abi="1">
             <Engine id="first" version="1" kind="process" protocol="sandboard" program="/bin/dash">
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
        let told: Value = serde_json::from_str(&home.succeed(&arguments, "")).unwrap();
        assert!(told["record"].is_string() && told["fault"].is_null(), "{told}");
    }
}
