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

#[test]
fn arenas_require_the_token() {
    let server = Server::start_in(TestHome::without_engines(), &["--token", "secret-enough"]);
    for path in ["", "/00", "/00/games", "/00/live", "/00/report.html", "/00/games/x"] {
        assert_eq!(server.get(&format!("/arenas{path}")).status, 401, "{path}");
    }
    let bearer = [("Authorization", "Bearer secret-enough")];
    assert_eq!(server.http("GET", "/api/v1/arenas", &bearer, b"").body, "[]");
}
