//! Tests of the UCI client with scripted programs.

use super::{SHUFFLED, Script, ScriptedGame, patient, setup};
use crate::external::ProgramIdentity;
use sandboard_protocols::Protocol;

/// Begins a game of a variant.
#[track_caller]
fn check(
    variant: &str,
    options: &[(&str, &str)],
    script: &'static str,
    expected: Result<(), &str>,
) {
    let mut game = ScriptedGame::new(Protocol::Uci, options, &Script(script));
    let found = game.begin(&setup(SHUFFLED, variant, ""));
    assert_eq!(found, expected.map_err(str::to_owned), "{variant}");
    game.end();
}

#[test]
fn the_option_of_chess960_is_set() {
    let offers = ">uci
        option name UCI_Chess960 type check default false
        uciok
        >setoption name UCI_Chess960 value true
        >isready
        readyok
        >ucinewgame
        >isready
        readyok";
    check("chess960", &[], offers, Ok(()));
    let usual = ">uci
        option name UCI_Chess960 type check default false
        uciok
        >isready
        readyok
        >ucinewgame
        >isready
        readyok";
    check("standard", &[], usual, Ok(()));
    let fault = "offers no option `UCI_Chess960`, which the variant chess960 sets";
    check("chess960", &[], ">uci\nuciok", Err(fault));
}

#[test]
fn the_manifest_can_set_the_option_itself() {
    let script = ">uci
        option name UCI_Chess960 type check default false
        uciok
        >setoption name UCI_Chess960 value false
        >isready
        readyok
        >ucinewgame
        >isready
        readyok";
    check("chess960", &[("shuffled=UCI_Chess960", "false")], script, Ok(()));
}

#[test]
fn commands_of_a_game() {
    let script = ">uci
        id name X
        uciok
        >isready
        readyok
        >ucinewgame
        >isready
        readyok
        >position fen ---------------------------OX------XO--------------------------- X
        >isready
        readyok
        >go movetime …
        info depth 3 score cp 12 pv d3 c3
        bestmove d3 ponder c3
        >isready
        readyok";
    let mut game = ScriptedGame::new(Protocol::Uci, &[], &Script(script));
    game.begin(&setup(SHUFFLED, "", "")).unwrap();
    assert_eq!(game.choose(&patient()).as_deref(), Ok("d3"));
    game.end();
}

#[test]
fn a_program_tells_its_name_and_its_options() {
    let script = ">uci
        id name Fish 17.1
        id author A. Author
        option name Hash type spin default 16 min 1 max 64
        option name Clear Hash type button
        option name Skill Level type spin default 20 min 0 max 20
        uciok";
    let mut game = ScriptedGame::new(Protocol::Uci, &[], &Script(script));
    let identity = game.engine.identify().unwrap();
    assert_eq!(
        [&*identity.name, &identity.author, &identity.version],
        ["Fish 17.1", "A. Author", ""]
    );
    let options = identity.options.iter().map(|it| (&*it.spec.name, &*it.protocol_name));
    assert_eq!(options.collect::<Vec<_>>(), [("hash", "Hash"), ("skill-level", "Skill Level")]);
    game.end();
    let mut silent = ScriptedGame::new(Protocol::Uci, &[], &Script(">uci\nuciok"));
    assert_eq!(silent.engine.identify().unwrap(), ProgramIdentity::default());
    silent.end();
}
