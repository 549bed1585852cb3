//! The server of `sandboard serve`: games in the browser between people, engines, or both. Each
//! room has a referee; a store keeps rooms and finished bouts; sockets serve players and
//! spectators.
//!
//! Invariant: no engine is called on a thread of the async runtime. No rule, clock or fault is
//! decided here: a room's bout is [`bout::run`](sandboard_bout::driver::run) on its own thread.
//!
//! Start with [`start()`]: it takes a [`Config`], whose [`EngineProvider`] finds and loads engines,
//! and returns a [`RunningServer`].
#![forbid(unsafe_code)]

mod access_log;
mod arena_runner;
mod arenas;
mod body_timeout;
mod client;
mod connections;
mod contests;
mod engine_provider;
mod engines;
mod folder_watch;
mod guard;
mod guest_work;
mod host_header;
mod http;
mod hub;
mod known_games;
mod lobby;
mod messages;
mod problem;
mod proxy;
mod published_page;
mod rate_limit;
mod room;
mod socket;
mod start;
mod store;
mod upload;
mod wire;
mod writer;

use std::sync::Arc;

pub use arena_runner::ArenaRunner;
pub use client::verify_page;
pub use engine_provider::EngineProvider;
pub use hub::Settings;
pub use problem::{ApiResult, Problem, ProblemKind};
pub use proxy::{AddressRange, AddressRangeError};
pub use published_page::{DESCRIPTION_FILE, PageFile, PublishError, PublishedPage};
pub use start::{Config, RunningServer, StartError, start};
pub use store::DatabaseLocation;
pub use wire::{
    ArenaFormat, EngineSeat, NewArena, NewArenaPlayer, OpeningList, SequentialTest, text_of,
};

/// The state that all request handlers share.
struct App {
    hub: Arc<hub::Hub>,
    engines: Arc<engines::EngineRegistry>,
    arenas: Arc<arenas::Arenas>,
    arena_runner: Arc<dyn ArenaRunner>,
    arena_runs: arenas::ArenaRuns,
    contests: contests::Contests,
    token: guard::Token,
    trusted_proxies: proxy::TrustedProxies,
    /// Reports a proxy that is not trusted, once.
    proxy_warning: std::sync::Once,
    connection_limiter: Arc<connections::ConnectionLimiter>,
    /// How long a client may take to send a body.
    body_timeout: std::time::Duration,
    request_limiter: rate_limit::AddressLimiter,
    guess_limiter: rate_limit::AddressLimiter,
    /// Threads for callers who are not the operator.
    guest_work: guest_work::GuestWork,
    /// The log of requests, if there is one.
    access_log: Option<Arc<access_log::AccessLog>>,
    /// Permits for analyses that run at once.
    analyses: Arc<tokio::sync::Semaphore>,
    /// Permits for positions that are solved at once.
    solvers: Arc<tokio::sync::Semaphore>,
}
