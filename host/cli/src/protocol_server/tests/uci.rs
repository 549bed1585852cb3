//! Tests of UCI conversations, as GUIs hold them.

use sandboard_abi::Limits;

use super::{answers, check_of, engine_info};
use sandboard_protocols::{Dialect, Protocol};

#[track_caller]
fn check(input: &str, expected: &[&str]) {
    check_of(Protocol::Uci, engine_info("xiangqi", "", Dialect::Same), input, expected);
}

#[test]
fn identity_and_options() {
    let engine_info = engine_info("gomoku", "renju", Dialect::Same);
    let found = answers(Protocol::Uci, engine_info, "uci\nisready\nquit\nisready");
    let variants = "freestyle var standard var renju var renju-contest var renju-rif var yamaguchi \
                    var soosorv-8 var taraguchi-10 var swap var swap2";
    assert_eq!(
        found,
        [
            "id name First 1.0",
            "id author A. \"Author\"",
            "option name MultiPV type spin default 1 min 1 max 64",
            &format!("option name UCI_Variant type combo default gomoku var gomoku var {variants}"),
            "option name skill type spin default 5 min 0 max 20",
            "option name style type combo default calm var calm var wild",
            "option name greed type string default 0.5",
            "option name book type check default true",
            "option name file type string default <empty>",
            "uciok",
            "readyok",
        ]
    );
}

#[test]
fn moves_are_chosen() {
    check("position startpos\ngo depth 1", &["bestmove a0a1"]);
    check("position startpos moves a0a1\r\ngo movetime 1000", &["bestmove a9a7"]);
    check("go wtime 1000 btime 1000", &["bestmove a0a1"]);
    let fen = "3k5/9/9/9/9/9/9/9/9/4K3R w - - 0 1";
    check(
        &format!("position fen {fen} moves i0i1 d9d8\ngo nodes 5 searchmoves i1i2 i1i3"),
        &["bestmove i1i2"],
    );
    // None of the moves is legal, so the restriction is ignored.
    check("go nodes 5 searchmoves x1x2", &["bestmove a0a1"]);
    let from_one = engine_info("xiangqi", "", Dialect::RanksFromOne);
    check_of(
        Protocol::Uci,
        from_one,
        "position startpos moves a1a2 a10a9\ngo depth 1",
        &["bestmove i1i2"],
    );
}

#[test]
fn positions_without_the_word_position() {
    let fen = "3k5/9/9/9/9/9/9/9/9/4K3R r";
    check(&format!("fen {fen} moves i0i1 d9d8\ngo depth 1"), &["bestmove i1a1"]);
    check("startpos moves a0a1\ngo depth 1", &["bestmove a9a7"]);
    check(
        "fen 9 r\ngo depth 1",
        &[
            "info string not a position of xiangqi: at byte 0: 1 ranks instead of 10",
            "info string no position: not a position of xiangqi: at byte 0: 1 ranks instead of 10",
            "bestmove (none)",
        ],
    );
}

#[test]
fn unlimited_searches_wait_for_stop() {
    check("go infinite\nisready\nstop", &["readyok", "bestmove a0a1"]);
    check("go\nstop\nstop", &["bestmove a0a1"]);
    // A search that finishes earlier is answered on `stop`.
    check("go infinite depth 1\nstop", &["bestmove a0a1"]);
    check(
        "go ponder wtime 5\nponderhit",
        &[
            "info string pondering is not supported: this search ends with `ponderhit`",
            "bestmove a0a1",
        ],
    );
    // Commands that change the game wait.
    check(
        "go infinite\nposition startpos moves a0a1\nstop\ngo depth 1",
        &["bestmove a0a1", "bestmove a9a7"],
    );
    // At the end of the input the answer is written, and the session does not wait forever.
    check("go infinite depth 2", &["bestmove a0a1"]);
    check(
        "go infinite\nposition startpos moves a0a1\ngo depth 1",
        &["bestmove a0a1", "bestmove a9a7"],
    );
    check("go depth 2", &["bestmove a0a1"]);
    check("go infinite\nquit", &[]);
}

