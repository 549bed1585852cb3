//! Tests of conversions: variants, moves played by the rules, and records.

use sandboard_games::formats::{GameTree, LocationUnit, RecordedResult, ResultCause};
use sandboard_games::gomoku::INFO;
use sandboard_games::{Games, Side};

use super::*;
use crate::record::{OpeningMove, Record};
use crate::referee::Termination;
use crate::replay::CallScript;

/// A tree of gomoku moves. A move that does not continue the previous one begins with its depth.
fn tree(text: &str) -> GameTree {
    let mut tree = GameTree::new(LocationUnit::Lines);
    for (index, word) in text.split_whitespace().enumerate() {
        let (depth, mv) = match word.split_once('.') {
            Some((depth, mv)) => (depth.parse().unwrap(), mv),
            None => (tree.depth() + 1, word),
        };
        tree.add(depth, mv, index + 10).unwrap();
    }
    tree
}

fn start(variant: &str) -> StartPosition {
    let tree = GameTree::new(LocationUnit::Lines);
    resolve_start(&INFO, Some(&INFO.variant(variant).unwrap()), &tree).unwrap().0
}

fn texts(tree: &GameTree) -> String {
    let node = |node: sandboard_games::formats::Node| format!("{}.{}", node.depth, node.mv);
    tree.nodes().map(node).collect::<Vec<_>>().join(" ")
}

#[test]
fn the_variant_is_requested_or_recorded_or_the_default() {
    let check = |requested: &str, recorded: Option<&str>, size: Option<u8>, expected: &str| {
        let mut tree = GameTree::new(LocationUnit::Lines);
        tree.variant = recorded.map(str::to_owned);
        tree.size = size;
        let requested = (!requested.is_empty()).then(|| INFO.variant(requested).unwrap());
        let found = match resolve_start(&INFO, requested.as_ref(), &tree) {
            Ok((start, None)) => start.variant.text(),
            Ok((start, Some(unknown))) => format!("{} for {unknown}", start.variant.text()),
            Err(error) => error.to_string(),
        };
        assert_eq!(found, expected, "{requested:?} {recorded:?} {size:?}");
    };
    check("", None, None, "freestyle-15");
    check("", None, Some(19), "freestyle-19");
    check("", Some("Standard"), Some(19), "standard-19");
    check("", Some("standard-7"), None, "standard-7");
    check("", Some("Go\u{1b}"), Some(9), "freestyle-9 for Go\u{fffd}");
    check("standard", Some("Go"), Some(9), "standard-9");
    check("standard", Some("freestyle"), None, "standard-15");
    check("standard-9", None, None, "standard-9");
    check("standard-9", None, Some(9), "standard-9");
    let other = "the board of the file has size 9, but standard-10 was requested: omit the size in \
                 --variant";
    check("standard-10", None, Some(9), other);
    check("", None, Some(4), &format!("{}", INFO.variant("freestyle-4").unwrap_err()));
}

#[test]
fn an_invalid_start_position_is_an_error() {
    let mut tree = tree("a1");
    tree.start = Some("5/5/5/5/5".into());
    let error = resolve_start(&INFO, None, &tree).unwrap_err().to_string();
    assert!(error.contains("the side to move is missing"), "{error}");
    tree.start = Some("5/5/5/5/5 b".into());
    tree.size = Some(6);
    let error = resolve_start(&INFO, None, &tree).unwrap_err().to_string();
    assert!(error.contains("5 rows"), "{error}");
}

