//! Games played over sockets: two people, engines, spectators, and actions that are refused.

use serde_json::json;

use super::*;

#[test]
fn two_people_play_to_the_end() {
    let server = Server::start(&[]);
    let (room, tickets) = server.room(&two("10m"));
    let mut anna = server.enter(&room, Some(&tickets[0]), None);
    let first = anna.until("snapshot");
    assert_eq!((&first["state"], &first["own_player"]), (&json!("waiting"), &json!(0)));
    assert_eq!(first["players"][1]["state"], "open");
    anna.refused(json!({"type": "move", "move": "h8", "ply": 0}), "conflict");
    let mut bob = server.enter(&room, Some(&tickets[1]), None);
    let began = anna.until("began");
    assert_eq!(began["state"], "playing");
    assert_eq!(began["players"][0]["clock"]["running"], true);
    assert_eq!(began["players"][1]["clock"]["game_ms_left"], 600_000);
    let mut watcher = server.enter(&room, None, None);
    assert_eq!(watcher.until("snapshot")["own_player"], Value::Null);

    let moves = ["h8", "a1", "i8", "a2", "j8", "a3", "k8", "a4", "l8"];
    for (ply, mv) in moves.iter().enumerate() {
        let mover = if ply % 2 == 0 { &mut anna } else { &mut bob };
        mover.play(mv, ply as u32);
    }
    let mut moved = String::new();
    let ended = loop {
        let event = watcher.next().expect("the end");
        match event["type"].as_str() {
            Some("moved") => moved = format!("{moved} {}", event["ply"]["move"].as_str().unwrap()),
            Some("ended") => break event,
            _ => (),
        }
    };
    assert_eq!(moved.trim(), moves.join(" "));
    assert_eq!(ended["result"]["winner"], 0);
    assert_eq!(ended["result"]["sentence"], "Anna (black) wins: five in a row");
    anna.refused(json!({"type": "resign"}), "conflict");

    let bouts = server.get("/bouts?name=ann").json();
    assert_eq!(bouts["bouts"][0]["id"], room.as_str());
    assert_eq!(bouts["bouts"][0]["plies"], 9);
    let record = server.get(&format!("/bouts/{room}")).json();
    assert_eq!(record["plies"][8]["move"], "l8");
    let view = server.get(&format!("/rooms/{room}")).json();
    assert_eq!((&view["state"], &view["plies"][0]["spent_ms"].is_u64()), (&json!("over"), &true));
    let sgf = server.get(&format!("/rooms/{room}/export/sgf"));
    assert!(sgf.status == 200 && sgf.body.starts_with("(;"), "{}", sgf.body);
    assert_eq!(server.get(&format!("/rooms/{room}/export/none")).status, 404);
}

