//! A PostgreSQL server for tests: the installed programs with a folder of its own, reachable only
//! by a socket in that folder. The server ends with the process that started it, even if that
//! process is killed. Other PostgreSQL servers on the machine are never used.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::{Mutex, OnceLock, PoisonError};

use anyhow::{Context, Result, bail, ensure};

use crate::command::{find_program_in, search_path};

/// The folder in which Debian has a subfolder for each version.
const DEBIAN_FOLDER: &str = "/usr/lib/postgresql";
/// The system user that runs the server for root: the server refuses to run as root.
const UNPRIVILEGED_USER: &str = "nobody";
/// The superuser of the server, which needs no password.
pub const USER: &str = "sandboard";
/// A user that needs a password, [`PASSWORD`].
pub const PASSWORD_USER: &str = "guarded";
/// The password of [`PASSWORD_USER`].
pub const PASSWORD: &str = "open-sesame";

/// The text of `pg_hba.conf`: logins only by the socket.
const HBA: &str = "local all guarded scram-sha-256\nlocal all all trust\n";

/// The shell script that supervises the server. It reads one command a line and answers each with a
/// line. At the end of its input, when the process that started it has ended, it stops the server
/// and removes its folder. `$1` is the folder; the other arguments are the server's command line.
const SUPERVISOR: &str = r#"
dir=$1; shift
trap '' INT TERM HUP
start() {
  "$@" >"$dir/log" 2>&1 </dev/null &
  child=$!
  until grep -q 'ready to accept connections' "$dir/log" 2>/dev/null; do
    kill -0 "$child" 2>/dev/null || { echo failed; return; }
    sleep 0.02
  done
  echo started
}
stop() { kill -"$1" "$child" 2>/dev/null; wait "$child"; : >"$dir/log"; }
start "$@"
while read -r word; do
  case $word in
    kill) stop QUIT; echo killed ;;
    start) start "$@" ;;
  esac
done
stop QUIT
rm -rf -- "$dir"
"#;

/// The folder with the installed programs of a server, of the latest version if there are several.
pub fn find_programs() -> Option<PathBuf> {
    let versions = std::fs::read_dir(DEBIAN_FOLDER).into_iter().flatten().flatten();
    let mut versions: Vec<(u32, PathBuf)> = versions
        .filter_map(|entry| Some((entry.file_name().to_str()?.parse().ok()?, entry.path())))
        .map(|(version, folder)| (version, folder.join("bin")))
        .collect();
    versions.sort();
    let debian = versions.into_iter().rev().map(|(_, folder)| folder);
    let mut folders = debian.chain(search_path());
    folders.find(|folder| find_program_in(std::slice::from_ref(folder), "initdb").is_some())
}

/// A running server; it ends when this value is dropped.
pub struct Server {
    programs: PathBuf,
    dir: PathBuf,
    supervisor: Child,
    answers: BufReader<ChildStdout>,
    databases: u32,
}

impl Server {
    /// Creates and starts a server in a new folder. An error says what to install.
    pub fn start() -> Result<Self> {
        let programs = find_programs().with_context(|| {
            format!(
                "PostgreSQL is not installed in {DEBIAN_FOLDER}; `cargo xtask setup` installs it"
            )
        })?;
        let dir = new_folder()?;
        let started = Self::start_in(&programs, &dir);
        if started.is_err() {
            // The error that is returned matters more than one of this cleanup.
            let _ = std::fs::remove_dir_all(&dir);
        }
        let mut server = started?;
        server.expect_answer("started")?;
        let role = format!("CREATE ROLE {PASSWORD_USER} LOGIN PASSWORD '{PASSWORD}'");
        server.run_sql("postgres", &role)?;
        Ok(server)
    }

