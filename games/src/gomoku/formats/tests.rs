//! Tests of gomoku's formats: shared behaviour and round trips. The cases of each format are in the
//! submodules.

mod psq;
mod renlib;
mod sgf;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

use super::*;
use crate::formats::{GAMES_MAX, GameTree, LocationUnit, Mark, RecordedResult, ResultCause};
use crate::gomoku::INFO;

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

/// The games of a file on one line: size, names, moves (with their depths where they branch), times
/// and other data.
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
        mv += game.mark(node.index).map_or("", Mark::text);
        mv += &node.label.map_or(String::new(), |label| format!("={label}"));
        mv += &node.comment.map_or(String::new(), |text| format!("{text:?}"));
        mv += &node.used_ms.filter(|ms| *ms > 0).map_or(String::new(), |ms| format!("@{ms}"));
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
    assert_eq!(describe(id, bytes, asked), expected, "{}", escaped(bytes));
}

fn escaped(bytes: &[u8]) -> String {
    bytes.escape_ascii().to_string()
}

fn game(moves: &str) -> GameTree {
    let mut tree = GameTree::new(LocationUnit::Lines);
    for mv in moves.split_whitespace() {
        tree.add(tree.depth() + 1, mv, 1).unwrap();
    }
    tree
}

fn written(id: &str, tree: &GameTree, variant_text: &str) -> String {
    match format(id).write.expect("it is written")(tree, &variant(variant_text)) {
        Ok(bytes) => String::from_utf8(bytes).expect("a text"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn the_moves_format_is_read() {
    let check = |text: &str, expected: &str| check("moves", text, expected);
    check("h8 i9 j10\n", "h8 i9 j10");
    check("H8,I9;J10", "h8 i9 j10");
    check("h8i9j10", "h8 i9 j10");
    check("# by hand\n\n 1. h8 i9 2.j10 k11\r\na1\n", "h8 i9 j10 k11 | a1");
    // A word that is not a sequence of points stays whole; the rules check it later.
    check("h8 swap h8x x8h8", "h8 swap h8x x8 h8");
    check("h8 ?? é", "h8 ?? é");
    check("", "the file has no line of moves");
    check("# nothing\n", "the file has no line of moves");
    check(
        &format!("h8\n\n{}", "x".repeat(65)),
        "line 3: `xxxxxxxxxxxxxxxxxxxxxxxx…` is longer than any move",
    );
    let long = "h8".repeat(70_000);
    check(&long, "line 1: the game has too many moves or too many different moves");
}

#[test]
fn the_number_of_games_is_limited() {
    let fits = "a1\n".repeat(GAMES_MAX);
    assert_eq!(read("moves", fits.as_bytes(), "").map(|games| games.len()), Ok(GAMES_MAX));
    check("moves", fits + "a1", "line 100001: more than 100000 games");
    let fits = "(;)\n".repeat(GAMES_MAX);
    assert_eq!(read("sgf", fits.as_bytes(), "").map(|games| games.len()), Ok(GAMES_MAX));
    check("sgf", fits + "(;)", "line 100001: more than 100000 games");
}

#[test]
fn data_that_a_format_cannot_store_is_an_error() {
    let check = |id: &str, tree: &GameTree, expected: &str| {
        assert_eq!(written(id, tree, "freestyle-5"), expected);
    };
    let mut started = game("a1");
    started.start = Some("5/5/2x2/5/5 w".into());
    for id in ["psq", "rec", "moves"] {
        let expected = format!("{id} cannot store a start position; sgf and records can");
        check(id, &started, &expected);
    }
    for id in ["psq", "rec", "sgf"] {
        let expected = "move 2: `swap` is not a point; the format stores only points";
        check(id, &game("a1 swap"), expected);
    }
    check("moves", &game("a1 swap"), "a1 swap\n");
    check("rec", &game(""), "rec cannot store a game without moves");
    check("moves", &game(""), "moves cannot store a game without moves");
    check("psq", &game(""), "Piskvorky 5x5, 0:0, 0\n-1\n");
}

/// Random points of a board, possibly repeated: formats do not check rules.
fn any_game() -> impl Strategy<Value = (u8, Vec<String>)> {
    (5u8..=22).prop_flat_map(|size| {
        let point = (0..size, 0..size)
            .prop_map(|(column, row)| Point::new(column, row).expect("a point").to_string());
        (Just(size), vec(point, 1..60))
    })
}

/// Texts that every format stores unchanged.
fn any_text() -> impl Strategy<Value = String> {
    let signs = "[a-zäé\\]\\[\\\\:;()',0-9 -]{0,12}";
    signs.prop_map(|text| text.trim().to_owned())
}

fn any_tree() -> impl Strategy<Value = (u8, GameTree)> {
    let mark = proptest::option::of(proptest::sample::select(Mark::ALL.as_slice()));
    let node = (any::<Index>(), any_text(), any_text(), mark, 0u64..100_000);
    (any_game(), vec(node, 60), any_text(), any::<[bool; 3]>()).prop_map(
        |((size, moves), nodes, whole, [named, won, coin])| {
            let mut tree = GameTree::new(LocationUnit::Lines);
            tree.add_comment(&whole).unwrap();
            for (mv, (depth, comment, label, mark, ms)) in moves.iter().zip(&nodes) {
                // Most moves continue the line, some start a variation.
                let deepest = tree.depth() + 1;
                let depth = deepest - depth.index(deepest * 3).min(deepest - 1) % deepest;
                tree.add(depth, mv, 1).unwrap();
                tree.add_comment(comment).unwrap();
                tree.set_label(label).unwrap();
                mark.iter().for_each(|mark| tree.set_mark(*mark).unwrap());
                tree.set_used_ms(*ms);
            }
            if named {
                tree.names = vec![Some("Ada".into()), None];
            }
            if won {
                let winner = coin.then_some(crate::rules::Side(1));
                let cause = if coin { ResultCause::Time } else { ResultCause::Unspecified };
                tree.result = Some(RecordedResult { winner, cause });
            }
            (size, tree)
        },
    )
}

/// The description of a tree after a round trip through a format with these features.
fn kept(tree: &GameTree, size: u8, features: &Features) -> String {
    let tree = match features.variations {
        true => tree.clone(),
        false => tree.extract_line(0).unwrap_or_else(|| tree.clone()),
    };
    let mut kept = GameTree::new(LocationUnit::Lines);
    kept.size = features.sizes.then_some(size);
    kept.variant = features.variants.then(|| "standard".to_owned());
    kept.result = tree.result.filter(|_| features.results);
    kept.comment = tree.comment.clone().filter(|_| features.comments);
    if features.names {
        kept.names.clone_from(&tree.names);
    }
    for node in tree.nodes() {
        kept.add(node.depth, node.mv, 1).unwrap();
        if let Some(comment) = node.comment.filter(|_| features.comments) {
            kept.add_comment(comment).unwrap();
        }
        let mark = tree.mark(node.index).filter(|_| features.comments);
        mark.into_iter().for_each(|mark| kept.set_mark(mark).unwrap());
        kept.set_label(node.label.filter(|_| features.labels).unwrap_or_default()).unwrap();
        kept.set_used_ms(node.used_ms.filter(|_| features.times).unwrap_or(0));
    }
    describe_game(&kept)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// A round trip keeps exactly the data of the format's features.
    #[test]
    fn written_games_read_back((size, tree) in any_tree()) {
        let variant = Variant { id: "standard", size: Some(size), setting: None };
        for format in &FORMATS {
            let (Some(read), Some(write)) = (format.read, format.write) else { continue };
            let bytes = write(&tree, &variant).unwrap_or_else(|error| panic!("{error}"));
            let games = read(&bytes, Some(&variant));
            let mut games = games.unwrap_or_else(|error| panic!("{}: {error}", format.id));
            prop_assert_eq!(games.len(), 1);
            // A requested size is not stored in the file.
            games[0].size = games[0].size.filter(|_| format.features.sizes);
            let expected = kept(&tree, size, &format.features);
            let text = String::from_utf8_lossy(&bytes);
            prop_assert_eq!(describe_game(&games[0]), expected, "{}: {}", format.id, text);
        }
    }

    #[test]
    fn any_bytes_are_read_or_give_a_printable_error(bytes in vec(any::<u8>(), 0..300), size in 5u8..=22) {
        let asked = Variant { id: "freestyle", size: Some(size), setting: None };
        for format in &FORMATS {
            if let Some(read) = format.read
                && let Err(error) = read(&bytes, Some(&asked))
            {
                prop_assert!(!error.to_string().chars().any(char::is_control), "{error}");
            }
        }
    }
}
