//! Watches the memory that the kernel's limits of a jailed process do not count: page tables, and
//! pages that were written and then made read-only. Kills a process that holds more than its limit.
//! Starts one thread, while there is a process to watch.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use super::jailed_process::{KillHandle, KillTarget};

/// How often the memory is read.
const INTERVAL: Duration = Duration::from_millis(25);

/// The lines of `/proc/PID/status` that count: anonymous pages, pages of shared memory, pages in
/// swap, and page tables. Pages of files are in the system's cache, which shrinks as needed.
const COUNTED: [&str; 4] = ["RssAnon", "RssShmem", "VmSwap", "VmPTE"];

/// The memory of a process by its `/proc/PID/status`, in bytes. None: a line is missing, as it is
/// for a process that has ended.
fn held_bytes(status: &str) -> Option<u64> {
    let value = |name: &str| {
        let lines = status.lines();
        let rest = lines.filter_map(|line| line.strip_prefix(name)?.strip_prefix(':')).next()?;
        let kib: u64 = rest.trim().strip_suffix("kB")?.trim_end().parse().ok()?;
        Some(kib << 10)
    };
    COUNTED.into_iter().map(value).sum()
}

/// Reads the memory of a process, in bytes.
fn read_held_bytes(pid: u32) -> io::Result<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status"))?;
    held_bytes(&status).ok_or_else(|| io::Error::other("it does not say how much memory is held"))
}

/// What the watch found about a process.
#[derive(Debug, Default)]
pub(crate) struct Excess {
    /// What the process held, in bytes; 0: it never held too much.
    held_bytes: AtomicU64,
    limit_bytes: AtomicU64,
}

impl Excess {
    fn set(&self, held_bytes: u64, limit_bytes: u64) {
        self.limit_bytes.store(limit_bytes, Ordering::Release);
        self.held_bytes.store(held_bytes, Ordering::Release);
    }

    /// What the process held and its limit, in bytes. None: it never held too much.
    pub(crate) fn get(&self) -> Option<(u64, u64)> {
        let held = self.held_bytes.load(Ordering::Acquire);
        (held > 0).then(|| (held, self.limit_bytes.load(Ordering::Acquire)))
    }
}

/// A process whose memory is watched.
#[derive(Debug)]
struct WatchedProcess {
    pid: u32,
    limit_bytes: u64,
    /// Gone when no other owner can kill the process or waits for its end.
    target: Weak<KillTarget>,
}

impl WatchedProcess {
    /// Measures once. Whether to continue. Err: the memory of a live process cannot be read.
    fn check(&self) -> io::Result<bool> {
        let Some(target) = self.target.upgrade().map(KillHandle) else { return Ok(false) };
        let held = read_held_bytes(self.pid);
        // The id belongs to this process as long as it has not ended.
        if target.has_ended() {
            return Ok(false);
        }
        let held = held?;
        if held <= self.limit_bytes {
            return Ok(true);
        }
        target.0.excess.set(held, self.limit_bytes);
        target.kill();
        Ok(false)
    }
}

/// The processes that are watched, and whether there is a thread that does it.
#[derive(Debug, Default)]
struct WatchState {
    processes: Vec<WatchedProcess>,
    is_running: bool,
}

/// Watches the memory of processes. Clones share one thread.
#[derive(Clone, Debug, Default)]
pub(crate) struct ProcessWatch(Arc<Mutex<WatchState>>);

impl ProcessWatch {
    /// Watches a process until it ends. Err: its memory cannot be read, or there is no thread to do
    /// it.
    pub(crate) fn add(&self, pid: u32, limit_bytes: u64, process: &KillHandle) -> io::Result<()> {
        let process = WatchedProcess { pid, limit_bytes, target: Arc::downgrade(&process.0) };
        process.check().map_err(|error| {
            let reason = format!("its memory cannot be watched: /proc/{pid}/status: {error}");
            io::Error::new(error.kind(), reason)
        })?;
        let mut state = self.state();
        state.processes.push(process);
        if !state.is_running {
            let shared = self.clone();
            let thread = std::thread::Builder::new().name("process-watch".into());
            thread.spawn(move || shared.run())?;
            state.is_running = true;
        }
        Ok(())
    }

    fn state(&self) -> MutexGuard<'_, WatchState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run(&self) {
        loop {
            let mut state = self.state();
            // The memory of a process that is being killed may be unreadable for a moment.
            state.processes.retain(|process| process.check().unwrap_or(true));
            if state.processes.is_empty() {
                state.is_running = false;
                return;
            }
            drop(state);
            std::thread::sleep(INTERVAL);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_memory_of_a_process_is_read_from_its_status() {
        let check = |status: &str, expected: Option<u64>| {
            assert_eq!(held_bytes(status), expected, "{status}");
        };
        let lines = "Name:\tx\nVmRSS:\t  900 kB\nRssAnon:\t    1 kB\nRssFile:\t  800 kB\n\
                     RssShmem:\t      20 kB\nVmPTE:\t     300 kB\nVmSwap:\t    4000 kB\n";
        check(lines, Some(4321 << 10));
        check(&lines.replace("VmPTE", "VmXYZ"), None);
        check("Name:\tx\nState:\tZ (zombie)\n", None);
        assert!(read_held_bytes(std::process::id()).unwrap() > 0);
    }
}
