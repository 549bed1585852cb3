//! `sandboard serve`: starts the web server. Makes its configuration from the arguments, and
//! provides it with engines.

use std::io::Write;
use std::net::{IpAddr, Ipv4Addr};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result};
use sandboard_abi::{Description, Unit};

use super::arena::default_folder;
use super::engines::{EngineArgs, Engines, check_budget};
use super::seat::EngineSpec;
use super::threads;
use sandboard_arena::database::LocationArgument;
use sandboard_bout::driver::EnginePlayer;
use sandboard_bout::record::EngineRecord;
use sandboard_bout::start::StartPosition;
use sandboard_common::files::data_folder;
use sandboard_engine::EngineSource;
use sandboard_packs::catalog::{Catalog, Entry};
use sandboard_packs::trust::{Grant, GrantSource};
use sandboard_server::{
    ApiResult, Config, DatabaseLocation, EngineProvider, EngineSeat, Problem, ProblemKind,
    Settings, StartError, start, text_of,
};

/// The default file of the store, in the user's data folder.
const STORE: &str = "server.db";
/// The environment variable with the token, which does not appear in lists of processes.
const TOKEN: &str = "SANDBOARD_TOKEN";

const EXAMPLES: &str = "\
Without --address only this machine can connect. On another address, the server requires a token
from everyone, except people with an invitation link to a seat. If it can be reached from the
internet, put it behind a proxy with TLS (docs/server.md). Rooms and finished bouts are stored in
one file, or in a PostgreSQL database. Rooms continue after a restart of the server.

Examples:
  sandboard serve
  sandboard serve --port 0                       # a free port
  SANDBOARD_TOKEN=$(openssl rand -hex 16) sandboard serve --address 0.0.0.0
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
    /// The token that people need to connect; required with --address [default: $SANDBOARD_TOKEN]
    #[arg(long, value_name = "TOKEN")]
    token: Option<String>,
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
    /// How long the clock of a disconnected player stays stopped, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 30)]
    grace: u32,
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
    let folder = engines.dir.clone();
    let config = Config {
        address: args.address,
        port: args.port,
        token: args.token.clone().or_else(|| std::env::var(TOKEN).ok()).filter(|it| !it.is_empty()),
        store: Some(store),
        // Without a user's data folder there are no arenas to show.
        arenas: args.arenas.clone().or_else(|| default_folder().ok()),
        contests: args.contests.clone(),
        engine_provider: Arc::new(CliEngineProvider { folder, engines: Mutex::new(engines) }),
        settings: Settings { grace: Duration::from_secs(args.grace.into()) },
    };
    let (end, ends) = std::sync::mpsc::channel();
    ctrlc::set_handler(move || {
        // The channel may be closed if a second signal arrives during shutdown.
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
        error @ (StartError::NoToken(_) | StartError::Token) => super::usage(error),
        error => error.into(),
    })?;
    let mut out = std::io::stdout().lock();
    writeln!(out, "Sandboard is running at http://{}/", running.address)?;
    out.flush()?;
    drop(out);
    // An error means that the handler is gone, and so the server ends.
    let _ = ends.recv();
    runtime.block_on(running.stop());
    // Threads of rooms may be waiting for people; the store already has their state.
    runtime.shutdown_background();
    Ok(())
}

/// Provides the engines of the folder to the server, one call at a time.
struct CliEngineProvider {
    folder: PathBuf,
    engines: Mutex<Engines>,
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
    Ok(EngineSpec { id: seat.id.clone(), options, options_file: None, threads })
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
        check_budget(budget).map_err(|error| Problem::bad_request("budget", error))
    }
}
