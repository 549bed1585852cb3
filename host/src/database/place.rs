//! Where a store is, as people write it: a file, or the URL of a database on a server of PostgreSQL. Opens nothing.
//!
//! Invariant: the password of a URL comes out of [`Url::with_password`] alone, which the database's library is told;
//! a URL that is refused is not repeated.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;

/// What a URL of a database begins with.
const SCHEMES: [&str; 2] = ["postgres://", "postgresql://"];
/// What may stand behind its `?`. A password may not: it would be shown with the rest.
const PARAMETERS: [&str; 8] =
    ["application_name", "dbname", "host", "hostaddr", "options", "port", "sslmode", "user"];
/// Values of `sslmode` that nothing is sent without TLS under.
const WANT_TLS: [&str; 3] = ["require", "verify-ca", "verify-full"];
/// What is said where somebody wants TLS.
pub const NO_TLS: &str = "this host speaks no TLS with a database: leave `sslmode` out, and have the server on the same \
                          machine, in a private network or behind a tunnel";

/// A place where a store is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A file of SQLite.
    File(PathBuf),
    /// A database on a server.
    Server(Url),
}

/// A place as it was typed. Whoever reads command lines repeats what it refuses: so it takes everything.
#[derive(Clone)]
pub struct TypedPlace(OsString);

impl TypedPlace {
    /// The place. The error says what is wrong with a URL, and does not repeat it.
    pub fn place(&self) -> Result<Place, String> {
        match self.0.to_str() {
            Some(text) if Url::is_meant(text) => Url::parse(text).map(Place::Server),
            _ => Ok(Place::File(self.0.clone().into())),
        }
    }
}

impl From<OsString> for TypedPlace {
    fn from(typed: OsString) -> Self {
        Self(typed)
    }
}

impl fmt::Debug for TypedPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.place().fmt(f)
    }
}

/// The URL of a database: `postgres://USER:PASSWORD@HOST:PORT/DATABASE`. Shown without its password.
#[derive(Clone, PartialEq, Eq)]
pub struct Url {
    whole: String,
    shown: String,
}

impl Url {
    /// Whether a text is meant to be one.
    pub fn is_meant(text: &str) -> bool {
        let begins = |scheme: &&str| {
            text.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme))
        };
        SCHEMES.iter().any(begins)
    }

    /// Reads one. The error says what is wrong, and repeats nothing: what is wrongly written may hide a password.
    pub fn parse(text: &str) -> Result<Self, String> {
        if !Self::is_meant(text) {
            return Err(format!("the URL of a database begins with {}", SCHEMES[0]));
        }
        let (scheme, rest) = text.split_at(text.find("://").map_or(0, |at| at + 3));
        if rest.contains(|c: char| c.is_control() || c.is_whitespace() || c == '#') {
            return Err("in the URL of a database, # is written %23, and a blank %20".into());
        }
        let (authority, tail) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
        let (user, host) = authority.rsplit_once('@').unwrap_or(("", authority));
        let port = match host.rsplit_once(']') {
            Some((_, port)) => port.strip_prefix(':').unwrap_or(port),
            None => host.split_once(':').map_or("", |(_, port)| port),
        };
        if tail.contains('@') || !port.bytes().all(|byte| byte.is_ascii_digit()) {
            let reason = "the URL of a database is postgres://USER:PASSWORD@HOST:PORT/DATABASE; in a password / is \
                          written %2F, ? is %3F, : is %3A and @ is %40";
            return Err(reason.into());
        }
        let query = tail.split_once('?').map_or("", |(_, query)| query);
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            if !PARAMETERS.contains(&name) {
                return Err(format!(
                    "behind the ? of the URL of a database there may be {}; a password goes before the @, into the \
                     variable PGPASSWORD or into the file ~/.pgpass",
                    PARAMETERS.join(", ")
                ));
            }
            if name == "sslmode" && WANT_TLS.contains(&value) {
                return Err(NO_TLS.into());
            }
        }
        let user = user.split_once(':').map_or(user, |(user, _)| user);
        let at = if user.is_empty() { "" } else { "@" };
        Ok(Self { whole: text.into(), shown: format!("{scheme}{user}{at}{host}{tail}") })
    }

    /// The whole of it, for who connects.
    pub fn with_password(&self) -> &str {
        &self.whole
    }
}

impl fmt::Display for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

impl fmt::Debug for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_is_shown_without_its_password() {
        let check = |text: &str, expected: &str| match TypedPlace::from(OsString::from(text))
            .place()
        {
            Ok(Place::Server(url)) => {
                assert_eq!(url.to_string(), expected);
                assert_eq!(url.with_password(), text);
                assert!(!format!("{url:?} {:?}", Place::Server(url.clone())).contains("secret"));
            }
            Err(reason) => {
                assert!(
                    reason.contains(expected) && !reason.contains("secret"),
                    "{text}: {reason}"
                );
            }
            Ok(Place::File(file)) => assert_eq!(file.to_str(), Some(expected)),
        };
        check("club.db", "club.db");
        check("postgres.db", "postgres.db");
        check("postgres:///club", "postgres:///club");
        check("postgres://u@h:5433/club", "postgres://u@h:5433/club");
        check("postgresql://u:secret@h/club", "postgresql://u@h/club");
        check("POSTGRES://u:secret@h/club", "POSTGRES://u@h/club");
        check("postgres://u:se%40secret@[::1]:5/c", "postgres://u@[::1]:5/c");
        check("postgres://u:secret:secret@h", "postgres://u@h");
        check("postgres://u:a@secret@h", "postgres://u@h");
        check("postgres://:secret@h/c", "postgres://h/c");
        check("postgres://u:secret@h/c?sslmode=disable", "postgres://u@h/c?sslmode=disable");
        check(
            "postgres://u@%2Frun%2Fsql/c?options=-c%20a",
            "postgres://u@%2Frun%2Fsql/c?options=-c%20a",
        );
        // What a password hides in, badly written.
        check("postgres://u:secret/secret@h/c", "/ is written %2F");
        check("postgres://u:1/secret@h/c", "/ is written %2F");
        check("postgres://u:1?secret@h/c", "? is %3F");
        check("postgres://u:secret?b", "PASSWORD@HOST");
        check("postgres://u:secret#1@h/c", "# is written %23");
        check("postgres://u:se secret@h/c", "a blank %20");
        check("postgres://h/c?password=secret", "PGPASSWORD");
        check("postgres://h/c?pass%77ord=secret", "PGPASSWORD");
        check("postgres://h/c?secret", "PGPASSWORD");
        check("postgres://u:secret@h/c?user=a&sslmode=verify-full", "no TLS");
    }
}