    fn start_in(programs: &Path, dir: &Path) -> Result<Self> {
        let data = dir.join("data");
        let mut initdb = unprivileged(&programs.join("initdb"));
        initdb.args(["--no-sync", "--no-instructions", "--encoding=UTF8", "--locale=C"]);
        initdb.args(["--username", USER, "--auth=trust", "--pgdata"]).arg(&data).current_dir(dir);
        let output = initdb.output().context("cannot run initdb")?;
        ensure!(output.status.success(), "initdb: {}", String::from_utf8_lossy(&output.stderr));
        std::fs::write(data.join("pg_hba.conf"), HBA)?;
        let postgres = unprivileged(&programs.join("postgres"));
        let mut supervisor = Command::new("sh");
        supervisor.args(["-c", SUPERVISOR, "sh"]).arg(dir).arg(postgres.get_program());
        supervisor.args(postgres.get_args()).arg("-D").arg(&data).arg("-k").arg(dir);
        for setting in ["listen_addresses=", "fsync=off", "max_connections=200"] {
            supervisor.args(["-c", setting]);
        }
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut supervisor, 0);
        supervisor.stdin(Stdio::piped()).stdout(Stdio::piped()).current_dir(dir);
        let mut supervisor = supervisor.spawn().context("cannot run sh")?;
        let stdout = supervisor.stdout.take().context("the supervisor has no standard output")?;
        let (programs, dir) = (programs.to_owned(), dir.to_owned());
        Ok(Self { programs, dir, supervisor, answers: BufReader::new(stdout), databases: 0 })
    }

    /// Creates an empty database; returns its URL.
    pub fn create_database(&mut self) -> Result<String> {
        self.databases += 1;
        let name = format!("test_{}", self.databases);
        crate::command::run(self.client("createdb").args(["--template=template0", &name]))?;
        Ok(self.url(USER, &name))
    }

    /// Runs a statement in a database, as the superuser.
    pub fn run_sql(&self, database: &str, statement: &str) -> Result<()> {
        crate::command::run(self.client("psql").args(["--quiet", "--command", statement, database]))
    }

    /// The URL of a database for a user: `NAME` or `NAME:PASSWORD`.
    pub fn url(&self, user: &str, database: &str) -> String {
        let dir = self.dir.to_string_lossy().replace('%', "%25").replace('/', "%2F");
        format!("postgres://{user}@{dir}/{database}")
    }

    /// Kills the server, as in a crash: clients are not notified.
    pub fn kill(&mut self) -> Result<()> {
        self.send("kill", "killed")
    }

    /// Starts it again, after [`Self::kill`].
    pub fn restart(&mut self) -> Result<()> {
        self.send("start", "started")
    }

    /// Sends a command to the supervisor and waits for its answer.
    fn send(&mut self, command: &str, expected: &str) -> Result<()> {
        let stdin = self.supervisor.stdin.as_mut();
        writeln!(stdin.context("the supervisor has no standard input")?, "{command}")?;
        self.expect_answer(expected)
    }

    fn expect_answer(&mut self, expected: &str) -> Result<()> {
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        if line.trim() != expected {
            let log = std::fs::read_to_string(self.dir.join("log")).unwrap_or_default();
            bail!("the PostgreSQL server was not {expected}: {log}");
        }
        Ok(())
    }

    /// A command that runs one of the client programs as the superuser.
    fn client(&self, name: &str) -> Command {
        let mut command = Command::new(self.programs.join(name));
        command.arg("--host").arg(&self.dir).args(["--username", USER]);
        command
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.supervisor.stdin.take());
        // An error cannot be reported any more.
        let _ = self.supervisor.wait();
    }
}

/// Creates an empty database on the one server of this process; returns its URL. The first call
/// starts the server.
pub fn create_database() -> Result<String> {
    static SERVER: OnceLock<Result<Mutex<Server>, String>> = OnceLock::new();
    let server = SERVER
        .get_or_init(|| Server::start().map(Mutex::new).map_err(|error| format!("{error:#}")));
    match server {
        Ok(server) => server.lock().unwrap_or_else(PoisonError::into_inner).create_database(),
        Err(error) => bail!("{error}"),
    }
}

/// Creates a folder for the user that runs the server.
fn new_folder() -> Result<PathBuf> {
    static NUMBER: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    // Short, because the path of a socket is limited to about 100 bytes.
    let dir = std::env::temp_dir().join(format!("sandboard-pg-{}-{number}", std::process::id()));
    std::fs::create_dir(&dir).with_context(|| format!("cannot make {}", dir.display()))?;
    // Everyone who can open the socket may log in.
    #[cfg(unix)]
    std::fs::set_permissions(&dir, std::os::unix::fs::PermissionsExt::from_mode(0o700))?;
    if is_root() {
        crate::command::run(Command::new("chown").arg(UNPRIVILEGED_USER).arg(&dir))?;
    }
    Ok(dir)
}

fn unprivileged(program: &Path) -> Command {
    if !is_root() {
        return Command::new(program);
    }
    let mut command = Command::new("setpriv");
    command
        .args(["--reuid", UNPRIVILEGED_USER, "--regid", "nogroup", "--clear-groups"])
        .arg(program);
    command
}

fn is_root() -> bool {
    crate::command::stdout_of(Command::new("id").arg("-u")).is_some_and(|id| id.trim() == "0")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The result of a query by the program `psql`; none if it failed.
    fn query(server: &Server, query: &str) -> Option<String> {
        let mut psql = server.client("psql");
        crate::command::stdout_of(psql.args([
            "--tuples-only",
            "--no-align",
            "--command",
            query,
            "test_1",
        ]))
    }

    #[test]
    fn a_server_can_be_killed_and_restarted_and_ends_when_dropped() {
        let mut server = Server::start().unwrap();
        assert!(server.create_database().unwrap().ends_with("/test_1"));
        assert!(query(&server, "CREATE TABLE a AS SELECT 5 AS b").is_some());
        server.kill().unwrap();
        assert_eq!(query(&server, "SELECT b FROM a"), None);
        server.restart().unwrap();
        assert_eq!(query(&server, "SELECT b FROM a").as_deref(), Some("5\n"));
        let dir = server.dir.clone();
        drop(server);
        assert!(!dir.exists());
    }
}
