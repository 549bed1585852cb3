//! Brains of Gomocup as scripts.

use super::{Ear, Script, Scripted, patient, setup};
use crate::engine::Engine;
use crate::process::Protocol;
use sandboard_abi::Limits;
use std::sync::Arc;

/// The beginning of a script: a board of this size, and what else `INFO` says.
macro_rules! begun {
    ($size:literal, $rule:literal, $more:literal) => {
        Script(concat!(
            ">ABOUT\nname=\"b\", version=\"1\"\n>START ",
            $size,
            "\nOK\n>INFO game_type 1\n>INFO rule ",
            $rule,
            "\n>INFO max_memory 1048576\n>ABOUT\nname=\"b\"\n",
            $more
        ))
    };
}

fn game(variant: &str, moves: &str, script: &Script) -> Scripted {
    let mut game = Scripted::new(Protocol::Gomocup, &[], script);
    game.begin(&setup("gomoku", variant, moves)).unwrap();
    game
}

/// What comes of a game of these moves, choices by `?`: all moves, or the sentence of the fault.
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
                game.hears(mv);
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
fn a_brain_begins_and_is_told_each_stone() {
    let script = begun!(
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
fn a_board_is_told_anew_when_anything_else_has_happened() {
    // White of the brain is asked in the middle, and then a move is taken back.
    let script = begun!(
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
        >INFO max_memory 1048576
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
    game("standard-20", "", &begun!("20", "1", "")).end();
    game("caro", "", &begun!("15", "9", "")).end();
    game("renju", "", &begun!("15", "4", "")).end();
    game("freestyle-5", "", &begun!("5", "0", "")).end();
    game("swap2-19", "", &begun!("19", "1", "")).end();
}

#[test]
fn what_cannot_be_told_is_refused() {
    let check = |variant: &str, script: &'static str, why: &str| {
        let mut game = Scripted::new(Protocol::Gomocup, &[], &Script(script));
        let found = game.begin(&setup("gomoku", variant, "")).unwrap_err();
        assert_eq!(found, why);
        game.end();
    };
    let known = "of gomoku it can tell freestyle, standard, caro, renju, swap2";
    check("soosorv-8", "", &format!("cannot begin: gomocup cannot tell gomoku soosorv-8; {known}"));
    let mut game = Scripted::new(Protocol::Gomocup, &[], &Script(""));
    let found = game.begin(&setup("gomoku", "nothing", "")).unwrap_err();
    assert!(found.starts_with("cannot begin: "), "{found}");
    game.end();
    let about = ">ABOUT\nUNKNOWN\n>START 22\nERROR only 20, please\n";
    check("freestyle-22", about, "refuses a board of 22: only 20, please");
    // Free text is an answer, too; an error is none.
    let about = ">ABOUT\nA brain by its author\n>START 22\nERROR only 20, please\n";
    check("freestyle-22", about, "refuses a board of 22: only 20, please");
    let rule = ">ABOUT\nname=\"b\"\n>START 15\nOK\n>INFO game_type 1\n>INFO rule 9\n>INFO max_memory 1048576\n\
                >ABOUT\nERROR Unknown rule id: 9\n";
    check("caro", rule, "cannot begin, it says: Unknown rule id: 9");
    check("freestyle", ">ABOUT\n3,4\n", "answered what it was not asked: `3,4`");
    check("freestyle", ">ABOUT\nname=\"\"\n>START 15\n3,4\n", "answered `START` with `3,4`");
    let limited = Limits { depth: Some(3), ..Limits::default() };
    let mut game = self::game("freestyle", "", &begun!("15", "0", ""));
    let found = game.choose(&limited).unwrap_err();
    assert!(found.starts_with("cannot be limited in depth or nodes alone: gomocup"), "{found}");
    game.end();
}

/// A script of a first question and its answer.
macro_rules! asked {
    ($answer:literal) => {
        Script(concat!(
            ">ABOUT\nname=\"b\", version=\"1\"\n>START 15\nOK\n>INFO game_type 1\n>INFO rule 0\n",
            ">INFO max_memory 1048576\n>ABOUT\nname=\"b\"\n>ABOUT\nname=\"b\"\n>INFO timeout_turn …\n",
            ">INFO timeout_match 0\n>INFO time_left …\n>BEGIN\n", $answer, "\n"
        ))
    };
}

#[test]
fn answers_that_are_none() {
    let check = |script: &Script, expected: &str| check("freestyle", "?", script, expected);
    check(&asked!("15,3"), "chose `15,3`, which is no point of a board of 15");
    check(&asked!("1,2 3,4"), "answered `TURN` with `1,2 3,4`");
    check(&asked!("SWAP"), "answered `TURN` with `SWAP`");
    check(&asked!("ERROR no idea"), "has no move, it says: `ERROR no idea`");
    // What is none of its words is passed over, as is an empty line, and `OK` to what needs none.
    check(&asked!("\\r\\n\\nthinking\nOK\nUNKNOWN INFO\n0,14"), "a1");
    // Another move than its own is not its choice.
    check(&asked!("SUGGEST 3,3\n>PLAY 3,3\n3,3"), "d12");
}

#[test]
fn an_answer_to_nothing_is_none_of_the_next_question() {
    let script = Script(
        ">ABOUT\nname=\"b\"\n>START 15\nOK\n>INFO game_type 1\n>INFO rule 0\n>INFO max_memory 1048576
         >ABOUT\nname=\"b\"\n>ABOUT\nname=\"b\"\n>INFO timeout_turn …\n>INFO timeout_match 0
         >INFO time_left …\n>BEGIN\n7,7\n8,8\n>ABOUT\nname=\"b\"\n",
    );
    check("freestyle", "? a1 ?", &script, "h8 a1 answered what it was not asked: `8,8`");
}

#[test]
fn openings_by_swap2() {
    macro_rules! opening {
        ($stones:literal, $answer:literal) => {
            Script(concat!(
                ">ABOUT\nname=\"b\"\n>START 15\nOK\n>INFO game_type 1\n>INFO rule 1\n",
                ">INFO max_memory 1048576\n>ABOUT\nname=\"b\"\n>ABOUT\nname=\"b\"\n>INFO timeout_turn …\n",
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
    check("?", &opening!("", "UNKNOWN"), "cannot open by swap2, it says: `UNKNOWN`");
}

#[test]
fn options_are_told_by_info_and_texts_are_logged() {
    let script = Script(
        ">ABOUT\nname=\"b\"\n>START 15\nOK\n>INFO game_type 1\n>INFO rule 0\n>INFO max_memory 1048576
         >INFO style calm\n>ABOUT\nMESSAGE hello\nDEBUG 1\n\\u{e9}\nname=\"b\"\n",
    );
    let ear = Arc::<Ear>::default();
    let mut game = Scripted::heard(Protocol::Gomocup, &[("style", "calm")], &script, ear.clone());
    game.begin(&setup("gomoku", "freestyle", "")).unwrap();
    game.end();
    let heard = ear.0.lock().unwrap();
    assert_eq!(*heard, ["name=\"b\"", "hello", "1", "\\u{e9}"]);
}
