//! PGN: moves in three notations, variations, comments, results; faults and their lines.

use super::{check, moves, played, read, written};
use crate::formats::{GameTree, LocationUnit, RecordedResult, ResultCause};
use crate::rules::Side;

const GAME: &str = "[Game \"Chinese Chess\"]\n[Red \"王\"]\n[Black \"Li \\\"x\\\"\"]\n\
[Result \"1-0\"]\n\n{before all} 1. 炮二平五 {good} 马８进７ ( 1... 马２进３ {other} 2. 马二进三 )\n\
2. 马二进三! $1 车９平８ ; to the end\n(2... 卒７进１ (2... 炮８平９) 3. 车一平二) 3. 车一平二 1-0\n";

#[test]
fn a_game_is_read_with_all_its_data() {
    let games = read("pgn", GAME.as_bytes()).expect("a game");
    assert_eq!(games.len(), 1);
    let tree = played(games[0].clone());
    // The continuation of a move comes before its siblings.
    assert_eq!(
        moves(&tree),
        "1 h2e2, 2 h9g7, 3 h0g2, 4 i9h9, 5 i0h0, 4 g6g5, 5 i0h0, 4 h7i7, 2 b9c7, 3 h0g2"
    );
    assert_eq!(tree.names, [Some("王".to_owned()), Some("Li \"x\"".to_owned())]);
    assert_eq!(
        tree.result,
        Some(RecordedResult { winner: Some(Side(0)), cause: ResultCause::Unspecified })
    );
    assert_eq!(tree.comment.as_deref(), Some("before all"));
    let comments: Vec<_> = tree.nodes().filter_map(|it| Some((it.index, it.comment?))).collect();
    assert_eq!(comments, [(0, "good"), (3, "to the end"), (8, "other")]);
}

#[test]
fn written_games_read_back() {
    let tree = played(read("pgn", GAME.as_bytes()).expect("a game").remove(0));
    for id in ["pgn", "wxf", "iccs"] {
        let text = written(id, &tree);
        let mut again = played(read(id, text.as_bytes()).expect("a game").remove(0));
        assert_eq!(moves(&again), moves(&tree), "{text}");
        let comments = |tree: &GameTree| -> Vec<_> {
            tree.nodes().map(|node| node.comment.map(str::to_owned)).collect()
        };
        assert_eq!(comments(&again), comments(&tree), "{text}");
        assert_eq!((&again.names, again.result), (&tree.names, tree.result));
        assert_eq!(again.comment, tree.comment);
        // Writing again gives the same text.
        again.start = tree.start.clone();
        assert_eq!(written(id, &again), text);
    }
}

#[test]
fn moves_are_written_in_each_notation() {
    let mut tree = GameTree::new(LocationUnit::Lines);
    for (depth, mv) in [(1, "h2e2"), (2, "h9g7"), (3, "h0g2"), (2, "b9c7"), (3, "b2d2")] {
        tree.add(depth, mv, 1).expect("a move");
    }
    let body = |id: &str| {
        let text = written(id, &tree);
        text.split_once("\n\n").map(|(_, moves)| moves.to_owned()).expect("tags and moves")
    };
    assert_eq!(
        body("pgn"),
        "1. 炮二平五 马８进７\n(1... 马２进３\n2. 炮八平六)\n2. 马二进三\n*\n\n"
    );
    // After black's move the result needs no empty line.
    let mut even = GameTree::new(LocationUnit::Lines);
    for (depth, mv) in [(1, "h2e2"), (2, "h9g7")] {
        even.add(depth, mv, 1).expect("a move");
    }
    assert!(written("wxf", &even).ends_with("\n\n1. C2=5 H8+7\n*\n\n"));
    assert!(
        written("wxf", &GameTree::new(LocationUnit::Lines)).ends_with("[Format \"WXF\"]\n\n*\n\n")
    );
    assert_eq!(body("wxf"), "1. C2=5 H8+7\n(1... H2+3\n2. C8=6)\n2. H2+3\n*\n\n");
    assert_eq!(body("iccs"), "1. H2-E2 H9-G7\n(1... B9-C7\n2. B2-D2)\n2. H0-G2\n*\n\n");
}

