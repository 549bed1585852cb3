//! The measured server: the real binary with an empty engines folder, a store of its own and a free
//! port, and its resource usage.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};

use sandboard_tests::binary;
use tempfile::TempDir;

use crate::processes::memory_bytes;

/// A running server, killed on drop.
pub(crate) struct Served {
    /// The address on which it listens.
    pub address: SocketAddr,
    process: Child,
    _folder: TempDir,
}

impl Served {
    /// Starts the server and waits for its address.
    pub(crate) fn start() -> Served {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let engines = folder.path().join("engines");
        std::fs::create_dir(&engines).expect("a folder can be made");
        let mut process = Command::new(binary())
            .args(["serve", "--no-token", "--port", "0", "--store"])
            .arg(folder.path().join("store.sqlite"))
            .arg("--engines-dir")
            .arg(engines)
            .env("SANDBOARD_HOME", folder.path().join("home"))
            .stdout(Stdio::piped())
            .spawn()
            .expect("the host runs");
        let words = process.stdout.take().expect("its output is piped");
        let lines = BufReader::new(words).lines().map_while(Result::ok);
        let address = lines.filter_map(|line| address_in(&line)).next();
        let address = address.expect("the server says where it listens");
        Served { address, process, _folder: folder }
    }

    /// Memory of its process in bytes.
    pub(crate) fn memory_bytes(&self) -> u64 {
        memory_bytes(self.process.id())
    }

    /// Number of its threads.
    pub(crate) fn threads(&self) -> usize {
        std::fs::read_dir(format!("/proc/{}/task", self.process.id())).map_or(0, Iterator::count)
    }

    /// CPU time since its start, in clock ticks.
    pub(crate) fn cpu_ticks(&self) -> u64 {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.process.id()));
        let stat = stat.unwrap_or_default();
        // The name, in brackets, may hold spaces; user and system time are the 12th and 13th after
        // it.
        let after = stat.rsplit(')').next().unwrap_or_default();
        after
            .split_whitespace()
            .skip(11)
            .take(2)
            .filter_map(|ticks| ticks.parse::<u64>().ok())
            .sum()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // The process may have exited already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn address_in(line: &str) -> Option<SocketAddr> {
    let (_, rest) = line.split_once("http://")?;
    rest.split('/').next()?.trim().parse().ok()
}
