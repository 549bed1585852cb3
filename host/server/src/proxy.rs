//! Determines from which address a request comes: from the connection, or from the forwarding
//! headers of a trusted proxy. Headers of other senders are never believed.

use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::str::FromStr;

use axum::http::{HeaderMap, HeaderName, header};

use super::problem::{ApiResult, Problem, ProblemKind};

const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
const X_FORWARDED_PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");

/// The headers by which proxies show themselves.
const FORWARDING_HEADERS: [HeaderName; 6] = [
    header::FORWARDED,
    X_FORWARDED_FOR,
    X_FORWARDED_PROTO,
    HeaderName::from_static("x-forwarded-host"),
    HeaderName::from_static("x-real-ip"),
    header::VIA,
];

/// An address, or a network of addresses as `ADDRESS/BITS`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AddressRange {
    address: IpAddr,
    /// The number of leading bits that the addresses share.
    bits: u32,
}

/// Why a text is no [`AddressRange`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not an address such as 10.0.0.7, and not a network such as 10.0.0.0/8")]
pub struct AddressRangeError(String);

impl FromStr for AddressRange {
    type Err = AddressRangeError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let invalid = || AddressRangeError(text.escape_debug().to_string());
        let (address, bits) = match text.split_once('/') {
            Some((address, bits)) => (address, Some(bits)),
            None => (text, None),
        };
        let address: IpAddr = address.parse().map_err(|_| invalid())?;
        let address = if bits.is_none() { address.to_canonical() } else { address };
        let bits_max = if address.is_ipv4() { 32 } else { 128 };
        let bits = match bits {
            None => bits_max,
            Some(bits) => bits.parse().ok().filter(|bits| *bits <= bits_max).ok_or_else(invalid)?,
        };
        Ok(Self { address, bits })
    }
}

impl fmt::Display for AddressRange {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.address, self.bits)
    }
}

impl AddressRange {
    /// Returns whether an address is in the range. An IPv4 address that is written as IPv6 counts
    /// as IPv4.
    pub fn contains(&self, address: IpAddr) -> bool {
        let shared = |own: u128, other: u128, width: u32| {
            // A shift by the full width would be an overflow: no bits are compared then.
            (own ^ other).checked_shr(width - self.bits).unwrap_or(0) == 0
        };
        match (self.address, address.to_canonical()) {
            (IpAddr::V4(own), IpAddr::V4(other)) => {
                shared(own.to_bits().into(), other.to_bits().into(), 32)
            }
            (IpAddr::V6(own), IpAddr::V6(other)) => shared(own.to_bits(), other.to_bits(), 128),
            _ => false,
        }
    }
}

/// From where a request comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ClientOrigin {
    /// The client's address, as far as it is known. IPv4 is never written as IPv6.
    pub address: IpAddr,
    /// Whether the client speaks HTTPS with a trusted proxy.
    pub is_https: bool,
    /// How the request came.
    pub path: RequestPath,
}

/// How a request came to the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RequestPath {
    /// Without a sign of a proxy.
    Direct,
    /// Through a trusted proxy.
    Trusted,
    /// With forwarding headers of a sender that is not trusted.
    Untrusted,
}

/// The proxies whose forwarding headers are believed.
#[derive(Clone, Debug, Default)]
pub(crate) struct TrustedProxies(Vec<AddressRange>);

impl TrustedProxies {
    /// Trusts these addresses.
    pub(crate) fn new(ranges: Vec<AddressRange>) -> Self {
        Self(ranges)
    }

    /// Returns whether the address belongs to a trusted proxy.
    pub(crate) fn contains(&self, address: IpAddr) -> bool {
        self.0.iter().any(|range| range.contains(address))
    }

    /// Returns from where a request comes. Err: a trusted proxy passed headers that contradict each
    /// other.
    pub(crate) fn origin(&self, peer: IpAddr, headers: &HeaderMap) -> ApiResult<ClientOrigin> {
        let address = peer.to_canonical();
        let is_forwarded = FORWARDING_HEADERS.iter().any(|name| headers.contains_key(name));
        let direct = |path| ClientOrigin { address, is_https: false, path };
        match (is_forwarded, self.contains(address)) {
            (false, _) => return Ok(direct(RequestPath::Direct)),
            (true, false) => return Ok(direct(RequestPath::Untrusted)),
            (true, true) => (),
        }
        let forwarded = self.first_untrusted(address, &forwarded_hops(headers));
        let x_forwarded = self.first_untrusted(address, &x_forwarded_hops(headers));
        let (found, is_https) = match (forwarded, x_forwarded) {
            (Some(a), Some(b)) if a.0 != b.0 => {
                let detail = "the headers `Forwarded` and `X-Forwarded-For` name different \
                              clients: configure the proxy to remove the one that it does not set";
                return Err(Problem::new(ProblemKind::BadRequest, detail));
            }
            (Some(a), Some(b)) => (a.0, a.1 || b.1),
            (Some(only), None) | (None, Some(only)) => only,
            (None, None) => (address, x_forwarded_proto(headers)),
        };
        Ok(ClientOrigin { address: found, is_https, path: RequestPath::Trusted })
    }

