//! The protocol of NBoard, as its GUI speaks it.

use super::{check_of, offer};
use crate::process::{Dialect, Protocol};

#[track_caller]
fn check(said: &str, expected: &[&str]) {
    check_of(Protocol::Nboard, offer("reversi", "standard-8", Dialect::Same), said, expected);
}

const THINKS: &str = "status First is thinking";
/// A game with one move in it.
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
    // Without a depth it thinks until it is pinged.
    check("go\nping 3", &[THINKS, "=== D3/7.00/0.00", "status", "pong 3"]);
}

#[test]
fn bad_lines_are_answered_and_the_session_goes_on() {
    let bad = |said: &str, expected: &str| {
        check(&format!("{said}\nping 2"), &[&format!("status {expected}"), "pong 2"])
    };
    bad("fly", "unknown command: fly");
    bad("ping", "ping `` has no number");
    bad("set depth none", "depth `none` is no depth");
    bad("hint", "hint ``: how many moves?");
    bad("move A1", "`a1` is refused: a disc on a1 would flip none");
    bad("set skill 99", "option `skill`: `99` is not a whole number from 0 to 20");
    bad("set game nothing", "line 1: the file ends, and nowhere began a game: `(;`");
    check("set skill 13\nset depth 1\ngo", &[THINKS, "status the engine has no luck", "status"]);
}
