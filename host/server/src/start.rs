//! Starts and stops the server: opens the store, listens, and accepts connections.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::ConnectInfo;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use sandboard_games::Games;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};

use super::access_log::AccessLog;
use super::arena_runner::ArenaRunner;
use super::arenas::{ArenaRuns, Arenas};
use super::connections::ConnectionLimiter;
use super::contests::Contests;
use super::engine_provider::EngineProvider;
use super::engines::EngineRegistry;
use super::guard::{REQUEST_RATE, TOKEN_GUESS_RATE, Token};
use super::guest_work::GuestWork;
use super::hub::{Hub, Settings};
use super::known_games::KnownGames;
use super::proxy::{AddressRange, TrustedProxies};
use super::rate_limit::AddressLimiter;
use super::store::{self, DatabaseLocation, StoreError};
use super::{App, folder_watch, http, lobby, writer};

/// The largest head of a request, in bytes.
const HEADER_BYTES_MAX: usize = 16 * 1024;
/// The most connections at once, if the system allows a process as many open files.
const CONNECTIONS_MAX: usize = 8192;
/// Files that the server has open beside its connections.
const OTHER_FILES: usize = 256;
/// How many positions are analysed at once.
const ANALYSES_MAX: usize = 2;
/// How many positions are solved at once; each solver has its own table.
const SOLVERS_MAX: usize = 2;
/// How often empty rooms are looked for.
const SWEEP_INTERVAL: Duration = Duration::from_secs(60);
/// How often running clocks are saved.
const CLOCK_SAVE_INTERVAL: Duration = Duration::from_secs(5);
/// How long requests under way may take when the server stops.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(2);

/// The settings that a server starts with.
pub struct Config {
    /// The address to listen on.
    pub address: IpAddr,
    /// The port to listen on; 0: any free port.
    pub port: u16,
    /// The operator's token; none: everyone who can connect is the operator. Required if other
    /// machines can reach the address.
    pub token: Option<String>,
    /// The proxies whose forwarding headers are believed.
    pub trusted_proxies: Vec<AddressRange>,
    /// Where rooms and bouts are stored; none: in memory, lost when the server stops.
    pub store: Option<DatabaseLocation>,
    /// The folder whose arenas are shown; none: no arenas.
    pub arenas: Option<PathBuf>,
    /// The folder whose contests are shown to everyone who can reach the address; none: no
    /// contests.
    pub contests: Option<PathBuf>,
    /// The file to which a line for each request is appended; none: no access log.
    pub access_log: Option<PathBuf>,
    /// Creates arenas, and plays them in processes of their own.
    pub arena_runner: Arc<dyn ArenaRunner>,
    /// The most games at once of all arenas that the server has played.
    pub games_at_once_max: usize,
    /// Finds and loads engines.
    pub engine_provider: Arc<dyn EngineProvider>,
    /// The games that the server knows.
    pub games: Games,
    /// The remaining settings.
    pub settings: Settings,
}

/// Why a server does not start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// There is no token, but other machines can reach the address.
    #[error(
        "other machines can reach {0}: leave --no-token out, so that the server requires a token, \
         or leave --address out, so that only this machine can connect"
    )]
    NoToken(IpAddr),
    /// The token is empty.
    #[error(
        "the token is empty: a server without a token needs --no-token, and one without --token \
         draws a token"
    )]
    EmptyToken,
    /// The token is too short, or has characters that a cookie cannot hold.
    #[error("the token must have at least 8 characters: letters, digits, `-`, `_`, `.`, `~`")]
    Token,
    /// The access log cannot be opened.
    #[error("the access log {} cannot be opened: {error}", path.display())]
    AccessLog {
        /// The path of the log, as the operator gave it.
        path: PathBuf,
        /// The system's error.
        error: io::Error,
    },
    /// The store cannot be opened.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The address cannot be used, for example because another process listens there.
    #[error("cannot listen on {address}: {error}")]
    Listen {
        /// The address and port.
        address: SocketAddr,
        /// The system's error.
        error: io::Error,
    },
}

/// A server that accepts connections.
pub struct RunningServer {
    /// The address and port on which it listens.
    pub address: SocketAddr,
    access_log: Option<Arc<AccessLog>>,
    stop: watch::Sender<bool>,
    done: tokio::task::JoinHandle<()>,
}

