//! Tests of random games with the rules of reversi; those of every other game are in
//! `conformance`.

use super::*;
use crate::general::TwoSided;
use crate::reversi::Reversi;
use crate::{GameInfo, Rules};

fn start() -> TwoSided<Reversi> {
    TwoSided(Reversi::start(&Reversi::INFO.variant("standard-4").unwrap()))
}

fn plan(seed: u64, games: u32, plies_max: u32) -> PlayoutPlan {
    PlayoutPlan { seed, games, plies_max }
}

#[test]
fn each_game_has_its_seed() {
    let all = playouts(&start(), &plan(u64::MAX - 1, 5, 100));
    let check = |first: u32, games: u32| {
        let part = PlayoutPlan { games, ..plan(u64::MAX - 1, 5, 100).after(first) };
        let part = playouts(&start(), &part);
        let range = first as usize..(first + games) as usize;
        assert_eq!(part.plies, all.plies[range.clone()]);
        assert_eq!(part.scores, all.scores[2 * range.start..2 * range.end]);
        assert!(part.unfinished.is_empty());
    };
    check(0, 1);
    check(2, 2);
    check(4, 1);
    assert_eq!(plan(7, 5, 100).after(9).games, 0);
}

#[test]
fn results_are_appended() {
    let whole = plan(3, 9, 12);
    let mut parts = Playouts::default();
    let mut left = whole;
    for games in [1, 3, 5] {
        parts.append(playouts(&start(), &PlayoutPlan { games, ..left }));
        left = left.after(games);
    }
    assert_eq!(left.games, 0);
    let all = playouts(&start(), &whole);
    assert!(!all.unfinished.is_empty() && all.unfinished.len() < 9, "{:?}", all.unfinished);
    assert_eq!(parts, all);
}

#[test]
fn a_game_ends_at_its_last_ply() {
    // The last of two moves, and a position after the end.
    let check = |position: &str, plies_max: u32, plies: u32, unfinished: &[u32]| {
        let variant = Reversi::INFO.variant("standard-4").unwrap();
        let position = Reversi::parse_position(&variant, position).unwrap();
        let results = playouts(&TwoSided(position), &plan(1, 1, plies_max));
        assert_eq!((&*results.plies, &*results.unfinished), (&[plies][..], unfinished));
        assert_eq!(results.scores == [0, 0], !unfinished.is_empty(), "{:?}", results.scores);
        assert_eq!(results.decisions, u64::from(plies));
    };
    check("XXXXXXXXXXXXXXXX X", 0, 0, &[]);
    check("XXXXXXXXXXXXXXO- X", 1, 1, &[]);
    check("XXXXXXXXXXXXXXO- X", 0, 0, &[0]);
}

#[test]
fn decisions_count_their_choices() {
    // Four moves lead out of the start position, and three of each position after it.
    let results = playouts(&start(), &plan(1, 10, 2));
    assert_eq!((results.decisions, results.choices), (20, 10 * (4 + 3)));
}

#[test]
fn moves_by_number_and_from_a_list_give_the_same_games() {
    let check = |info: &GameInfo, variant: &str| {
        let game = (info.new)(&info.variant(variant).unwrap(), None).unwrap();
        let all = plan(2, 20, 60);
        assert_eq!(game.playouts(&all), playouts_by_text(&*game, &all));
    };
    check(&crate::gomoku::INFO, "freestyle-15");
    check(&crate::gomoku::INFO, "renju-15");
    check(&crate::xiangqi::INFO, "");
}
