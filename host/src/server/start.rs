//! The server as a whole: it is opened, listens, and ends.

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
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};

use super::arenas::Arenas;
use super::bucket::Buckets;
use super::contests::Contests;
use super::engines::Shelf;
use super::guard::{ASK, GUESS, Token};
use super::hub::{Hub, Settings};
use super::store::{self, Place, StoreError};
use super::supply::Supplier;
use super::{App, http, lobby, watch as folder, writer};

/// How long a client may take to send the head of a request.
const HEAD: Duration = Duration::from_secs(10);
/// The longest head of a request, in bytes.
const HEAD_BYTES: usize = 16 * 1024;
/// How many connections there may be at once, where the system lets a process have so many files.
const CONNECTIONS: usize = 8192;
/// How many files a server has open beside them.
const OTHER_FILES: usize = 256;
/// How many positions are analysed at once.
const ANALYSES: usize = 2;
/// How many positions are solved at once: each solver has a table of its own.
const SOLVERS: usize = 2;
/// How often empty rooms are looked for.
const SWEEP_EVERY: Duration = Duration::from_secs(60);
/// How often running clocks are kept.
const CLOCKS_EVERY: Duration = Duration::from_secs(5);
/// How long requests under way may take when the server ends.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// What a server is started with.
pub struct Config {
    /// The address that it listens on.
    pub address: IpAddr,
    /// The port; 0: a free one.
    pub port: u16,
    /// What lets people in; must be there where others can reach the address.
    pub token: Option<String>,
    /// Where the store is; none: in memory, and gone with the server.
    pub store: Option<Place>,
    /// The folder whose arenas are shown; none: there are none.
    pub arenas: Option<PathBuf>,
    /// The folder whose contests are shown, to everybody who can reach the address; none: there are none.
    pub contests: Option<PathBuf>,
    /// Where engines come from.
    pub supplier: Arc<dyn Supplier>,
    /// What else is settled.
    pub settings: Settings,
}

/// Why a server does not start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// Anybody could come in.
    #[error(
        "others can reach {0}, so this server wants a token from them: give it one with --token, \
         or leave --address out, and nobody but this machine can come in"
    )]
    NoToken(IpAddr),
    /// The token is easily guessed, or cannot be sent.
    #[error("the token has at least 8 characters: letters, digits, `-`, `_`, `.`, `~`")]
    Token,
    /// The store does not open.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Somebody else has the address.
    #[error("cannot listen on {address}: {error}")]
    Listen {
        /// Which.
        address: SocketAddr,
        /// What the system says.
        error: io::Error,
    },
}

/// A server that listens.
pub struct Running {
    /// Where.
    pub address: SocketAddr,
    end: watch::Sender<bool>,
    done: tokio::task::JoinHandle<()>,
}

impl Running {
    /// Ends it: no new connections, and those under way are given a moment. Rooms are in the store.
    pub async fn end(self) {
        // Whoever listened is gone where this fails.
        let _ = self.end.send(true);
        let _ = tokio::time::timeout(LAST_WORDS, self.done).await;
    }
}

fn check(config: &Config) -> Result<(), StartError> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte);
    match &config.token {
        None if !config.address.is_loopback() => Err(StartError::NoToken(config.address)),
        Some(token) if token.len() < 8 || !token.bytes().all(plain) => Err(StartError::Token),
        _ => Ok(()),
    }
}