#[test]
fn black_may_move_first_and_start_positions_are_kept() {
    let start = "4k4/9/9/9/9/9/9/9/4p4/3K5 b - - 7 30";
    let file =
        format!("[Game \"Chinese Chess\"]\n[FEN \"{start}\"]\n\n30... 卒５平４ 31. 帅六进一 *");
    let tree = played(read("pgn", file.as_bytes()).expect("a game").remove(0));
    assert_eq!(tree.start.as_deref(), Some(start));
    assert_eq!(moves(&tree), "1 e1d1, 2 d0d1");
    let text = written("wxf", &tree);
    assert!(text.contains(&format!("[FEN \"{start}\"]")), "{text}");
    assert!(text.ends_with("30... P5=4\n31. K6+1\n*\n\n"), "{text}");
}

#[test]
fn tags_separate_games() {
    let tag = "[Game \"Chinese Chess\"]\n";
    check("pgn", &format!("{tag}1. 炮二平五 *\n{tag}1. 炮八平五 *"), "1 炮二平五; 1 炮八平五");
    check("pgn", &format!("{tag}1.炮二平五\n\n{tag}1.C8=5 1/2-1/2"), "1 炮二平五; 1 C8=5");
    // Without a tag between them they are one game.
    check("pgn", "1. 炮二平五 * 1... 马８进７", "1 炮二平五, 2 马８进７");
    check("pgn", tag, "");
    check("pgn", "", "line 1: the file has no game");
}

#[test]
fn faults_are_reported_with_their_line() {
    check("pgn", "\n\n)", "line 3: `)` without a variation");
    check("pgn", "\n(", "line 2: a variation before the first move");
    check(
        "pgn",
        "1. C2=5\n(1. C8=5",
        "line 2: the variation that starts here is not closed: `)` is missing",
    );
    check(
        "pgn",
        "1. C2=5\n\n{ never ends",
        "line 3: the comment that starts here is not closed: `}` is missing",
    );
    check("pgn", "1. C2=5 }", "line 1: unexpected `}`");
    let no_tag = "line 1: `[Red name]` is not a tag such as [Red \"name\"]";
    check("pgn", "[Red name]", &format!("{no_tag}: expected a quoted value after the name"));
    let quoted = |shown: &str| format!("line 1: `{shown}` is not a tag such as [Red \"name\"]");
    let cursor = quoted(r#"[Red \"x\" y]"#);
    check("pgn", "[Red \"x\" y]", &format!("{cursor}: expected `]` after the value"));
    let open = quoted(r#"[Red \"x]"#);
    check("pgn", "[Red \"x]", &format!("{open}: the value is not closed"));
    check("pgn", "[Game \"Chess\"]", "line 1: the game is `Chess`, not xiangqi");
    check("pgn", "[Game \"Chinese Chess\"]", "");
    let long = "x".repeat(30);
    check("pgn", &format!("\n{long}"), "line 2: `xxxxxxxxxxxxxxxxxxxxxxxx…` is not a move");
}

#[test]
fn deep_nesting_needs_no_stack() {
    let depth = 20_000;
    let file = format!("1. C2=5 {}{}", "(1. C8=5 ".repeat(depth), ")".repeat(depth));
    let tree = read("pgn", file.as_bytes()).expect("a game").remove(0);
    assert_eq!(tree.len(), depth + 1);
    assert!(tree.nodes().all(|node| node.depth == 1));
    let text = written("iccs", &played(tree.clone()));
    assert_eq!(read("iccs", text.as_bytes()).expect("a game")[0].len(), depth + 1);
}
