//! A broker of NATS JetStream between arenas and workers: what lies where on it, and the connection.
//!
//! - `sandboard.jobs.KIND.ARENA` (the stream `SANDBOARD_JOBS`): games to be played by hosts of a kind. All workers of
//!   a kind share one consumer: whoever is free gets the next, and who is silent for [`ACK_WAIT`] has lost it to another.
//! - `sandboard.results.ARENA` (`SANDBOARD_RESULTS`): what came of them, for the arena alone.
//! - the object store `sandboard-files`: modules and long records, by their hashes.
//! - `sandboard.workers` and `sandboard.dismissed.WORKER`: said to whoever listens, and kept nowhere.
//!
//! Both streams are work queues: what is acknowledged is gone.

mod arena;
mod blobs;
mod results;
mod serve;
mod session;
mod url;

use std::collections::BTreeSet;
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use async_nats::jetstream::consumer::{AckPolicy, PullConsumer, pull};
use async_nats::jetstream::context::PublishAckFuture;
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::stream::{Config, RetentionPolicy, Stream};
use async_nats::jetstream::{self, Context};
use async_nats::{Client, ConnectOptions, Event};
use tokio::runtime::Runtime;

pub use arena::{NatsQueue, NatsSetup};
pub use serve::{ServeError, WorkerSetup, serve};
use url::Login;
pub use url::{BrokerUrl, TypedUrl};

/// Who plays a game says so again and again; after such a silence it is another's.
pub const ACK_WAIT: Duration = Duration::from_secs(10);
/// How long what nobody fetches is kept.
const KEPT: Duration = Duration::from_secs(7 * 24 * 3600);
/// Within so long a message that comes twice is taken for one.
const SAME: Duration = Duration::from_secs(120);
/// What one call of the broker may take.
const PATIENCE: Duration = Duration::from_secs(5);
/// After a loss of the broker the next attempt comes so soon at first, and so late at last.
const AGAIN: [Duration; 2] = [Duration::from_millis(100), Duration::from_secs(2)];
/// How many games may be in play, and how many workers may wait, of one kind of hosts.
const MANY: i64 = 100_000;
/// So many messages are on their way before one waits for the broker's word that it has them.
const UNACKNOWLEDGED_MAX: usize = 256;

const JOBS: &str = "SANDBOARD_JOBS";
const RESULTS: &str = "SANDBOARD_RESULTS";
const PRESENCE: &str = "sandboard.workers";

/// Why the broker does not do what it is asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BrokerError {
    /// It cannot be reached.
    #[error(
        "cannot reach the broker {url}: {reason}; is it running, with JetStream (`nats-server --jetstream`)?"
    )]
    Connect {
        /// Where it should be.
        url: String,
        /// What happened.
        reason: String,
    },
    /// It says no.
    #[error("the broker {url} cannot {step}: {reason}")]
    Failed {
        /// Which.
        url: String,
        /// What was asked.
        step: &'static str,
        /// What it says.
        reason: String,
    },
}

/// A connection to a broker that is made again when it is lost.
#[derive(Clone)]
pub struct Broker {
    url: BrokerUrl,
    client: Client,
    context: Context,
    runtime: Arc<Runtime>,
    away: Arc<Mutex<Option<Instant>>>,
    /// What it said no for, as far as people were told.
    refusals: Arc<Mutex<BTreeSet<String>>>,
}

impl Broker {
    /// Connects; `name` is shown by the broker. The streams are made where they are not there.
    pub fn connect(url: &BrokerUrl, name: &str) -> Result<Self, BrokerError> {
        let refused = |reason: String| BrokerError::Connect { url: url.to_string(), reason };
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .thread_name("broker")
            .enable_all()
            .build()
            .map_err(|error| refused(error.to_string()))?;
        let away: Arc<Mutex<Option<Instant>>> = Arc::default();
        let (told, shown) = (away.clone(), url.to_string());
        let mut options = ConnectOptions::new()
            .name(name)
            .connection_timeout(PATIENCE)
            .request_timeout(Some(PATIENCE))
            .reconnect_delay_callback(|attempt| {
                let doubled = AGAIN[0] * (1 << attempt.min(8));
                doubled.min(AGAIN[1])
            })
            .event_callback(move |event| {
                hear(&event, &told, &shown);
                std::future::ready(())
            });
        options = match url.login() {
            Some(Login::User(user, password)) => options.user_and_password(user, password),
            Some(Login::Token(token)) => options.token(token),
            None => options,
        };
        let client = runtime.block_on(options.connect(url.address()));
        let client = client.map_err(|error| refused(error.to_string()))?;
        // It has a task of its own, which begins at once.
        let context = runtime.block_on(async { jetstream::new(client.clone()) });
        let (url, runtime) = (url.clone(), Arc::new(runtime));
        let broker = Self { url, client, context, runtime, away, refusals: Arc::default() };
        broker.stream(JOBS, "sandboard.jobs.>")?;
        broker.stream(RESULTS, "sandboard.results.>")?;
        Ok(broker)
    }

