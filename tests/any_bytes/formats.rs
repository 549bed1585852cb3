//! Arbitrary bytes as a file of every format of every game: errors can be displayed; a legal game
//! is written and reads as the same game.

use sandboard_bout::convert::{
    ConvertedGame, IllegalMovePolicy, play_through, read_decoded, record_from_game, resolve_start,
};
use sandboard_bout::record::Record;
use sandboard_games::formats::{Format, GameTree};
use sandboard_games::{GAMES, GameInfo, Games, Variant};

/// Number of games of a file that are checked; more would only take time.
const LOOKED_AT: usize = 4;

/// Reads the bytes in each format, for the default variant.
pub fn formats(bytes: &[u8]) {
    for info in GAMES {
        for format in info.formats {
            read(info, format, bytes);
        }
    }
}

fn read(info: &'static GameInfo, format: &Format, bytes: &[u8]) {
    let Some(read) = format.read else { return };
    let variant = Variant { id: info.variants[0].id, size: None, setting: None };
    let trees = match read_decoded(read, format.encoding, bytes, Some(&variant)) {
        Ok(trees) => trees,
        Err(error) => return super::check_displayable(&error.to_string()),
    };
    for mut tree in trees.into_iter().take(LOOKED_AT) {
        check_tree(&tree);
        let start = match resolve_start(info, Some(&variant), &tree) {
            Ok((start, _)) => start,
            Err(error) => {
                super::check_displayable(&error.to_string());
                continue;
            }
        };
        if let Err(error) = play_through(&mut tree.clone(), &start, IllegalMovePolicy::Fail) {
            super::check_displayable(&error.to_string());
        }
        let found = play_through(&mut tree, &start, IllegalMovePolicy::Drop);
        found.unwrap_or_else(|error| panic!("{error}"));
        let game = ConvertedGame { start, tree };
        check_record(&game);
        for format in info.formats {
            check_written(&game, format);
        }
    }
}

/// The queries of a game tree agree with each other.
fn check_tree(tree: &GameTree) {
    let lines = tree.lines();
    assert_eq!(lines == 0, tree.is_empty());
    assert_eq!(tree.extract_line(lines), None);
    for line in [0, lines / 2, lines.saturating_sub(1)] {
        let only = tree.extract_line(line);
        assert_eq!(only.is_some(), lines > 0);
        assert!(
            only.is_none_or(|only| only.lines() == 1 && only.main_line().count() == only.len())
        );
    }
    let mut depth = 0;
    for node in tree.nodes() {
        assert!((1..=depth + 1).contains(&node.depth));
        depth = node.depth;
    }
}

fn check_record(game: &ConvertedGame) {
    let (record, _) = record_from_game(game, "2026-07-01T12:00:00Z").expect("its moves are legal");
    let again = Record::parse(&record.to_json(), &Games::default());
    assert_eq!(again.as_ref(), Ok(&record));
    assert_eq!(record.plies.len(), game.tree.main_line().count());
}

/// A written game reads as the same game, as far as the format stores it.
fn check_written(game: &ConvertedGame, format: &Format) {
    let mut whole = match format.features.variations {
        true => game.clone(),
        false => game.extract_line(0).expect("the main line"),
    };
    if !format.features.results {
        // The result by the rules is computed again.
        whole.tree.result = None;
        let again = play_through(&mut whole.tree, &whole.start, IllegalMovePolicy::Fail);
        again.unwrap_or_else(|error| panic!("{error}"));
    }
    let bytes = match whole.write(format) {
        None => return,
        Some(Ok(bytes)) => bytes,
        Some(Err(error)) => return super::check_displayable(&error.to_string()),
    };
    let Some(read) = format.read else { return };
    let trees = read(&bytes, Some(&game.start.variant)).unwrap_or_else(|error| {
        panic!("{} does not read {:?}: {error}", format.id, String::from_utf8_lossy(&bytes))
    });
    assert_eq!(trees.len(), 1, "{}", format.id);
    let moves = |tree: &GameTree| -> Vec<(usize, String)> {
        tree.nodes().map(|node| (node.depth, node.mv.to_owned())).collect()
    };
    assert_eq!(moves(&trees[0]), moves(&whole.tree), "{}", format.id);
    // The game that was read is written as the same bytes.
    let (start, _) = resolve_start(game.start.game, Some(&game.start.variant), &trees[0])
        .unwrap_or_else(|error| panic!("{}: {error}", format.id));
    let mut tree = trees.into_iter().next().expect("one");
    let legal = play_through(&mut tree, &start, IllegalMovePolicy::Fail);
    legal.unwrap_or_else(|error| panic!("{}: {error}", format.id));
    let again = ConvertedGame { start, tree }.write(format).expect("it is written");
    assert_eq!(
        again.map(|it| String::from_utf8_lossy(&it).into_owned()).as_deref(),
        Ok(&*String::from_utf8_lossy(&bytes)),
        "{}",
        format.id
    );
}
