//! Tests of NBoard conversations, as its GUI holds them.

use super::{check_of, engine_info};
use sandboard_protocols::{Dialect, Protocol};

#[track_caller]
fn check(input: &str, expected: &[&str]) {
    check_of(
        Protocol::Nboard,
        engine_info("reversi", "standard-8", Dialect::Same),
        input,
        expected,
    );
}

const THINKS: &str = "status First is thinking";
/// A game with one move.
const GAME: &str = "set game (;GM[Othello]PC[NBoard]DT[2014-02-21 20:52:27 GMT]PB[a]PW[b]RE[?]TI[15:00]TY[8]\
                    BO[8 ---------------------------O*------*O--------------------------- *]B[F5];)";

#[test]
fn moves_are_chosen() {
    check(
        "nboard 2\nset depth 6\nping 1\ngo",
        &["set myname First", "pong 1", THINKS, "=== D3/7.00/0.00", "status"],
    );
    check(
        &format!("{GAME}\nset depth 2\ngo\nping 7\nmove F4/1.0/2\ngo"),
        &[THINKS, "=== F4/7.00/0.00", "status", "pong 7", THINKS, "=== C3/7.00/0.00", "status"],
    );
    check("set depth 3\nhint 2", &[THINKS, "search D3 7.00 0 3", "status"]);
    check("learn\nset contempt 3\nquit\nping 1", &["learned"]);
    // Without a depth the search runs until the ping.
    check("go\nping 3", &[THINKS, "=== D3/7.00/0.00", "status", "pong 3"]);
}

#[test]
fn bad_lines_do_not_end_the_session() {
    let bad = |input: &str, expected: &str| {
        check(&format!("{input}\nping 2"), &[&format!("status {expected}"), "pong 2"])
    };
    bad("fly", "unknown command: fly");
    bad("ping", "ping `` has no number");
    bad("set depth none", "depth `none` is not a depth");
    bad("hint", "hint ``: the number of moves is missing");
    bad("move A1", "`a1` is refused: a disc on a1 would flip nothing");
    bad("set skill 99", "option `skill`: `99` is not a whole number from 0 to 20");
    bad("set game nothing", "line 1: the file has no game: `(;` is missing");
    check("set skill 13\nset depth 1\ngo", &[THINKS, "status the engine has no luck", "status"]);
}
