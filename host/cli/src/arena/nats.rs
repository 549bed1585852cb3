//! Plays an arena by workers on other machines: connects to the broker, and opens the queue of the
//! arena.

use anyhow::{Context, Result, bail};

use super::players::PlayerLoader;
use crate::engines::{EngineArgs, Engines};
use crate::plan::random_seed;
use crate::usage;
use sandboard_arena::{ArenaFolder, Contestant, PlayerSource};
use sandboard_bout::driver::EnginePlayer;
use sandboard_cluster::nats::{Broker, BrokerUrl, NatsQueue, NatsSetup, TypedUrl};

/// The default share of games that are played twice, in percent.
const REPLAY_PERCENT: f64 = 1.0;

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

    /// The queue of an arena at this broker.
    pub(super) fn queue(
        &self,
        url: &BrokerUrl,
        folder: &ArenaFolder,
        arena: &str,
        engines: &EngineArgs,
    ) -> Result<NatsQueue> {
        let setup = NatsSetup {
            arena: arena.to_owned(),
            contest: engines.contest,
            replays: (self.replays.unwrap_or(REPLAY_PERCENT) * 100.0).round() as u16,
            salt: random_seed(),
            excluded: folder.wait(folder.reader().excluded())?,
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
