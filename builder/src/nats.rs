//! A NATS server with JetStream for tests: the installed program with a folder and a local port of
//! its own. The server ends with the process that started it, even if that process is killed. Other
//! NATS servers on the machine are never used.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::command::{find_program_in, search_path};

/// The name of the only user.
pub const USER: &str = "sandboard";
/// The password of [`USER`].
pub const PASSWORD: &str = "open-sesame";

/// The shell script that supervises the server. It reads one command a line and answers each with a
/// line. At the end of its input, when the process that started it has ended, it stops the server
/// and removes its folder. `$1` is the folder; the other arguments are the server's command line.
const SUPERVISOR: &str = r#"
dir=$1; shift
trap '' INT TERM HUP
start() {
  "$@" >"$dir/log" 2>&1 </dev/null &
  child=$!
  until grep -q 'Server is ready' "$dir/log" 2>/dev/null; do
    kill -0 "$child" 2>/dev/null || { echo failed; return; }
    sleep 0.02
  done
  echo started
}
stop() { kill -KILL "$child" 2>/dev/null; wait "$child" 2>/dev/null; }
start "$@"
while read -r word; do
  case $word in
    kill) stop; : >"$dir/log"; echo killed ;;
    delete-store) rm -rf -- "$dir/store"; echo deleted ;;
    start) start "$@" ;;
  esac
done
stop
rm -rf -- "$dir"
"#;

/// The path of the installed server program.
pub fn find_program() -> Option<PathBuf> {
    let mut folders = search_path();
    // Debian installs it there, which is not on every path.
    folders.push("/usr/sbin".into());
    find_program_in(&folders, "nats-server")
}

/// A running server; it ends when this value is dropped.
pub struct Broker {
    port: u16,
    dir: PathBuf,
    supervisor: Child,
    answers: BufReader<ChildStdout>,
}

impl Broker {
    /// Starts a server in a new folder. An error says what to install.
    pub fn start() -> Result<Self> {
        let program = find_program()
            .context("nats-server is not installed; `cargo xtask setup` installs it")?;
        let dir = new_folder()?;
        // If another process takes the port first, the start fails and another port is tried.
        for _ in 0..4 {
            let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
            let mut broker = Self::start_on(&program, &dir, port)?;
            if broker.read_answer()? == "started" {
                return Ok(broker);
            }
        }
        bail!("nats-server does not start: {}", log(&dir))
    }

    fn start_on(program: &PathBuf, dir: &PathBuf, port: u16) -> Result<Self> {
        std::fs::create_dir_all(dir)?;
        let config = format!(
            "host: 127.0.0.1\nport: {port}\nauthorization {{ user: {USER}, password: {PASSWORD} }}\n\
             jetstream {{ store_dir: \"{}\", max_mem: 64MB, max_file: 1GB }}\n",
            dir.join("store").display()
        );
        std::fs::write(dir.join("conf"), config)?;
        let mut supervisor = Command::new("sh");
        supervisor.args(["-c", SUPERVISOR, "sh"]).arg(dir).arg(program);
        supervisor.arg("-c").arg(dir.join("conf"));
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut supervisor, 0);
        supervisor.stdin(Stdio::piped()).stdout(Stdio::piped()).current_dir(dir);
        let mut supervisor = supervisor.spawn().context("cannot run sh")?;
        let stdout = supervisor.stdout.take().context("the supervisor has no standard output")?;
        Ok(Self { port, dir: dir.clone(), supervisor, answers: BufReader::new(stdout) })
    }

    /// The URL with a login, `NAME:PASSWORD`.
    pub fn url_for(&self, login: &str) -> String {
        format!("nats://{login}@127.0.0.1:{}", self.port)
    }

    /// The URL with the login of [`USER`].
    pub fn url(&self) -> String {
        self.url_for(&format!("{USER}:{PASSWORD}"))
    }

    /// Kills the server, as in a crash: clients are not notified.
    pub fn kill(&mut self) -> Result<()> {
        self.send("kill", "killed")
    }

    /// Deletes everything that it stored, while it does not run.
    pub fn delete_store(&mut self) -> Result<()> {
        self.send("delete-store", "deleted")
    }

    /// Starts it again on the same port, after [`Self::kill`].
    pub fn restart(&mut self) -> Result<()> {
        self.send("start", "started")
    }

    /// Sends a command to the supervisor and waits for its answer.
    fn send(&mut self, command: &str, expected: &str) -> Result<()> {
        let stdin = self.supervisor.stdin.as_mut();
        writeln!(stdin.context("the supervisor has no standard input")?, "{command}")?;
        if self.read_answer()? != expected {
            bail!("nats-server was not {expected}: {}", log(&self.dir));
        }
        Ok(())
    }

    fn read_answer(&mut self) -> Result<String> {
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        Ok(line.trim().to_owned())
    }
}

impl Drop for Broker {
    fn drop(&mut self) {
        drop(self.supervisor.stdin.take());
        // An error cannot be reported any more.
        let _ = self.supervisor.wait();
    }
}

fn log(dir: &std::path::Path) -> String {
    std::fs::read_to_string(dir.join("log")).unwrap_or_default()
}

/// Creates a folder that only this user may read.
fn new_folder() -> Result<PathBuf> {
    static NUMBER: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let dir = std::env::temp_dir().join(format!("sandboard-nats-{}-{number}", std::process::id()));
    std::fs::create_dir(&dir).with_context(|| format!("cannot make {}", dir.display()))?;
    #[cfg(unix)]
    std::fs::set_permissions(&dir, std::os::unix::fs::PermissionsExt::from_mode(0o700))?;
    Ok(dir)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broker_can_be_killed_and_restarted_and_ends_when_dropped() {
        let mut broker = Broker::start().unwrap();
        let connect = |broker: &Broker| std::net::TcpStream::connect(("127.0.0.1", broker.port));
        assert!(connect(&broker).is_ok());
        broker.kill().unwrap();
        assert!(connect(&broker).is_err());
        assert!(broker.dir.join("store").exists());
        broker.delete_store().unwrap();
        assert!(!broker.dir.join("store").exists());
        broker.restart().unwrap();
        assert!(connect(&broker).is_ok());
        let dir = broker.dir.clone();
        drop(broker);
        assert!(!dir.exists());
    }
}
