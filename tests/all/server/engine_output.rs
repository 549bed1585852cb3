//! Engine output during a bout, engine usage in finished bouts, and analyses, which end when
//! their reader leaves.

use serde_json::json;

use super::*;

/// The log texts of engines in a room, with their plies.
fn log_texts(server: &Server, room: &str) -> Vec<(u64, String)> {
    let view = server.get(&format!("/rooms/{room}")).json();
    let log = view["log"].as_array().unwrap().iter();
    let line = |it: &Value| (it["at_ply"].as_u64().unwrap(), it["text"].as_str().unwrap().into());
    log.filter(|it| it["kind"] == "engine").map(line).collect()
}

#[test]
fn log_texts_are_sent_with_their_ply() {
    let server = Server::start(&[]);
    let (room, tickets) = server.room(&against("faulty", json!({"fault": "query-host"})));
    let mut anna = server.enter(&room, Some(&tickets[0]), None);
    let name = anna.until("began")["players"][1]["name"].as_str().unwrap().to_owned();
    anna.play("h8", 0);
    let first = anna.until("log");
    assert_eq!(
        (&first["kind"], &first["at_ply"], &first["text"]),
        (&json!("engine"), &json!(1), &json!(format!("{name}: left true")))
    );
    let ply = |event: Value| event["ply"]["ply"].clone();
    assert_eq!(ply(anna.until("moved")), 1);
    // The engine logs fourteen texts at each move, of which eight are sent.
    let texts = log_texts(&server, &room);
    assert_eq!(texts.len(), 9, "{texts:?}");
    assert!(texts.iter().all(|(at_ply, _)| *at_ply == 1), "{texts:?}");
    assert_eq!(texts[1].1, format!("{name}: legal Ok(224)"));
    assert_eq!(texts[8].1, format!("{name} wrote more log texts; all are in the record"));
    anna.play("a15", 2);
    anna.until("moved");
    let texts = log_texts(&server, &room);
    assert_eq!((texts.len(), texts[9].0), (18, 3), "{texts:?}");
    anna.send_and_wait(json!({"type": "resign"}), "ended");
    let record = server.get(&format!("/bouts/{room}")).json();
    let kept = record["logs"].as_array().unwrap();
    assert_eq!(kept.len(), 28);
    assert_eq!(kept[1]["text"], "legal Ok(224)");
}

#[test]
fn excess_log_texts_are_replaced_by_one_notice() {
    let server = Server::start(&[]);
    let (room, tickets) = server.room(&against("faulty", json!({"fault": "log-flood"})));
    let mut anna = server.enter(&room, Some(&tickets[0]), None);
    anna.until("began");
    anna.play("h8", 0);
    anna.until("moved");
    let texts = log_texts(&server, &room);
    assert_eq!(texts.len(), 9, "{texts:?}");
    assert!(texts[8].1.ends_with(" wrote more log texts; all are in the record"), "{texts:?}");

    let (room, tickets) = server.room(&against("random-mover", json!({})));
    let mut anna = server.enter(&room, Some(&tickets[0]), None);
    anna.until("began");
    anna.play("h8", 0);
    anna.until("moved");
    assert_eq!(log_texts(&server, &room), [], "an engine without log texts");
}

