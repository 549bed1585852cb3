//! Lost connections and killed servers: games continue.

use serde_json::json;

use super::*;

#[test]
fn a_reconnecting_client_receives_missed_events() {
    let server = Server::start(&[]);
    let (room, tickets) = server.room(&two("none"));
    let mut anna = server.enter(&room, Some(&tickets[0]), None);
    let mut bob = server.enter(&room, Some(&tickets[1]), None);
    let seq = anna.until("began")["seq"].as_u64().unwrap();
    drop(bob);
    while anna.until("presence")["players"][1]["state"] != "absent" {}
    anna.play("h8", 0);
    bob = server.enter(&room, Some(&tickets[1]), Some(seq));
    let first = bob.next().unwrap();
    assert_eq!((&first["type"], &first["seq"]), (&json!("moved"), &json!(seq + 1)));
    while anna.until("presence")["players"][1]["state"] != "present" {}
    for since in [seq + 1000, u64::MAX] {
        let mut lost = server.enter(&room, None, Some(since));
        assert_eq!(lost.next().unwrap()["type"], "snapshot", "{since} is in the future");
    }
    for ply in 1..40 {
        // More events than the room keeps.
        let (mover, other) =
            if ply % 2 == 1 { (&mut bob, &mut anna) } else { (&mut anna, &mut bob) };
        let column = char::from(b'a' + (ply % 15) as u8);
        if ply % 2 == 1 {
            mover.play(&format!("{column}1"), 1);
        } else {
            other.acknowledged(json!({"type": "undo"}));
            mover.acknowledged(json!({"type": "accept-undo"}));
        }
    }
    let mut lost = server.enter(&room, None, Some(seq));
    assert_eq!(lost.next().unwrap()["type"], "snapshot", "too many events were missed");
}

#[test]
fn a_killed_server_resumes_its_games() {
    check_resumed_games(&[]);
}

#[test]
fn a_killed_server_resumes_its_games_from_a_database() {
    check_resumed_games(&["--store", &sandboard_builder::postgres::create_database().unwrap()]);
}

fn check_resumed_games(arguments: &[&str]) {
    let mut server = Server::start(arguments);
    let (room, tickets) = server.room(&two("10m+1s"));
    let (waiting, _) = server.room(&two("5s/move"));
    let (person, one) = server.room(&against("random-mover", json!({})));
    let mut anna = server.enter(&room, Some(&tickets[0]), None);
    let mut bob = server.enter(&room, Some(&tickets[1]), None);
    let mut alone = server.enter(&person, Some(&one[0]), None);
    anna.until("began");
    alone.until("began");
    anna.play("h8", 0);
    bob.play("i9", 1);
    alone.exchange("h8", 0);
    let before = server.get(&format!("/rooms/{room}")).json();
    let seq = before["seq"].as_u64().unwrap();
    server.kill_and_restart();

    assert_eq!(server.get(&format!("/rooms/{waiting}")).json()["state"], "waiting");
    let view = server.get(&format!("/rooms/{room}")).json();
    assert_eq!(view["plies"], before["plies"]);
    assert_eq!(view["players"][0]["state"], "absent");
    let left = view["players"][0]["clock"]["game_ms_left"].as_i64().unwrap();
    let after_move = view["plies"][0]["clock_ms_left"].as_i64().unwrap();
    assert!((1..=after_move).contains(&left), "{left} of {after_move}");
    let mut anna = server.enter(&room, Some(&tickets[0]), Some(seq));
    assert_eq!(
        anna.next().unwrap()["type"],
        "snapshot",
        "event numbers of the previous process are not reused"
    );
    let mut bob = server.enter(&room, Some(&tickets[1]), None);
    anna.until("began");
    anna.play("h9", 2);
    bob.play("i10", 3);
    let mut alone = server.enter(&person, Some(&one[0]), None);
    assert_eq!(alone.until("snapshot")["plies"].as_array().unwrap().len(), 2);
    alone.until("began");
    alone.send_and_wait(json!({"type": "resign"}), "ended");
    server.kill_and_restart();
    let bouts = server.get("/bouts").json();
    assert_eq!(bouts["bouts"].as_array().unwrap().len(), 1, "{bouts}");
    assert_eq!(bouts["bouts"][0]["id"], person.as_str());
    assert_eq!(server.get(&format!("/rooms/{person}")).status, 410);
    assert_eq!(server.get(&format!("/rooms/{room}")).json()["plies"].as_array().unwrap().len(), 4);
}

