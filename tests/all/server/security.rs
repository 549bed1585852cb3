//! Security: headers, paths, origins, tokens, and clients that send too much.

use serde_json::json;

use super::*;

const TOKEN: &str = "a-token-of-the-tests";

#[test]
fn every_answer_has_its_headers() {
    let server = Server::start(&[]);
    for path in ["/", "/room/x", "/api/v1/info", "/api/v1/nothing", "/assets/none.js"] {
        let answer = server.http("GET", path, &[], b"");
        let csp = answer.header("content-security-policy").unwrap_or_default();
        assert!(csp.contains("script-src 'self'") && !csp.contains("unsafe"), "{path}: {csp}");
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"), "{path}");
        assert_eq!(answer.header("x-frame-options"), Some("DENY"), "{path}");
    }
    assert_eq!(server.http("GET", "/room/x", &[], b"").status, 200);
    assert_eq!(server.http("GET", "/api/v1/nothing", &[], b"").status, 404);
}

#[test]
fn paths_cannot_leave_the_client_files() {
    let server = Server::start(&[]);
    let paths = [
        "/../../../../etc/passwd",
        "/..%2f..%2f..%2fetc%2fpasswd",
        "/assets/../../etc/passwd",
        "/assets/..%2f..%2fCargo.toml",
        "/%2e%2e/%2e%2e/etc/passwd",
        "//etc/passwd",
        "/api/v1/bouts/..%2f..%2fetc%2fpasswd",
        "/api/v1/rooms/..%2fx/record",
        "/\\..\\..\\etc\\passwd",
    ];
    for path in paths {
        let answer = server.http("GET", path, &[], b"");
        assert!(!answer.body.contains("root:") && !answer.body.contains("[workspace]"), "{path}");
        assert!([200, 400, 404].contains(&answer.status), "{path}: {}", answer.status);
    }
}

