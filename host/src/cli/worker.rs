//! `sandboard worker`: plays games of arenas on other machines, as a broker hands them out.

use anyhow::{Result, anyhow};

use super::engines::EngineArgs;
use super::{interrupt, usage};
use crate::arena::{CONCURRENCY_MAX, Stop, usual_concurrency};
use crate::queue::blobs::Folder;
use crate::queue::hand::Hand;
use crate::queue::message::is_plain;
use crate::queue::nats::{Broker, TypedUrl, WorkerSetup, serve};
use crate::record::store::data_folder;

const EXAMPLES: &str = "\
A worker needs nothing but a broker of NATS with JetStream (`nats-server --jetstream`) and the very same sandboard as the
arena's: modules come over the broker by their hashes, and are hashed again. WebAssembly runs in the sandbox; a native
library only where `sandboard trust --sha256` has admitted it on this machine. Whoever may write to the broker may have
games played here: guard it by a password.

Ctrl-C finishes the games in play and begins none; a second one ends at once. Either way nothing is lost: what a worker
leaves is played by another.

Examples:
  sandboard worker --nats nats://broker:4222
  sandboard worker --nats tls://club:open-sesame@broker:4222 --concurrency 8";

/// Play games of arenas on other machines (`sandboard arena … --nats URL`)
///
/// For example: sandboard worker --nats nats://broker:4222
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The broker, `nats://USER:PASSWORD@HOST:PORT`; name and password may be in $NATS_USER and $NATS_PASSWORD
    #[arg(long, value_name = "URL")]
    nats: TypedUrl,
    /// Games played at once [default: one for each core]
    #[arg(long, value_name = "N")]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=CONCURRENCY_MAX as i64))]
    concurrency: Option<u16>,
    /// What it is called, which no other worker is: letters, digits, - and _ [default: the machine's name and a drawn number]
    #[arg(long)]
    name: Option<String>,
    #[command(flatten)]
    engines: EngineArgs,
}

pub fn run(args: &Args) -> Result<()> {
    let url = args.nats.url().map_err(|reason| usage(format!("--nats: {reason}")))?;
    let name = args.name.clone().unwrap_or_else(drawn_name);
    if !is_plain(&name) {
        return Err(usage("--name: 1 to 64 letters, digits, - and _"));
    }
    let slots = args.concurrency.map_or_else(usual_concurrency, usize::from);
    let cache = Folder::new(data_folder()?.join("cache").join("files"));
    let engines = args.engines.clone();
    let hand = Hand::new(
        cache,
        Box::new(move |contest| {
            let engines = EngineArgs { contest: contest || engines.contest, ..engines.clone() };
            engines.loader().map_err(|error| format!("{error:#}"))
        }),
    );
    let stop = Stop::default();
    interrupt::on_interrupt(&stop);
    let broker = Broker::connect(&url, &name)?;
    eprintln!("{name}: {slots} games at once, for whoever asks at {url}");
    let played = serve(&broker, &WorkerSetup { name: &name, slots, hand: &hand, stop: &stop });
    let games = played.map_err(|error| anyhow!("{error}"))?;
    eprintln!("{name}: played {games} games");
    Ok(())
}

/// The machine's name with a number that nobody else draws.
fn drawn_name() -> String {
    let machine = machine().unwrap_or_default();
    let plain = machine.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').take(40);
    let machine: String = plain.collect();
    let machine = if machine.is_empty() { "worker".to_owned() } else { machine };
    format!("{machine}-{:08x}", super::plan::drawn_seed() as u32)
}

#[cfg(unix)]
fn machine() -> Option<String> {
    Some(rustix::system::uname().nodename().to_str().ok()?.to_owned())
}

#[cfg(not(unix))]
fn machine() -> Option<String> {
    std::env::var("COMPUTERNAME").ok()
}
