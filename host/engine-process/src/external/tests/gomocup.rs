//! Tests of the Gomocup client with scripted programs.

use super::{CollectingListener, Script, ScriptedGame, patient, setup};
use sandboard_abi::Limits;
use sandboard_engine::Engine;
use sandboard_protocols::Protocol;
use std::sync::Arc;

/// The start of a script: the size of the board, the rule, and more lines.
macro_rules! started {
    ($size:literal, $rule:literal, $more:literal) => {
        Script(concat!(
            ">ABOUT\nname=\"b\", version=\"1\"\n>START ",
            $size,
            "\nOK\n>INFO game_type 1\n>INFO rule ",
            $rule,
            "\n>INFO max_memory 786432\n>ABOUT\nname=\"b\"\n",
            $more
        ))
    };
}

fn game(variant: &str, moves: &str, script: &Script) -> ScriptedGame {
    let mut game = ScriptedGame::new(Protocol::Gomocup, &[], script);
    game.begin(&setup("gomoku", variant, moves)).unwrap();
    game
}

/// Plays these moves, with `?` for a choice and `<` for a take-back. The result is all moves, or
/// the fault.
#[track_caller]
fn check(variant: &str, moves: &str, script: &Script, expected: &str) {
    let mut game = game(variant, "", script);
    let mut played = Vec::new();
    for mv in moves.split(' ').filter(|mv| !mv.is_empty()) {
        let found = match mv {
            "?" => game.choose(&patient()),
            "<" => {
                game.engine.taken_back(1).unwrap();
                Ok("<".to_owned())
            }
            mv => {
                game.play(mv);
                Ok(mv.to_owned())
            }
        };
        match found {
            Ok(mv) => played.push(mv),
            Err(sentence) => {
                played.push(sentence);
                break;
            }
        }
    }
    assert_eq!(played.join(" "), expected);
    game.end();
}

#[test]
fn an_engine_begins_and_receives_each_stone() {
    let script = started!(
        "15",
        "0",
        ">ABOUT
        name=\"b\"
        >INFO timeout_turn …
        >INFO timeout_match 0
        >INFO time_left 2147483647
        >BEGIN
        MESSAGE it begins
        7,7
        >ABOUT
        name=\"b\"
        >INFO timeout_turn …
        >INFO time_left 2147483647
        >TURN 8,6
        debug mine is
         9 , 5 \\r
        "
    );
    check("freestyle", "? i9 ?", &script, "h8 i9 j10");
}

#[test]
fn the_board_is_sent_again_after_other_changes() {
    // The program plays white, enters the game in the middle, and then a move is taken back.
    let script = started!(
        "15",
        "0",
        ">ABOUT
        name=\"b\"
        >INFO timeout_turn …
        >INFO timeout_match 0
        >INFO time_left …
        >BOARD
        >7,7,2
        >DONE
        8,8
        >ABOUT
        name=\"b\"
        >RESTART
        OK
        >INFO timeout_turn …
        >INFO time_left …
        >BOARD
        >7,7,2
        >DONE
        8,9
        >ABOUT
        name=\"b\"
        >RESTART
        UNKNOWN command
        >START 15
        OK
        >INFO game_type 1
        >INFO rule 0
        >INFO max_memory 786432
        >INFO timeout_turn …
        >INFO timeout_match 0
        >INFO time_left …
        >BOARD
        >7,7,1
        >8,9,2
        >9,9,1
        >7,9,2
        >DONE
        9,8
        "
    );
    check("freestyle-15", "h8 ? < ? j6 h6 ?", &script, "h8 i7 < i6 j6 h6 j7");
}

#[test]
fn sizes_and_rules_of_variants() {
    game("standard-20", "", &started!("20", "1", "")).end();
    game("caro", "", &started!("15", "9", "")).end();
    game("renju", "", &started!("15", "4", "")).end();
    game("freestyle-5", "", &started!("5", "0", "")).end();
    game("swap2-19", "", &started!("19", "1", "")).end();
}

