//! `sandboard serve`: starts the web server. Makes its configuration from the arguments, and
//! provides it with engines.

mod arena_runner;

use std::io::Write;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::mpsc::RecvTimeoutError;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result};
use sandboard_abi::{Description, Unit};

use super::arena::default_folder;
use super::engines::{EngineArgs, Engines, check_budget};
use super::interrupt::on_first_signal;
use super::seat::EngineSpec;
use super::threads;
use crate::output::error_line;
use sandboard_arena::database::LocationArgument;
use sandboard_arena::default_concurrency;
use sandboard_bout::driver::EnginePlayer;
use sandboard_bout::record::EngineRecord;
use sandboard_bout::start::StartPosition;
use sandboard_common::files::data_folder;
use sandboard_engine::EngineSource;
use sandboard_packs::catalog::{Catalog, Entry};
use sandboard_packs::trust::{Grant, GrantSource};
use sandboard_server::{
    AddressRange, ApiResult, Config, DatabaseLocation, EngineProvider, EngineSeat, Problem,
    ProblemKind, RunningServer, Settings, StartError, start, text_of,
};

/// The default file of the store, in the user's data folder.
const STORE: &str = "server.db";
/// The environment variable with the token, which does not appear in lists of processes.
const TOKEN: &str = "SANDBOARD_TOKEN";

/// How long requests under way may take when the server stops, threads that hang included.
const STOP_TIMEOUT: Duration = Duration::from_secs(5);

const EXAMPLES: &str = "\
The server requires a token from everyone, except people with an invitation link to a seat. Without
--token it draws one for this run, and prints a link that contains it. A person with the link is the
operator. Without --address only this machine can connect. If the server can be reached from the
internet, put it behind a proxy with TLS and name the proxy with --trusted-proxy (docs/server.md).
Rooms and finished bouts are stored in one file, or in a PostgreSQL database. Rooms continue after a
restart of the server.

Examples:
  sandboard serve
  sandboard serve --port 0                       # a free port
  sandboard serve --no-token                     # every user of this machine is the operator
  SANDBOARD_TOKEN=$(openssl rand -hex 16) sandboard serve --address 0.0.0.0
  sandboard serve --trusted-proxy 127.0.0.1      # behind a proxy on this machine
  sandboard serve --store club.db --engines-dir ~/engines
  sandboard serve --store postgres://club@localhost/rooms
  sandboard serve --contests ~/contests          # `sandboard contest run` plays them";

