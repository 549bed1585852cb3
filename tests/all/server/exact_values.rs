//! Exact values over HTTP, compared with the fixtures, and requests that are refused.

use serde_json::json;

use super::*;
use crate::bridge::{fixture, position_text};

fn solved(server: &Server, body: &Value) -> Value {
    let answer = server.post("/solve", body);
    assert_eq!(answer.status, 200, "{body}: {}", answer.body);
    answer.json()
}

#[test]
fn every_card_has_its_exact_value() {
    let server = Server::start_in(TestHome::without_engines(), &[]);
    let fixture = fixture("endplay.json");
    let positions = fixture["positions"].as_array().unwrap();
    for position in positions.iter().step_by(5) {
        let start = position_text(position);
        let body = json!({"game": "bridge", "start": start});
        let view = solved(&server, &body);
        let id = &position["id"];
        assert_eq!(view["value"], position["tricks_side_to_move"], "{id}");
        assert_eq!((&view["unit"], &view["taken"]), (&json!("trick"), &json!([0, 0])), "{id}");
        let moves = view["moves"].as_array().unwrap();
        let scores: serde_json::Map<String, Value> = moves
            .iter()
            .map(|it| (it["move"].as_str().unwrap().to_owned(), it["value"].clone()))
            .collect();
        assert_eq!(Value::Object(scores), position["scores"], "{id}");
        let rules = server.post("/position", &json!({"game": "bridge", "position": start})).json();
        let texts: Vec<&Value> = moves.iter().map(|it| &it["move"]).collect();
        assert_eq!(json!(texts), rules["legal"], "{id}");
        assert_eq!((&view["side"], &view["to_move"]), (&rules["side"], &rules["to_move"]), "{id}");
    }
}

#[test]
fn won_tricks_are_counted() {
    let server = Server::start_in(TestHome::without_engines(), &[]);
    let list = fixture("dds_list100.json");
    let deal = &list["deals"][0];
    let [pbn, trump, leader] = ["pbn", "trump", "leader"].map(|name| deal[name].as_str().unwrap());
    let start = format!("{pbn} {trump} {leader} -");
    let (play, trace) = (deal["play"].as_array().unwrap(), deal["trace"].as_array().unwrap());
    // North leads: east declares.
    assert_eq!(leader, "N");
    for played in [0, 1, 4, 22, 33, 44] {
        let body = json!({"game": "bridge", "start": start, "moves": play[..played]});
        let view = solved(&server, &body);
        let declarers = trace[played].as_u64().unwrap();
        let expected = if view["side"] == 1 { declarers } else { 13 - declarers };
        assert_eq!(view["value"], expected, "after {played}");
        let taken = view["taken"].as_array().unwrap().iter().map(|it| it.as_u64().unwrap());
        assert_eq!(taken.sum::<u64>() as usize, played / 4, "after {played}");
        if let Some(card) = play.get(played) {
            // The value of the played card is the next entry of the trace.
            let after = trace[played + 1].as_u64().unwrap();
            let after = if view["side"] == 1 { after } else { 13 - after };
            let moves = view["moves"].as_array().unwrap();
            let found = moves.iter().find(|it| it["move"] == *card).unwrap();
            assert_eq!(found["value"], after, "{card} after {played}");
        }
    }
}

#[test]
fn a_finished_game_has_no_moves() {
    let server = Server::start_in(TestHome::without_engines(), &[]);
    let check = |moves: &[&str], expected: Value| {
        let start = "N:A... K... Q... J... NT N -";
        let body = json!({"game": "bridge", "start": start, "moves": moves});
        let view = solved(&server, &body);
        let found = json!([view["to_move"], view["value"], view["taken"], view["moves"]]);
        assert_eq!(found, expected, "{moves:?}");
    };
    let only = |card: &str, value: u32| json!([{"move": card, "value": value}]);
    check(&[], json!([0, 1, [0, 0], only("SA", 1)]));
    check(&["SA", "SK", "SQ"], json!([3, 0, [0, 0], only("SJ", 0)]));
    check(&["SA", "SK", "SQ", "SJ"], json!([0, 1, [1, 0], []]));
}

#[test]
fn unsolvable_positions_are_refused() {
    let server = Server::start_in(TestHome::without_engines(), &[]);
    let check = |body: Value, status: u16, place: &str| {
        let answer = server.post("/solve", &body);
        assert_eq!(answer.status, status, "{body}: {}", answer.body);
        assert_eq!(answer.json()["location"], place, "{body}: {}", answer.body);
    };
    let start = "N:A2... K3... Q4... J5... NT W -";
    let bridge =
        |start: &str, moves: &[&str]| json!({"game": "bridge", "start": start, "moves": moves});
    assert_eq!(server.post("/solve", &bridge(start, &["SJ"])).status, 200);
    check(json!({"game": "gomoku"}), 422, "game");
    check(json!({"game": "nothing"}), 422, "game");
    check(json!({"game": "bridge", "variant": "rubber"}), 422, "variant");
    check(json!({"game": "bridge", "position": start}), 400, "body");
    check(json!({}), 400, "body");
    check(bridge(start, &["SA"]), 422, "moves[0]");
    check(bridge(start, &["SJ", "SJ"]), 422, "moves[1]");
    check(bridge("N:A2... A3... Q4... J5... NT W -", &[]), 422, "start");
    check(bridge("N:A2... K3... Q4... J... NT W -", &[]), 422, "start");
    check(bridge("nonsense", &[]), 422, "start");

    let games = server.get("/games").json();
    for game in games.as_array().unwrap() {
        let solver = if game["id"] == "bridge" { json!({"unit": "trick"}) } else { Value::Null };
        assert_eq!(game["solver"], solver, "{}", game["id"]);
    }
}

#[test]
fn a_ticket_is_enough_to_solve() {
    let token = "a-token-of-the-tests";
    let server = Server::start_in(TestHome::without_engines(), &["--token", token]);
    let bearer = format!("Bearer {token}");
    let post = |path: &str, headers: &[(&str, &str)], body: Value| {
        let headers = [&[("Content-Type", "application/json")], headers].concat();
        server.http("POST", &format!("/api/v1{path}"), &headers, body.to_string().as_bytes())
    };
    let opened = post("/rooms", &[("Authorization", &bearer)], two("none")).json();
    let ticket = opened["tickets"][1]["ticket"].as_str().unwrap();
    let solve = |headers: &[(&str, &str)]| {
        let body = json!({"game": "bridge", "start": "N:A... K... Q... J... NT N -"});
        post("/solve", headers, body).status
    };
    assert_eq!(solve(&[("Authorization", &bearer)]), 200);
    assert_eq!(solve(&[("X-Ticket", ticket)]), 200);
    assert_eq!(solve(&[("X-Ticket", &ticket[1..])]), 401);
    assert_eq!(solve(&[]), 401);
    let opens = post("/rooms", &[("X-Ticket", ticket)], two("none"));
    assert_eq!(opens.status, 401, "a ticket cannot open rooms");
}
