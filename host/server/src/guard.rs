//! Checks every request before its handler: token, host, origin, rate and time of its body. Adds
//! the headers of every response. It knows no rooms: a room checks its own tickets.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Instant;

use axum::extract::{ConnectInfo, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use sha2::{Digest, Sha256};

use super::App;
use super::access_log::Access;
use super::body_timeout;
use super::connections::ConnectionPermit;
use super::host_header::RequestHost;
use super::problem::{ApiResult, Problem, ProblemKind};
use super::proxy::{ClientOrigin, RequestPath};
use super::rate_limit::RateLimit;

/// The request rate of one address. The local machine is not limited.
pub(crate) const REQUEST_RATE: RateLimit = RateLimit { per_second: 30, burst: 120 };
/// How fast one address may try tokens.
pub(crate) const TOKEN_GUESS_RATE: RateLimit = RateLimit { per_second: 1, burst: 10 };

/// The cookie that holds the token, without the server's port: browsers send the cookies of a host
/// to all of its ports, so that each server needs a name of its own.
const COOKIE: &str = "sandboard_token_";
/// How long a browser keeps the cookie: 30 days, in seconds.
const COOKIE_SECONDS: u32 = 30 * 24 * 60 * 60;

const CSP: &str = "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
                   connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'";

/// The policy of the page that verifies bundles: it may run what is in it, and connect to nothing.
/// The page itself says the same, for other servers.
pub(crate) const VERIFY_PAGE_CSP: &str = "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval' blob:; \
     worker-src blob:; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; \
     frame-ancestors 'none'";

/// The policy of the worker in which an engine runs: it may compile WebAssembly, and load nothing.
pub(crate) const WORKER_CSP: &str = "default-src 'none'; script-src 'wasm-unsafe-eval'";

/// Headers of every response, unless it has its own.
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
#[derive(Clone, Debug)]
pub(crate) struct Token {
    sha256: Option<[u8; 32]>,
    cookie_name: String,
}

impl Token {
    /// Hashes the token of the server that listens on this port; none: it requires no token.
    pub(crate) fn new(token: Option<&str>, port: u16) -> Self {
        Self { sha256: token.map(hash), cookie_name: format!("{COOKIE}{port}") }
    }

    /// Returns the name of the cookie that holds the token.
    pub(crate) fn cookie_name(&self) -> &str {
        &self.cookie_name
    }

    /// Returns whether the server requires a token.
    pub(crate) fn is_required(&self) -> bool {
        self.sha256.is_some()
    }

    /// Compares a token. The position at which two hashes differ reveals nothing about the token.
    pub(crate) fn matches(&self, text: &str) -> bool {
        self.sha256.is_some_and(|token| token == hash(text))
    }

    /// Returns the cookie that holds the token. `Secure`, if the client speaks HTTPS with a proxy.
    pub(crate) fn cookie(&self, text: &str, is_https: bool) -> Option<HeaderValue> {
        self.cookie_for(text, COOKIE_SECONDS, is_https)
    }

    /// Returns the cookie that has the browser forget the token.
    fn removal_cookie(&self) -> Option<HeaderValue> {
        self.cookie_for("", 0, false)
    }

    fn cookie_for(&self, text: &str, seconds: u32, is_https: bool) -> Option<HeaderValue> {
        let name = &self.cookie_name;
        let secure = if is_https { "; Secure" } else { "" };
        let cookie =
            format!("{name}={text}; Path=/; HttpOnly; SameSite=Strict; Max-Age={seconds}{secure}");
        HeaderValue::from_str(&cookie).ok()
    }

    /// Returns the token of a request's cookie.
    fn cookie_of<'a>(&self, headers: &'a HeaderMap) -> Option<&'a str> {
        let values = headers.get_all(header::COOKIE).iter();
        let cookies = values.filter_map(|value| value.to_str().ok());
        let mut pairs =
            cookies.flat_map(|text| text.split(';')).filter_map(|it| it.split_once('='));
        pairs.find(|(name, _)| name.trim() == self.cookie_name).map(|(_, value)| value.trim())
    }
}

fn hash(text: &str) -> [u8; 32] {
    Sha256::digest(text.as_bytes()).into()
}

/// Returns the token from `Authorization: Bearer`.
pub(crate) fn bearer_of(headers: &HeaderMap) -> Option<&str> {
    let bearer = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    bearer.and_then(|text| text.strip_prefix("Bearer ")).map(str::trim)
}

