//! Move texts, position texts, diagrams and facts: valid and invalid ones.

use super::{read, text_of, variant};
use crate::rules::Rules;
use crate::xiangqi::{Style, Xiangqi};

const START: &str = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1";

#[test]
fn invalid_moves_are_refused_with_a_reason() {
    let check = |position: &str, text: &str, expected: &str| {
        let found = read(position).parse_move(text);
        assert_eq!(
            found.map(|mv| mv.to_string()).unwrap_or_else(|error| error),
            expected,
            "{text}"
        );
    };
    let form = "a move is two points, each a file a to i and a rank 0 to 9, like h2e2";
    check(START, "h2e2", "h2e2");
    check(START, "H2E2", "h2e2");
    check(START, "", &format!("it is empty; {form}"));
    check(START, "h2", &format!("it does not have four characters; {form}"));
    check(START, "h2e2x", &format!("it does not have four characters; {form}"));
    check(START, "2h2e", form);
    check(START, "j2e2", "there is no file j; the files are a to i");
    check(START, "h3e3", "there is no piece on h3");
    check(START, "h7e7", "the cannon on h7 is black's");
    check(START, "a0b0", "the mover's own horse is on b0");
    check(START, "b0d1", "a horse cannot move from b0 to d1");
    check(START, "h2h8", "a cannon cannot move from h2 to h8");
    check(START, "h2h9", "h2h9");
    check("3k5/9/9/9/9/9/9/9/9/4K4 w", "e0d0", "the game is over: insufficient material");
    check("3k5/9/9/9/9/9/p8/9/9/4K4 w", "e0d0", "the kings would face each other");
    check("3k5/9/9/9/9/9/p8/9/9/4K4 w", "e0f0", "e0f0");
    check("4k4/4r4/9/9/9/9/9/9/4R4/4K4 w", "e1d1", "red would be in check");
    check("4k4/9/4r4/9/9/9/9/9/3R5/4K4 w", "d1d2", "red would still be in check");
    check("4k4/9/4r4/9/9/9/9/9/3R5/4K4 w", "d1e1", "d1e1");
}

#[test]
fn other_notations_are_read() {
    let check = |position: &str, text: &str, expected: &str| {
        let found = read(position).parse_move(text);
        assert_eq!(
            found.map(|mv| mv.to_string()).unwrap_or_else(|error| error),
            expected,
            "{text}"
        );
    };
    for text in
        ["H2-E2", "h2-e2", "C2=5", "C2.5", "c2=5", "炮二平五", "砲二平五", "炮2平5", "包２平５"]
    {
        check(START, text, "h2e2");
    }
    let black = START.replace(" w ", " b ");
    for text in ["馬８進７", "马8进7", "H8+7", "N8+7", "马八进七"] {
        check(&black, text, "h9g7");
    }
    let none = "no legal move has this name";
    check(START, "C2=9", none);
    check(START, "炮三平五", none);
    check(START, "H2-E4", "a cannon cannot move from h2 to e4");
    let form = "a move is two points, each a file a to i and a rank 0 to 9, like h2e2";
    check(START, "炮二平", &format!("it is not a move; {form}"));
    check(START, "炮二到五", &format!("it is not a move; {form}"));
    // With two cannons on a file, front and rear distinguish them.
    let tandem = "3k5/9/9/9/4C4/9/4C4/9/9/5K3 w - - 0 1";
    check(tandem, "炮五平四", "it is ambiguous: e3f3 or e5f5");
    check(tandem, "前炮平四", "e5f5");
    check(tandem, "后炮平四", "e3f3");
    check(tandem, "後炮平四", "e3f3");
    check(tandem, "C+=4", "e5f5");
    check(tandem, "C-=4", "e3f3");
    check(tandem, "中炮平四", none);
}

