//! Tests of the information-set Monte-Carlo tree search with small games.

use std::sync::atomic::{AtomicU64, Ordering};

use sandboard_abi::{Limits, Unit};
use sandboard_games::general::{Actor, GeneralRules, TwoSided};
use sandboard_games::gomoku::{self, Gomoku};
use sandboard_games::{Rules, Seat};

use super::matching_pennies::{self, MatchingPennies};
use super::urn::{self, Urn};
use super::{knowledge, with_task};
use crate::general::{
    Determinize, GeneralTask, IsMcts, IsMctsResult, Knowledge, RandomGames, ReplaySampler,
};
use crate::host::{Host, HostCalls};
use crate::mcts::MctsParams;
use crate::random::Random;

fn nodes(nodes: u64) -> Limits {
    Limits { nodes: Some(nodes), ..Limits::default() }
}

/// The result of a search in a position of a game of perfect information.
fn run<G: GeneralRules>(
    position: &G,
    limits: Limits,
    barred: &[G::Move],
    seed: u64,
) -> IsMctsResult<G::Move> {
    with_task(position, &limits, barred, &Host::null(), |task| {
        let worlds = &mut ReplaySampler::default();
        IsMcts::default().run(task, worlds, &mut Random::seeded(seed))
    })
}

fn gomoku(moves: &str) -> TwoSided<Gomoku> {
    let mut position = Gomoku::start(&gomoku::INFO.variant("freestyle-5").unwrap());
    for text in moves.split_ascii_whitespace() {
        position.play(text).unwrap();
    }
    TwoSided(position)
}

fn best_text(position: &TwoSided<Gomoku>, result: &IsMctsResult<gomoku::Move>) -> String {
    let mut text = String::new();
    if let Some(best) = result.best {
        position.0.write_move(best, &mut text);
    }
    text
}

#[test]
fn it_wins_and_blocks() {
    let check = |moves: &str, expected: &str| {
        let position = gomoku(moves);
        for seed in 0..5 {
            let result = run(&position, nodes(5_000), &[], seed);
            assert_eq!(best_text(&position, &result), expected, "{moves}, seed {seed}");
            assert_eq!((result.line.moves.as_str(), result.line.nodes), (expected, 5_000));
            let visits: u32 = result.moves.iter().map(|it| it.visits).sum();
            assert_eq!(visits, 5_000);
        }
    };
    check("a1 a5 b1 b5 c1 c5 d1 d5", "e1");
    check("a1 a5 b1 b5 c1 c5 e3 d5", "e5");
}

#[test]
fn the_value_is_that_of_the_seat() {
    let value = |moves: &str| {
        let score = run(&gomoku(moves), nodes(2_000), &[], 1).line.score;
        score.map(|it| it.value)
    };
    // Every game through the move is won; the second player loses, whatever it plays.
    assert_eq!(value("a1 a5 b1 b5 c1 c5 d1 d5"), Some(9_999));
    assert!(value("a1 c3 a2 d4 a3 b5 a4 e2 b1 e3 c1 c2 d1").is_some_and(|it| it < -300));
    assert_eq!(run(&gomoku(""), nodes(0), &[], 1).line.score, None);
}

#[test]
fn the_same_seed_gives_the_same_search() {
    let search = |seed| run(&gomoku("c3 c4"), nodes(300), &[], seed);
    assert_eq!(search(7), search(7));
    assert!((0..5).any(|seed| search(seed).moves != search(7).moves), "the seed has an effect");
}

#[test]
fn barred_moves_are_not_chosen() {
    let position = gomoku("a1 a5 b1 b5 c1 c5 d1 d5");
    let e1 = position.0.parse_move("e1").unwrap();
    let result = run(&position, nodes(500), &[e1], 1);
    assert!(result.best.is_some_and(|best| best != e1));
    assert!(result.moves.iter().all(|it| it.mv != e1));
    let visits: u32 = result.moves.iter().map(|it| it.visits).sum();
    assert_eq!(visits, 500, "no iteration begins with a barred move");
    let mut all = Vec::new();
    position.generate(Seat(0), &mut all);
    assert_eq!(run(&position, nodes(500), &all, 1).best, None);
    // A single move needs no search.
    let others: Vec<_> = all.iter().copied().filter(|mv| *mv != e1).collect();
    let result = run(&position, nodes(500), &others, 1);
    assert_eq!((result.best, result.line.nodes), (Some(e1), 0));
}

