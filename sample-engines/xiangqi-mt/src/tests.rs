//! The engine without a host: tactics, repetition, levels.

use sandboard_sdk::abi::{Decision, Limits, Setup};
use sandboard_sdk::{BaseEngine, Engine, Host, SearchEngine};

use super::XiangqiMt;

/// A game from a position, optionally followed by ` moves …`.
fn setup(start: &str, options: &[(&str, &str)]) -> Setup {
    let (start, moves) = start.split_once(" moves ").unwrap_or((start, ""));
    Setup {
        game: "xiangqi".into(),
        variant: "computer".into(),
        start: start.into(),
        moves: moves.into(),
        seats: vec![0],
        seed: 1,
        options: options
            .iter()
            .map(|(name, value)| (name.to_string(), value.to_string()))
            .collect(),
        memory_bytes: 0,
        threads: 1,
        helper: 0,
        helpers: 0,
        table_slots: 0,
    }
}

/// The move, the score and the node count of a search with this node limit.
fn choose(start: &str, options: &[(&str, &str)], nodes: u64) -> (String, i32, u64) {
    let mut engine =
        BaseEngine::<SearchEngine<XiangqiMt>>::start(&setup(start, options), Host::null()).unwrap();
    let limits = Limits { nodes: Some(nodes), ..Limits::default() };
    let choice = engine.choose(&limits, &[]).unwrap();
    let Decision::Play(mv) = choice.decision else { panic!("{start}: the engine resigned") };
    let line = choice.line.unwrap();
    (mv, line.score.map_or(0, |score| score.value), line.nodes)
}

#[track_caller]
fn check_score(start: &str, expected: std::ops::RangeInclusive<i32>) {
    let (mv, score, _) = choose(start, &[], 60_000);
    assert!(expected.contains(&score), "{start}: {mv} for {score}");
}

#[test]
fn mates_are_found_with_their_distances() {
    // Two rooks: mate by the first move and by the second one.
    check_score("3k5/R8/9/9/9/9/9/9/8R/4K4 w - - 0 1", 29_997..=29_999);
    check_score("4k4/9/R8/1R7/9/9/9/9/9/3K5 w - - 0 1", 29_995..=29_999);
    // The other side is mated.
    check_score("3k5/1R7/9/9/9/9/9/9/8R/5K3 b - - 0 1", -29_999..=-29_990);
}

#[test]
fn perpetual_check_is_not_a_draw() {
    // Red, with a rook against two, could only give perpetual check.
    let checks = "4k4/9/9/9/9/9/9/9/3rr4/5K2R w - - 0 1";
    check_score(checks, -30_000..=-500);
}

#[test]
fn a_quiet_repetition_is_a_draw() {
    // Advisors and elephants hold against a single rook, and black has no attackers.
    check_score("4k4/4a4/4ba3/9/2b6/9/9/9/9/4K3R w - - 118 1", -40..=40);
    // One ply before the move-count draw, a mate still wins.
    check_score("3k5/8R/R8/9/9/9/9/9/9/4K4 w - - 119 1", 29_999..=29_999);
}

#[test]
fn tactics_are_solved() {
    // A part of the suite with 100,000 nodes each; `sandboard suite` runs all of it.
    let text = include_str!("../../../tests/fixtures/xiangqi/tactics.json");
    let json: serde_json::Value = serde_json::from_str(text).unwrap();
    let cases = json["positions"].as_array().unwrap();
    let slow = std::env::var_os("SLOW").is_some();
    let cases: Vec<_> = cases.iter().step_by(if slow { 1 } else { 4 }).collect();
    let nodes = if slow { 1_000_000 } else { 100_000 };
    let solves = |case: &&&serde_json::Value| {
        let (mv, _, _) = choose(case["fen"].as_str().unwrap(), &[], nodes);
        case["best"].as_array().unwrap().iter().any(|best| best == mv.as_str())
    };
    let solved = cases.iter().filter(solves).count();
    assert!(solved * 10 >= cases.len() * 9, "{solved} of {}", cases.len());
}

#[test]
fn searches_are_repeatable() {
    let middle = "r1bakab1r/9/1cn2cn2/p1p1p1p1p/9/2P6/P3P1P1P/1C2C1N2/9/RNBAKABR1 w - - 0 1";
    for level in ["0", "1", "5"] {
        let options = [("level", level)];
        assert_eq!(choose(middle, &options, 20_000), choose(middle, &options, 20_000), "{level}");
    }
}

#[test]
fn levels_search_their_number_of_nodes() {
    for (level, most) in [("1", 30), ("4", 500), ("7", 8_000)] {
        let (_, _, nodes) = choose("", &[("level", level)], 1_000_000);
        assert!(nodes <= most && nodes * 2 > most, "level {level} searched {nodes} nodes");
    }
}
