//! Plugged-in games with chance, hidden information and moves at the same time: played by engines
//! and people, verified, checked, and shown to each as its seat sees them.

use std::fs;

use sandboard_tests::built;
use serde_json::{Value, json};

use crate::chess::copy_pack;
use crate::cli::{CommandOutput, TestHome};
use crate::server::Server;

fn record_of(home: &TestHome, file: &str) -> Value {
    serde_json::from_slice(&fs::read(home.file(file)).unwrap()).unwrap()
}

/// The moves of a record, and the seats that made them; null is chance.
fn moves(record: &Value) -> Vec<(Value, String)> {
    let plies = record["plies"].as_array().unwrap().iter();
    plies.map(|ply| (ply["seat"].clone(), ply["move"].as_str().unwrap().to_owned())).collect()
}

#[test]
fn engines_play_by_views_and_fuel_is_verified() {
    let home = TestHome::trusting();
    built("kuhn-equilibrium.wasm");
    let play = |second: &str, budget: &str| {
        home.play_json(&[
            "kuhn-poker",
            "--seed",
            "7",
            "--seat",
            "kuhn-equilibrium",
            "--seat",
            second,
            "--budget",
            budget,
            "--record",
            "b.json",
        ])
    };
    let line = play("kuhn-equilibrium", "fuel:1e6/move");
    assert_eq!(line["result"]["termination"], "rules", "{line}");
    let scores: Vec<i64> = line["result"]["scores"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it.as_i64().unwrap())
        .collect();
    assert_eq!(scores[0] + scores[1], 0);
    let record = record_of(&home, "b.json");
    let played = moves(&record);
    assert_eq!((&played[0].0, &played[1].0, &played[2].0), (&Value::Null, &Value::Null, &json!(0)));
    let verified = home.succeed(&["verify", "b.json"], "");
    assert_eq!(verified.matches(" verified: ").count(), 2, "{verified}");

    // The same deal, whatever engines play: the seed decides.
    let line = play("kuhn-equilibrium-native", "1s/move");
    assert_eq!(line["result"]["termination"], "rules", "{line}");
    assert_eq!(moves(&record_of(&home, "b.json"))[..2], played[..2]);

    // A record with other cards is refused.
    let mut forged = record;
    let other = if played[0].1 == "J" { "K" } else { "J" };
    forged["plies"][0]["move"] = other.into();
    fs::write(home.file("forged.json"), forged.to_string()).unwrap();
    let CommandOutput { code, out, err } = home.run(&["verify", "forged.json"], "");
    assert_ne!(code, Some(0));
    let expected = format!("chance gave `{}` there, by the seed of the bout", played[0].1);
    assert!(out.contains(&expected) || err.contains(&expected), "{out}{err}");
}

#[test]
fn a_search_plays_by_sampled_positions() {
    let home = TestHome::trusting();
    built("general-mcts.wasm");
    let play = |game: &str, seats: [&str; 2], budget: &str| {
        let seats = ["--seat", seats[0], "--seat", seats[1], "--budget", budget];
        let game = [game, "--seed", "7", "--record", "b.json"];
        let line = home.play_json(&[&game[..], &seats[..]].concat());
        assert_eq!(line["result"]["termination"], "rules", "{line}");
        // Sampling a position has never failed.
        let record = record_of(&home, "b.json");
        assert!(!record.to_string().contains("plays a random move"), "{record}");
        moves(&record).len()
    };
    let check = |game: &str, plies: usize| {
        let (wasm, native) = ("general-mcts", "general-mcts-native");
        assert!(play(game, [native, wasm], "nodes:50") >= plies);
        assert!(play(game, [wasm, wasm], "fuel:2e7/move") >= plies);
        let verified = home.succeed(&["verify", "b.json"], "");
        assert_eq!(verified.matches(" verified: ").count(), 2, "{verified}");
    };
    check("kuhn-poker", 4);
    check("goofspiel", 39);
}

