//! Tests of Gomocup conversations, as managers hold them.

use super::{check_of, engine_info};
use sandboard_protocols::{Dialect, Protocol};

#[track_caller]
fn check(input: &str, expected: &[&str]) {
    check_of(Protocol::Gomocup, engine_info("gomoku", "", Dialect::Same), input, expected);
}

/// Checks the answer to these lines on a board of size 15.
#[track_caller]
fn answers(input: &str, expected: &[&str]) {
    check(&format!("START 15\n{input}\nABOUT"), &[&["OK"], expected, &[ABOUT]].concat());
}

const ABOUT: &str = "name=\"First\", version=\"1.0\", author=\"A. 'Author'\"";

#[test]
fn games_are_played() {
    check(
        "ABOUT\nSTART 20\nINFO rule 1\nINFO timeout_turn 1000\nBEGIN\nTURN 1,19\nTURN 3 , 19",
        &[ABOUT, "OK", "0,19", "2,19", "4,19"],
    );
    check("start 15\r\nbegin", &["OK", "0,14"]);
    answers("INFO time_left 5000\nINFO timeout_match 0\nINFO timeout_turn 0\nBEGIN", &["0,14"]);
    answers("INFO timeout_match 60000\nINFO time_left 50\nBEGIN", &["0,14"]);
}

#[test]
fn boards_are_set_up() {
    let timed = "INFO timeout_turn 1000";
    answers(&format!("{timed}\nBOARD\n7,7,2\nDONE"), &["0,14"]);
    answers(&format!("{timed}\nBOARD\n0,14,1\n1,14,2\nDONE\nTURN 3,14"), &["2,14", "4,14"]);
    answers(
        &format!("{timed}\nBOARD\n0, 14, 1\n\n1,14,2\ndone\nTAKEBACK 2,14\nTURN 2,14"),
        &["2,14", "OK", "3,14"],
    );
    // A stone that was not placed last.
    answers(
        &format!("{timed}\nBOARD\n0,14,1\n1,14,2\n5,5,1\n6,6,2\nDONE\nTAKEBACK 0,14\nPLAY 4,14"),
        &["2,14", "OK", "4,14"],
    );
    answers(&format!("{timed}\nBOARD\nDONE\nRESTART\nBEGIN"), &["0,14", "OK", "0,14"]);
}

#[test]
fn openings_are_decided() {
    let opened = |stones: &str, expected: &str| {
        answers(
            &format!("INFO rule 1\nINFO timeout_turn 1000\nSWAP2BOARD\n{stones}DONE"),
            &[expected],
        );
    };
    opened("", "0,14 1,14 2,14");
    // The engine chooses the first legal word, `swap`.
    opened("7,7\n8,8\n9,9\n", "SWAP");
    opened("7,7\n8,8\n9,9\n0,0\n1,1\n", "0,14");
    // The next game is not a swap2 game.
    answers(
        "INFO timeout_turn 1000\nSWAP2BOARD\n7,7\n8,8\n9,9\nDONE\nRESTART\nBEGIN\nTURN 14,14\nTURN 14,13",
        &["SWAP", "OK", "0,14", "1,14", "2,14"],
    );
    answers("SWAP2BOARD\n7,7\nDONE", &["ERROR an opening has 0, 3 or 5 stones, not 1"]);
}

#[test]
fn bad_lines_do_not_end_the_session() {
    answers("FLY 3", &["UNKNOWN command FLY"]);
    answers("TURN 15,3", &["ERROR `15,3` is not on the board"]);
    answers("TURN seven", &["ERROR `seven` is not a point"]);
    answers("PLAY 7,7\nTURN 7,7", &["7,7", "ERROR `h8` is refused: a black stone is on h8"]);
    answers("TAKEBACK 7,7", &["ERROR no stone is at `7,7`"]);
    answers("RECTSTART 10,12", &["ERROR only square boards are supported"]);
    answers("RECTSTART 10, 10", &["OK"]);
    answers("START 40", &["ERROR unsupported size or rule: freestyle 40"]);
    answers("BOARD\n7,7,3\nDONE", &["ERROR `7,7,3` is not x,y and 1 or 2"]);
    answers("BOARD\n7,7,1\n7,7,2\nDONE", &["ERROR `7,7,2` occurs twice"]);
    answers("BOARD\nfly\nDONE", &["ERROR `fly` is not x,y and 1 or 2"]);
    // `INFO` gets no answer; the next command reports the problem.
    answers("INFO rule 2\nBEGIN", &["ERROR rule 2 is not supported"]);
    answers("INFO rule 8\nBEGIN", &["ERROR rule 8 is not supported"]);
    check(
        "INFO rule 2\nSTART 15\nBEGIN\nINFO rule 0\nBEGIN",
        &["OK", "ERROR rule 2 is not supported", "0,14"],
    );
    answers(
        "INFO time_left -5\nINFO time_left x\nBEGIN",
        &["MESSAGE time_left: `x` is not a number", "0,14"],
    );
    let caro = "ERROR the engine does not play caro-15; it plays freestyle, standard, renju, renju-contest, \
                renju-rif, yamaguchi, soosorv-8, taraguchi-10, swap, swap2";
    answers("INFO rule 9\nBEGIN", &[caro]);
    answers("INFO colour 9\nINFO evaluate 3,3\nINFO folder /tmp\nINFO max_memory 0", &[]);
    answers("INFO skill 99", &["MESSAGE option `skill`: `99` is not a whole number from 0 to 20"]);
    answers("INFO skill 13\nBEGIN\nINFO skill 1\nBEGIN", &["ERROR the engine has no luck", "0,14"]);
}

#[test]
fn a_search_is_stopped() {
    check("START 15\nBEGIN\nYXSTOP", &["OK", "0,14"]);
    check("START 15\nBEGIN\nABOUT\nSTOP", &["OK", "0,14", ABOUT]);
    check("START 15\nYXSTOP\nBEGIN\nEND", &["OK"]);
    check("START 15\nEND\nSTART 15", &["OK"]);
}