#[test]
fn the_win_can_be_claimed_against_an_absent_player() {
    let server = Server::start(&["--grace", "0"]);
    let (room, tickets) = server.room(&two("none"));
    let mut anna = server.enter(&room, Some(&tickets[0]), None);
    let bob = server.enter(&room, Some(&tickets[1]), None);
    anna.until("began");
    anna.refused(json!({"type": "claim-win"}), "conflict");
    drop(bob);
    while anna.until("presence")["players"][1]["state"] != "gone" {}
    let ended = anna.send_and_wait(json!({"type": "claim-win"}), "ended");
    assert_eq!(
        (&ended["result"]["winner"], &ended["result"]["termination"]),
        (&json!(0), &json!("disconnected"))
    );
}

#[test]
fn an_absent_player_loses_a_timed_game_on_time() {
    let server = Server::start(&["--grace", "0"]);
    let (room, tickets) = server.room(&two("200ms/move"));
    let anna = server.enter(&room, Some(&tickets[0]), None);
    let mut bob = server.enter(&room, Some(&tickets[1]), None);
    drop(anna);
    let ended = bob.until("ended");
    assert_eq!(
        (&ended["result"]["winner"], &ended["result"]["termination"]),
        (&json!(1), &json!("timeout"))
    );
}

#[test]
fn the_clock_of_an_absent_player_is_held() {
    let server = Server::start(&["--grace", "100000"]);
    let (room, tickets) = server.room(&two("10m"));
    let anna = server.enter(&room, Some(&tickets[0]), None);
    let mut bob = server.enter(&room, Some(&tickets[1]), None);
    bob.until("began");
    drop(anna);
    let still = bob.until("thinking");
    assert_eq!(
        (&still["player"], &still["players"][0]["clock"]["running"]),
        (&json!(0), &json!(false))
    );
    let mut anna = server.enter(&room, Some(&tickets[0]), None);
    assert_eq!(bob.until("thinking")["players"][0]["clock"]["running"], true);
    anna.play("h8", 0);
    // An absent player gets the grace period when it becomes their turn.
    drop(bob);
    let still = anna.until("thinking");
    assert_eq!(
        (&still["player"], &still["players"][1]["clock"]["running"]),
        (&json!(1), &json!(false))
    );
}

#[test]
fn an_engine_replaces_an_absent_player() {
    let server = Server::start(&["--grace", "0"]);
    let (room, tickets) = server.room(&two("none"));
    let mut anna = server.enter(&room, Some(&tickets[0]), None);
    let bob = server.enter(&room, Some(&tickets[1]), None);
    anna.until("began");
    anna.play("h8", 0);
    drop(bob);
    while anna.until("presence")["players"][1]["state"] != "gone" {}
    let no_such = json!({"type": "seat-engine", "player": 1, "engine": {"id": "missing"}});
    anna.refused(no_such, "unusable-engine");
    let mut watcher = server.enter(&room, None, None);
    watcher.until("snapshot");
    anna.acknowledged(
        json!({"type": "seat-engine", "player": 1, "engine": {"id": "random-mover"}}),
    );
    let seated = watcher.until("seated");
    assert_eq!(
        (&seated["kind"], &seated["engine"]["id"]),
        (&json!("engine"), &json!("random-mover"))
    );
    let moved = watcher.until("moved");
    assert_eq!((&moved["ply"]["ply"], &moved["ply"]["player"]), (&json!(1), &json!(1)));
    anna.play("a1", 2);
}
