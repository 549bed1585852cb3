//! Tests of the NBoard client with scripted programs.

use sandboard_abi::{Decision, Limits};

use super::{Script, ScriptedGame, patient, setup};
use sandboard_protocols::Protocol;

/// Makes a first request.
#[track_caller]
fn check(limits: &Limits, script: &'static str, expected: &str) {
    let mut game = ScriptedGame::new(Protocol::Nboard, &[("depth", "6")], &Script(script));
    let found = game.begin(&setup("reversi", "", "f5"));
    let found = found.and_then(|()| game.decide(limits).map_err(|fault| fault.sentence));
    let found = found.map(|choice| {
        let score = choice.line.and_then(|line| line.score).map(|score| score.value);
        let Decision::Play(mv) = choice.decision else { panic!("it plays") };
        format!("{mv} {score:?}")
    });
    assert_eq!(found.unwrap_or_else(|sentence| sentence), expected);
    game.end();
}

#[test]
fn answers() {
    let script = concat!(
        ">nboard 2\n>set depth 6\n>ping 1\npong 1\n>set game (;GM[Othello]…\n>ping 2\npong 2\n>go\n",
        "status thinking\nnodestats 100 0.1\nsearch D6C3 2.4 0 6\n=== D6/2.40/0.1\n>ping 3\npong 3\n"
    );
    check(&patient(), script, "d6 Some(2)");
    let deeper = Limits { depth: Some(9), ..Limits::default() };
    let script = concat!(
        ">nboard 2\n>set depth 6\n>ping 1\npong 1\n>set depth 9\n>set game …\n>ping 2\npong 2\n>go\n",
        "=== D6 -1.00 0.0\n>ping 3\npong 3\n"
    );
    check(&deeper, script, "d6 Some(-1)");
    let none = ">nboard 2\n>set depth 6\n>ping 1\npong 1\n>set game …\n>ping 2\npong 2\n>go\n===\n";
    check(&patient(), none, "chose `===`, which names no move");
    let unrequested_answer_fault =
        ">nboard 2\n>set depth 6\n>ping 1\npong 1\n>set game …\n>ping 2\n=== D6\npong 2\n";
    check(&patient(), unrequested_answer_fault, "answered without a question: `=== D6`");
    let other = ">nboard 2\n>set depth 6\n>ping 1\npong 7\n";
    check(&patient(), other, "answered without a question: `pong 7`");
    let nodes = Limits { nodes: Some(9), ..Limits::default() };
    let only = "cannot be limited in nodes alone: nboard can express only depth";
    check(&nodes, ">nboard 2\n>set depth 6\n>ping 1\npong 1\n", only);
}

#[test]
fn a_program_tells_its_name() {
    let check = |script: &'static str, expected: &str| {
        let mut game = ScriptedGame::new(Protocol::Nboard, &[], &Script(script));
        assert_eq!(game.engine.identify().unwrap().name, expected);
        game.end();
    };
    check(">nboard 2\n>ping 1\nset myname Ntest 5\npong 1", "Ntest 5");
    check(">nboard 2\n>ping 1\npong 1", "");
}
