//! Tests of the shared formats: files are read into trees, errors have their line, and what is
//! written is read back. No rules are at hand.

use proptest::prelude::*;

use super::*;
use crate::formats::{LocationUnit, Mark, RecordedResult, ResultCause};
use crate::rules::Side;

fn format(id: &str) -> &'static Format {
    SHARED_FORMATS.iter().find(|format| format.id == id).expect("a shared format")
}

fn read(id: &str, text: &str) -> Result<Vec<GameTree>, String> {
    let read = format(id).read.expect("a format that can be read");
    read(text.as_bytes(), None).map_err(|error| error.to_string())
}

fn variant(id: &'static str) -> Variant {
    Variant { id, size: None, setting: None }
}

fn write(tree: &GameTree, variant: &Variant) -> Result<String, String> {
    let bytes = write_pgn(tree, variant).map_err(|error| error.to_string())?;
    Ok(String::from_utf8(bytes).expect("UTF-8"))
}

/// What a file says of a game: variant, start, names, result, comments and moves with their depths.
fn summary(tree: &GameTree) -> String {
    let none = || "-".to_owned();
    let names: Vec<&str> = tree.names.iter().map(|name| name.as_deref().unwrap_or("-")).collect();
    let moves = tree.nodes().map(|node| {
        let comment = node.comment.map_or(String::new(), |text| format!("{{{text}}}"));
        let mark = tree.mark(node.index).map_or("", Mark::text);
        format!("{}.{}{mark}{comment}", node.depth, node.mv)
    });
    format!(
        "{} | {} | {} | {} | {} | {}",
        tree.variant.clone().unwrap_or_else(none),
        tree.start.clone().unwrap_or_else(none),
        names.join(", "),
        result_text(tree.result),
        tree.comment.clone().unwrap_or_else(none),
        moves.collect::<Vec<_>>().join(" "),
    )
}

#[test]
fn pgn_is_read_with_all_that_it_stores() {
    let check = |text: &str, expected: &[&str]| {
        let games = read("pgn", text).unwrap();
        assert_eq!(games.iter().map(summary).collect::<Vec<_>>(), expected, "{text}");
    };
    check("1. e4 e5 *", &["- | - |  | * | - | 1.e4 2.e5"]);
    check("1.e4 e5 2.Nf3 1-0", &["- | - |  | 1-0 | - | 1.e4 2.e5 3.Nf3"]);
    check(
        "[White \"A \\\"B\\\"\"]\n[Black \"?\"]\n[Result \"1/2-1/2\"]\n\n1. e4! $2 e5?? 1/2-1/2\n",
        &["- | - | A \"B\", - | 1/2-1/2 | - | 1.e4! 2.e5??"],
    );
    // A number or signs after a move judge it; other numbers judge the position.
    check(
        "1. e4 $14 $5 e5 (1... c5$6) 2. d4 !! *",
        &["- | - |  | * | - | 1.e4!? 2.e5 3.d4!! 2.c5?!"],
    );
    check("$1 ! 1. e4!!! *", &["- | - |  | * | - | 1.e4"]);
    check(
        "{before} 1. e4 {king's pawn} (1. d4 d5 (1... Nf6 ; indian\n 2. c4)) 1... e5 0-1",
        &["- | - |  | 0-1 | before | \
           1.e4{king's pawn} 2.e5 1.d4 2.d5 2.Nf6{indian} 3.c4"],
    );
    check(
        "[Variant \"Chess960\"]\n[SetUp \"1\"]\n[FEN \"4k3/8/8/8/8/8/8/4K2R  w K - 3 20\"]\n\n20. O-O *",
        &["Chess960 | 4k3/8/8/8/8/8/8/4K2R w K - 3 20 |  | * | - | 1.O-O"],
    );
    check(
        "[White \"A\"]\n\n1. e4 1-0\n\n[White \"B\"]\n\n1. d4 0-1\n",
        &["- | - | A, - | 1-0 | - | 1.e4", "- | - | B, - | 0-1 | - | 1.d4"],
    );
    // Without a rule of its own for a tag `Game`, any is accepted.
    check("[Game \"anything\"]\n\n1. e4 *", &["- | - |  | * | - | 1.e4"]);
    check("% an escaped line\n1. e4 *", &["- | - |  | * | - | 1.e4"]);
}

#[test]
fn faults_of_files_have_their_line() {
    let check = |id: &str, text: &str, expected: &str| {
        let found = read(id, text).expect_err(text);
        assert!(found.starts_with(expected), "{text}: {found}");
    };
    check("pgn", "", "line 1: the file has no game");
    check("pgn", "[White \"A\"]\n\n1. e4 (1. d4", "line 3: the variation that starts here");
    check("pgn", "1. e4 {open", "line 1: the comment that starts here is not closed");
    check("pgn", "1. e4\n) *", "line 2: `)` without a variation");
    check("pgn", "(1. e4)", "line 1: a variation before the first move");
    check("pgn", "[White A]", "line 1: `[White A]` is not a tag such as");
    let long = format!("1. {} *", "e".repeat(25));
    check("pgn", &long, "line 1: `eeeeeeeeeeeeeeeeeeeeeeee…` is not a move");
    check("fen", "# only a remark\n\n", "line 1: the file has no position");
    check("epd", "\n", "line 1: the file has no position");
}

