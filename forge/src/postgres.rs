//! A server of PostgreSQL for tests: Debian's own programs, a folder of its own, no port but a socket in that folder. It
//! ends with whoever began it, however that ends. Never finds or touches a server that somebody else runs.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::{Mutex, OnceLock, PoisonError};

use anyhow::{Context, Result, bail, ensure};

use crate::run::{found_in, search_path};

/// Where Debian has one folder for each version.
const DEBIAN: &str = "/usr/lib/postgresql";
/// Who runs the server where this is root: it refuses to be root itself.
const NOBODY: &str = "nobody";
/// Its superuser, who needs no password.
pub const USER: &str = "sandboard";
/// A user who needs one: [`PASSWORD`].
pub const GUARDED: &str = "guarded";
/// The password of [`GUARDED`].
pub const PASSWORD: &str = "open-sesame";

/// Who may come in, and how: by the socket alone.
const HBA: &str = "local all guarded scram-sha-256\nlocal all all trust\n";

/// Does what it is told, line by line, and answers each with a line. When nobody is left to tell it anything, whoever
/// that was has ended: so does the server, and its folder goes. `$1` is the folder, what follows is the server.
const KEEPER: &str = r#"
dir=$1; shift
trap '' INT TERM HUP
begin() {
  "$@" >"$dir/log" 2>&1 </dev/null &
  child=$!
  until grep -q 'ready to accept connections' "$dir/log" 2>/dev/null; do
    kill -0 "$child" 2>/dev/null || { echo failed; return; }
    sleep 0.02
  done
  echo begun
}
halt() { kill -"$1" "$child" 2>/dev/null; wait "$child"; : >"$dir/log"; }
begin "$@"
while read -r word; do
  case $word in
    kill) halt QUIT; echo killed ;;
    begin) begin "$@" ;;
  esac
done
halt QUIT
rm -rf -- "$dir"
"#;

/// Where the programs of a server are, if they are here; of several versions the latest.
pub fn programs() -> Option<PathBuf> {
    let versions = std::fs::read_dir(DEBIAN).into_iter().flatten().flatten();
    let mut versions: Vec<(u32, PathBuf)> = versions
        .filter_map(|entry| Some((entry.file_name().to_str()?.parse().ok()?, entry.path())))
        .map(|(version, folder)| (version, folder.join("bin")))
        .collect();
    versions.sort();
    let debian = versions.into_iter().rev().map(|(_, folder)| folder);
    let mut folders = debian.chain(search_path());
    folders.find(|folder| found_in(std::slice::from_ref(folder), "initdb").is_some())
}

/// A server that runs for as long as this value.
pub struct Server {
    programs: PathBuf,
    dir: PathBuf,
    keeper: Child,
    answers: BufReader<ChildStdout>,
    databases: u32,
}

impl Server {
    /// Makes one in a new folder, and starts it. An error says what to install.
    pub fn start() -> Result<Self> {
        let programs = programs().with_context(|| {
            format!("there is no PostgreSQL in {DEBIAN}: install it by `cargo xtask setup`")
        })?;
        let dir = folder()?;
        let made = Self::make(&programs, &dir);
        if made.is_err() {
            // What is in the way is said; what is left of it is of no use to anybody.
            let _ = std::fs::remove_dir_all(&dir);
        }
        let mut server = made?;
        server.heard("begun")?;
        let role = format!("CREATE ROLE {GUARDED} LOGIN PASSWORD '{PASSWORD}'");
        server.run_sql("postgres", &role)?;
        Ok(server)
    }

