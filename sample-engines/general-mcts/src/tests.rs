//! Tests of the engine, and of the SDK's searches with the sample games.

use std::collections::BTreeMap;

use connect_four::ConnectFour;
use goofspiel::Goofspiel;
use kuhn_poker::KuhnPoker;
use sandboard_sdk::games::general::{Actor, GeneralRules, Observer, TwoSided};
use sandboard_sdk::games::{Rules, Seat};
use sandboard_sdk::{
    Determinize, GeneralTask, IsMcts, Knowledge, MaxN, Random, ReplaySampler, SeatEvaluator,
};

use super::*;

/// What a seat knows of a position, if it has seen these texts, separated by blanks.
fn knowledge<G: GeneralRules>(variant: &str, text: &str, seat: u8, seen: &str) -> Knowledge<G> {
    let variant = G::INFO.variant(variant).unwrap();
    let position = G::parse_position(&variant, text).unwrap();
    let mut view = String::new();
    position.write_view(Observer::Seat(Seat(seat)), &mut view);
    Knowledge {
        start: Some(G::start(&variant)),
        variant,
        start_view: String::new(),
        seats: vec![Seat(seat)],
        seen: seen.split_ascii_whitespace().map(str::to_owned).collect(),
        view,
    }
}

/// The number of times that each world was sampled.
fn sample<G: GeneralRules>(knowledge: &Knowledge<G>, samples: usize) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    let (mut sampler, mut random) = (ReplaySampler::default(), Random::seeded(1));
    for _ in 0..samples {
        let mut text = String::new();
        sampler.sample(knowledge, &mut random).unwrap().write_position(&mut text);
        *counts.entry(text).or_default() += 1;
    }
    counts
}

/// The move of a search by this number of iterations.
fn search<G: GeneralRules>(knowledge: &Knowledge<G>, iterations: u64, seed: u64) -> String {
    let mut worlds = ReplaySampler::default();
    let mut random = Random::seeded(seed);
    let world = worlds.sample(knowledge, &mut random).unwrap();
    let seat = knowledge.seat_to_move(&world).unwrap();
    let limits = Limits { nodes: Some(iterations), ..Limits::default() };
    let host = Host::null();
    let task =
        GeneralTask { seat, knowledge, world: &world, limits: &limits, barred: &[], host: &host };
    IsMcts::default().run(task, &mut worlds, &mut random).line.moves
}

#[test]
fn worlds_of_kuhn_poker_have_the_cards_that_fit() {
    let check = |text: &str, seat: u8, seen: &str, expected: [&str; 2]| {
        let counts = sample::<KuhnPoker>(&knowledge("", text, seat, seen), 10_000);
        assert_eq!(counts.keys().collect::<Vec<_>>(), expected);
        // The standard error is 50.
        assert!(counts.values().all(|count| (4_800..5_200).contains(count)), "{counts:?}");
    };
    check("QK:", 0, "Q ?", ["QJ:", "QK:"]);
    check("QK:p", 1, "? K pass", ["JK:p", "QK:p"]);
    check("JQ:pb", 0, "J ? pass bet", ["JK:pb", "JQ:pb"]);
    check("KJ:b", 1, "? J bet", ["KJ:b", "QJ:b"]);
}

#[test]
fn dominated_moves_of_kuhn_poker_are_not_played() {
    let check = |text: &str, seat: u8, seen: &str, expected: &str| {
        let knowledge = knowledge::<KuhnPoker>("", text, seat, seen);
        for seed in 0..10 {
            assert_eq!(search(&knowledge, 2_000, seed), expected, "{text}, seed {seed}");
        }
    };
    // A bet is answered with the king, and not with the jack.
    check("QK:b", 1, "? K bet", "bet");
    check("QJ:b", 1, "? J bet", "pass");
    check("KQ:pb", 0, "K ? pass bet", "bet");
    check("JQ:pb", 0, "J ? pass bet", "pass");
    // The king bets after a pass: it can only win more.
    check("QK:p", 1, "? K pass", "bet");
}

#[test]
fn worlds_of_goofspiel_are_positions_before_the_step() {
    let check = |text: &str, seen: &str| {
        for seat in 0..2 {
            let counts = sample::<Goofspiel>(&knowledge("standard-4", text, seat, seen), 5);
            assert_eq!(counts, BTreeMap::from([(text.to_owned(), 5)]));
        }
    };
    check("4:3::", "3");
    check("4:3,1:2:1", "3 2 1 1");
    check("4:3,1,4:2,1:1,4", "3 2 1 1 1 4 4");
}

#[test]
fn the_last_bids_of_goofspiel_are_sensible() {
    // Both have 1 and 4 left, and the prizes 4 and 1: the 4 is bid for the 4.
    let knowledge = knowledge::<Goofspiel>("standard-4", "4:2,3,4:3,2:2,3", 0, "2 3 2 3 2 3 4");
    for seed in 0..10 {
        assert_eq!(search(&knowledge, 2_000, seed), "4", "seed {seed}");
    }
}