    /// What a future of it brings.
    fn wait<T>(&self, future: impl Future<Output = T>) -> T {
        self.runtime.block_on(future)
    }

    fn failed<E: std::fmt::Display>(&self, step: &'static str) -> impl Fn(E) -> BrokerError {
        let url = self.url.to_string();
        move |error| BrokerError::Failed { url: url.clone(), step, reason: error.to_string() }
    }

    /// Since when the broker is away; none: it is there.
    fn away(&self) -> Option<Instant> {
        *self.away.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells people what waits since the broker does not take it, once for each reason. That it is away they know.
    fn complain(&self, what: &str, reason: &str) {
        let mut refusals = self.refusals.lock().unwrap_or_else(PoisonError::into_inner);
        let aloud = self.away().is_none() && refusals.insert(reason.to_owned());
        let level = if aloud { log::Level::Warn } else { log::Level::Info };
        log::log!(level, "{what}: {reason}");
    }

    fn stream(&self, name: &str, subject: &str) -> Result<Stream, BrokerError> {
        let config = Config {
            name: name.into(),
            subjects: vec![subject.into()],
            retention: RetentionPolicy::WorkQueue,
            max_age: KEPT,
            duplicate_window: SAME,
            num_replicas: 1,
            ..Config::default()
        };
        let made = self.wait(self.context.get_or_create_stream(config));
        made.map_err(self.failed("make a stream"))
    }

    /// The consumer of this name and subject, made where it is not there.
    fn consumer(
        &self,
        stream: &Stream,
        name: &str,
        subject: String,
        ack_wait: Duration,
    ) -> Result<PullConsumer, BrokerError> {
        let config = pull::Config {
            durable_name: Some(name.into()),
            filter_subject: subject,
            ack_policy: AckPolicy::Explicit,
            ack_wait,
            max_ack_pending: MANY,
            max_waiting: MANY,
            ..pull::Config::default()
        };
        let made = self.wait(stream.create_consumer(config));
        made.map_err(self.failed("make a consumer"))
    }

    /// Sends a message to a stream, and waits until the broker has it. What bears an id that came before is dropped.
    fn send(&self, subject: String, id: &str, bytes: Vec<u8>) -> Result<(), BrokerError> {
        self.send_all([(subject, id.to_owned(), bytes)])
    }

    /// Sends messages at once, and waits until the broker has them all.
    fn send_all(
        &self,
        messages: impl IntoIterator<Item = (String, String, Vec<u8>)>,
    ) -> Result<(), BrokerError> {
        let failed = self.failed("take a message");
        self.wait(async {
            let mut sent: Vec<PublishAckFuture> = Vec::new();
            for (subject, id, bytes) in messages {
                let message = PublishMessage::build().message_id(id).payload(bytes.into());
                let sending = self.context.send_publish(subject, message).await;
                sent.push(sending.map_err(|error| failed(error.to_string()))?);
                if sent.len() >= UNACKNOWLEDGED_MAX {
                    for sending in sent.drain(..) {
                        sending.await.map_err(|error| failed(error.to_string()))?;
                    }
                }
            }
            for sending in sent {
                sending.await.map_err(|error| failed(error.to_string()))?;
            }
            Ok(())
        })
    }

    /// Says something to whoever listens.
    fn tell(&self, subject: String, bytes: Vec<u8>) {
        // Who does not hear it now hears it the next time.
        drop(self.wait(self.client.publish(subject, bytes.into())));
    }
}

fn hear(event: &Event, away: &Mutex<Option<Instant>>, url: &str) {
    let mut away = away.lock().unwrap_or_else(PoisonError::into_inner);
    match event {
        Event::Disconnected if away.is_none() => {
            log::warn!("the broker {url} is away; what is played goes on, and waits for it");
            *away = Some(Instant::now());
        }
        Event::Connected => {
            if let Some(since) = away.take() {
                let seconds = since.elapsed().as_secs();
                log::warn!("the broker {url} is back, after {seconds} s");
            }
        }
        Event::ServerError(error) => log::warn!("the broker {url}: {error}"),
        _ => {}
    }
}

fn jobs_of(kind: &str, arena: &str) -> String {
    format!("sandboard.jobs.{kind}.{arena}")
}

fn results_of(arena: &str) -> String {
    format!("sandboard.results.{arena}")
}

fn dismissal_of(worker: &str) -> String {
    format!("sandboard.dismissed.{worker}")
}