#[test]
fn pieces_of_a_kind_on_a_file_have_distinct_names() {
    let check = |position: &str, mv: &str, wxf: &str, chinese: &str| {
        let game = read(position);
        let mv = game.parse_move(mv).expect("a move");
        let mut written = [String::new(), String::new()];
        game.write_styled(mv, Style::Wxf, &mut written[0]);
        game.write_styled(mv, Style::Chinese, &mut written[1]);
        assert_eq!(written, [wxf, chinese], "{mv} in {position}");
    };
    let rows = include_str!("move_names.tsv").lines().filter(|line| !line.starts_with('#'));
    for row in rows {
        let [position, mv, wxf, chinese] = row.split('\t').collect::<Vec<_>>()[..] else {
            panic!("{row}")
        };
        check(position, mv, wxf, chinese);
    }
}

#[test]
fn position_texts_of_other_programs_are_read() {
    let check = |text: &str, expected: &str| {
        let found = Xiangqi::parse_position(&variant(), text);
        let found = found.map_or_else(|error| error.to_string(), |game| text_of(&game));
        assert_eq!(found, expected, "{text}");
    };
    let board = START.split(' ').next().expect("a board");
    check(START, START);
    check(board, "at byte 59: the side to move is missing; expected w or b");
    check(&format!("{board} w"), START);
    check(&format!("  {board}\tr - -  "), START);
    check(&format!("{board} r - - 0 0"), START);
    let other = "rheakaehr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RHEAKAEHR w - - 0 1";
    check(other, START);
    check(&format!("{START} moves"), START);
    check(&format!("{START} moves h2e2 h9g7"), &format!("{START} moves h2e2 h9g7"));
    check(&format!("{START} moves 炮二平五"), &format!("{START} moves h2e2"));
    // A capture starts a new move list, but move numbers continue.
    check(
        &format!("{START} moves h2h9 i9h9 b2e2"),
        "rnbakabr1/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C7/9/RNBAKABNR w - - 0 2 moves b2e2",
    );
    check(
        &format!("{START} moves h2h9 i9h9"),
        "rnbakabr1/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C7/9/RNBAKABNR w - - 0 2",
    );
}

#[test]
fn all_faults_of_a_position_text_are_reported() {
    let check = |text: &str, expected: &str| {
        let found = Xiangqi::parse_position(&variant(), text);
        let found = found.map_or_else(|error| error.to_string(), |game| text_of(&game));
        assert_eq!(found, expected, "{text}");
    };
    let empty = "the text is empty; expected the pieces, the side to move and - - 0 1";
    check("", &format!("at byte 0: {empty}"));
    check("3k5/9 w", "at byte 0: 2 ranks instead of 10");
    let kings = "3k5/9/9/9/9/9/p8/9/9/4K4";
    check(&format!("{kings} w - - 0 1"), &format!("{kings} w - - 0 1"));
    check(&format!("{kings} x"), "at byte 25: the side to move is neither w nor b");
    check(&format!("{kings} w x - 0 1"), "at byte 27: expected two dashes after the side to move");
    check(
        &format!("{kings} w - - x 1"),
        "at byte 31: the count of plies since the last capture is not a number from 0 to 65535",
    );
    check(
        &format!("{kings} w - - 0 70000"),
        "at byte 33: the move number is not a number from 0 to 65535",
    );
    check(
        &format!("{kings} w - - 0 1 h2e2"),
        "at byte 35: only `moves` and moves may follow the move number",
    );
    check(
        "3k4/9/9/9/9/9/p9/9/0/4K4 x",
        "at byte 0: rank 9 has 8 points instead of 9; at byte 14: rank 3 has 10 points instead of 9; \
         at byte 19: `0` is not a piece; at byte 19: rank 1 has 1 points instead of 9; \
         at byte 25: the side to move is neither w nor b",
    );
    check("4k4/9/9/9/9/9/9/9/9/9 w", "at byte 0: red has no king");
    check("3k1k3/9/9/9/9/9/9/9/9/4K4 w", "at byte 3: there are more than 1 black kings");
    check(
        "k8/9/9/9/9/9/9/9/9/4K4 w",
        "at byte 0: a black king cannot be on a9; at byte 0: black has no king",
    );
    check("3k5/9/9/9/9/9/9/9/P8/4K4 w", "at byte 18: a red pawn cannot be on a1");
    check("3k5/9/9/9/9/9/1P7/9/9/4K4 w", "at byte 15: a red pawn cannot be on b3");
    check("3k5/9/9/9/9/9/P8/9/9/4K4 w", "3k5/9/9/9/9/9/P8/9/9/4K4 w - - 0 1");
    check("3k5/9/9/9/9/9/9/9/9/3EK4 w", "at byte 21: a red elephant cannot be on d0");
    check("rrrk5/9/9/9/9/9/9/9/9/4K4 w", "at byte 2: there are more than 2 black rooks");
    check(
        "4k4/9/9/9/9/9/9/9/9/4K4 w",
        "at byte 24: the kings face each other with nothing between",
    );
    check("4k4/9/9/9/4R4/9/9/9/9/4K4 w", "at byte 26: black is in check while red moves");
    check("4k4/9/9/9/4R4/9/9/9/9/4K4 b", "4k4/9/9/9/4R4/9/9/9/9/4K4 b - - 0 1");
    check(
        &format!("{kings} w moves e0e1 a3b3 e1d1"),
        "at byte 43: after 2 moves `e1d1` is refused: the kings would face each other",
    );
    let long = "x".repeat(70_000);
    check(&long, "at byte 65536: the text has 70000 bytes; the limit is 65536");
    // The number of reported faults is limited.
    let found = Xiangqi::parse_position(&variant(), &"x/x/x/x/x/x/x/x/x/".repeat(9));
    assert!(found.is_err_and(|error| error.0.len() <= 20));
}