impl RunningServer {
    /// Stops the server: refuses new connections and gives requests under way a moment to finish.
    /// Rooms remain in the store.
    pub async fn stop(self) {
        // Sending fails only if the accept loop has ended already.
        let _ = self.stop.send(true);
        let _ = tokio::time::timeout(SHUTDOWN_TIMEOUT, self.done).await;
        if let Some(log) = self.access_log {
            // Fails only if the thread panicked, which was reported.
            let _ = tokio::task::spawn_blocking(move || log.close()).await;
        }
    }
}

fn check_config(config: &Config) -> Result<(), StartError> {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte);
    match &config.token {
        None if !config.address.is_loopback() => Err(StartError::NoToken(config.address)),
        Some(token) if token.is_empty() => Err(StartError::EmptyToken),
        Some(token) if token.len() < 8 || !token.bytes().all(is_allowed) => Err(StartError::Token),
        _ => Ok(()),
    }
}

/// Opens the store, restores its rooms, and listens.
pub async fn start(config: Config) -> Result<RunningServer, StartError> {
    check_config(&config)?;
    let address = SocketAddr::new(config.address, config.port);
    let listen_error = |error| StartError::Listen { address, error };
    let access_log = config.access_log.as_ref().map(|path| {
        let failed = |error| StartError::AccessLog { path: path.clone(), error };
        AccessLog::open(path).map(Arc::new).map_err(failed)
    });
    let access_log = access_log.transpose()?;
    let listener = TcpListener::bind(address).await.map_err(listen_error)?;
    let address = listener.local_addr().map_err(listen_error)?;
    let store = store::open(config.store.as_ref()).await?;
    let (queue, updates) = writer::queue();
    let runtime = tokio::runtime::Handle::current();
    let games = KnownGames::new(config.games);
    let Config { engine_provider, arena_runner, settings, token, arenas, contests, .. } = config;
    let limits = ConnectionLimits::new(&settings);
    let trusted_proxies = TrustedProxies::new(config.trusted_proxies);
    let hub =
        Hub::new(engine_provider.clone(), games.clone(), store.clone(), settings, runtime, queue);
    let engines = Arc::new(EngineRegistry::new(engine_provider));
    tokio::spawn(writer::run(hub.clone(), store.clone(), updates));
    tokio::spawn(lobby::run(hub.clone()));
    tokio::spawn(sweep(hub.clone()));
    tokio::spawn(save_clocks(hub.clone()));
    folder_watch::run(hub.clone(), engines.clone());
    for room in store.rooms().await? {
        if let Err(problem) = hub.restore(room) {
            hub.notify_operator("error", problem.detail);
        }
    }
    let (stop, shutdown) = watch::channel(false);
    let operator_log = || {
        let hub_clone = hub.clone();
        Box::new(move |level, text| hub_clone.notify_operator(level, text))
    };
    let app = Arc::new(App {
        arenas: Arenas::new(
            arenas,
            games.clone(),
            hub.runtime.clone(),
            operator_log(),
            shutdown.clone(),
        ),
        arena_runner,
        arena_runs: ArenaRuns::new(config.games_at_once_max, operator_log()),
        contests: Contests::new(contests, games, operator_log()),
        hub,
        engines,
        token: Token::new(token.as_deref(), address.port()),
        trusted_proxies,
        proxy_warning: std::sync::Once::new(),
        connection_limiter: ConnectionLimiter::new(limits.per_address),
        body_timeout: limits.request_timeout,
        request_limiter: AddressLimiter::new(REQUEST_RATE),
        guess_limiter: AddressLimiter::new(TOKEN_GUESS_RATE),
        guest_work: GuestWork::for_requests(),
        access_log: access_log.clone(),
        analyses: Arc::new(Semaphore::new(ANALYSES_MAX)),
        solvers: Arc::new(Semaphore::new(SOLVERS_MAX)),
    });
    let done = tokio::spawn(accept_connections(listener, app, limits, shutdown));
    Ok(RunningServer { address, access_log, stop, done })
}

async fn sweep(hub: Arc<Hub>) {
    let mut interval = tokio::time::interval(SWEEP_INTERVAL);
    loop {
        interval.tick().await;
        for update in hub.sweep(Instant::now()) {
            hub.send(update).await;
        }
    }
}

