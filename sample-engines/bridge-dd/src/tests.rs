//! The engine through the calls of the ABI.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use sandboard_sdk::abi::{self, Bound, Choice, Decision, Limits, Line, Setup, Unit};
use sandboard_sdk::games::Rules;
use sandboard_sdk::games::bridge::INFO;
use sandboard_sdk::{BaseEngine, Engine, HostCalls};
use serde_json::Value;

use super::*;

/// A host that records lines, and whose clock loses one unit at each look.
#[derive(Clone)]
struct RecordingHost {
    lines: Arc<Mutex<Vec<Line>>>,
    left: Arc<AtomicU64>,
}

impl HostCalls for RecordingHost {
    fn left(&self) -> u64 {
        let left = self.left.load(Ordering::Relaxed);
        self.left.store(left.saturating_sub(1), Ordering::Relaxed);
        left
    }
    fn report(&self, line: &Line) {
        self.lines.lock().unwrap().push(line.clone());
    }
}

fn started(position: &str, options: &[(&str, &str)]) -> (BaseEngine<BridgeDd>, RecordingHost) {
    let setup = Setup {
        game: "bridge".into(),
        variant: "double-dummy".into(),
        start: position.into(),
        seats: vec![0, 2],
        seed: 7,
        threads: 1,
        options: options.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect(),
        moves: String::new(),
        memory_bytes: 0,
        helper: 0,
        helpers: 0,
        table_slots: 0,
    };
    let host = RecordingHost { lines: Arc::default(), left: Arc::new(AtomicU64::new(u64::MAX)) };
    (BaseEngine::start(&setup, Host::new(host.clone())).unwrap(), host)
}

fn played_card(choice: &Choice) -> String {
    match &choice.decision {
        Decision::Play(text) => text.clone(),
        other => panic!("{other:?}"),
    }
}

fn endplay_records() -> Vec<Value> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures/bridge/endplay.json");
    let fixture: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    fixture["positions"].as_array().unwrap().clone()
}

/// The position text of a record of `endplay.json`.
fn position_of(record: &Value) -> String {
    let text = |name: &str| record[name].as_str().unwrap().to_owned();
    let trick: Vec<&str> =
        record["trick"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    let trick = if trick.is_empty() { "-".to_owned() } else { trick.join(",") };
    format!("{} {} {} {trick}", text("hands"), text("trump"), text("leader"))
}

#[test]
fn without_limits_no_trick_is_given_away() {
    let mut other_than_lowest = 0;
    for record in endplay_records() {
        let position = position_of(&record);
        let (mut engine, _) = started(&position, &[]);
        let choice = engine.choose(&Limits::default(), &[]).unwrap();
        let best: Vec<&str> =
            record["best"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        let card = played_card(&choice);
        assert!(best.contains(&card.as_str()), "{card}: {record}");
        let line = choice.line.unwrap();
        let score = line.score.unwrap();
        assert_eq!(Some(i64::from(score.value)), record["tricks_side_to_move"].as_i64());
        assert_eq!(score.bound, Bound::Exact);
        assert!(line.moves.starts_with(&card), "{}", line.moves);
        let mut table = Bridge::parse_position(&INFO.variant("").unwrap(), &position).unwrap();
        for text in line.moves.split(' ') {
            table.play(text).unwrap();
        }
        other_than_lowest += usize::from(best.iter().any(|other| other[1..] < card[1..]));
    }
    assert!(other_than_lowest > 0, "the tie-break by the opponent's cards had no effect");
}

#[test]
fn barred_cards_are_not_played() {
    let records = endplay_records();
    let record = records.iter().find(|it| it["scores"].as_object().unwrap().len() > 2).unwrap();
    let (mut engine, _) = started(&position_of(record), &[]);
    let mut barred = Vec::new();
    for _ in record["scores"].as_object().unwrap() {
        let card = played_card(&engine.choose(&Limits::default(), &barred).unwrap());
        assert!(barred.iter().all(|it: &abi::Barred| it.r#move != card));
        barred.push(abi::Barred { r#move: card, reason: "shielded".into() });
    }
    let none = engine.choose(&Limits::default(), &barred).unwrap();
    assert_eq!(none.decision, Decision::Resign);
}

#[test]
fn after_bad_cards_a_solved_deal_is_searched_again() {
    let variant = INFO.variant("").unwrap();
    let mut unproved = 0;
    for seed in 0..4 {
        let (mut engine, host) = started(&deal(seed), &[]);
        engine.choose(&Limits::default(), &[]).unwrap();
        // All players play their highest cards, which is bad double-dummy play.
        let mut table = Bridge::parse_position(&variant, &deal(seed)).unwrap();
        for _ in 0..4 {
            let high = table.table().legal().iter().next().unwrap().to_string();
            table.play(&high).unwrap();
            engine.played(&high).unwrap();
        }
        // Enough to search two tricks ahead, but not the whole deal.
        host.left.store(4, Ordering::Relaxed);
        let limits = Limits { unit: Unit::Fuel, call_max: Some(4), ..Limits::default() };
        let score = engine.choose(&limits, &[]).unwrap().line.unwrap().score;
        unproved += usize::from(score.expect("nothing was searched").bound != Bound::Exact);
    }
    assert!(unproved > 0, "all positions were in the table");
}

/// A random full deal.
fn deal(seed: u64) -> String {
    let mut text = String::new();
    Bridge::from_seed(13, seed).write_position(&mut text);
    text
}

#[test]
fn the_deepest_finished_search_counts() {
    let choose = |looks: u64| {
        let (mut engine, host) = started(&deal(3), &[]);
        host.left.store(looks, Ordering::Relaxed);
        let limits = Limits { unit: Unit::Fuel, call_max: Some(looks), ..Limits::default() };
        let choice = engine.choose(&limits, &[]).unwrap();
        let lines = host.lines.lock().unwrap().clone();
        (choice, lines)
    };
    let (choice, lines) = choose(60);
    let depths: Vec<u32> = lines.iter().map(|line| line.depth).collect();
    assert!(depths.is_sorted() && depths.len() > 1, "{depths:?}");
    assert_eq!(choice.line.as_ref(), lines.last());
    assert!(lines.last().unwrap().depth < 52, "the budget was exceeded: {depths:?}");
    // Two tricks ahead need no stop check, and are always finished.
    let (choice, lines) = choose(0);
    assert!(lines[0].score.is_none() && lines.iter().all(|line| line.depth <= 8), "{lines:?}");
    assert!(!played_card(&choice).is_empty());
}

#[test]
fn a_deal_solved_while_pondering_is_not_solved_again() {
    let nodes = |ponders: bool| {
        let (mut engine, _) = started(&deal(5), &[]);
        if ponders {
            engine.think().unwrap();
        }
        let choice = engine.choose(&Limits::default(), &[]).unwrap();
        let line = choice.line.unwrap();
        assert_eq!(line.score.unwrap().bound, Bound::Exact);
        line.nodes
    };
    let (hit, nothing) = (nodes(true), nodes(false));
    assert!(hit * 4 < nothing, "{hit} and {nothing} nodes");
}

#[test]
fn a_level_is_repeatable_and_makes_errors() {
    let cards = |level: &str| -> Vec<String> {
        (0..12)
            .map(|seed| {
                let (mut engine, _) = started(&deal(seed), &[("level", level)]);
                played_card(&engine.choose(&Limits::default(), &[]).unwrap())
            })
            .collect()
    };
    let weak = cards("1");
    assert_eq!(weak, cards("1"));
    assert_ne!(weak, cards("9"));
}
