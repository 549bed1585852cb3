//! Tests of conversions as values: variants, moves through the rules, records.

use sandboard_games::Side;
use sandboard_games::formats::{By, GameTree, Told, Unit};
use sandboard_games::gomoku::INFO;

use super::*;
use crate::record::Record;
use crate::referee::Termination;
use crate::replay::Script;

/// A tree of gomoku: move texts, with the depth before those that do not go on.
fn tree(text: &str) -> GameTree {
    let mut tree = GameTree::new(Unit::Lines);
    for (index, word) in text.split_whitespace().enumerate() {
        let (depth, mv) = match word.split_once('.') {
            Some((depth, mv)) => (depth.parse().unwrap(), mv),
            None => (tree.depth() + 1, word),
        };
        tree.add(depth, mv, index + 10).unwrap();
    }
    tree
}

fn start(variant: &str) -> Start {
    let tree = GameTree::new(Unit::Lines);
    start_of(&INFO, Some(&INFO.variant(variant).unwrap()), &tree).unwrap().0
}

fn texts(tree: &GameTree) -> String {
    let node = |node: sandboard_games::formats::Node| format!("{}.{}", node.depth, node.mv);
    tree.nodes().map(node).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_variant_is_asked_for_or_told_or_usual() {
    let check = |asked: &str, told: Option<&str>, size: Option<u8>, expected: &str| {
        let mut tree = GameTree::new(Unit::Lines);
        tree.variant = told.map(str::to_owned);
        tree.size = size;
        let asked = (!asked.is_empty()).then(|| INFO.variant(asked).unwrap());
        let found = match start_of(&INFO, asked.as_ref(), &tree) {
            Ok((start, None)) => start.variant.text(),
            Ok((start, Some(unknown))) => format!("{} for {unknown}", start.variant.text()),
            Err(error) => error.to_string(),
        };
        assert_eq!(found, expected, "{asked:?} {told:?} {size:?}");
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
    let other = "its board is of 9, and standard-10 is asked for: leave the size of --variant out";
    check("standard-10", None, Some(9), other);
    check("", None, Some(4), &format!("{}", INFO.variant("freestyle-4").unwrap_err()));
}

#[test]
fn a_start_that_is_none_is_told() {
    let mut tree = tree("a1");
    tree.start = Some("5/5/5/5/5".into());
    let error = start_of(&INFO, None, &tree).unwrap_err().to_string();
    assert!(error.contains("the side to move is missing"), "{error}");
    tree.start = Some("5/5/5/5/5 b".into());
    tree.size = Some(6);
    let error = start_of(&INFO, None, &tree).unwrap_err().to_string();
    assert!(error.contains("5 rows"), "{error}");
}

#[test]
fn every_line_is_played() {
    let check = |text: &str, illegal: Illegal, expected: &str| {
        let mut tree = tree(text);
        let found = match play_through(&mut tree, &start("freestyle-5"), illegal) {
            Ok(Found { left_out: 0, .. }) => texts(&tree),
            Ok(Found { left_out, .. }) => format!("{}, {left_out} left out", texts(&tree)),
            Err(error) => error.to_string(),
        };
        assert_eq!(found, expected, "{text}");
    };
    let refused = |text: &str, expected: &str| check(text, Illegal::Refused, expected);
    let left_out = |text: &str, expected: &str| check(text, Illegal::LeftOut, expected);
    refused("", "");
    refused("A1 b2 2.C3 1.a1", "1.a1 2.b2 2.c3 1.a1");
    // The same point in two lines is played in each.
    refused("a1 b1 c1 2.c1 b1", "1.a1 2.b1 3.c1 2.c1 3.b1");
    let stone = "`a1` is refused: a black stone is on a1";
    refused("a1 b1 2.c1 a1", &format!("line 13: move 3: {stone}"));
    left_out("a1 b1 2.c1 a1", "1.a1 2.b1 2.c1, 1 left out");
    left_out("a1 a1 b1 c1 2.c1 c1 d1 2.d1", "1.a1 2.c1 2.d1, 2 left out");
    left_out("zz a1 1.b1", "1.b1, 1 left out");
    let over = "`e5` is refused: the game is over: five in a row";
    refused("a1 a2 b1 b2 c1 c2 d1 d2 e1 e5", &format!("line 19: move 10: {over}"));
}

#[test]
fn the_rules_go_before_the_file_s_result() {
    let check = |text: &str, told: Option<u8>, result: Option<u8>, contradicted: bool| {
        let mut tree = tree(text);
        tree.result = told.map(|side| Told { winner: Some(Side(side)), by: By::Time });
        let found = play_through(&mut tree, &start("freestyle-5"), Illegal::Refused).unwrap();
        let winner = tree.result.and_then(|told| told.winner).map(|side| side.0);
        assert_eq!((winner, found.contradicted.is_some()), (result, contradicted), "{text}");
    };
    let won = "a1 a2 b1 b2 c1 c2 d1 d2 e1";
    check(won, None, Some(0), false);
    check(won, Some(0), Some(0), false);
    check(won, Some(1), Some(0), true);
    check("a1 a2", Some(1), Some(1), false);
    check("a1 a2", None, None, false);
    // A variation that is won says nothing of the game.
    check(&format!("{won} 9.e2"), Some(1), Some(0), true);
    check("a1 a2 b1 b2 c1 c2 d1 d2 e2 9.e1", None, None, false);
}

fn record(text: &str, told: Option<Told>) -> (Record, Option<Told>) {
    let mut tree = tree(text);
    tree.names = vec![Some("Ada".into()), None];
    tree.result = told;
    tree.set_used_ms(70);
    let start = start("freestyle-5");
    play_through(&mut tree, &start, Illegal::Refused).unwrap();
    let game = Game { start, tree };
    let (record, untold) = to_record(&game, "2026-07-01T12:00:00Z").unwrap();
    // It is what a host writes, and what a bout leaves.
    let again = Record::parse(&record.to_json(), sandboard_games::game);
    assert_eq!(again.as_ref(), Ok(&record));
    Script::of(&record, sandboard_games::game).unwrap();
    let back = from_record(&record).unwrap();
    assert_eq!(texts(&back), texts(&game.tree.only_line(0).unwrap_or(game.tree)));
    (record, untold)
}

#[test]
fn a_record_is_as_finished_as_its_file() {
    let told = |winner: Option<u8>, by| Some(Told { winner: winner.map(Side), by });
    let check = |text: &str, file, termination: Option<Termination>, sentence: &str| {
        let (record, untold) = record(text, file);
        let result = record.result.as_ref();
        assert_eq!(result.map(|it| it.termination.clone()), termination, "{text}");
        assert_eq!(result.map_or("", |it| &it.sentence), sentence, "{text}");
        assert_eq!(untold.is_some(), file.is_some() && result.is_none(), "{text}");
    };
    let rules = Termination::Rules { rule: "five in a row".into() };
    let won = "a1 a2 b1 b2 c1 c2 d1 d2 e1";
    check(won, None, Some(rules.clone()), "Ada (black) wins: five in a row");
    check(won, told(Some(1), By::Time), Some(rules), "Ada (black) wins: five in a row");
    check("a1 a2", None, None, "");
    let resigned = Some(Termination::Resignation);
    check("a1 a2", told(Some(0), By::Resignation), resigned, "white (white) resigns");
    let agreed = Some(Termination::DrawAgreed);
    check("a1 a2", told(None, By::Unsaid), agreed, "draw: agreed");
    check("a1 a2", told(Some(1), By::Time), None, "");
    check("a1 a2", told(Some(1), By::Unsaid), None, "");
}

#[test]
fn a_record_holds_names_times_and_the_main_line() {
    let (record, _) = record("a1 2.b2 c3 2.d4", None);
    let moves: Vec<_> = record.plies.iter().map(|ply| ply.r#move.as_str()).collect();
    assert_eq!(moves, ["a1", "b2", "c3"]);
    let players: Vec<_> = record.players.iter().map(|player| player.name.as_str()).collect();
    assert_eq!(players, ["Ada", "white"]);
    assert_eq!((record.variant.as_str(), record.start.as_deref()), ("freestyle-5", None));
    let back = from_record(&record).unwrap();
    assert_eq!(back.names, [Some("Ada".into()), Some("white".into())]);

    let mut timed = tree("a1");
    timed.set_used_ms(1234);
    let game = Game { start: start("freestyle-5"), tree: timed };
    let (record, _) = to_record(&game, "2026-07-01T12:00:00Z").unwrap();
    assert_eq!(record.plies[0].spent.wall_us, 1_234_000);
    assert_eq!(from_record(&record).unwrap().node(0).unwrap().used_ms, Some(1234));
}

#[test]
fn what_is_left_out_is_counted() {
    let check = |variant: &str, holds: Holds, expected: &[&str]| {
        let mut tree = tree("a1 b2 2.c3 2.d4");
        tree.add_comment("x").unwrap();
        tree.set_label("A").unwrap();
        tree.names = vec![Some("Ada".into()), None];
        tree.result = Some(Told { winner: None, by: By::Unsaid });
        let game = Game { start: start(variant), tree };
        assert_eq!(game.left_out(&holds), expected);
    };
    let nothing = Holds::default();
    let all = [
        "2 variations",
        "1 comment",
        "1 label",
        "1 name",
        "the result",
        "the variant, freestyle-5",
    ];
    check("freestyle-5", nothing, &all);
    let held = Holds { variations: true, comments: true, labels: true, ..RECORD_HOLDS };
    check("standard-5", held, &[]);
    check("standard-5", Holds { variants: false, ..held }, &["the variant, standard-5"]);
    check("freestyle-5", Holds { variants: false, ..held }, &[]);
}
