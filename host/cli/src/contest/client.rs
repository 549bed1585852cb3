//! Sends the requests of an entrant to a contest: to its folder, or to a server over HTTP.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{service, shown};
use crate::{known_games, usage};
use sandboard_contest::ContestFolder;
use sandboard_contest::service::Caller;
use sandboard_contest::store::Entrant;
use sandboard_contest_rules::State;

/// The environment variable with an entrant's token.
const TOKEN: &str = "SANDBOARD_ENTRANT_TOKEN";
/// The time limit for a server's answer.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(120);
/// The size limit of a server's answer, in bytes.
const ANSWER_BYTES: u64 = 4 << 20;

/// The entrant, and the contest.
#[derive(clap::Args, Debug)]
pub(super) struct EntrantArgs {
    /// The folder of the contest, on the organiser's own machine only: who can read the folder can
    /// read all entries and the seed. Entrants use --at
    #[arg(long, value_name = "DIR", required_unless_present = "at")]
    dir: Option<PathBuf>,
    /// The page of the contest on a server, as a browser shows it: https://HOST/contests/NAME
    #[arg(long, value_name = "URL", conflicts_with = "dir")]
    at: Option<String>,
    /// The entrant's token [default: $SANDBOARD_ENTRANT_TOKEN, which does not appear in lists of
    /// processes]
    #[arg(long, value_name = "TOKEN")]
    token: Option<String>,
}

/// The public state of an entry.
#[derive(Debug, Deserialize)]
pub(super) struct EntryStatus {
    /// Whether the entry is accepted.
    pub state: State,
    /// The report of its test, stage by stage.
    pub report: Option<Value>,
}

/// The connection of an entrant to a contest.
pub(super) enum ContestClient {
    /// To the contest's folder on this machine.
    Folder(Box<(ContestFolder, Entrant)>),
    /// To a server.
    Server(Box<ServerClient>),
}

/// A connection to a contest on a server.
pub(super) struct ServerClient {
    agent: ureq::Agent,
    base: String,
    token: String,
}

impl EntrantArgs {
    /// Opens the contest for this entrant.
    pub(super) fn client(&self) -> Result<ContestClient> {
        let token = self.token.clone().or_else(|| std::env::var(TOKEN).ok());
        let token = token.ok_or_else(|| {
            usage(format!(
                "the entrant's token is missing: set --token TOKEN, or the variable {TOKEN}"
            ))
        })?;
        if let Some(page) = &self.at {
            let base = base(page).map_err(usage)?;
            #[cfg(not(feature = "tls"))]
            if base.starts_with("https:") {
                return Err(usage(crate::not_built::TLS));
            }
            return Ok(ContestClient::Server(Box::new(ServerClient {
                agent: agent(),
                base,
                token,
            })));
        }
        let folder =
            ContestFolder::open(self.dir.as_deref().unwrap_or(".".as_ref()), &known_games())?;
        let caller = folder.block_on(service(&folder).caller(folder.founding(), &token))?;
        match caller {
            Some(Caller::Entrant(entrant)) => {
                Ok(ContestClient::Folder(Box::new((folder, entrant))))
            }
            Some(Caller::Organiser) => {
                Err(usage("this is the organiser's token: use the entrant's own token"))
            }
            None => Err(usage("the token is not known in this contest")),
        }
    }
}

impl ContestClient {
    /// Submits an entry and returns its number.
    pub(super) fn submit(&self, entry: &[u8]) -> Result<i64> {
        match self {
            Self::Folder(here) => {
                let (folder, entrant) = &**here;
                folder.block_on(service(folder).submit(entrant, entry)).map_err(shown)
            }
            Self::Server(remote) => remote.post("entries", "application/wasm", entry),
        }
    }

    /// The status of an entry.
    pub(super) fn entry(&self, number: i64) -> Result<EntryStatus> {
        match self {
            Self::Folder(here) => {
                let entry = here.0.wait(here.0.store().entry(number))?;
                let entry =
                    entry.ok_or_else(|| anyhow!("entry {number} is missing from the store"))?;
                let report = entry.report.as_deref().map(serde_json::from_str).transpose()?;
                Ok(EntryStatus { state: entry.state, report })
            }
            Self::Server(remote) => remote.get(&format!("entries/{number}")),
        }
    }

    /// Requests an unrated bout and returns its number.
    pub(super) fn request_trial(&self, entry: Option<i64>, house: &str, side: u8) -> Result<i64> {
        match self {
            Self::Folder(here) => {
                let (folder, entrant) = &**here;
                let service = service(folder);
                folder.block_on(service.request_trial(entrant, entry, house, side)).map_err(shown)
            }
            Self::Server(remote) => {
                let request = json!({ "entry": entry, "house": house, "side": side });
                remote.post("trials", "application/json", request.to_string().as_bytes())
            }
        }
    }
}

