//! The host's side: the handle of the zygote and of each jailed process. It starts no process
//! except the zygote, and confines none.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};
use rustix::process::Signal;

use super::messages::{
    self, ChildStatus, FILES_MAX, InitReport, Packet, WaitStatus, ZygoteReply, ZygoteRequest,
};
use super::process_watch::{Excess, ProcessWatch};
use super::restrictions::{has_ended, watched_bytes_max};
use super::{Channel, CpuClock, ExitCause, ExitReport, JailError, Layer, Layers, SpawnRequest};
use sandboard_common::text::clean_text;

/// How long a process may take to confine itself, in seconds.
const SETUP_TIMEOUT_S: i64 = 20;
/// How long init may take to report the end of its process, in seconds.
const EXIT_TIMEOUT_S: i64 = 5;
/// The longest line of the output after cleaning, in bytes.
const OUTPUT_LINE_BYTES_MAX: usize = 64 << 10;

/// The handle of a zygote. Dropping it ends the zygote and all its processes.
#[derive(Debug)]
pub struct Jail {
    program: PathBuf,
    without: Vec<Layer>,
    layers: Layers,
    zygote: Mutex<JailSupervisor>,
    watch: ProcessWatch,
}

impl Jail {
    /// Starts `program zygote` and reads which layers this machine offers.
    pub fn start(program: &Path) -> Result<Self, JailError> {
        Self::start_without(program, &[])
    }

    /// Like [`start`](Self::start), with some layers disabled: for tests of the remaining layers.
    pub fn start_without(program: &Path, without: &[Layer]) -> Result<Self, JailError> {
        let (supervisor, layers) = JailSupervisor::start(program, without)?;
        Ok(Self {
            program: program.to_owned(),
            without: without.to_vec(),
            layers,
            zygote: Mutex::new(supervisor),
            watch: ProcessWatch::default(),
        })
    }

    /// The layers that confine its processes.
    pub fn layers(&self) -> &Layers {
        &self.layers
    }

    /// The process id of the zygote.
    pub fn zygote_pid(&self) -> u32 {
        self.zygote.lock().unwrap_or_else(PoisonError::into_inner).child.id()
    }

    /// Makes and confines a process, which then runs the code of its role.
    pub fn spawn(&self, request: SpawnRequest) -> Result<JailedProcess, JailError> {
        self.spawn_process(request, false)
    }

    /// Makes a process that tries the actions that it reads from its channel, see
    /// [`probe`](super::probe).
    pub fn spawn_probe(&self, request: SpawnRequest) -> Result<JailedProcess, JailError> {
        self.spawn_process(request, true)
    }

    fn spawn_process(
        &self,
        request: SpawnRequest,
        probe: bool,
    ) -> Result<JailedProcess, JailError> {
        if request.files.len() > FILES_MAX {
            return Err(JailError::TooManyFiles(request.files.len(), FILES_MAX));
        }
        let SpawnRequest { role, memory_bytes, cpu_s, file_bytes, files, program } = request;
        let sizes = files.iter().map(|file| file.metadata().map_or(0, |it| it.len()));
        let watched_bytes_max = watched_bytes_max(role, memory_bytes, sizes.sum());
        let request = ZygoteRequest { role, memory_bytes, cpu_s, file_bytes, probe, program };
        let socket_error =
            |error: rustix::io::Errno| JailError::Refused(format!("sockets: {error}"));
        let pair = |kind| socketpair(AddressFamily::UNIX, kind, SocketFlags::CLOEXEC, None);
        let (channel, child_channel) = pair(SocketType::STREAM).map_err(socket_error)?;
        let (stop_channel, child_stop_channel) = pair(SocketType::STREAM).map_err(socket_error)?;
        let (status, child_status) = pair(SocketType::SEQPACKET).map_err(socket_error)?;
        // The process itself reports that it has started, and the kernel adds its process id.
        rustix::net::sockopt::set_socket_passcred(&status, true).map_err(socket_error)?;
        let own = [child_channel.as_fd(), child_stop_channel.as_fd(), child_status.as_fd()];
        let descriptors: Vec<_> = own.into_iter().chain(files.iter().map(AsFd::as_fd)).collect();

        let init = {
            let mut supervisor = self.zygote.lock().unwrap_or_else(PoisonError::into_inner);
            match supervisor.request_process(&request, &descriptors) {
                Err(JailError::Zygote(_)) => {
                    *supervisor = self.restart_zygote()?;
                    supervisor.request_process(&request, &descriptors)?
                }
                result => result?,
            }
        };
        drop((child_channel, child_stop_channel, child_status, files));
        let (pid, pidfd) = wait_until_jailed(&status, &init)?;
        let clock = CpuClock::of_process(pid)
            .ok_or_else(|| JailError::Refused("it has no clock of CPU time".to_owned()))?;
        let process = JailedProcess {
            channel: Channel::from(channel),
            stop_channel: Channel::from(stop_channel),
            status,
            clock,
            kill_handle: KillHandle(Arc::new(KillTarget {
                process: pidfd,
                init,
                by_host: AtomicBool::new(false),
                excess: Excess::default(),
            })),
        };
        if let Some(limit) = watched_bytes_max {
            let watched = self.watch.add(pid, limit, &process.kill_handle);
            watched.map_err(|error| JailError::Refused(error.to_string()))?;
        }
        Ok(process)
    }

