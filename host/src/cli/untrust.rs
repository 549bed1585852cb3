//! `sandboard untrust`: takes trust in native engines back. Ends nothing that runs.

use std::io::Write;

use anyhow::Result;
use serde_json::json;

use super::engines::{EngineArgs, Engines};
use super::trust::sha256;
use super::usage;
use crate::manifest::{plain, quoted};
use crate::trust::{Grant, Grants, Store};

const EXAMPLES: &str = "\
ENGINE is an engine of the folder, whose module is meant, or the name under which something was
trusted, wherever that is now: an id takes back all of its versions, id-version that one. What
runs already runs on; the next time it is not loaded.

Examples:
  sandboard untrust my-engine-native
  sandboard untrust my-engine-native-1.2
  sandboard untrust --sha256 HEX
  sandboard untrust --all                  also where the file of what is trusted is damaged";

/// Take trust in native engines back
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES, arg_required_else_help = true)]
pub struct Args {
    /// The engines, by id or id-version
    #[arg(value_name = "ENGINE", required_unless_present_any = ["sha256", "all"])]
    names: Vec<String>,
    /// The module with this SHA-256
    #[arg(long, value_name = "HEX", value_parser = sha256)]
    sha256: Vec<String>,
    /// Everything
    #[arg(long, conflicts_with_all = ["names", "sha256"])]
    all: bool,
    /// Print one JSON object: {"store": …, "untrusted": […]}, with --all the number of them
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    engines: EngineArgs,
}

pub fn run(args: &Args) -> Result<()> {
    let store = Store::of_user()?;
    let file = store.file().to_string_lossy().into_owned();
    let mut out = std::io::stdout().lock();
    if args.all {
        let count = store.clear()?;
        match (args.json, count) {
            (true, _) => writeln!(out, "{}", json!({ "store": file, "untrusted": count }))?,
            (false, Some(0)) => writeln!(out, "nothing was trusted")?,
            (false, Some(count)) => {
                writeln!(out, "nothing is trusted any more: {}", crate::counted(count, "grant"))?;
            }
            (false, None) => {
                writeln!(
                    out,
                    "nothing is trusted any more; the file was damaged and is made anew"
                )?;
            }
        }
        return Ok(());
    }
    let engines = match Engines::open(&args.engines) {
        Err(error) if args.engines.engines_dir.is_some() => return Err(error),
        opened => opened.ok(),
    };
    // Names that nothing bears are told before anything is changed.
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
        writeln!(out, "that was not trusted; nothing was changed")?;
    }
    for grant in &gone {
        let name = plain(format!("{} {}", grant.id, grant.version).trim());
        let name = if name.is_empty() { "the module".to_owned() } else { name };
        writeln!(out, "{name} is not trusted any more: SHA-256 {}", grant.sha256)?;
    }
    Ok(())
}

/// The modules that a name means: in the engines folder, and of what was trusted under it.
fn hashes(name: &str, grants: &Grants, engines: Option<&Engines>) -> Vec<String> {
    let granted = grants.called(name).map(|grant| grant.sha256.clone());
    let entry = engines.and_then(|engines| engines.catalog.find_any(name).ok());
    let here = entry.map(|entry| entry.sha256.clone()).filter(|sha256| !sha256.is_empty());
    granted.chain(here).collect()
}

fn unknown(name: &str, engines: Option<&Engines>) -> anyhow::Error {
    match engines.map(|engines| engines.entry(name)) {
        Some(Err(error)) => error,
        _ => usage(format!(
            "nothing called {} is trusted, and no engine in reach has a module and that name",
            quoted(name)
        )),
    }
}