#[test]
fn a_room_begins_with_the_moves_of_another_game() {
    let server = Server::start(&[]);
    let request = |change: Value| {
        let mut request = two("none");
        for (name, value) in change.as_object().unwrap() {
            request[name] = value.clone();
        }
        request
    };
    let refused = |change: Value, status: u16, expected: &str| {
        let answer = server.post("/rooms", &request(change));
        assert_eq!(answer.status, status, "{}", answer.body);
        assert!(answer.body.contains(expected), "{}, not {expected}", answer.body);
    };
    refused(json!({"moves": ["h8", "i9", "h8"]}), 422, "moves[2]");
    refused(json!({"moves": ["h8", "i9", "h8"]}), 422, "`h8` is refused");
    refused(json!({"moves": vec!["h8"; 20_001]}), 400, "moves");

    let (room, tickets) = server.room(&request(json!({"moves": ["h8", "i9", "h9"]})));
    let mut anna = server.enter(&room, Some(&tickets[0]), None);
    let mut bob = server.enter(&room, Some(&tickets[1]), None);
    let view = anna.until("snapshot");
    let opening = json!([
        {"seat": 0, "move": "h8"}, {"seat": 1, "move": "i9"}, {"seat": 0, "move": "h9"},
    ]);
    assert_eq!((&view["opening"], &view["start"]), (&opening, &Value::Null));
    assert_eq!((&view["plies"], &view["position"]["to_move"]), (&json!([]), &json!(1)));
    anna.until("began");
    // Plies count from the beginning of the bout.
    bob.refused(json!({"type": "undo", "plies": 1}), "conflict");
    bob.play("i8", 0);
    bob.refused(json!({"type": "undo", "plies": 2}), "conflict");
    anna.play("h10", 1);
    let record = server.get(&format!("/rooms/{room}/record")).json();
    assert_eq!((&record["opening"], &record["start"]), (&opening, &Value::Null));
    let sgf = server.get(&format!("/rooms/{room}/export/sgf")).body;
    assert_eq!(sgf.matches(";B[").count() + sgf.matches(";W[").count(), 5, "{sgf}");
    let ended = anna.send_and_wait(json!({"type": "resign"}), "ended");
    assert_eq!(ended["result"]["winner"], 1);

    // A game that continues this one has the moves of both.
    let record = server.get(&format!("/bouts/{room}")).json();
    let (next, _) = server.room(&request(json!({"record": record, "ply": 1})));
    let view = server.get(&format!("/rooms/{next}")).json();
    let moves: Vec<&Value> =
        view["opening"].as_array().unwrap().iter().map(|mv| &mv["move"]).collect();
    assert_eq!(moves, ["h8", "i9", "h9", "i8"]);
}

#[test]
fn repetitions_count_the_moves_before_the_bout() {
    let server = Server::start(&[]);
    // The start position comes back after each round; the third time, red and black draw.
    let round = ["h0g2", "h9g7", "g2h0", "g7h9"];
    let mut request = two("none");
    request["game"] = json!("xiangqi");
    request["variant"] = json!("");
    request["moves"] = json!(round);
    let (room, tickets) = server.room(&request);
    let mut anna = server.enter(&room, Some(&tickets[0]), None);
    let mut bob = server.enter(&room, Some(&tickets[1]), None);
    anna.until("began");
    for (ply, mv) in round[..3].iter().enumerate() {
        let mover = if ply % 2 == 0 { &mut anna } else { &mut bob };
        mover.play(mv, ply as u32);
    }
    let last = json!({"type": "move", "move": round[3], "ply": 3});
    let ended = bob.send_and_wait(last, "ended");
    assert_eq!(ended["result"]["winner"], Value::Null, "{ended}");
    assert_eq!(ended["result"]["termination"], "rules", "{ended}");
    // Files for other programs have the moves of both games.
    let pgn = server.get(&format!("/rooms/{room}/export/pgn")).body;
    assert_eq!(pgn.matches('马').count(), 8, "{pgn}");
}

#[test]
fn an_engine_answers_a_move() {
    let server = Server::start(&[]);
    let (room, tickets) = server.room(&against("gomoku-alpha", json!({"depth": 2})));
    let mut anna = server.enter(&room, Some(&tickets[0]), None);
    anna.until("began");
    let moved = anna.exchange("h8", 0);
    assert_eq!((&moved["ply"]["player"], &moved["position"]["to_move"]), (&json!(1), &json!(0)));
    assert_eq!(anna.send_and_wait(json!({"type": "undo"}), "undone")["plies"], 2);
    anna.exchange("h8", 0);
    anna.send_and_wait(json!({"type": "pause"}), "paused");
    assert!(
        anna.refused(json!({"type": "move", "move": "c3", "ply": 2}), "illegal-move")
            .contains("paused")
    );
    anna.send_and_wait(json!({"type": "resume"}), "resumed");
    let ended = anna.send_and_wait(json!({"type": "resign"}), "ended");
    assert_eq!(ended["result"]["termination"], "resignation");
    let record = server.get(&format!("/rooms/{room}/record")).json();
    assert_eq!(record["players"][1]["engine"]["options"]["depth"], "2");
}

