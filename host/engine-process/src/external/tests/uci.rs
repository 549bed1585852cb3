//! Tests of the UCI client with scripted programs.

use super::{SHUFFLED, Script, ScriptedGame, patient, setup};
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