#[test]
fn engine_usage_is_the_sum_of_the_record() {
    let server = Server::start(&[]);
    let engine = |id: &str, seat: u8, options: Value| json!({"seats": [seat], "budget": "60s/move", "engine": {"id": id, "options": options}});
    let bout = |players: [Value; 2]| {
        let (room, tickets) = server.room(&json!({"game": "gomoku", "players": players}));
        let mut host = server.enter(&room, Some(&tickets[0]), None);
        if host.until("snapshot")["state"] != "over" {
            host.until("ended");
        }
        room
    };
    let faulty = engine("faulty", 1, json!({"fault": "panic", "at": 3}));
    let first = bout([engine("random-mover", 0, json!({})), faulty]);
    let last = bout([engine("random-mover", 0, json!({})), engine("random-mover", 1, json!({}))]);
    let usage = |path: &str| {
        let answer = server.get(&format!("/engines/{path}"));
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        answer.json()["usage"].as_array().unwrap().clone()
    };

    let record = server.get(&format!("/bouts/{first}")).json();
    let spent = |seat: u8, name: &str| {
        let plies = record["plies"].as_array().unwrap().iter();
        let own = plies.filter(move |ply| ply["seat"] == seat);
        own.map(|ply| ply["spent"][name].as_u64().unwrap()).collect::<Vec<_>>()
    };
    let found = usage("faulty/usage");
    assert_eq!(found.len(), 1, "{found:?}");
    let fault = record["events"].as_array().unwrap().iter().find(|it| it["event"] == "fault");
    let fault = fault.expect("it panicked");
    let wall_us =
        spent(1, "wall_us").iter().sum::<u64>() + fault["spent"]["wall_us"].as_u64().unwrap();
    let expected = json!({
        "bout": first, "game": "gomoku", "won": false, "moves": 2, "wall_ms": wall_us / 1000,
        "faults": [fault["sentence"]], "sentence": record["result"]["sentence"],
        "variant": record["variant"], "version": record["players"][1]["engine"]["version"],
        "sha256": record["players"][1]["engine"]["module_sha256"], "fuel": null,
    });
    for (name, value) in expected.as_object().unwrap() {
        assert_eq!(&found[0][name], value, "{name} of {}", found[0]);
    }

    let found = usage("random-mover/usage");
    let bouts: Vec<&Value> = found.iter().map(|it| &it["bout"]).collect();
    assert_eq!(json!(bouts), json!([last, last, first]), "newest first, one for each player");
    let (peaks, won) = (spent(0, "peak_memory_bytes"), &found[2]["won"]);
    assert_eq!((&found[2]["memory_bytes"], won), (&json!(peaks.iter().max()), &json!(true)));
    assert_eq!((found[2]["moves"].as_u64(), &found[2]["faults"]), (Some(3), &json!([])));
    let last = server.get(&format!("/bouts/{last}")).json();
    let plies = last["plies"].as_array().unwrap().len() as u64;
    assert_eq!(found[0]["moves"].as_u64().unwrap() + found[1]["moves"].as_u64().unwrap(), plies);
    let winners = [0, 1].map(|side| json!(last["result"]["winner"] == side));
    let draw = last["result"]["winner"].is_null();
    let expected = if draw { [Value::Null, Value::Null] } else { winners };
    assert_eq!([&found[0]["won"], &found[1]["won"]], [&expected[0], &expected[1]]);

    assert_eq!(usage("random-mover/usage?limit=1").len(), 1);
    assert_eq!(usage("gomoku-alpha/usage"), [] as [Value; 0], "in the folder, but never played");
    assert_eq!(server.get("/engines/random/usage").status, 404);
    assert_eq!(server.get("/engines/random-mover/usage?limit=few").status, 400);
}

/// Starts an analysis and reads the first line of the response.
fn start_analysis(server: &Server, engine: Value, budget: &str) -> (u16, BufReader<TcpStream>) {
    let body = json!({
        "game": "gomoku", "moves": ["h8", "i9", "h9", "h10", "g8"], "engine": engine,
        "budget": budget,
    })
    .to_string();
    let stream = TcpStream::connect(&server.authority).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let head = format!(
        "POST /api/v1/analyse HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n\r\n{body}",
        server.authority,
        body.len()
    );
    let mut stream = BufReader::new(stream);
    stream.get_mut().write_all(head.as_bytes()).unwrap();
    let mut line = String::new();
    stream.read_line(&mut line).unwrap();
    (line.split(' ').nth(1).and_then(|it| it.parse().ok()).unwrap_or(0), stream)
}

