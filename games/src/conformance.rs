//! What every game must do, tested over each row of [`GAMES`]: nothing here
//! knows one game from another, but the list of their types.

use std::fs;

use serde_json::Value;

use crate::bridge::Bridge;
use crate::formats::{GameTree, Unit};
use crate::gomoku::Gomoku;
use crate::reversi::Reversi;
use crate::xiangqi::Xiangqi;
use crate::{Coded, DynGame, GAMES, GameInfo, Generate, Rules, Variant};

/// Larger counts in fixtures are for benches.
const MOST_GAMES: u64 = 15_000_000;

/// Texts that are a move in no game.
const NO_MOVES: [&str; 6] = ["", " ", "?", "zz99", "\u{0}", "a move that nobody plays"];

#[test]
fn ids_are_unique() {
    for info in GAMES {
        let found = crate::game(info.id).expect("the id finds its row");
        assert!(std::ptr::eq(found, *info), "{} is found once", info.id);
    }
}

#[test]
fn start_positions_round_trip() {
    for_every_variant(|info, variant| {
        let game = set_up(info, variant, None);
        let again = set_up(info, variant, Some(&game.position()));
        assert_eq!(again.position(), game.position(), "{}", variant.text());
        assert_eq!(again.hash(), game.hash(), "{}", variant.text());
        assert_eq!(again.variant(), game.variant(), "{}", variant.text());
        assert_eq!(again.outcome(), game.outcome(), "{}", variant.text());
    });
}

#[test]
fn variant_texts_round_trip() {
    for_every_variant(|info, variant| {
        assert_eq!(info.variant(&variant.text()).as_ref(), Ok(variant));
        let in_force = set_up(info, variant, None).variant();
        assert_eq!(info.variant(&in_force.text()), Ok(in_force.clone()));
        assert!(info.covers(variant.id, &in_force), "{} covers {}", variant.id, in_force.text());
    });
}

#[test]
fn senseless_positions_are_refused() {
    for_every_variant(|info, variant| {
        for text in ["", " ", "\u{0}", "/", "no position of any game at all", &"9".repeat(1 << 20)]
        {
            let shown = text.get(..40).unwrap_or(text);
            assert!((info.new)(variant, Some(text)).is_err(), "{}: `{shown}`", info.id);
        }
    });
}

#[test]
fn codes_tell_moves_apart() {
    check_codes::<Gomoku>();
    check_codes::<Reversi>();
    check_codes::<Xiangqi>();
    check_codes::<Bridge>();
}

/// A number is no move's, or that of the one move whose code it is.
fn check_codes<R: Rules>() {
    for code in (0..1 << 16).chain([u32::MAX, 1 << 31, 1 << 16]) {
        if let Some(mv) = R::Move::of_code(code) {
            assert_eq!(mv.code(), code, "{}: {mv:?}", R::INFO.id);
        }
    }
    assert!(R::Move::of_code(0).is_none(), "{}: 0 is no move", R::INFO.id);
    for info in R::INFO.variants {
        let variant = Variant { id: info.id, size: None, setting: None };
        let mut moves = Vec::new();
        R::start(&variant).generate(Generate::All, &mut moves);
        for mv in moves {
            assert_eq!(R::Move::of_code(mv.code()), Some(mv), "{}", R::INFO.id);
        }
    }
}

#[test]
fn random_games_play_and_take_back() {
    for_every_variant(|info, variant| {
        for seed in 0..3 {
            play_at_random(&mut *set_up(info, variant, None), Random(seed));
        }
    });
}

/// Plays to the end, or for as many plies as no game here should need, with
/// every promise of [`DynGame`] looked at on the way; then takes all back.
fn play_at_random(game: &mut dyn DynGame, mut random: Random) {
    let (start, hash, picture) = (game.position(), game.hash(), game.board());
    let mut played = Vec::new();
    let mut texts = Vec::new();
    while game.outcome().is_none() && played.len() < 1000 {
        let legal = legal_moves(game);
        assert!(!legal.is_empty(), "no move in {}", game.position());
        assert_eq!(game.perft(1), legal.len() as u64, "{}", game.position());
        check_refusals(game);
        texts.push(legal[random.below(legal.len())].clone());
        check_others(game, &legal, &texts);
        check_anew(game, &legal);
        check_plays(game, &legal[random.below(legal.len())]);
        played.push(legal[random.below(legal.len())].clone());
        game.play(played.last().expect("just pushed")).expect("a legal move plays");
    }
    if game.outcome().is_some() {
        check_over(game);
    }
    assert_eq!(game.moves(), played);
    assert_eq!(game.plies(), played.len());
    assert_eq!(game.take_back(usize::MAX), played.len());
    assert_eq!((game.position(), game.hash(), game.board()), (start, hash, picture));
}