    /// Returns the address that the last trusted proxy saw, and whether that connection was HTTPS.
    /// The hops are in the order of the headers: each proxy appends the address of its sender.
    /// None: there are no hops.
    fn first_untrusted(&self, peer: IpAddr, hops: &[Hop]) -> Option<(IpAddr, bool)> {
        let mut found = None;
        let mut last_known = peer;
        for hop in hops.iter().rev() {
            // A hop without an address, such as `unknown`, came from the last known one.
            let address = hop.address.unwrap_or(last_known);
            found = Some((address, hop.is_https));
            if hop.address.is_none() || !self.contains(address) {
                break;
            }
            last_known = address;
        }
        found
    }
}

/// One sender in a forwarding header.
struct Hop {
    /// Its address; none: the header hides it, or it cannot be parsed.
    address: Option<IpAddr>,
    is_https: bool,
}

/// The comma-separated items of all headers of this name.
fn items<'a>(headers: &'a HeaderMap, name: &HeaderName) -> impl Iterator<Item = &'a str> {
    let values = headers.get_all(name).iter().map(|value| value.to_str().unwrap_or_default());
    values.flat_map(|value| value.split(',')).map(str::trim)
}

fn x_forwarded_proto(headers: &HeaderMap) -> bool {
    // The client's own connection is named first.
    items(headers, &X_FORWARDED_PROTO)
        .next()
        .is_some_and(|proto| proto.eq_ignore_ascii_case("https"))
}

fn x_forwarded_hops(headers: &HeaderMap) -> Vec<Hop> {
    let is_https = x_forwarded_proto(headers);
    let hop = |text| Hop { address: parse_node(text), is_https };
    items(headers, &X_FORWARDED_FOR).map(hop).collect()
}

/// The hops of `Forwarded` headers (RFC 7239), such as `for="[2001:db8::1]:80";proto=https`.
fn forwarded_hops(headers: &HeaderMap) -> Vec<Hop> {
    let hop = |item: &str| {
        let mut hop = Hop { address: None, is_https: false };
        for (name, value) in item.split(';').filter_map(|pair| pair.split_once('=')) {
            let value = value.trim().trim_matches('"');
            match name.trim().to_ascii_lowercase().as_str() {
                "for" => hop.address = parse_node(value),
                "proto" => hop.is_https = value.eq_ignore_ascii_case("https"),
                _ => (),
            }
        }
        hop
    };
    items(headers, &header::FORWARDED).map(hop).collect()
}

