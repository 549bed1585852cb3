//! Who may ask at all: tokens, hosts and origins, rates; and the headers that every answer has.
//! Knows no room: a ticket is good for its room, and is looked at there.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Instant;

use axum::extract::{ConnectInfo, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use sha2::{Digest, Sha256};

use super::App;
use super::bucket::Rate;
use super::problem::{Answer, Kind, Problem};

/// How fast one address may ask. This machine itself may as fast as it likes.
pub const ASK: Rate = Rate { per_second: 30, burst: 120 };
/// How fast one address may guess tokens.
pub const GUESS: Rate = Rate { per_second: 1, burst: 10 };

/// The cookie that holds the token.
const COOKIE: &str = "sandboard_token";

const CSP: &str = "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
                   connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'";

/// Headers of every answer.
const HEADERS: [(HeaderName, &str); 6] = [
    (header::CONTENT_SECURITY_POLICY, CSP),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (header::REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

/// Who asks, as far as that is known without a room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caller {
    /// Whether it may use the server: there is no token, or it has it.
    pub admitted: bool,
}

/// The token of a server; its hash, to be compared in the same time whatever is wrong.
#[derive(Clone, Debug, Default)]
pub struct Token(Option<[u8; 32]>);

impl Token {
    /// This one; none: none is wanted.
    pub fn new(token: Option<&str>) -> Self {
        Self(token.map(hash))
    }

    /// Whether one is wanted.
    pub fn is_wanted(&self) -> bool {
        self.0.is_some()
    }

    /// Whether this is it. Of hashes, where two begin to differ tells nothing of the token.
    pub fn is(&self, text: &str) -> bool {
        self.0.is_some_and(|token| token == hash(text))
    }

    /// The cookie that brings it back.
    pub fn cookie(text: &str) -> Option<HeaderValue> {
        let cookie =
            format!("{COOKIE}={text}; Path=/; HttpOnly; SameSite=Strict; Max-Age=31536000");
        HeaderValue::from_str(&cookie).ok()
    }
}

fn hash(text: &str) -> [u8; 32] {
    Sha256::digest(text.as_bytes()).into()
}

/// A token as it comes with a request: behind `Bearer`, or in the cookie.
fn token_of(headers: &HeaderMap) -> Option<&str> {
    bearer_of(headers).or_else(|| cookie_of(headers))
}

/// The token behind `Bearer`.
pub fn bearer_of(headers: &HeaderMap) -> Option<&str> {
    let bearer = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    bearer.and_then(|text| text.strip_prefix("Bearer ")).map(str::trim)
}

fn cookie_of(headers: &HeaderMap) -> Option<&str> {
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = cookies.flat_map(|text| text.split(';')).filter_map(|it| it.split_once('='));
    pairs.find(|(name, _)| name.trim() == COOKIE).map(|(_, value)| value.trim())
}

/// Whether a path is one of contests, which have tokens of their own.
fn is_of_contests(path: &str) -> bool {
    let rest = path.strip_prefix("/api/v1/contests");
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// A host and a port as headers name them, without the port.
fn host_of(authority: &str) -> &str {
    match authority.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => authority.rsplit_once(':').map_or(authority, |(host, _)| host),
    }
}

/// Whether a name is this machine's own and no other's.
fn is_own(host: &str) -> bool {
    let address = host.parse::<IpAddr>();
    host.eq_ignore_ascii_case("localhost") || address.is_ok_and(|address| address.is_loopback())
}

/// Whether a request comes from a page of this server, or from no page at all. What a page of
/// another site sends bears that site's origin; a site whose name was made to lead here bears
/// its own name as host.
fn is_from_here(headers: &HeaderMap, only_own: bool) -> bool {
    let text = |name| headers.get(name).map(|value: &HeaderValue| value.to_str().unwrap_or("?"));
    let Some(host) = text(header::HOST) else { return false };
    if only_own && !is_own(host_of(host)) {
        return false;
    }
    match text(header::ORIGIN) {
        None => true,
        Some(origin) => {
            let authority = origin.strip_prefix("http://").or(origin.strip_prefix("https://"));
            authority.is_some_and(|authority| authority.eq_ignore_ascii_case(host))
        }
    }
}

/// Looks at every request before anybody else, and at every answer after.
pub async fn guard(
    State(app): State<Arc<App>>,
    ConnectInfo(from): ConnectInfo<SocketAddr>,
    mut request: Request,
    next: Next,
) -> Response {
    let mut response = match admit(&app, from.ip(), &request) {
        Ok(caller) => {
            request.extensions_mut().insert(caller);
            next.run(request).await
        }
        Err(problem) => problem.into_response(),
    };
    let headers = response.headers_mut();
    for (name, value) in HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    if !headers.contains_key(header::CACHE_CONTROL) {
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    response
}

fn admit(app: &App, from: IpAddr, request: &Request) -> Answer<Caller> {
    let now = Instant::now();
    if !from.is_loopback() && !app.asks.take(from, now) {
        return Err(Problem::new(Kind::TooMany, "more slowly, please"));
    }
    let headers = request.headers();
    // Pages are for everybody; what they ask for is not.
    let reads_page = request.method() == Method::GET && !request.uri().path().starts_with("/api/");
    if !reads_page && !is_from_here(headers, !app.token.is_wanted()) {
        let detail = "the request comes from a page of another site, or by another name than this \
                      server's";
        return Err(Problem::new(Kind::Forbidden, detail));
    }
    if !app.token.is_wanted() {
        return Ok(Caller { admitted: true });
    }
    // What is borne there is a token of the contest, which its desk looks at.
    if is_of_contests(request.uri().path()) {
        let admitted = cookie_of(headers).is_some_and(|token| app.token.is(token));
        return Ok(Caller { admitted });
    }
    let Some(token) = token_of(headers) else { return Ok(Caller { admitted: false }) };
    if app.token.is(token) {
        return Ok(Caller { admitted: true });
    }
    match app.guesses.take(from, now) {
        true => Ok(Caller { admitted: false }),
        false => Err(Problem::new(Kind::TooMany, "too many wrong tokens")),
    }
}

impl Caller {
    /// Err: it must log in.
    pub fn check(self) -> Answer<()> {
        match self.admitted {
            true => Ok(()),
            false => Err(Problem::new(Kind::Unauthorized, "this server wants its token: log in")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        let pair = |(name, value): &(&'static str, &'static str)| {
            (HeaderName::from_static(name), HeaderValue::from_static(value))
        };
        pairs.iter().map(pair).collect()
    }

    #[test]
    fn origins() {
        let check = |host: &'static str, origin: Option<&'static str>, only_own, expected: bool| {
            let mut pairs = vec![("host", host)];
            pairs.extend(origin.map(|origin| ("origin", origin)));
            assert_eq!(is_from_here(&headers(&pairs), only_own), expected, "{pairs:?}");
        };
        check("localhost:8000", None, true, true);
        check("127.0.0.1:8000", Some("http://127.0.0.1:8000"), true, true);
        check("[::1]:8000", Some("http://[::1]:8000"), true, true);
        check("localhost:8000", Some("https://localhost:8000"), true, true);
        check("localhost:8000", Some("http://localhost:8001"), true, false);
        check("localhost:8000", Some("http://evil.example"), true, false);
        check("localhost:8000", Some("null"), true, false);
        check("evil.example:8000", Some("http://evil.example:8000"), true, false);
        check("evil.example:8000", None, true, false);
        check("127.0.0.1.evil.example", None, true, false);
        check("games.example", Some("https://games.example"), false, true);
        check("games.example", Some("https://games.example.evil"), false, false);
        assert!(!is_from_here(&headers(&[]), false), "no host");
    }

    #[test]
    fn tokens() {
        let check = |pairs: &[(&'static str, &'static str)], expected: Option<&str>| {
            assert_eq!(token_of(&headers(pairs)), expected, "{pairs:?}");
        };
        check(&[("authorization", "Bearer abc")], Some("abc"));
        check(&[("authorization", "Basic abc")], None);
        check(&[("cookie", "a=b; sandboard_token=xyz")], Some("xyz"));
        check(&[("cookie", "other_sandboard_token=xyz")], None);
        check(&[("cookie", "sandboard_token=no"), ("authorization", "Bearer yes")], Some("yes"));
        check(&[], None);
        let check = |path: &str, expected: bool| assert_eq!(is_of_contests(path), expected);
        check("/api/v1/contests", true);
        check("/api/v1/contests/autumn/own", true);
        check("/api/v1/contestsx", false);
        check("/api/v1/arenas/contests", false);
        let token = Token::new(Some("secret"));
        assert!(token.is("secret") && !token.is("secre") && !token.is("") && token.is_wanted());
        assert!(!Token::new(None).is("") && !Token::new(None).is_wanted());
    }
}
