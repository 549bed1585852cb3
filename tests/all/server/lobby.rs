//! The lobby, quick games, the engines folder, files and rules.

use serde_json::json;

use super::*;

/// Waits for a list of engines that satisfies a condition.
fn engines_until(lobby: &mut Socket, fits: impl Fn(&Value) -> bool) -> Value {
    loop {
        let view = lobby.until("engines");
        if fits(&view) {
            return view;
        }
    }
}

fn has(list: &Value, id: &str) -> bool {
    list.as_array().unwrap().iter().any(|engine| engine["id"] == id)
}

fn lobby(server: &Server) -> Socket {
    let mut lobby = server.socket("/lobby/ws", &[]).unwrap();
    lobby.send(&json!({"v": 1, "type": "hello", "ticket": null, "since": null}));
    lobby
}

#[test]
fn players_with_the_same_rules_are_paired() {
    let server = Server::start(&[]);
    let mut lobby = lobby(&server);
    assert_eq!(lobby.until("quick-games")["requests"], json!([]));
    let request = |name: &str, variant: &str| {
        let body = json!({"game": "gomoku", "variant": variant, "budget": "5m", "name": name});
        let answer = server.post("/quick-games", &body);
        assert_eq!(answer.status, 201, "{}", answer.body);
        answer.json()
    };
    let anna = request("Anna", "freestyle");
    let other = request("Eve", "renju");
    let bob = request("Bob", "freestyle");
    assert_eq!(
        (&anna["waiting"], &other["waiting"], &bob["waiting"]),
        (&json!(true), &json!(true), &json!(false))
    );
    assert_eq!(anna["room"], bob["room"]);
    assert_ne!((&anna["player"], &anna["ticket"]), (&bob["player"], &bob["ticket"]));
    assert_ne!(anna["room"], other["room"]);
    let third = request("Cid", "freestyle");
    assert_ne!(third["room"], anna["room"]);
    let room = anna["room"].as_str().unwrap();
    // After the response the change is stored and visible.
    let view = server.get(&format!("/rooms/{room}")).json();
    let bobs = bob["player"].as_u64().unwrap() as usize;
    assert_eq!(view["players"][bobs]["name"], "Bob");
    let mut first = server.enter(room, anna["ticket"].as_str(), None);
    let mut second = server.enter(room, bob["ticket"].as_str(), None);
    first.until("began");
    let view = second.until("snapshot");
    let names = [&view["players"][0]["name"], &view["players"][1]["name"]];
    assert!(names.contains(&&json!("Anna")) && names.contains(&&json!("Bob")), "{names:?}");
    while lobby.until("rooms")["rooms"].as_array().unwrap().len() < 3 {}
    assert_eq!(server.post("/quick-games", &json!({"game": "shogi"})).status, 422);
}

/// Asks for a quick game of freestyle gomoku.
fn seek(server: &Server, name: &str) -> Value {
    let body = json!({"game": "gomoku", "variant": "freestyle", "budget": "5m", "name": name});
    let answer = server.post("/quick-games", &body);
    assert_eq!(answer.status, 201, "{}", answer.body);
    answer.json()
}

/// Waits for a list of this many quick games without an opponent.
fn seeks_until(lobby: &mut Socket, count: usize) {
    while lobby.until("quick-games")["requests"].as_array().unwrap().len() != count {}
}

#[test]
fn a_seek_ends_when_its_player_leaves() {
    let server = Server::start(&[]);
    let mut lobby = lobby(&server);
    let anna = seek(&server, "Anna");
    let room = anna["room"].as_str().unwrap();
    let mut socket = server.enter(room, anna["ticket"].as_str(), None);
    let snapshot = socket.until("snapshot");
    assert_eq!(
        (&snapshot["state"], &snapshot["permissions"]["close"]),
        (&json!("waiting"), &json!(true))
    );
    seeks_until(&mut lobby, 1);
    drop(socket);
    seeks_until(&mut lobby, 0);
    let bob = seek(&server, "Bob");
    assert_ne!(bob["room"], anna["room"], "a player who has left is not paired");
    // After a return in time, the player waits on.
    let mut socket = server.enter(room, anna["ticket"].as_str(), None);
    assert_eq!(socket.until("snapshot")["state"], "waiting");
    seeks_until(&mut lobby, 2);
    drop(socket);
    let mut spectator = server.enter(room, None, None);
    let result = spectator.until("ended")["result"].clone();
    assert_eq!(result["sentence"], "aborted: the player who waited has left");
}

