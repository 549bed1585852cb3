//! The NATS JetStream broker between arenas and workers: subjects, streams and the connection.
//!
//! - `sandboard.jobs.KIND.ARENA` (stream `SANDBOARD_JOBS`): games for hosts of one kind. All
//!   workers of a kind share one consumer. A free worker gets the next game. A worker that is
//!   silent for [`ACK_WAIT`] loses its game to another.
//! - `sandboard.results.ARENA` (stream `SANDBOARD_RESULTS`): results, for the arena only.
//! - the object store `sandboard-files`: modules and long records, by their hashes.
//! - `sandboard.workers` and `sandboard.dismissed.KEY`: published to current subscribers, not
//!   stored. KEY is the public key of a worker.
//!
//! Every message is in an envelope that its sender has signed ([`keys`](crate::keys)): everybody
//! who reaches the broker can write to every subject. Both streams are work queues: an acknowledged
//! message is deleted.

mod dismissals;
mod leases;
mod object_store;
mod queue;
mod remote_worker;
mod results;
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

use crate::keys::PublicKey;
pub use queue::{NatsQueue, NatsSetup};
pub use remote_worker::{WorkerError, WorkerSetup, run_worker};
use url::Login;
pub use url::{BrokerUrl, TypedUrl};

/// A worker confirms regularly that it still plays a game. After this silence, another worker gets
/// it.
pub const ACK_WAIT: Duration = Duration::from_secs(10);
/// How long an unfetched message is kept.
const MESSAGE_MAX_AGE: Duration = Duration::from_secs(7 * 24 * 3600);
/// A message with the same id within this time is dropped as a duplicate.
const DUPLICATE_WINDOW: Duration = Duration::from_secs(120);
/// The time limit of one call to the broker.
const CALL_TIMEOUT: Duration = Duration::from_secs(5);
/// The first and the longest delay before a reconnection attempt.
const RECONNECT_DELAYS: [Duration; 2] = [Duration::from_millis(100), Duration::from_secs(2)];
/// The maximum of running games, and of waiting workers, for one kind of host.
const PENDING_MAX: i64 = 100_000;
/// How many messages are sent before their acknowledgements are awaited.
const UNACKNOWLEDGED_MAX: usize = 256;

const JOBS: &str = "SANDBOARD_JOBS";
const RESULTS: &str = "SANDBOARD_RESULTS";
const PRESENCE: &str = "sandboard.workers";

/// Why a request to the broker failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BrokerError {
    /// The broker cannot be reached.
    #[error(
        "cannot reach the broker {url}: {reason}; is it running, with JetStream (`nats-server --jetstream`)?"
    )]
    Connect {
        /// The URL, without secrets.
        url: String,
        reason: String,
    },
    /// The broker refused a request.
    #[error("the broker {url} cannot {step}: {reason}")]
    Failed {
        /// The URL, without secrets.
        url: String,
        /// The request, as a verb with its object.
        step: &'static str,
        /// The broker's error.
        reason: String,
    },
}

/// A connection to a broker that reconnects by itself.
#[derive(Clone)]
pub struct Broker {
    url: BrokerUrl,
    client: Client,
    context: Context,
    runtime: Arc<Runtime>,
    lost_at: Arc<Mutex<Option<Instant>>>,
    /// Reasons of refusals that were already logged as warnings.
    refusals: Arc<Mutex<BTreeSet<String>>>,
}

