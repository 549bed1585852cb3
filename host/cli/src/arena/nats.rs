//! Plays an arena by workers on other machines: connects to the broker, and opens the queue of the
//! arena.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use sandboard_games::Games;

use super::players::PlayerLoader;
use crate::engines::{EngineArgs, Engines, TimeArg};
use crate::usage;
use sandboard_arena::{ArenaFolder, PlayerSource};
use sandboard_arena_plan::Contestant;
use sandboard_bout::driver::EnginePlayer;
use sandboard_cluster::keys::{PublicKey, SecretKey};
use sandboard_cluster::nats::{Broker, BrokerUrl, NatsQueue, NatsSetup, TypedUrl};

/// The default share of games that are played twice, in percent.
const REPLAY_PERCENT: f64 = 1.0;
/// The default lease of a game.
const LEASE: Duration = Duration::from_secs(3600);

/// Arguments of playing on other machines.
#[derive(clap::Args, Debug)]
pub(super) struct NatsArgs {
    /// Let workers (`sandboard worker`) play the games, on any machines that reach this broker
    /// (NATS with JetStream): `nats://USER:PASSWORD@HOST:PORT`; user and password may instead be in
    /// $NATS_USER and $NATS_PASSWORD
    #[arg(long, value_name = "URL", conflicts_with = "concurrency")]
    pub nats: Option<TypedUrl>,
    /// The share of games on fuel that a second worker must confirm with an identical record, in
    /// percent. A worker whose record differs is excluded, and its games are played again [default:
    /// 1]
    #[arg(long, value_name = "PERCENT", requires = "nats", value_parser = percent)]
    pub replays: Option<f64>,
    /// The public key of a worker that may play, as `sandboard worker --show-key` prints it; may be
    /// repeated. Results of others do not count [default: every worker may play]
    #[arg(long, value_name = "HEX", requires = "nats")]
    pub worker_key: Vec<PublicKey>,
    /// A file with the public keys of the workers that may play, one on each line; `#` starts a
    /// comment
    #[arg(long, value_name = "FILE", requires = "nats")]
    pub worker_keys: Option<PathBuf>,
    /// How long a worker may hold a game, such as `30m`. Then the game is offered again [default:
    /// 1h]
    #[arg(long, value_name = "TIME", requires = "nats")]
    pub lease: Option<TimeArg>,
}

fn percent(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if (0.0..=100.0).contains(&number) => Ok(number),
        _ => Err("expected a number from 0 to 100".into()),
    }
}

impl NatsArgs {
    /// The broker's URL, if --nats is given.
    pub(super) fn url(&self) -> Result<Option<BrokerUrl>> {
        let named = self.nats.as_ref().map(TypedUrl::url).transpose();
        named.map_err(|reason| usage(format!("--nats: {reason}")))
    }

    /// The keys of the workers that may play; none: every worker may.
    pub(super) fn workers(&self) -> Result<Option<BTreeSet<PublicKey>>> {
        let mut keys: BTreeSet<PublicKey> = self.worker_key.iter().copied().collect();
        let Some(file) = &self.worker_keys else {
            return Ok((!keys.is_empty()).then_some(keys));
        };
        let failed = || format!("cannot read the keys in {}", file.display());
        let text = std::fs::read_to_string(file).with_context(failed)?;
        for (line, number) in text.lines().zip(1..) {
            let key = line.split('#').next().unwrap_or_default().trim();
            if !key.is_empty() {
                let key = key.parse();
                let wrong = |error| usage(format!("{}:{number}: {error}", file.display()));
                keys.insert(key.map_err(wrong)?);
            }
        }
        // No worker could play.
        if keys.is_empty() {
            return Err(usage(format!("{} has no key", file.display())));
        }
        Ok(Some(keys))
    }

    /// The queue of an arena at this broker.
    pub(super) fn queue(
        &self,
        url: &BrokerUrl,
        folder: &ArenaFolder,
        arena: &str,
        engines: &EngineArgs,
        games: &Games,
    ) -> Result<NatsQueue> {
        let mut salt = [0; 32];
        getrandom::fill(&mut salt)
            .map_err(|error| anyhow!("the system gives no random numbers: {error}"))?;
        let setup = NatsSetup {
            arena: arena.to_owned(),
            contest: engines.contest,
            games: games.clone(),
            replays: (self.replays.unwrap_or(REPLAY_PERCENT) * 100.0).round() as u16,
            salt,
            workers: self.workers()?,
            lease: self.lease.map_or(LEASE, |lease| Duration::from_micros(lease.us)),
            excluded: folder.wait(folder.reader().excluded())?,
            key: SecretKey::generate()?,
        };
        let broker = Broker::connect(url, &format!("arena {arena}"))?;
        Ok(NatsQueue::open(broker, setup)?)
    }
}

/// Publishes the engine of a player to the workers.
pub(super) fn provide(queue: &NatsQueue, engines: &Engines, player: &Contestant) -> Result<()> {
    let Some(entry) = engines.with_hash(&player.engine, &player.module_sha256) else {
        bail!("the module of {} has changed since it was loaded: start again", player.name);
    };
    queue.provide(&entry).with_context(|| format!("workers cannot play {}", player.name))
}

/// Loads the engines of players that join, and publishes them to the workers.
pub(super) struct PublishingLoader<'a, 'b> {
    pub loader: &'a mut PlayerLoader<'b>,
    pub queue: &'a NatsQueue,
}

impl PlayerSource for PublishingLoader<'_, '_> {
    fn load_player(
        &mut self,
        engine: &str,
        budget: Option<&str>,
    ) -> Result<(Contestant, EnginePlayer), String> {
        let (contestant, player) = self.loader.load_player(engine, budget)?;
        let provided = provide(self.queue, self.loader.engines, &contestant);
        provided.map_err(|error| format!("{error:#}"))?;
        Ok((contestant, player))
    }
}
