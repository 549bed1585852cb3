//! Rules of games that attack the host (`tests/c/hostile-game`): each attack has its sentence, in
//! `sandboard check` or at the end of a bout; no player loses by it.

use std::fs;

use sandboard_builder::c::{Clang, build_game};
use sandboard_tests::root;
use serde_json::Value;

use crate::cli::{CommandOutput, TestHome};

const MANIFEST: &str = "<EngineConfigs abi=\"1\"><GameRules id=\"attack\" name=\"Attack\" version=\"1\" \
     sides=\"first second\" module=\"attack.wasm\" chance=\"true\" hidden_information=\"true\">\
     <Variant id=\"standard\"/></GameRules></EngineConfigs>";

/// A home with the game that makes this attack.
fn home_with(attack: &str) -> TestHome {
    let home = TestHome::new();
    let source = home.file("source");
    let pack = home.file("engines/attack");
    [&source, &pack].iter().for_each(|folder| fs::create_dir_all(folder).unwrap());
    let text = fs::read_to_string(root().join("tests/c/hostile-game/game.c")).unwrap();
    fs::write(source.join("game.c"), format!("#define ATTACK {attack}\n{text}")).unwrap();
    let module = build_game(&source, &Clang::find().unwrap(), &home.file("scratch")).unwrap();
    fs::write(pack.join("attack.wasm"), module).unwrap();
    fs::write(pack.join("EngineConfigs.xml"), MANIFEST).unwrap();
    home
}

fn run(home: &TestHome, arguments: &[&str], input: &str) -> CommandOutput {
    let mut command = home.command(arguments);
    command.env("SANDBOARD_ENGINES", home.file("engines"));
    TestHome::finish(command, input)
}

/// `sandboard check` says this sentence; empty: it finds nothing.
fn check_says(home: &TestHome, attack: &str, expected: &str) {
    let CommandOutput { code, out, err } = run(home, &["check", "attack"], "");
    assert!(out.contains(expected), "{attack}: no {expected:?} in\n{out}\n{err}");
    let failed = !expected.is_empty() && attack != "ENDLESS";
    assert_eq!(code, Some(i32::from(failed)), "{attack}: {out}\n{err}");
}

/// Two people play a bout, which ends with this sentence. It has a winner only if the rules have
/// decided so.
fn bout_ends(home: &TestHome, attack: &str, expected: &str) {
    let arguments =
        ["play", "attack", "--seat", "human", "--seat", "human", "--json", "--seed", "1"];
    let moves = "b\na\n".repeat(30);
    let CommandOutput { out, err, .. } = run(home, &arguments, &moves);
    let line: Value = match out.lines().last().map(serde_json::from_str) {
        Some(Ok(line)) => line,
        _ => panic!("{attack}: {out}\n{err}"),
    };
    let result = &line["result"];
    let sentence = result["sentence"].as_str().unwrap_or_else(|| panic!("{attack}: {line}"));
    assert_eq!(sentence, expected, "{attack}");
    let decided = result["termination"] == "rules";
    assert_eq!(result["winner"].is_null(), !decided, "{attack}: {result}");
}

/// What `check` says, and how a bout ends.
fn check(attack: &str, says: &str, sentence: &str) {
    let home = home_with(attack);
    check_says(&home, attack, says);
    bout_ends(&home, attack, sentence);
}

/// A fault that `check` finds and that ends a bout.
fn check_fault(attack: &str, fault: &str) {
    let sentence = format!("aborted: the rules of Attack failed: {fault}");
    check(attack, &format!("the rules failed: {fault}"), &sentence);
}

/// How a bout ends where the attack does no harm.
const ENDS: &str = "human (second) wins: three moves";

#[test]
fn the_game_without_an_attack_is_sound() {
    check("NONE", "", ENDS);
}

#[test]
fn rules_that_do_not_answer_end_the_bout() {
    check_fault("LOOP", "used up its 1e8 units of fuel in play");
    check_fault("TRAP", "gave up: aborted");
}

#[test]
fn rules_that_contradict_themselves_are_found() {
    check_fault("LIES", "listed `b` as legal, but refused it: b is not for you");
    check("NOT_CANONICAL", "it plays `A`, which it does not list", ENDS);
    check("ANSWERS_CHANGE", "is refused, the list of legal moves differs", ENDS);
    check("FORGETS", "accepted the start position once, but not again", ENDS);
}

#[test]
fn rules_that_tell_seats_too_much_are_found() {
    check("VIEWS_CHANGE", "the same view, asked for twice, differs", ENDS);
    check("LEAK", "its legal moves tell seat 1 more than it knows", ENDS);
}

#[test]
fn answers_beyond_the_limits_are_refused() {
    check_fault("LARGE_SCORES", "returned the score -1000000001; the limit is 1000000000");
    check_fault("NO_WEIGHT", "returned the outcome `1` with the weight 0");
    let home = home_with("LARGE_TEXT");
    check_says(&home, "LARGE_TEXT", "the rules failed: used up its 1e8 units of fuel in position");
    let in_view = "aborted: the rules of Attack failed: used up its 1e8 units of fuel in view";
    bout_ends(&home, "LARGE_TEXT", in_view);
}

#[test]
fn a_game_without_end_is_found() {
    // A bout is a draw after its largest number of plies; the referee's own tests play such bouts.
    let home = home_with("ENDLESS");
    check_says(&home, "ENDLESS", "a random game has not ended after 10000 plies");
}
