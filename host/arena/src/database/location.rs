//! The location of a store as users write it: a file, or the URL of a PostgreSQL database. Opens
//! nothing.
//!
//! Invariant: only [`Url::with_password`], which is for the database library, returns the password
//! of a URL. Errors about a URL do not repeat it.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;

/// The schemes of database URLs.
const SCHEMES: [&str; 2] = ["postgres://", "postgresql://"];
/// The parameters allowed after the `?`. A password is not: it would be shown with the rest.
const PARAMETERS: [&str; 8] =
    ["application_name", "dbname", "host", "hostaddr", "options", "port", "sslmode", "user"];
/// The values of `sslmode` that require TLS.
const TLS_MODES: [&str; 3] = ["require", "verify-ca", "verify-full"];
/// The error if TLS is required.
pub(super) const NO_TLS: &str = "this host does not support TLS to databases: omit `sslmode`, and \
     run the server on the same machine, in a private network or behind a tunnel";

/// The location of a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DatabaseLocation {
    /// A file of SQLite.
    File(PathBuf),
    /// A database on a PostgreSQL server.
    Server(Url),
}

/// A location from the command line. Parsing never fails here, since the parser of the command line
/// would repeat a refused value, and with it a password.
#[derive(Clone)]
pub struct LocationArgument(OsString);

impl LocationArgument {
    /// Parses the location. The error does not repeat the URL.
    pub fn location(&self) -> Result<DatabaseLocation, String> {
        match self.0.to_str() {
            Some(text) if Url::has_scheme(text) => Url::parse(text).map(DatabaseLocation::Server),
            _ => Ok(DatabaseLocation::File(self.0.clone().into())),
        }
    }
}

impl From<OsString> for LocationArgument {
    fn from(typed: OsString) -> Self {
        Self(typed)
    }
}

impl fmt::Debug for LocationArgument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.location().fmt(f)
    }
}

/// The URL of a database: `postgres://USER:PASSWORD@HOST:PORT/DATABASE`. `Display` and `Debug` omit
/// the password.
#[derive(Clone, PartialEq, Eq)]
pub struct Url {
    full: String,
    redacted: String,
    /// Whether a file of a folder named it, rather than the operator.
    from_folder: bool,
}

impl Url {
    /// Whether a text begins like the URL of a database.
    pub fn has_scheme(text: &str) -> bool {
        let begins = |scheme: &&str| {
            text.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme))
        };
        SCHEMES.iter().any(begins)
    }

    /// Parses a URL. The error does not repeat any part of it, since an invalid URL may contain a
    /// password.
    pub fn parse(text: &str) -> Result<Self, String> {
        if !Self::has_scheme(text) {
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
            let reason = "the URL of a database is postgres://USER:PASSWORD@HOST:PORT/DATABASE; in \
                          a password / is written %2F, ? is %3F, : is %3A and @ is %40";
            return Err(reason.into());
        }
        let query = tail.split_once('?').map_or("", |(_, query)| query);
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            if !PARAMETERS.contains(&name) {
                return Err(format!(
                    "the URL of a database can have these parameters after the ?: {}; a password \
                     goes before the @, into the variable PGPASSWORD or into the file ~/.pgpass",
                    PARAMETERS.join(", ")
                ));
            }
            if name == "sslmode" && TLS_MODES.contains(&value) {
                return Err(NO_TLS.into());
            }
        }
        let user = user.split_once(':').map_or(user, |(user, _)| user);
        let at = if user.is_empty() { "" } else { "@" };
        let redacted = format!("{scheme}{user}{at}{host}{tail}");
        Ok(Self { full: text.into(), redacted, from_folder: false })
    }

    /// Parses a URL that a file of a folder contains. The folder may come from a stranger, whose
    /// server must not get the operator's password: opening it sends `PGPASSWORD` to it
    /// only if `PGHOST` names the same host. Errors are those of [`Url::parse`].
    pub fn parse_from_folder(text: &str) -> Result<Self, String> {
        Ok(Self { from_folder: true, ..Self::parse(text)? })
    }

    /// Whether a file of a folder named this URL.
    #[cfg_attr(not(feature = "postgres"), expect(dead_code, reason = "nothing sends a password"))]
    pub(super) fn is_from_folder(&self) -> bool {
        self.from_folder
    }

    /// The whole URL, for connecting.
    pub fn with_password(&self) -> &str {
        &self.full
    }
}

impl fmt::Display for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.redacted)
    }
}

impl fmt::Debug for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.redacted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_is_shown_without_its_password() {
        let check = |text: &str, expected: &str| match LocationArgument::from(OsString::from(text))
            .location()
        {
            Ok(DatabaseLocation::Server(url)) => {
                assert_eq!(url.to_string(), expected);
                assert_eq!(url.with_password(), text);
                assert!(
                    !format!("{url:?} {:?}", DatabaseLocation::Server(url.clone()))
                        .contains("secret")
                );
            }
            Err(reason) => {
                assert!(
                    reason.contains(expected) && !reason.contains("secret"),
                    "{text}: {reason}"
                );
            }
            Ok(DatabaseLocation::File(file)) => assert_eq!(file.to_str(), Some(expected)),
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
        // Invalid URLs that contain a password.
        check("postgres://u:secret/secret@h/c", "/ is written %2F");
        check("postgres://u:1/secret@h/c", "/ is written %2F");
        check("postgres://u:1?secret@h/c", "? is %3F");
        check("postgres://u:secret?b", "PASSWORD@HOST");
        check("postgres://u:secret#1@h/c", "# is written %23");
        check("postgres://u:se secret@h/c", "a blank %20");
        check("postgres://h/c?password=secret", "PGPASSWORD");
        check("postgres://h/c?pass%77ord=secret", "PGPASSWORD");
        check("postgres://h/c?secret", "PGPASSWORD");
        check("postgres://u:secret@h/c?user=a&sslmode=verify-full", "not support TLS");
    }
}
