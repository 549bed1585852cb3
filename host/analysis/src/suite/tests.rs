//! Reading of suite files: all accepted forms, and similar files that are refused.

use super::fault::{FileLocation, SuiteError};
use super::raw_position::RawPosition;
use super::read::parse;
use super::{KnownScore, check};

/// A position in one line: id, game, variant, position, moves, solution.
fn position_text(draft: &RawPosition) -> String {
    let mut text = draft.id.clone();
    let parts = [("game", &draft.game), ("variant", &draft.variant), ("at", &draft.position)];
    for (name, part) in parts {
        part.iter().for_each(|part| text += &format!(" | {name} {part}"));
    }
    let moves = [("moves", &draft.moves), (draft.best.field, &draft.best.texts)];
    for (name, moves) in moves.into_iter().chain([(draft.avoid.field, &draft.avoid.texts)]) {
        if !moves.is_empty() {
            text += &format!(" | {name} {}", moves.join(" "));
        }
    }
    let target = draft.target.map(|target: KnownScore| format!(" | {target}"));
    text + &target.unwrap_or_default()
}

/// Checks the positions of a file without faults.
fn check_read(file: &str, expected: &[&str]) {
    let suite = parse(file.as_bytes()).unwrap();
    assert_eq!(suite.faults, [], "{file}");
    let found: Vec<String> = suite.positions.iter().map(position_text).collect();
    assert_eq!(found, expected, "{file}");
    assert_eq!(suite.count, expected.len());
}

/// Checks the faults of a file, in order.
fn check_faults(file: &str, expected: &[&str]) {
    let suite = parse(file.as_bytes()).unwrap();
    let found: Vec<String> = suite.faults.iter().map(ToString::to_string).collect();
    assert_eq!(found.len(), expected.len(), "{file}\n{found:#?}");
    for (found, expected) in found.iter().zip(expected) {
        assert!(found.contains(expected), "{file}: {found}, not {expected}");
    }
}

/// Checks the reason why a whole file is refused.
fn check_refused(file: impl AsRef<[u8]>, expected: &str) {
    let reason = parse(file.as_ref()).unwrap_err();
    assert!(reason.contains(expected), "{reason}, not {expected}");
}

#[test]
fn all_forms_of_json_are_read() {
    check_read(
        r#"{"what": "tactics", "best": "prose", "records": [
            {"rule": "freestyle", "board_size": 15, "moves": ["h8", "i9"], "best": ["g7", "j10"],
             "side_to_move": "black", "mate_in_plies": 5, "id": "TS000"},
            {"id": "b", "bm": "g7", "comment": "one text", "moves": "h8 i9"}]}"#,
        &["TS000 | variant freestyle-15 | moves h8 i9 | best g7 j10", "b | moves h8 i9 | bm g7"],
    );
    check_read(
        r#"[{"position": "5/5/5/5/5 b", "avoid": ["a1"], "best": null}, {"am": "a1", "name": 7}]"#,
        &["#1 | at 5/5/5/5/5 b | avoid a1", "7 | am a1"],
    );
    // Fields of the file apply to every record without a field of its own.
    check_read(
        r#"{"game": "gomoku", "variant": "standard", "positions": [
            {"best": "h8"}, {"best": "h8", "variant": "freestyle"}, {"best": "h8", "rule": "x"}]}"#,
        &[
            "#1 | game gomoku | variant standard | best h8",
            "#2 | game gomoku | variant freestyle | best h8",
            "#3 | game gomoku | variant x | best h8",
        ],
    );
    check_read(
        r#"{"rule": "standard", "board_size": 9, "records": [{"best": "a"},
            {"best": "a", "board_size": 7}]}"#,
        &["#1 | variant standard-9 | best a", "#2 | variant standard-7 | best a"],
    );
    check_read("\u{feff}\n [{\"score\": -4}]", &["#1 | score -4"]);
    check_read(r#"[{"ce": 5, "dm": 3}, {"dm": 1}]"#, &["#1 | win in 3", "#2 | win in 1"]);
}

