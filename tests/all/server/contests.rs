//! Contests as the server tells of them: what everybody may know, what is somebody's own, and who may do what. Another process
//! runs them.

use std::io::Lines;
use std::process::ChildStdout;

use sandboard_tests::built;
use serde_json::json;

use super::*;

const FILE: &str = "name = \"Autumn\"\ngame = \"gomoku\"\nvariant = \"freestyle-7\"\nbudget = \"fuel:2e6/move\"\n\
                    house = [\"random-mover\"]\nentry_bytes = 1000000\nentries_per_day = 3\n";

/// A server with a contest, and the tokens of people.
struct Hall {
    server: Server,
    organiser: String,
    ann: String,
    bob: String,
}

/// Whoever runs a contest, until this is dropped.
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
    /// Reads on until there were so many lines of this event.
    fn until(&mut self, event: &str, count: usize) {
        let is_it = |line: &std::io::Result<String>| {
            let line: Value = serde_json::from_str(line.as_ref().unwrap()).unwrap();
            line["event"] == event
        };
        assert_eq!(self.lines.by_ref().filter(is_it).take(count).count(), count, "{event}");
    }
}

fn told(home: &Home, words: &[&str]) -> Value {
    let output = home.command(words).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

impl Hall {
    fn new(more: &[&str]) -> Self {
        let home = Home::new();
        std::fs::write(home.file("autumn.toml"), FILE).unwrap();
        std::fs::create_dir(home.file("contests")).unwrap();
        let token = |words: &[&str]| {
            let told = told(&home, &[&["contest"], words, &["--json"]].concat());
            told["token"].as_str().unwrap().to_owned()
        };
        let organiser = token(&["create", "autumn.toml", "--dir", "contests/autumn"]);
        let [ann, bob] = ["ann", "bob"].map(|name| token(&["enter", "contests/autumn", name]));
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

    fn asked(&self, token: &str, method: &str, path: &str, body: &[u8]) -> Answered {
        let bearer = format!("Bearer {token}");
        let headers = [("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
        self.server.http(method, &format!("/api/v1/contests/{path}"), &headers, body)
    }

    #[track_caller]
    fn check(&self, token: &str, request: (&str, &str, &[u8]), status: u16, words: &str) {
        let (method, path, body) = request;
        let answer = self.asked(token, method, path, body);
        assert_eq!(answer.status, status, "{method} {path}: {}", answer.body);
        assert!(answer.body.contains(words), "{method} {path}: {}", answer.body);
    }

    fn own(&self, token: &str) -> Value {
        self.asked(token, "GET", "autumn/own", b"").json()
    }
}

#[test]
fn what_everybody_may_know() {
    let hall = Hall::new(&[]);
    assert_eq!(hall.server.get("/info").json()["contests"], true);
    let cards = hall.server.get("/contests").json();
    let found =
        json!([cards[0]["id"], cards[0]["phase"], cards[0]["entrants"], cards[0]["running"]]);
    assert_eq!(found, json!(["autumn", "open", 2, false]), "{cards}");
    let one = hall.server.get("/contests/autumn").json();
    assert_eq!(one["asks"]["budget"], "fuel:2e6/move", "{one}");
    assert_eq!(one["commitment"].as_str().unwrap().len(), 64);
    assert_eq!((&one["seed"], &one["tables"]), (&Value::Null, &json!([])));
    for path in ["/contests/spring", "/contests/..%2Fautumn", "/contests/.."] {
        assert_eq!(hall.server.get(path).status, 404, "{path}");
    }
    assert_eq!(Server::start(&[]).get("/contests").json(), json!([]));
}

#[test]
fn a_token_opens_what_is_its_own() {
    let hall = Hall::new(&[]);
    let Hall { organiser, ann, bob, .. } = &hall;
    let nobody = hall.asked("sbt-0", "GET", "autumn/own", b"");
    assert_eq!(nobody.status, 401);
    // The same whoever might be there, and without any token.
    assert_eq!(hall.asked("", "GET", "autumn/own", b"").body, nobody.body);
    assert_eq!(hall.server.get("/contests/autumn/own").body, nobody.body);
    assert_eq!(hall.asked("sbt-0", "POST", "autumn/entries", b"x").status, 401);

    hall.check(ann, ("POST", "autumn/entries", b"first"), 201, "{\"number\":1}");
    hall.check(bob, ("POST", "autumn/entries", b"second"), 201, "{\"number\":2}");
    hall.check(ann, ("POST", "autumn/entries", b""), 400, "the entry is empty");
    let long = vec![0; 1_000_001];
    hall.check(ann, ("POST", "autumn/entries", &long), 413, "longer than the 1000000 bytes");
    hall.check(organiser, ("POST", "autumn/entries", b"x"), 403, "an entrant's is wanted");

    let own = hall.own(ann);
    assert_eq!((&own["name"], own["entries"].as_array().unwrap().len()), (&json!("ann"), 1));
    assert_eq!((&own["flags"], &own["acts"]), (&json!([]), &json!([])));
    assert_eq!(own["entrants"], json!([own["entrants"][0]]), "{own}");
    assert!(!own.to_string().contains("bob"), "{own}");
    let all = hall.own(organiser);
    let names: Vec<&str> =
        all["entries"].as_array().unwrap().iter().map(|it| it["name"].as_str().unwrap()).collect();
    assert_eq!((names, &all["name"]), (vec!["bob v1", "ann v1"], &Value::Null));
    assert!(all["acts"].to_string().contains("bob is let in"), "{all}");

    hall.check(ann, ("GET", "autumn/entries/1", b""), 200, "\"waiting\"");
    hall.check(ann, ("GET", "autumn/entries/2", b""), 404, "no entry of yours");
    hall.check(organiser, ("GET", "autumn/entries/2", b""), 200, "\"bob v1\"");
    let wish = json!({"house": "random-mover", "side": 0}).to_string();
    hall.check(ann, ("POST", "autumn/trials", wish.as_bytes()), 404, "no accepted entry");
    hall.check(ann, ("GET", "autumn/games", b""), 200, "\"games\":[]");
    hall.check(ann, ("GET", "autumn/games/..%2F..%2Fx/pair-000001-1", b""), 404, "no arena");
    hall.check(ann, ("GET", "autumn/trials/1", b""), 404, "no finished game of yours");

    let out = json!({"status": "disqualified", "reason": "two names"}).to_string();
    let set = ("POST", "autumn/entrants/bob", out.as_bytes());
    hall.check(ann, set, 403, "the organiser's is wanted");
    hall.check(organiser, ("POST", "autumn/entrants/eve", out.as_bytes()), 404, "called `eve`");
    let why = ("POST", "autumn/entrants/bob", &b"{\"status\":\"disqualified\"}"[..]);
    hall.check(organiser, why, 400, "a reason is one line");
    hall.check(organiser, set, 204, "");
    hall.check(bob, ("POST", "autumn/entries", b"third"), 403, "disqualified");
    assert_eq!(hall.own(bob)["entrants"][0]["reason"], "two names");
    hall.check(ann, ("POST", "autumn/entries/2/retry", b""), 403, "the organiser's is wanted");
    hall.check(organiser, ("POST", "autumn/entries/2/retry", b""), 204, "");
    hall.check(organiser, ("POST", "autumn/entries/7/retry", b""), 404, "there is no entry 7");
}

#[test]
fn an_organiser_lets_people_in_and_closes() {
    let hall = Hall::new(&[]);
    let Hall { organiser, ann, .. } = &hall;
    let eve = json!({"name": "eve"}).to_string();
    let path = "autumn/entrants";
    hall.check(ann, ("POST", path, eve.as_bytes()), 403, "the organiser's is wanted");
    let admitted = hall.asked(organiser, "POST", path, eve.as_bytes());
    assert_eq!(admitted.status, 201, "{}", admitted.body);
    let token = admitted.json()["token"].as_str().unwrap().to_owned();
    assert_eq!(hall.own(&token)["name"], "eve");
    // A second one in place of the first.
    let again = hall.asked(organiser, "POST", path, eve.as_bytes()).json();
    assert_ne!(again["token"], token.as_str());
    assert_eq!(hall.asked(&token, "GET", "autumn/own", b"").status, 401);
    hall.check(organiser, ("POST", path, b"{\"name\": \" eve\"}"), 400, "no name of an entrant");
    hall.check(organiser, ("POST", path, b"{\"name\": \"random-mover\"}"), 400, "of the house");

    let closes = "autumn/closes";
    let later = json!({"at": "2100-01-01T00:00:00Z"}).to_string();
    hall.check(ann, ("POST", closes, later.as_bytes()), 403, "the organiser's is wanted");
    hall.check(organiser, ("POST", closes, b"{\"at\": \"soon\"}"), 400, "no date");
    hall.check(organiser, ("POST", closes, later.as_bytes()), 204, "");
    assert_eq!(hall.server.get("/contests/autumn").json()["closes"], "2100-01-01T00:00:00Z");
    hall.check(ann, ("POST", "autumn/entries", b"in time"), 201, "");
    hall.check(organiser, ("POST", closes, b"{\"at\": null}"), 204, "");
    assert_eq!(hall.server.get("/contests/autumn").json()["phase"], "closed");
    hall.check(organiser, ("POST", closes, later.as_bytes()), 409, "is closed");
    hall.check(ann, ("POST", "autumn/entries", b"too late"), 409, "until");
}

#[test]
fn an_entrant_submits_from_afar() {
    let hall = Hall::new(&[]);
    let home = &hall.server.home;
    let at = format!("http://{}/#/contests/autumn", hall.server.authority);
    let submit = |file: &str, token: &str| {
        let words = ["contest", "submit", file, "--at", &at, "--token", token];
        let output = home.command(&words).output().unwrap();
        let told = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code(), told(&output.stdout), told(&output.stderr))
    };
    std::fs::write(home.file("notes.wasm"), "no engine").unwrap();
    let mut run = hall.run();
    let (code, out, errors) = submit("notes.wasm", &hall.ann);
    assert_eq!(code, Some(1), "{out}{errors}");
    assert!(out.starts_with("entry 1 is taken\n") && out.contains("2 format"), "{out}");
    assert!(errors.contains("entry 1 is not accepted"), "{errors}");
    run.until("judged", 1);
    // Each stage of a test is told once.
    let module = built("random-mover.wasm");
    let (code, out, errors) = submit(module.to_str().unwrap(), &hall.ann);
    assert_eq!(code, Some(0), "{out}{errors}");
    for stage in ["1 size", "2 format", "3 compile", "4 compliance", "5 budget", "6 bouts"] {
        assert_eq!(out.matches(&format!("  {stage}")).count(), 1, "{stage}: {out}");
    }
    assert!(out.ends_with("entry 2 is accepted\n"), "{out}");
    let asked = ["contest", "ask", "random-mover", "--at", &at, "--token", &hall.ann];
    assert!(home.command(&asked).output().unwrap().status.success());
    run.until("tried", 1);
    let (code, _, errors) = submit("notes.wasm", "sbt-0");
    assert_eq!(code, Some(2), "{errors}");
    let (code, _, errors) = submit("notes.wasm", &hall.organiser);
    assert!(code == Some(2) && errors.contains("an entrant's is wanted"), "{errors}");
}

#[test]
fn wrong_tokens_are_few_and_the_server_s_is_another() {
    let hall = Hall::new(&["--token", "a-token-of-the-tests"]);
    // A contest is for everybody, the rest of the server is not, and its token opens nothing of a contest.
    assert_eq!(hall.server.get("/contests/autumn").status, 200);
    assert_eq!(hall.server.get("/arenas").status, 401);
    assert_eq!(hall.asked("a-token-of-the-tests", "GET", "autumn/own", b"").status, 401);
    let bearer = format!("Bearer {}", hall.organiser);
    let arenas = hall.server.http("GET", "/api/v1/arenas", &[("Authorization", &bearer)], b"");
    assert_eq!(arenas.status, 401);
    let statuses: Vec<u16> =
        (0..30).map(|_| hall.asked("sbt-1", "GET", "autumn/own", b"").status).collect();
    assert!(statuses.contains(&429), "{statuses:?}");
    // Who has the right one is not held up by it.
    hall.check(&hall.ann, ("GET", "autumn/own", b""), 200, "ann");
}

#[test]
fn games_are_told_without_what_others_said() {
    let hall = Hall::new(&[]);
    let Hall { organiser, ann, bob, .. } = &hall;
    let random = std::fs::read(built("random-mover.wasm")).unwrap();
    hall.check(ann, ("POST", "autumn/entries", &random), 201, "");
    hall.check(bob, ("POST", "autumn/entries", b"no engine"), 201, "");
    let mut run = hall.run();
    run.until("judged", 2);
    let report = hall.asked(bob, "GET", "autumn/entries/2", b"").json();
    let stages = report["report"]["stages"].as_array().unwrap();
    let failed = stages.iter().find(|stage| stage["outcome"] == "failed").unwrap();
    assert_eq!((&report["state"], &failed["name"]), (&json!("refused"), &json!("format")));
    assert!(!failed["findings"][0]["help"].as_str().unwrap().is_empty(), "{failed}");

    let wish = json!({"house": "random-mover", "side": 1}).to_string();
    hall.check(ann, ("POST", "autumn/trials", wish.as_bytes()), 201, "{\"number\":1}");
    run.until("tried", 1);
    let record = hall.asked(ann, "GET", "autumn/trials/1", b"").json();
    let names: Vec<&Value> =
        record["players"].as_array().unwrap().iter().map(|player| &player["name"]).collect();
    assert!(names.contains(&&json!("ann v1")) && names.contains(&&json!("random-mover")));
    let own = names.iter().position(|name| **name == json!("ann v1")).unwrap();
    let logs = record["logs"].as_array().cloned().unwrap_or_default();
    assert!(logs.iter().all(|log| log["player"] == own), "{logs:?}");
    hall.check(bob, ("GET", "autumn/trials/1", b""), 404, "no finished game of yours");
    hall.check(organiser, ("GET", "autumn/trials/1", b""), 200, "sandboard-record");

    // The ladder goes on: a hundred games are there.
    run.until("games", 1);
    let games = hall.asked(ann, "GET", "autumn/games?limit=3", b"").json();
    assert_eq!(games["arena"], "ladder", "{games}");
    let names: Vec<&str> =
        games["games"].as_array().unwrap().iter().map(|it| it["name"].as_str().unwrap()).collect();
    assert_eq!(names.len(), 3);
    assert!(names.is_sorted_by(|a, b| a > b), "{names:?}");
    assert_eq!(games["next"], names[2]);
    let game = format!("autumn/games/ladder/{}", names[0]);
    hall.check(ann, ("GET", &game, b""), 200, "sandboard-record");
    hall.check(bob, ("GET", &game, b""), 404, "no finished game of yours");
    hall.check(bob, ("GET", "autumn/games", b""), 200, "\"games\":[]");
    let table = &hall.server.get("/contests/autumn").json()["tables"][0];
    let rows = table["standings"].as_array().unwrap();
    let of: Vec<&Value> = rows.iter().map(|row| &row["entrant"]).collect();
    assert!(of.contains(&&json!("ann")) && of.contains(&&Value::Null), "{table}");
    assert!(!table.to_string().contains("seed"), "{table}");
}
