//! Where a broker is, as people write it. Opens nothing.
//!
//! Invariant: a password or token comes out of nothing that is shown.

use std::ffi::OsString;
use std::fmt;
use std::str::FromStr;

/// What is said of a URL that is none. It is not repeated: what is wrongly written may hide a password.
const FORM: &str = "the URL of a broker is nats://HOST:PORT, nats://USER:PASSWORD@HOST:PORT or nats://TOKEN@HOST:PORT \
                    (tls:// for TLS); in a password / is written %2F, : is %3A and @ is %40";
/// Who connects, where the URL does not say.
const USER: &str = "NATS_USER";
/// And by which password.
const PASSWORD: &str = "NATS_PASSWORD";

/// The URL of a broker. Shown without what is secret.
#[derive(Clone, PartialEq, Eq)]
pub struct BrokerUrl {
    scheme: &'static str,
    address: String,
    login: Option<Login>,
}

/// A URL as it was typed. Whoever reads command lines repeats what it refuses: so it takes everything.
#[derive(Clone)]
pub struct TypedUrl(OsString);

impl TypedUrl {
    /// The URL. The error says what is wrong with it, and does not repeat it.
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

/// How one is let in.
#[derive(Clone, PartialEq, Eq)]
pub enum Login {
    /// By name and password.
    User(String, String),
    /// By a word.
    Token(String),
}

impl BrokerUrl {
    /// Host and port with their scheme, and nothing secret.
    pub fn address(&self) -> String {
        format!("{}{}", self.scheme, self.address)
    }

    /// How to get in; from the variables `NATS_USER` and `NATS_PASSWORD` where the URL does not say.
    pub fn login(&self) -> Option<Login> {
        let variable = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
        let of_environment = || Some(Login::User(variable(USER)?, variable(PASSWORD)?));
        self.login.clone().or_else(of_environment)
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

/// A part of a URL with its `%XX` put back.
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

    /// What is shown of it, or a part of what is said of it.
    fn check(text: &str, expected: Result<&str, &str>) {
        match (text.parse::<BrokerUrl>(), expected) {
            (Ok(url), Ok(expected)) => {
                assert_eq!(url.to_string(), expected);
                assert!(!format!("{url:?} {}", url.address()).contains("secret"), "{url}");
            }
            (Err(told), Err(expected)) => {
                assert!(told.contains(expected) && !told.contains("secret"), "{text}: {told}");
            }
            (found, _) => panic!("{text}: {found:?}"),
        }
    }

    #[test]
    fn a_url_is_shown_without_what_is_secret() {
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