#[test]
fn a_seek_is_cancelled() {
    let server = Server::start(&[]);
    let mut lobby = lobby(&server);
    let anna = seek(&server, "Anna");
    let mut socket = server.enter(anna["room"].as_str().unwrap(), anna["ticket"].as_str(), None);
    socket.until("snapshot");
    seeks_until(&mut lobby, 1);
    socket.send(&json!({"v": 1, "id": "a", "type": "abort"}));
    socket.until("ended");
    seeks_until(&mut lobby, 0);
    // Once the game has begun, a player of a quick game can resign, but not end it for both.
    let [bob, cid] = ["Bob", "Cid"].map(|name| seek(&server, name));
    assert_eq!(bob["room"], cid["room"]);
    let enter =
        |game: &Value| server.enter(game["room"].as_str().unwrap(), game["ticket"].as_str(), None);
    let (mut first, _second) = (enter(&bob), enter(&cid));
    first.until("began");
    first.send(&json!({"v": 1, "id": "a", "type": "abort"}));
    assert_eq!(first.until("error")["kind"], "forbidden");
}

#[test]
fn a_quick_game_is_for_two_players() {
    sandboard_tests::built("random-legal.wasm");
    let server = Server::start(&[]);
    let check = |game: &str, variant: &str, expected: &str| {
        let request = json!({"game": game, "variant": variant, "budget": "5m"});
        let answer = server.post("/quick-games", &request);
        let detail = answer.json()["detail"].as_str().unwrap_or_default().to_owned();
        assert_eq!(detail, expected, "{}", answer.body);
        assert_eq!(answer.status, if expected.is_empty() { 201 } else { 422 }, "{}", answer.body);
    };
    let is_for =
        |what: &str| format!("a quick game is for two players, and {what}; open a room instead");
    check("hearts", "pass-left", &is_for("Hearts pass-left is for 4"));
    check("bridge", "", "");
    check("kuhn-poker", "", "");
    check("chinese-checkers", "two", "");
    check("chinese-checkers", "three", &is_for("Chinese Checkers three is for 3"));
}

#[test]
fn the_board_of_a_room_is_that_of_spectators() {
    let server = Server::start(&[]);
    let board = |room: &str| server.get(&format!("/rooms/{room}/board")).json();
    let (room, tickets) = server.room(&two("5m"));
    assert_eq!(
        (&board(&room)["state"], &board(&room)["last_move"]),
        (&json!("waiting"), &json!(null))
    );
    let mut players = tickets.iter().map(|ticket| server.enter(&room, Some(ticket), None));
    let (mut first, _second) = (players.next().unwrap(), players.next().unwrap());
    first.until("began");
    first.play("h8", 0);
    let shown = board(&room);
    assert_eq!((&shown["plies"], &shown["last_move"]), (&json!(1), &json!("h8")));

    // A room that continues a game shows that game's last move.
    let mut continued = two("5m");
    continued["moves"] = json!(["h8", "i9"]);
    let shown = board(&server.room(&continued).0);
    assert_eq!((&shown["plies"], &shown["last_move"]), (&json!(0), &json!("i9")));

    // Of a game with hidden cards, a player sees more than the board shows.
    let hidden = json!({"game": "kuhn-poker", "players": [
        {"name": "Ann", "seats": [0], "budget": "5m", "person": {}},
        {"name": "Bob", "seats": [1], "budget": "5m", "person": {}}
    ]});
    let (room, tickets) = server.room(&hidden);
    let mut players = tickets.iter().map(|ticket| server.enter(&room, Some(ticket), None));
    let (mut first, _second) = (players.next().unwrap(), players.next().unwrap());
    // Each deal of a card is a ply.
    let own = loop {
        let snapshot = first.until("snapshot");
        if snapshot["plies"].as_array().is_some_and(|plies| plies.len() == 2) {
            break snapshot["position"].clone();
        }
    };
    let spectators = server.get(&format!("/rooms/{room}")).json()["position"].clone();
    assert_eq!(board(&room)["position"], spectators);
    assert_ne!(spectators["position"], own["position"]);
    assert_eq!(server.get("/rooms/nothing/board").status, 404);
}

