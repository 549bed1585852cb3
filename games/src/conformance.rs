//! Conformance tests that run for every row of [`GAMES`]. They contain nothing specific to one game
//! except the list of types.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::fs;

use serde_json::Value;

use crate::bridge::Bridge;
use crate::formats::{GameTree, LocationUnit};
use crate::general::Observer;
use crate::gomoku::Gomoku;
use crate::reversi::Reversi;
use crate::splitmix::SplitMix64;
use crate::xiangqi::Xiangqi;
use crate::{
    DynGame, GAMES, GameInfo, Games, MoveCode, MoveSet, PlayoutPlan, Rules, Seat, Side, Variant,
    playouts_by_text,
};

/// Larger counts of the fixtures are left to benchmarks.
const MAX_COUNT: u64 = 15_000_000;

/// Texts that are not a move in any game.
const INVALID_MOVES: [&str; 6] = ["", " ", "?", "zz99", "\u{0}", "a move of no game"];

#[test]
fn ids_are_unique() {
    for info in GAMES {
        let found = Games::default().find(info.id).expect("the id has a row");
        assert!(std::ptr::eq(found, *info), "{} has one row", info.id);
    }
}

#[test]
fn the_seats_of_variants_are_valid() {
    for_every_variant(|info, variant| {
        let seats = info.seats_of(variant);
        assert!((1..=info.seats).contains(&seats), "{} {}", info.id, variant.text());
        assert!(GameInfo::has_equal_sides(seats.into(), info.sides.len()), "{}", info.id);
        assert_eq!(set_up(info, variant, None).seats(), seats);
    });
}