impl ServerClient {
    fn post(&self, what: &str, kind: &str, body: &[u8]) -> Result<i64> {
        #[derive(Deserialize)]
        struct Numbered {
            number: i64,
        }
        let request = self.agent.post(format!("{}/{what}", self.base));
        let request = request.header("authorization", format!("Bearer {}", self.token));
        let answer = request.header("content-type", kind).send(body);
        Ok(self.read::<Numbered>(answer)?.number)
    }

    fn get<T: for<'de> Deserialize<'de>>(&self, what: &str) -> Result<T> {
        let request = self.agent.get(format!("{}/{what}", self.base));
        let answer = request.header("authorization", format!("Bearer {}", self.token)).call();
        self.read(answer)
    }

    /// Reads a server's answer; the detail of a refusal becomes the error.
    fn read<T: for<'de> Deserialize<'de>>(
        &self,
        answer: Result<ureq::http::Response<ureq::Body>, ureq::Error>,
    ) -> Result<T> {
        let mut answer = answer.with_context(|| format!("cannot reach {}", self.base))?;
        let status = answer.status();
        let text = answer.body_mut().with_config().limit(ANSWER_BYTES).read_to_string();
        let text = text.with_context(|| format!("{} sent an incomplete answer", self.base))?;
        if status.is_success() {
            let value = serde_json::from_str(&text);
            return value.with_context(|| format!("{} sent an invalid answer", self.base));
        }
        let problem: Option<Value> = serde_json::from_str(&text).ok();
        let detail = problem.as_ref().and_then(|problem| problem["detail"].as_str());
        match detail {
            Some(detail) if status.is_client_error() => Err(usage(detail.to_owned())),
            Some(detail) => bail!("{}: {detail}", self.base),
            None => {
                bail!("{} answered {status}: check that the contest's page is right", self.base)
            }
        }
    }
}

/// The URL of the API for a contest's page. Err: the expected form of the page's URL.
fn base(page: &str) -> Result<String, String> {
    let wrong = || {
        format!(
            "`{}` is not the page of a contest: https://HOST/contests/NAME",
            page.chars().take(200).collect::<String>().escape_debug()
        )
    };
    let (scheme, rest) = page.split_once("://").ok_or_else(wrong)?;
    let (host, path) = rest.split_once('/').ok_or_else(wrong)?;
    let name = path.strip_prefix("#/").unwrap_or(path).strip_prefix("contests/");
    let name = name.map(|name| name.trim_end_matches('/')).ok_or_else(wrong)?;
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-._~%".contains(c);
    let is_host = !host.is_empty() && !host.contains(['@', ' ', '#', '?']);
    match matches!(scheme, "http" | "https")
        && is_host
        && name.chars().all(is_plain)
        && !name.is_empty()
    {
        true => Ok(format!("{scheme}://{host}/api/v1/contests/{name}")),
        false => Err(wrong()),
    }
}

fn agent() -> ureq::Agent {
    let config = ureq::Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(0)
        .timeout_global(Some(ANSWER_TIMEOUT));
    #[cfg(feature = "tls")]
    let config = config.tls_config(tls_config());
    config.build().new_agent()
}

/// Trusts the certificates of this machine.
#[cfg(feature = "tls")]
fn tls_config() -> ureq::tls::TlsConfig {
    use std::sync::Arc;
    use ureq::tls::{Certificate, RootCerts, TlsConfig};

    let found = rustls_native_certs::load_native_certs();
    for error in &found.errors {
        log::debug!("a certificate of this machine is skipped: {error}");
    }
    let certificates: Vec<Certificate<'static>> =
        found.certs.iter().map(|der| Certificate::from_der(der).to_owned()).collect();
    let provider = rustls::crypto::ring::default_provider();
    TlsConfig::builder()
        .root_certs(RootCerts::Specific(Arc::new(certificates)))
        .unversioned_rustls_crypto_provider(Arc::new(provider))
        .build()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_of_contest_pages_are_parsed() {
        let check = |page: &str, expected: Option<&str>| {
            let found = base(page);
            assert_eq!(found.as_deref().ok(), expected, "{page}");
        };
        let answers = Some("https://a.org/api/v1/contests/autumn");
        check("https://a.org/#/contests/autumn", answers);
        check("https://a.org/#/contests/autumn/", answers);
        check("https://a.org/contests/autumn", answers);
        check("http://[::1]:80/#/contests/a%20b", Some("http://[::1]:80/api/v1/contests/a%20b"));
        for wrong in [
            "",
            "a.org/#/contests/autumn",
            "ftp://a.org/#/contests/autumn",
            "https://a.org/#/contests/",
            "https://a.org/#/contests/a/b",
            "https://a.org/#/arenas/autumn",
            "https://user@a.org/#/contests/autumn",
            "https:///#/contests/autumn",
            "https://a.org",
        ] {
            check(wrong, None);
        }
    }
}