/// Serve games in the browser for people, engines and spectators
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// The port to listen on; 0 means any free port
    #[arg(long, default_value_t = 8000)]
    port: u16,
    /// The address to listen on
    #[arg(long, default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    address: IpAddr,
    /// The token that people need to connect [default: $SANDBOARD_TOKEN, or a new random token]
    #[arg(long, value_name = "TOKEN", conflicts_with = "no_token")]
    token: Option<String>,
    /// Require no token: everyone who can connect is the operator. Only for this machine's address
    #[arg(long)]
    no_token: bool,
    /// A proxy whose forwarding headers are believed: an address, or a network such as 10.0.0.0/8.
    /// May be repeated
    #[arg(long, value_name = "ADDRESS")]
    trusted_proxy: Vec<AddressRange>,
    /// The store of rooms and bouts: a file, or a PostgreSQL database as
    /// `postgres://USER@HOST/DATABASE` (with the password in ~/.pgpass or $PGPASSWORD) [default: the
    /// file `server.db` in the user's data folder]
    #[arg(long, value_name = "FILE|URL")]
    store: Option<LocationArgument>,
    /// The folder of the arenas to show [default: `arena` in the user's data folder]
    #[arg(long, value_name = "FOLDER")]
    arenas: Option<PathBuf>,
    /// The folder of the contests to show. Everyone who can reach the address sees them, and
    /// entrants can submit entries with their tokens [default: none]
    #[arg(long, value_name = "FOLDER")]
    contests: Option<PathBuf>,
    /// Append a line for each request to this file: time, client, method, path, status, and
    /// duration in microseconds [default: none]
    #[arg(long, value_name = "FILE")]
    access_log: Option<PathBuf>,
    /// How long the clock of a disconnected player stays stopped, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 30)]
    grace: u32,
    /// The most connections of one address, and at most half of all
    #[arg(
        long, value_name = "NUMBER", default_value_t = 256,
        value_parser = clap::value_parser!(u32).range(1..)
    )]
    connections_per_address: u32,
    /// How long a client may take to send the head of a request, and then its body, in seconds. A
    /// body gets a second more for each 8 KiB received
    #[arg(
        long, value_name = "SECONDS", default_value_t = 10,
        value_parser = clap::value_parser!(u32).range(1..=3600)
    )]
    request_timeout: u32,
    #[command(flatten)]
    engines: EngineArgs,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let store = match &args.store {
        Some(typed) => typed.location().map_err(super::usage)?,
        None => {
            let folder = data_folder()?;
            let failed = || format!("cannot make {}", folder.display());
            sandboard_common::file_modes::create_folder(&folder).with_context(failed)?;
            DatabaseLocation::File(folder.join(STORE))
        }
    };
    let engines = Engines::open(&args.engines)?;
    let (folder, games) = (engines.dir.clone(), engines.games().clone());
    let token = token(args)?;
    let provider = Arc::new(CliEngineProvider {
        folder,
        engines: Mutex::new(engines),
        arguments: args.engines.clone(),
    });
    let config = Config {
        address: args.address,
        port: args.port,
        token: token.text().map(str::to_owned),
        trusted_proxies: args.trusted_proxy.clone(),
        store: Some(store),
        // Without a user's data folder there are no arenas to show.
        arenas: args.arenas.clone().or_else(|| default_folder().ok()),
        contests: args.contests.clone(),
        access_log: args.access_log.clone(),
        arena_runner: provider.clone(),
        games_at_once_max: default_concurrency(),
        engine_provider: provider,
        games,
        settings: Settings {
            grace: Duration::from_secs(args.grace.into()),
            request_timeout: Duration::from_secs(args.request_timeout.into()),
            connections_per_address: args.connections_per_address as usize,
        },
    };
    let (end, ends) = std::sync::mpsc::channel();
    let note = "ending: rooms are saved; a second signal (Ctrl-C) ends at once";
    on_first_signal(note, move || {
        // The channel may be closed during shutdown.
        let _ = end.send(());
    })
    .context("cannot handle Ctrl-C")?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(std::thread::available_parallelism().map_or(2, usize::from).clamp(2, 8))
        .thread_name("server")
        .enable_all()
        .build()
        .context("cannot start the server's threads")?;
    let running = runtime.block_on(start(config)).map_err(|error| match error {
        error @ (StartError::NoToken(_) | StartError::EmptyToken | StartError::Token) => {
            super::usage(error)
        }
        error => error.into(),
    })?;
    let mut out = crate::output::stdout();
    writeln!(out, "Sandboard is running at {}", link(running.address, &token))?;
    out.flush()?;
    drop(out);
    // An error means that the handler is gone, and so the server ends.
    let _ = ends.recv();
    stop(runtime, running);
    Ok(())
}

/// Where the server's token comes from.
enum Token {
    /// The operator has chosen it, and knows it.
    Chosen(String),
    /// Drawn for this run.
    Drawn(String),
    /// There is none.
    None,
}

impl Token {
    fn text(&self) -> Option<&str> {
        match self {
            Token::Chosen(text) | Token::Drawn(text) => Some(text),
            Token::None => None,
        }
    }
}

/// Returns the token of the arguments or the environment; without one, draws it.
fn token(args: &Args) -> Result<Token> {
    if args.no_token {
        return Ok(Token::None);
    }
    let of_environment = || Some(std::env::var_os(TOKEN)?.to_string_lossy().into_owned());
    if let Some(token) = args.token.clone().or_else(of_environment) {
        return Ok(Token::Chosen(token));
    }
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).context("the system has no random numbers for a token")?;
    Ok(Token::Drawn(sandboard_common::hex::hex(&bytes)))
}

/// Returns the link of the first page. A drawn token is in its fragment, which browsers send to no
/// server; the page logs in with it.
fn link(address: SocketAddr, token: &Token) -> String {
    // An address such as 0.0.0.0 means all addresses of this machine.
    let host = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
        IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::V6(Ipv6Addr::LOCALHOST),
        ip => ip,
    };
    let page = format!("http://{}/", SocketAddr::new(host, address.port()));
    match token {
        Token::Drawn(token) => format!("{page}#token={token}"),
        Token::Chosen(_) | Token::None => page,
    }
}