#[test]
fn an_analysis_ends_when_its_reader_leaves() {
    let server = Server::start(&[]);
    let engine = |id: &str, options: Value| json!({"id": id, "options": options});
    // Neither would ever end: one searches on, the other ignores the request to stop.
    let thinks =
        start_analysis(&server, engine("gomoku-alpha", json!({})), "nodes:1000000000000000");
    let loops = start_analysis(&server, engine("faulty", json!({"fault": "loop"})), "nodes:1000");
    assert_eq!((thinks.0, loops.0), (200, 200));
    let third =
        || start_analysis(&server, engine("faulty", json!({"fault": "loop"})), "nodes:1000");
    assert_eq!(third().0, 429, "both permits are taken");
    drop((thinks, loops));
    // Two others are admitted as soon as they have ended.
    let (since, mut admitted) = (Instant::now(), Vec::new());
    while admitted.len() < 2 {
        assert!(since.elapsed() < PATIENCE, "the analyses go on; ended: {}", admitted.len());
        admitted.extend(Some(third()).filter(|(status, _)| *status == 200));
    }
}

#[test]
fn an_analysis_says_where_the_game_is_over() {
    let server = Server::start(&[]);
    let request = json!({
        "game": "gomoku", "variant": "freestyle-15", "budget": "depth:1",
        "moves": ["h8", "h9", "i8", "i9", "j8", "j9", "k8", "k9", "l8"],
        "engine": {"id": "gomoku-alpha", "options": {}},
    });
    let answer = server.post("/analyse", &request);
    assert_eq!(answer.status, 200, "{}", answer.body);
    let lines = answer.body.lines().map(|line| serde_json::from_str(line).unwrap());
    let lines: Vec<Value> = lines.collect();
    assert_eq!(lines.len(), 10, "{}", answer.body);
    let (last, before) = lines.split_last().unwrap();
    assert!(before.iter().all(|line| line["move"].is_string() && line["over"].is_null()));
    assert_eq!(last, &json!({"ply": 9, "over": "five in a row"}));
}

#[test]
fn an_analysis_has_several_lines_updates_and_threats() {
    let server = Server::start(&[]);
    let analyse = |more: Value| {
        let mut request = json!({
            "game": "gomoku", "variant": "freestyle-15", "budget": "depth:4", "first": 5,
            "moves": ["h8", "a1", "i8", "o15", "j8"], "engine": {"id": "gomoku-alpha"},
        });
        more.as_object().unwrap().clone().into_iter().for_each(|(key, it)| request[key] = it);
        server.post("/analyse", &request)
    };
    let lines = |more: Value| -> Vec<Value> {
        let answer = analyse(more);
        assert_eq!(answer.status, 200, "{}", answer.body);
        answer.body.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let three = lines(json!({"lines": 3}));
    let ranks: Vec<&Value> = three.iter().map(|line| &line["rank"]).collect();
    assert_eq!(ranks, [&json!(1), &json!(2), &json!(3)]);
    let mut moves: Vec<&str> = three.iter().map(|line| line["move"].as_str().unwrap()).collect();
    moves.sort_unstable();
    moves.dedup();
    assert_eq!(moves.len(), 3, "{three:?}");

    // Updates come before the line that replaces them.
    let updated = lines(json!({"updates": true}));
    let (last, before) = updated.split_last().unwrap();
    assert!(last["move"].is_string() && last["thinking"].is_null(), "{updated:?}");
    assert!(!before.is_empty() && before.iter().all(|line| line["thinking"] == true));

    // Black threatens to make four in a row; white, to move, has nothing of the kind.
    let score = |more| lines(more)[0]["score"].as_i64().unwrap();
    assert!(score(json!({"threat": true})) > 29_000);
    assert!(score(json!({})) < 0);
    assert_eq!(
        lines(json!({"game": "reversi", "variant": "standard", "moves": [], "first": 0,
        "engine": {"id": "reversi-simple"}, "threat": true})),
        [json!({"ply": 0})]
    );

    assert_eq!(analyse(json!({"lines": 0})).status, 400);
    assert_eq!(analyse(json!({"lines": 6})).status, 400);
}
