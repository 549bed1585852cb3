//! Tests of GTP conversations, as GUIs hold them.

use super::{check_of, engine_info};
use sandboard_protocols::{Dialect, Protocol};

#[track_caller]
fn check(id: &str, input: &str, expected: &[&str]) {
    check_of(Protocol::Gtp, engine_info(id, "", Dialect::Same), input, expected);
}

/// Checks the first line of the response to the last command.
#[track_caller]
fn one(id: &str, input: &str, expected: &str) {
    let all = super::answers(Protocol::Gtp, engine_info(id, "", Dialect::Same), input);
    let last = all.iter().rev().skip(1).find(|line| line.starts_with(['=', '?']));
    assert_eq!(last.map(String::as_str), Some(expected), "{input}");
}

#[test]
fn identity() {
    check(
        "reversi",
        "1 protocol_version\nname\n\n# nothing\n3 version\nknown_command fly\n4 quit\n5 name",
        &["=1 2", "", "= First", "", "=3 1.0", "", "= false", "", "=4", ""],
    );
    let all =
        super::answers(Protocol::Gtp, engine_info("reversi", "", Dialect::Same), "list_commands");
    assert!(all.contains(&"sandboard-option".to_owned()), "{all:?}");
    assert_eq!((all[0].as_str(), all.last().map(String::as_str)), ("= boardsize", Some("")));
}

#[test]
fn games_are_named() {
    one("reversi", "list_games", "= Othello");
    one("gomoku", "list_games", "= Gomoku");
    one("reversi", "set_game Othello", "=");
    one("reversi", "set_game reversi", "=");
    one("gomoku", "set_game Gomoku", "=");
    for other in ["Go", "Gomoku", ""] {
        one("reversi", &format!("set_game {other}"), "? unsupported game");
    }
}

#[test]
fn boards_are_shown_with_the_columns_of_moves() {
    let shown = |id: &str, input: &str| {
        super::answers(Protocol::Gtp, engine_info(id, "", Dialect::Same), input).join("\n")
    };
    let gomoku = shown("gomoku", "boardsize 9\nplay b J9\nshowboard");
    assert!(gomoku.contains("a b c d e f g h j\n 9 . . . . . . . .[x]"), "{gomoku}");
    let reversi = shown("reversi", "boardsize 10\nshowboard");
    assert!(reversi.contains("a b c d e f g h i j\n"), "{reversi}");
}

#[test]
fn games_are_played() {
    let input = "boardsize 15\nclear_board\nplay B H8\n7 genmove w\nplay b J9\ngenmove W\nundo\nundo\ngenmove b";
    let expected =
        ["=", "", "=", "", "=", "", "=7 A1", "", "=", "", "= B1", "", "=", "", "=", "", "= B1", ""];
    check("gomoku", input, &expected);
    check(
        "reversi",
        "komi 0\nplay black F5\ngenmove white\nreg_genmove b\nreg_genmove b",
        &["=", "", "=", "", "= F4", "", "= C3", "", "= C3", ""],
    );
    one("gomoku", "time_settings 0 5 1\ntime_left b 5 1\ngenmove b", "= A1");
    one("gomoku", "time_settings 60 0 0\ntime_left b 30 0\ngenmove b", "= A1");
    one("gomoku", "time_settings 60 30 5\ngenmove b", "= A1");
}

#[test]
fn searches_are_interrupted() {
    // These searches have no limit.
    check(
        "reversi",
        "gogui-interrupt\n5 genmove b\nname\n# interrupt\ngenmove w\n # interrupt \n# interrupt\nversion",
        &["=", "", "=5 D3", "", "= First", "", "= C3", "", "= 1.0", ""],
    );
}

#[test]
fn passes_are_implied() {
    // After these moves black must pass.
    let passes = "boardsize 4\nplay b B1\nplay w C1\nplay b D3\nplay w A1";
    one("reversi", &format!("{passes}\nreg_genmove w"), "= A3");
    one("reversi", &format!("{passes}\nreg_genmove w\nreg_genmove b"), "= pass");
    one("reversi", &format!("{passes}\nplay w B1\nreg_genmove b"), "= pass");
    one("reversi", &format!("{passes}\nplay w A3\nundo\nreg_genmove b"), "= pass");
    one("reversi", &format!("{passes}\ngenmove w\nundo\nreg_genmove b"), "= pass");
    one("reversi", &format!("{passes}\nplay b pass\nplay w A3\nundo\nreg_genmove w"), "= A3");
}

#[test]
fn impossible_commands_are_refused() {
    one("gomoku", "fly", "? unknown command");
    one("gomoku", "9 fly", "?9 unknown command");
    one("gomoku", "boardsize 40", "? unacceptable size");
    one("reversi", "boardsize 7", "? unacceptable size");
    one("gomoku", "play B I8", "? illegal move");
    one("gomoku", "play W H8", "? illegal move: it is the other colour's turn");
    one("gomoku", "play green H8", "? syntax error: a colour is b or w");
    one(
        "gomoku",
        "play B H8\nplay W H8",
        "? illegal move: `h8` is refused: a black stone is on h8",
    );
    one("gomoku", "undo", "? cannot undo");
    one("gomoku", "komi x", "? syntax error: a number");
    one("gomoku", "time_left b five 1", "? syntax error: whole numbers of seconds and stones");
    one("gomoku", "final_score", "? cannot score: the game is not over");
    one(
        "gomoku",
        "sandboard-option skill 99",
        "? option `skill`: `99` is not a whole number from 0 to 20",
    );
    one("gomoku", "sandboard-option skill 13\ngenmove b", "? the engine has no luck");
    one("gomoku", "sandboard-option style wild", "=");
}
