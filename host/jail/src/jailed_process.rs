//! The host's handle of a jailed process: it can kill the process, wait for it and learn how it
//! ended. It starts no process.

use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::process::Signal;

use super::memory_cgroups::MemoryCgroup;
use super::messages::{self, ChildStatus, InitReport, Packet, WaitStatus};
use super::process_watch::Excess;
use super::restrictions::has_ended;
use super::{Channel, CpuClock, ExitCause, ExitReport};
use sandboard_common::text::clean_text;

/// How long init may take to report the end of its process, in seconds.
const EXIT_TIMEOUT_S: i64 = 5;
/// The longest line of the output after cleaning, in bytes.
const OUTPUT_LINE_BYTES_MAX: usize = 64 << 10;

/// Receives the next message about a process. None: the socket is closed. Err: no message arrived
/// in time, or it is malformed.
pub(crate) fn receive_status(
    status: &OwnedFd,
    seconds: i64,
) -> Result<Option<Packet<ChildStatus>>, String> {
    match wait_readable(status, Some(&Timespec { tv_sec: seconds, tv_nsec: 0 })) {
        true => messages::receive(status).map_err(|error| error.to_string()),
        false => Err(format!("no message from it within {seconds} s")),
    }
}

/// The host's handle of a jailed process. Dropping it kills the process.
#[derive(Debug)]
pub struct JailedProcess {
    /// The channel of the calls and answers.
    pub channel: Channel,
    /// The channel of stop requests, which are read while a call is in progress.
    pub stop_channel: Channel,
    pub(crate) status: OwnedFd,
    pub(crate) clock: CpuClock,
    pub(crate) kill_handle: KillHandle,
    /// Removed when this handle is dropped.
    pub(crate) cgroup: Option<MemoryCgroup>,
}

impl JailedProcess {
    /// A handle that can kill the process.
    pub fn kill_handle(&self) -> KillHandle {
        self.kill_handle.clone()
    }

    /// The CPU clock of the whole process. After its end, use [`ExitReport`]: the clock is then
    /// invalid, or that of another process.
    pub fn cpu_clock(&self) -> CpuClock {
        self.clock
    }

    /// Waits for the process to end by itself, at most this long. Use it when the channel is
    /// closed: the process has ended or is about to, and killing it would hide the cause.
    pub fn exits_within(&self, timeout: Duration) -> bool {
        let timeout = Timespec::try_from(timeout).ok();
        wait_readable(&self.kill_handle.0.process, timeout.as_ref())
    }

    /// Kills the process unless it has ended, waits until all its processes are gone, and reports
    /// how it ended.
    pub fn kill_and_wait(self) -> ExitReport {
        let end = self.kill_and_report();
        wait_readable(&self.kill_handle.0.init, None);
        end
    }

    /// Like [`kill_and_wait`](Self::kill_and_wait), but does not wait for init. Init may exist for
    /// another millisecond, until its namespaces are gone.
    pub fn kill_and_report(&self) -> ExitReport {
        self.kill_handle.kill();
        let ended = loop {
            match receive_status(&self.status, EXIT_TIMEOUT_S) {
                Ok(Some(Packet { message: ChildStatus::Ended(ended), .. })) => break Some(ended),
                Ok(Some(_)) => (),
                Ok(None) | Err(_) => break None,
            }
        };
        if ended.is_none() {
            self.kill_handle.0.kill_init();
            wait_readable(&self.kill_handle.0.init, None);
        }
        let by_host = self.kill_handle.0.by_host.load(Ordering::Acquire);
        let report = exit_report(ended, by_host);
        let by_watch = || self.kill_handle.0.excess.get();
        let by_kernel = || self.cgroup.as_ref().and_then(MemoryCgroup::excess);
        let excess = match report.cause {
            ExitCause::Signal { by_host: true, .. } => by_watch().or_else(by_kernel),
            ExitCause::Signal { number: libc::SIGKILL, .. } => by_kernel(),
            // The kernel may also have chosen init, which shares the cgroup.
            ExitCause::Unknown => by_kernel(),
            _ => None,
        };
        match excess {
            Some((held_bytes, limit_bytes)) => {
                ExitReport { cause: ExitCause::Memory { held_bytes, limit_bytes }, ..report }
            }
            None => report,
        }
    }
}

impl Drop for JailedProcess {
    fn drop(&mut self) {
        self.kill_handle.kill();
        self.kill_handle.0.kill_init();
    }
}

/// Waits until the descriptor is readable; a pidfd is when its process has ended. None: waits
/// without a limit.
fn wait_readable(descriptor: &OwnedFd, timeout: Option<&Timespec>) -> bool {
    let mut polled = [PollFd::new(descriptor, PollFlags::IN)];
    loop {
        match rustix::event::poll(&mut polled, timeout) {
            Err(rustix::io::Errno::INTR) => (),
            ready => return ready.is_ok_and(|count| count > 0),
        }
    }
}

fn exit_report(ended: Option<InitReport>, by_host: bool) -> ExitReport {
    let Some(ended) = ended else {
        return ExitReport {
            cause: ExitCause::Unknown,
            output: String::new(),
            output_bytes: 0,
            cpu_us: 0,
            peak_memory_bytes: 0,
        };
    };
    let cause = match ended.cause {
        WaitStatus::Exited(code) => ExitCause::Exited(code),
        WaitStatus::Signal(number) => {
            ExitCause::Signal { number, by_host: by_host && number == libc::SIGKILL }
        }
    };
    let lines: Vec<String> =
        ended.output.lines().map(|line| clean_text(line, OUTPUT_LINE_BYTES_MAX)).collect();
    ExitReport {
        cause,
        output: lines.join("\n"),
        output_bytes: ended.output_bytes,
        cpu_us: ended.cpu_us,
        peak_memory_bytes: ended.peak_memory_bytes,
    }
}

/// Kills a jailed process, from any thread and any number of times.
#[derive(Clone, Debug)]
pub struct KillHandle(pub(crate) Arc<KillTarget>);

#[derive(Debug)]
pub(crate) struct KillTarget {
    pub(crate) process: OwnedFd,
    pub(crate) init: OwnedFd,
    /// Whether the process was alive when the host killed it.
    pub(crate) by_host: AtomicBool,
    /// What the watch of its memory found.
    pub(crate) excess: Excess,
}

impl KillHandle {
    /// Whether the process has ended.
    pub(crate) fn has_ended(&self) -> bool {
        has_ended(&self.0.process).unwrap_or(false)
    }

    /// Kills the process at once. Its init reports the end.
    pub fn kill(&self) {
        if has_ended(&self.0.process).unwrap_or(false) {
            return;
        }
        self.0.by_host.store(true, Ordering::Release);
        if rustix::process::pidfd_send_signal(&self.0.process, Signal::KILL).is_err() {
            self.0.kill_init();
        }
    }
}

impl KillTarget {
    /// Kills init, and with it all remaining processes of the jail.
    fn kill_init(&self) {
        let _ = rustix::process::pidfd_send_signal(&self.init, Signal::KILL);
    }
}
