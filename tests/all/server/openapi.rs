//! The OpenAPI document: requests that Schemathesis makes from it get the answers that it promises.

use std::sync::mpsc::channel;

use sandboard_builder::schemathesis;
use sandboard_tests::{built, root};
use serde_json::json;

use super::*;

/// How many requests are made at random for each operation, beside those that try each limit of
/// its parameters.
const EXAMPLES: &str = "10";
/// The longest time of all requests: only a hang takes so long. On one free core they take 15
/// seconds.
const TIME_LIMIT: Duration = Duration::from_secs(600);

const TOKEN: &str = "secret-enough";
const CONTEST: &str = "game = \"gomoku\"\nvariant = \"freestyle-7\"\nbudget = \"fuel:2e6/move\"\n\
                       house = [\"random-mover\"]\nentry_bytes = 1000000\nentries_per_day = 50\n";

/// A server with an arena, two contests and a finished bout.
struct Setup {
    server: Server,
    /// What replaces the names in the configuration.
    names: Vec<(&'static str, String)>,
}

/// Runs a command, and returns the token in its output.
fn token(home: &TestHome, words: &[&str]) -> String {
    let output = home.command(&[&["contest"], words, &["--json"]].concat()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let view: Value = serde_json::from_slice(&output.stdout).unwrap();
    view["token"].as_str().unwrap().to_owned()
}

impl Setup {
    fn new() -> Self {
        let home = TestHome::new();
        // Uploads must not change the folder of other tests.
        let engines = home.file("engines");
        std::fs::create_dir(&engines).unwrap();
        std::fs::create_dir(home.file("contests")).unwrap();
        let engine = engines.join("random-mover-1.0.0.gomoku.wasm");
        std::fs::copy(built("random-mover.wasm"), engine).unwrap();
        let organiser = |name: &str| {
            let (file, dir) = (format!("{name}.toml"), format!("contests/{name}"));
            std::fs::write(home.file(&file), format!("name = \"{name}\"\n{CONTEST}")).unwrap();
            token(&home, &["create", &file, "--dir", &dir])
        };
        let (autumn, winter) = (organiser("autumn"), organiser("winter"));
        let ann = token(&home, &["add-entrant", "contests/autumn", "ann"]);
        let arena = home.file("arena/three");
        let words = ["arena", "round-robin", "random-mover", "random-mover", "random-mover"];
        let more = ["--game", "gomoku", "--variant", "freestyle-7", "--seed", "5", "--dir"];
        let words = [&words[..], &more[..], &[arena.to_str().unwrap()]].concat();
        let output = home.command(&words).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));

        let [engines, contests] =
            ["engines", "contests"].map(|name| home.file(name).to_str().unwrap().to_owned());
        let words =
            ["--token", TOKEN, "--engines-dir", engines.as_str(), "--contests", contests.as_str()];
        let server = Server::start_in(home, &words);
        let (room, ticket) = finished_bout(&server);
        let arenas = request(&server, "GET", "/arenas", b"").json();
        let invitation = invitation(&server, &autumn);
        let names = vec![
            ("SERVER", TOKEN.to_owned()),
            ("ORGANISER", autumn),
            ("OTHER_ORGANISER", winter),
            ("ENTRANT", ann),
            ("INVITATION", invitation),
            ("ARENA", arenas[0]["id"].as_str().unwrap().to_owned()),
            ("ROOM", room),
            ("TICKET", ticket),
        ];
        Self { server, names }
    }

    fn configuration(&self) -> String {
        let file = root().join("tests/fixtures/server/schemathesis.toml");
        let mut text = std::fs::read_to_string(file).unwrap();
        for (name, value) in &self.names {
            text = text.replace(&format!("${{{name}}}"), value);
        }
        text
    }
}