    /// Starts a zygote in place of one that has ended. It must offer the same layers.
    fn restart_zygote(&self) -> Result<JailSupervisor, JailError> {
        let (supervisor, layers) = JailSupervisor::start(&self.program, &self.without)?;
        match layers == self.layers {
            true => Ok(supervisor),
            false => Err(JailError::Zygote(format!(
                "it ended, and its replacement has other layers: {}",
                layers.words().join(", ")
            ))),
        }
    }
}

/// The running zygote: kills it when dropped.
#[derive(Debug)]
struct JailSupervisor {
    child: Child,
    control: OwnedFd,
}

impl JailSupervisor {
    fn start(program: &Path, without: &[Layer]) -> Result<(Self, Layers), JailError> {
        let start = |cause: io::Error| JailError::Start { program: program.to_owned(), cause };
        let flags = SocketFlags::CLOEXEC;
        let (control, zygote_end) =
            socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, flags, None)
                .map_err(|error| start(error.into()))?;
        let mut command = Command::new(program);
        command.arg("zygote").args(messages::without_arguments(without)).env_clear();
        command.stdin(Stdio::from(zygote_end)).stdout(Stdio::null());
        let child = command.spawn().map_err(start)?;
        // The command still has the zygote's end of the socket, which only the zygote may hold.
        drop(command);
        let supervisor = Self { child, control };
        match messages::receive(&supervisor.control).map(|packet| packet.map(|it| it.message)) {
            Ok(Some(ZygoteReply::Ready(states))) => Ok((supervisor, Layers::new(states))),
            Ok(Some(ZygoteReply::Unavailable(reason))) => Err(JailError::Unsupported(reason)),
            Ok(Some(_)) => Err(start(io::Error::other("it sent an unexpected message"))),
            Ok(None) => Err(start(io::Error::other("it ended before it was ready"))),
            Err(error) => Err(start(error)),
        }
    }

    /// Requests a process. Ok: the pidfd of its init. Err: `Zygote`, if this zygote can serve no
    /// other request either.
    fn request_process(
        &self,
        request: &ZygoteRequest,
        descriptors: &[std::os::fd::BorrowedFd],
    ) -> Result<OwnedFd, JailError> {
        let failed = |error: io::Error, is_recoverable: fn(&io::Error) -> bool| match error {
            error if is_recoverable(&error) => {
                JailError::Refused(format!("requesting it: {error}"))
            }
            error => JailError::Zygote(error.to_string()),
        };
        messages::send(&self.control, request, descriptors)
            .map_err(|error| failed(error, messages::is_peer_open))?;
        let packet: Option<Packet<ZygoteReply>> = messages::receive(&self.control)
            .map_err(|error| failed(error, messages::is_malformed))?;
        let packet = packet.ok_or_else(|| JailError::Zygote("it has ended".to_owned()))?;
        match packet.message {
            ZygoteReply::Refused(reason) => Err(JailError::Refused(reason)),
            ZygoteReply::Forked => packet.descriptors.into_iter().next().ok_or_else(|| {
                JailError::Refused("this process has no free descriptor".to_owned())
            }),
            _ => Err(JailError::Zygote("it sent an unexpected message".to_owned())),
        }
    }
}

impl Drop for JailSupervisor {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Waits until the process has started and is confined. Ok: its process id and its pidfd.
fn wait_until_jailed(status: &OwnedFd, init: &OwnedFd) -> Result<(u32, OwnedFd), JailError> {
    let receive = || {
        let mut started = None;
        loop {
            let Some(packet) = receive_status(status, SETUP_TIMEOUT_S)? else {
                return Err("it ended before it was jailed".to_owned());
            };
            match packet.message {
                ChildStatus::Started => {
                    started = packet.pid.zip(packet.descriptors.into_iter().next())
                }
                ChildStatus::Jailed => {
                    return started.ok_or_else(|| "its process id is unknown".to_owned());
                }
                ChildStatus::Failed(reason) => return Err(reason),
                ChildStatus::Ended(_) => (),
            }
        }
    };
    receive().map_err(|reason| {
        let _ = rustix::process::pidfd_send_signal(init, Signal::KILL);
        JailError::Refused(reason)
    })
}

/// Receives the next message about a process. None: the socket is closed. Err: no message arrived
/// in time, or it is malformed.
fn receive_status(status: &OwnedFd, seconds: i64) -> Result<Option<Packet<ChildStatus>>, String> {
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
    status: OwnedFd,
    clock: CpuClock,
    kill_handle: KillHandle,
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
        let excess = self.kill_handle.0.excess.get();
        match (&report.cause, excess) {
            (ExitCause::Signal { by_host: true, .. }, Some((held_bytes, limit_bytes))) => {
                ExitReport { cause: ExitCause::Memory { held_bytes, limit_bytes }, ..report }
            }
            _ => report,
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
    process: OwnedFd,
    init: OwnedFd,
    /// Whether the process was alive when the host killed it.
    by_host: AtomicBool,
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
