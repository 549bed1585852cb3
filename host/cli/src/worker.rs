//! `sandboard worker`: plays games of arenas on other machines; a broker distributes them.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Result, anyhow};

use super::engines::EngineArgs;
use super::{interrupt, usage};
use crate::output::{error_line, out_line};
use sandboard_arena::{CONCURRENCY_MAX, Stop, default_concurrency};
use sandboard_cluster::blobs::BlobFolder;
use sandboard_cluster::job_executor::JobExecutor;
use sandboard_cluster::keys::SecretKey;
use sandboard_cluster::message::is_subject_token;
use sandboard_cluster::nats::{Broker, TypedUrl, WorkerSetup, run_worker};
use sandboard_common::files::{cache_folder, data_folder};

const EXAMPLES: &str = "\
A worker needs a NATS broker with JetStream (`nats-server --jetstream`), and the same version of
sandboard as the arena. It gets modules from the broker by their hashes, and checks the hashes.
WebAssembly runs in the sandbox; a native library runs only if `sandboard trust --sha256` trusts it
on this machine. Anyone who can write to the broker can make this machine play games: protect it with
a password.

Ctrl-C finishes the games in progress and starts no others; a second Ctrl-C ends at once. No game is
lost: another worker plays those that this one leaves.

Examples:
  sandboard worker --nats nats://broker:4222
  sandboard worker --show-key
  sandboard worker --nats tls://club:open-sesame@broker:4222 --concurrency 8";

/// Play games of arenas on other machines (`sandboard arena … --nats URL`)
///
/// For example: sandboard worker --nats nats://broker:4222
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The broker, `nats://USER:PASSWORD@HOST:PORT`; user and password may instead be in $NATS_USER
    /// and $NATS_PASSWORD
    #[arg(long, value_name = "URL", required_unless_present = "show_key")]
    nats: Option<TypedUrl>,
    /// The file with the worker's secret key, by which arenas know it; a missing file is created
    /// [default: worker.key in the user's data folder]
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
    /// Print the worker's public key, for `sandboard arena --worker-key`, and exit
    #[arg(long)]
    show_key: bool,
    /// The number of games played at once [default: one for each core]
    #[arg(long, value_name = "N")]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=CONCURRENCY_MAX as i64))]
    concurrency: Option<u16>,
    /// The worker's name in messages: letters, digits, - and _ [default: the machine's name and a
    /// random number]
    #[arg(long)]
    name: Option<String>,
    #[command(flatten)]
    engines: EngineArgs,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let path = match &args.key {
        Some(path) => path.clone(),
        None => data_folder()?.join("worker.key"),
    };
    let key = Arc::new(SecretKey::open(&path)?);
    if args.show_key {
        out_line!("{}", key.public());
        return Ok(());
    }
    let Some(url) = &args.nats else { return Err(usage("--nats is missing")) };
    let url = url.url().map_err(|reason| usage(format!("--nats: {reason}")))?;
    let name = args.name.clone().unwrap_or_else(drawn_name);
    if !is_subject_token(&name) {
        return Err(usage("--name: expected 1 to 64 letters, digits, - and _"));
    }
    let slots = args.concurrency.map_or_else(default_concurrency, usize::from);
    let cache = BlobFolder::new(cache_folder()?.join("files"));
    let engines = args.engines.clone();
    let executor = JobExecutor::new(
        cache,
        Box::new(move |contest| {
            let engines = EngineArgs { contest: contest || engines.contest, ..engines.clone() };
            engines.loader().map_err(|error| format!("{error:#}"))
        }),
    );
    let stop = Stop::default();
    interrupt::on_interrupt(&stop);
    let broker = Broker::connect(&url, &name)?;
    error_line!("{name}: ready for {slots} games at once, at {url}; its key is {}", key.public());
    let (name, key) = (name.as_str(), &key);
    let setup = WorkerSetup { name, key, slots, executor: &executor, stop: &stop };
    let played = run_worker(&broker, &setup);
    let games = played.map_err(|error| anyhow!("{error}"))?;
    error_line!("{name}: played {games} games");
    Ok(())
}

/// The machine's name with a random number.
fn drawn_name() -> String {
    let machine = machine().unwrap_or_default();
    let plain = machine.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').take(40);
    let machine: String = plain.collect();
    let machine = if machine.is_empty() { "worker".to_owned() } else { machine };
    format!("{machine}-{:08x}", super::plan::random_seed() as u32)
}

#[cfg(unix)]
fn machine() -> Option<String> {
    Some(rustix::system::uname().nodename().to_str().ok()?.to_owned())
}

#[cfg(not(unix))]
fn machine() -> Option<String> {
    std::env::var("COMPUTERNAME").ok()
}
