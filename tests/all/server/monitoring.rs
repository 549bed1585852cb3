//! What a program that watches the server sees: health, metrics, access log, unknown paths.

use super::*;
use crate::arena::store::while_locked;

const TOKEN: &str = "a-token-of-the-tests";

#[test]
fn a_server_that_can_store_is_healthy() {
    let server = Server::start(&["--token", TOKEN]);
    let check = |method: &str, expected: (u16, &str)| {
        let answer = server.http(method, "/healthz", &[], b"");
        assert_eq!((answer.status, answer.body.as_str()), expected, "{method}");
    };
    check("GET", (200, "ok\n"));
    check("HEAD", (200, ""));
}

#[test]
fn a_server_whose_store_is_locked_is_not_healthy() {
    let server = Server::start(&[]);
    let wait_for = |status: u16| {
        let since = Instant::now();
        loop {
            let answer = server.http("GET", "/healthz", &[], b"");
            if answer.status == status {
                return answer.body;
            }
            assert!(since.elapsed() < PATIENCE, "{}: {}", answer.status, answer.body);
        }
    };
    let request = two("5m");
    std::thread::scope(|scope| {
        while_locked(&server.home.file("rooms.db"), || {
            scope.spawn(|| server.post("/rooms", &request));
            assert_eq!(wait_for(503), "the store cannot be written\n");
            let metrics = server.get("/metrics").body;
            assert!(metrics.contains("\nsandboard_store_fails 1\n"), "{metrics}");
        });
    });
    assert_eq!(wait_for(200), "ok\n");
}

#[test]
fn metrics_are_for_the_operator() {
    let server = Server::start(&["--token", TOKEN]);
    let metrics = |token: &str| {
        let bearer = format!("Bearer {token}");
        server.http("GET", "/api/v1/metrics", &[("Authorization", &bearer)], b"")
    };
    assert_eq!(metrics("another-token").status, 401);
    assert_eq!(server.get("/metrics").status, 401);
    let answer = metrics(TOKEN);
    assert_eq!(answer.status, 200, "{}", answer.body);
    assert_eq!(answer.header("content-type"), Some("text/plain; version=0.0.4; charset=utf-8"));
    let check =
        |line: &str| assert!(answer.body.lines().any(|it| it == line), "{line}: {}", answer.body);
    check("# TYPE sandboard_requests_total counter");
    check("sandboard_requests_total{status=\"4xx\"} 2");
    check("sandboard_rooms{state=\"playing\"} 0");
    check("sandboard_store_fails 0");
    // Each line is a comment, or a name with a number.
    for line in answer.body.lines().filter(|line| !line.starts_with("# ")) {
        let (name, value) = line.rsplit_once(' ').unwrap();
        assert!(name.starts_with("sandboard_") && value.parse::<f64>().is_ok(), "{line}");
    }
}

#[test]
fn each_request_has_a_line_in_the_access_log() {
    let home = TestHome::new();
    let file = home.file("access.log");
    // A log that others may read, of an earlier run.
    std::fs::write(&file, "").unwrap();
    let mut server = Server::start_in(home, &["--access-log", file.to_str().unwrap()]);
    assert_eq!(server.get("/bouts?name=secret").status, 200);
    assert_eq!(server.http("GET", "/no/such/page", &[], b"").status, 404);
    assert_eq!(server.http("GET", "/", &[("X-Forwarded-For", "192.0.2.7")], b"").status, 403);
    server.terminate();
    let text = std::fs::read_to_string(&file).unwrap();
    let found: Vec<String> = text
        .lines()
        .map(|line| {
            let fields: Vec<&str> = line.split(' ').collect();
            assert!(fields.len() == 6 && fields[5].parse::<u64>().is_ok(), "{line}");
            fields[1..5].join(" ")
        })
        .collect();
    let expected = [
        "127.0.0.1 GET /api/v1/bouts 200",
        "127.0.0.1 GET /no/such/page 404",
        "127.0.0.1 GET / 403",
    ];
    assert_eq!(found, expected, "{text}");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }
}

#[test]
fn unknown_paths_are_not_found() {
    let server = Server::start(&[]);
    let check = |path: &str, accept: &str, expected: (u16, &str), text: &str| {
        let answer = server.http("GET", path, &[("Accept", accept)], b"");
        let kind = answer.header("content-type").unwrap();
        assert_eq!((answer.status, kind), expected, "{path} {accept}");
        assert!(answer.body.contains(text), "{path} {accept}: {}", answer.body);
    };
    let (browser, program) = ("text/html,application/xhtml+xml,*/*;q=0.8", "*/*");
    let (html, problem) = ("text/html; charset=utf-8", "application/problem+json");
    check("/", browser, (200, html), "<title>");
    check("/index.html", program, (200, html), "<title>");
    check("/contests/spring.2026", browser, (200, html), "<title>");
    check("/room/what", program, (200, html), "<title>");
    // The client says that there is no such page.
    check("/rooms", browser, (404, html), "<title>");
    check("/rooms", program, (404, problem), "pages begin at /");
    check("/favicon.gif", program, (404, problem), "pages begin at /");
    check("/api/v2/rooms", browser, (404, problem), "no such path in version 1");
}
