//! Tests of xiangqi's file formats: reading, errors with their locations, and round trips.

mod pgn;
mod xqf;

use proptest::prelude::*;

use super::FORMATS;
use crate::formats::{Format, FormatError, GameTree};
use crate::info::Variant;
use crate::rules::Rules;
use crate::xiangqi::{INFO, Xiangqi};

fn variant() -> Variant {
    INFO.variant("computer").expect("a variant")
}

fn format(id: &str) -> &'static Format {
    FORMATS.iter().find(|format| format.id == id).unwrap_or_else(|| panic!("no format `{id}`"))
}

fn read(id: &str, bytes: &[u8]) -> Result<Vec<GameTree>, FormatError> {
    format(id).read.expect("a reader")(bytes, None)
}

fn written(id: &str, tree: &GameTree) -> String {
    let bytes = format(id).write.expect("a writer")(tree, &variant());
    String::from_utf8(bytes.unwrap_or_else(|error| panic!("{error}"))).expect("a text")
}

/// All moves with their depths: `1 h2e2, 2 h9g7`.
fn moves(tree: &GameTree) -> String {
    let moves: Vec<_> = tree.nodes().map(|node| format!("{} {}", node.depth, node.mv)).collect();
    moves.join(", ")
}

/// Converts the moves to canonical texts, as a host does.
fn played(mut tree: GameTree) -> GameTree {
    let start = tree.start.clone();
    let mut line = vec![match &start {
        None => Xiangqi::start(&variant()),
        Some(text) => Xiangqi::parse_position(&variant(), text).expect("a start"),
    }];
    for index in 0..tree.len() {
        let node = tree.node(index).expect("a move");
        line.truncate(node.depth);
        let mut after = line.last().expect("a position before it").clone();
        let mv = after.parse_move(node.mv).unwrap_or_else(|error| panic!("{}: {error}", node.mv));
        after.make(mv);
        line.push(after);
        tree.set_move(index, &mv.to_string()).expect("a name");
    }
    tree
}

/// Compares the games of a file, or its error.
#[track_caller]
fn check(id: &str, file: &str, expected: &str) {
    let found = match read(id, file.as_bytes()) {
        Ok(games) => games.iter().map(moves).collect::<Vec<_>>().join("; "),
        Err(error) => error.to_string(),
    };
    assert_eq!(found, expected, "{file}");
}

#[test]
fn lines_of_positions_are_games() {
    let start = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1";
    check("fen", &format!("{start}\n"), "");
    check("fen", &format!("# a comment\n\n{start} moves h2e2 h9g7\r\n"), "1 h2e2, 2 h9g7");
    check("fen", &format!("{start} moves h2e2\n{start} moves b2e2"), "1 h2e2; 1 b2e2");
    check("fen", "# nothing\n", "line 1: the file has no position");
    check("fen", "", "line 1: the file has no position");
    let endgame = "3k5/9/9/9/9/9/9/9/4R4/4K4 w - - 3 40";
    let games = read("fen", format!("{endgame} moves e1e5\n{start}").as_bytes()).expect("two");
    assert_eq!(games[0].start.as_deref(), Some(endgame));
    assert_eq!(games[1].start, None);
    assert_eq!(written("fen", &games[0]), format!("{endgame} moves e1e5\n"));
    assert_eq!(written("fen", &games[1]), format!("{start}\n"));
    let error = read("fen", b"\xff\xfe").expect_err("no text");
    assert_eq!(error.to_string(), "line 1: `ÿþ` is not a position");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn reading_any_bytes_does_not_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        for format in &FORMATS {
            let _ = format.read.expect("a reader")(&bytes, None);
        }
    }

    #[test]
    fn reading_nearly_valid_text_does_not_panic(
        text in "(\\[[A-Z][a-z]{2} \"[a-z一-龥\\\\]{0,3}\"?\\]|[0-9]{1,2}\\.|[炮马兵][一二]平五|\\{[a-z]*\\}|[()\\{\\};$*]|\n| ){0,30}",
    ) {
        if let Ok(games) = read("pgn", text.as_bytes()) {
            // A continuation is one deeper than its move.
            for tree in games {
                let mut depth = 0;
                for node in tree.nodes() {
                    prop_assert!(node.depth >= 1 && node.depth <= depth + 1);
                    depth = node.depth;
                }
            }
        }
    }
}