#[test]
fn every_line_is_played() {
    let check = |text: &str, illegal: IllegalMovePolicy, expected: &str| {
        let mut tree = tree(text);
        let found = match play_through(&mut tree, &start("freestyle-5"), illegal) {
            Ok(PlayThroughReport { dropped: 0, .. }) => texts(&tree),
            Ok(PlayThroughReport { dropped, .. }) => format!("{}, {dropped} dropped", texts(&tree)),
            Err(error) => error.to_string(),
        };
        assert_eq!(found, expected, "{text}");
    };
    let fail = |text: &str, expected: &str| check(text, IllegalMovePolicy::Fail, expected);
    let drop = |text: &str, expected: &str| check(text, IllegalMovePolicy::Drop, expected);
    fail("", "");
    fail("A1 b2 2.C3 1.a1", "1.a1 2.b2 2.c3 1.a1");
    // Two lines can contain the same point.
    fail("a1 b1 c1 2.c1 b1", "1.a1 2.b1 3.c1 2.c1 3.b1");
    let stone = "`a1` is refused: a black stone is on a1";
    fail("a1 b1 2.c1 a1", &format!("line 13: move 3: {stone}"));
    drop("a1 b1 2.c1 a1", "1.a1 2.b1 2.c1, 1 dropped");
    drop("a1 a1 b1 c1 2.c1 c1 d1 2.d1", "1.a1 2.c1 2.d1, 2 dropped");
    drop("zz a1 1.b1", "1.b1, 1 dropped");
    let over = "`e5` is refused: the game is over: five in a row";
    fail("a1 a2 b1 b2 c1 c2 d1 d2 e1 e5", &format!("line 19: move 10: {over}"));
}

#[test]
fn the_result_of_the_rules_replaces_the_files_result() {
    let check = |text: &str, recorded: Option<u8>, result: Option<u8>, contradicted: bool| {
        let mut tree = tree(text);
        tree.result = recorded.map(|side| {
            let winner = Some(Side(side));
            RecordedResult { winner, cause: ResultCause::Time }
        });
        let found =
            play_through(&mut tree, &start("freestyle-5"), IllegalMovePolicy::Fail).unwrap();
        let winner = tree.result.and_then(|result| result.winner).map(|side| side.0);
        assert_eq!((winner, found.contradicted.is_some()), (result, contradicted), "{text}");
    };
    let won = "a1 a2 b1 b2 c1 c2 d1 d2 e1";
    check(won, None, Some(0), false);
    check(won, Some(0), Some(0), false);
    check(won, Some(1), Some(0), true);
    check("a1 a2", Some(1), Some(1), false);
    check("a1 a2", None, None, false);
    // The result of a variation does not count.
    check(&format!("{won} 9.e2"), Some(1), Some(0), true);
    check("a1 a2 b1 b2 c1 c2 d1 d2 e2 9.e1", None, None, false);
}

fn record(text: &str, result: Option<RecordedResult>) -> (Record, Option<RecordedResult>) {
    let mut tree = tree(text);
    tree.names = vec![Some("Ada".into()), None];
    tree.result = result;
    tree.set_used_ms(70);
    let start = start("freestyle-5");
    play_through(&mut tree, &start, IllegalMovePolicy::Fail).unwrap();
    let game = ConvertedGame { start, tree };
    let (record, lost) = record_from_game(&game, "2026-07-01T12:00:00Z").unwrap();
    // The record is valid, and a bout can have left it.
    let again = Record::parse(&record.to_json(), &Games::default());
    assert_eq!(again.as_ref(), Ok(&record));
    CallScript::from_record(&record, &Games::default()).unwrap();
    let back = tree_from_record(&record).unwrap();
    assert_eq!(texts(&back), texts(&game.tree.extract_line(0).unwrap_or(game.tree)));
    (record, lost)
}

#[test]
fn a_record_is_finished_if_its_file_has_a_usable_result() {
    let result =
        |winner: Option<u8>, cause| Some(RecordedResult { winner: winner.map(Side), cause });
    let check = |text: &str, file, termination: Option<Termination>, sentence: &str| {
        let (record, lost) = record(text, file);
        let result = record.result.as_ref();
        assert_eq!(result.map(|it| it.termination.clone()), termination, "{text}");
        assert_eq!(result.map_or("", |it| &it.sentence), sentence, "{text}");
        assert_eq!(lost.is_some(), file.is_some() && result.is_none(), "{text}");
    };
    let rules = Termination::Rules { rule: "five in a row".into() };
    let won = "a1 a2 b1 b2 c1 c2 d1 d2 e1";
    check(won, None, Some(rules.clone()), "Ada (black) wins: five in a row");
    check(won, result(Some(1), ResultCause::Time), Some(rules), "Ada (black) wins: five in a row");
    check("a1 a2", None, None, "");
    let resigned = Some(Termination::Resignation);
    check("a1 a2", result(Some(0), ResultCause::Resignation), resigned, "white (white) resigns");
    let agreed = Some(Termination::DrawAgreed);
    check("a1 a2", result(None, ResultCause::Unspecified), agreed, "draw: agreed");
    check("a1 a2", result(Some(1), ResultCause::Time), None, "");
    check("a1 a2", result(Some(1), ResultCause::Unspecified), None, "");
}