/// A game that begins in this position differs only in what was before.
fn check_anew(game: &dyn DynGame, legal: &[String]) {
    let anew = game.anew();
    assert_eq!(legal_moves(anew.as_ref()), legal, "{}", game.position());
    assert_eq!((anew.to_move(), anew.hash(), anew.plies()), (game.to_move(), game.hash(), 0));
    assert!(anew.outcome().is_none(), "{}", anew.position());
}

/// Nothing can be played any more; moves are listed only where an adjudication ended it.
fn check_over(game: &mut dyn DynGame) {
    let legal = legal_moves(game);
    if game.info().adjudicates {
        assert_eq!(game.perft(1), legal.len() as u64, "{}", game.position());
        for mv in &legal {
            assert!(game.play(mv).is_err(), "{mv} in {}", game.position());
        }
    } else {
        assert!(legal.is_empty(), "moves after the end: {}", game.position());
        assert_eq!(game.perft(3), 1, "{}", game.position());
    }
    check_refusals(game);
}

/// A legal move plays, its text is canonical, the position after it can be
/// read back, and taking it back restores everything.
fn check_plays(game: &mut dyn DynGame, text: &str) {
    let (position, hash, plies) = (game.position(), game.hash(), game.plies());
    assert_eq!(game.canonical(text).as_deref(), Ok(text));
    assert_eq!(game.play(text).as_deref(), Ok(text), "in {position}");
    assert_ne!(game.hash(), hash, "{text} in {position}");
    assert_eq!(game.plies(), plies + 1);
    let mut last = String::new();
    game.write_last_move(&mut last);
    assert_eq!(last, text);
    let again = set_up(game.info(), &game.variant(), Some(&game.position()));
    assert_eq!(again.position(), game.position());
    assert_eq!(again.hash(), game.hash(), "{}", game.position());
    assert_eq!(again.outcome(), game.outcome(), "{}", game.position());
    assert_eq!(legal_moves(&*again), legal_moves(game), "{}", game.position());
    assert_eq!(game.take_back(1), 1);
    assert_eq!((game.position(), game.hash(), game.plies()), (position, hash, plies));
}

/// Moves of other positions: what is not legal here is refused, or it is a foul
/// and loses.
fn check_others(game: &mut dyn DynGame, legal: &[String], texts: &[String]) {
    let (position, mover) = (game.position(), game.side(game.to_move()));
    for text in texts.iter().rev().take(8).filter(|text| !legal.contains(text)) {
        if game.canonical(text).is_ok() {
            game.play(text).expect("what can be read can be played");
            let outcome = game.outcome().unwrap_or_else(|| panic!("{text} goes on in {position}"));
            assert_eq!(outcome.winner, Some(mover.other()), "{text} in {position}");
            let again = set_up(game.info(), &game.variant(), Some(&game.position()));
            assert_eq!(again.outcome(), game.outcome(), "{}", game.position());
            assert_eq!(game.take_back(1), 1);
        }
        assert_eq!(game.position(), position);
    }
}

fn check_refusals(game: &mut dyn DynGame) {
    let (position, hash, plies) = (game.position(), game.hash(), game.plies());
    for text in NO_MOVES {
        let refusal = game.play(text).expect_err("no move of any game");
        assert_eq!(refusal.text, text);
        assert!(!refusal.reason.is_empty() && !refusal.reason.ends_with('.'), "{refusal}");
        assert_eq!(game.canonical(text), Err(refusal));
    }
    assert_eq!((game.position(), game.hash(), game.plies()), (position, hash, plies));
}

#[test]
fn formats_are_named_once_each() {
    for info in GAMES {
        let ids: Vec<&str> = info.formats.iter().map(|format| format.id).collect();
        let extensions = info.formats.iter().flat_map(|format| format.extensions);
        check_names(info.id, ids);
        check_names(info.id, extensions.copied().collect());
        for format in info.formats {
            assert!(!format.extensions.is_empty(), "{}", format.id);
            assert!(format.read.is_some() || format.write.is_some(), "{} has a use", format.id);
        }
    }
}

