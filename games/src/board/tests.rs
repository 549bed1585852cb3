//! Tests of boards: what is wrong with them, how they look in a terminal, and their JSON.
#![cfg(feature = "json")]

use super::*;

/// A board of the fixtures, with the legal moves that it lists.
fn fixture(text: &str) -> (Board, String) {
    let board = Board::from_json(text).unwrap();
    let moves: Vec<&str> = board.moves.iter().map(|it| it.mv.as_str()).collect();
    let legal = moves.join(" ");
    (board, legal)
}

macro_rules! fixture {
    ($name:literal) => {
        fixture(include_str!(concat!("../../../tests/fixtures/boards/", $name, ".json")))
    };
}

#[test]
fn boards_are_written_and_read_back() {
    let check = |(board, legal): (Board, String)| {
        assert_eq!(board.check(&legal), Ok(()));
        assert_eq!(Board::from_json(&board.to_json()), Ok(board));
    };
    check(fixture!("backgammon"));
    check(fixture!("chess"));
    check(fixture!("chinese-checkers"));
    check(fixture!("connect-four"));
    check(fixture!("goofspiel"));
    check(fixture!("hearts"));
    check(fixture!("hex"));
    check(fixture!("kuhn-poker"));
    check(fixture!("nine-mens-morris"));
}

#[test]
fn default_values_are_left_out() {
    let mut board = Board::of(Grid { rows: vec![vec![Some("a".into())]], ..Grid::default() });
    board.pieces.push(Piece::new("a", Shape::Disc, ""));
    let json = r#"{"elements":[[{"kind":"grid","rows":[["a"]]}]],"pieces":[{"place":"a"}]}"#;
    assert_eq!(board.to_json(), json);
}

#[test]
fn a_text_that_is_too_long_is_not_read() {
    let text = r#"{"elements":[[{"kind":"text","text":"x"}]]}"#;
    let long = format!("{text}{}", " ".repeat(MAX_JSON_BYTES - text.len()));
    assert!(Board::from_json(&long).is_ok());
    let error = Board::from_json(&(long + " ")).unwrap_err();
    assert_eq!(error, "has 65537 bytes; at most 65536");
}

#[test]
fn common_grids_have_names_and_labels() {
    let square = Grid::square(3, 2);
    let name = |text: &str| Some(text.to_owned());
    assert_eq!(square.rows[0], [name("a2"), name("b2"), name("c2")]);
    assert_eq!(square.row_labels, ["2", "1"]);
    let rhombus = Grid::rhombus(2, 2);
    assert_eq!(rhombus.rows[0], [name("a1"), name("b1")]);
    assert_eq!((rhombus.tiling, &*rhombus.column_labels.concat()), (Tiling::Hex, "ab"));
    let names = [(0, 0), (25, 11), (26, 0), (27, 1), (51, 0), (52, 0)];
    let names = names.map(|(column, row)| place_name(column, row));
    assert_eq!(names, ["a1", "z12", "aa1", "ab2", "az1", "ba1"]);
    assert_eq!(Board::of(Grid::square(32, 32)).check(""), Ok(()));
}

/// Boards that are wrong, and what is said about them. The schema is tested with them, too.
const WRONG: &str = include_str!("../../../tests/fixtures/boards/wrong.json");

#[test]
fn wrong_boards_are_refused_with_the_reason() {
    let rows: Vec<serde_json::Value> = serde_json::from_str(WRONG).unwrap();
    assert!(rows.len() > 60);
    for row in rows {
        let expected = row["error"].as_str().unwrap();
        match (Board::from_json(&row["board"].to_string()), row["found_by"].as_str()) {
            (Err(error), Some("reader")) => assert!(error.starts_with(expected), "{error}\n{row}"),
            (Ok(board), Some("check")) => assert_eq!(board.check("a"), Err(expected.into())),
            (board, _) => panic!("{board:?}\n{row}"),
        }
    }
}

#[test]
fn long_lists_are_refused() {
    fn check(change: impl FnOnce(&mut Board), expected: &str) {
        let mut board = Board::of(Grid::square(32, 32));
        change(&mut board);
        assert_eq!(board.check("a"), Err(expected.to_owned()));
    }
    let line = Line { places: vec!["x".into()], ..Line::default() };
    let more = |it: &mut Board| it.elements.push(vec![Element::Track(line)]);
    check(more, "1025 places; 0 to 1024 are possible");
    let piece = Piece::new("a1", Shape::Disc, "");
    check(|it| it.pieces = vec![piece; 2049], "2049 pieces; 0 to 2048 are possible");
    let moves = |it: &mut Board| (0..4097).for_each(|_| it.add_move("a", ["a1"]));
    check(moves, "4097 moves; 0 to 4096 are possible");
    let lines = vec![["a1".to_owned(), "b1".to_owned()]; 4097];
    let with_lines = |it: &mut Board| match &mut it.elements[0][0] {
        Element::Grid(grid) => grid.lines = lines,
        other => panic!("{other:?}"),
    };
    check(with_lines, "4097 lines; 0 to 4096 are possible");
    let places: Vec<String> = vec!["a1".into(); 1025];
    let highlight = |it: &mut Board| it.highlight(HighlightKind::Last, places);
    check(highlight, "1025 places of a highlight; 1 to 1024 are possible");
}

