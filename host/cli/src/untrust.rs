//! `sandboard untrust`: revokes the trust in native engines. Stops no running engine.

use std::io::Write;

use anyhow::Result;
use serde_json::json;

use super::engines::{EngineArgs, Engines};
use super::trust::sha256;
use super::usage;
use sandboard_common::text::{plain, quoted};
use sandboard_packs::trust::{Grant, Grants, TrustStore};

const EXAMPLES: &str = "\
ENGINE is an engine in the engines folder, or the name under which a module was trusted: an id means
all of its versions, `id-version` only that one. A running engine continues to run, but it is not
loaded again.

Examples:
  sandboard untrust my-engine-native
  sandboard untrust my-engine-native-1.2
  sandboard untrust --sha256 HEX
  sandboard untrust --all                  # works even if the trust store is damaged";

/// Revoke the trust in native engines
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES, arg_required_else_help = true)]
pub(crate) struct Args {
    /// The engines, by id or `id-version`
    #[arg(value_name = "ENGINE", required_unless_present_any = ["sha256", "all"])]
    names: Vec<String>,
    /// The module with this SHA-256
    #[arg(long, value_name = "HEX", value_parser = sha256)]
    sha256: Vec<String>,
    /// Revoke all trust
    #[arg(long, conflicts_with_all = ["names", "sha256"])]
    all: bool,
    /// Print one JSON object: {"store": …, "untrusted": […]}; with --all, the number of grants
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    engines: EngineArgs,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let store = TrustStore::of_user()?;
    let file = store.file().to_string_lossy().into_owned();
    let mut out = crate::output::stdout();
    if args.all {
        let count = store.clear()?;
        match (args.json, count) {
            (true, _) => writeln!(out, "{}", json!({ "store": file, "untrusted": count }))?,
            (false, Some(0)) => writeln!(out, "nothing was trusted")?,
            (false, Some(count)) => {
                writeln!(
                    out,
                    "no engine is trusted now; revoked: {}",
                    sandboard_common::text::counted(count, "grant")
                )?;
            }
            (false, None) => {
                writeln!(
                    out,
                    "no engine is trusted now; the trust store was damaged and is replaced"
                )?;
            }
        }
        return Ok(());
    }
    let engines = match Engines::open(&args.engines) {
        Err(error) if args.engines.engines_dir.is_some() => return Err(error),
        opened => opened.ok(),
    };
    // Unknown names are reported before anything changes.
    let grants = store.read()?;
    let mut wanted = args.sha256.clone();
    for name in &args.names {
        let found = hashes(name, &grants, engines.as_ref());
        if found.is_empty() {
            return Err(unknown(name, engines.as_ref()));
        }
        wanted.extend(found);
    }
    let gone: Vec<Grant> = store
        .change(|grants| wanted.iter().filter_map(|sha256| grants.remove(sha256)).collect())?;
    if args.json {
        writeln!(out, "{}", json!({ "store": file, "untrusted": gone }))?;
        return Ok(());
    }
    if gone.is_empty() {
        writeln!(out, "it was not trusted; nothing was changed")?;
    }
    for grant in &gone {
        let name = plain(format!("{} {}", grant.id, grant.version).trim());
        let name = if name.is_empty() { "the module".to_owned() } else { name };
        writeln!(out, "{name} is no longer trusted: SHA-256 {}", grant.sha256)?;
    }
    Ok(())
}

/// The hashes that a name means: those of engines in the folder, and of grants with this name.
fn hashes(name: &str, grants: &Grants, engines: Option<&Engines>) -> Vec<String> {
    let granted = grants.with_name(name).map(|grant| grant.sha256.clone());
    let entry = engines.and_then(|engines| engines.catalog.find_any(name).ok());
    let here = entry.map(|entry| entry.sha256.clone()).filter(|sha256| !sha256.is_empty());
    granted.chain(here).collect()
}

fn unknown(name: &str, engines: Option<&Engines>) -> anyhow::Error {
    match engines.map(|engines| engines.entry(name)) {
        Some(Err(error)) => error,
        _ => {
            usage(format!("nothing named {} is trusted, and no engine has that name", quoted(name)))
        }
    }
}