/// Sends a request of the operator.
fn request(server: &Server, method: &str, path: &str, body: &[u8]) -> Response {
    let bearer = format!("Bearer {TOKEN}");
    let headers = [("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
    server.http(method, &format!("/api/v1{path}"), &headers, body)
}

/// Makes an invitation to the contest `autumn`. Returns its secret.
fn invitation(server: &Server, organiser: &str) -> String {
    let bearer = format!("Bearer {organiser}");
    let headers = [("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
    let end = std::time::SystemTime::now() + Duration::from_secs(3600);
    let body = json!({"places": 1000, "ends_at": sandboard_common::date::rfc3339(end)});
    let path = "/api/v1/contests/autumn/invitations";
    let answer = server.http("POST", path, &headers, body.to_string().as_bytes());
    assert_eq!(answer.status, 201, "{}", answer.body);
    answer.json()["invitation"].as_str().unwrap().to_owned()
}

/// Has two engines play. Returns the room, which is also the bout, and a ticket.
fn finished_bout(server: &Server) -> (String, String) {
    let engine =
        |seat: u8| json!({"seats": [seat], "budget": "", "engine": {"id": "random-mover"}});
    let room =
        json!({"game": "gomoku", "variant": "freestyle-7", "players": [engine(0), engine(1)]});
    let opened = request(server, "POST", "/rooms", room.to_string().as_bytes());
    assert_eq!(opened.status, 201, "{}", opened.body);
    let opened = opened.json();
    let [room, ticket] =
        [&opened["room"], &opened["tickets"][0]["ticket"]].map(|it| it.as_str().unwrap());
    server.enter(room, Some(ticket), None).until("ended");
    (room.to_owned(), ticket.to_owned())
}

/// Runs Schemathesis to its end. Returns whether it found no fault, and its output.
fn test_with_schemathesis(setup: &Setup) -> (bool, String) {
    let home = &setup.server.home;
    let configuration = home.file("schemathesis.toml");
    std::fs::write(&configuration, setup.configuration()).unwrap();
    let mut command = schemathesis::command().unwrap();
    command.arg("--config-file").arg(configuration).arg("run");
    command.arg(format!("http://{}/api/v1/openapi.json", setup.server.authority));
    command.args(["--no-color", "--seed", "1", "--workers", "1", "--max-examples", EXAMPLES]);
    command.args(["--phases", "examples,coverage,fuzzing", "--continue-on-failure"]);
    // Sockets are tested by the other tests of the server.
    command.args(["--exclude-path-regex", "/ws$", "--request-timeout", "120"]);
    command.current_dir(home.path()).env("HOME", home.path()).env("PYTHONDONTWRITEBYTECODE", "1");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    let pid = rustix::process::Pid::from_child(&child);
    let (sender, finished) = channel();
    let waiting = std::thread::spawn(move || {
        let output = child.wait_with_output();
        // The test has failed if it no longer waits.
        let _ = sender.send(());
        output
    });
    if finished.recv_timeout(TIME_LIMIT).is_err() {
        rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
        panic!("Schemathesis did not end within {} s", TIME_LIMIT.as_secs());
    }
    let output = waiting.join().unwrap().unwrap();
    let text = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8_lossy(&text).into_owned())
}

/// All operations: method, path and description.
fn operations(document: &Value) -> impl Iterator<Item = (String, &str, &Value)> {
    let paths = document["paths"].as_object().unwrap().iter();
    paths.flat_map(|(path, methods)| {
        let methods = methods.as_object().unwrap().iter();
        methods.map(move |(method, it)| (method.to_uppercase(), path.as_str(), it))
    })
}

#[test]
fn answers_are_those_of_the_document() {
    let setup = Setup::new();
    let (good, output) = test_with_schemathesis(&setup);
    let faults = output.find("= FAILURES =").or_else(|| output.find("= ERRORS ="));
    assert!(good, "{}", &output[faults.unwrap_or(0)..]);
    // All but the two sockets and the document itself.
    let document = setup.server.get("/openapi.json").json();
    let count = operations(&document).count() - 3;
    assert!(output.contains(&format!("Tested: {count}\n")), "{output}");
    let examples = operations(&document).filter_map(|(method, path, operation)| {
        let example = &operation["requestBody"]["content"]["application/json"]["example"];
        // What has an id needs more than an example: an arena that is open, an invitation.
        let is_whole = example.is_object() && !path.contains('{');
        is_whole.then(|| (method, path, example.to_string()))
    });
    let mut checked = 0;
    for (method, path, example) in examples {
        let path = path.trim_start_matches("/api/v1");
        let answer = request(&setup.server, &method, path, example.as_bytes());
        assert_eq!(answer.status / 100, 2, "{path} {example}: {}", answer.body);
        checked += 1;
    }
    assert_eq!(checked, 6);
}

#[test]
fn operations_of_the_operator_need_a_token() {
    let server = Server::start_in(TestHome::without_engines(), &["--token", TOKEN]);
    let document = server.get("/openapi.json").json();
    let mut checked = 0;
    for (method, path, operation) in operations(&document) {
        let is_operators = operation["security"][0].get("token").is_some();
        // There is no room, which is said to everyone.
        if !is_operators || path.contains("/rooms/{id}") {
            continue;
        }
        let path = path.replace("{id}", "x").replace("{name}", "x").replace("{file}", "x.zip");
        let answer = server.http(&method, &path, &[], b"");
        let found = (answer.status, answer.header("content-type"));
        assert_eq!(found, (401, Some("application/problem+json")), "{method} {path}");
        checked += 1;
    }
    assert!(checked > 20, "{checked}");
}

#[test]
fn every_refusal_is_a_problem() {
    let server = Server::start_in(TestHome::without_engines(), &[]);
    let json = ("Content-Type", "application/json");
    let check = |request: (&str, &str), header: (&str, &str), body: &[u8], status: u16| {
        let (method, path) = request;
        let answer = server.http(method, path, &[header], body);
        assert_eq!(answer.status, status, "{method} {path}: {}", answer.body);
        let found = (answer.header("content-type"), answer.json()["status"].as_u64());
        assert_eq!(found, (Some("application/problem+json"), Some(status.into())), "{path}");
        answer.header("allow").map(str::to_owned)
    };
    let api = |method, path| (method, path);
    let none = ("Accept", "*/*");
    for (method, path, allowed) in [
        ("POST", "/api/v1/info", "GET,HEAD"),
        ("GET", "/api/v1/login", "POST"),
        ("TRACE", "/api/v1/rooms", "GET,HEAD,POST"),
        ("PUT", "/api/v1/engines/files/x.zip", "DELETE"),
        ("POST", "/api/v1/lobby/ws", "GET,HEAD"),
        ("DELETE", "/api/v1/rooms/x/ws", "GET,HEAD"),
        ("POST", "/healthz", "GET,HEAD"),
        ("POST", "/", "GET,HEAD"),
    ] {
        assert_eq!(check((method, path), none, b"", 405).as_deref(), Some(allowed), "{path}");
    }
    check(api("POST", "/api/v1/position"), none, b"{\"game\": \"gomoku\"}", 415);
    check(api("POST", "/api/v1/position"), ("Content-Type", "text/plain"), b"{}", 415);
    check(api("POST", "/api/v1/position"), json, b"", 400);
    check(api("POST", "/api/v1/position"), json, b"{\"game\": 1}", 400);
    check(api("POST", "/api/v1/position"), json, b"{\"game\": \"chaturanga\"}", 422);
    check(api("POST", "/api/v1/position"), json, &vec![b' '; 300_000], 413);
    check(api("POST", "/api/v1/files?name=x.sgf"), none, b"", 400);
    check(api("POST", "/api/v1/files?name=x.sgf"), none, b"(", 422);
    check(api("POST", "/api/v1/engines?name=x"), none, b"x", 400);
    check(api("GET", "/api/v1/info?colour=red"), none, b"", 400);
    check(api("GET", "/api/v1/bouts?limit="), none, b"", 400);
    check(api("GET", "/api/v1/bouts?result=2"), none, b"", 400);
    check(api("GET", "/api/v1/nothing"), none, b"", 404);
    check(api("GET", "/api/v1"), none, b"", 404);
    check(api("GET", "/api"), none, b"", 404);
}
