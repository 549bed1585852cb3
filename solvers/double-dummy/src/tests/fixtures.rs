//! Tests on deals with known values, computed by DDS 2.9, from `tests/fixtures/bridge`: a few by
//! default, all with `SLOW=1`.

use std::{env, fs};

use crate::{Solver, TABLE_BYTES};
use sandboard_games::Rules;
use sandboard_games::bridge::{Bridge, Card, Compass, INFO, Strain, Table};
use serde_json::Value;

fn slow() -> bool {
    env::var_os("SLOW").is_some()
}

fn fixture(name: &str, list: &str) -> Vec<Value> {
    let path = format!("{}/../../tests/fixtures/bridge/{name}", env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let mut data: Value = serde_json::from_str(&text).unwrap();
    data[list].take().as_array().unwrap().clone()
}

fn text<'a>(of: &'a Value, what: &str) -> &'a str {
    of[what].as_str().unwrap_or_else(|| panic!("{}: no `{what}`", of["id"]))
}

fn table(hands: &str, strain: &str, leader: &str, trick: &[String], cards: u64) -> Table {
    let variant = INFO.variant(&format!("double-dummy-{cards}")).unwrap();
    let trick = if trick.is_empty() { "-".to_owned() } else { trick.join(",") };
    let position = format!("{hands} {strain} {leader} {trick}");
    *Bridge::parse_position(&variant, &position)
        .unwrap_or_else(|e| panic!("{position}: {e}"))
        .table()
}

fn cards(list: &Value) -> Vec<String> {
    list.as_array().unwrap().iter().map(|card| card.as_str().unwrap().to_owned()).collect()
}

fn never_stop() -> bool {
    true
}

fn check_table(solver: &mut Solver, deal: &Value) {
    let hands = table(text(deal, "pbn"), "NT", "N", &[], 13).hands();
    let values = solver.table(hands, &never_stop).unwrap();
    for declarer in Compass::ALL {
        let expected = &deal["tricks"][declarer.letter().to_string()];
        let found = Strain::ALL.map(|strain| values.get(declarer, strain));
        assert_eq!(serde_json::json!(found), *expected, "{} {declarer:?}", deal["id"]);
    }
}

/// Checks the tricks of the leader's side after each lead, and those of the declarer along the
/// play.
fn check_play(solver: &mut Solver, deal: &Value) {
    let (strain, leader) = (text(deal, "trump"), text(deal, "leader"));
    let table = table(text(deal, "pbn"), strain, leader, &[], 13);
    check_scores(solver, &table, &deal["lead_scores"], &deal["id"]);
    let play: Vec<Card> =
        cards(&deal["play"]).iter().map(|card| Card::from_text(card).unwrap()).collect();
    let expected: Vec<u64> =
        deal["trace"].as_array().unwrap().iter().map(|tricks| tricks.as_u64().unwrap()).collect();
    // Some sources omit the last trick.
    let play = &play[..play.len().min(expected.len() - 1)];
    let of_declarer = |ns: u32| u64::from(if table.leader().side() == 0 { 13 - ns } else { ns });
    let found: Vec<u64> =
        solver.trace(&table, play, &never_stop).unwrap().into_iter().map(of_declarer).collect();
    assert_eq!(found, expected[..found.len()], "{}", deal["id"]);
}

fn check_scores(solver: &mut Solver, table: &Table, expected: &Value, id: &Value) {
    let scores = solver.scores(table, &never_stop).unwrap();
    let expected = expected.as_object().unwrap();
    assert_eq!(scores.len(), expected.len(), "{id}");
    for (card, tricks) in scores {
        assert_eq!(expected[&card.to_string()], tricks, "{id} {card}");
    }
}

#[test]
fn trick_tables_of_random_deals() {
    let mut solver = Solver::new(TABLE_BYTES);
    let deals = fixture("dd.json", "deals");
    assert!(deals.len() >= 1000);
    for deal in deals.iter().take(if slow() { usize::MAX } else { 100 }) {
        check_table(&mut solver, deal);
    }
    assert!(solver.table_bytes() <= TABLE_BYTES, "{}", solver.table_bytes());
}

#[test]
fn scores_of_endgames() {
    // So small that entries are removed now and then.
    let mut solver = Solver::new(1 << 16);
    for position in fixture("endplay.json", "positions") {
        let cards_each = position["cards_each_at_trick_start"].as_u64().unwrap();
        let (strain, leader) = (text(&position, "trump"), text(&position, "leader"));
        let trick = cards(&position["trick"]);
        let table = table(text(&position, "hands"), strain, leader, &trick, cards_each);
        check_scores(&mut solver, &table, &position["scores"], &position["id"]);
        let tricks = solver.tricks(&table, &never_stop).unwrap();
        assert_eq!(position["tricks_side_to_move"], tricks, "{}", position["id"]);
    }
}

#[test]
fn traces_of_played_deals() {
    let mut solver = Solver::new(TABLE_BYTES);
    for deal in fixture("dds_list100.json", "deals").iter().take(if slow() { 100 } else { 5 }) {
        check_play(&mut solver, deal);
        if slow() {
            check_table(&mut solver, deal);
        }
    }
}

#[test]
fn hard_deals() {
    let mut solver = Solver::new(TABLE_BYTES);
    for deal in
        fixture("dd_hard.json", "deals").iter().filter(|deal| slow() || deal["id"] == "largest-000")
    {
        check_table(&mut solver, deal);
        if deal.get("play").is_some() {
            check_play(&mut solver, deal);
        }
    }
    assert!(solver.table_bytes() <= TABLE_BYTES);
}
