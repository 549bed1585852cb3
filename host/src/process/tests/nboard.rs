//! Engines of NBoard as scripts.

use sandboard_abi::{Decision, Limits};

use super::{Script, Scripted, patient, setup};
use crate::process::Protocol;

/// What comes of a first question.
#[track_caller]
fn check(limits: &Limits, script: &'static str, expected: &str) {
    let mut game = Scripted::new(Protocol::Nboard, &[("depth", "6")], &Script(script));
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
    let unasked =
        ">nboard 2\n>set depth 6\n>ping 1\npong 1\n>set game …\n>ping 2\n=== D6\npong 2\n";
    check(&patient(), unasked, "answered what it was not asked: `=== D6`");
    let other = ">nboard 2\n>set depth 6\n>ping 1\npong 7\n";
    check(&patient(), other, "answered what it was not asked: `pong 7`");
    let nodes = Limits { nodes: Some(9), ..Limits::default() };
    let only = "cannot be limited in nodes alone: nboard can only tell depth";
    check(&nodes, ">nboard 2\n>set depth 6\n>ping 1\npong 1\n", only);
}