/// Opens the store, brings back its rooms, and listens.
pub async fn start(config: Config) -> Result<Running, StartError> {
    check(&config)?;
    let address = SocketAddr::new(config.address, config.port);
    let listen = |error| StartError::Listen { address, error };
    let listener = TcpListener::bind(address).await.map_err(listen)?;
    let address = listener.local_addr().map_err(listen)?;
    let store = store::open(config.store.as_ref()).await?;
    let (queue, emissions) = writer::queue();
    let runtime = tokio::runtime::Handle::current();
    let Config { supplier, settings, token, arenas, contests, .. } = config;
    let hub = Hub::new(supplier.clone(), store.clone(), settings, runtime, queue);
    let engines = Arc::new(Shelf::new(supplier));
    tokio::spawn(writer::run(hub.clone(), store.clone(), emissions));
    tokio::spawn(lobby::run(hub.clone()));
    tokio::spawn(sweep(hub.clone()));
    tokio::spawn(keep_clocks(hub.clone()));
    folder::run(hub.clone(), engines.clone());
    for room in store.rooms().await? {
        if let Err(problem) = hub.restore(room) {
            hub.note("error", problem.detail);
        }
    }
    let (end, ends) = watch::channel(false);
    let note = || {
        let noting = hub.clone();
        Box::new(move |level, text| noting.note(level, text))
    };
    let app = Arc::new(App {
        arenas: Arenas::new(arenas, hub.runtime.clone(), note(), ends.clone()),
        contests: Contests::new(contests, note()),
        hub,
        engines,
        token: Token::new(token.as_deref()),
        asks: Buckets::new(ASK),
        guesses: Buckets::new(GUESS),
        analyses: Arc::new(Semaphore::new(ANALYSES)),
        solvers: Arc::new(Semaphore::new(SOLVERS)),
    });
    let done = tokio::spawn(listen_on(listener, http::router(app), ends));
    Ok(Running { address, end, done })
}

async fn sweep(hub: Arc<Hub>) {
    let mut every = tokio::time::interval(SWEEP_EVERY);
    loop {
        every.tick().await;
        for emission in hub.sweep(Instant::now()) {
            hub.send_soon(emission).await;
        }
    }
}

/// What people have used of their moves is kept now and then: a server that is killed takes no
/// more than that from anybody's opponent.
async fn keep_clocks(hub: Arc<Hub>) {
    let mut every = tokio::time::interval(CLOCKS_EVERY);
    loop {
        every.tick().await;
        hub.rooms().iter().for_each(|room| room.keep_clock());
    }
}

async fn listen_on(listener: TcpListener, router: Router, mut ends: watch::Receiver<bool>) {
    let files = crate::sys::raise_open_files();
    let connections = files.map_or(CONNECTIONS, |files| {
        usize::try_from(files).unwrap_or(CONNECTIONS).saturating_sub(OTHER_FILES).max(64)
    });
    let connections = connections.min(CONNECTIONS);
    log::info!("there may be {connections} connections at once");
    let seats = Arc::new(Semaphore::new(connections));
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = ending(&mut ends) => return,
        };
        let (stream, from) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                // Of the connection, or want of descriptors: neither is for ever.
                log::warn!("a connection was not accepted: {error}");
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            }
        };
        // Who comes when all seats are taken is cut off at once.
        let Ok(seat) = seats.clone().try_acquire_owned() else { continue };
        let (router, ends) = (router.clone(), ends.clone());
        tokio::spawn(async move {
            serve(stream, from, router, ends).await;
            drop(seat);
        });
    }
}

/// Waits for the end of the server.
async fn ending(ends: &mut watch::Receiver<bool>) {
    // Whoever would say so is gone: that is the end, too.
    let _ = ends.wait_for(|end| *end).await;
}

async fn serve(
    stream: TcpStream,
    from: SocketAddr,
    router: Router,
    mut ends: watch::Receiver<bool>,
) {
    // Small messages go at once.
    let _ = stream.set_nodelay(true);
    let router = TowerToHyperService::new(router);
    let service = service_fn(move |mut request: hyper::Request<hyper::body::Incoming>| {
        request.extensions_mut().insert(ConnectInfo(from));
        router.call(request)
    });
    let mut builder = hyper::server::conn::http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(HEAD).max_buf_size(HEAD_BYTES);
    let connection = builder.serve_connection(TokioIo::new(stream), service).with_upgrades();
    let mut connection = std::pin::pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => Some(ended),
        () = ending(&mut ends) => None,
    };
    let ended = match ended {
        Some(ended) => ended,
        None => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        log::debug!("connection of {from}: {error}");
    }
}