#[test]
fn start_positions_round_trip() {
    for_every_variant(|info, variant| {
        let game = set_up(info, variant, None);
        let again = set_up(info, variant, Some(&game.position()));
        assert_eq!(again.position(), game.position(), "{}", variant.text());
        assert_eq!(again.hash(), game.hash(), "{}", variant.text());
        assert_eq!(again.variant(), game.variant(), "{}", variant.text());
        assert_eq!(again.ending(), game.ending(), "{}", variant.text());
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
fn invalid_positions_are_refused() {
    for_every_variant(|info, variant| {
        for text in ["", " ", "\u{0}", "/", "no position of any game at all", &"9".repeat(1 << 20)]
        {
            let excerpt = text.get(..40).unwrap_or(text);
            assert!((info.new)(variant, Some(text)).is_err(), "{}: `{excerpt}`", info.id);
        }
    });
}

#[test]
fn move_codes_are_unique() {
    check_codes::<Gomoku>();
    check_codes::<Reversi>();
    check_codes::<Xiangqi>();
    check_codes::<Bridge>();
}

/// Every code is the code of at most one move, and converts back.
fn check_codes<R: Rules>() {
    for code in (0..1 << 16).chain([u32::MAX, 1 << 31, 1 << 16]) {
        if let Some(mv) = R::Move::from_code(code) {
            assert_eq!(mv.code(), code, "{}: {mv:?}", R::INFO.id);
        }
    }
    assert!(R::Move::from_code(0).is_none(), "{}: 0 is not a code", R::INFO.id);
    for info in R::INFO.variants {
        let variant = Variant { id: info.id, size: None, setting: None };
        let mut moves = Vec::new();
        R::start(&variant).generate(MoveSet::All, &mut moves);
        for mv in moves {
            assert_eq!(R::Move::from_code(mv.code()), Some(mv), "{}", R::INFO.id);
        }
    }
}

#[test]
fn random_games_can_be_played_and_undone() {
    for_every_variant(|info, variant| {
        for seed in 0..3 {
            play_at_random(&mut *set_up(info, variant, None), SplitMix64::new(seed));
        }
    });
}

#[test]
fn playouts_are_the_games_that_texts_give() {
    for_every_variant(|info, variant| {
        let check = |game: &dyn DynGame, plies_max: u32| {
            let plan = PlayoutPlan { seed: 11, games: 2, plies_max };
            let results = game.playouts(&plan);
            assert_eq!(results, playouts_by_text(game, &plan), "{}", variant.text());
            assert_eq!(results.games(), 2);
        };
        let mut game = set_up(info, variant, None);
        check(&*game, 300);
        check(&*game, 0);
        play_some(&mut *game, SplitMix64::new(5));
        check(&*game, 40);
    });
}

/// Plays to the end (at most 1000 plies), checks every guarantee of [`DynGame`] on the way, then
/// takes back all moves.
fn play_at_random(game: &mut dyn DynGame, mut random: SplitMix64) {
    let (start, hash, picture) = (game.position(), game.hash(), game.diagram(Observer::Spectator));
    let mut played = Vec::new();
    let mut texts = Vec::new();
    while !game.is_over() && played.len() < 1000 {
        let legal = legal_moves(game);
        assert!(!legal.is_empty(), "no move in {}", game.position());
        assert_eq!(game.perft(1), legal.len() as u64, "{}", game.position());
        check_refusals(game);
        texts.push(legal[random.below(legal.len())].clone());
        check_others(game, &legal, &texts);
        check_without_history(game, &legal);
        check_plays(game, &legal[random.below(legal.len())]);
        played.push(legal[random.below(legal.len())].clone());
        game.play(played.last().expect("just pushed")).expect("a legal move plays");
    }
    if game.is_over() {
        check_over(game);
    }
    assert_eq!(game.moves(), played);
    assert_eq!(game.plies(), played.len());
    assert_eq!(game.take_back(usize::MAX), played.len());
    assert_eq!(
        (game.position(), game.hash(), game.diagram(Observer::Spectator)),
        (start, hash, picture)
    );
}

/// A game that restarts in this position differs only in its history.
fn check_without_history(game: &dyn DynGame, legal: &[String]) {
    let restarted = game.without_history();
    assert_eq!(legal_moves(restarted.as_ref()), legal, "{}", game.position());
    assert_eq!(
        (restarted.to_move(), restarted.hash(), restarted.plies()),
        (game.to_move(), game.hash(), 0)
    );
    assert!(!restarted.is_over(), "{}", restarted.position());
}

/// No move can be played; moves are listed only if an adjudication ended the game.
fn check_over(game: &mut dyn DynGame) {
    check_ending(game);
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

/// Every seat has a score, the same for seats of one side. The side with more has won.
fn check_ending(game: &dyn DynGame) {
    let ending = game.ending().expect("over");
    let of_side = |side: u8| {
        let seats = (0..game.seats()).filter(|seat| game.side(Seat(*seat)) == Side(side));
        let scores: BTreeSet<i32> = seats.map(|seat| ending.scores[usize::from(seat)]).collect();
        assert_eq!(scores.len(), 1, "{ending:?}");
        scores.into_iter().next()
    };
    let winner = match of_side(0).cmp(&of_side(1)) {
        Ordering::Greater => Some(Side(0)),
        Ordering::Equal => None,
        Ordering::Less => Some(Side(1)),
    };
    assert_eq!(ending.scores.len(), usize::from(game.seats()));
    assert_eq!(winner, game.winner(), "{ending:?} in {}", game.position());
    assert_eq!(winner, ending.winner(|seat| game.side(seat)), "{ending:?}");
    assert!(game.is_over());
}

/// Plays a legal move: its text is canonical, the new position text reads back, and undo restores
/// everything.
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
    assert_eq!(again.ending(), game.ending(), "{}", game.position());
    assert_eq!(legal_moves(&*again), legal_moves(game), "{}", game.position());
    assert_eq!(game.take_back(1), 1);
    assert_eq!((game.position(), game.hash(), game.plies()), (position, hash, plies));
}

/// Plays moves of other positions: an illegal move is refused, or it is a foul and loses.
fn check_others(game: &mut dyn DynGame, legal: &[String], texts: &[String]) {
    let (position, mover) = (game.position(), game.side(game.to_move()));
    for text in texts.iter().rev().take(8).filter(|text| !legal.contains(text)) {
        if game.canonical(text).is_ok() {
            game.play(text).expect("a parsed move can be played");
            assert!(game.is_over(), "{text} does not end the game in {position}");
            assert_eq!(game.winner(), Some(mover.other()), "{text} in {position}");
            check_ending(game);
            let again = set_up(game.info(), &game.variant(), Some(&game.position()));
            assert_eq!(again.ending(), game.ending(), "{}", game.position());
            assert_eq!(game.take_back(1), 1);
        }
        assert_eq!(game.position(), position);
    }
}

fn check_refusals(game: &mut dyn DynGame) {
    let (position, hash, plies) = (game.position(), game.hash(), game.plies());
    for text in INVALID_MOVES {
        let refusal = game.play(text).expect_err("no move of any game");
        assert_eq!(refusal.text, text);
        assert!(!refusal.reason.is_empty() && !refusal.reason.ends_with('.'), "{refusal}");
        assert_eq!(game.canonical(text), Err(refusal));
    }
    assert_eq!((game.position(), game.hash(), game.plies()), (position, hash, plies));
}

#[test]
fn format_ids_and_extensions_are_unique() {
    for info in GAMES {
        let ids: Vec<&str> = info.formats.iter().map(|format| format.id).collect();
        let extensions = info.formats.iter().flat_map(|format| format.extensions);
        check_names(info.id, ids);
        check_names(info.id, extensions.copied().collect());
        for format in info.formats {
            assert!(!format.extensions.is_empty(), "{}", format.id);
            assert!(
                format.read.is_some() || format.write.is_some(),
                "{} can be read or written",
                format.id
            );
        }
    }
}

fn check_names(game: &str, mut names: Vec<&str>) {
    for name in &names {
        let plain = name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
        // The last two are reserved by the host for all games.
        assert!(plain && !["", "record", "json"].contains(name), "{game}: `{name}`");
    }
    let count = names.len();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), count, "{game}: {names:?}");
}

#[test]
fn formats_round_trip() {
    for_every_variant(|info, variant| {
        let mut game = set_up(info, variant, None);
        play_some(&mut *game, SplitMix64::new(7));
        let variant = game.variant();
        let mut tree = GameTree::new(LocationUnit::Lines);
        for mv in game.moves() {
            tree.add(tree.depth() + 1, &mv, 1).expect("a line of moves");
        }
        for format in info.formats {
            let (Some(read), Some(write)) = (format.read, format.write) else { continue };
            // A format may be unable to store this game; then writing is an error.
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

fn play_some(game: &mut dyn DynGame, mut random: SplitMix64) {
    while !game.is_over() && game.plies() < 40 {
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

/// A record is `{variant, position?, perft: {depth: count}, comment?, source}`.
fn check_perft(info: &GameInfo, record: &Value) {
    assert!(record["source"].is_string(), "no source: {record}");
    let variant = record["variant"].as_str().unwrap_or_else(|| panic!("no variant: {record}"));
    let variant = info.variant(variant).unwrap_or_else(|error| panic!("{error}"));
    let game = set_up(info, &variant, record["position"].as_str());
    let mut compared = 0;
    for (depth, games) in record["perft"].as_object().expect("an object of counts") {
        let (depth, games) = (depth.parse().expect("a depth"), games.as_u64().expect("a count"));
        if games <= MAX_COUNT {
            assert_eq!(game.perft(depth), games, "{} depth {depth}: {record}", info.id);
            compared += 1;
        }
    }
    assert!(compared > 0, "no count is at most {MAX_COUNT}: {record}");
}

fn perft_records(info: &GameInfo) -> Vec<Value> {
    let fixtures = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/fixtures");
    let path = format!("{fixtures}/{}/perft.json", info.id);
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let fixture: Value = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{path}: {e}"));
    fixture["records"].as_array().cloned().unwrap_or_default()
}

/// Calls `check` for every variant in its default, smallest and largest size.
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
