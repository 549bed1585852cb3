//! Any bytes as a file of every format of every game: a refusal can be shown; what is
//! read and legal is written, and reads alike.

use sandboard_games::formats::{Format, GameTree};
use sandboard_games::{GAMES, GameInfo, Variant};
use sandboard_host::convert::{Game, Illegal, play_through, read_decoded, start_of, to_record};
use sandboard_host::record::Record;

/// So many games of a file are looked at; more of them only take time.
const LOOKED_AT: usize = 4;

/// Reads the bytes as each format, for the usual variant.
pub fn formats(bytes: &[u8]) {
    for info in GAMES {
        for format in info.formats {
            read(info, format, bytes);
        }
    }
}

fn read(info: &'static GameInfo, format: &Format, bytes: &[u8]) {
    let Some(read) = format.read else { return };
    let asked = Variant { id: info.variants[0].id, size: None, setting: None };
    let trees = match read_decoded(read, format.encoding, bytes, Some(&asked)) {
        Ok(trees) => trees,
        Err(error) => return super::can_be_shown(&error.to_string()),
    };
    for mut tree in trees.into_iter().take(LOOKED_AT) {
        check_tree(&tree);
        let start = match start_of(info, Some(&asked), &tree) {
            Ok((start, _)) => start,
            Err(error) => {
                super::can_be_shown(&error.to_string());
                continue;
            }
        };
        if let Err(error) = play_through(&mut tree.clone(), &start, Illegal::Refused) {
            super::can_be_shown(&error.to_string());
        }
        let found = play_through(&mut tree, &start, Illegal::LeftOut);
        found.unwrap_or_else(|error| panic!("{error}"));
        let game = Game { start, tree };
        check_record(&game);
        for format in info.formats {
            check_written(&game, format);
        }
    }
}

/// Whatever a tree is asked has an answer, and the answers agree.
fn check_tree(tree: &GameTree) {
    let lines = tree.lines();
    assert_eq!(lines == 0, tree.is_empty());
    assert_eq!(tree.only_line(lines), None);
    for line in [0, lines / 2, lines.saturating_sub(1)] {
        let only = tree.only_line(line);
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

fn check_record(game: &Game) {
    let (record, _) = to_record(game, "2026-07-01T12:00:00Z").expect("its moves are legal");
    let again = Record::parse(&record.to_json(), sandboard_games::game);
    assert_eq!(again.as_ref(), Ok(&record));
    assert_eq!(record.plies.len(), game.tree.main_line().count());
}

/// What is written is read, and is the same game in what the format holds.
fn check_written(game: &Game, format: &Format) {
    let mut whole = match format.holds.variations {
        true => game.clone(),
        false => game.only_line(0).expect("the main line"),
    };
    if !format.holds.results {
        // What the rules say of the end is known again.
        whole.tree.result = None;
        let again = play_through(&mut whole.tree, &whole.start, Illegal::Refused);
        again.unwrap_or_else(|error| panic!("{error}"));
    }
    let bytes = match whole.write(format) {
        None => return,
        Some(Ok(bytes)) => bytes,
        Some(Err(error)) => return super::can_be_shown(&error.to_string()),
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
    // What is read once more is written alike.
    let (start, _) = start_of(game.start.game, Some(&game.start.variant), &trees[0])
        .unwrap_or_else(|error| panic!("{}: {error}", format.id));
    let mut tree = trees.into_iter().next().expect("one");
    let legal = play_through(&mut tree, &start, Illegal::Refused);
    legal.unwrap_or_else(|error| panic!("{}: {error}", format.id));
    let again = Game { start, tree }.write(format).expect("it is written");
    assert_eq!(
        again.map(|it| String::from_utf8_lossy(&it).into_owned()).as_deref(),
        Ok(&*String::from_utf8_lossy(&bytes)),
        "{}",
        format.id
    );
}