#[test]
fn pages_of_other_sites_are_refused() {
    let server = Server::start(&[]);
    let own = format!("http://{}", server.authority);
    let check = |headers: &[(&'static str, &str)], good: bool| {
        let opened = server.socket("/lobby/ws", headers);
        assert_eq!(opened.is_ok(), good, "{headers:?}");
        let json = [("Content-Type", "application/json")];
        let all: Vec<_> = json.iter().copied().chain(headers.iter().copied()).collect();
        let answer = server.http("POST", "/api/v1/position", &all, br#"{"game": "gomoku"}"#);
        assert_eq!(answer.status, if good { 200 } else { 403 }, "{headers:?}");
    };
    check(&[], true);
    check(&[("origin", &own)], true);
    check(&[("origin", "http://evil.example")], false);
    check(&[("origin", "null")], false);
    check(&[("host", "evil.example")], false);
    check(&[("host", "evil.example"), ("origin", "http://evil.example")], false);
    check(&[("sec-fetch-site", "same-origin")], true);
    // A page at another port of this machine, or of another site, whatever it says of its origin.
    check(&[("origin", &own), ("sec-fetch-site", "same-site")], false);
    check(&[("origin", &own), ("sec-fetch-site", "cross-site")], false);
}

#[test]
fn a_request_names_one_host() {
    let server = Server::start(&[]);
    let check = |hosts: &[&str], target: &str, expected: u16| {
        let mut stream = TcpStream::connect(&server.authority).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let hosts: String = hosts.iter().map(|host| format!("Host: {host}\r\n")).collect();
        let head = format!("GET {target} HTTP/1.1\r\n{hosts}Connection: close\r\n\r\n");
        stream.write_all(head.as_bytes()).unwrap();
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let answer = parse_response(&answer);
        assert_eq!(answer.status, expected, "{hosts:?} {target}: {}", answer.body);
    };
    let info = "/api/v1/info";
    check(&["localhost"], info, 200);
    check(&["localhost:8000"], "http://localhost:8000/api/v1/info", 200);
    check(&["localhost"], "http://evil.example/api/v1/info", 400);
    for path in [info, "/"] {
        check(&["localhost", "localhost"], path, 400);
        check(&["localhost", "evil.example"], path, 400);
        check(&[], path, 400);
        for wrong in ["", "localhost:port", "localhost, evil.example", "[::1", "a@localhost"] {
            check(&[wrong], path, 400);
        }
    }
}

#[test]
fn every_error_is_a_problem_in_json() {
    let server = Server::start(&[]);
    let check = |method: &str, path: &str, expected: u16| {
        let answer = server.http(method, &format!("/api/v1{path}"), &[], b"");
        assert_eq!(answer.status, expected, "{path}: {}", answer.body);
        let kind = answer.header("content-type");
        assert_eq!(kind, Some("application/problem+json"), "{path}: {}", answer.body);
        let problem = answer.json();
        assert!(!problem["detail"].as_str().unwrap().is_empty(), "{problem}");
    };
    check("GET", "/nothing", 404);
    check("GET", "/contests/autumn/entries/one", 400);
    check("GET", "/contests/autumn/trials/1e3", 400);
    check("POST", "/contests/autumn/entries/-/retest", 400);
    check("GET", "/rooms/%ff", 400);
    check("GET", "/bouts/%c3%28", 400);
    check("GET", "/lobby/ws", 400);
    check("POST", "/position", 415);
    check("GET", "/bouts?limit=x", 400);
    check("POST", "/info", 405);
}

#[test]
fn a_ticket_has_one_message_rate_for_all_of_its_sockets() {
    let server = Server::start(&[]);
    let (room, tickets) = server.room(&two("none"));
    let mut sockets: Vec<Socket> =
        (0..10).map(|_| server.enter(&room, Some(&tickets[0]), None)).collect();
    for socket in &mut sockets {
        for number in 0..50 {
            socket.send(&json!({"v": 1, "id": number.to_string(), "type": "ping"}));
        }
        // Answered directly, and not counted.
        socket.send(&json!({"v": 2, "id": "end", "type": "ping"}));
    }
    let mut refused = 0;
    for socket in &mut sockets {
        loop {
            let message = socket.next().expect("the socket stays open");
            refused += usize::from(message["kind"] == "too-many");
            if message["id"] == "end" {
                break;
            }
        }
    }
    // 60 at once, and 20 a second: 500 would take 22 s.
    assert!(refused > 0, "no message of 500 was refused");
    // The other player's rate is not affected.
    let mut bob = server.enter(&room, Some(&tickets[1]), None);
    assert_eq!(bob.send_and_read_reply(json!({"type": "ping"}))["type"], "pong");
}

#[test]
fn a_token_is_required_but_a_ticket_is_enough_for_its_room() {
    let server = Server::start(&["--token", TOKEN]);
    assert_eq!(server.get("/rooms").status, 401);
    assert_eq!(server.post("/rooms", &two("none")).status, 401);
    let info = server.get("/info").json();
    assert_eq!((&info["login_needed"], &info["token_required"]), (&json!(true), &json!(true)));
    assert_eq!(server.http("GET", "/", &[], b"").status, 200);
    let bearer = format!("Bearer {TOKEN}");
    let json = ("Content-Type", "application/json");
    let opened = server.http(
        "POST",
        "/api/v1/rooms",
        &[json, ("Authorization", &bearer)],
        two("none").to_string().as_bytes(),
    );
    assert_eq!(opened.status, 201, "{}", opened.body);
    let wrong = server.http(
        "POST",
        "/api/v1/rooms",
        &[json, ("Authorization", "Bearer a-token-of-the-test")],
        two("none").to_string().as_bytes(),
    );
    assert_eq!(wrong.status, 401);
    let view = opened.json();
    let (room, ticket) =
        (view["room"].as_str().unwrap(), view["tickets"][0]["ticket"].as_str().unwrap());

    assert_eq!(server.enter(room, None, None).next(), None, "watching requires the token");
    let mut anna = server.enter(room, Some(ticket), None);
    assert_eq!(anna.until("snapshot")["own_player"], 0);
    let rules = |ticket: &str| {
        let headers = [json, ("X-Ticket", ticket)];
        server.http("POST", "/api/v1/position", &headers, br#"{"game": "gomoku"}"#).status
    };
    assert_eq!((rules(ticket), rules("0"), server.get("/games").status), (200, 401, 200));
    let path = format!("/api/v1/rooms/{room}");
    assert_eq!(server.http("GET", &path, &[("X-Ticket", ticket)], b"").json()["own_player"], 0);
    assert_eq!(server.http("GET", &path, &[("X-Ticket", "0")], b"").status, 403);
    assert_eq!(server.http("GET", &path, &[], b"").status, 401);

    let login = server.post("/login", &json!({"token": TOKEN}));
    let cookie = login.header("set-cookie").unwrap();
    assert!(
        login.status == 204 && cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"),
        "{cookie}"
    );
    let pair = cookie.split(';').next().unwrap();
    assert_eq!(server.http("GET", "/api/v1/rooms", &[("Cookie", pair)], b"").status, 200);
    let mut tries = (0..50).map(|_| server.post("/login", &json!({"token": "guess"})).status);
    assert_eq!(tries.next(), Some(401));
    assert!(tries.any(|status| status == 429), "guessing is limited");
}

#[test]
fn other_addresses_require_a_token() {
    let home = TestHome::without_engines();
    let store = home.file("x.db");
    let store = store.to_str().unwrap();
    let check = |more: &[&str], expected: &str| {
        let mut arguments = vec!["serve", "--port", "0", "--store", store];
        arguments.extend(more);
        let ended = home.run(&arguments, "");
        assert_eq!(ended.code, Some(2), "{more:?}: {}", ended.err);
        assert!(ended.err.contains(expected), "{more:?}: {}", ended.err);
    };
    check(&["--address", "0.0.0.0", "--no-token"], "leave --no-token out");
    check(&["--address", "::", "--no-token"], "leave --no-token out");
    check(&["--token", ""], "the token is empty");
    check(&["--token", "long-enough", "--no-token"], "cannot be used with");
    check(&["--address", "0.0.0.0", "--token", "short"], "at least 8 characters");
    check(&["--token", "has a blank in it"], "at least 8 characters");
    check(&["--address", "nowhere"], "invalid");
    check(&["--trusted-proxy", "10.0.0.0/33"], "not a network such as 10.0.0.0/8");
    check(&["--connections-per-address", "0"], "invalid");
    check(&["--request-timeout", "0"], "invalid");
}

#[test]
fn only_a_flooding_client_is_disconnected() {
    let server = Server::start(&[]);
    let (room, tickets) = server.room(&two("none"));
    let mut anna = server.enter(&room, Some(&tickets[0]), None);
    let mut flood = server.enter(&room, None, None);
    for number in 0..2_000 {
        flood.send(&json!({"v": 1, "id": number.to_string(), "type": "ping"}));
    }
    let mut kinds = Vec::new();
    while let Some(message) = flood.next() {
        kinds.push(message["kind"].as_str().unwrap_or_default().to_owned());
    }
    assert!(kinds.iter().any(|kind| kind == "too-many"), "an error is sent first");

    let mut large = server.enter(&room, None, None);
    large.until("snapshot");
    large.send_text("x".repeat(10 << 20));
    while large.next().is_some() {}
    let mut silent = server.socket(&format!("/rooms/{room}/ws"), &[]).unwrap();
    silent.send_text("not a hello".into());
    assert_eq!(silent.next(), None);
    let body = vec![b' '; 10 << 20];
    let json = [("Content-Type", "application/json")];
    let status = server.http("POST", "/api/v1/position", &json, &body).status;
    assert!(status == 413 || status == 0, "refused, or cut off: {status}");

    let mut bob = server.enter(&room, Some(&tickets[1]), None);
    bob.until("began");
    anna.play("h8", 0);
    bob.play("i9", 1);
}

#[test]
fn unfinished_request_heads_do_not_block_others() {
    let server = Server::start(&[]);
    let slow: Vec<TcpStream> = (0..64)
        .map(|_| {
            let mut stream = TcpStream::connect(&server.authority).unwrap();
            stream.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ").unwrap();
            stream
        })
        .collect();
    assert_eq!(server.get("/info").status, 200);
    for mut stream in slow {
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let mut rest = Vec::new();
        // The server closes the connection, with or without a response.
        let _ = stream.read_to_end(&mut rest);
        let answer = parse_response(&rest);
        assert!([0, 408].contains(&answer.status), "{}", answer.status);
    }
    let mut long = TcpStream::connect(&server.authority).unwrap();
    let _ = long
        .write_all(b"GET / HTTP/1.1\r\nX-Long: ")
        .and_then(|()| long.write_all(&[b'x'; 1 << 20]));
    let mut rest = Vec::new();
    let _ = long.read_to_end(&mut rest);
    assert!([0, 431].contains(&parse_response(&rest).status));
}

#[test]
fn names_are_returned_as_plain_text() {
    let server = Server::start(&[]);
    let evil = "<script>alert(1)</script>\"'&";
    let mut request = two("none");
    request["players"][0]["name"] = evil.into();
    request["players"][1]["name"] = "a\u{0}b\u{1b}[31m".into();
    let (room, _) = server.room(&request);
    let answer = server.get(&format!("/rooms/{room}"));
    assert_eq!(answer.header("content-type"), Some("application/json"));
    let view = answer.json();
    assert_eq!(view["players"][0]["name"], evil);
    assert_eq!(view["players"][1]["name"], "a\u{fffd}b\u{fffd}[31m");
    let long = "n".repeat(10_000);
    request["players"][0]["name"] = long.into();
    let (room, _) = server.room(&request);
    let view = server.get(&format!("/rooms/{room}")).json();
    assert!(view["players"][0]["name"].as_str().unwrap().len() < 300);
}