/// Whether a path belongs to contests, which have their own tokens.
fn is_contest_path(path: &str) -> bool {
    let rest = path.strip_prefix("/api/v1/contests");
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Whether a request comes from a page of this server, or from no page at all. A page of another
/// site sends that site's origin. A site whose name was made to resolve to this server (DNS
/// rebinding) sends its own name as host.
fn is_same_origin(headers: &HeaderMap, host: RequestHost<'_>, only_local_host: bool) -> bool {
    if only_local_host && !host.is_local {
        return false;
    }
    let text = |value: &HeaderValue| value.to_str().unwrap_or("?").to_owned();
    let is_own = |origin: String| {
        let authority = origin.strip_prefix("http://").or(origin.strip_prefix("https://"));
        authority.is_some_and(|authority| authority.eq_ignore_ascii_case(host.authority))
    };
    // A page at another port of the same host is `same-site`.
    let is_own_site = |site: String| ["same-origin", "none"].contains(&site.as_str());
    let all_are = |name: HeaderName, fits: &dyn Fn(String) -> bool| {
        headers.get_all(name).iter().map(text).all(fits)
    };
    all_are(header::ORIGIN, &is_own)
        && all_are(HeaderName::from_static("sec-fetch-site"), &is_own_site)
}

/// Counts a request, and the socket that it becomes, among the connections of its client. Requests
/// that come without a proxy are counted by their connection.
#[derive(Clone)]
pub(crate) struct ClientPermit {
    _permit: Option<Arc<ConnectionPermit>>,
}

/// Middleware around every handler: checks the request, then adds headers to the response.
pub(crate) async fn guard(
    State(app): State<Arc<App>>,
    ConnectInfo(from): ConnectInfo<SocketAddr>,
    mut request: Request,
    next: Next,
) -> Response {
    let start = Instant::now();
    let mut client = from.ip();
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    let mut response = match admit(&app, from, &request) {
        Ok(admission) => {
            let Admission { caller, origin, permit, forget_cookie } = admission;
            client = origin.address;
            request.extensions_mut().insert(caller);
            request.extensions_mut().insert(origin);
            request.extensions_mut().insert(ClientPermit { _permit: permit });
            let (parts, body) = request.into_parts();
            let (body, timeout) = body_timeout::limit(body, app.body_timeout);
            let mut response = next.run(Request::from_parts(parts, body)).await;
            if timeout.is_set() {
                response = late_body(&app);
            }
            if let Some(cookie) = app.token.removal_cookie().filter(|_| forget_cookie) {
                // A login sets a cookie, which must stay.
                response.headers_mut().entry(header::SET_COOKIE).or_insert(cookie);
            }
            response
        }
        Err(problem) => problem.into_response(),
    };
    let headers = response.headers_mut();
    for (name, value) in HEADERS {
        // The page that verifies bundles has a policy of its own.
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
    if !headers.contains_key(header::CACHE_CONTROL) {
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    let (status, duration) = (response.status().as_u16(), start.elapsed());
    app.hub.counts.count_request(status, duration);
    if let Some(log) = &app.access_log {
        let method = method.as_str();
        log.add(Access { client, method, path: &path, status, duration });
    }
    response
}

/// Answers a request whose body was not received in time, and closes its connection.
fn late_body(app: &App) -> Response {
    let detail = crate::messages::late_body(app.body_timeout.as_secs());
    let mut response = Problem::new(ProblemKind::Timeout, detail).at("body").into_response();
    response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    response
}

/// What the guard has found out about a request.
struct Admission {
    caller: Caller,
    origin: ClientOrigin,
    permit: Option<Arc<ConnectionPermit>>,
    /// Whether the browser must forget a wrong token.
    forget_cookie: bool,
}

fn admit(app: &App, from: SocketAddr, request: &Request) -> ApiResult<Admission> {
    let (now, headers) = (Instant::now(), request.headers());
    let origin = app.trusted_proxies.origin(from.ip(), headers)?;
    let address = origin.address;
    // A proxy on this machine is not the local user.
    let is_local = address.is_loopback() && origin.path != RequestPath::Untrusted;
    if !is_local && !app.request_limiter.take(address, now) {
        return Err(Problem::new(ProblemKind::TooMany, crate::messages::TOO_MANY_REQUESTS));
    }
    let host = RequestHost::of(headers, request.uri())?;
    if origin.path == RequestPath::Untrusted {
        check_untrusted_proxy(app, address)?;
    }
    let permit = match origin.path {
        RequestPath::Trusted => {
            let full = || Problem::new(ProblemKind::TooMany, crate::messages::TOO_MANY_CONNECTIONS);
            Some(Arc::new(app.connection_limiter.take(address).ok_or_else(full)?))
        }
        RequestPath::Direct | RequestPath::Untrusted => None,
    };
    // Pages are public; the API is not.
    let reads_page = [Method::GET, Method::HEAD].contains(request.method())
        && !request.uri().path().starts_with("/api/");
    if !reads_page && !is_same_origin(headers, host, !app.token.is_required()) {
        let detail = "the request comes from a page of another site, or names another host than \
                      this server";
        return Err(Problem::new(ProblemKind::Forbidden, detail));
    }
    let (caller, forget_cookie) = match reads_page {
        true => (Caller { admitted: !app.token.is_required() }, false),
        false => identify(app, &origin, request)?,
    };
    Ok(Admission { caller, origin, permit, forget_cookie })
}

/// Without a token, everyone behind the proxy would be the operator. With a token, all clients of
/// the proxy count as one address, which the operator should know.
fn check_untrusted_proxy(app: &App, address: std::net::IpAddr) -> ApiResult<()> {
    if !app.token.is_required() {
        let detail = "the request came through a proxy, but this server requires no token: start \
                      it with a token, or name the proxy with --trusted-proxy";
        return Err(Problem::new(ProblemKind::Forbidden, detail));
    }
    app.proxy_warning.call_once(|| {
        let text = format!(
            "{address} sends forwarding headers, but is no trusted proxy: all its clients count as \
             one address (--trusted-proxy {address})"
        );
        app.hub.notify_operator("warning", text);
    });
    Ok(())
}

/// Returns the caller, and whether the request has a cookie with a wrong token. A right token is
/// accepted however many wrong ones its address has sent.
fn identify(app: &App, origin: &ClientOrigin, request: &Request) -> ApiResult<(Caller, bool)> {
    let stranger = Caller { admitted: false };
    if !app.token.is_required() {
        return Ok((Caller { admitted: true }, false));
    }
    let headers = request.headers();
    let cookie = app.token.cookie_of(headers);
    let path = request.uri().path();
    // On these paths `Authorization` carries a contest token, which the handler checks.
    let bearer = bearer_of(headers).filter(|_| !is_contest_path(path));
    let Some(token) = bearer.or(cookie) else { return Ok((stranger, false)) };
    if app.token.matches(token) {
        return Ok((Caller { admitted: true }, false));
    }
    let is_wrong_cookie = bearer.is_none();
    // The cookie of an earlier token must not prevent a login.
    let is_login = path == "/api/v1/login";
    match is_login || app.guess_limiter.take(origin.address, Instant::now()) {
        true => Ok((stranger, is_wrong_cookie)),
        false => Err(Problem::new(ProblemKind::TooMany, crate::messages::TOO_MANY_WRONG_TOKENS)),
    }
}

impl Caller {
    /// Err: the caller must log in.
    pub(crate) fn require_admitted(self) -> ApiResult<()> {
        match self.admitted {
            true => Ok(()),
            false => Err(Problem::new(ProblemKind::Unauthorized, crate::messages::TOKEN_REQUIRED)),
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
                     more: &[(&'static str, &'static str)],
                     only_local_host: bool,
                     expected: bool| {
            let all = headers(&[&[("host", host)], more].concat());
            let host = RequestHost::of(&all, &"/".parse().unwrap()).unwrap();
            assert_eq!(is_same_origin(&all, host, only_local_host), expected, "{host:?} {more:?}");
        };
        check("localhost:8000", &[], true, true);
        check("127.0.0.1:8000", &[("origin", "http://127.0.0.1:8000")], true, true);
        check("[::1]:8000", &[("origin", "http://[::1]:8000")], true, true);
        check("localhost:8000", &[("origin", "https://localhost:8000")], true, true);
        check("localhost:8000", &[("origin", "http://localhost:8001")], true, false);
        check("localhost:8000", &[("origin", "http://evil.example")], true, false);
        check("localhost:8000", &[("origin", "null")], true, false);
        check("evil.example:8000", &[("origin", "http://evil.example:8000")], true, false);
        check("evil.example:8000", &[], true, false);
        check("127.0.0.1.evil.example", &[], true, false);
        check("games.example", &[("origin", "https://games.example")], false, true);
        check("games.example", &[("origin", "https://games.example.evil")], false, false);
        check("localhost", &[("sec-fetch-site", "same-origin")], true, true);
        check("localhost", &[("sec-fetch-site", "none")], true, true);
        check("localhost", &[("sec-fetch-site", "same-site")], true, false);
        check("localhost", &[("sec-fetch-site", "cross-site")], true, false);
    }

    #[test]
    fn tokens() {
        let token = Token::new(Some("secret"), 8000);
        let check = |pairs: &[(&'static str, &'static str)], expected: Option<&str>| {
            let headers = headers(pairs);
            let found = bearer_of(&headers).or_else(|| token.cookie_of(&headers));
            assert_eq!(found, expected, "{pairs:?}");
        };
        check(&[("authorization", "Bearer abc")], Some("abc"));
        check(&[("authorization", "Basic abc")], None);
        check(&[("cookie", "a=b; sandboard_token_8000=xyz")], Some("xyz"));
        check(&[("cookie", "sandboard_token_8001=xyz; sandboard_token=xyz")], None);
        check(&[("cookie", "other_sandboard_token_8000=xyz")], None);
        let both = [("cookie", "sandboard_token_8000=no"), ("authorization", "Bearer yes")];
        check(&both, Some("yes"));
        check(&[], None);
        let check = |path: &str, expected: bool| assert_eq!(is_contest_path(path), expected);
        check("/api/v1/contests", true);
        check("/api/v1/contests/autumn/own", true);
        check("/api/v1/contestsx", false);
        check("/api/v1/arenas/contests", false);
        assert!(
            token.matches("secret")
                && !token.matches("secre")
                && !token.matches("")
                && token.is_required()
        );
        let open = Token::new(None, 8000);
        assert!(!open.matches("") && !open.is_required());
        let cookie = |is_https| token.cookie("secret", is_https).unwrap();
        assert!(cookie(true).to_str().unwrap().ends_with("; Secure"));
        assert!(!cookie(false).to_str().unwrap().contains("Secure"));
    }
}