fn check_names(game: &str, mut names: Vec<&str>) {
    for name in &names {
        let plain = name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
        // The last two are a host's own, for every game.
        assert!(plain && !["", "record", "json"].contains(name), "{game}: `{name}`");
    }
    let count = names.len();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), count, "{game}: {names:?}");
}

#[test]
fn formats_read_what_they_write() {
    for_every_variant(|info, variant| {
        let mut game = set_up(info, variant, None);
        play_some(&mut *game, Random(7));
        let variant = game.variant();
        let mut tree = GameTree::new(Unit::Lines);
        for mv in game.moves() {
            tree.add(tree.depth() + 1, &mv, 1).expect("a line of moves");
        }
        for format in info.formats {
            let (Some(read), Some(write)) = (format.read, format.write) else { continue };
            // A format may hold no game like this one; it says so.
            let Ok(bytes) = write(&tree, &variant) else { continue };
            let games =
                read(&bytes, Some(&variant)).unwrap_or_else(|e| panic!("{}: {e}", format.id));
            assert_eq!(games.len(), 1, "{}", format.id);
            let mut again = set_up(info, &variant, games[0].start.as_deref());
            for node in games[0].main_line() {
                let played = again.play(node.mv);
                played.unwrap_or_else(|error| panic!("{} of {}: {error}", format.id, info.id));
            }
            assert_eq!(again.moves(), game.moves(), "{} of {}", format.id, info.id);
        }
    });
}

fn play_some(game: &mut dyn DynGame, mut random: Random) {
    while game.outcome().is_none() && game.plies() < 40 {
        let legal = legal_moves(game);
        game.play(&legal[random.below(legal.len())]).expect("a legal move plays");
    }
}

#[test]
fn perft_fixtures_match() {
    for info in GAMES {
        let records = perft_records(info);
        assert!(!records.is_empty(), "{} has perft records", info.id);
        for record in &records {
            check_perft(info, record);
        }
    }
}

/// A record is `{variant, position?, perft: {depth: games}, comment?, source}`.
fn check_perft(info: &GameInfo, record: &Value) {
    assert!(record["source"].is_string(), "no source: {record}");
    let variant = record["variant"].as_str().unwrap_or_else(|| panic!("no variant: {record}"));
    let variant = info.variant(variant).unwrap_or_else(|error| panic!("{error}"));
    let game = set_up(info, &variant, record["position"].as_str());
    let mut compared = 0;
    for (depth, games) in record["perft"].as_object().expect("an object of counts") {
        let (depth, games) = (depth.parse().expect("a depth"), games.as_u64().expect("a count"));
        if games <= MOST_GAMES {
            assert_eq!(game.perft(depth), games, "{} depth {depth}: {record}", info.id);
            compared += 1;
        }
    }
    assert!(compared > 0, "no count is small enough: {record}");
}

fn perft_records(info: &GameInfo) -> Vec<Value> {
    let fixtures = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/fixtures");
    let path = format!("{fixtures}/{}/perft.json", info.id);
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let fixture: Value = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{path}: {e}"));
    fixture["records"].as_array().cloned().unwrap_or_default()
}

/// Every variant as it comes, and in its smallest and largest size.
fn for_every_variant(mut check: impl FnMut(&GameInfo, &Variant)) {
    for info in GAMES {
        for variant in info.variants {
            let (min, max) = variant.sizes.map(|sizes| (sizes.first, sizes.last)).unzip();
            let mut sizes = vec![None, min, max];
            sizes.dedup();
            for size in sizes {
                check(info, &Variant { id: variant.id, size, setting: None });
            }
        }
    }
}

fn set_up(info: &GameInfo, variant: &Variant, position: Option<&str>) -> Box<dyn DynGame> {
    (info.new)(variant, position).unwrap_or_else(|error| panic!("{error}"))
}

fn legal_moves(game: &dyn DynGame) -> Vec<String> {
    let mut line = String::new();
    game.write_legal(&mut line);
    line.split_ascii_whitespace().map(str::to_owned).collect()
}

/// splitmix64, so that a failing game comes back the same.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ z >> 31) % bound as u64) as usize
    }
}
