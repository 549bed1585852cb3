//! `sandboard protocol` as other programs run it: its standard output has protocol lines only.

use sandboard_tests::built;

use crate::cli::TestHome;

/// Sends these lines; each answer, without search reports, starts with an expected text.
#[track_caller]
fn check(words: &str, input: &str, expected: &[&str]) {
    built("gomoku-simple.wasm");
    let home = TestHome::trusting();
    let ended = home.run(&words.split(' ').collect::<Vec<_>>(), input);
    assert_eq!(ended.code, Some(0), "{words}: {}", ended.err);
    let is_report = |line: &&str| {
        ["info depth", "info time", "MESSAGE", "nodestats"].iter().any(|it| line.starts_with(it))
    };
    let found: Vec<&str> = ended.out.lines().filter(|line| !is_report(line)).collect();
    let fits = found.len() == expected.len()
        && found.iter().zip(expected).all(|(line, begin)| line.starts_with(begin));
    assert!(fits, "{words}: {found:#?}, not {expected:#?}\n{}", ended.err);
}

#[test]
fn an_engine_plays_in_every_protocol() {
    check(
        "protocol gomocup --engine gomoku-simple",
        "ABOUT\r\nSTART 15\r\nINFO rule 1\r\nINFO timeout_turn 200\r\nBOARD\r\n0,0,1\r\n14,14,2\r\n1,0,1\r\n13,14,2\r\n2,0,1\r\n12,14,2\r\n3,0,1\r\n10,14,2\r\nDONE\r\nFLY\r\n",
        &["name=\"", "OK", "4,0", "UNKNOWN command FLY"],
    );
    check(
        "protocol uci --engine xiangqi-mt --moves ranks-from-1",
        "position startpos moves h3e3\nisready\nfly\ngo depth 2\n",
        &["readyok", "info string unknown command: fly", "bestmove "],
    );
    // Stop requests and queries are handled during a search.
    check(
        "protocol uci --engine gomoku-simple --variant freestyle-15",
        "go infinite\nisready\nsetoption name fly value 1\nstop\n",
        &["readyok", "bestmove ", "info string unknown option `fly`"],
    );
    check(
        "protocol ucci --engine xiangqi-mt",
        "position startpos\nbanmoves h2e2\ngo depth 2\n",
        &["bestmove "],
    );
    check(
        "protocol gtp --engine reversi-simple",
        "1 boardsize 8\n2 play b f5\ntime_settings 0 1 1\n3 genmove w\n4 fly\n",
        &["=1", "", "=2", "", "=", "", "=3 ", "", "?4 unknown command", ""],
    );
    check(
        "protocol nboard --engine reversi-simple",
        "nboard 2\nset depth 3\nping 1\ngo\nping 2\n",
        &["set myname ", "pong 1", "status ", "=== ", "status", "pong 2"],
    );
}

#[test]
fn unsupported_games_are_refused_without_output() {
    let home = TestHome::trusting();
    let check = |words: &str, why: &str| {
        let ended = home.run(&words.split(' ').collect::<Vec<_>>(), "");
        assert_eq!((ended.code, ended.out.as_str()), (Some(2), ""), "{words}");
        assert!(ended.err.contains(why), "{words}: {}", ended.err);
    };
    check(
        "protocol gomocup --engine xiangqi-mt",
        "engine `xiangqi-mt` plays no game that gomocup supports",
    );
    check(
        "protocol xboard --engine xiangqi-mt",
        "known protocols: uci, ucci, gomocup, gtp, nboard",
    );
    check(
        "protocol gtp --engine reversi-ponder@fuel:1e9/move",
        "a fuel budget is not possible here",
    );
    let swap = "gomocup cannot express gomoku swap; of gomoku it supports";
    check("protocol gomocup --engine gomoku-simple --variant swap", swap);
}
