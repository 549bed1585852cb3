//! Contests over HTTP: public pages, private data of a token, and permissions. Another process
//! runs the contest.

use std::io::Lines;
use std::process::ChildStdout;
use std::time::SystemTime;

use sandboard_common::date::rfc3339;
use sandboard_tests::built;
use serde_json::json;

use super::*;

const FILE: &str = "name = \"Autumn\"\ngame = \"gomoku\"\nvariant = \"freestyle-7\"\nbudget = \"fuel:2e6/move\"\n\
                    house = [\"random-mover\"]\nentry_bytes = 1000000\nentries_per_day = 3\n";

/// A server with a contest, and the tokens of its organiser and entrants.
struct ContestServer {
    server: Server,
    organiser: String,
    ann: String,
    bob: String,
}

/// The process that runs a contest; dropping it kills the process.
struct Run {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Drop for Run {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Run {
    /// Reads until this event has occurred the given number of times.
    fn until(&mut self, event: &str, count: usize) {
        let is_it = |line: &std::io::Result<String>| {
            let line: Value = serde_json::from_str(line.as_ref().unwrap()).unwrap();
            line["event"] == event
        };
        assert_eq!(self.lines.by_ref().filter(is_it).take(count).count(), count, "{event}");
    }
}

fn view(home: &TestHome, words: &[&str]) -> Value {
    let output = home.command(words).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

impl ContestServer {
    fn new(more: &[&str]) -> Self {
        let home = TestHome::new();
        std::fs::write(home.file("autumn.toml"), FILE).unwrap();
        std::fs::create_dir(home.file("contests")).unwrap();
        let token = |words: &[&str]| {
            let view = view(&home, &[&["contest"], words, &["--json"]].concat());
            view["token"].as_str().unwrap().to_owned()
        };
        let organiser = token(&["create", "autumn.toml", "--dir", "contests/autumn"]);
        let [ann, bob] =
            ["ann", "bob"].map(|name| token(&["add-entrant", "contests/autumn", name]));
        let folder = home.file("contests").to_str().unwrap().to_owned();
        let server = Server::start_in(home, &[&["--contests", &folder], more].concat());
        Self { server, organiser, ann, bob }
    }

    fn run(&self) -> Run {
        let words = ["contest", "run", "contests/autumn", "--json", "--below-minimum"];
        let mut command = self.server.home.command(&words);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Run { child, lines }
    }

    fn request(&self, token: &str, method: &str, path: &str, body: &[u8]) -> Response {
        let bearer = format!("Bearer {token}");
        let headers = [("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
        self.server.http(method, &format!("/api/v1/contests/{path}"), &headers, body)
    }

    #[track_caller]
    fn check(&self, token: &str, request: (&str, &str, &[u8]), status: u16, words: &str) {
        let (method, path, body) = request;
        let answer = self.request(token, method, path, body);
        assert_eq!(answer.status, status, "{method} {path}: {}", answer.body);
        assert!(answer.body.contains(words), "{method} {path}: {}", answer.body);
    }

    fn account(&self, token: &str) -> Value {
        self.request(token, "GET", "autumn/account", b"").json()
    }
}

#[test]
fn contest_pages_are_public() {
    let setup = ContestServer::new(&[]);
    assert_eq!(setup.server.get("/info").json()["contests"], true);
    let cards = setup.server.get("/contests").json();
    let found =
        json!([cards[0]["id"], cards[0]["phase"], cards[0]["entrants"], cards[0]["running"]]);
    assert_eq!(found, json!(["autumn", "open", 2, false]), "{cards}");
    let one = setup.server.get("/contests/autumn").json();
    assert_eq!(one["rules"]["budget"], "fuel:2e6/move", "{one}");
    assert_eq!(one["commitment"].as_str().unwrap().len(), 64);
    assert_eq!((&one["seed"], &one["tables"]), (&Value::Null, &json!([])));
    for path in ["/contests/spring", "/contests/..%2Fautumn", "/contests/.."] {
        assert_eq!(setup.server.get(path).status, 404, "{path}");
    }
    assert_eq!(Server::start(&[]).get("/contests").json(), json!([]));
}

#[test]
fn a_token_gives_access_to_its_own_data() {
    let setup = ContestServer::new(&[]);
    let ContestServer { organiser, ann, bob, .. } = &setup;
    let unauthorized = setup.request("sbt-0", "GET", "autumn/account", b"");
    assert_eq!(unauthorized.status, 401);
    // The same response for a wrong token and for none.
    assert_eq!(setup.request("", "GET", "autumn/account", b"").body, unauthorized.body);
    assert_eq!(setup.server.get("/contests/autumn/account").body, unauthorized.body);
    assert_eq!(setup.request("sbt-0", "POST", "autumn/entries", b"x").status, 401);

    setup.check(ann, ("POST", "autumn/entries", b"first"), 201, "{\"number\":1}");
    setup.check(bob, ("POST", "autumn/entries", b"second"), 201, "{\"number\":2}");
    setup.check(ann, ("POST", "autumn/entries", b""), 400, "the entry is empty");
    let long = vec![0; 1_000_001];
    setup.check(ann, ("POST", "autumn/entries", &long), 413, "limit of 1000000 bytes");
    setup.check(organiser, ("POST", "autumn/entries", b"x"), 403, "needs an entrant's token");

    let own = setup.account(ann);
    assert_eq!((&own["name"], own["entries"].as_array().unwrap().len()), (&json!("ann"), 1));
    assert_eq!((&own["similar_entries"], &own["activity"]), (&json!([]), &json!([])));
    assert_eq!(own["entrants"], json!([own["entrants"][0]]), "{own}");
    assert!(!own.to_string().contains("bob"), "{own}");
    let all = setup.account(organiser);
    let names: Vec<&str> =
        all["entries"].as_array().unwrap().iter().map(|it| it["name"].as_str().unwrap()).collect();
    assert_eq!((names, &all["name"]), (vec!["bob v1", "ann v1"], &Value::Null));
    assert!(all["activity"].to_string().contains("bob is admitted"), "{all}");

    setup.check(ann, ("GET", "autumn/entries/1", b""), 200, "\"waiting\"");
    setup.check(ann, ("GET", "autumn/entries/2", b""), 404, "no entry with this number");
    setup.check(organiser, ("GET", "autumn/entries/2", b""), 200, "\"bob v1\"");
    let trial = json!({"house": "random-mover", "side": 0}).to_string();
    setup.check(ann, ("POST", "autumn/trials", trial.as_bytes()), 404, "no accepted entry");
    setup.check(ann, ("GET", "autumn/games", b""), 200, "\"games\":[]");
    setup.check(ann, ("GET", "autumn/games/..%2F..%2Fx/pair-000001-1", b""), 404, "no arena");
    setup.check(ann, ("GET", "autumn/trials/1", b""), 404, "no finished game with this name");

    let out = json!({"status": "disqualified", "reason": "two names"}).to_string();
    let set = ("POST", "autumn/entrants/bob", out.as_bytes());
    setup.check(ann, set, 403, "needs the organiser's token");
    setup.check(organiser, ("POST", "autumn/entrants/eve", out.as_bytes()), 404, "called `eve`");
    let why = ("POST", "autumn/entrants/bob", &b"{\"status\":\"disqualified\"}"[..]);
    setup.check(organiser, why, 422, "a reason is one line");
    setup.check(organiser, set, 204, "");
    setup.check(bob, ("POST", "autumn/entries", b"third"), 403, "disqualified");
    assert_eq!(setup.account(bob)["entrants"][0]["reason"], "two names");
    setup.check(ann, ("POST", "autumn/entries/2/retest", b""), 403, "needs the organiser's token");
    setup.check(organiser, ("POST", "autumn/entries/2/retest", b""), 204, "");
    setup.check(organiser, ("POST", "autumn/entries/7/retest", b""), 404, "there is no entry 7");
}

#[test]
fn an_organiser_adds_entrants_and_sets_the_closing_time() {
    let setup = ContestServer::new(&[]);
    let ContestServer { organiser, ann, .. } = &setup;
    let eve = json!({"name": "eve"}).to_string();
    let path = "autumn/entrants";
    setup.check(ann, ("POST", path, eve.as_bytes()), 403, "needs the organiser's token");
    let admitted = setup.request(organiser, "POST", path, eve.as_bytes());
    assert_eq!(admitted.status, 201, "{}", admitted.body);
    let token = admitted.json()["token"].as_str().unwrap().to_owned();
    assert_eq!(setup.account(&token)["name"], "eve");
    // Adding the entrant again is refused; a new token is explicit.
    setup.check(organiser, ("POST", path, eve.as_bytes()), 409, "`eve` is an entrant already");
    assert_eq!(setup.account(&token)["name"], "eve");
    let eve = json!({"name": "eve", "new_token": true}).to_string();
    let again = setup.request(organiser, "POST", path, eve.as_bytes()).json();
    assert_ne!(again["token"], token.as_str());
    assert_eq!(setup.request(&token, "GET", "autumn/account", b"").status, 401);
    setup.check(organiser, ("POST", path, b"{\"name\": \" eve\"}"), 422, "not a valid name");
    setup.check(organiser, ("POST", path, b"{\"name\": \"random-mover\"}"), 422, "a house engine");

    let closes = "autumn/closing-time";
    let later = json!({"closes_at": "2100-01-01T00:00:00Z"}).to_string();
    setup.check(ann, ("POST", closes, later.as_bytes()), 403, "needs the organiser's token");
    setup.check(organiser, ("POST", closes, b"{\"closes_at\": \"soon\"}"), 422, "not a date");
    setup.check(organiser, ("POST", closes, later.as_bytes()), 204, "");
    assert_eq!(setup.server.get("/contests/autumn").json()["closes_at"], "2100-01-01T00:00:00Z");
    setup.check(ann, ("POST", "autumn/entries", b"in time"), 201, "");
    setup.check(organiser, ("POST", closes, b"{\"closes_at\": null}"), 204, "");
    assert_eq!(setup.server.get("/contests/autumn").json()["phase"], "closed");
    setup.check(organiser, ("POST", closes, later.as_bytes()), 409, "is closed");
    setup.check(ann, ("POST", "autumn/entries", b"too late"), 409, "until");
}

#[test]
fn an_entrant_submits_over_the_network() {
    let setup = ContestServer::new(&[]);
    let home = &setup.server.home;
    let at = format!("http://{}/#/contests/autumn", setup.server.authority);
    let submit = |file: &str, token: &str| {
        let words = ["contest", "submit", file, "--at", &at, "--token", token];
        let output = home.command(&words).output().unwrap();
        let view = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code(), view(&output.stdout), view(&output.stderr))
    };
    std::fs::write(home.file("notes.wasm"), "no engine").unwrap();
    let mut run = setup.run();
    let (code, out, errors) = submit("notes.wasm", &setup.ann);
    assert_eq!(code, Some(1), "{out}{errors}");
    assert!(out.starts_with("entry 1 is submitted\n") && out.contains("2 format"), "{out}");
    assert!(errors.contains("entry 1 is not accepted"), "{errors}");
    run.until("verdict", 1);
    // Each stage of a test is printed once.
    let module = built("random-mover.wasm");
    let (code, out, errors) = submit(module.to_str().unwrap(), &setup.ann);
    assert_eq!(code, Some(0), "{out}{errors}");
    for stage in ["1 size", "2 format", "3 compile", "4 compliance", "5 budget", "6 bouts"] {
        assert_eq!(out.matches(&format!("  {stage}")).count(), 1, "{stage}: {out}");
    }
    assert!(out.ends_with("entry 2 is accepted\n"), "{out}");
    let asked = ["contest", "trial", "random-mover", "--at", &at, "--token", &setup.ann];
    assert!(home.command(&asked).output().unwrap().status.success());
    run.until("trial", 1);
    let (code, _, errors) = submit("notes.wasm", "sbt-0");
    assert_eq!(code, Some(2), "{errors}");
    let (code, _, errors) = submit("notes.wasm", &setup.organiser);
    assert!(code == Some(2) && errors.contains("needs an entrant's token"), "{errors}");
}

#[test]
fn wrong_tokens_are_limited_and_the_server_token_is_separate() {
    let setup = ContestServer::new(&["--token", "a-token-of-the-tests"]);
    // Contests are public, the rest of the server is not, and the server's token is not valid for
    // a contest.
    assert_eq!(setup.server.get("/contests/autumn").status, 200);
    assert_eq!(setup.server.get("/arenas").status, 401);
    assert_eq!(setup.request("a-token-of-the-tests", "GET", "autumn/account", b"").status, 401);
    let bearer = format!("Bearer {}", setup.organiser);
    let arenas = setup.server.http("GET", "/api/v1/arenas", &[("Authorization", &bearer)], b"");
    assert_eq!(arenas.status, 401);
    let statuses: Vec<u16> =
        (0..30).map(|_| setup.request("sbt-1", "GET", "autumn/account", b"").status).collect();
    assert!(statuses.contains(&429), "{statuses:?}");
    // A valid token is not affected by the limit.
    setup.check(&setup.ann, ("GET", "autumn/account", b""), 200, "ann");
}

#[test]
fn games_are_shown_without_the_other_players_output() {
    let setup = ContestServer::new(&[]);
    let ContestServer { organiser, ann, bob, .. } = &setup;
    let random = std::fs::read(built("random-mover.wasm")).unwrap();
    setup.check(ann, ("POST", "autumn/entries", &random), 201, "");
    setup.check(bob, ("POST", "autumn/entries", b"no engine"), 201, "");
    let mut run = setup.run();
    run.until("verdict", 2);
    let report = setup.request(bob, "GET", "autumn/entries/2", b"").json();
    let stages = report["report"]["stages"].as_array().unwrap();
    let failed = stages.iter().find(|stage| stage["outcome"] == "failed").unwrap();
    assert_eq!((&report["state"], &failed["name"]), (&json!("refused"), &json!("format")));
    assert!(!failed["findings"][0]["advice"].as_str().unwrap().is_empty(), "{failed}");

    let trial = json!({"house": "random-mover", "side": 1}).to_string();
    setup.check(ann, ("POST", "autumn/trials", trial.as_bytes()), 201, "{\"number\":1}");
    run.until("trial", 1);
    let record = setup.request(ann, "GET", "autumn/trials/1", b"").json();
    let names: Vec<&Value> =
        record["players"].as_array().unwrap().iter().map(|player| &player["name"]).collect();
    assert!(names.contains(&&json!("ann v1")) && names.contains(&&json!("random-mover")));
    let own = names.iter().position(|name| **name == json!("ann v1")).unwrap();
    let logs = record["logs"].as_array().cloned().unwrap_or_default();
    assert!(logs.iter().all(|log| log["player"] == own), "{logs:?}");
    let of = |player: usize| &record["players"][player]["engine"]["module_sha256"];
    let modules = [own, 1 - own].map(of);
    assert!(modules[0].is_string() && modules[1].is_null(), "{modules:?}");
    setup.check(bob, ("GET", "autumn/trials/1", b""), 404, "no finished game with this name");
    setup.check(organiser, ("GET", "autumn/trials/1", b""), 200, "sandboard-record");

    // The ladder has played a hundred games.
    run.until("games", 1);
    let games = setup.request(ann, "GET", "autumn/games?limit=3", b"").json();
    assert_eq!(games["arena"], "ladder", "{games}");
    let names: Vec<&str> =
        games["games"].as_array().unwrap().iter().map(|it| it["name"].as_str().unwrap()).collect();
    assert_eq!(names.len(), 3);
    assert!(names.is_sorted_by(|a, b| a > b), "{names:?}");
    assert_eq!(games["next"], names[2]);
    let game = format!("autumn/games/ladder/{}", names[0]);
    setup.check(ann, ("GET", &game, b""), 200, "sandboard-record");
    setup.check(bob, ("GET", &game, b""), 404, "no finished game with this name");
    let file = format!("{game}/export/sgf");
    setup.check(ann, ("GET", &file, b""), 200, "GM[4]");
    setup.check(bob, ("GET", &file, b""), 404, "no finished game with this name");
    setup.check(ann, ("GET", "autumn/trials/1/export/sgf", b""), 200, "ann v1");
    setup.check(bob, ("GET", "autumn/trials/1/export/sgf", b""), 404, "no finished game");
    setup.check("", ("GET", "autumn/live/ladder", b""), 401, "send a valid token");
    setup.check(ann, ("GET", "autumn/live/ladder", b""), 200, "\"after_end_only\":false");
    setup.check(bob, ("GET", "autumn/live/ladder", b""), 200, "\"games\":[]");
    setup.check(ann, ("GET", "autumn/live/final", b""), 404, "no arena with this name");
    let position = json!({"game": "gomoku", "variant": "freestyle-7", "moves": ["d4"]}).to_string();
    setup.check(ann, ("POST", "autumn/position", position.as_bytes()), 200, "\"to_move\":1");
    let position = json!({"game": "reversi"}).to_string();
    setup.check(ann, ("POST", "autumn/position", position.as_bytes()), 403, "contest's game");
    setup.check(bob, ("GET", "autumn/games", b""), 200, "\"games\":[]");
    let table = &setup.server.get("/contests/autumn").json()["tables"][0];
    let rows = table["standings"].as_array().unwrap();
    let of: Vec<&Value> = rows.iter().map(|row| &row["entrant"]).collect();
    assert!(of.contains(&&json!("ann")) && of.contains(&&Value::Null), "{table}");
    assert!(!table.to_string().contains("seed"), "{table}");
}

#[test]
fn a_replaced_contest_is_opened_again() {
    let setup = ContestServer::new(&[]);
    let name = || setup.server.get("/contests/autumn").json()["name"].clone();
    assert_eq!(name(), "Autumn");
    let home = &setup.server.home;
    let dir = home.file("contests").join("autumn");
    std::fs::rename(&dir, home.file("earlier")).unwrap();
    assert_eq!(setup.server.get("/contests/autumn").status, 404);
    std::fs::rename(home.file("earlier"), &dir).unwrap();
    assert_eq!(name(), "Autumn");
    // Replaced between two requests.
    std::fs::rename(&dir, home.file("earlier")).unwrap();
    std::fs::write(home.file("winter.toml"), FILE.replace("Autumn", "Winter")).unwrap();
    let dir = dir.to_str().unwrap();
    let created = view(home, &["contest", "create", "winter.toml", "--dir", dir, "--json"]);
    assert_eq!(name(), "Winter");
    let organiser = created["token"].as_str().unwrap();
    assert_eq!(setup.request(organiser, "GET", "autumn/account", b"").status, 200);
    // Tokens of the earlier contest are not valid any more.
    assert_eq!(setup.request(&setup.ann, "GET", "autumn/account", b"").status, 401);
}

#[test]
fn a_pipe_in_place_of_a_lock_stops_nothing() {
    let setup = ContestServer::new(&[]);
    let lock = setup.server.home.file("contests").join("autumn/lock");
    let _ = std::fs::remove_file(&lock);
    assert!(Command::new("mkfifo").arg(&lock).status().unwrap().success());
    for _ in 0..20 {
        assert_eq!(setup.server.get("/contests").json()[0]["running"], false);
        assert_eq!(setup.server.get("/contests/autumn").json()["running"], false);
    }
    assert_eq!(setup.server.get("/info").status, 200);
}

#[test]
fn entrants_register_by_invitations() {
    let setup = ContestServer::new(&[]);
    let invite = |token: &str, body: Value| {
        setup.request(token, "POST", "autumn/invitations", body.to_string().as_bytes())
    };
    let end = rfc3339(SystemTime::now() + Duration::from_secs(3600));
    let of = |places: u32| json!({"places": places, "ends_at": end});
    // Only the organiser makes and revokes invitations.
    assert_eq!(invite(&setup.ann, of(1)).status, 403);
    assert_eq!(invite("sbt-00", of(1)).status, 401);
    assert_eq!(invite(&setup.organiser, of(0)).status, 400);
    let refused = |body: Value| invite(&setup.organiser, body).json()["location"].clone();
    assert_eq!(refused(json!({"places": 1, "ends_at": "2020-01-01T00:00:00Z"})), "ends_at");
    assert_eq!(refused(json!({"places": 1, "ends_at": "tomorrow"})), "ends_at");
    let secret = |places| {
        let made = invite(&setup.organiser, of(places));
        assert_eq!(made.status, 201, "{}", made.body);
        made.json()["invitation"].as_str().unwrap().to_owned()
    };
    let [first, second] = [secret(1), secret(9)];

    let register: (&str, &str) = ("POST", "autumn/registrations");
    let check = |token: &str, body: &[u8], status: u16, words: &str| {
        setup.check(token, (register.0, register.1, body), status, words);
    };
    check("", br#"{"name": "cem"}"#, 401, "not an invitation");
    check(&setup.organiser, br#"{"name": "cem"}"#, 401, "not an invitation");
    check(&first, br#"{"name": "ann"}"#, 409, "choose another name");
    check(&first, br#"{"name": "../x"}"#, 422, "is not a valid name");
    check(&first, br#"{"name": "random-mover"}"#, 422, "of a house engine");
    check(&first, br#"{"name": "cem", "status": "in"}"#, 400, "status");
    setup.check(&first, ("GET", "autumn/invitation", b""), 200, r#""used":0"#);
    // An invitation is no token of the contest.
    setup.check(&first, ("GET", "autumn/account", b""), 401, "valid token");
    let registered = setup.request(&first, "POST", register.1, br#"{"name": "cem"}"#);
    assert_eq!(registered.status, 201, "{}", registered.body);
    let registered = registered.json();
    assert_eq!(setup.account(registered["token"].as_str().unwrap())["name"], "cem");
    check(&first, br#"{"name": "dan"}"#, 410, "1 places of this invitation are taken");
    setup.check(&first, ("GET", "autumn/invitation", b""), 410, "are taken");

    setup.check(&setup.ann, ("POST", "autumn/invitations/2/revoke", b""), 403, "organiser");
    setup.check(
        &setup.organiser,
        ("POST", "autumn/invitations/3/revoke", b""),
        404,
        "no invitation",
    );
    setup.check(&setup.organiser, ("POST", "autumn/invitations/2/revoke", b""), 204, "");
    check(&second, br#"{"name": "dan"}"#, 410, "has revoked this invitation");
    let account = setup.account(&setup.organiser);
    let found = account["invitations"].as_array().unwrap().iter();
    let found: Vec<_> = found.map(|it| (&it["number"], &it["used"], &it["is_revoked"])).collect();
    assert_eq!(
        found,
        [(&json!(2), &json!(0), &json!(true)), (&json!(1), &json!(1), &json!(false))]
    );
    assert_eq!(account["activity"][0]["text"], "invitation 2 is revoked");
    assert_eq!(setup.account(&setup.ann)["invitations"], json!([]));
    assert!(!account.to_string().contains(&first));
}