#[test]
fn a_record_has_names_times_and_the_main_line() {
    let (record, _) = record("a1 2.b2 c3 2.d4", None);
    let moves: Vec<_> = record.plies.iter().map(|ply| ply.r#move.as_str()).collect();
    assert_eq!(moves, ["a1", "b2", "c3"]);
    let players: Vec<_> = record.players.iter().map(|player| player.name.as_str()).collect();
    assert_eq!(players, ["Ada", "white"]);
    assert_eq!((record.variant.as_str(), record.start.as_deref()), ("freestyle-5", None));
    let back = tree_from_record(&record).unwrap();
    assert_eq!(back.names, [Some("Ada".into()), Some("white".into())]);

    let mut timed = tree("a1");
    timed.set_used_ms(1234);
    let game = ConvertedGame { start: start("freestyle-5"), tree: timed };
    let (record, _) = record_from_game(&game, "2026-07-01T12:00:00Z").unwrap();
    assert_eq!(record.plies[0].spent.wall_us, 1_234_000);
    assert_eq!(tree_from_record(&record).unwrap().node(0).unwrap().used_ms, Some(1234));
}

#[test]
fn a_file_has_the_moves_before_the_bout() {
    let (mut record, _) = record("c3 d4", None);
    let opening_move = |(seat, mv): (u8, &str)| OpeningMove { seat: Some(seat), r#move: mv.into() };
    record.opening = [(0, "a1"), (1, "b2")].map(opening_move).into();
    let record = Record::parse(&record.to_json(), &Games::default()).unwrap();
    let mut game = ConvertedGame::from_record(&record, &Games::default()).unwrap();
    assert_eq!(texts(&game.tree), "1.a1 2.b2 3.c3 4.d4");
    let played = play_through(&mut game.tree, &game.start, IllegalMovePolicy::Fail).unwrap();
    assert_eq!(played.dropped, 0);
    let times: Vec<_> = game.tree.nodes().map(|node| node.used_ms).collect();
    assert_eq!(times[..2], [None, None], "their times are unknown");
    // The file's game is a bout of all moves.
    let (back, _) = record_from_game(&game, "2026-07-01T12:00:00Z").unwrap();
    assert_eq!((back.opening.len(), back.plies.len()), (0, 4));
}

#[test]
fn parts_that_cannot_be_stored_are_counted() {
    let check = |variant: &str, features: Features, expected: &[&str]| {
        let mut tree = tree("a1 b2 2.c3 2.d4");
        tree.add_comment("x").unwrap();
        tree.set_label("A").unwrap();
        tree.names = vec![Some("Ada".into()), None];
        tree.result = Some(RecordedResult { winner: None, cause: ResultCause::Unspecified });
        let game = ConvertedGame { start: start(variant), tree };
        assert_eq!(game.left_out(&features), expected);
    };
    let nothing = Features::default();
    let all = [
        "2 variations",
        "1 comment",
        "1 label",
        "1 name",
        "the result",
        "the variant, freestyle-5",
    ];
    check("freestyle-5", nothing, &all);
    let stored = Features { variations: true, comments: true, labels: true, ..RECORD_FEATURES };
    check("standard-5", stored, &[]);
    check("standard-5", Features { variants: false, ..stored }, &["the variant, standard-5"]);
    check("freestyle-5", Features { variants: false, ..stored }, &[]);
}