/// Saves running clocks periodically. If the server is killed, a player to move gains at most that
/// period.
async fn save_clocks(hub: Arc<Hub>) {
    let mut interval = tokio::time::interval(CLOCK_SAVE_INTERVAL);
    loop {
        interval.tick().await;
        hub.rooms().iter().for_each(|room| room.save_clock());
    }
}

/// How many connections there may be, and how long they may be silent.
#[derive(Clone, Copy)]
struct ConnectionLimits {
    total: usize,
    per_address: usize,
    /// For a trusted proxy, whose clients are counted by their requests.
    per_proxy: usize,
    request_timeout: Duration,
}

impl ConnectionLimits {
    fn new(settings: &Settings) -> Self {
        let files = sandboard_common::sys::raise_open_files();
        let total = files.map_or(CONNECTIONS_MAX, |files| {
            usize::try_from(files).unwrap_or(CONNECTIONS_MAX).saturating_sub(OTHER_FILES).max(64)
        });
        let total = total.min(CONNECTIONS_MAX);
        let per_address = settings.connections_per_address.clamp(1, total / 2);
        log::info!("the limit is {total} connections at once, {per_address} of one address");
        Self {
            total,
            per_address,
            per_proxy: total / 4 * 3,
            request_timeout: settings.request_timeout,
        }
    }
}

async fn accept_connections(
    listener: TcpListener,
    app: Arc<App>,
    limits: ConnectionLimits,
    mut shutdown: watch::Receiver<bool>,
) {
    let router = http::router(app.clone());
    let permits = Arc::new(Semaphore::new(limits.total));
    let proxy_limiter = ConnectionLimiter::new(limits.per_proxy);
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = wait_for_shutdown(&mut shutdown) => return,
        };
        let (stream, from) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                // A failed connection, or too few file descriptors: both are temporary.
                log::warn!("a connection was not accepted: {error}");
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            }
        };
        // All permits are taken: drop the connection at once.
        let Ok(permit) = permits.clone().try_acquire_owned() else { continue };
        let limiter = match app.trusted_proxies.contains(from.ip()) {
            true => &proxy_limiter,
            false => &app.connection_limiter,
        };
        let Some(own_permit) = limiter.take(from.ip()) else {
            refuse(&stream);
            continue;
        };
        let (router, shutdown) = (router.clone(), shutdown.clone());
        tokio::spawn(async move {
            serve(stream, from, router, limits.request_timeout, shutdown).await;
            drop((permit, own_permit));
        });
    }
}

/// Tells a client that its address has too many connections, if that can be sent without waiting.
fn refuse(stream: &TcpStream) {
    const REFUSAL: &[u8] = b"HTTP/1.1 429 Too Many Requests\r\nConnection: close\r\n\
        Content-Type: text/plain\r\nContent-Length: 40\r\n\r\n\
        too many connections from your address\r\n";
    // The stream is dropped in any case.
    let _ = stream.try_write(REFUSAL);
}

/// Waits until the server stops.
async fn wait_for_shutdown(shutdown: &mut watch::Receiver<bool>) {
    // If the sender is gone, the server has stopped, too.
    let _ = shutdown.wait_for(|end| *end).await;
}

async fn serve(
    stream: TcpStream,
    from: SocketAddr,
    router: Router,
    header_timeout: Duration,
    mut shutdown: watch::Receiver<bool>,
) {
    // Send small messages without delay.
    let _ = stream.set_nodelay(true);
    let router = TowerToHyperService::new(router);
    let service = service_fn(move |mut request: hyper::Request<hyper::body::Incoming>| {
        request.extensions_mut().insert(ConnectInfo(from));
        router.call(request)
    });
    let mut builder = hyper::server::conn::http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(header_timeout)
        .max_buf_size(HEADER_BYTES_MAX);
    let connection = builder.serve_connection(TokioIo::new(stream), service).with_upgrades();
    let mut connection = std::pin::pin!(connection);
    let result = tokio::select! {
        result = connection.as_mut() => Some(result),
        () = wait_for_shutdown(&mut shutdown) => None,
    };
    let result = match result {
        Some(result) => result,
        None => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = result {
        log::debug!("connection of {from}: {error}");
    }
}