#[test]
fn a_crashing_engine_loses_with_its_reason() {
    let server = Server::start(&[]);
    let (room, tickets) = server.room(&against("faulty", json!({"fault": "panic"})));
    let mut anna = server.enter(&room, Some(&tickets[0]), None);
    anna.until("began");
    let mut watcher = server.enter(&room, None, None);
    watcher.until("snapshot");
    anna.play("h8", 0);
    assert_eq!(watcher.until("faulted")["player"], 1);
    let ended = watcher.until("ended");
    assert_eq!(
        (&ended["result"]["winner"], &ended["result"]["termination"]),
        (&json!(0), &json!("fault"))
    );
}

#[test]
fn engines_play_each_other() {
    let server = Server::start(&[]);
    let engine =
        |seat: u8| json!({"seats": [seat], "budget": "60s/move", "engine": {"id": "random-mover"}});
    let request = json!({"game": "gomoku", "players": [engine(0), engine(1)]});
    let (room, tickets) = server.room(&request);
    let mut host = server.enter(&room, Some(&tickets[0]), None);
    let view = host.until("snapshot");
    assert_eq!(view["own_player"], Value::Null);
    if view["state"] != "over" {
        host.until("ended");
    }
    let view = server.get(&format!("/rooms/{room}")).json();
    assert_eq!(view["result"]["termination"], "rules");
    assert_eq!(
        view["plies"].as_array().unwrap().len() as u64,
        view["plies"].as_array().unwrap().last().unwrap()["ply"].as_u64().unwrap() + 1
    );
}

#[test]
fn players_cannot_act_for_others() {
    let server = Server::start(&[]);
    let (room, tickets) = server.room(&two("none"));
    let mut anna = server.enter(&room, Some(&tickets[0]), None);
    let mut bob = server.enter(&room, Some(&tickets[1]), None);
    anna.until("began");
    let at = |mv: &str, ply: u32| json!({"type": "move", "move": mv, "ply": ply});
    assert_eq!(bob.refused(at("h8", 0), "illegal-move"), "it is not your turn");
    anna.play("h8", 0);
    assert!(anna.refused(at("i9", 0), "illegal-move").contains("for ply 0"));
    assert_eq!(anna.refused(at("i9", 1), "illegal-move"), "it is not your turn");
    assert!(bob.refused(at("h8", 1), "illegal-move").contains("h8"));
    bob.refused(json!({"type": "pause"}), "forbidden");
    bob.refused(json!({"type": "claim-win"}), "conflict");
    bob.refused(
        json!({"type": "seat-engine", "player": 0, "engine": {"id": "random-mover"}}),
        "forbidden",
    );
    bob.refused(json!({"type": "dance"}), "bad-request");
    let mut watcher = server.enter(&room, None, None);
    watcher.refused(at("i9", 1), "forbidden");
    let mut impostor = server.enter(&room, Some("0123456789abcdef0123456789abcdef"), None);
    assert_eq!(impostor.next(), None);
    bob.play("i9", 1);
}

#[test]
fn a_host_cannot_stop_the_game_of_another_person() {
    let server = Server::start(&[]);
    let (room, tickets) = server.room(&two("none"));
    let mut anna = server.enter(&room, Some(&tickets[0]), None);
    let mut bob = server.enter(&room, Some(&tickets[1]), None);
    anna.until("began");
    let permissions = |ticket: &str| {
        let headers = [("X-Ticket", ticket)];
        let path = format!("/api/v1/rooms/{room}");
        server.http("GET", &path, &headers, b"").json()["permissions"].clone()
    };
    assert_eq!(permissions(&tickets[0])["host"], true);
    assert_eq!(permissions(&tickets[0])["pause"], false);
    assert_eq!(permissions(&tickets[1])["host"], false);
    let pause = json!({"type": "pause"});
    let refused = "a game against another person cannot be paused";
    assert_eq!(anna.refused(pause.clone(), "forbidden"), refused);
    anna.refused(
        json!({"type": "seat-engine", "player": 1, "engine": {"id": "random-mover"}}),
        "forbidden",
    );
    anna.play("h8", 0);
    bob.play("i9", 1);
    let abort = json!({"type": "abort"});
    assert!(anna.refused(abort.clone(), "forbidden").contains("resign, or agree on a draw"));
    bob.refused(abort.clone(), "forbidden");
    bob.acknowledged(json!({"type": "resign"}));

    // Until both have moved, the host may end the game.
    let (room, tickets) = server.room(&two("none"));
    let mut anna = server.enter(&room, Some(&tickets[0]), None);
    let _bob = server.enter(&room, Some(&tickets[1]), None);
    anna.until("began");
    anna.play("h8", 0);
    assert_eq!(anna.send_and_wait(abort, "ended")["result"]["termination"], "aborted");
}