#[test]
fn position_fields_of_other_games_are_read() {
    let board = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO--";
    check_read(
        &format!(
            r#"{{"positions": [{{"id": "ffo01", "board": "{board}", "side": "X", "empties": 14,
               "score": 18, "best_moves": ["g8"], "move_scores": {{"g8": 18, "h1": 12}}}},
               {{"id": "es", "board": "{board}", "side": "X",
               "move_scores": {{"g8": 18, "h1": 12, "a2": 18}}}}]}}"#
        ),
        &[
            &format!("ffo01 | at {board} X | best_moves g8 | score 18"),
            &format!("es | at {board} X | move_scores a2 g8"),
        ],
    );
    check_read(
        r#"{"positions": [{"id": 1, "fen": "3P1k1N1/1cC4R1/3nb4/4n4/9/9/9/7r1/3r1p3/4K4 w - - 0 1",
            "best": ["c8c9"], "kind": "mate", "mate_in": 4, "score_cp": 350}]}"#,
        &["1 | at 3P1k1N1/1cC4R1/3nb4/4n4/9/9/9/7r1/3r1p3/4K4 w - - 0 1 | best c8c9"],
    );
    check_read(
        r#"[{"id": "e000", "hands": "N:9..A4.7 6.K.7.A 4.T7.9. T..6.K5", "trump": "H",
             "leader": "E", "trick": [], "best": ["S6", "HK"], "scores": {"S6": 2}},
            {"hands": "N:9..A4.7", "trump": "NT", "leader": "E", "trick": ["SJ", "H3"],
             "best": "S6"}]"#,
        &[
            "e000 | at N:9..A4.7 6.K.7.A 4.T7.9. T..6.K5 H E - | best S6 HK",
            "#2 | at N:9..A4.7 NT E SJ,H3 | best S6",
        ],
    );
}