#[test]
fn bad_lines_do_not_end_the_session() {
    let bad =
        |input: &str, expected: &str| check(&format!("{input}\nisready"), &[expected, "readyok"]);
    bad("fly", "info string unknown command: fly");
    bad("UCI", "info string unknown command: UCI");
    bad("setoption skill 3", "info string an option is set by `setoption name NAME value VALUE`");
    let known = "known options: skill, style, greed, book, file";
    bad("setoption name Hash value 3", &format!("info string unknown option `Hash`; {known}"));
    bad(
        "setoption name Skill value 21",
        "info string option `skill`: `21` is not a whole number from 0 to 20",
    );
    bad("setoption name MultiPV value 65", "info string MultiPV: `65` is not 1 to 64");
    bad(
        "position startpos moves a0a9",
        "info string `a0a9` is refused: a rook cannot move from a0 to a9",
    );
    bad(
        "position kiwipete",
        "info string `kiwipete` is neither `startpos` nor `fen` with a position",
    );
    check("debug on\n\nregister later\nisready", &["readyok"]);
    // Unknown words before a command are ignored.
    check("joho \t isready", &["readyok"]);
    check("so please position startpos moves a0a1\njoho go depth 1", &["bestmove a9a7"]);
    bad("joho isready2", "info string unknown command: joho");
    bad("joho startpos", "info string unknown command: joho");
}

#[test]
fn readyok_follows_the_preparation() {
    // `quit` does not wait for the engine.
    check("isready\nquit\nisready", &["readyok"]);
    // Later lines are handled in order: the search ends with the last one.
    check(
        "isready\nposition startpos moves a0a1\ngo infinite\nstop",
        &["readyok", "bestmove a9a7"],
    );
    check(
        "position kiwipete\nisready",
        &["info string `kiwipete` is neither `startpos` nor `fen` with a position", "readyok"],
    );
    // An engine that fails to start is reported, and asked anyway.
    let failing =
        "setoption name style value wild\nisready\nsetoption name style value calm\ngo depth 1";
    check(failing, &["info string the engine does not begin", "readyok", "bestmove a0a1"]);
}

#[test]
fn a_new_game_resets_the_position() {
    check("position startpos moves a0a1\nucinewgame\ngo depth 1", &["bestmove a0a1"]);
    let refused = "info string `kiwipete` is neither `startpos` nor `fen` with a position";
    check("position kiwipete\nucinewgame\ngo depth 1", &[refused, "bestmove a0a1"]);
    let none =
        "info string no position: `kiwipete` is neither `startpos` nor `fen` with a position";
    check("position kiwipete\ngo depth 1", &[refused, none, "bestmove (none)"]);
}

#[test]
fn options_take_effect() {
    check(
        "setoption name SKILL value 13\ngo depth 1\nsetoption name skill value 5\ngo depth 1",
        &["info string the engine has no luck", "bestmove (none)", "bestmove a0a1"],
    );
    let gomoku = || engine_info("gomoku", "", Dialect::Same);
    let input = "setoption name UCI_Variant value standard-5\nposition startpos\ngo depth 1";
    check_of(Protocol::Uci, gomoku(), input, &["bestmove a1"]);
    let back = "setoption name UCI_Variant value standard-5\nsetoption name UCI_Variant value gomoku\n\
                position startpos moves h8\ngo depth 1";
    check_of(Protocol::Uci, gomoku(), back, &["bestmove a1"]);
    check("setoption name UCI_Variant value xiangqi\ngo depth 1", &["bestmove a0a1"]);
    let caro = "info string the engine does not play caro; it plays freestyle, standard, renju, renju-contest, \
                renju-rif, yamaguchi, soosorv-8, taraguchi-10, swap, swap2";
    check_of(Protocol::Uci, gomoku(), "setoption name UCI_Variant value caro", &[caro]);
}

