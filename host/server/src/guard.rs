//! Checks every request before its handler: token, host, origin and rate. Adds the headers of every
//! response. It knows no rooms: a room checks its own tickets.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Instant;

use axum::extract::{ConnectInfo, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use sha2::{Digest, Sha256};

use super::App;
use super::problem::{ApiResult, Problem, ProblemKind};
use super::rate_limit::RateLimit;

/// The request rate of one address. The local machine is not limited.
pub(crate) const REQUEST_RATE: RateLimit = RateLimit { per_second: 30, burst: 120 };
/// How fast one address may try tokens.
pub(crate) const TOKEN_GUESS_RATE: RateLimit = RateLimit { per_second: 1, burst: 10 };

/// The cookie that holds the token.
const COOKIE: &str = "sandboard_token";

const CSP: &str = "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
                   connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'";

/// Headers of every response.
const HEADERS: [(HeaderName, &str); 6] = [
    (header::CONTENT_SECURITY_POLICY, CSP),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (header::REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

/// Whether a request comes from the operator, as far as it is known without a room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Caller {
    /// Whether the caller may use the server: it has no token, or the request carries it.
    pub admitted: bool,
}

/// The server's token, as a hash, so that comparing takes the same time for every wrong token.
#[derive(Clone, Debug, Default)]
pub(crate) struct Token(Option<[u8; 32]>);

impl Token {
    /// Hashes a token; none: the server requires no token.
    pub(crate) fn new(token: Option<&str>) -> Self {
        Self(token.map(hash))
    }

    /// Returns whether the server requires a token.
    pub(crate) fn is_required(&self) -> bool {
        self.0.is_some()
    }

    /// Compares a token. The position at which two hashes differ reveals nothing about the token.
    pub(crate) fn matches(&self, text: &str) -> bool {
        self.0.is_some_and(|token| token == hash(text))
    }

    /// Returns the cookie that holds the token.
    pub(crate) fn cookie(text: &str) -> Option<HeaderValue> {
        let cookie =
            format!("{COOKIE}={text}; Path=/; HttpOnly; SameSite=Strict; Max-Age=31536000");
        HeaderValue::from_str(&cookie).ok()
    }
}

fn hash(text: &str) -> [u8; 32] {
    Sha256::digest(text.as_bytes()).into()
}

/// Returns the token of a request: from `Authorization: Bearer`, or from the cookie.
fn token_of(headers: &HeaderMap) -> Option<&str> {
    bearer_of(headers).or_else(|| cookie_of(headers))
}

/// Returns the token from `Authorization: Bearer`.
pub(crate) fn bearer_of(headers: &HeaderMap) -> Option<&str> {
    let bearer = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    bearer.and_then(|text| text.strip_prefix("Bearer ")).map(str::trim)
}

fn cookie_of(headers: &HeaderMap) -> Option<&str> {
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = cookies.flat_map(|text| text.split(';')).filter_map(|it| it.split_once('='));
    pairs.find(|(name, _)| name.trim() == COOKIE).map(|(_, value)| value.trim())
}

/// Whether a path belongs to contests, which have their own tokens.
fn is_contest_path(path: &str) -> bool {
    let rest = path.strip_prefix("/api/v1/contests");
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Returns the host of a `host:port`, as headers write it.
fn host_of(authority: &str) -> &str {
    match authority.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => authority.rsplit_once(':').map_or(authority, |(host, _)| host),
    }
}

/// Whether a host name means this machine and no other.
fn is_local_host(host: &str) -> bool {
    let address = host.parse::<IpAddr>();
    host.eq_ignore_ascii_case("localhost") || address.is_ok_and(|address| address.is_loopback())
}

/// Whether a request comes from a page of this server, or from no page at all. A page of another
/// site sends that site's origin. A site whose name was made to resolve to this server (DNS
/// rebinding) sends its own name as host.
fn is_same_origin(headers: &HeaderMap, only_local_host: bool) -> bool {
    let text = |name| headers.get(name).map(|value: &HeaderValue| value.to_str().unwrap_or("?"));
    let Some(host) = text(header::HOST) else { return false };
    if only_local_host && !is_local_host(host_of(host)) {
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

/// Middleware around every handler: checks the request, then adds headers to the response.
pub(crate) async fn guard(
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

fn admit(app: &App, from: IpAddr, request: &Request) -> ApiResult<Caller> {
    let now = Instant::now();
    if !from.is_loopback() && !app.request_limiter.take(from, now) {
        return Err(Problem::new(ProblemKind::TooMany, "too many requests; send them more slowly"));
    }
    let headers = request.headers();
    // Pages are public; the API is not.
    let reads_page = request.method() == Method::GET && !request.uri().path().starts_with("/api/");
    if !reads_page && !is_same_origin(headers, !app.token.is_required()) {
        let detail = "the request comes from a page of another site, or names another host than \
                      this server";
        return Err(Problem::new(ProblemKind::Forbidden, detail));
    }
    if !app.token.is_required() {
        return Ok(Caller { admitted: true });
    }
    // On these paths `Authorization` carries a contest token, which the handler checks.
    if is_contest_path(request.uri().path()) {
        let admitted = cookie_of(headers).is_some_and(|token| app.token.matches(token));
        return Ok(Caller { admitted });
    }
    let Some(token) = token_of(headers) else { return Ok(Caller { admitted: false }) };
    if app.token.matches(token) {
        return Ok(Caller { admitted: true });
    }
    match app.guess_limiter.take(from, now) {
        true => Ok(Caller { admitted: false }),
        false => Err(Problem::new(ProblemKind::TooMany, "too many wrong tokens")),
    }
}

impl Caller {
    /// Err: the caller must log in.
    pub(crate) fn require_admitted(self) -> ApiResult<()> {
        match self.admitted {
            true => Ok(()),
            false => {
                Err(Problem::new(ProblemKind::Unauthorized, "this server requires a token: log in"))
            }
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
        let check = |host: &'static str,
                     origin: Option<&'static str>,
                     only_local_host,
                     expected: bool| {
            let mut pairs = vec![("host", host)];
            pairs.extend(origin.map(|origin| ("origin", origin)));
            assert_eq!(is_same_origin(&headers(&pairs), only_local_host), expected, "{pairs:?}");
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
        assert!(!is_same_origin(&headers(&[]), false), "no host");
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
        let check = |path: &str, expected: bool| assert_eq!(is_contest_path(path), expected);
        check("/api/v1/contests", true);
        check("/api/v1/contests/autumn/own", true);
        check("/api/v1/contestsx", false);
        check("/api/v1/arenas/contests", false);
        let token = Token::new(Some("secret"));
        assert!(
            token.matches("secret")
                && !token.matches("secre")
                && !token.matches("")
                && token.is_required()
        );
        assert!(!Token::new(None).matches("") && !Token::new(None).is_required());
    }
}