#[test]
fn a_seat_cannot_answer_what_it_has_not_seen() {
    let score = |variant: &str| {
        let variant = matching_pennies::INFO.variant(variant).unwrap();
        let position = MatchingPennies::start(&variant);
        let result = run(&position, nodes(20_000), &[], 1);
        let best = result.moves.iter().max_by_key(|it| it.visits).unwrap();
        best.score
    };
    assert!(score("standard").abs() < 0.2, "{}", score("standard"));
    assert!(score("open") < -0.9, "{}", score("open"));
}

/// Finds no world after some calls.
struct Limited(u32);

impl Determinize<Urn> for Limited {
    fn sample(&mut self, knowledge: &Knowledge<Urn>, random: &mut Random) -> Option<Urn> {
        self.0 = self.0.checked_sub(1)?;
        ReplaySampler::default().sample(knowledge, random)
    }
}

/// Finds positions of another view.
struct Wrong;

impl Determinize<Urn> for Wrong {
    fn sample(&mut self, _knowledge: &Knowledge<Urn>, _random: &mut Random) -> Option<Urn> {
        let mut other = Urn::default();
        [2, 1, 4].iter().for_each(|ball| other.play(Actor::Chance, ball));
        Some(other)
    }
}

#[test]
fn it_ends_without_a_world() {
    let start = Urn::start(&urn::INFO.default_variant());
    let mut world = start.clone();
    [2, 0, 4].iter().for_each(|ball| world.play(Actor::Chance, ball));
    let knowledge = knowledge(&start, &world, 1, &["?", "0"]);
    let run = |worlds: &mut dyn Determinize<Urn>| {
        let (limits, host) = (nodes(100), Host::null());
        let task = GeneralTask {
            seat: Seat(1),
            knowledge: &knowledge,
            world: &world,
            limits: &limits,
            barred: &[],
            host: &host,
        };
        let result = IsMcts::default().run(task, worlds, &mut Random::seeded(1));
        assert!(result.best.is_some());
        result.moves.iter().map(|it| it.visits).sum::<u32>()
    };
    assert_eq!(run(&mut ReplaySampler::default()), 100);
    assert_eq!(run(&mut Limited(30)), 30);
    assert_eq!(run(&mut Wrong), 0);
}

#[test]
fn a_full_tree_grows_no_more() {
    let position = gomoku("c3");
    let search = |tree_bytes: usize| {
        let params = MctsParams { tree_bytes, ..MctsParams::default() };
        let mut search = IsMcts::new(RandomGames, params);
        let (limits, host) = (nodes(2_000), Host::null());
        let result = with_task(&position, &limits, &[], &host, |task| {
            let worlds = &mut ReplaySampler::default();
            search.run(task, worlds, &mut Random::seeded(1))
        });
        let visits: u32 = result.moves.iter().map(|it| it.visits).sum();
        assert_eq!(visits, 2_000);
        search.nodes()
    };
    assert_eq!(search(0), 1, "the root");
    assert!((2..120).contains(&search(50_000)), "{}", search(50_000));
    assert!(search(1 << 24) > 200, "{}", search(1 << 24));
}

/// A clock that loses a unit with every look.
struct Looks(AtomicU64);

impl HostCalls for Looks {
    fn left(&self) -> u64 {
        self.0.fetch_sub(1, Ordering::Relaxed)
    }
}

#[test]
fn limits_end_the_search() {
    let iterations = |limits: Limits, left: u64| {
        let host = Host::new(Looks(AtomicU64::new(left)));
        let result = with_task(&gomoku("c3"), &limits, &[], &host, |task| {
            let worlds = &mut ReplaySampler::default();
            IsMcts::default().run(task, worlds, &mut Random::seeded(1))
        });
        assert!(result.best.is_some(), "a move even without time");
        result.line.nodes
    };
    let wall = Limits { unit: Unit::Wall, call_max: Some(1_000), ..Limits::default() };
    // Half of so short a time is a margin. A report reads the clock, too.
    assert!((400..500).contains(&iterations(wall.clone(), 1_000)));
    assert_eq!(iterations(wall, 0), 0);
    assert_eq!(iterations(nodes(70), 1_000), 70);
    let depth = Limits { depth: Some(2), ..Limits::default() };
    assert_eq!(iterations(depth.clone(), 1_000_000), 2_000);
    assert_eq!(iterations(Limits { nodes: Some(70), ..depth }, 1_000_000), 70);
}