#[test]
fn a_game_ended_by_its_history_continues() {
    let cycle = "d9e9 d7c7 e9d9 c7d7";
    let third = format!("position fen 3k5/9/3R5/9/9/p8/9/9/9/5K3 b - - 7 20 moves {cycle} {cycle}");
    // The engine searches from the position without its history, however often the position occurs.
    check(&format!("{third}\ngo depth 1"), &["bestmove d9e9"]);
    check(&format!("{third} {cycle}\ngo depth 1"), &["bestmove d9e9"]);
    check(&format!("{third} {cycle} {cycle} d9e9\ngo depth 1"), &["bestmove d7a7"]);
    let late = "position fen 3k5/9/3R5/9/9/p8/9/9/9/5K3 b - - 119 90 moves d9e9";
    check(&format!("{late}\ngo depth 1"), &["bestmove d7a7"]);
    check(&format!("{late} d7d6\ngo depth 1"), &["bestmove a4a3"]);
    // If the position itself ends the game, any legal move is answered.
    let bare = "position fen 3k5/9/9/9/9/9/9/9/9/5K3 b - - 0 1";
    let over = "the game is over: insufficient material";
    check(&format!("{bare}\ngo depth 1"), &[&format!("info string {over}"), "bestmove d9e9"]);
    // A refused position is not replaced by the previous one.
    let refused = format!("`d9e9` is refused: {over}");
    check(
        &format!("position startpos\n{bare} moves d9e9\ngo depth 1\nposition startpos\ngo depth 1"),
        &[
            &format!("info string {refused}"),
            &format!("info string no position: {refused}"),
            "bestmove (none)",
            "bestmove a0a1",
        ],
    );
}

#[test]
fn unlimited_searches_get_the_default_limits() {
    let mut engine_info = engine_info("xiangqi", "", Dialect::Same);
    engine_info.default_limits = Limits { depth: Some(2), ..Limits::default() };
    let all = answers(Protocol::Uci, engine_info, "go\ngo depth 3");
    let begins: Vec<&str> = all.iter().filter_map(|line| line.split(" multipv").next()).collect();
    assert_eq!(begins, ["info depth 2", "bestmove a0a1", "info depth 3", "bestmove a0a1"]);
}

#[test]
fn reports() {
    let all = answers(Protocol::Uci, engine_info("xiangqi", "", Dialect::Same), "go depth 4");
    let [report, answer] = &all[..] else { panic!("{all:?}") };
    let (before, after) = report.split_once(" time ").unwrap();
    assert_eq!(before, "info depth 4 multipv 1 score cp 7 nodes 3");
    // `time` and `nps` depend on the machine.
    let [time, "nps", nps, "pv", "a0a1"] = after.split(' ').collect::<Vec<_>>()[..] else {
        panic!("{report}")
    };
    assert!([time, nps].iter().all(|number| number.parse::<u64>().is_ok()), "{report}");
    assert_eq!(answer, "bestmove a0a1");
}

#[test]
fn times_become_limits() {
    #[track_caller]
    fn check(input: &str, (call_ms, game_ms): (Option<u64>, Option<u64>)) {
        let engine_info = engine_info("xiangqi", "", Dialect::Same);
        let found = super::limits(Protocol::Uci, engine_info, input);
        let us = |ms: u64| ms * 1000;
        let expected = (call_ms.map(us), game_ms.map(us));
        assert_eq!((found.call_max, found.game_left), expected, "{input}");
    }
    check("go movetime 970", (Some(970), None));
    check("go wtime 0 btime 0 movetime 970", (Some(970), None));
    check("go wtime 60000 btime 9 movetime 970", (Some(970), Some(60_000)));
    check("go wtime 60000 btime 9", (None, Some(60_000)));
    // The time is used up.
    check("go wtime 0 btime 9", (None, Some(1)));
    check("go wtime -5 btime 9", (None, Some(1)));
}
