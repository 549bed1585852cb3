//! An arena that is played by workers elsewhere: from what was typed to its queue at a broker.

use anyhow::{Context, Result, bail};

use super::players::Office;
use crate::arena::{ArenaFolder, Contestant, Recruiter};
use crate::bout::EnginePlayer;
use crate::cli::engines::{EngineArgs, Engines};
use crate::cli::plan::drawn_seed;
use crate::cli::usage;
use crate::queue::nats::{Broker, BrokerUrl, NatsQueue, NatsSetup, TypedUrl};

/// So many games in a hundred are played twice where nobody says.
const REPLAYS: f64 = 1.0;

/// Who else plays.
#[derive(clap::Args, Debug)]
pub struct NatsArgs {
    /// Have the games played by the workers (`sandboard worker`) at this broker of NATS with JetStream, on whatever machines:
    /// `nats://USER:PASSWORD@HOST:PORT`; name and password may be in $NATS_USER and $NATS_PASSWORD
    #[arg(long, value_name = "URL", conflicts_with = "concurrency")]
    pub nats: Option<TypedUrl>,
    /// Of so many games on fuel in a hundred another worker must write the very same record before they count; who wrote
    /// another one is excluded, and its games are played again [default: 1]
    #[arg(long, value_name = "PERCENT", requires = "nats", value_parser = percent)]
    pub replays: Option<f64>,
}

fn percent(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if (0.0..=100.0).contains(&number) => Ok(number),
        _ => Err("it is a number from 0 to 100".into()),
    }
}

impl NatsArgs {
    /// The broker, where one is named.
    pub fn url(&self) -> Result<Option<BrokerUrl>> {
        let named = self.nats.as_ref().map(TypedUrl::url).transpose();
        named.map_err(|reason| usage(format!("--nats: {reason}")))
    }

    /// The queue of an arena at this broker.
    pub fn queue(
        &self,
        url: &BrokerUrl,
        folder: &ArenaFolder,
        arena: &str,
        engines: &EngineArgs,
    ) -> Result<NatsQueue> {
        let setup = NatsSetup {
            arena: arena.to_owned(),
            contest: engines.contest,
            replays: (self.replays.unwrap_or(REPLAYS) * 100.0).round() as u16,
            salt: drawn_seed(),
            excluded: folder.wait(folder.reader().excluded())?,
        };
        let broker = Broker::connect(url, &format!("arena {arena}"))?;
        Ok(NatsQueue::open(broker, setup)?)
    }
}

/// Puts the engine of a player where workers find it.
pub fn provide(queue: &NatsQueue, engines: &Engines, player: &Contestant) -> Result<()> {
    let Some(entry) = engines.with_hash(&player.engine, &player.module_sha256) else {
        bail!("the module of {} has changed since it was loaded: begin again", player.name);
    };
    queue.provide(&entry).with_context(|| format!("{} cannot be played elsewhere", player.name))
}

/// Finds engines of those who join, and puts them where workers find them.
pub struct Recruits<'a, 'b> {
    pub office: &'a mut Office<'b>,
    pub queue: &'a NatsQueue,
}

impl Recruiter for Recruits<'_, '_> {
    fn recruit(
        &mut self,
        engine: &str,
        budget: Option<&str>,
    ) -> Result<(Contestant, EnginePlayer), String> {
        let (contestant, player) = self.office.recruit(engine, budget)?;
        let provided = provide(self.queue, self.office.engines, &contestant);
        provided.map_err(|error| format!("{error:#}"))?;
        Ok((contestant, player))
    }
}
