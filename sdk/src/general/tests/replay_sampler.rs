//! Tests of the sampler against an enumeration of all games.

use std::collections::BTreeMap;

use sandboard_games::Seat;
use sandboard_games::general::{Actor, GeneralRules, Observer, step};

use super::knowledge;
use super::urn::{INFO, Urn};
use crate::general::{Determinize, Knowledge, ReplaySampler};
use crate::random::Random;

fn text(position: &Urn) -> String {
    let mut text = String::new();
    position.write_position(&mut text);
    text
}

/// Adds the worlds below a position with their weights: the probability of chance, and of moves as
/// if all were equally likely.
fn add_worlds(
    position: &Urn,
    known: &Knowledge<Urn>,
    seen: &[String],
    weight: f64,
    worlds: &mut BTreeMap<String, f64>,
) {
    if !known.seen.starts_with(seen) {
        return;
    }
    if seen == known.seen && known.seat_to_move(position).is_some() && known.fits(position) {
        *worlds.entry(text(position)).or_default() += weight;
    }
    // All ways to play the step.
    let mut ways = vec![(Vec::new(), weight)];
    for (actor, moves) in step(position) {
        let all: u32 = moves.iter().map(|(_, weight)| *weight).sum();
        let before = std::mem::take(&mut ways);
        for (way, weight) in before {
            for (mv, part) in &moves {
                let longer: Vec<(Actor, u8)> = way.iter().copied().chain([(actor, *mv)]).collect();
                ways.push((longer, weight * f64::from(*part) / f64::from(all)));
            }
        }
    }
    for (way, weight) in ways.into_iter().filter(|(way, _)| !way.is_empty()) {
        let (mut after, mut seen) = (position.clone(), seen.to_vec());
        for (actor, mv) in &way {
            let mut text = String::new();
            position.write_seen(known.observer(), *actor, mv, &mut text);
            seen.extend(Some(text).filter(|text| !text.is_empty()));
            after.play(*actor, mv);
        }
        add_worlds(&after, known, &seen, weight, worlds);
    }
}

/// What a seat knows after these draws and choices, the choices in one step.
fn known_after(draws: [u8; 3], choices: &str, seat: u8, seen: &[&str]) -> Knowledge<Urn> {
    let start = Urn::start(&INFO.default_variant());
    let mut position = start.clone();
    draws.iter().for_each(|ball| position.play(Actor::Chance, ball));
    for (own, choice) in (0..).zip(choices.bytes()) {
        position.play(Actor::Seat(Seat(own)), &choice);
    }
    knowledge(&start, &position, seat, seen)
}

#[test]
fn worlds_are_as_frequent_as_they_are_likely() {
    let check = |draws: [u8; 3], choices: &str, seat: u8, seen: &[&str], worlds: usize| {
        let known = known_after(draws, choices, seat, seen);
        let mut exact = BTreeMap::new();
        add_worlds(&Urn::default(), &known, &[], 1.0, &mut exact);
        assert_eq!(exact.len(), worlds, "{seen:?}");
        let sum: f64 = exact.values().sum();
        let mut counts: BTreeMap<String, f64> = BTreeMap::new();
        let mut sampler = ReplaySampler::default();
        let mut random = Random::seeded(1);
        let samples = 20_000;
        for _ in 0..samples {
            let world = sampler.sample(&known, &mut random).expect("a world");
            *counts.entry(text(&world)).or_default() += 1.0;
        }
        assert!(counts.keys().all(|world| exact.contains_key(world)), "{counts:?}");
        let deviation = |(world, weight): (&String, &f64)| {
            let expected = weight / sum * f64::from(samples);
            let count = counts.get(world).copied().unwrap_or_default();
            (count - expected).powi(2) / expected
        };
        let chi_square: f64 = exact.iter().map(deviation).sum();
        // The expected value is one less than the number of worlds, for independent samples. Those
        // of the sampler are not quite independent.
        assert!(chi_square < 4.0 * worlds as f64, "{seen:?}: {chi_square}");
    };
    // Before the step. Seat 0 does not notice the draw of seat 2, seat 2 not that of seat 0.
    check([2, 0, 4], "", 0, &["2"], 12);
    check([2, 0, 4], "", 1, &["?", "0"], 12);
    check([2, 0, 4], "", 2, &["?", "4"], 12);
    check([0, 1, 2], "", 2, &["?", "2"], 12);
    // After it. The number of `a`, which only the view has, excludes some choices.
    check([2, 0, 4], "aab", 0, &["2", "a", "?", "?"], 24);
    check([2, 0, 4], "abb", 0, &["2", "a", "?", "?"], 12);
    check([2, 0, 4], "baa", 0, &["2", "b", "?", "?"], 12);
}

#[test]
fn without_a_fitting_world_it_gives_up() {
    let check = |seen: &[&str], choices: &str, expected: bool| {
        let known = known_after([2, 0, 4], choices, 0, seen);
        let found = ReplaySampler::with_tries(50).sample(&known, &mut Random::seeded(1));
        assert_eq!(found.is_some(), expected, "{seen:?}");
        // A sampler that has seen another game before finds the same.
        let mut used = ReplaySampler::with_tries(50);
        used.sample(&known_after([1, 0, 4], "", 0, &["1"]), &mut Random::seeded(1));
        let found = used.sample(&known, &mut Random::seeded(1));
        assert_eq!(found.is_some(), expected, "{seen:?}");
    };
    check(&["2"], "", true);
    // Another ball than in the view; a text of no move; a move too many.
    check(&["3"], "", false);
    check(&["x"], "", false);
    check(&["2", "a"], "", false);
    check(&["2", "a", "?", "?"], "aab", true);
    check(&["2", "a", "?", "?", "end"], "aab", false);
    // No start position.
    let known = Knowledge { start: None, ..known_after([2, 0, 4], "", 0, &["2"]) };
    assert_eq!(ReplaySampler::default().sample(&known, &mut Random::seeded(1)), None);
}

#[test]
fn views_are_those_of_the_observer() {
    let known = known_after([2, 0, 4], "", 1, &["?", "0"]);
    assert_eq!(known.observer(), Observer::Seat(Seat(1)));
    let mut random = Random::seeded(3);
    let world = ReplaySampler::default().sample(&known, &mut random).unwrap();
    assert_eq!(known.seat_to_move(&world), Some(Seat(1)));
    assert!(known.fits(&world));
    let other = known_after([2, 1, 4], "", 1, &["?", "1"]);
    assert!(!other.fits(&world));
}
