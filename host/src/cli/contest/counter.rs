//! Where an entrant is served: at the folder of a contest, or by a server, over HTTP. One set of questions for both.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use serde::Deserialize;
use serde_json::{Value, json};
use ureq::tls::{Certificate, RootCerts, TlsConfig};

use super::{desk, shown};
use crate::cli::usage;
use crate::contest::ContestFolder;
use crate::contest::desk::Who;
use crate::contest::store::{Entrant, State};

/// The variable that has an entrant's token.
const TOKEN: &str = "SANDBOARD_ENTRANT_TOKEN";
/// How long a server may take to answer.
const PATIENCE: Duration = Duration::from_secs(120);
/// An answer is no longer, in bytes.
const ANSWER_BYTES: u64 = 4 << 20;

/// Who somebody is, and in which contest.
#[derive(clap::Args, Debug)]
pub struct EntrantArgs {
    /// The folder of the contest
    #[arg(long, value_name = "DIR", required_unless_present = "at")]
    dir: Option<PathBuf>,
    /// The page of the contest on a server, as a browser shows it: https://HOST/#/contests/NAME
    #[arg(long, value_name = "URL", conflicts_with = "dir")]
    at: Option<String>,
    /// The entrant's token [default: $SANDBOARD_ENTRANT_TOKEN, which no list of processes shows]
    #[arg(long, value_name = "TOKEN")]
    token: Option<String>,
}

/// An entry, as far as its entrant is told of it.
#[derive(Debug, Deserialize)]
pub struct Told {
    /// What became of it.
    pub state: State,
    /// What was found, stage by stage.
    pub report: Option<Value>,
}

/// Where an entrant is served.
pub enum Counter {
    /// Here.
    Folder(Box<(ContestFolder, Entrant)>),
    /// By a server.
    Server(Box<Remote>),
}

/// A contest on a server.
pub struct Remote {
    agent: ureq::Agent,
    base: String,
    token: String,
}

impl EntrantArgs {
    /// The counter at which this entrant is served.
    pub fn counter(&self) -> Result<Counter> {
        let token = self.token.clone().or_else(|| std::env::var(TOKEN).ok());
        let token = token.ok_or_else(|| {
            usage(format!("say who you are: --token TOKEN, or the variable {TOKEN}"))
        })?;
        if let Some(page) = &self.at {
            let base = base(page).map_err(usage)?;
            return Ok(Counter::Server(Box::new(Remote { agent: agent()?, base, token })));
        }
        let folder = ContestFolder::open(self.dir.as_deref().unwrap_or(".".as_ref()))?;
        let who = folder.block_on(desk(&folder).who(folder.founding(), &token))?;
        match who {
            Some(Who::Entrant(entrant)) => Ok(Counter::Folder(Box::new((folder, entrant)))),
            Some(Who::Organiser) => {
                Err(usage("this is the organiser's token: an entrant has one of his own"))
            }
            None => Err(usage("nobody in this contest has this token")),
        }
    }
}

impl Counter {
    /// Hands an entry in; its number.
    pub fn submit(&self, entry: &[u8]) -> Result<i64> {
        match self {
            Self::Folder(here) => {
                let (folder, entrant) = &**here;
                folder.block_on(desk(folder).submit(entrant, entry)).map_err(shown)
            }
            Self::Server(remote) => remote.post("entries", "application/wasm", entry),
        }
    }

    /// What is known of an entry.
    pub fn entry(&self, number: i64) -> Result<Told> {
        match self {
            Self::Folder(here) => {
                let entry = here.0.wait(here.0.store().entry(number))?;
                let entry = entry.ok_or_else(|| anyhow!("entry {number} is lost"))?;
                let report = entry.report.as_deref().map(serde_json::from_str).transpose()?;
                Ok(Told { state: entry.state, report })
            }
            Self::Server(remote) => remote.get(&format!("entries/{number}")),
        }
    }

    /// Asks for an unrated bout; its number.
    pub fn ask(&self, entry: Option<i64>, house: &str, side: u8) -> Result<i64> {
        match self {
            Self::Folder(here) => {
                let (folder, entrant) = &**here;
                let desk = desk(folder);
                folder.block_on(desk.ask(entrant, entry, house, side)).map_err(shown)
            }
            Self::Server(remote) => {
                let wish = json!({ "entry": entry, "house": house, "side": side });
                remote.post("trials", "application/json", wish.to_string().as_bytes())
            }
        }
    }
}

impl Remote {
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

    /// What a server answers; what it refuses is told in its words.
    fn read<T: for<'de> Deserialize<'de>>(
        &self,
        answer: Result<ureq::http::Response<ureq::Body>, ureq::Error>,
    ) -> Result<T> {
        let mut answer = answer.with_context(|| format!("cannot reach {}", self.base))?;
        let status = answer.status();
        let text = answer.body_mut().with_config().limit(ANSWER_BYTES).read_to_string();
        let text = text.with_context(|| format!("{} does not end its answer", self.base))?;
        if status.is_success() {
            let told = serde_json::from_str(&text);
            return told.with_context(|| format!("{} gives no answer of a contest", self.base));
        }
        let problem: Option<Value> = serde_json::from_str(&text).ok();
        let detail = problem.as_ref().and_then(|problem| problem["detail"].as_str());
        match detail {
            Some(detail) if status.is_client_error() => Err(usage(detail.to_owned())),
            Some(detail) => bail!("{}: {detail}", self.base),
            None => bail!("{} answers {status}: is a contest there?", self.base),
        }
    }
}

/// Where a server answers for the contest of a page. The error says what such a page looks like.
fn base(page: &str) -> Result<String, String> {
    let wrong = || {
        format!(
            "`{}` is no page of a contest: https://HOST/#/contests/NAME",
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

/// What speaks HTTP, with the certificates that this machine trusts.
fn agent() -> Result<ureq::Agent> {
    let found = rustls_native_certs::load_native_certs();
    for error in &found.errors {
        log::debug!("a certificate of this machine is left out: {error}");
    }
    let certificates: Vec<Certificate<'static>> =
        found.certs.iter().map(|der| Certificate::from_der(der).to_owned()).collect();
    let provider = rustls::crypto::ring::default_provider();
    let tls = TlsConfig::builder()
        .root_certs(RootCerts::Specific(Arc::new(certificates)))
        .unversioned_rustls_crypto_provider(Arc::new(provider))
        .build();
    let config = ureq::Agent::config_builder()
        .tls_config(tls)
        .http_status_as_error(false)
        .max_redirects(0)
        .timeout_global(Some(PATIENCE));
    Ok(config.build().new_agent())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_of_contests() {
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