/// Stops the server. Ends the process if that takes too long, for example because a thread of the
/// runtime hangs in the file system.
fn stop(runtime: tokio::runtime::Runtime, running: RunningServer) {
    let (done, is_done) = std::sync::mpsc::channel::<()>();
    std::thread::spawn(move || {
        if is_done.recv_timeout(STOP_TIMEOUT) == Err(RecvTimeoutError::Timeout) {
            error_line!("the server did not stop within {} s", STOP_TIMEOUT.as_secs());
            std::process::exit(1);
        }
    });
    runtime.block_on(running.stop());
    // Threads of rooms may be waiting for people; the store already has their state.
    runtime.shutdown_background();
    drop(done);
}

/// Provides the engines of the folder to the server, one call at a time.
struct CliEngineProvider {
    folder: PathBuf,
    engines: Mutex<Engines>,
    /// The arguments for other processes with the same engines.
    arguments: EngineArgs,
}

impl CliEngineProvider {
    fn engines(&self) -> MutexGuard<'_, Engines> {
        self.engines.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn unusable(error: anyhow::Error) -> Problem {
    Problem::new(ProblemKind::UnusableEngine, format!("{error:#}"))
}

/// The engine of a seat, as on the command line.
fn spec(seat: &EngineSeat) -> ApiResult<EngineSpec> {
    let mut options = Vec::with_capacity(seat.options.len());
    for (name, value) in &seat.options {
        let wrong = || {
            Problem::bad_request(format!("options.{name}"), "a value must be a text or a number")
        };
        options.push((name.clone(), text_of(value).ok_or_else(wrong)?));
    }
    let threads = seat.threads.unwrap_or(1);
    if !(1..=threads::THREADS_MAX).contains(&threads) {
        let detail = format!("an engine has 1 to {} threads", threads::THREADS_MAX);
        return Err(Problem::bad_request("threads", detail));
    }
    // Option files are on the operator's machine: a client must not name any.
    Ok(EngineSpec { id: seat.id.clone(), options, options_file: None, threads, name: None })
}

impl EngineProvider for CliEngineProvider {
    fn folder(&self) -> &Path {
        &self.folder
    }

    fn rescan(&self) -> ApiResult<()> {
        self.engines().rescan().map_err(unusable)
    }

    fn catalog(&self) -> Catalog {
        self.engines().catalog.clone()
    }

    fn load_player(
        &self,
        seat: &EngineSeat,
        unit: Unit,
        start: &StartPosition,
    ) -> ApiResult<EnginePlayer> {
        let spec = spec(seat)?;
        let game = (start.game, &start.variant);
        self.engines().player(&spec, unit, game).map_err(unusable)
    }

    fn load_recorded(&self, record: &EngineRecord, unit: Unit) -> ApiResult<Arc<dyn EngineSource>> {
        let loaded = self.engines().for_record(record, unit).map_err(unusable)?;
        Ok(loaded.source)
    }

    fn is_trusted(&self, sha256: &str) -> bool {
        let store = self.engines().loader().trust();
        // An unreadable store trusts nothing; loading a native engine reports the error.
        store.and_then(|store| store.read()).is_ok_and(|grants| grants.get(sha256).is_some())
    }

    fn trust(&self, id: &str) -> ApiResult<()> {
        let engines = self.engines();
        let unknown = |error| Problem::new(ProblemKind::NotFound, format!("{error:#}"));
        let entry = engines.find(id).map_err(unknown)?;
        if !entry.needs_trust() {
            return Err(Problem::new(
                ProblemKind::Conflict,
                "the engine runs in the sandbox and needs no trust",
            ));
        }
        let failed = |error| Problem::new(ProblemKind::Internal, error);
        let store = engines.loader().trust().map_err(failed)?;
        let grant = Grant::new(&entry.sha256, &entry.id, &entry.version, GrantSource::User);
        store.change(|grants| grants.add(grant)).map(drop).map_err(failed)
    }

    fn describe(&self, entry: &Entry) -> ApiResult<Description> {
        let loaded = self.engines().load(entry, Unit::Wall).map_err(unusable)?;
        Ok(loaded.description)
    }

    fn check_budget(&self, budget: &sandboard_engine::Budget) -> ApiResult<()> {
        check_budget(budget).map_err(|error| Problem::unprocessable("budget", error))
    }
}