#[test]
fn all_faults_of_json_are_reported() {
    check_faults(
        r#"[{"id": "a"}, 7, {"id": "c", "best": [1]}, {"best": "a", "bm": "b"},
            {"board": "XO", "best": "a"}, {"best": []}, {"id": {}, "best": "a"},
            {"board_size": 9, "best": "a"}, {"score": 1.5}, {"dm": 0}, {"best": "a", "moves": 4},
            {"move_scores": {"a": "x"}}, {"id": "", "best": "a"}, {"best": "good"}]"#,
        &[
            " record 1 (`a`): it has no solution; expected `best`",
            " record 2: it is a number, not an object",
            " record 3 (`c`): best: moves must be a list of texts",
            " record 4: bm: it has the same meaning as `best`",
            " record 5: side: it is missing, but required with `board`",
            " record 6: best: it has no move",
            " record 7: id: it is an object, not a text",
            " record 8: board_size: it requires `rule`",
            " record 9: score: it is not a whole number",
            " record 10: dm: it is not a whole number from 1 to 15000",
            " record 11: moves: moves must be a list",
            " record 12: move_scores: it is not an object of moves and numbers",
            " record 13 (``): id: an id must have 1 to 128 bytes",
        ],
    );
    check_refused(r#"{"record": []}"#, "neither `records` nor `positions`");
    check_refused(r#"{"records": [], "positions": []}"#, "both `records` and `positions`");
    check_refused(r#"{"records": {}}"#, "`records` is not a list");
    check_refused(r#"[{"best": "a"}"#, "not valid JSON: EOF while parsing a list at line 1");
    check_refused("[]", "it has no position");
    check_refused("\n# nothing\n", "it has no position");
    check_refused(b"ok bm a;\n\xff", "line 2 is not UTF-8");
    check_refused(vec![b' '; 16 * 1024 * 1024 + 1], "more than 16777216 bytes");
}

#[test]
fn all_forms_of_lines_are_read() {
    check_read(
        "# source: none\n\n5/5/5/5/5 b bm c3 d4; id \"T 1\"; variant freestyle-5; c0 \"a; b\";\n\
         moves h8 i9 bm g7; am a1;\r\nmoves h8 i9; bm g7\nbm h8;id x;game gomoku\n",
        &[
            "T 1 | variant freestyle-5 | at 5/5/5/5/5 b | bm c3 d4",
            "#2 | moves h8 i9 | bm g7 | am a1",
            "#3 | moves h8 i9 | bm g7",
            "x | game gomoku | bm h8",
        ],
    );
    // The four fields of the standard, also with counters. Its other opcodes end a position, too.
    check_read(
        "3k5/9/9/9/9/9/9/9/9/4K4 w - - bm e0e1;\n3k5/9/9/9/9/9/9/9/9/4K4 w - - 0 1 bm e0e1;\n\
         3k5/9/9/9/9/9/9/9/9/4K4 w - - acd 4; ce -12; pv e0e1; zz 4;\n\
         N:9..A4.7 6.K.7.A 4.T7.9. T..6.K5 H E - bm C5 S6; dm 2; ce 7;",
        &[
            "#1 | at 3k5/9/9/9/9/9/9/9/9/4K4 w - - | bm e0e1",
            "#2 | at 3k5/9/9/9/9/9/9/9/9/4K4 w - - 0 1 | bm e0e1",
            "#3 | at 3k5/9/9/9/9/9/9/9/9/4K4 w - - | score -12",
            "#4 | at N:9..A4.7 6.K.7.A 4.T7.9. T..6.K5 H E - | bm C5 S6 | win in 2",
        ],
    );
    // A comment's opcode may be a move: it is a comment only before a quoted text.
    check_read(
        "moves c5 d5 bm c4 c6;\n5/5/5/5/5 b c1 \"x\"; moves c1 c2 c3 \"y\"; bm c4;",
        &["#1 | moves c5 d5 | bm c4 c6", "#2 | at 5/5/5/5/5 b | moves c1 c2 | bm c4"],
    );
}

#[test]
fn all_faults_of_lines_are_reported() {
    check_faults(
        "5/5 b id \"a\";\n5/5 b bn h8;\n5/5 b id z; bn h8;\n5/5 b bm h8; bm h9;\n5/5 b bm;\n\
         bm h8 id x;\nbm h8; dm 0;\nbm h8; ce x;\nbm h8; id a b;\nbm h8; id \"open;\nbm ok;\n",
        &[
            "1: `a`: it has no solution; expected bm, am, dm or ce",
            "2: there is no opcode before `h8;`; known: moves, bm",
            "3: `z`: it has no solution; expected bm, am, dm or ce, not only `bn`",
            "4: bm: it is given twice",
            "5: bm: it has no move",
            "6: bm: a `;` is missing before `id`",
            "7: dm: it is not one whole number from 1 to 15000",
            "8: ce: it is not one whole number",
            "9: id: it takes one operand, not 2",
            "10: a quotation mark is not closed",
        ],
    );
}

/// Checks the solutions of a file by the rules of gomoku, or all its faults.
fn check_rules(file: &str, expected: Result<&[&str], &[&str]>) {
    let info = sandboard_games::Games::default().find("gomoku").unwrap();
    let variant = info.variant("freestyle-5").unwrap();
    let suite = parse(file.as_bytes()).unwrap();
    match (check(&suite.positions, info, &variant), expected) {
        (Ok(cases), Ok(expected)) => {
            let found: Vec<String> =
                cases.iter().map(|it| format!("{} {}", it.game.position(), it.solution)).collect();
            assert_eq!(found, expected, "{file}");
        }
        (Err(faults), Err(expected)) => {
            let found: Vec<String> = faults.iter().map(ToString::to_string).collect();
            assert_eq!(found.len(), expected.len(), "{file}\n{found:#?}");
            for (found, expected) in found.iter().zip(expected) {
                assert!(found.contains(expected), "{file}: {found}, not {expected}");
            }
        }
        (found, _) => panic!("{file}: {:?}", found.map(|cases| cases.len())),
    }
}

#[test]
fn the_rules_read_positions_and_moves() {
    check_rules(
        "bm C3 c3;\nmoves a1 b1 bm c3; am e5;\n7/7/7/7/7/7/7 w ce 3; variant freestyle",
        Ok(&["5/5/5/5/5 b c3", "5/5/5/5/xo3 b c3, not e5", "7/7/7/7/7/7/7 w score 3"]),
    );
    check_rules(
        "bm f9; id a;\n5/5/5/5 b bm a1;\nmoves a1 a1 bm b1;\nbm a1; variant other;\n\
         5/5/5/5/xxxxx w bm a2;\nbm a1; game reversi;\nbm a1; id a;\nbm a1; am a1;",
        Err(&[
            "1: `a`: bm: `f9` is refused",
            "2: position: not a position of gomoku",
            "3: moves: move 2: `a1` is refused",
            "4: variant: gomoku has no variant `other`",
            "5: position: the game is over there: five in a row",
            "6: game: the position is of reversi, but the suite is of gomoku",
            "7: `a`: id: another position has the same id",
            "8: am: no legal move solves it",
        ]),
    );
    let scores = r#"[{"move_scores": {"a1": 3, "b1": 2}}]"#;
    check_rules(scores, Ok(&["5/5/5/5/5 b a1"]));
    let scores = r#"[{"best": "a1", "move_scores": {"a1": 3, "b9": 2}}]"#;
    check_rules(scores, Err(&["move_scores: `b9` is refused"]));
}

#[test]
fn an_error_lists_a_limited_number_of_faults() {
    let suite = parse("bm;\n".repeat(60).as_bytes()).unwrap();
    assert_eq!(suite.faults[59].location, FileLocation::Line(60));
    let path = "some.epd".into();
    let text = SuiteError::Faults { path, faults: suite.faults }.to_string();
    assert!(text.starts_with("the suite some.epd has 60 faults; nothing was run\n"), "{text}");
    assert!(text.contains("\nsome.epd:40: bm: it has no move\nand 20 more"), "{text}");
}
