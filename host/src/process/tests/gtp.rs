//! Programs that speak GTP as scripts.

use sandboard_abi::Limits;

use super::{Script, Scripted, patient, setup};
use crate::engine::Engine;
use crate::process::Protocol;

#[test]
fn a_game_is_followed_and_told_anew_after_a_take_back() {
    let script = Script(
        ">1 protocol_version
         =1 2
         \\n
         >2 known_command gogui-interrupt
         ?2 unknown command
         \\n
         >3 level 3
         =3
         \\n
         >4 boardsize 8
         =4
         \\n
         >5 clear_board
         =5
         \\n
         >6 play b F5
         =6
         \\n
         >7 time_settings 0 59 1
         ?7 unknown command
         \\n
         >8 time_left w 59 1
         =8
         \\n
         >9 genmove w
         thinking
         =9 D6
         \\n
         >10 play b C3
         =10
         \\n
         >11 time_settings 0 59 1
         =11
         \\n
         >12 time_left w 59 1
         =12
         \\n
         >13 genmove w
         =13 d3
         \\n
         >14 clear_board
         =14
         \\n
         >15 play b F5
         =15
         \\n
         >16 time_settings 0 59 1
         =16
         \\n
         >17 time_left w 59 1
         =17
         \\n
         >18 genmove w
         =18 resign
         \\n
         ",
    );
    let mut game = Scripted::new(Protocol::Gtp, &[("level", "3")], &script);
    game.begin(&setup("reversi", "", "f5")).unwrap();
    assert_eq!(game.choose(&patient()).unwrap(), "d6");
    game.hears("c3");
    assert_eq!(game.choose(&patient()).unwrap(), "d3");
    game.engine.taken_back(3).unwrap();
    assert_eq!(game.choose(&patient()).unwrap(), "Resign");
    game.end();
}

/// What comes of a first question on a board of gomoku.
#[track_caller]
fn check(script: &'static str, expected: &str) {
    let mut game = Scripted::new(Protocol::Gtp, &[], &Script(script));
    let found = game.begin(&setup("gomoku", "standard-15", ""));
    let found = found.and_then(|()| game.choose(&patient()));
    assert_eq!(found.unwrap_or_else(|sentence| sentence), expected);
    game.end();
}

/// A game that has begun, when this was said to whether it knows the word to stop.
macro_rules! begun {
    ($knows:literal) => {
        concat!(
            ">1 protocol_version\n=1 2\n\\n\n>2 known_command gogui-interrupt\n",
            $knows,
            "\n\\n\n>3 boardsize 15\n=3\n\\n\n>4 clear_board\n=4\n\\n\n",
        )
    };
}

macro_rules! asked {
    ($answer:literal) => {
        concat!(
            begun!("=2 false"),
            ">5 time_settings …\n=5\n\\n\n>6 time_left …\n=6\n\\n\n>7 genmove b\n",
            $answer,
            "\n"
        )
    };
}

#[test]
fn answers() {
    check(asked!("=7 J8\n\\n"), "i8");
    check(asked!("= 7 J8\n\\n"), "i8");
    check(asked!("=7 A15\\r\n\\r\n"), "a15");
    check(asked!("=7 I8\n\\n"), "chose `I8`, which is no point");
    check(asked!("?7 no idea\n\\n"), "has no move, it says: `no idea`");
    check(asked!("=6 J8\n\\n"), "answered what it was not asked: `=6 J8`");
    check(asked!("= J8\n\\n"), "answered what it was not asked: `= J8`");
    check(
        ">1 protocol_version\n=1 2\n\\n\n>2 known_command …\n=2 false\n\\n\n>3 boardsize 15\n?3 unacceptable size\n\\n\n",
        "refuses `boardsize 15`: unacceptable size",
    );
}

#[test]
fn a_search_that_is_to_stop_is_interrupted_where_that_is_known() {
    let check = |script: &'static str| {
        let mut game = Scripted::new(Protocol::Gtp, &[], &Script(script));
        game.begin(&setup("gomoku", "standard-15", "")).unwrap();
        game.engine.control().stop();
        assert_eq!(game.choose(&Limits::default()).unwrap(), "i8");
        game.end();
    };
    check(concat!(begun!("=2 true"), ">5 genmove b\n># interrupt\n=5 J8\n\\n\n"));
    check(concat!(begun!("=2 TRUE"), ">5 genmove b\n># interrupt\n=5 J8\n\\n\n"));
    check(concat!(begun!("=2 false"), ">5 genmove b\n=5 J8\n\\n\n"));
    check(concat!(begun!("?2 unknown command"), ">5 genmove b\n=5 J8\n\\n\n"));
}

/// Commands with what is responded to each, numbered.
fn numbered(steps: &[(&str, &str)]) -> &'static str {
    let step = |(index, (command, response)): (usize, &(&str, &str))| {
        let (number, (sign, text)) = (index + 1, response.split_at(1));
        format!(">{number} {command}\n{sign}{number}{text}\n\\n\n")
    };
    steps.iter().enumerate().map(step).collect::<String>().leak()
}

#[test]
fn passes_that_it_knows_itself() {
    let begin = [
        ("protocol_version", "= 2"),
        ("known_command …", "= false"),
        ("boardsize 4", "="),
        ("clear_board", "="),
    ];
    let moves = [("play b B1", "="), ("play w C1", "="), ("play b D3", "="), ("play w A1", "=")];
    let ask = [("time_settings …", "="), ("time_left …", "="), ("genmove w", "= A3")];
    let check = |script: &[&[(&str, &str)]], moves: &str, expected: &str| {
        let mut game = Scripted::new(Protocol::Gtp, &[], &Script(numbered(&script.concat())));
        game.begin(&setup("reversi", "standard-4", moves)).unwrap();
        let found = game.choose(&patient()).unwrap_or_else(|sentence| sentence);
        assert_eq!(found, expected);
        game.end();
    };
    // Black has no move then.
    let passed = "b1 c1 d3 a1 pass";
    check(&[&begin, &moves, &[("play b pass", "=")], &ask], passed, "a3");
    check(&[&begin, &moves, &[("play b pass", "? syntax error")], &ask], passed, "a3");
    let refused = "refuses `play b B1`, which was played, and says: `syntax error`";
    check(&[&begin, &[("play b B1", "? syntax error")]], "b1", refused);
}

#[test]
fn only_games_from_their_start_can_be_told() {
    let mut game = Scripted::new(Protocol::Gtp, &[], &Script(""));
    let mut setup = setup("gomoku", "freestyle-5", "");
    setup.start = "5/5/2x2/5/5 w".into();
    let found = game.begin(&setup).unwrap_err();
    assert!(found.starts_with("cannot begin: gtp cannot tell a position"), "{found}");
    game.end();
}