#[test]
fn an_added_engine_is_listed_and_plays() {
    let home = TestHome::new();
    let folder = home.file("engines");
    std::fs::create_dir(&folder).unwrap();
    let server = Server::start_in(home, &["--engines-dir", folder.to_str().unwrap()]);
    let mut lobby = lobby(&server);
    let engine = std::fs::read(sandboard_tests::built("random-mover.wasm")).unwrap();
    std::fs::write(folder.join("by-hand-1.0.0.gomoku.wasm"), &engine).unwrap();
    engines_until(&mut lobby, |view| has(&view["engines"], "by-hand"));
    let put = |name: &str, bytes: &[u8]| {
        server.http("POST", &format!("/api/v1/engines?name={name}"), &[], bytes)
    };
    let answer = put("by-web-1.0.0.gomoku.wasm", &engine);
    assert_eq!((answer.status, &answer.json()["engines"]), (201, &json!(["by-web"])));
    let answer = put("broken-1.0.0.gomoku.wasm", b"no module");
    let broken = &answer.json()["unusable"];
    assert_eq!((answer.status, broken.as_array().unwrap().len()), (201, 1));
    assert_eq!(broken[0]["uploaded_file"], "broken-1.0.0.gomoku.wasm");
    let native =
        std::fs::read(sandboard_tests::built(&sandboard_tests::native_name("random-mover")))
            .unwrap();
    let answer = put(&format!("lib-1.0.0.gomoku{}", std::env::consts::DLL_SUFFIX), &native);
    assert_eq!(answer.json()["needs_trust"][0]["id"], "lib");
    let request = against("lib", json!({}));
    assert_eq!(server.post("/rooms", &request).status, 422);

    assert_eq!(put("by-hand-1.0.0.gomoku.wasm", &engine).status, 409);
    for name in ["..%2Fx.wasm", "a%2Fb.wasm", ".hidden.wasm", "x.xml", "%2Fetc%2Fx.wasm"] {
        assert_eq!(put(name, &engine).status, 400, "{name}");
    }
    let view = engines_until(&mut lobby, |view| has(&view["engines"], "by-web"));
    let of = |view: &Value, id: &str| {
        view["engines"].as_array().unwrap().iter().find(|it| it["id"] == id).cloned().unwrap()
    };
    assert_eq!(
        (&of(&view, "by-hand")["uploaded_file"], &of(&view, "by-web")["uploaded_file"]),
        (&Value::Null, &json!("by-web-1.0.0.gomoku.wasm"))
    );

    let (room, tickets) = server.room(&against("by-web", json!({})));
    let mut anna = server.enter(&room, Some(&tickets[0]), None);
    anna.until("began");
    anna.exchange("h8", 0);
    let delete = |file: &str, expected: u16| {
        let answer = server.http("DELETE", &format!("/api/v1/engines/files/{file}"), &[], b"");
        assert_eq!(answer.status, expected, "{file}: {}", answer.body);
    };
    delete("by-hand-1.0.0.gomoku.wasm", 403);
    delete("missing-1.0.0.gomoku.wasm", 404);
    delete("..%2Fby-hand-1.0.0.gomoku.wasm", 400);
    delete("broken-1.0.0.gomoku.wasm", 204);
    engines_until(&mut lobby, |view| view["unusable"] == json!([]));
    // A second file with the same engine stays.
    assert_eq!(put("by-web-2.0.0.gomoku.wasm", &engine).status, 201);
    engines_until(&mut lobby, |view| has(&view["engines"], "by-web-2.0.0"));
    delete("by-web-2.0.0.gomoku.wasm", 204);
    engines_until(&mut lobby, |view| has(&view["engines"], "by-web"));
    delete("by-web-1.0.0.gomoku.wasm", 204);
    engines_until(&mut lobby, |view| !has(&view["engines"], "by-web"));
    assert_eq!(server.post("/rooms", &against("by-web", json!({}))).status, 422);
    let view = server.get(&format!("/rooms/{room}")).json();
    let ply = view["plies"].as_array().unwrap().len() as u32;
    let free = view["position"]["legal"][0].as_str().unwrap().to_owned();
    anna.exchange(&free, ply);
}

