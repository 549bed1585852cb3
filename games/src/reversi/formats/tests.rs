//! Tests of reversi's formats: shared behaviour and round trips. The cases of GGF and WTHOR are in
//! the submodules.

mod ggf;
mod wthor;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

use super::*;
use crate::formats::{GAMES_MAX, RecordedResult, ResultCause};
use crate::reversi::INFO;
use crate::rules::Side;

/// A complete game with two passes near its end, played by an independent program; black wins by 10
/// with one empty square.
const PASSES: &str = "f5 d6 c4 f4 f3 b3 d7 g5 e6 e3 g4 e7 f7 c3 d3 h4 c5 f6 g3 b5 c6 d2 d1 c2 e2 \
    c7 a3 a4 c1 a2 h3 f1 g6 h2 b6 f2 d8 a7 e1 b1 b4 h5 a5 a6 h6 h7 g2 c8 b8 e8 f8 g7 b2 a1 b7 g1 \
    h1 pass h8 pass g8";
/// The shortest game: white has no disc left.
const SHORTEST: &str = "e6 f4 e3 f6 g5 d6 e7 f5 c5";
/// A complete game on 4×4, played by the same program.
const SMALL: &str = "a2 c1 d4 a3 b1 d3 b4 a1 d2 c4 pass a4";

fn variant(text: &str) -> Variant {
    INFO.variant(text).expect("a variant")
}

fn format(id: &str) -> &'static Format {
    FORMATS.iter().find(|format| format.id == id).expect("a format")
}

fn read(id: &str, bytes: &[u8], asked: &str) -> Result<Vec<GameTree>, FormatError> {
    let asked = (!asked.is_empty()).then(|| variant(asked));
    format(id).read.expect("it is read")(bytes, asked.as_ref())
}

/// The games of a file on one line: size, names, moves (with their depths where they branch),
/// labels, times and other data.
fn describe(id: &str, bytes: &[u8], asked: &str) -> String {
    let games = match read(id, bytes, asked) {
        Err(error) => return error.to_string(),
        Ok(games) => games,
    };
    games.iter().map(describe_game).collect::<Vec<_>>().join(" | ")
}

fn describe_game(game: &GameTree) -> String {
    let mut parts = Vec::new();
    parts.extend(game.size.map(|size| format!("{size}:")));
    parts.extend(game.variant.as_ref().map(|variant| format!("{variant}:")));
    if game.names.iter().any(Option::is_some) {
        let name = |name: &Option<String>| name.clone().unwrap_or("?".into());
        parts.push(game.names.iter().map(name).collect::<Vec<_>>().join("-"));
    }
    parts.extend(game.start.clone().map(|start| format!("<{start}>")));
    parts
        .extend(game.result.map(|it| format!("{:?} {:?}", it.winner.map(|side| side.0), it.cause)));
    parts.extend(game.comment.as_ref().map(|text| format!("{text:?}")));
    let mut depth = 0;
    for node in game.nodes() {
        let mut mv = node.mv.to_owned();
        if node.depth != depth + 1 {
            mv = format!("{}.{mv}", node.depth);
        }
        depth = node.depth;
        mv += &node.label.map_or(String::new(), |label| format!("={label}"));
        mv += &node.used_ms.map_or(String::new(), |ms| format!("@{ms}"));
        parts.push(mv);
    }
    parts.join(" ")
}

#[track_caller]
fn check(id: &str, bytes: impl AsRef<[u8]>, expected: &str) {
    check_asked(id, bytes, "", expected);
}

#[track_caller]
fn check_asked(id: &str, bytes: impl AsRef<[u8]>, asked: &str, expected: &str) {
    let bytes = bytes.as_ref();
    assert_eq!(describe(id, bytes, asked), expected, "{}", bytes.escape_ascii());
}

fn game(moves: &str) -> GameTree {
    let mut tree = GameTree::new(LocationUnit::Lines);
    for mv in moves.split_whitespace() {
        tree.add(tree.depth() + 1, mv, 1).unwrap();
    }
    tree
}

fn moves(tree: &GameTree) -> String {
    tree.nodes().map(|node| node.mv).collect::<Vec<_>>().join(" ")
}

fn write(id: &str, tree: &GameTree, variant_text: &str) -> Result<Vec<u8>, FormatError> {
    format(id).write.expect("it is written")(tree, &variant(variant_text))
}

fn written(id: &str, tree: &GameTree, variant_text: &str) -> String {
    match write(id, tree, variant_text) {
        Ok(bytes) => String::from_utf8(bytes).expect("a text"),
        Err(error) => error.to_string(),
    }
}

