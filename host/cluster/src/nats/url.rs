//! Broker URLs as people type them. Opens no connection.
//!
//! Invariant: no password or token appears in any output.

use std::ffi::OsString;
use std::fmt;
use std::str::FromStr;

/// The error for an invalid URL. It does not repeat the URL, which may contain a password.
const FORM: &str = "the URL of a broker is nats://HOST:PORT, nats://USER:PASSWORD@HOST:PORT or nats://TOKEN@HOST:PORT \
                    (tls:// for TLS); in a password / is written %2F, : is %3A and @ is %40";
/// The variable with the user, if the URL has none.
const USER: &str = "NATS_USER";
/// The variable with the password.
const PASSWORD: &str = "NATS_PASSWORD";

/// The URL of a broker. Printed without secrets.
#[derive(Clone, PartialEq, Eq)]
pub struct BrokerUrl {
    scheme: &'static str,
    address: String,
    login: Option<Login>,
}

/// A URL as it was typed. The command-line parser prints values that it refuses, so this type
/// accepts any text and validates later.
#[derive(Clone)]
pub struct TypedUrl(OsString);

impl TypedUrl {
    /// Parses the URL. The error does not repeat it.
    pub fn url(&self) -> Result<BrokerUrl, String> {
        self.0.to_str().ok_or(FORM)?.parse()
    }
}

impl From<OsString> for TypedUrl {
    fn from(typed: OsString) -> Self {
        Self(typed)
    }
}

impl fmt::Debug for TypedUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.url().fmt(f)
    }
}

#[derive(Clone, PartialEq, Eq)]
pub enum Login {
    /// A user name and a password.
    User(String, String),
    /// An access token.
    Token(String),
}

impl BrokerUrl {
    /// Scheme, host and port.
    pub fn address(&self) -> String {
        format!("{}{}", self.scheme, self.address)
    }

    /// The credentials in the URL, else those in `NATS_USER` and `NATS_PASSWORD`.
    pub fn login(&self) -> Option<Login> {
        let variable = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
        let from_environment = || Some(Login::User(variable(USER)?, variable(PASSWORD)?));
        self.login.clone().or_else(from_environment)
    }
}

impl FromStr for BrokerUrl {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let schemes = ["nats://", "tls://"];
        let found =
            schemes.into_iter().find_map(|scheme| Some((scheme, text.strip_prefix(scheme)?)));
        let (scheme, rest) = found.ok_or(FORM)?;
        let (login, address) = match rest.rsplit_once('@') {
            Some((login, address)) => (Some(login), address),
            None => (None, rest),
        };
        let plain = |c: char| c.is_ascii_alphanumeric() || "-._:[]".contains(c);
        if address.is_empty() || !address.chars().all(plain) {
            return Err(FORM.into());
        }
        let login = match login.map(|login| login.split_once(':').ok_or(login)) {
            None => None,
            Some(Ok((user, password))) => Some(Login::User(decoded(user)?, decoded(password)?)),
            Some(Err(token)) => Some(Login::Token(decoded(token)?)),
        };
        Ok(Self { scheme, address: address.into(), login })
    }
}

/// Decodes `%XX` in a part of a URL.
fn decoded(text: &str) -> Result<String, String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'%' {
            if byte.is_ascii_control() || b"/?# ".contains(&byte) {
                return Err(FORM.into());
            }
            bytes.push(byte);
            continue;
        }
        let (digits, after) = rest.split_first_chunk::<2>().ok_or(FORM)?;
        let digits = std::str::from_utf8(digits).map_err(|_| FORM)?;
        bytes.push(u8::from_str_radix(digits, 16).map_err(|_| FORM)?);
        rest = after;
    }
    String::from_utf8(bytes).ok().filter(|text| !text.is_empty()).ok_or_else(|| FORM.into())
}

impl fmt::Display for BrokerUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.login {
            Some(Login::User(user, _)) => write!(f, "{}{user}@{}", self.scheme, self.address),
            Some(Login::Token(_)) | None => f.write_str(&self.address()),
        }
    }
}

impl fmt::Debug for BrokerUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks what is printed of the URL, or a part of the error.
    fn check(text: &str, expected: Result<&str, &str>) {
        match (text.parse::<BrokerUrl>(), expected) {
            (Ok(url), Ok(expected)) => {
                assert_eq!(url.to_string(), expected);
                assert!(!format!("{url:?} {}", url.address()).contains("secret"), "{url}");
            }
            (Err(error), Err(expected)) => {
                assert!(error.contains(expected) && !error.contains("secret"), "{text}: {error}");
            }
            (found, _) => panic!("{text}: {found:?}"),
        }
    }

    #[test]
    fn a_url_is_printed_without_secrets() {
        check("nats://h", Ok("nats://h"));
        check("nats://h:4222", Ok("nats://h:4222"));
        check("tls://[::1]:4222", Ok("tls://[::1]:4222"));
        check("nats://u:secret@h:4222", Ok("nats://u@h:4222"));
        check("nats://secret@h", Ok("nats://h"));
        check("nats://u:se%2Fcret@h", Ok("nats://u@h"));
        for wrong in [
            "",
            "h:4222",
            "http://h",
            "nats://",
            "nats://u:secret@",
            "nats://u:sec/ret@h",
            "nats://u:secret%2@h",
            "nats://u:secret%zz@h",
            "nats://h/secret",
            "nats://u:@h",
            "nats://h:4222,h2:4222",
            "nats://@h",
        ] {
            check(wrong, Err("the URL of a broker is nats://HOST:PORT"));
        }
        let url: BrokerUrl = "nats://u:a%3Ab%40@h".parse().unwrap();
        assert!(url.login() == Some(Login::User("u".into(), "a:b@".into())));
    }
}