#[test]
fn rules_and_games() {
    let server = Server::start(&[]);
    let games = server.get("/games").json();
    let ids: Vec<&str> =
        games.as_array().unwrap().iter().filter_map(|game| game["id"].as_str()).collect();
    let built_in: Vec<&str> = sandboard_games::GAMES.iter().map(|info| info.id).collect();
    assert!(ids.starts_with(&built_in), "{ids:?}");
    let check = |question: Value, status: u16, place: &str, expected: Value| {
        let answer = server.post("/position", &question);
        assert_eq!(answer.status, status, "{question}: {}", answer.body);
        let found = answer.json().pointer(place).cloned().unwrap_or(Value::Null);
        assert_eq!(found, expected, "{question}: {}", answer.body);
    };
    check(json!({"game": "reversi"}), 200, "/legal/3", json!("e6"));
    check(json!({"game": "reversi", "moves": ["f5"]}), 200, "/to_move", json!(1));
    check(json!({"game": "reversi", "moves": ["f5", "a1"]}), 422, "/location", json!("moves[1]"));
    check(
        json!({"game": "reversi", "moves": ["a1"]}),
        422,
        "/type",
        json!("/problems/illegal-move"),
    );
    check(json!({"game": "go"}), 422, "/location", json!("game"));
    check(json!({"game": "gomoku", "variant": "round"}), 422, "/location", json!("variant"));
    check(json!({"game": "gomoku", "position": "x"}), 422, "/location", json!("start"));
    check(json!({"gaem": "gomoku"}), 400, "/location", json!("body"));
}

#[test]
fn invalid_rooms_are_refused() {
    let server = Server::start(&[]);
    let check = |change: &dyn Fn(&mut Value), place: &str, kind: &str| {
        let mut request = two("5m");
        change(&mut request);
        let answer = server.post("/rooms", &request);
        let view = answer.json();
        assert_eq!(view["type"], format!("/problems/{kind}"), "{request}: {view}");
        assert_eq!(view["location"], place, "{request}: {view}");
        assert_eq!(answer.header("content-type"), Some("application/problem+json"));
    };
    let bad = "unprocessable";
    check(&|it| it["game"] = "go".into(), "game", bad);
    check(&|it| it["players"][0]["budget"] = "soon".into(), "players[0].budget", bad);
    check(&|it| it["players"][0]["budget"] = "fuel:1e9/move".into(), "players[0].budget", bad);
    check(&|it| it["players"][1]["seats"] = json!([0]), "players", bad);
    check(&|it| it["players"][1]["seats"] = json!([7]), "players", bad);
    check(&|it| it["players"][1]["person"] = Value::Null, "players[1].person", bad);
    check(&|it| it["players"][1]["engine"] = json!({"id": "x"}), "players[1].engine", bad);
    check(&|it| it["moves"] = json!(["h8", "h8"]), "moves[1]", "illegal-move");
    check(&|it| it["start"] = "x".into(), "start", bad);
    check(&|it| it["record"] = json!({}), "record", bad);
    check(&|it| it["host"] = 2.into(), "host", bad);
    check(&|it| it["hint"] = json!({"id": "missing"}), "hint", "unusable-engine");
    check(&|it| it["surprise"] = true.into(), "body", "bad-request");
    let mut request = against("random-mover", json!({"no-such": 1}));
    let view = server.post("/rooms", &request).json();
    assert_eq!(
        (&view["type"], &view["location"]),
        (&json!("/problems/unusable-engine"), &json!("players[1].engine"))
    );
    request["players"][1]["engine"]["options"] = json!({"x": [1]});
    assert_eq!(server.post("/rooms", &request).status, 400);
}