#[test]
fn lines_of_positions_are_read() {
    let check = |id: &str, text: &str, expected: &[&str]| {
        let games = read(id, text).unwrap();
        assert_eq!(games.iter().map(summary).collect::<Vec<_>>(), expected, "{text}");
    };
    check(
        "fen",
        "# two\n8/8/8/8/8/8/8/K1k5 w - - 0 1\n\n8/8/8/8/8/8/8/K1k5  b - -  3 9 moves c1c2 a1a2\n",
        &[
            "- | 8/8/8/8/8/8/8/K1k5 w - - 0 1 |  | * | - | ",
            "- | 8/8/8/8/8/8/8/K1k5 b - - 3 9 |  | * | - | 1.c1c2 2.a1a2",
        ],
    );
    check(
        "epd",
        "1k6/8/8/8 w - - bm Qd6; id \"one\";\n1k6/8/8/8 b - - 0 7\n1k6/8/8/8 b - - 0 draw;\nfen",
        &[
            "- | 1k6/8/8/8 w - - |  | * | bm Qd6; id \"one\"; | ",
            "- | 1k6/8/8/8 b - - 0 7 |  | * | - | ",
            "- | 1k6/8/8/8 b - - |  | * | 0 draw; | ",
            "- | fen |  | * | - | ",
        ],
    );
}

/// A tree with these moves and depths.
fn tree(moves: &[(usize, &str)]) -> GameTree {
    let mut tree = GameTree::new(LocationUnit::Lines);
    moves.iter().for_each(|(depth, mv)| tree.add(*depth, mv, 1).unwrap());
    tree
}

#[test]
fn a_game_is_written_with_its_numbers() {
    let check = |tree: &GameTree, variant: &Variant, tags: &str, moves: &str| {
        let text = write(tree, variant).unwrap();
        let (head, body) = text.split_once("\n\n").unwrap();
        let own = head.lines().filter(|line| !line.contains("\"?\"") && !line.contains("????"));
        assert_eq!(own.collect::<Vec<_>>().join(" "), tags);
        assert_eq!(body.trim_end(), moves);
    };
    let standard = variant("standard");
    let mut game = tree(&[(1, "e4"), (2, "e5"), (3, "Nf3")]);
    check(&game, &standard, "[Result \"*\"]", "1. e4 e5\n2. Nf3\n*");
    game.names = vec![Some("A\\B".into()), Some("C".into())];
    game.result = Some(RecordedResult { winner: Some(Side(1)), cause: ResultCause::Resignation });
    let tags = "[White \"A\\\\B\"] [Black \"C\"] [Result \"0-1\"] [Variant \"Chess960\"]";
    check(&game, &variant("chess960"), tags, "1. e4 e5\n2. Nf3\n0-1");
    let lines = tree(&[(1, "e4"), (2, "e5"), (2, "c5"), (3, "Nf3"), (1, "d4")]);
    let moves = "1. e4 (1. d4)\n1... e5\n(1... c5\n2. Nf3)\n*";
    check(&lines, &standard, "[Result \"*\"]", moves);
    let mut later = tree(&[(1, "Kd7"), (2, "Kd2")]);
    later.start = Some("4k3/8/8/8/8/8/8/4K3 b - - 5 30".into());
    let tags = "[Result \"*\"] [SetUp \"1\"] [FEN \"4k3/8/8/8/8/8/8/4K3 b - - 5 30\"]";
    check(&later, &standard, tags, "30... Kd7\n31. Kd2\n*");
    later.start = Some("4k3/8/8/8/8/8/8/4K3 b - - 5 30 moves e8e7".into());
    let refused = "the start position has moves before it, which PGN cannot store";
    assert_eq!(write(&later, &standard), Err(refused.into()));
}

proptest! {
    /// What is written is read back: any tree of moves, names and comments.
    #[test]
    fn trees_are_read_back(
        depths in prop::collection::vec((1usize..6, 0usize..20), 1..30),
        white in "[ -~]{0,12}",
        comment in "[ -~]{0,20}",
        marks in prop::collection::vec(prop::option::of(prop::sample::select(Mark::ALL.as_slice())), 30),
    ) {
        let mut game = GameTree::new(LocationUnit::Lines);
        game.names = vec![Some(white), None];
        for ((depth, mv), mark) in depths.into_iter().zip(marks) {
            game.add(depth, &format!("m{mv}"), 1).unwrap();
            mark.into_iter().for_each(|mark| game.set_mark(mark).unwrap());
            game.add_comment(&comment.replace(['{', '}'], "")).unwrap();
        }
        let text = write(&game, &variant("standard")).unwrap();
        let again = read("pgn", &text).unwrap();
        let moves = |tree: &GameTree| {
            tree.nodes()
                .map(|it| (it.depth, it.mv.to_owned(), it.comment.map(str::to_owned), tree.mark(it.index)))
                .collect::<Vec<_>>()
        };
        prop_assert_eq!(again.len(), 1);
        prop_assert_eq!(moves(&again[0]), moves(&game));
    }

    /// Any bytes are read or refused.
    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        for format in &SHARED_FORMATS {
            let _ = format.read.map(|read| read(&bytes, None));
        }
    }
}