/// Parses an address with or without a port and brackets.
fn parse_node(text: &str) -> Option<IpAddr> {
    let bare = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(text);
    let address = bare.parse::<IpAddr>().ok();
    let with_port = || text.parse::<SocketAddr>().ok().map(|address| address.ip());
    address.or_else(with_port).map(|address| address.to_canonical())
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[test]
    fn address_ranges() {
        let check = |range: &str, address: &str, expected: bool| {
            let range: AddressRange = range.parse().unwrap();
            assert_eq!(range.contains(address.parse().unwrap()), expected, "{range} {address}");
        };
        check("10.0.0.7", "10.0.0.7", true);
        check("10.0.0.7", "10.0.0.8", false);
        check("10.0.0.7", "::ffff:10.0.0.7", true);
        check("10.0.0.0/8", "10.255.1.2", true);
        check("10.0.0.0/8", "11.0.0.1", false);
        check("10.0.0.0/31", "10.0.0.1", true);
        check("10.0.0.0/31", "10.0.0.2", false);
        check("0.0.0.0/0", "203.0.113.9", true);
        check("0.0.0.0/0", "2001:db8::1", false);
        check("::/0", "2001:db8::1", true);
        check("2001:db8::/32", "2001:db8:1::1", true);
        check("2001:db8::/32", "2001:db9::1", false);
        check("::1", "::1", true);
        for wrong in ["", "proxy", "10.0.0", "10.0.0.0/33", "::/129", "10.0.0.0/", "10.0.0.0/-1"] {
            let error = wrong.parse::<AddressRange>().unwrap_err();
            assert!(error.to_string().contains("not an address"), "{wrong}: {error}");
        }
    }

    /// The origin of a request from 127.0.0.1, if that and 10.0.0.0/8 are trusted proxies.
    fn origin(pairs: &[(&'static str, &'static str)], peer: &str) -> ApiResult<ClientOrigin> {
        let ranges = ["127.0.0.1", "10.0.0.0/8"].map(|range| range.parse().unwrap());
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        TrustedProxies::new(ranges.to_vec()).origin(peer.parse().unwrap(), &headers)
    }

    #[test]
    fn clients_of_trusted_proxies() {
        let check = |pairs: &[(&'static str, &'static str)], address: &str, is_https: bool| {
            let found = origin(pairs, "127.0.0.1").unwrap();
            let expected = (address.parse().unwrap(), is_https, RequestPath::Trusted);
            assert_eq!((found.address, found.is_https, found.path), expected, "{pairs:?}");
        };
        let (x, proto) = ("x-forwarded-for", "x-forwarded-proto");
        check(&[(x, "203.0.113.9")], "203.0.113.9", false);
        check(&[(x, "203.0.113.9"), (proto, "https")], "203.0.113.9", true);
        check(&[(x, "203.0.113.9"), (proto, "http")], "203.0.113.9", false);
        // What the client itself wrote stands to the left and is not believed.
        check(&[(x, "192.0.2.1, 203.0.113.9")], "203.0.113.9", false);
        check(&[(x, "192.0.2.1"), (x, "203.0.113.9")], "203.0.113.9", false);
        check(&[(x, "192.0.2.1, 203.0.113.9, 10.1.2.3")], "203.0.113.9", false);
        check(&[(x, "10.9.9.9, 10.1.2.3")], "10.9.9.9", false);
        check(&[(x, "203.0.113.9:4711")], "203.0.113.9", false);
        check(&[(x, "::ffff:203.0.113.9")], "203.0.113.9", false);
        check(&[(x, "[2001:db8::1]:80")], "2001:db8::1", false);
        check(&[(x, "192.0.2.1, unknown")], "127.0.0.1", false);
        check(&[(x, "192.0.2.1, nonsense, 10.1.2.3")], "10.1.2.3", false);
        check(&[(x, "")], "127.0.0.1", false);
        check(&[(proto, "https")], "127.0.0.1", true);
        check(&[("forwarded", "for=203.0.113.9;proto=https;by=10.0.0.1")], "203.0.113.9", true);
        check(&[("forwarded", "For=\"[2001:db8::1]:80\"; Proto=HTTP")], "2001:db8::1", false);
        check(
            &[("forwarded", "for=192.0.2.1, for=203.0.113.9;proto=https, for=10.1.1.1")],
            "203.0.113.9",
            true,
        );
        check(&[("forwarded", "for=_hidden")], "127.0.0.1", false);
        check(
            &[("forwarded", "for=203.0.113.9"), (x, "203.0.113.9"), (proto, "https")],
            "203.0.113.9",
            true,
        );
    }

    #[test]
    fn other_senders_are_not_believed() {
        let check = |pairs: &[(&'static str, &'static str)], expected: RequestPath| {
            let found = origin(pairs, "198.51.100.4").unwrap();
            let expected = ClientOrigin {
                address: "198.51.100.4".parse().unwrap(),
                is_https: false,
                path: expected,
            };
            assert_eq!(found, expected, "{pairs:?}");
        };
        check(&[], RequestPath::Direct);
        for name in ["x-forwarded-for", "x-forwarded-host", "x-real-ip", "forwarded", "via"] {
            check(&[(name, "127.0.0.1")], RequestPath::Untrusted);
        }
        check(&[("x-forwarded-proto", "https")], RequestPath::Untrusted);
        assert_eq!(origin(&[], "127.0.0.1").unwrap().path, RequestPath::Direct);
    }

    #[test]
    fn contradicting_headers_are_refused() {
        let both = [("forwarded", "for=192.0.2.1"), ("x-forwarded-for", "203.0.113.9")];
        let problem = origin(&both, "127.0.0.1").unwrap_err();
        assert_eq!(problem.kind, ProblemKind::BadRequest);
        assert!(problem.detail.contains("different clients"), "{problem}");
    }
}
