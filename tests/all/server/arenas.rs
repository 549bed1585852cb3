//! Arenas of real engines over HTTP.

use serde_json::json;

use super::*;

/// Starts a server whose home has a finished arena of three players.
fn played() -> (Server, String) {
    let home = TestHome::new();
    let dir = home.file("arena/three");
    let dir = dir.to_str().unwrap();
    let words = ["arena", "round-robin", "random-mover", "random-mover", "random-mover"];
    let more = ["--game", "gomoku", "--variant", "freestyle-7", "--seed", "5", "--dir", dir];
    let output = home.command(&[&words[..], &more[..]].concat()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let server = Server::start_in(home, &[]);
    let cards = server.get("/arenas").json();
    let found = json!([cards[0]["name"], cards[0]["state"], cards[0]["pairs"], cards[1]]);
    assert_eq!(found, json!(["three", "complete", 3, null]), "{cards}");
    let id = cards[0]["id"].as_str().unwrap().to_owned();
    (server, id)
}

#[test]
fn an_arena_is_shown_with_its_games_and_files() {
    let (server, id) = played();
    let get = |path: &str| server.get(&format!("/arenas/{id}{path}"));
    let view = get("").json();
    assert_eq!(view["view"]["progress"]["games"], 6);
    assert_eq!(view["view"]["players"].as_array().unwrap().len(), 3);
    let of_two = get("?player=0&player=2").json();
    assert_eq!(of_two["view"]["head_to_head"].as_array().unwrap().len(), 1);
    assert_eq!(get("?since=older").json()["version"], view["version"]);
    assert_eq!(get("/live").json()["games"], json!([]));
    // The pages contain every game once, newest first.
    let (mut names, mut before) = (Vec::new(), String::new());
    loop {
        let page = get(&format!("/games?limit=4{before}")).json();
        let games = page["games"].as_array().unwrap();
        names.extend(games.iter().map(|game| game["name"].as_str().unwrap().to_owned()));
        match page["next"].as_str() {
            Some(next) => before = format!("&before={next}"),
            None => break,
        }
    }
    let expected = [3, 2, 1].map(|pair| [2, 1].map(|game| format!("pair-00000{pair}-{game}")));
    assert_eq!(names, expected.concat());
    let record = get("/games/pair-000001-2").json();
    assert_eq!(record["format"], "sandboard-record", "{record}");
    let sgf = get("/games/pair-000001-2/export/sgf");
    assert!(sgf.body.contains("GM[4]"), "{}", sgf.body);
    assert_eq!(
        sgf.header("content-disposition"),
        Some("attachment; filename=\"gomoku-pair-000001-2.sgf\"")
    );
    assert_eq!(get("/games/pair-000001-2/export/pgn").status, 404);
    let games = get("/games.csv");
    assert_eq!(games.body.lines().count(), 7, "{}", games.body);
    assert!(games.body.lines().nth(1).unwrap().starts_with("pair-000001-1,"), "{}", games.body);
    assert_eq!(
        games.header("content-disposition"),
        Some("attachment; filename=\"three.games.csv\"")
    );
    assert_eq!(get("/report.csv").body.lines().count(), 4);
    let report = get("/report.html").body;
    assert!(report.ends_with("</html>\n") && report.contains("pair-000003-2"));
}

#[test]
fn invalid_requests_are_refused() {
    let (server, id) = played();
    let check = |method: &str, path: &str, status: u16, detail: &str| {
        let path = format!("/api/v1/arenas/{path}");
        let answer = server.http(method, &path, &[], b"");
        assert_eq!(answer.status, status, "{path}: {}", answer.body);
        assert!(answer.body.contains(detail), "{path}: {}", answer.body);
    };
    check("GET", "0000000000000000", 404, "no such arena");
    check("GET", "..%2F..%2Fetc", 404, "no such arena");
    check("GET", &format!("{id}?player=3"), 422, "there is no player 3");
    check("GET", &format!("{id}?colour=red"), 400, "unknown parameter `colour`");
    check("GET", &format!("{id}/games/pair-000004-1"), 404, "no finished game");
    check("GET", &format!("{id}/games/lock"), 404, "no finished game");
    check("GET", &format!("{id}/report.pdf"), 404, "no such path");
    check("POST", &format!("{id}/stop"), 409, "not running");
    check("GET", &format!("{id}/stop"), 405, "does not support the method");
}

/// A request for an arena with this number of pairs and these changes.
fn new_arena(pairs: u32, changes: Value) -> Value {
    let player = json!({"engine": {"id": "random-mover"}});
    let mut request = json!({
        "game": "gomoku", "variant": "freestyle-7", "format": "match", "count": pairs,
        "budget": "10ms/move", "seed": 5, "games_at_once": 1, "players": [player, player],
    });
    for (field, value) in changes.as_object().unwrap() {
        request[field] = value.clone();
    }
    request
}

/// Waits until an arena has this state.
fn wait_for_state(server: &Server, id: &str, state: &str) -> Value {
    let mut since = String::new();
    let patience = Instant::now() + PATIENCE;
    loop {
        let answer = server.get(&format!("/arenas/{id}?{since}"));
        if answer.status == 200 {
            let arena = answer.json();
            if arena["view"]["state"] == state {
                return arena;
            }
            since = format!("since={}", arena["version"].as_str().unwrap());
        }
        assert!(Instant::now() < patience, "{id} does not become {state}: {}", answer.body);
    }
}

#[test]
fn an_arena_is_created_played_stopped_and_resumed() {
    let mut server = Server::start_in(TestHome::new(), &[]);
    let openings = json!({"name": "book.txt", "text": "d4 e5\nd4 d5 # a comment\n"});
    let request = new_arena(100_000, json!({"name": "Spring cup", "openings": openings}));
    let created = server.post("/arenas", &request);
    assert_eq!(created.status, 201, "{}", created.body);
    let id = created.json()["id"].as_str().unwrap().to_owned();
    let arena = wait_for_state(&server, &id, "running");
    assert_eq!(arena["view"]["name"], "Spring cup");
    assert_eq!(arena["view"]["openings"]["count"], 2);
    assert_eq!(server.post("/arenas", &request).status, 409);
    let resume = |server: &Server| server.post(&format!("/arenas/{id}/resume"), &json!({}));
    assert_eq!(resume(&server).status, 409);
    assert_eq!(server.post(&format!("/arenas/{id}/stop"), &json!({})).status, 202);
    wait_for_state(&server, &id, "open");
    let resumed = resume(&server);
    assert_eq!(resumed.status, 202, "{}", resumed.body);
    wait_for_state(&server, &id, "running");

    // The process ends with the server, however the server ends; the arena can be resumed.
    server.kill_and_restart();
    wait_for_state(&server, &id, "open");
    assert_eq!(resume(&server).status, 202);
    wait_for_state(&server, &id, "running");
    server.terminate();
}

#[test]
fn an_arena_that_is_complete_is_not_resumed() {
    let server = Server::start_in(TestHome::new(), &[]);
    let created = server.post("/arenas", &new_arena(1, json!({})));
    assert_eq!(created.status, 201, "{}", created.body);
    let id = created.json()["id"].as_str().unwrap().to_owned();
    wait_for_state(&server, &id, "complete");
    let resumed = server.post(&format!("/arenas/{id}/resume"), &json!({}));
    assert_eq!(resumed.status, 409);
    assert!(resumed.body.contains("the arena is complete"), "{}", resumed.body);
    assert_eq!(server.get("/arena-runs").json()["errors"], json!({}));
}

#[test]
fn requests_for_arenas_name_the_wrong_field() {
    let server = Server::start_in(TestHome::new(), &[]);
    let check = |changes: Value, status: u16, field: &str, detail: &str| {
        let answer = server.post("/arenas", &new_arena(1, changes.clone()));
        assert_eq!(answer.status, status, "{changes}: {}", answer.body);
        let problem = answer.json();
        assert_eq!(problem["location"], field, "{changes}: {problem}");
        assert!(problem["detail"].as_str().unwrap().contains(detail), "{changes}: {problem}");
    };
    let players = |engine: Value| json!({"players": [{"engine": {"id": "random-mover"}}, engine]});
    let engine = |id: &str| players(json!({"engine": {"id": id}}));
    check(json!({"game": "go"}), 422, "game", "go");
    check(json!({"variant": "freestyle-4000"}), 422, "variant", "4000");
    check(json!({"budget": "none"}), 422, "budget", "has no limit");
    check(json!({"budget": "5 bananas"}), 422, "budget", "is not a valid budget");
    check(engine("unknown"), 422, "players[1].engine", "unknown");
    check(engine("../random-mover"), 422, "players[1].engine", "random-mover");
    let options = json!({"engine": {"id": "random-mover", "options": {"colour": "red"}}});
    check(players(options), 422, "players[1].engine", "colour");
    let budget = json!({"engine": {"id": "random-mover"}, "budget": "none"});
    check(players(budget), 422, "players[1].budget", "has no limit");
    check(json!({"players": []}), 400, "players", "2 to 64 players");
    check(json!({"count": 0}), 400, "count", "1 to 1000000");
    check(json!({"seed": 9_007_199_254_740_992_u64}), 400, "seed", "9007199254740991");
    check(json!({"format": "swiss", "count": 9}), 422, "count", "at most 1 rounds");
    check(json!({"format": "blitz"}), 400, "body", "blitz");
    check(json!({"sprt": {"elo0": 5, "elo1": 0}}), 422, "sprt", "below the upper bound");
    let test = json!({"format": "round-robin", "sprt": {"elo0": 0, "elo1": 5}});
    check(test, 422, "sprt", "only a match");
    let openings = json!({"openings": {"name": "book.txt", "text": "d4 z99"}});
    check(openings, 422, "openings", "book.txt:1");
    check(json!({"name": "../evil"}), 422, "name", "inner spaces");
    check(json!({"games_at_once": 1000}), 422, "games_at_once", "games of arenas at once");
    check(json!({"games_at_once": 0}), 422, "games_at_once", "games of arenas at once");
    assert_eq!(server.get("/arenas").json(), json!([]));
}

#[test]
fn only_the_operator_has_arenas_played() {
    let server = Server::start_in(TestHome::without_engines(), &["--token", "secret-enough"]);
    let id = "0000000000000000";
    let body = new_arena(1, json!({}));
    assert_eq!(server.post("/arenas", &body).status, 401);
    assert_eq!(server.post(&format!("/arenas/{id}/resume"), &json!({})).status, 401);
    assert_eq!(server.post(&format!("/arenas/{id}/stop"), &json!({})).status, 401);
    assert_eq!(server.get("/arena-runs").status, 401);
    let headers = [("Authorization", "Bearer secret-enough"), ("Content-Type", "application/json")];
    let post = |path: &str, body: &Value| {
        server.http("POST", &format!("/api/v1{path}"), &headers, body.to_string().as_bytes())
    };
    assert_eq!(post(&format!("/arenas/{id}/resume"), &json!({})).status, 404);
    assert_eq!(post("/arenas", &new_arena(1, json!({"game": "go"}))).status, 422);
}

#[test]
fn arenas_require_the_token() {
    let server = Server::start_in(TestHome::without_engines(), &["--token", "secret-enough"]);
    for path in ["", "/00", "/00/games", "/00/live", "/00/report.html", "/00/games/x"] {
        assert_eq!(server.get(&format!("/arenas{path}")).status, 401, "{path}");
    }
    let bearer = [("Authorization", "Bearer secret-enough")];
    assert_eq!(server.http("GET", "/api/v1/arenas", &bearer, b"").body, "[]");
}
