//! UCCI, as programs for xiangqi speak it.

use super::{check_of, offer};
use crate::process::{Dialect, Protocol};

#[track_caller]
fn check(said: &str, expected: &[&str]) {
    let all = super::answers(Protocol::Ucci, offer("xiangqi", "", Dialect::Same), said);
    let is_report = |line: &String| line.starts_with("info depth") || line.starts_with("info time");
    let found: Vec<String> = all.into_iter().filter(|line| !is_report(line)).collect();
    assert_eq!(found, expected, "{said}");
}

#[test]
fn who_it_is_and_what_can_be_set() {
    let said = "ucci\nprobe startpos\nisready\nquit\nisready";
    check_of(
        Protocol::Ucci,
        offer("xiangqi", "", Dialect::Same),
        said,
        &[
            "id name First 1.0",
            "id author A. \"Nobody\"",
            "option usemillisec type check default false",
            "option newgame type button",
            "option skill type spin default 5 min 0 max 20",
            "option style type combo default calm var calm var wild",
            "option greed type string default 0.5",
            "option book type check default true",
            "option file type string default <empty>",
            "ucciok",
            "pophash",
            "readyok",
            "bye",
        ],
    );
}

#[test]
fn moves_are_chosen() {
    check(
        "setoption usemillisec true\nposition startpos\ngo time 1000 increment 0 opptime 9 oppincrement 0",
        &["bestmove a0a1"],
    );
    check("position startpos moves a0a1\ngo depth 1", &["bestmove a9a7"]);
    check("position startpos\nbanmoves a0a1 a0a2\ngo depth 1", &["bestmove i0i1"]);
    // A ban is of one position.
    check("banmoves a0a1\nposition startpos\ngo nodes 3", &["bestmove a0a1"]);
    check("go draw depth 1", &["bestmove a0a1"]);
    check("setoption newgame\ngo time 60 movestogo 1", &["bestmove a0a1"]);
    check("position startpos moves a0a1\nsetoption newgame\ngo depth 1", &["bestmove a0a1"]);
    check("banmoves a0a1\nsetoption newgame\ngo depth 1", &["bestmove a0a1"]);
    check("banmoves a0a1\ngo depth 1", &["bestmove a0a2"]);
}

#[test]
fn endless_searches_wait_for_the_word() {
    check("go infinite\nisready\nstop", &["readyok", "bestmove a0a1"]);
    check("go depth infinite\nstop", &["bestmove a0a1"]);
    check("stop", &["nobestmove"]);
    let told = "info message pondering is not offered: this search ends with ponderhit";
    check("go ponder time 60 increment 0\nponderhit", &[told, "bestmove a0a1"]);
}

#[test]
fn bad_lines_are_answered_and_the_session_goes_on() {
    let bad = |said: &str, expected: &str| {
        check(&format!("{said}\nisready"), &[&format!("info message {expected}"), "readyok"]);
    };
    bad("fly", "unknown command: fly");
    bad("banmoves a0a9", "`a0a9` is no move here");
    bad(
        "setoption usebook true",
        "there is no option `usebook`; there is skill, style, greed, book, file",
    );
    bad("position here", "`here` is neither `startpos` nor `fen` with a position");
    check(
        "position startpos moves a0a9\ngo depth 1",
        &[
            "info message `a0a9` is refused: a rook on a0 does not go to a9",
            "info message there is no position: `a0a9` is refused: a rook on a0 does not go to a9",
            "nobestmove",
        ],
    );
    check("setoption skill 13\ngo depth 1", &["info message the engine has no luck", "nobestmove"]);
}

#[test]
fn times_as_they_are_told() {
    #[track_caller]
    fn check(said: &str, (call_ms, game_ms): (Option<u64>, Option<u64>)) {
        let offer = offer("xiangqi", "", Dialect::Same);
        let found = super::limits(Protocol::Ucci, offer, said);
        let us = |ms: u64| ms * 1000;
        let expected = (call_ms.map(us), game_ms.map(us));
        assert_eq!((found.call_max, found.game_left), expected, "{said}");
    }
    let in_ms = |go: &str| format!("setoption usemillisec true\n{go}");
    check(&in_ms("go time 0 opptime 0 movetime 970 depth 3"), (Some(970), None));
    check(&in_ms("go time 60000 movetime 970"), (Some(970), Some(60_000)));
    check("go movetime 2", (Some(2000), None));
    check("go time 60 movestogo 1", (Some(60_000), None));
    check("go time 60 increment 1", (None, Some(60_000)));
    // Used up.
    check("go time 0 increment 1", (None, Some(1)));
}
