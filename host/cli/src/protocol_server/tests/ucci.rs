//! Tests of UCCI conversations, as xiangqi programs hold them.

use super::{check_of, engine_info};
use sandboard_protocols::{Dialect, Protocol};

#[track_caller]
fn check(input: &str, expected: &[&str]) {
    let all = super::answers(Protocol::Ucci, engine_info("xiangqi", "", Dialect::Same), input);
    let is_report = |line: &String| line.starts_with("info depth") || line.starts_with("info time");
    let found: Vec<String> = all.into_iter().filter(|line| !is_report(line)).collect();
    assert_eq!(found, expected, "{input}");
}

#[test]
fn identity_and_options() {
    let input = "ucci\nprobe startpos\nisready\nquit\nisready";
    check_of(
        Protocol::Ucci,
        engine_info("xiangqi", "", Dialect::Same),
        input,
        &[
            "id name First 1.0",
            "id author A. \"Author\"",
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
    // `banmoves` applies to one position only.
    check("banmoves a0a1\nposition startpos\ngo nodes 3", &["bestmove a0a1"]);
    check("go draw depth 1", &["bestmove a0a1"]);
    check("setoption newgame\ngo time 60 movestogo 1", &["bestmove a0a1"]);
    check("position startpos moves a0a1\nsetoption newgame\ngo depth 1", &["bestmove a0a1"]);
    check("banmoves a0a1\nsetoption newgame\ngo depth 1", &["bestmove a0a1"]);
    check("banmoves a0a1\ngo depth 1", &["bestmove a0a2"]);
}

#[test]
fn unlimited_searches_wait_for_stop() {
    check("go infinite\nisready\nstop", &["readyok", "bestmove a0a1"]);
    check("go depth infinite\nstop", &["bestmove a0a1"]);
    check("stop", &["nobestmove"]);
    let expected = "info message pondering is not supported: this search ends with ponderhit";
    check("go ponder time 60 increment 0\nponderhit", &[expected, "bestmove a0a1"]);
}

#[test]
fn bad_lines_do_not_end_the_session() {
    let bad = |input: &str, expected: &str| {
        check(&format!("{input}\nisready"), &[&format!("info message {expected}"), "readyok"]);
    };
    bad("fly", "unknown command: fly");
    bad("banmoves a0a9", "`a0a9` is not a legal move here");
    bad(
        "setoption usebook true",
        "unknown option `usebook`; known options: skill, style, greed, book, file",
    );
    bad("position here", "`here` is neither `startpos` nor `fen` with a position");
    check(
        "position startpos moves a0a9\ngo depth 1",
        &[
            "info message `a0a9` is refused: a rook cannot move from a0 to a9",
            "info message no position: `a0a9` is refused: a rook cannot move from a0 to a9",
            "nobestmove",
        ],
    );
    check("setoption skill 13\ngo depth 1", &["info message the engine has no luck", "nobestmove"]);
}

#[test]
fn times_become_limits() {
    #[track_caller]
    fn check(input: &str, (call_ms, game_ms): (Option<u64>, Option<u64>)) {
        let engine_info = engine_info("xiangqi", "", Dialect::Same);
        let found = super::limits(Protocol::Ucci, engine_info, input);
        let us = |ms: u64| ms * 1000;
        let expected = (call_ms.map(us), game_ms.map(us));
        assert_eq!((found.call_max, found.game_left), expected, "{input}");
    }
    let in_ms = |go: &str| format!("setoption usemillisec true\n{go}");
    check(&in_ms("go time 0 opptime 0 movetime 970 depth 3"), (Some(970), None));
    check(&in_ms("go time 60000 movetime 970"), (Some(970), Some(60_000)));
    check("go movetime 2", (Some(2000), None));
    check("go time 60 movestogo 1", (Some(60_000), None));
    check("go time 60 increment 1", (None, Some(60_000)));
    // The time is used up.
    check("go time 0 increment 1", (None, Some(1)));
}