    fn make(programs: &Path, dir: &Path) -> Result<Self> {
        let data = dir.join("data");
        let mut initdb = unprivileged(&programs.join("initdb"));
        initdb.args(["--no-sync", "--no-instructions", "--encoding=UTF8", "--locale=C"]);
        initdb.args(["--username", USER, "--auth=trust", "--pgdata"]).arg(&data).current_dir(dir);
        let made = initdb.output().context("cannot run initdb")?;
        ensure!(made.status.success(), "initdb: {}", String::from_utf8_lossy(&made.stderr));
        std::fs::write(data.join("pg_hba.conf"), HBA)?;
        let postgres = unprivileged(&programs.join("postgres"));
        let mut keeper = Command::new("sh");
        keeper.args(["-c", KEEPER, "sh"]).arg(dir).arg(postgres.get_program());
        keeper.args(postgres.get_args()).arg("-D").arg(&data).arg("-k").arg(dir);
        for setting in ["listen_addresses=", "fsync=off", "max_connections=200"] {
            keeper.args(["-c", setting]);
        }
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut keeper, 0);
        keeper.stdin(Stdio::piped()).stdout(Stdio::piped()).current_dir(dir);
        let mut keeper = keeper.spawn().context("cannot run sh")?;
        let answers = keeper.stdout.take().context("sh says nothing")?;
        let (programs, dir) = (programs.to_owned(), dir.to_owned());
        Ok(Self { programs, dir, keeper, answers: BufReader::new(answers), databases: 0 })
    }

    /// The URL of a new database, which nobody else has.
    pub fn database(&mut self) -> Result<String> {
        self.databases += 1;
        let name = format!("test_{}", self.databases);
        crate::run::run(self.program("createdb").args(["--template=template0", &name]))?;
        Ok(self.url(USER, &name))
    }

    /// Runs a statement in a database, as the superuser.
    pub fn run_sql(&self, database: &str, statement: &str) -> Result<()> {
        crate::run::run(self.program("psql").args(["--quiet", "--command", statement, database]))
    }

    /// The URL of a database for a user: `NAME` or `NAME:PASSWORD`.
    pub fn url(&self, user: &str, database: &str) -> String {
        let dir = self.dir.to_string_lossy().replace('%', "%25").replace('/', "%2F");
        format!("postgres://{user}@{dir}/{database}")
    }

    /// Ends it as a crash would: nobody who is connected is asked.
    pub fn kill(&mut self) -> Result<()> {
        self.told("kill", "killed")
    }

    /// Starts it again.
    pub fn begin(&mut self) -> Result<()> {
        self.told("begin", "begun")
    }

    fn told(&mut self, word: &str, answer: &str) -> Result<()> {
        let keeper = self.keeper.stdin.as_mut().context("nobody keeps the server")?;
        writeln!(keeper, "{word}")?;
        self.heard(answer)
    }

    fn heard(&mut self, answer: &str) -> Result<()> {
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        if line.trim() != answer {
            let log = std::fs::read_to_string(self.dir.join("log")).unwrap_or_default();
            bail!("the server of PostgreSQL is not {answer}: {log}");
        }
        Ok(())
    }

    /// One of its clients, as its superuser.
    fn program(&self, name: &str) -> Command {
        let mut command = Command::new(self.programs.join(name));
        command.arg("--host").arg(&self.dir).args(["--username", USER]);
        command
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.keeper.stdin.take());
        // It is the last thing that is done here.
        let _ = self.keeper.wait();
    }
}

/// The URL of a new database on the one server of this process, which is started for the first who asks.
pub fn database() -> Result<String> {
    static SERVER: OnceLock<Result<Mutex<Server>, String>> = OnceLock::new();
    let server = SERVER
        .get_or_init(|| Server::start().map(Mutex::new).map_err(|error| format!("{error:#}")));
    match server {
        Ok(server) => server.lock().unwrap_or_else(PoisonError::into_inner).database(),
        Err(error) => bail!("{error}"),
    }
}

/// A new folder that whoever runs the server may use.
fn folder() -> Result<PathBuf> {
    static NUMBER: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    // The path of a socket is short: so is this one.
    let dir = std::env::temp_dir().join(format!("sandboard-pg-{}-{number}", std::process::id()));
    std::fs::create_dir(&dir).with_context(|| format!("cannot make {}", dir.display()))?;
    // Whoever reaches its socket is let in.
    #[cfg(unix)]
    std::fs::set_permissions(&dir, std::os::unix::fs::PermissionsExt::from_mode(0o700))?;
    if is_root() {
        crate::run::run(Command::new("chown").arg(NOBODY).arg(&dir))?;
    }
    Ok(dir)
}

fn unprivileged(program: &Path) -> Command {
    if !is_root() {
        return Command::new(program);
    }
    let mut command = Command::new("setpriv");
    command.args(["--reuid", NOBODY, "--regid", "nogroup", "--clear-groups"]).arg(program);
    command
}

fn is_root() -> bool {
    crate::run::output(Command::new("id").arg("-u")).is_some_and(|id| id.trim() == "0")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a query brings, of a server that is asked by its own client.
    fn asked(server: &Server, query: &str) -> Option<String> {
        let mut psql = server.program("psql");
        crate::run::output(psql.args(["--tuples-only", "--no-align", "--command", query, "test_1"]))
    }

    #[test]
    fn a_server_ends_with_who_began_it_and_is_killed_and_goes_on() {
        let mut server = Server::start().unwrap();
        assert!(server.database().unwrap().ends_with("/test_1"));
        assert!(asked(&server, "CREATE TABLE a AS SELECT 5 AS b").is_some());
        server.kill().unwrap();
        assert_eq!(asked(&server, "SELECT b FROM a"), None);
        server.begin().unwrap();
        assert_eq!(asked(&server, "SELECT b FROM a").as_deref(), Some("5\n"));
        let dir = server.dir.clone();
        drop(server);
        assert!(!dir.exists());
    }
}