#[test]
fn a_person_sees_the_own_card_only() {
    let home = TestHome::new();
    built("kuhn-equilibrium.wasm");
    let seats =
        ["--seat", "human", "--seat", "kuhn-equilibrium", "--seed", "7", "--record", "b.json"];
    let out = home.succeed(&[&["play", "kuhn-poker"], &seats[..]].concat(), "bet\nbet\n");
    let played = moves(&record_of(&home, "b.json"));
    let (own, other) = (&played[0].1, &played[1].1);
    let before = out.split("first (").next().unwrap();
    assert!(before.contains(&format!("First: {own}\n")) && before.contains("Second: ?"), "{out}");
    assert!(!before.contains(&format!("Second: {other}")) && !before.contains("seed"), "{out}");
    // After the end everything is shown.
    let after = &out[before.len()..];
    let shown = [format!("Second: {other}\n"), format!("Second:={other}\n")];
    assert!(shown.iter().any(|line| after.contains(line)), "{out}");
    // The deal is no part of an earlier game.
    assert!(!out.contains("resuming"), "{out}");
}

#[test]
fn the_pass_of_hearts_asks_once_for_each_card() {
    let home = TestHome::new();
    built("random-legal.wasm");
    let seats = ["human", "random-legal", "random-legal", "random-legal"];
    let seats: Vec<&str> = seats.iter().flat_map(|seat| ["--seat", *seat]).collect();
    let out = home.succeed(&[&["play", "hearts", "--seed", "7"], &seats[..]].concat(), "");
    let asked = "south (human) to move: choose card 1 of 3 to pass to the left";
    assert_eq!((out.matches(asked).count(), out.matches("1 of 3").count()), (1, 1), "{out}");
}

#[test]
fn both_bid_at_the_same_time() {
    let home = TestHome::new();
    built("kuhn-equilibrium.wasm");
    let seats = ["--seat", "human", "--seat", "human", "--seed", "3", "--record", "b.json"];
    let arguments = [&["play", "goofspiel", "--variant", "standard-2"], &seats[..]].concat();
    let out = home.succeed(&arguments, "2\n1\n1\n2\n");
    let seats: Vec<Value> = moves(&record_of(&home, "b.json")).into_iter().map(|it| it.0).collect();
    assert_eq!(seats, [Value::Null, json!(0), json!(1), Value::Null, json!(0), json!(1)]);
    // While seat 1 chooses, no player sees the bid of seat 0.
    let asked = out.split("first (human) to move").nth(1).unwrap();
    let of_second = asked.split("second (human) to move").next().unwrap();
    assert!(of_second.contains("First: 1 2\n"), "{out}");
    assert!(
        out.contains("prize:2 first:2 second:1\nPoints: first 2, second 0\nFirst: 1\n"),
        "{out}"
    );
}

#[test]
fn games_pass_their_check() {
    let home = TestHome::new();
    built("kuhn-equilibrium.wasm");
    for game in ["kuhn-poker", "goofspiel", "hearts", "liars-dice"] {
        let out = home.succeed(&["check", game], "");
        assert!(out.contains("12 passed, 0 warned, 0 failed, 0 skipped"), "{out}");
        let what = if game == "goofspiel" { "legal moves of steps in " } else { "views in " };
        assert!(out.contains(&format!("views        passed  {what}")), "{out}");
    }
    let out = home.succeed(&["check", "chinese-checkers"], "");
    assert!(out.contains(" 0 warned, 0 failed"), "{out}");
}

#[test]
fn engines_of_general_games_pass_their_check() {
    let home = TestHome::new();
    built("kuhn-equilibrium.wasm");
    built("general-mcts.wasm");
    let check = |engine: &str, boards: &str| {
        let arguments = ["check", engine, "--budget", "fuel:2e7/move"];
        let out = home.succeed(&arguments, "");
        assert!(out.contains("6 passed, 0 warned, 0 failed, 11 skipped"), "{out}");
        let row =
            format!("starts       passed  bouts of {boards} begin, with the engine in each seat");
        assert!(out.contains(&row), "{out}");
        assert!(out.contains("positions    skipped not for games with chance, hidden "), "{out}");
    };
    check("kuhn-equilibrium", "1 board");
    check("general-mcts", "3 boards");
}

