//! Tests of the UCCI client with scripted programs.

use sandboard_abi::{Barred, Limits};

use super::{Script, ScriptedGame, patient, setup};
use sandboard_engine::Engine;
use sandboard_protocols::Protocol;

/// Makes a first request.
#[track_caller]
fn check(options: &[(&str, &str)], limits: &Limits, script: &'static str, expected: &str) {
    let mut game = ScriptedGame::new(Protocol::Ucci, options, &Script(script));
    let found = game.begin(&setup("xiangqi", "", "a0a1"));
    let found = found.and_then(|()| game.choose(limits));
    assert_eq!(found.unwrap_or_else(|sentence| sentence), expected);
    game.end();
}

#[test]
fn commands_of_a_game() {
    check(
        &[("style", "solid")],
        &patient(),
        ">ucci
        id name X
        option usemillisec type check default false
        option style type combo var solid var risky default solid
        option newgame type button
        ucciok
        >setoption style solid
        >setoption usemillisec true
        >isready
        readyok
        >setoption newgame
        >isready
        readyok
        >position fen rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1 moves a0a1
        >isready
        readyok
        >go time 59…
        info depth 3 score 12 pv h9g7 h2e2
        bestmove h9g7 ponder h2e2
        >isready
        readyok
        ",
        "h9g7",
    );
}

macro_rules! first_request {
    ($go:literal, $answer:literal) => {
        concat!(
            ">ucci\nucciok\n>isready\nreadyok\n>position …\n>isready\nreadyok\n>",
            $go,
            "\n",
            $answer,
            "\n"
        )
    };
}

#[test]
fn answers() {
    let turn = || Limits { depth: Some(3), ..Limits::default() };
    let offered = Limits { draw_offered: true, ..turn() };
    let check = |limits: &Limits, script, expected| self::check(&[], limits, script, expected);
    check(
        &turn(),
        first_request!("go depth 3", "bestmove h9g7 resign\n>isready\nreadyok"),
        "Resign",
    );
    check(
        &offered,
        first_request!("go draw depth 3", "bestmove h9g7 draw\n>isready\nreadyok"),
        "AcceptDraw",
    );
    // Without an offer of the other side, `draw` is an offer.
    check(&turn(), first_request!("go depth 3", "bestmove h9g7 draw\n>isready\nreadyok"), "h9g7");
    check(
        &turn(),
        first_request!("go depth 3", "nobestmove"),
        "reported that it has no move: `nobestmove`",
    );
    check(
        &turn(),
        first_request!("go depth 3", "bestmove"),
        "chose ``, which is not a move in its notation",
    );
    let twice = first_request!("go depth 3", "bestmove h9g7\nbestmove h9g7\n>isready\nreadyok");
    check(&turn(), twice, "answered without a question: `bestmove h9g7`");
    check(&turn(), ">ucci\nnobestmove\n", "answered `ucci` with `nobestmove`");
    let option = "offers no option `style`, which its manifest sets";
    self::check(&[("style", "x")], &turn(), ">ucci\nucciok\n", option);
}

#[test]
fn milliseconds_without_an_offered_option() {
    let script = |go: &str| {
        format!(">ucci\nucciok\n{go}\nbestmove h9g7\n>isready\nreadyok\n").leak() as &'static str
    };
    let position = ">isready\nreadyok\n>position …\n>isready\nreadyok";
    let check = |options: &[(&str, &str)], go: String| {
        self::check(options, &patient(), script(&go), "h9g7");
    };
    check(&[], format!("{position}\n>go time 59 movestogo 1"));
    let set_milliseconds = |value: &str| format!(">setoption usemillisec {value}\n{position}");
    check(&[("usemillisec", "true")], format!("{}\n>go time 59…", set_milliseconds("true")));
    check(
        &[("usemillisec", "false")],
        format!("{}\n>go time 59 movestogo 1", set_milliseconds("false")),
    );
    check(&[("ms=usemillisec", "true")], format!("{}\n>go time 59…", set_milliseconds("true")));
    let other = format!(">setoption UseMillisec true\n{position}\n>go time 59…");
    check(&[("ms=UseMillisec", "true")], other);
}

#[test]
fn moves_are_banned() {
    let script = Script(
        ">ucci\nucciok\n>isready\nreadyok\n>position …\n>banmoves h9g7 a9a8\n>isready\nreadyok\n>go …
         bestmove i9i8\n>isready\nreadyok\n",
    );
    let mut game = ScriptedGame::new(Protocol::Ucci, &[], &script);
    game.begin(&setup("xiangqi", "", "a0a1")).unwrap();
    let barred = |mv: &str| Barred { r#move: mv.into(), reason: "refused".into() };
    game.engine.choose(&patient(), &[barred("h9g7"), barred("a9a8")]).unwrap();
    game.end();
}

#[test]
fn a_program_tells_its_name_and_its_options() {
    let script = ">ucci
        id name Elephant 3.0
        id author B. Author
        option hashsize type spin min 0 max 1024 default 0
        ucciok";
    let mut game = ScriptedGame::new(Protocol::Ucci, &[], &Script(script));
    let identity = game.engine.identify().unwrap();
    assert_eq!([&*identity.name, &identity.author], ["Elephant 3.0", "B. Author"]);
    let options = identity.options.iter().map(|it| (&*it.spec.name, &*it.spec.initial));
    assert_eq!(options.collect::<Vec<_>>(), [("hashsize", "0")]);
    game.end();
}
