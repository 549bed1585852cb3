//! A broker of NATS with JetStream for tests: Debian's own program, a folder and a port of its own on this machine alone. It
//! ends with whoever began it, however that ends. Never finds or touches a broker that somebody else runs.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::run::{found_in, search_path};

/// The name that lets one in, and its password.
pub const USER: &str = "sandboard";
/// The password of [`USER`].
pub const PASSWORD: &str = "open-sesame";

/// Does what it is told, line by line, and answers each with a line. When nobody is left to tell it anything, whoever
/// that was has ended: so does the broker, and its folder goes. `$1` is the folder, what follows is the broker.
const KEEPER: &str = r#"
dir=$1; shift
trap '' INT TERM HUP
begin() {
  "$@" >"$dir/log" 2>&1 </dev/null &
  child=$!
  until grep -q 'Server is ready' "$dir/log" 2>/dev/null; do
    kill -0 "$child" 2>/dev/null || { echo failed; return; }
    sleep 0.02
  done
  echo begun
}
halt() { kill -KILL "$child" 2>/dev/null; wait "$child" 2>/dev/null; }
begin "$@"
while read -r word; do
  case $word in
    kill) halt; : >"$dir/log"; echo killed ;;
    empty) rm -rf -- "$dir/store"; echo emptied ;;
    begin) begin "$@" ;;
  esac
done
halt
rm -rf -- "$dir"
"#;

/// Where the broker's program is, if it is here.
pub fn program() -> Option<PathBuf> {
    let mut folders = search_path();
    // Debian's place for it, which is not in everybody's path.
    folders.push("/usr/sbin".into());
    found_in(&folders, "nats-server")
}

/// A broker that runs for as long as this value.
pub struct Broker {
    port: u16,
    dir: PathBuf,
    keeper: Child,
    answers: BufReader<ChildStdout>,
}

impl Broker {
    /// Starts one in a new folder. An error says what to install.
    pub fn start() -> Result<Self> {
        let program =
            program().context("there is no nats-server: install it by `cargo xtask setup`")?;
        let dir = folder()?;
        // Whoever takes the port in between makes the start fail, and another is tried.
        for _ in 0..4 {
            let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
            let mut broker = Self::on(&program, &dir, port)?;
            if broker.answer()? == "begun" {
                return Ok(broker);
            }
        }
        bail!("nats-server does not begin: {}", log(&dir))
    }

    fn on(program: &PathBuf, dir: &PathBuf, port: u16) -> Result<Self> {
        std::fs::create_dir_all(dir)?;
        let config = format!(
            "host: 127.0.0.1\nport: {port}\nauthorization {{ user: {USER}, password: {PASSWORD} }}\n\
             jetstream {{ store_dir: \"{}\", max_mem: 64MB, max_file: 1GB }}\n",
            dir.join("store").display()
        );
        std::fs::write(dir.join("conf"), config)?;
        let mut keeper = Command::new("sh");
        keeper.args(["-c", KEEPER, "sh"]).arg(dir).arg(program).arg("-c").arg(dir.join("conf"));
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut keeper, 0);
        keeper.stdin(Stdio::piped()).stdout(Stdio::piped()).current_dir(dir);
        let mut keeper = keeper.spawn().context("cannot run sh")?;
        let answers = BufReader::new(keeper.stdout.take().context("sh says nothing")?);
        Ok(Self { port, dir: dir.clone(), keeper, answers })
    }

    /// Its URL for a name and password, `NAME:PASSWORD`.
    pub fn url_for(&self, login: &str) -> String {
        format!("nats://{login}@127.0.0.1:{}", self.port)
    }

    /// Its URL for who is let in.
    pub fn url(&self) -> String {
        self.url_for(&format!("{USER}:{PASSWORD}"))
    }

    /// Ends it as a crash would: nobody who is connected is asked.
    pub fn kill(&mut self) -> Result<()> {
        self.told("kill", "killed")
    }

    /// Takes all that it kept, while it does not run.
    pub fn empty(&mut self) -> Result<()> {
        self.told("empty", "emptied")
    }

    /// Starts it again, on the same port.
    pub fn begin(&mut self) -> Result<()> {
        self.told("begin", "begun")
    }

    fn told(&mut self, word: &str, answer: &str) -> Result<()> {
        writeln!(self.keeper.stdin.as_mut().context("nobody keeps the broker")?, "{word}")?;
        let heard = self.answer()?;
        if heard != answer {
            bail!("the broker is not {answer}: {}", log(&self.dir));
        }
        Ok(())
    }

    fn answer(&mut self) -> Result<String> {
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        Ok(line.trim().to_owned())
    }
}

impl Drop for Broker {
    fn drop(&mut self) {
        drop(self.keeper.stdin.take());
        // It is the last thing that is done here.
        let _ = self.keeper.wait();
    }
}

fn log(dir: &std::path::Path) -> String {
    std::fs::read_to_string(dir.join("log")).unwrap_or_default()
}

/// A new folder that nobody else may read.
fn folder() -> Result<PathBuf> {
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
    fn a_broker_ends_with_who_began_it_and_is_killed_and_goes_on() {
        let mut broker = Broker::start().unwrap();
        let reach = |broker: &Broker| std::net::TcpStream::connect(("127.0.0.1", broker.port));
        assert!(reach(&broker).is_ok());
        broker.kill().unwrap();
        assert!(reach(&broker).is_err());
        assert!(broker.dir.join("store").exists());
        broker.empty().unwrap();
        assert!(!broker.dir.join("store").exists());
        broker.begin().unwrap();
        assert!(reach(&broker).is_ok());
        let dir = broker.dir.clone();
        drop(broker);
        assert!(!dir.exists());
    }
}