#[test]
fn a_variant_has_its_own_number_of_seats() {
    let home = TestHome::new();
    built("random-legal.wasm");
    let three = ["--variant", "three", "--budget", "fuel:1e8/move", "--record", "b.json"];
    let seats = ["--seat", "random-legal"].repeat(3);
    let line = home.play_json(&[&["chinese-checkers", "--seed", "1"], &three[..], &seats].concat());
    assert_eq!(line["result"]["scores"].as_array().map(Vec::len), Some(3), "{line}");
    let verified = home.succeed(&["verify", "b.json"], "");
    assert_eq!(verified.matches(" verified: ").count(), 3, "{verified}");
    // A record with the scores of four seats is refused.
    let mut forged = record_of(&home, "b.json");
    forged["result"]["scores"].as_array_mut().unwrap().push(json!(0));
    fs::write(home.file("forged.json"), forged.to_string()).unwrap();
    let CommandOutput { code, out, err } = home.run(&["verify", "forged.json"], "");
    assert_ne!(code, Some(0));
    assert!(format!("{out}{err}").contains("result.scores: there are 3 seats"), "{out}{err}");

    let check = |variant: &str, seats: usize, expected: &str| {
        let seats = ["--seat", "human"].repeat(seats);
        let arguments = [&["play", "chinese-checkers", "--variant", variant][..], &seats].concat();
        let CommandOutput { code, err, .. } = home.run(&arguments, "quit\n");
        assert!(code == Some(2) && err.contains(expected), "{err}");
    };
    check("three", 2, "chinese-checkers three takes 3 players, but 2 are given");
    check("two", 3, "chinese-checkers two takes 2 players, but 3 are given");
    check("six", 4, "chinese-checkers six takes 6 players, but 4 are given");
    // People play it in the terminal, and a player of two sides may resign.
    let people = ["--seat", "human", "--seat", "human"];
    let out = home.succeed(&[&["play", "chinese-checkers"], &people[..]].concat(), "resign\ny\n");
    assert!(out.contains("resigns"), "{out}");
    let people = ["--variant", "three", "--seat", "human", "--seat", "human", "--seat", "human"];
    let typed = "e14-e13\ne8-e9\nn8-m8\nquit\n";
    let out = home.succeed(&[&["play", "chinese-checkers"], &people[..]].concat(), typed);
    assert!(out.contains("green") && !out.contains("yellow"), "{out}");
}

