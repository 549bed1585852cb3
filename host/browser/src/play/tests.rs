//! Requests of a page without an engine: positions, a bout of two people, and what is refused.

use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::Play;

fn from<T: DeserializeOwned>(request: Value) -> T {
    serde_json::from_value(request).expect("a request")
}

fn ignore() -> super::Reports {
    Arc::new(|_| ())
}

/// A bout of two people.
fn people(moves: &[&str]) -> Value {
    let player = |seat: u8| json!({ "name": format!("p{seat}"), "seats": [seat], "engine": null });
    json!({
        "game": "gomoku", "variant": "freestyle", "start": null, "moves": moves, "seed": 7,
        "date": "2026-07-01T12:34:56Z", "players": [player(0), player(1)],
    })
}

fn act(play: &mut Play, action: Value) -> Result<Value, String> {
    let answer = play.act(from(json!({ "now_us": 5, "action": action })))?;
    play.run(&from(json!({ "now_us": 6 })))?;
    Ok(answer)
}

#[test]
fn positions_are_those_of_the_rules() {
    let play = Play::default();
    let check = |game: &str, variant: &str, moves: &[&str], expected: Result<(&str, u64), &str>| {
        let request = json!({ "game": game, "variant": variant, "moves": moves });
        let position = play.position(from(request));
        match (position, expected) {
            (Ok(position), Ok((pointer, value))) => {
                assert_eq!(position.pointer(pointer), Some(&json!(value)), "{position}");
            }
            (Err(error), Err(part)) => assert!(error.contains(part), "{error}"),
            (found, expected) => panic!("{game} {moves:?}: {found:?}, not {expected:?}"),
        }
    };
    check("gomoku", "freestyle", &[], Ok(("/to_move", 0)));
    check("gomoku", "freestyle", &["h8"], Ok(("/to_move", 1)));
    check("gomoku", "freestyle", &["h8", "h8"], Err("h8"));
    check("gomoku", "sideways", &[], Err("sideways"));
    check("go", "", &[], Err("no game `go`"));
}

#[test]
fn people_play_and_take_back() {
    let mut play = Play::default();
    play.begin(from(people(&["a1"])), ignore()).unwrap();
    let state = play.run(&from(json!({ "now_us": 1 }))).unwrap();
    assert_eq!((&state["to_move"], &state["can_undo"]), (&json!(1), &json!(false)));
    let mv = |text: &str| json!({ "type": "move", "move": text });
    let refused = act(&mut play, mv("a1")).unwrap_err();
    assert!(refused.contains("stone"), "{refused}");
    let state = act(&mut play, mv("h8")).unwrap();
    assert_eq!(state["plies"][0]["move"], "h8");
    let state = act(&mut play, mv("i9")).unwrap();
    assert_eq!((state["plies"].as_array().unwrap().len(), &state["can_undo"]), (2, &json!(true)));
    let state = act(&mut play, json!({ "type": "undo", "player": 0 })).unwrap();
    assert_eq!(state["plies"].as_array().unwrap().len(), 1);
    let state = act(&mut play, json!({ "type": "resign", "player": 0 })).unwrap();
    assert_eq!((&state["to_move"], &state["result"]["winner"]), (&json!(null), &json!(1)));
    let record = play.record(from(json!({ "now_us": 9, "date": "2026-07-01T12:35:00Z" })));
    let record: Value = serde_json::from_str(record.unwrap().as_str().unwrap()).unwrap();
    assert_eq!((&record["opening"][0]["move"], &record["seed"]), (&json!("a1"), &json!(7)));
    assert_eq!(record["saved_at"], "2026-07-01T12:35:00Z");
}

#[test]
fn a_game_that_is_dealt_is_dealt_by_the_seed() {
    let mut play = Play::default();
    let mut start = |game: &str, seed: u64, start: Value| {
        let mut request = people(&[]);
        request["game"] = json!(game);
        request["variant"] = json!("");
        request["seed"] = json!(seed);
        request["start"] = start;
        if game == "bridge" {
            request["players"][0]["seats"] = json!([0, 2]);
            request["players"][1]["seats"] = json!([1, 3]);
        }
        play.begin(from(request), ignore()).unwrap()["start"].clone()
    };
    assert_eq!(start("gomoku", 1, Value::Null), Value::Null);
    let dealt = start("bridge", 1, Value::Null);
    assert!(dealt.is_string());
    assert_eq!(start("bridge", 1, Value::Null), dealt);
    assert_ne!(start("bridge", 2, Value::Null), dealt);
    assert_eq!(start("bridge", 2, dealt.clone()), dealt);
}

#[test]
fn what_cannot_be_done_is_refused() {
    let mut play = Play::default();
    let check = |found: Result<Value, String>, part: &str| {
        let error = found.expect_err(part);
        assert!(error.contains(part), "{error}");
    };
    check(play.run(&from(json!({ "now_us": 0 }))), "no bout");
    check(play.record(from(json!({ "now_us": 0, "date": "" }))), "no bout");
    let load = |assets: &[&str]| json!({ "file": "e", "memory_bytes": 1 << 26, "assets": assets });
    check(play.load_engine(from(load(&[]))), "`e` was not added");
    play.add_file("e".into(), b"no module".to_vec()).unwrap();
    check(play.load_engine(from(load(&["table"]))), "`table` was not added");
    play.add_file("e".into(), b"no module".to_vec()).unwrap();
    check(play.load_engine(from(load(&[]))), "the engine ");
    let strength = json!({ "fuel": 1000, "options": {} });
    let mut engine = people(&[]);
    engine["players"][1]["engine"] = strength.clone();
    check(play.begin(from(engine), ignore()), "no engine");
    let mut seats = people(&[]);
    seats["players"][1]["seats"] = json!([0]);
    check(play.begin(from(seats), ignore()), "seat 0");
    check(play.begin(from(people(&["h8", "h8"])), ignore()), "h8");
    let analysis = json!({
        "game": "gomoku", "variant": "freestyle", "strength": strength, "lines": 1,
    });
    check(play.analyse(from(analysis), ignore()), "no engine");
}