#[test]
fn inexpressible_games_are_refused() {
    let check = |variant: &str, script: &'static str, why: &str| {
        let mut game = ScriptedGame::new(Protocol::Gomocup, &[], &Script(script));
        let found = game.begin(&setup("gomoku", variant, "")).unwrap_err();
        assert_eq!(found, why);
        game.end();
    };
    let known = "of gomoku it supports freestyle, standard, caro, renju, swap2";
    check(
        "soosorv-8",
        "",
        &format!("cannot begin: gomocup cannot express gomoku soosorv-8; {known}"),
    );
    let mut game = ScriptedGame::new(Protocol::Gomocup, &[], &Script(""));
    let found = game.begin(&setup("gomoku", "nothing", "")).unwrap_err();
    assert!(found.starts_with("cannot begin: "), "{found}");
    game.end();
    let about = ">ABOUT\nUNKNOWN\n>START 22\nERROR only 20, please\n";
    check("freestyle-22", about, "refused a board of 22: only 20, please");
    // Free text is an answer, an error is not.
    let about = ">ABOUT\nA brain by its author\n>START 22\nERROR only 20, please\n";
    check("freestyle-22", about, "refused a board of 22: only 20, please");
    let rule = ">ABOUT\nname=\"b\"\n>START 15\nOK\n>INFO game_type 1\n>INFO rule 9\n>INFO max_memory 786432\n\
                >ABOUT\nERROR Unknown rule id: 9\n";
    check("caro", rule, "refused to begin: Unknown rule id: 9");
    check("freestyle", ">ABOUT\n3,4\n", "answered without a question: `3,4`");
    check("freestyle", ">ABOUT\nname=\"\"\n>START 15\n3,4\n", "answered `START` with `3,4`");
    let limited = Limits { depth: Some(3), ..Limits::default() };
    let mut game = self::game("freestyle", "", &started!("15", "0", ""));
    let found = game.choose(&limited).unwrap_err();
    assert!(found.starts_with("cannot be limited in depth or nodes alone: gomocup"), "{found}");
    game.end();
}

/// A script of a first request and its answer.
macro_rules! first_request {
    ($answer:literal) => {
        Script(concat!(
            ">ABOUT\nname=\"b\", version=\"1\"\n>START 15\nOK\n>INFO game_type 1\n>INFO rule 0\n",
            ">INFO max_memory 786432\n>ABOUT\nname=\"b\"\n>ABOUT\nname=\"b\"\n>INFO timeout_turn …\n",
            ">INFO timeout_match 0\n>INFO time_left …\n>BEGIN\n", $answer, "\n"
        ))
    };
}

#[test]
fn invalid_answers() {
    let check = |script: &Script, expected: &str| check("freestyle", "?", script, expected);
    check(&first_request!("15,3"), "chose `15,3`, which is not a point of a board of 15");
    check(&first_request!("1,2 3,4"), "answered `TURN` with `1,2 3,4`");
    check(&first_request!("SWAP"), "answered `TURN` with `SWAP`");
    check(&first_request!("ERROR no idea"), "reported that it has no move: `ERROR no idea`");
    // Unknown words, empty lines and unneeded `OK` lines are ignored.
    check(&first_request!("\\r\\n\\nthinking\nOK\nUNKNOWN INFO\n0,14"), "a1");
    // The choice is the point that the program names, not another one.
    check(&first_request!("SUGGEST 3,3\n>PLAY 3,3\n3,3"), "d12");
}

#[test]
fn an_unrequested_answer_is_a_fault() {
    let script = Script(
        ">ABOUT\nname=\"b\"\n>START 15\nOK\n>INFO game_type 1\n>INFO rule 0\n>INFO max_memory 786432
         >ABOUT\nname=\"b\"\n>ABOUT\nname=\"b\"\n>INFO timeout_turn …\n>INFO timeout_match 0
         >INFO time_left …\n>BEGIN\n7,7\n8,8\n>ABOUT\nname=\"b\"\n",
    );
    check("freestyle", "? a1 ?", &script, "h8 a1 answered without a question: `8,8`");
}

#[test]
fn openings_by_swap2() {
    macro_rules! opening {
        ($stones:literal, $answer:literal) => {
            Script(concat!(
                ">ABOUT\nname=\"b\"\n>START 15\nOK\n>INFO game_type 1\n>INFO rule 1\n",
                ">INFO max_memory 786432\n>ABOUT\nname=\"b\"\n>ABOUT\nname=\"b\"\n>INFO timeout_turn …\n",
                ">INFO timeout_match 0\n>INFO time_left …\n>SWAP2BOARD\n", $stones, ">DONE\n", $answer, "\n"
            ))
        };
    }
    let check =
        |moves: &str, script: &Script, expected: &str| check("swap2", moves, script, expected);
    check("? ? ?", &opening!("", "7,7 8,8 9,9"), "h8 i7 j6");
    let three = "h8 i7 j6 ?";
    check(three, &opening!(">7,7\n>8,8\n>9,9\n", "SWAP"), "h8 i7 j6 swap");
    check("h8 i7 j6 ? ?", &opening!(">7,7\n>8,8\n>9,9\n", "0,0"), "h8 i7 j6 keep a15");
    check("h8 i7 j6 ? ? ?", &opening!(">7,7\n>8,8\n>9,9\n", "0,0 1,1"), "h8 i7 j6 put-two a15 b14");
    let five = "h8 i7 j6 put-two a15 b14";
    let stones = opening!(">7,7\n>8,8\n>9,9\n>0,0\n>1,1\n", "SWAP");
    check(&format!("{five} ?"), &stones, &format!("{five} keep"));
    let stones = opening!(">7,7\n>8,8\n>9,9\n>0,0\n>1,1\n", "2,2");
    check(&format!("{five} ? ?"), &stones, &format!("{five} swap c13"));
    let wrong = "answered `SWAP2BOARD of 0 stones` with `7,7`";
    check("?", &opening!("", "7,7"), wrong);
    check("?", &opening!("", "UNKNOWN"), "refused the swap2 opening: `UNKNOWN`");
}