/// A position of connect four after these moves.
fn connect_four(moves: &str) -> TwoSided<ConnectFour> {
    let mut position = ConnectFour::start(&ConnectFour::INFO.default_variant());
    for text in moves.split_ascii_whitespace() {
        position.play(text).unwrap();
    }
    TwoSided(position)
}

/// What the seat to move knows of such a position.
fn knowledge_of(moves: &str) -> Knowledge<TwoSided<ConnectFour>> {
    let position = connect_four(moves);
    let mut text = String::new();
    position.write_position(&mut text);
    knowledge("", &text, position.0.to_move().0, moves)
}

#[test]
fn connect_four_is_won_and_blocked_in_one() {
    let check = |moves: &str, expected: &str| {
        for seed in 0..5 {
            let found = search(&knowledge_of(moves), 3_000, seed);
            assert_eq!(found, expected, "{moves}, seed {seed}");
        }
    };
    check("a b a b a b", "a");
    check("b c b c b c d", "c");
    check("a b a b a", "a");
    check("c b d g e", "f");
}

/// Values positions by the columns of the discs in their texts.
struct Discs;

fn disc_score(position: &TwoSided<ConnectFour>) -> f64 {
    let mut text = String::new();
    position.write_position(&mut text);
    let columns = text.split('/').enumerate();
    let score = |(column, discs): (usize, &str)| {
        let value = 4.0 - (column as f64 - 3.0).abs();
        value * discs.chars().map(|disc| if disc == 'x' { 0.01 } else { -0.01 }).sum::<f64>()
    };
    columns.map(score).sum()
}

impl SeatEvaluator<TwoSided<ConnectFour>> for Discs {
    fn scores(&mut self, position: &mut TwoSided<ConnectFour>, _: &mut Random) -> Vec<f64> {
        let score = disc_score(position);
        vec![score, -score]
    }
}

/// The value of a position for the side to move.
fn negamax(position: &TwoSided<ConnectFour>, depth: u32) -> f64 {
    let seat = position.0.to_move();
    if let Some(ending) = position.ending() {
        return f64::from(ending.scores[usize::from(seat.0)]);
    }
    if depth == 0 {
        return disc_score(position) * if seat.0 == 0 { 1.0 } else { -1.0 };
    }
    let mut moves = Vec::new();
    position.generate(seat, &mut moves);
    let value = |mv| {
        let mut after = position.clone();
        after.play(Actor::Seat(seat), mv);
        -negamax(&after, depth - 1)
    };
    moves.iter().map(value).fold(f64::NEG_INFINITY, f64::max)
}

#[test]
fn max_n_has_the_values_of_negamax_in_connect_four() {
    let check = |moves: &str, depth: u32| {
        let (knowledge, world) = (knowledge_of(moves), connect_four(moves));
        let seat = world.0.to_move();
        let limits = Limits { depth: Some(depth), ..Limits::default() };
        let host = Host::null();
        let (knowledge, world) = (&knowledge, &world);
        let task =
            GeneralTask { seat, knowledge, world, limits: &limits, barred: &[], host: &host };
        let scores = MaxN::new(Discs).run(task, &mut Random::seeded(1)).scores;
        assert_eq!(scores[usize::from(seat.0)], negamax(world, depth), "{moves}, depth {depth}");
    };
    for depth in 1..=4 {
        for moves in ["", "d", "d d d c c e", "a b a b a b", "a b a b a", "b c b c b c d"] {
            check(moves, depth);
        }
    }
}

#[test]
fn the_engine_plays_the_games_of_its_table() {
    let setup = |game: &str| Setup {
        game: game.into(),
        variant: String::new(),
        start: String::new(),
        moves: String::new(),
        seats: vec![0],
        seed: 1,
        options: Vec::new(),
        memory_bytes: 0,
        threads: 1,
        helper: 0,
        helpers: 0,
        table_slots: 0,
    };
    let started = |game: &str| GeneralMcts::start(&setup(game), Host::null()).map(drop);
    assert_eq!(started("chess"), Err("does not play chess".into()));
    let description = GeneralMcts::describe(CrateInfo::default());
    let games: Vec<&str> = description.games.iter().map(|it| it.game.as_str()).collect();
    assert_eq!(games, ["goofspiel", "kuhn-poker"]);
    games.iter().for_each(|game| assert_eq!(started(game), Ok(())));
    // The manifest declares the same.
    let manifest = include_str!("../../EngineConfigs.xml");
    let module = manifest.split("module=\"general-mcts.wasm\"").nth(1).unwrap();
    let declared = module.split("</Engine>").next().unwrap();
    let expected = |game: &&str| declared.contains(&format!("<Game id=\"{game}\"/>"));
    assert!(games.iter().all(expected) && declared.matches("<Game ").count() == games.len());
}
