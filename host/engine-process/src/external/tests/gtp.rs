//! Tests of the GTP client with scripted programs.

use sandboard_abi::Limits;

use super::{Script, ScriptedGame, patient, setup};
use sandboard_engine::Engine;
use sandboard_protocols::Protocol;

#[test]
fn all_moves_are_sent_again_after_a_take_back() {
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
    let mut game = ScriptedGame::new(Protocol::Gtp, &[("level", "3")], &script);
    game.begin(&setup("reversi", "", "f5")).unwrap();
    assert_eq!(game.choose(&patient()).unwrap(), "d6");
    game.play("c3");
    assert_eq!(game.choose(&patient()).unwrap(), "d3");
    game.engine.taken_back(3).unwrap();
    assert_eq!(game.choose(&patient()).unwrap(), "Resign");
    game.end();
}

/// Makes a first request on a board of gomoku.
#[track_caller]
fn check(script: &'static str, expected: &str) {
    let mut game = ScriptedGame::new(Protocol::Gtp, &[], &Script(script));
    let found = game.begin(&setup("gomoku", "standard-15", ""));
    let found = found.and_then(|()| game.choose(&patient()));
    assert_eq!(found.unwrap_or_else(|sentence| sentence), expected);
    game.end();
}

/// The start of a script, with the program's answer to whether it knows the stop command.
macro_rules! started {
    ($knows:literal) => {
        concat!(
            ">1 protocol_version\n=1 2\n\\n\n>2 known_command gogui-interrupt\n",
            $knows,
            "\n\\n\n>3 boardsize 15\n=3\n\\n\n>4 clear_board\n=4\n\\n\n",
        )
    };
}

macro_rules! first_request {
    ($answer:literal) => {
        concat!(
            started!("=2 false"),
            ">5 time_settings …\n=5\n\\n\n>6 time_left …\n=6\n\\n\n>7 genmove b\n",
            $answer,
            "\n"
        )
    };
}

#[test]
fn answers() {
    check(first_request!("=7 J8\n\\n"), "i8");
    check(first_request!("= 7 J8\n\\n"), "i8");
    check(first_request!("=7 A15\\r\n\\r\n"), "a15");
    check(first_request!("=7 I8\n\\n"), "chose `I8`, which is not a point");
    check(first_request!("?7 no idea\n\\n"), "reported that it has no move: `no idea`");
    check(first_request!("=6 J8\n\\n"), "answered without a question: `=6 J8`");
    check(first_request!("= J8\n\\n"), "answered without a question: `= J8`");
    check(
        ">1 protocol_version\n=1 2\n\\n\n>2 known_command …\n=2 false\n\\n\n>3 boardsize 15\n?3 unacceptable size\n\\n\n",
        "refused `boardsize 15`: unacceptable size",
    );
}

#[test]
fn a_search_is_interrupted_if_the_program_knows_the_command() {
    let check = |script: &'static str| {
        let mut game = ScriptedGame::new(Protocol::Gtp, &[], &Script(script));
        game.begin(&setup("gomoku", "standard-15", "")).unwrap();
        game.engine.stop_handle().stop();
        assert_eq!(game.choose(&Limits::default()).unwrap(), "i8");
        game.end();
    };
    check(concat!(started!("=2 true"), ">5 genmove b\n># interrupt\n=5 J8\n\\n\n"));
    check(concat!(started!("=2 TRUE"), ">5 genmove b\n># interrupt\n=5 J8\n\\n\n"));
    check(concat!(started!("=2 false"), ">5 genmove b\n=5 J8\n\\n\n"));
    check(concat!(started!("?2 unknown command"), ">5 genmove b\n=5 J8\n\\n\n"));
}

/// A script of commands and responses, with numbers.
fn numbered(steps: &[(&str, &str)]) -> &'static str {
    let step = |(index, (command, response)): (usize, &(&str, &str))| {
        let (number, (sign, text)) = (index + 1, response.split_at(1));
        format!(">{number} {command}\n{sign}{number}{text}\n\\n\n")
    };
    steps.iter().enumerate().map(step).collect::<String>().leak()
}

#[test]
fn passes_that_the_program_makes_itself() {
    let begin = [
        ("protocol_version", "= 2"),
        ("known_command …", "= false"),
        ("boardsize 4", "="),
        ("clear_board", "="),
    ];
    let moves = [("play b B1", "="), ("play w C1", "="), ("play b D3", "="), ("play w A1", "=")];
    let ask = [("time_settings …", "="), ("time_left …", "="), ("genmove w", "= A3")];
    let check = |script: &[&[(&str, &str)]], moves: &str, expected: &str| {
        let mut game = ScriptedGame::new(Protocol::Gtp, &[], &Script(numbered(&script.concat())));
        game.begin(&setup("reversi", "standard-4", moves)).unwrap();
        let found = game.choose(&patient()).unwrap_or_else(|sentence| sentence);
        assert_eq!(found, expected);
        game.end();
    };
    // In this position black has no move.
    let passed = "b1 c1 d3 a1 pass";
    check(&[&begin, &moves, &[("play b pass", "=")], &ask], passed, "a3");
    check(&[&begin, &moves, &[("play b pass", "? syntax error")], &ask], passed, "a3");
    let refused = "refused `play b B1`, which was played: `syntax error`";
    check(&[&begin, &[("play b B1", "? syntax error")]], "b1", refused);
}

#[test]
fn only_games_from_their_start_can_be_sent() {
    let mut game = ScriptedGame::new(Protocol::Gtp, &[], &Script(""));
    let mut setup = setup("gomoku", "freestyle-5", "");
    setup.start = "5/5/2x2/5/5 w".into();
    let found = game.begin(&setup).unwrap_err();
    assert!(found.starts_with("cannot begin: gtp cannot express a start position"), "{found}");
    game.end();
}

#[test]
fn a_program_tells_its_name() {
    let check = |script: &'static str, expected: [&str; 2]| {
        let mut game = ScriptedGame::new(Protocol::Gtp, &[], &Script(script));
        let identity = game.engine.identify().unwrap();
        assert_eq!([&*identity.name, &identity.version], expected);
        game.end();
    };
    check(">1 name\n=1 GRhino\n\\n\n>2 version\n=2 0.16.1\n\\n", ["GRhino", "0.16.1"]);
    check(">1 name\n?1 unknown command\n\\n\n>2 version\n=2\n\\n", ["", ""]);
}
