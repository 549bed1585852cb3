//! Parses the host that a request names, strictly: one `Host` header, with a name or an address,
//! and nothing that another reader could take for something else.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use axum::http::{HeaderMap, Uri, header};

use super::problem::{ApiResult, Problem};

/// The longest host name, in bytes.
const NAME_BYTES: usize = 253;

/// The host of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RequestHost<'a> {
    /// Host and port, as the request names them.
    pub authority: &'a str,
    /// Whether the host means this machine and no other.
    pub is_local: bool,
}

impl<'a> RequestHost<'a> {
    /// Parses the host of a request. Err: there is no `Host` header, or more than one, or it is
    /// not a host, or the request's target names another host.
    pub(crate) fn of(headers: &'a HeaderMap, target: &Uri) -> ApiResult<Self> {
        let bad = |detail: &str| Problem::bad_request("Host", detail);
        let mut values = headers.get_all(header::HOST).iter();
        let value = values.next().ok_or_else(|| bad("the request has no `Host` header"))?;
        if values.next().is_some() {
            return Err(bad("the request has more than one `Host` header"));
        }
        let host = value.to_str().ok().and_then(parse);
        let host = host.ok_or_else(|| bad("it is not a host name or address with a port"))?;
        let is_same = |named: &str| named.eq_ignore_ascii_case(host.authority);
        match target.authority() {
            Some(named) if !is_same(named.as_str()) => {
                Err(bad("it differs from the host in the request's target"))
            }
            _ => Ok(host),
        }
    }
}

/// Parses `host`, `host:port`, `[address]` or `[address]:port`.
fn parse(authority: &str) -> Option<RequestHost<'_>> {
    let (is_local, port) = match authority.strip_prefix('[') {
        Some(rest) => {
            let (address, after) = rest.split_once(']')?;
            let port = if after.is_empty() { None } else { Some(after.strip_prefix(':')?) };
            (address.parse::<Ipv6Addr>().ok()?.to_canonical().is_loopback(), port)
        }
        None => {
            let (host, port) = match authority.split_once(':') {
                Some((host, port)) => (host, Some(port)),
                None => (authority, None),
            };
            (is_local_name(host)?, port)
        }
    };
    if let Some(port) = port {
        let is_number = (1..=5).contains(&port.len()) && port.bytes().all(|it| it.is_ascii_digit());
        port.parse::<u16>().ok().filter(|_| is_number)?;
    }
    Some(RequestHost { authority, is_local })
}

/// Returns whether a name or IPv4 address means this machine. None: it is neither.
fn is_local_name(host: &str) -> Option<bool> {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    let is_name = (1..=NAME_BYTES).contains(&host.len()) && host.bytes().all(is_allowed);
    if !is_name || host.starts_with(['.', '-']) || host.contains("..") {
        return None;
    }
    let address = host.parse::<Ipv4Addr>().map(IpAddr::V4);
    let is_loopback = address.is_ok_and(|address| address.is_loopback());
    Some(host.eq_ignore_ascii_case("localhost") || is_loopback)
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[test]
    fn hosts() {
        let check = |authority: &str, expected: Option<bool>| {
            assert_eq!(parse(authority).map(|host| host.is_local), expected, "{authority:?}");
        };
        for local in ["localhost", "LocalHost:8000", "127.0.0.1", "127.9.8.7:1", "[::1]:8000"] {
            check(local, Some(true));
        }
        check("[::ffff:127.0.0.1]", Some(true));
        for other in ["games.example", "games.example:443", "10.0.0.1:80", "[2001:db8::1]", "my_pc"]
        {
            check(other, Some(false));
        }
        check("127.0.0.1.evil.example", Some(false));
        check("localhost.evil.example", Some(false));
        let wrong = [
            "",
            ":80",
            "localhost:",
            "localhost:x",
            "localhost:+1",
            "localhost:65536",
            "localhost:8000:1",
            "::1",
            "[::1",
            "[::1]x",
            "[::1]8000",
            "[localhost]",
            "[::1%lo]",
            "a b",
            "a/b",
            "a@localhost",
            "localhost,evil.example",
            ".",
            ".example",
            "a..b",
            "-a",
            "ä.example",
            "localhost\\evil",
            "127.0.0.1#",
        ];
        for authority in wrong {
            check(authority, None);
        }
        check(&"a".repeat(254), None);
    }

    #[test]
    fn one_host_for_each_request() {
        let check = |hosts: &[&'static str], target: &'static str, expected: Result<&str, &str>| {
            let mut headers = HeaderMap::new();
            for host in hosts {
                headers.append(header::HOST, HeaderValue::from_static(host));
            }
            let found = RequestHost::of(&headers, &Uri::from_static(target));
            let found = found.map(|host| host.authority).map_err(|problem| problem.detail);
            match (found, expected) {
                (Ok(found), Ok(expected)) => assert_eq!(found, expected),
                (Err(found), Err(expected)) => assert!(found.contains(expected), "{found}"),
                (found, _) => panic!("{hosts:?} {target}: {found:?}"),
            }
        };
        check(&["localhost:1"], "/", Ok("localhost:1"));
        check(&["localhost:1"], "http://LOCALHOST:1/", Ok("localhost:1"));
        check(&["localhost:1"], "http://evil.example/", Err("differs"));
        check(&["localhost:1", "localhost:1"], "/", Err("more than one"));
        check(&["evil.example", "localhost"], "/", Err("more than one"));
        check(&[], "/", Err("no `Host`"));
        check(&["a b"], "/", Err("not a host"));
    }
}