#[test]
fn a_repeated_message_is_handled_once() {
    let server = Server::start(&[]);
    let (room, tickets) = server.room(&two("none"));
    let mut anna = server.enter(&room, Some(&tickets[0]), None);
    let mut bob = server.enter(&room, Some(&tickets[1]), None);
    anna.until("began");
    let first = anna.send_with_id("x", json!({"type": "move", "move": "h8", "ply": 0}));
    bob.play("i9", 1);
    let again = anna.send_with_id("x", json!({"type": "move", "move": "h8", "ply": 0}));
    assert_eq!((&first["type"], &first), (&json!("ack"), &again));
    let wrong = anna.send_with_id("y", json!({"type": "move", "move": "h8", "ply": 2}));
    assert_eq!(wrong["type"], "error");
    assert_eq!(anna.send_with_id("y", json!({"type": "move", "move": "c3", "ply": 2})), wrong);
    assert_eq!(
        bob.send_with_id("x", json!({"type": "resign"}))["type"],
        "ack",
        "ids belong to a ticket"
    );
    let view = server.get(&format!("/rooms/{room}")).json();
    assert_eq!(view["plies"].as_array().unwrap().len(), 2);
}

#[test]
fn undos_and_draws_need_consent() {
    let server = Server::start(&[]);
    let (room, tickets) = server.room(&two("none"));
    let mut anna = server.enter(&room, Some(&tickets[0]), None);
    let mut bob = server.enter(&room, Some(&tickets[1]), None);
    anna.until("began");
    anna.play("h8", 0);
    anna.acknowledged(json!({"type": "undo"}));
    assert_eq!(bob.until("undo-requested")["plies"], 1);
    anna.refused(json!({"type": "accept-undo"}), "conflict");
    bob.acknowledged(json!({"type": "decline-undo"}));
    anna.until("undo-declined");
    bob.refused(json!({"type": "accept-undo"}), "conflict");
    anna.acknowledged(json!({"type": "undo"}));
    bob.until("undo-requested");
    bob.acknowledged(json!({"type": "accept-undo"}));
    assert_eq!(anna.until("undone")["plies"], 1);
    anna.refused(json!({"type": "undo", "plies": 5}), "conflict");
    anna.acknowledged(json!({"type": "offer-draw"}));
    assert_eq!(bob.until("draw-offered")["player"], 0);
    anna.refused(json!({"type": "accept-draw"}), "conflict");
    bob.acknowledged(json!({"type": "accept-draw"}));
    assert_eq!(anna.until("ended")["result"]["termination"], "draw-agreed");

    let ticket = [("X-Ticket", tickets[0].as_str())];
    let path = format!("/api/v1/rooms/{room}/rematch");
    assert_eq!(server.http("POST", &path, &[], b"").status, 403);
    let next = server.http("POST", &path, &ticket, b"").json();
    assert_eq!(bob.until("rematch")["room"], next["room"]);
    let again = server.http("POST", &path, &[("X-Ticket", tickets[1].as_str())], b"").json();
    assert_eq!(again["room"], next["room"]);
    let mut bob = server.enter(next["room"].as_str().unwrap(), Some(&tickets[1]), None);
    let view = bob.until("snapshot");
    assert_eq!((&view["own_player"], &view["players"][1]["seats"]), (&json!(1), &json!([0])));
}