#[test]
fn options_are_sent_as_info_and_texts_are_logged() {
    let script = Script(
        ">ABOUT\nname=\"b\"\n>START 15\nOK\n>INFO game_type 1\n>INFO rule 0\n>INFO max_memory 786432
         >INFO style calm\n>ABOUT\nMESSAGE hello\nDEBUG 1\n\\u{e9}\nname=\"b\"\n",
    );
    let listener = Arc::<CollectingListener>::default();
    let mut game = ScriptedGame::with_listener(
        Protocol::Gomocup,
        &[("style", "calm")],
        &script,
        listener.clone(),
    );
    game.begin(&setup("gomoku", "freestyle", "")).unwrap();
    game.end();
    let received = listener.0.lock().unwrap();
    assert_eq!(*received, ["name=\"b\"", "hello", "1", "\\u{e9}"]);
}

#[test]
fn a_program_tells_its_name() {
    let check = |script: &'static str, expected: [&str; 3]| {
        let mut game = ScriptedGame::new(Protocol::Gomocup, &[], &Script(script));
        let identity = game.engine.identify().unwrap();
        assert_eq!([&*identity.name, &identity.author, &identity.version], expected);
        game.end();
    };
    let about = ">ABOUT\nname=\"Five\", version=\"2.1\", author=\"B. Brain\", country=\"X\"";
    check(about, ["Five", "B. Brain", "2.1"]);
    check(">ABOUT\nan engine", [""; 3]);
    check(">ABOUT\nUNKNOWN command", [""; 3]);
}

#[test]
fn remarks_about_the_search_are_reports() {
    let check = |script: &'static str, expected: &[&str], line: Option<(i32, u32, &str)>| {
        let listener = Arc::<CollectingListener>::default();
        let mut game =
            ScriptedGame::with_listener(Protocol::Gomocup, &[], &Script(script), listener.clone());
        game.begin(&setup("gomoku", "freestyle-15", "")).unwrap();
        let found = game.decide(&patient()).unwrap().line;
        game.end();
        let found = found.map(|it| (it.score.unwrap().value, it.depth, it.moves));
        let line = line.map(|(score, depth, moves)| (score, depth, moves.to_owned()));
        assert_eq!(found, line, "{script}");
        let received = listener.0.lock().unwrap();
        let reports = received.iter().filter(|text| text.starts_with("Some"));
        assert_eq!(reports.collect::<Vec<_>>(), expected, "{script}");
    };
    macro_rules! searched {
        ($answer:literal) => {
            concat!(
                ">ABOUT\nname=\"b\"\n>START 15\nOK\n>INFO game_type 1\n>INFO rule 0\n",
                ">INFO max_memory 786432\n>ABOUT\nname=\"b\"\n>ABOUT\nname=\"b\"\n",
                ">INFO timeout_turn …\n>INFO timeout_match …\n>INFO time_left …\n>BEGIN\n",
                $answer
            )
        };
    }
    check(
        searched!(
            "MESSAGE Depth 2-9 | Eval 12 | Time 5ms | H8 I9\n\
             MESSAGE Depth 4-11 | Eval 35 | Time 9ms | G7 I9\n6,8\n"
        ),
        &["Some(12) 2 ", "Some(35) 4 "],
        Some((35, 4, "g7 i9")),
    );
    // Rows from the top, and a line that does not begin with the chosen move.
    check(
        searched!("MESSAGE Depth 4-11 | Eval 35 | Time 9ms | G9 I9\n6,8\n"),
        &["Some(35) 4 "],
        Some((35, 4, "g7 i7")),
    );
    check(
        searched!("MESSAGE Depth 4-11 | Eval 35 | Time 9ms | A1\nMESSAGE Bestline B2\n6,8\n"),
        &["Some(35) 4 "],
        Some((35, 4, "g7")),
    );
    check(searched!("MESSAGE thinking\nMESSAGE Bestline G7\n6,8\n"), &[], None);
}