#[test]
fn diagrams_show_pieces_palaces_river_and_the_last_move() {
    let mut game = read("5k3/9/4b4/9/9/2P6/9/9/4A4/3K1A3 w");
    let diagram = |game: &Xiangqi, last| {
        let mut diagram = String::new();
        game.write_diagram(last, &mut diagram);
        diagram
    };
    let letters = "   a b c d e f g h i\n";
    let before = format!(
        "{letters} 9 - - - + + k - - -\n 8 - - - + + + - - -\n 7 - - - + b + - - -\n\
         \x206 - - - - - - - - -\n 5 - - - - - - - - -\n   ~~~~~~~~~~~~~~~~~\n\
         \x204 - - P - - - - - -\n 3 - - - - - - - - -\n 2 - - - + + + - - -\n\
         \x201 - - - + A + - - -\n 0 - - - K + A - - -\n{letters}"
    );
    assert_eq!(diagram(&game, None), before);
    let (mv, _) = game.play("c4c5").expect("a move");
    let after = before.replace(" 5 - - - -", " 5 - -[P]-").replace(" 4 - - P -", " 4 - - . -");
    assert_eq!(diagram(&game, Some(mv)), after);
}

#[test]
fn facts_have_check_counts_and_repetition() {
    let check = |position: &str, expected: &[&str]| {
        let facts = read(position).facts();
        let found: Vec<String> =
            facts.iter().map(|(name, json)| format!("{name} {json}")).collect();
        assert_eq!(found, expected, "{position}");
    };
    check(START, &["in_check false", "plies_since_capture 0", "occurrences 1", "repetition null"]);
    let checked = "3k5/9/3R5/9/9/p8/9/9/9/5K3 b - - 7 20";
    check(checked, &["in_check true", "plies_since_capture 7", "occurrences 1", "repetition null"]);
    check(
        &format!("{checked} moves d9e9 d7e7 e9d9 e7d7"),
        &[
            "in_check true",
            "plies_since_capture 11",
            "occurrences 2",
            r#"repetition {"loser":"red","reason":"red loses: perpetual check"}"#,
        ],
    );
    check(
        &format!("{checked} moves d9e9 d7c7 e9d9 c7d7"),
        &[
            "in_check true",
            "plies_since_capture 11",
            "occurrences 2",
            r#"repetition {"loser":null,"reason":"third occurrence"}"#,
        ],
    );
}
