//! `sandboard serve`: the server for the browser. What is typed becomes its settings; engines are
//! found and loaded as they are for every other command.

use std::io::Write;
use std::net::{IpAddr, Ipv4Addr};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result};
use sandboard_abi::{Description, Unit};

use super::arena::usual_folder;
use super::engines::{EngineArgs, Engines, check_budget};
use super::seat::EngineSpec;
use super::threads;
use crate::bout::EnginePlayer;
use crate::catalog::{Catalog, Entry};
use crate::database::TypedPlace;
use crate::engine::EngineSource;
use crate::record::store::data_folder;
use crate::record::{EngineRecord, Start};
use crate::server::{
    Answer, Config, EngineSeat, Kind, Place, Problem, Settings, StartError, Supplier, start,
    text_of,
};
use crate::trust::{Grant, How};

/// The usual file of the store, in the user's data folder.
const STORE: &str = "server.db";
/// The variable that holds the token, for those who would not have it in a list of processes.
const TOKEN: &str = "SANDBOARD_TOKEN";

const EXAMPLES: &str = "\
Without --address nobody but this machine can come in. On another address the server wants a
token from everybody but those who were given the link of a seat; put a proxy with TLS before it
where it can be reached from the internet (docs/server.md). Rooms and finished bouts are kept in one
file, or in a database of PostgreSQL, and rooms go on when the server is started again.

Examples:
  sandboard serve
  sandboard serve --port 0                       # a free port
  SANDBOARD_TOKEN=$(openssl rand -hex 16) sandboard serve --address 0.0.0.0
  sandboard serve --store club.db --engines-dir ~/engines
  sandboard serve --store postgres://club@localhost/rooms
  sandboard serve --contests ~/contests          # `sandboard contest run` plays them";

/// Serve games in the browser: people, engines, spectators
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// The port to listen on; 0: a free one
    #[arg(long, default_value_t = 8000)]
    port: u16,
    /// The address to listen on
    #[arg(long, default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    address: IpAddr,
    /// What people must know to come in; needed with --address [default: $SANDBOARD_TOKEN]
    #[arg(long, value_name = "TOKEN")]
    token: Option<String>,
    /// What rooms and bouts are kept in: a file, or a database of PostgreSQL as `postgres://USER@HOST/DATABASE` (its
    /// password: in ~/.pgpass or $PGPASSWORD) [default: the file `server.db` in the user's data folder]
    #[arg(long, value_name = "FILE|URL")]
    store: Option<TypedPlace>,
    /// The folder whose arenas are shown [default: `arena` in the user's data folder]
    #[arg(long, value_name = "FOLDER")]
    arenas: Option<PathBuf>,
    /// The folder whose contests are shown, to everybody who can reach the address, and take entries from who has a
    /// token of theirs [default: none]
    #[arg(long, value_name = "FOLDER")]
    contests: Option<PathBuf>,
    /// How long somebody may be gone before its clock runs on, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 30)]
    grace: u32,
    #[command(flatten)]
    engines: EngineArgs,
}

pub fn run(args: &Args) -> Result<()> {
    let store = match &args.store {
        Some(typed) => typed.place().map_err(super::usage)?,
        None => {
            let folder = data_folder()?;
            let failed = || format!("cannot make {}", folder.display());
            std::fs::create_dir_all(&folder).with_context(failed)?;
            Place::File(folder.join(STORE))
        }
    };
    let engines = Engines::open(&args.engines)?;
    let folder = engines.dir.clone();
    let config = Config {
        address: args.address,
        port: args.port,
        token: args.token.clone().or_else(|| std::env::var(TOKEN).ok()).filter(|it| !it.is_empty()),
        store: Some(store),
        // Without a place for the user's data there are none.
        arenas: args.arenas.clone().or_else(|| usual_folder().ok()),
        contests: args.contests.clone(),
        supplier: Arc::new(Larder { folder, engines: Mutex::new(engines) }),
        settings: Settings { grace: Duration::from_secs(args.grace.into()) },
    };
    let (end, ends) = std::sync::mpsc::channel();
    ctrlc::set_handler(move || {
        // A second one comes when the first is being served.
        let _ = end.send(());
    })
    .context("Ctrl-C cannot be heard")?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(std::thread::available_parallelism().map_or(2, usize::from).clamp(2, 8))
        .thread_name("server")
        .enable_all()
        .build()
        .context("the server has no threads")?;
    let running = runtime.block_on(start(config)).map_err(|error| match error {
        error @ (StartError::NoToken(_) | StartError::Token) => super::usage(error),
        error => error.into(),
    })?;
    let mut out = std::io::stdout().lock();
    writeln!(out, "Sandboard is at http://{}/", running.address)?;
    out.flush()?;
    drop(out);
    // Nobody will say so if the handler is gone.
    let _ = ends.recv();
    runtime.block_on(running.end());
    // Rooms have threads that wait for people; the store has what they know.
    runtime.shutdown_background();
    Ok(())
}