impl Broker {
    /// Connects under this name and creates the streams if they are missing.
    pub fn connect(url: &BrokerUrl, name: &str) -> Result<Self, BrokerError> {
        let refused = |reason: String| BrokerError::Connect { url: url.to_string(), reason };
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .thread_name("broker")
            .enable_all()
            .build()
            .map_err(|error| refused(error.to_string()))?;
        let lost_at: Arc<Mutex<Option<Instant>>> = Arc::default();
        let (connection, url_text) = (lost_at.clone(), url.to_string());
        let mut options = ConnectOptions::new()
            .name(name)
            .connection_timeout(CALL_TIMEOUT)
            .request_timeout(Some(CALL_TIMEOUT))
            .reconnect_delay_callback(|attempt| {
                let doubled = RECONNECT_DELAYS[0] * (1 << attempt.min(8));
                doubled.min(RECONNECT_DELAYS[1])
            })
            .event_callback(move |event| {
                on_event(&event, &connection, &url_text);
                std::future::ready(())
            });
        options = match url.login() {
            Some(Login::User(user, password)) => options.user_and_password(user, password),
            Some(Login::Token(token)) => options.token(token),
            None => options,
        };
        let client = runtime.block_on(options.connect(url.address()));
        let client = client.map_err(|error| refused(error.to_string()))?;
        // `new` spawns a task, so it needs the runtime.
        let context = runtime.block_on(async { jetstream::new(client.clone()) });
        let (url, runtime) = (url.clone(), Arc::new(runtime));
        let broker = Self { url, client, context, runtime, lost_at, refusals: Arc::default() };
        broker.stream(JOBS, "sandboard.jobs.>")?;
        broker.stream(RESULTS, "sandboard.results.>")?;
        Ok(broker)
    }

    /// Waits for a future on the connection's runtime.
    fn wait<T>(&self, future: impl Future<Output = T>) -> T {
        self.runtime.block_on(future)
    }

    fn failed<E: std::fmt::Display>(&self, step: &'static str) -> impl Fn(E) -> BrokerError {
        let url = self.url.to_string();
        move |error| BrokerError::Failed { url: url.clone(), step, reason: error.to_string() }
    }

    /// When the connection was lost; `None` while it is up.
    fn lost_at(&self) -> Option<Instant> {
        *self.lost_at.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Logs a warning about work that waits for the broker, once for each reason. While the broker
    /// is unreachable, which was logged already, the level is lower.
    fn warn_once(&self, what: &str, reason: &str) {
        let mut refusals = self.refusals.lock().unwrap_or_else(PoisonError::into_inner);
        let is_new = self.lost_at().is_none() && refusals.insert(reason.to_owned());
        let level = if is_new { log::Level::Warn } else { log::Level::Info };
        log::log!(level, "{what}: {reason}");
    }

    fn stream(&self, name: &str, subject: &str) -> Result<Stream, BrokerError> {
        let config = Config {
            name: name.into(),
            subjects: vec![subject.into()],
            retention: RetentionPolicy::WorkQueue,
            max_age: MESSAGE_MAX_AGE,
            duplicate_window: DUPLICATE_WINDOW,
            num_replicas: 1,
            ..Config::default()
        };
        let made = self.wait(self.context.get_or_create_stream(config));
        made.map_err(self.failed("create a stream"))
    }

    /// The consumer with this name and subject, created if it is missing.
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
            max_ack_pending: PENDING_MAX,
            max_waiting: PENDING_MAX,
            ..pull::Config::default()
        };
        let made = self.wait(stream.create_consumer(config));
        made.map_err(self.failed("create a consumer"))
    }

    /// Sends a message to a stream and waits for the acknowledgement. The broker drops a repeated
    /// id.
    fn send(&self, subject: String, id: &str, bytes: Vec<u8>) -> Result<(), BrokerError> {
        self.send_all([(subject, id.to_owned(), bytes)])
    }

    /// Sends messages and waits for all acknowledgements.
    fn send_all(
        &self,
        messages: impl IntoIterator<Item = (String, String, Vec<u8>)>,
    ) -> Result<(), BrokerError> {
        let failed = self.failed("accept a message");
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

    /// Publishes a message to the current subscribers.
    fn publish(&self, subject: String, bytes: Vec<u8>) {
        // A lost message is repeated later.
        drop(self.wait(self.client.publish(subject, bytes.into())));
    }
}

fn on_event(event: &Event, lost_at: &Mutex<Option<Instant>>, url: &str) {
    let mut lost_at = lost_at.lock().unwrap_or_else(PoisonError::into_inner);
    match event {
        Event::Disconnected if lost_at.is_none() => {
            log::warn!(
                "lost the connection to the broker {url}; running games continue, and their results wait"
            );
            *lost_at = Some(Instant::now());
        }
        Event::Connected => {
            if let Some(since) = lost_at.take() {
                let seconds = since.elapsed().as_secs();
                log::warn!("connected to the broker {url} again, after {seconds} s");
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

fn dismissal_of(worker: &PublicKey) -> String {
    format!("sandboard.dismissed.{worker}")
}