#[test]
fn games_from_files_are_read_and_continued() {
    let server = Server::start(&[]);
    let read = |name: &str, bytes: &[u8]| {
        server.http("POST", &format!("/api/v1/files?name={name}"), &[], bytes)
    };
    let sgf = b"(;FF[4]GM[4]SZ[15]PB[Anna]PW[Bob];B[hh]C[the middle];W[ii])";
    let game = read("game.sgf", sgf).json()["games"][0].clone();
    assert_eq!(game["moves"].as_array().map(Vec::len), Some(2), "{game}");
    assert_eq!((&game["names"], &game["comments"][0]["ply"]), (&json!(["Anna", "Bob"]), &json!(1)));
    assert_eq!(read("game.sgf", b"nonsense").status, 422);
    assert_eq!(read("game.exe", sgf).status, 422);
    let convert = |query: &str, bytes: &[u8]| {
        server.http("POST", &format!("/api/v1/files/export/{query}"), &[], bytes)
    };
    let file = [&sgf[..], b"(;FF[4]GM[4]SZ[15]PB[Cem];B[aa])"].concat();
    let moves = convert("moves?name=game.sgf&number=1", &file);
    assert!(moves.status == 200 && moves.body.contains("a15"), "{}", moves.body);
    assert_eq!(convert("moves?name=game.sgf&number=2", &file).status, 422);
    assert_eq!(convert("pgn?name=game.sgf", sgf).status, 404);
    assert_eq!(convert("moves?name=game.sgf", b"nonsense").status, 422);

    // A study keeps its tree through the formats that have trees.
    let study = json!({
        "format": "sandboard-study", "version": 1, "game": "gomoku", "variant": "freestyle",
        "comment": "all", "nodes": [
            {"depth": 1, "move": "h8", "comment": "a\nb"},
            {"depth": 2, "move": "h9", "mark": "!?"},
            {"depth": 2, "move": "i9"},
        ],
    });
    let sgf = convert("sgf?name=study.json", study.to_string().as_bytes());
    let again = read("game.sgf", sgf.body.as_bytes()).json()["games"][0].clone();
    assert_eq!((&again["nodes"], &again["comment"]), (&study["nodes"], &study["comment"]));
    assert!(game["nodes"].is_array(), "{game}");
    assert_eq!(read("study.json", br#"{"format":"sandboard-study","version":2}"#).status, 422);

    let mut request = two("none");
    request["moves"] = game["moves"].clone();
    let (room, tickets) = server.room(&request);
    let mut anna = server.enter(&room, Some(&tickets[0]), None);
    let mut bob = server.enter(&room, Some(&tickets[1]), None);
    anna.until("began");
    anna.play("a1", 0);
    bob.play("a2", 1);
    let record = server.get(&format!("/rooms/{room}/record"));
    assert_eq!(
        read("game.json", record.body.as_bytes()).json()["games"][0]["moves"],
        json!(["h8", "i7", "a1", "a2"])
    );
    let mut request = two("none");
    (request["record"], request["ply"]) = (record.json(), 1.into());
    let (room, _) = server.room(&request);
    let view = server.get(&format!("/rooms/{room}")).json();
    assert_eq!((&view["position"]["to_move"], &view["state"]), (&json!(1), &json!("waiting")));
}
