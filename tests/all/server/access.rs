//! Who is the operator: tokens that the server draws, requests through proxies, and guesses.

use super::*;

const TOKEN: &str = "a-token-of-the-tests";

fn bearer(token: &str) -> String {
    format!("Bearer {token}")
}

/// Logs in with these headers.
fn login(server: &Server, token: &str, headers: &[(&str, &str)]) -> Response {
    let headers = [&[("Content-Type", "application/json")], headers].concat();
    let body = json!({"token": token}).to_string();
    server.http("POST", "/api/v1/login", &headers, body.as_bytes())
}

#[test]
fn by_default_a_token_is_drawn_and_printed_in_the_link() {
    let servers = [Server::start(&[DRAW_TOKEN]), Server::start(&[DRAW_TOKEN])];
    let [token, other] = servers.each_ref().map(|it| it.drawn_token.clone().expect("a link"));
    assert!(token.len() == 32 && token.bytes().all(|byte| byte.is_ascii_hexdigit()), "{token}");
    assert_ne!(token, other);
    let server = &servers[0];
    let check = |headers: &[(&str, &str)], expected: u16| {
        let paths = ["/rooms", "/engines", "/bouts", "/arenas", "/operator"];
        for path in paths.map(|path| format!("/api/v1{path}")) {
            let status = server.http("GET", &path, headers, b"").status;
            assert_eq!(status, expected, "{path} {headers:?}");
        }
    };
    check(&[], 401);
    check(&[("Authorization", &bearer(&other))], 401);
    check(&[("Authorization", &bearer(&token))], 200);
    let set = login(server, &token, &[]);
    assert_eq!(set.status, 204, "{}", set.body);
    let cookie = set.header("set-cookie").unwrap();
    assert!(!cookie.contains("Secure"), "{cookie}");
    check(&[("Cookie", cookie.split(';').next().unwrap())], 200);
    // The cookie is for this port: another server of the machine sets another one.
    let port = server.authority.rsplit(':').next().unwrap();
    assert!(cookie.starts_with(&format!("sandboard_token_{port}=")), "{cookie}");

    let open = Server::start(&[]);
    assert_eq!((open.drawn_token.as_ref(), open.get("/operator").status), (None, 200));
}

#[test]
fn without_a_token_requests_through_a_proxy_are_refused() {
    let server = Server::start(&[]);
    let headers = [
        ("X-Forwarded-For", "127.0.0.1"),
        ("X-Forwarded-Proto", "https"),
        ("X-Forwarded-Host", "localhost"),
        ("X-Real-IP", "127.0.0.1"),
        ("Forwarded", "for=127.0.0.1"),
        ("Via", "1.1 proxy"),
    ];
    for header in headers {
        for path in ["/", "/api/v1/info", "/api/v1/rooms", "/api/v1/contests"] {
            let answer = server.http("GET", path, &[header], b"");
            assert_eq!(answer.status, 403, "{path} {header:?}: {}", answer.body);
            assert!(answer.body.contains("--trusted-proxy"), "{}", answer.body);
        }
    }
    assert!(server.socket("/lobby/ws", &[("x-forwarded-for", "127.0.0.1")]).is_err());
    assert_eq!(server.get("/rooms").status, 200);
}

#[test]
fn a_trusted_proxy_names_its_clients() {
    let server = Server::start(&["--token", TOKEN, "--trusted-proxy", "127.0.0.0/8"]);
    let (anna, bob) = ("203.0.113.9", "203.0.113.10");
    let attempt = |token: &str, forwarded: &str| {
        login(&server, token, &[("X-Forwarded-For", forwarded)]).status
    };
    let https = [("X-Forwarded-For", anna), ("X-Forwarded-Proto", "https")];
    let cookie = login(&server, TOKEN, &https).header("set-cookie").unwrap().to_owned();
    assert!(cookie.ends_with("; Secure"), "{cookie}");
    let http = [("X-Forwarded-For", anna), ("X-Forwarded-Proto", "http")];
    let cookie = login(&server, TOKEN, &http).header("set-cookie").unwrap().to_owned();
    assert!(!cookie.contains("Secure"), "{cookie}");

    let guesses: Vec<u16> = (0..40).map(|_| attempt("guess", anna)).collect();
    assert_eq!((guesses[0], guesses.contains(&429)), (401, true), "{guesses:?}");
    // What a client writes itself does not make it another one.
    let pretended: Vec<u16> =
        (0..40).map(|nth| attempt("guess", &format!("192.0.2.{nth}, {anna}"))).collect();
    assert!(pretended.contains(&429), "{pretended:?}");
    assert_eq!(attempt("guess", bob), 401, "the limit is for one address");
    assert_eq!(attempt(TOKEN, anna), 204, "a right token is accepted");
    let contradiction = [("X-Forwarded-For", anna), ("Forwarded", "for=203.0.113.10")];
    assert_eq!(login(&server, TOKEN, &contradiction).status, 400);
    // Sockets work through the proxy, too.
    let headers = [("x-forwarded-for", bob), ("authorization", &*bearer(TOKEN))];
    assert!(server.socket("/lobby/ws", &headers).is_ok());
}

#[test]
fn the_clients_of_another_proxy_are_one_address() {
    let server = Server::start(&["--token", TOKEN, "--trusted-proxy", "10.0.0.7"]);
    let guess = |nth: u32| {
        login(&server, "guess", &[("X-Forwarded-For", &format!("192.0.2.{nth}"))]).status
    };
    let guesses: Vec<u16> = (0..40).map(guess).collect();
    assert!(guesses.contains(&429), "{guesses:?}");
    let https = [("X-Forwarded-For", "192.0.2.1"), ("X-Forwarded-Proto", "https")];
    let right = login(&server, TOKEN, &https);
    assert_eq!(right.status, 204, "{}", right.body);
    assert!(!right.header("set-cookie").unwrap().contains("Secure"));
    let operator =
        server.http("GET", "/api/v1/operator", &[("Authorization", &bearer(TOKEN))], b"");
    let log = operator.json()["log"].to_string();
    assert_eq!(log.matches("--trusted-proxy 127.0.0.1").count(), 1, "{log}");
}

#[test]
fn guesses_do_not_lock_the_operator_out() {
    let server = Server::start(&["--token", TOKEN]);
    let port = server.authority.rsplit(':').next().unwrap();
    let wrong = [("Cookie", &*format!("sandboard_token_{port}=of-an-earlier-run"))];
    let first = server.http("GET", "/api/v1/rooms", &wrong, b"");
    assert_eq!(first.status, 401, "{}", first.body);
    let removal = first.header("set-cookie").unwrap();
    assert!(removal.contains("Max-Age=0"), "the browser forgets the cookie: {removal}");
    let guesses: Vec<u16> =
        (0..40).map(|_| server.http("GET", "/api/v1/rooms", &wrong, b"").status).collect();
    assert!(guesses.contains(&429), "{guesses:?}");

    let right = login(&server, TOKEN, &wrong);
    assert_eq!(right.status, 204, "with the wrong cookie: {}", right.body);
    let cookie = right.header("set-cookie").unwrap();
    assert!(cookie.contains(TOKEN), "{cookie}");
    for header in
        [("Authorization", &*bearer(TOKEN)), ("Cookie", cookie.split(';').next().unwrap())]
    {
        assert_eq!(server.http("GET", "/api/v1/rooms", &[header], b"").status, 200, "{header:?}");
    }
}