#[test]
fn rooms_have_the_seats_of_the_variant() {
    let server = Server::start(&[]);
    built("random-legal.wasm");
    let games = server.get("/games").json();
    let game = |id: &str| games.as_array().unwrap().iter().find(|game| game["id"] == id).unwrap();
    let seats = |id: &str| -> Vec<u64> {
        let variants = game(id)["variants"].as_array().unwrap().iter();
        variants.map(|variant| variant["seats"].as_u64().unwrap()).collect()
    };
    assert_eq!(
        (&game("chinese-checkers")["seats"], &game("bridge")["seats"]),
        (&json!(6), &json!(4))
    );
    assert_eq!((seats("chinese-checkers"), seats("reversi")), (vec![2, 3, 4, 6], vec![2]));
    let request = |variant: &str, players: u8| {
        let player = |seat: u8| json!({"name": seat.to_string(), "seats": [seat], "budget": "none", "person": {}});
        let players: Vec<Value> = (0..players).map(player).collect();
        json!({"game": "chinese-checkers", "variant": variant, "players": players})
    };
    let (room, tickets) = server.room(&request("three", 3));
    let mut first = server.enter(&room, Some(&tickets[0]), None);
    let mut others = [1, 2].map(|seat| server.enter(&room, Some(&tickets[seat]), None));
    first.until("began");
    others.iter_mut().for_each(|other| drop(other.until("began")));
    first.play("e14-e13", 0);
    others[0].play("e8-e9", 1);
    others[1].play("n8-m8", 2);
    let view = server.get(&format!("/rooms/{room}")).json();
    let names: Vec<&str> = view["players"]
        .as_array()
        .unwrap()
        .iter()
        .map(|player| player["side_name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["red", "blue", "green"]);
    let refused = |variant: &str, players: u8, expected: &str| {
        let answer = server.post("/rooms", &request(variant, players));
        let body = answer.json();
        assert!(answer.status == 422 && body.to_string().contains(expected), "{body}");
    };
    refused("three", 4, "player 3 has seat 3, but chinese-checkers has seats 0 to 2");
    refused("three", 2, "seat 2 has no player");
    // Two people can find each other for a game of two.
    let quick = |variant: &str| {
        let rules =
            json!({"game": "chinese-checkers", "variant": variant, "budget": "none", "name": ""});
        server.post("/quick-games", &rules)
    };
    assert_eq!(quick("two").status, 201);
    let answer = quick("three");
    let expected = "Chinese Checkers three is for 3";
    assert!(answer.status == 422 && answer.json().to_string().contains(expected));
}

#[test]
fn an_engine_in_c_plays_by_the_hosts_answers() {
    let home = TestHome::new();
    // The engine is installed in a folder of this test.
    copy_pack("goofspiel", &home.file("engines/goofspiel"));
    let folder = ["--engines-dir", "engines"];
    let succeed = |arguments: &[&str]| home.succeed(&[arguments, &folder[..]].concat(), "");
    home.succeed(&["new", "bids", "--game", "goofspiel", "--lang", "c"], "");
    succeed(&["build", "bids", "--kind", "wasm"]);
    let seats = ["--seat", "bids", "--seat", "bids", "--budget", "fuel:1e8/move"];
    let game = ["goofspiel", "--record", "b.json"];
    let line = home.play_json(&[&game[..], &seats[..], &folder[..]].concat());
    assert_eq!(line["result"]["rule"], "all prizes are gone", "{line}");
    assert_eq!(moves(&record_of(&home, "b.json")).len(), 3 * 13);
    let verified = succeed(&["verify", "b.json"]);
    assert_eq!(verified.matches(" verified: ").count(), 2, "{verified}");
}

#[test]
fn a_position_draws_the_outcomes_of_chance_when_it_is_asked_to() {
    let server = Server::start(&[]);
    built("kuhn-equilibrium.wasm");
    #[track_caller]
    fn check(server: &Server, mut request: Value, drawn: Value, expected_cards: usize) {
        request["chance_seed"] = drawn;
        let position = server.post("/position", &request).json();
        let text = position["position"].as_str().unwrap();
        let cards = text.chars().filter(|it| "JQK".contains(*it)).count();
        assert_eq!(cards, expected_cards, "{request}: {position}");
        let legal = if cards == 2 { json!(["pass", "bet"]) } else { json!(["J", "Q", "K"]) };
        assert_eq!(position["legal"], legal, "{request}: {position}");
    }
    let start = json!({"game": "kuhn-poker"});
    check(&server, start.clone(), Value::Null, 0);
    for seed in [0, 1, u32::MAX] {
        check(&server, start.clone(), json!(seed), 2);
    }
    // The next thing is not chance: nothing is drawn.
    let dealt = json!({"game": "kuhn-poker", "moves": ["J", "Q"]});
    check(&server, dealt, json!(1), 2);
    // The same seed, the same cards.
    let request = json!({"game": "kuhn-poker", "chance_seed": 7});
    let text = |_| server.post("/position", &request).json()["position"].clone();
    assert_eq!(text(0), text(1));
    let refused = server.post("/position", &json!({"game": "kuhn-poker", "chance_seed": -1}));
    assert_eq!(refused.status, 400, "{}", refused.body);
    assert!(refused.body.contains("chance_seed"), "{}", refused.body);
}

#[test]
fn a_server_shows_each_player_what_its_seat_sees() {
    let server = Server::start(&[]);
    built("kuhn-equilibrium.wasm");
    let player = |name: &str, seat: u8| json!({"name": name, "seats": [seat], "budget": "none", "person": {}});
    let request = json!({
        "game": "kuhn-poker", "variant": "standard",
        "players": [player("Anna", 0), player("Ben", 1)],
    });
    let (room, tickets) = server.room(&request);
    let mut anna = server.enter(&room, Some(&tickets[0]), None);
    let mut ben = server.enter(&room, Some(&tickets[1]), None);
    let mut spectator = server.enter(&room, None, None);
    let dealt = |snapshot: &Value| snapshot["plies"].as_array().is_some_and(|it| it.len() == 2);
    let snapshot = |socket: &mut crate::server::Socket, is_it: &dyn Fn(&Value) -> bool| loop {
        let found = socket.until("snapshot");
        if is_it(&found) {
            return found;
        }
    };
    let of_anna = snapshot(&mut anna, &dealt);
    let of_ben = snapshot(&mut ben, &dealt);
    let of_spectator = snapshot(&mut spectator, &dealt);
    let position = |snapshot: &Value| snapshot["position"]["position"].as_str().unwrap().to_owned();
    let (first, second) = (position(&of_anna), position(&of_ben));
    assert!(
        first.ends_with("?:") && second.starts_with('?') && second.len() == 3,
        "{first} {second}"
    );
    assert_eq!(position(&of_spectator), "??:");
    assert_eq!(of_anna["position"]["legal"], json!(["pass", "bet"]));
    assert_eq!(of_ben["position"]["legal"], json!([]));
    for found in [&of_anna, &of_ben, &of_spectator] {
        assert_eq!((&found["seed"], &found["plies"][0]["seat"]), (&Value::Null, &Value::Null));
    }
    // The room's page shows the same as the socket, by the ticket of the caller.
    let public = server.get(&format!("/rooms/{room}")).json();
    assert_eq!(position(&public), "??:");
    // The stored record holds the seed and both cards: it can be read only after the end.
    anna.play("bet", 2);
    let moved = |snapshot: &Value| snapshot["plies"].as_array().is_some_and(|it| it.len() == 3);
    let of_ben = snapshot(&mut ben, &moved);
    let refused = server.get(&format!("/rooms/{room}/record"));
    assert_eq!(refused.status, 409, "{}", refused.body);
    assert!(refused.body.contains("once the bout is over"), "{}", refused.body);

    assert_eq!(position(&of_ben), format!("{second}b"));
    ben.play("bet", 3);
    let over = |snapshot: &Value| snapshot["state"] == "over";
    let end = snapshot(&mut spectator, &over);
    let all = format!("{}{}:bb", &first[..1], &second[1..2]);
    assert_eq!(position(&end), all, "everything is shown after the end");
    assert!(end["seed"].is_number() && end["result"]["scores"].is_array(), "{end}");
    let record = server.get(&format!("/rooms/{room}/record")).json();
    assert_eq!(record["seed"], end["seed"]);
}

#[test]
fn a_server_asks_the_seats_of_a_step_one_after_another() {
    let server = Server::start(&[]);
    built("kuhn-equilibrium.wasm");
    let player = |name: &str, seat: u8| json!({"name": name, "seats": [seat], "budget": "none", "person": {}});
    let request = json!({
        "game": "goofspiel", "variant": "standard-2",
        "players": [player("Anna", 0), player("Ben", 1)],
    });
    let (room, tickets) = server.room(&request);
    let mut anna = server.enter(&room, Some(&tickets[0]), None);
    let mut ben = server.enter(&room, Some(&tickets[1]), None);
    let mut spectator = server.enter(&room, None, None);
    let asked = |socket: &mut crate::server::Socket, seat: u8, plies: usize| loop {
        let found = socket.until("snapshot");
        let is_asked = found["position"]["to_move"] == seat;
        if is_asked && found["plies"].as_array().is_some_and(|it| it.len() == plies) {
            return found;
        }
    };
    let places = |snapshot: &Value| snapshot["position"]["board"]["moves"].clone();
    let of_anna = asked(&mut anna, 0, 1);
    assert_eq!(of_anna["position"]["legal"], json!(["1", "2"]));
    assert_eq!(places(&of_anna)[1], json!({"move": "2", "places": ["first-2"]}));
    anna.play("2", 1);
    // Ben is asked without a ply of Anna, and does not see what she has chosen.
    let of_ben = asked(&mut ben, 1, 1);
    assert_eq!(of_ben["position"]["legal"], json!(["1", "2"]));
    assert_eq!(places(&of_ben)[1], json!({"move": "2", "places": ["second-2"]}));
    let of_others = asked(&mut spectator, 1, 1);
    let seen = (&of_others["position"]["legal"], &places(&of_others));
    assert_eq!(seen, (&json!([]), &Value::Null));
    ben.play("1", 1);
    asked(&mut anna, 0, 4);
}