/// The squares of a game, concatenated as in transcripts.
fn row(moves: &str) -> String {
    moves.split_whitespace().filter(|mv| *mv != "pass").collect()
}

#[test]
fn transcripts_are_read() {
    let check = |text: &str, expected: &str| super::tests::check("transcript", text, expected);
    check("f5d6c3\n", "f5 d6 c3");
    check("F5D6C3", "f5 d6 c3");
    check("# by hand\n\n 1. f5 2.d6,c3\r\nd3;c5\n", "f5 d6 c3 | d3 c5");
    // Passes: omitted, written, and in every spelling.
    let all = PASSES.split_whitespace().collect::<Vec<_>>().join(" ");
    check(&row(PASSES), &all);
    for pass in ["--", "pa", "PS", "pass"] {
        check(&all.replace("pass", pass), &all);
        check(&all.replace("pass", pass).replace(' ', ""), &all);
    }
    check("f5 pass d6", "f5 pass d6");
    // A word that is not a sequence of moves stays whole, and illegal moves are kept; the rules
    // report them later.
    check("f5 ?? f5x x8f5 é", "f5 ?? f5x x8 f5 é");
    let illegal = format!("a1{}", row(PASSES));
    check(&illegal, &format!("a1 {}", all.replace("pass ", "")));
    check("", "the file has no line of moves");
    check("# nothing\n", "the file has no line of moves");
    check(
        &format!("f5\n\n{}", "x".repeat(65)),
        "line 3: `xxxxxxxxxxxxxxxxxxxxxxxx…` is longer than any move",
    );
    let long = "f5".repeat(70_000);
    check(&long, "line 1: the game has too many moves or too many different moves");
}

#[test]
fn passes_are_inserted_by_the_rules_of_the_actual_board() {
    let small = SMALL.split_whitespace().collect::<Vec<_>>().join(" ");
    check_asked("transcript", row(SMALL), "standard-4", &small);
    // On another board the first move is already illegal, so no pass is inserted.
    check_asked("transcript", row(SMALL), "", &small.replace("pass ", ""));
    check_asked("transcript", row(SMALL), "standard-6", &small.replace("pass ", ""));
}

#[test]
fn transcripts_are_written_without_passes() {
    let check = |moves: &str, variant: &str, expected: &str| {
        assert_eq!(written("transcript", &game(moves), variant), expected);
    };
    check("f5 d6 c3", "standard", "f5d6c3\n");
    check(PASSES, "standard", &format!("{}\n", row(PASSES)));
    check(SMALL, "standard-4", &format!("{}\n", row(SMALL)));
    // Only a pass at the end must be written.
    let cut = PASSES.trim_end_matches(" g8");
    check(cut, "standard", &format!("{}--\n", row(cut)));
    check("", "standard", "transcript cannot store a game without moves");
}

#[test]
fn obf_positions_are_read() {
    let check = |text: &str, expected: &str| super::tests::check("obf", text, expected);
    check("-----OX--XO----- X\n", "4: <-----OX--XO----- X>");
    check("-----OX--XO----- O;", "4: <-----OX--XO----- O>");
    check(
        "% a comment\n\n.....o*..xO..... w; B1:+3; A2:-1 ;\r\n-----OX--XO-----X\n",
        "4: <-----OX--XO----- O> b1=+3 1.a2=-1 | 4: <-----OX--XO----- X>",
    );
    check(
        "XO-------------- O; PA:-16.00; a2;b3:x; c2:+ ;",
        "4: <XO-------------- O> pass=-16.00 1.a2 1.b3 1.c2",
    );
    check("", "the file has no line with a position");
    check("-----OX--XO-----", "line 1: 15 squares and a side to move do not fit any board");
    check("-----OX--XO----- -", "line 1: the side to move is missing after the squares");
    check("\n-----QX--XO----- X", "line 2: `Q` is not a disc, an empty square or a side to move");
    check("-----OX--XO----- X; :3", "line 1: `:3` is not a move with a score such as A2:+38");
    check(
        "-----OX--XO----- X; aaaaa:3",
        "line 1: `aaaaa:3` is not a move with a score such as A2:+38",
    );
    check(&"-".repeat(9000), "line 1: the line has 9000 bytes; the limit is 8192");
}