#[test]
fn boards_are_drawn_as_text() {
    let check = |(board, _): (Board, String), expected: &str| {
        assert_eq!(board.diagram(), expected);
    };
    check(
        fixture!("connect-four"),
        concat!(
            "6 . . . . . . .\n",
            "5 . . . . . . .\n",
            "4 . . . . . . .\n",
            "3 . . . r . . .\n",
            "2 . . . y . . .\n",
            "1*y . y r r . .\n",
            "  a b c d e f g\n",
        ),
    );
    check(
        fixture!("hex"),
        concat!(
            "  a b c d e\n",
            "1 . . . . .\n",
            " 2 .*r . . .\n",
            "  3 . . . . .\n",
            "   4 . . . . .\n",
            "    5 . . . . .\n",
        ),
    );
    check(
        fixture!("chess"),
        concat!(
            "8 x♜ .  . *x♛ .  .  .  x♚\n",
            "7 .  o♟ .  .  .  .  .  x♟\n",
            "6 .  .  . *.  .  .  .  .\n",
            "5 .  .  .  .  x♝ .  .  .\n",
            "4 .  .  .  .  .  .  .  .\n",
            "3 .  .  .  .  .  o♞ .  .\n",
            "2 .  .  .  .  .  .  o♟ .\n",
            "1 o♜ .  .  . !o♚ .  .  .\n",
            "  a  b  c  d  e  f  g  h\n",
        ),
    );
    check(
        fixture!("kuhn-poker"),
        concat!("Opponent: ?\n", "Pot: 3   Seat 1 has bet 1\n", "You: Q\n",),
    );
    check(
        fixture!("goofspiel"),
        concat!(
            "Prizes won by seat 1: 3   Hand of seat 1: ?(4)\n",
            "Prize:+5   Stock: ?(3)\n",
            "Points of seat 0:\n",
            " .  .  .  b  .  .  .  .  .  .  .\n",
            " 0  1  2  3  4  5  6  7  8  9  10\n",
            "Your hand: 1 2 4 5\n",
        ),
    );
    check(
        fixture!("hearts"),
        concat!(
            "North: ?(10)\n",
            "West: ?(11)   Trick: N:K♣ E*4♣   East: ?(10)\n",
            "South: A♠ Q♠ 7♠ 2♠ K♥ 5♥ J♦ 10♦ 3♦ A♣ 9♣\n",
            "North 4 · East 0 · South 3 · West 1\n",
        ),
    );
    check(
        fixture!("backgammon"),
        concat!(
            " o(5) .    .    .    x(3) .     .      x(5) .    .    .    .    o(2)\n",
            " 13   14   15   16   17   18    bar    19   20   21   22   23   24\n",
            "Dice: 3 1\n",
            " x(5) .    .    .    o(3) .   Off: .    o(5) .    .    .    .    x(2)\n",
            " 12   11   10   9    8    7             6    5    4    3    2    1\n",
        ),
    );
    check(
        fixture!("nine-mens-morris"),
        concat!(
            "Black: x(6)\n",
            "7 .     .     .\n",
            "6  *x   o   .\n",
            "5     . . .\n",
            "4 . o .   . x .\n",
            "3     . . .\n",
            "2   o   x   .\n",
            "1 .     .     .\n",
            "  a b c d e f g\n",
            "White: o(6)\n",
        ),
    );
    check(
        fixture!("chinese-checkers"),
        concat!(
            "             r\n",
            "            r r\n",
            "           r r r\n",
            "          r r r r\n",
            " o o o o . . . . . y y y y\n",
            "  o o o . . . . . . y y y\n",
            "   o o . . . . . . . y y\n",
            "    o . . . . . . . . y\n",
            "     . . . . . . . . .\n",
            "    g . . . . . . . . x\n",
            "   g g . . . . . . . x x\n",
            "  g g g . . . . . . x x x\n",
            " g g g g . . . . . x x x x\n",
            "          b b b b\n",
            "           b b b\n",
            "            b b\n",
            "             b\n",
        ),
    );
}