/// The engines of the folder, one call at a time.
struct Larder {
    folder: PathBuf,
    engines: Mutex<Engines>,
}

impl Larder {
    fn engines(&self) -> MutexGuard<'_, Engines> {
        self.engines.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn unusable(error: anyhow::Error) -> Problem {
    Problem::new(Kind::UnusableEngine, format!("{error:#}"))
}

/// An engine as it is asked for on the command line, too.
fn spec(seat: &EngineSeat) -> Answer<EngineSpec> {
    let mut options = Vec::with_capacity(seat.options.len());
    for (name, value) in &seat.options {
        let wrong = || Problem::bad(format!("options.{name}"), "a value is a text or a number");
        options.push((name.clone(), text_of(value).ok_or_else(wrong)?));
    }
    let threads = seat.threads.unwrap_or(1);
    if !(1..=threads::MOST).contains(&threads) {
        let detail = format!("an engine has 1 to {} threads", threads::MOST);
        return Err(Problem::bad("threads", detail));
    }
    // Files are the operator's: whoever asks from outside names none.
    Ok(EngineSpec { id: seat.id.clone(), options, options_file: None, threads })
}

impl Supplier for Larder {
    fn folder(&self) -> &Path {
        &self.folder
    }

    fn look(&self) -> Answer<()> {
        self.engines().look().map_err(unusable)
    }

    fn catalog(&self) -> Catalog {
        self.engines().catalog.clone()
    }

    fn player(&self, seat: &EngineSeat, unit: Unit, start: &Start) -> Answer<EnginePlayer> {
        let spec = spec(seat)?;
        let game = (start.game, &start.variant);
        self.engines().player(&spec, unit, game).map_err(unusable)
    }

    fn source(&self, record: &EngineRecord, unit: Unit) -> Answer<Arc<dyn EngineSource>> {
        let loaded = self.engines().of_record(record, unit).map_err(unusable)?;
        Ok(loaded.source)
    }

    fn trusts(&self, sha256: &str) -> bool {
        let store = self.engines().loader().trust();
        // What cannot be read trusts nothing; the loader says so when an engine is wanted.
        store.and_then(|store| store.read()).is_ok_and(|grants| grants.of(sha256).is_some())
    }

    fn trust(&self, id: &str) -> Answer<()> {
        let engines = self.engines();
        let unknown = |error| Problem::new(Kind::NotFound, format!("{error:#}"));
        let entry = engines.find(id).map_err(unknown)?;
        if !entry.needs_trust() {
            return Err(Problem::new(Kind::Conflict, "it runs in the sandbox, and needs no trust"));
        }
        let failed = |error| Problem::new(Kind::Internal, error);
        let store = engines.loader().trust().map_err(failed)?;
        let grant = Grant::new(&entry.sha256, &entry.id, &entry.version, How::Person);
        store.change(|grants| grants.add(grant)).map(drop).map_err(failed)
    }

    fn describe(&self, entry: &Entry) -> Answer<Description> {
        let loaded = self.engines().load(entry, Unit::Wall).map_err(unusable)?;
        Ok(loaded.description)
    }

    fn check_budget(&self, budget: &crate::budget::Budget) -> Answer<()> {
        check_budget(budget).map_err(|error| Problem::bad("budget", error))
    }
}