#[test]
fn obf_positions_are_written() {
    let mut tree = game("");
    assert_eq!(written("obf", &tree, "standard-4"), "-----OX--XO----- X;\n");
    tree.start = Some("XO-------------- O".into());
    tree.add(1, "pass", 1).unwrap();
    tree.set_label("-16").unwrap();
    assert_eq!(written("obf", &tree, "standard-4"), "XO-------------- O; PA:-16;\n");
    tree.start = None;
    tree.set_move(0, "b1").unwrap();
    tree.add(1, "a2", 1).unwrap();
    tree.set_label("good").unwrap();
    tree.add(1, "d3", 1).unwrap();
    let written_all = "-----OX--XO----- X; B1:-16; A2; D3;\n";
    assert_eq!(written("obf", &tree, "standard-4"), written_all);
    check("obf", written_all, "4: <-----OX--XO----- X> b1=-16 1.a2 1.d3");
    tree.add(2, "c4", 1).unwrap();
    let deep = "move 2: obf can only store positions with move scores, not games";
    assert_eq!(written("obf", &tree, "standard-4"), deep);
}

#[test]
fn the_number_of_games_is_limited() {
    for (id, one, line, what) in
        [("transcript", "f5\n", 100_001, "games"), ("ggf", "(;;)\n", 100_001, "games")]
    {
        let fits = one.repeat(GAMES_MAX);
        assert_eq!(read(id, fits.as_bytes(), "").map(|games| games.len()), Ok(GAMES_MAX));
        check(id, fits + one, &format!("line {line}: more than 100000 {what}"));
    }
}

#[test]
fn data_that_a_format_cannot_store_is_an_error() {
    let mut started = game("");
    started.start = Some("XO-------------- O".into());
    for id in ["transcript", "wthor"] {
        let expected = format!("{id} cannot store a start position; ggf and records can");
        assert_eq!(written(id, &started, "standard-4"), expected);
    }
    assert_eq!(
        written("ggf", &game("f5 f6 a1"), "standard"),
        "move 3: `a1` is refused: a disc on a1 would flip nothing"
    );
    started.start = Some("XO".into());
    assert!(written("ggf", &started, "standard-4").starts_with("start position: at byte 0: "));
}

#[test]
fn only_numbers_are_scores() {
    let check = |text: &str, expected: Option<&str>| assert_eq!(score(text), expected, "{text}");
    for right in ["0", "+38", "-4", "3.25", "-.5", "12."] {
        check(right, Some(right));
    }
    check(" +38 ", Some("+38"));
    for wrong in ["", "+", ".", "+-3", "1.2.3", "1e5", "3 4", "NaN", "12345678901234567"] {
        check(wrong, None);
    }
}

/// The game in which each move is chosen by an index.
fn random_game(size: u8, choices: &[Index]) -> GameTree {
    let mut position = start(Some(size), None);
    let mut tree = GameTree::new(LocationUnit::Lines);
    for choice in choices {
        let mut legal = Vec::new();
        position.generate(crate::rules::MoveSet::All, &mut legal);
        if legal.is_empty() {
            break;
        }
        let mv = *choice.get(&legal);
        position.make(mv);
        tree.add(tree.depth() + 1, &mv.to_string(), 1).unwrap();
    }
    tree
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn games_round_trip_through_every_format(
        half in 2u8..=8, choices in vec(any::<Index>(), 1..140), winner in 0u8..3,
    ) {
        let mut tree = random_game(2 * half, &choices);
        let winner = (winner < 2).then_some(Side(winner));
        tree.result = Some(RecordedResult { winner, cause: ResultCause::Unspecified });
        let name = format!("standard-{}", 2 * half);
        let (_, end) = start_and_end(&tree, &variant(&name)).unwrap();
        let ends_with_pass = tree.nodes().last().is_some_and(|node| node.mv == PASS);
        for id in ["transcript", "ggf", "wthor"] {
            let Ok(bytes) = write(id, &tree, &name) else {
                prop_assert!(id == "wthor" && (half != 4 || ends_with_pass), "{}", id);
                continue;
            };
            let again = read(id, &bytes, &name).unwrap();
            prop_assert_eq!(again.len(), 1);
            prop_assert_eq!(moves(&again[0]), moves(&tree));
            if id != "transcript" {
                let expected = end.outcome().map_or(tree.result.unwrap().winner, |it| it.winner);
                prop_assert_eq!(again[0].result.unwrap().winner, expected);
                prop_assert_eq!(again[0].size, Some(2 * half));
            }
            prop_assert_eq!(write(id, &again[0], &name), Ok(bytes));
        }
    }

    #[test]
    fn any_bytes_are_read_or_give_a_printable_error(
        bytes in vec(any::<u8>(), 0..300), text in "[(;)B W\\[\\]a-h1-8*O/. \n-]{0,80}",
    ) {
        for format in &FORMATS {
            for bytes in [&bytes[..], text.as_bytes()] {
                if let Err(error) = format.read.unwrap()(bytes, None) {
                    prop_assert!(!error.to_string().chars().any(char::is_control), "{}", error);
                }
            }
        }
    }
}
