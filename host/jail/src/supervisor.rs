//! The host's side: the handle of the zygote, which makes the jailed processes. It starts no
//! process except the zygote, and confines none.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};
use rustix::process::Signal;

use super::jailed_process::{JailedProcess, KillHandle, KillTarget, receive_status};
use super::memory_cgroups::{self, MemoryCgroup, MemoryCgroups};
use super::messages::{self, ChildStatus, FILES_MAX, Packet, ZygoteReply, ZygoteRequest};
use super::process_watch::{Excess, ProcessWatch};
use super::restrictions::watched_bytes_max;
use super::{Channel, CpuClock, JailError, Layer, LayerState, Layers, Role, SpawnRequest};

/// How long a process may take to confine itself, in seconds.
const SETUP_TIMEOUT_S: i64 = 20;

/// The handle of a zygote. Dropping it ends the zygote and all its processes.
#[derive(Debug)]
pub struct Jail {
    program: PathBuf,
    without: Vec<Layer>,
    layers: Layers,
    zygote: Mutex<JailSupervisor>,
    watch: ProcessWatch,
    /// The address space of a process before it does anything, in bytes.
    baseline_address_bytes: u64,
    /// None: [`Layer::MemoryCgroup`] is missing.
    cgroups: Option<MemoryCgroups>,
}

impl Jail {
    /// Starts `program zygote` and reads which layers this machine offers.
    pub fn start(program: &Path) -> Result<Self, JailError> {
        Self::start_without(program, &[])
    }

    /// Like [`start`](Self::start), with some layers disabled: for tests of the remaining layers.
    pub fn start_without(program: &Path, without: &[Layer]) -> Result<Self, JailError> {
        let (supervisor, layers) = JailSupervisor::start(program, without)?;
        let mut jail = Self {
            program: program.to_owned(),
            without: without.to_vec(),
            layers: layers.clone(),
            baseline_address_bytes: supervisor.baseline_address_bytes,
            zygote: Mutex::new(supervisor),
            watch: ProcessWatch::default(),
            cgroups: None,
        };
        let state = jail.enter_memory_cgroups();
        if state.is_err() {
            jail.cgroups = None;
        }
        jail.layers = layers.with(LayerState { layer: Layer::MemoryCgroup, state });
        Ok(jail)
    }

    /// Tests with one process whether its processes can have memory cgroups. Ok: the version. The
    /// host tests this, because the zygote cannot see the folders.
    fn enter_memory_cgroups(&mut self) -> Result<Option<String>, String> {
        if self.without.contains(&Layer::MemoryCgroup) {
            return Err("it is disabled".to_owned());
        }
        let cgroups = MemoryCgroups::find()?;
        let version = cgroups.version().to_owned();
        self.cgroups = Some(cgroups);
        let (cpu_s, files, program) = (None, Vec::new(), None);
        let request = SpawnRequest {
            role: Role::Wasm,
            memory_bytes: 0,
            cpu_s,
            file_bytes: 0,
            files,
            program,
        };
        match self.spawn_probe(request) {
            Ok(process) => process.kill_and_wait(),
            Err(JailError::Refused(reason)) => return Err(reason),
            Err(error) => return Err(error.to_string()),
        };
        Ok(Some(version))
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
        let files_bytes = sizes.sum();
        let watched_bytes_max = watched_bytes_max(role, memory_bytes, files_bytes);
        let mut request =
            ZygoteRequest { role, memory_bytes, cpu_s, file_bytes, probe, program, cgroup: None };
        let (cgroup, cgroup_descriptor) =
            self.make_cgroup(&mut request, files_bytes).map_err(JailError::Refused)?.unzip();
        let socket_error =
            |error: rustix::io::Errno| JailError::Refused(format!("sockets: {error}"));
        let pair = |kind| socketpair(AddressFamily::UNIX, kind, SocketFlags::CLOEXEC, None);
        let (channel, child_channel) = pair(SocketType::STREAM).map_err(socket_error)?;
        let (stop_channel, child_stop_channel) = pair(SocketType::STREAM).map_err(socket_error)?;
        let (status, child_status) = pair(SocketType::SEQPACKET).map_err(socket_error)?;
        // The process itself reports that it has started, and the kernel adds its process id.
        rustix::net::sockopt::set_socket_passcred(&status, true).map_err(socket_error)?;
        let own = [child_channel.as_fd(), child_stop_channel.as_fd(), child_status.as_fd()];
        let others = cgroup_descriptor.iter().map(AsFd::as_fd).chain(files.iter().map(AsFd::as_fd));
        let descriptors: Vec<_> = own.into_iter().chain(others).collect();

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
        drop((child_channel, child_stop_channel, child_status, cgroup_descriptor, files));
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
            cgroup,
        };
        if let Some(limit) = watched_bytes_max {
            let watched = self.watch.add(pid, limit, &process.kill_handle);
            watched.map_err(|error| JailError::Refused(error.to_string()))?;
        }
        Ok(process)
    }

    /// Makes the cgroup of a process, and adds it to its request. Ok: also the descriptor for the
    /// zygote. None: the layer is missing.
    fn make_cgroup(
        &self,
        request: &mut ZygoteRequest,
        files_bytes: u64,
    ) -> Result<Option<(MemoryCgroup, OwnedFd)>, String> {
        let Some(cgroups) = &self.cgroups else { return Ok(None) };
        let limit = memory_cgroups::limit_bytes(request, files_bytes, self.baseline_address_bytes);
        let cgroup = cgroups.make(limit)?;
        let (entry, descriptor) = cgroup.open_entry()?;
        request.cgroup = Some(entry);
        Ok(Some((cgroup, descriptor)))
    }

    /// Starts a zygote in place of one that has ended. It must offer the same layers.
    fn restart_zygote(&self) -> Result<JailSupervisor, JailError> {
        let (supervisor, layers) = JailSupervisor::start(&self.program, &self.without)?;
        // The last layer is the host's own.
        match self.layers.states().starts_with(layers.states()) {
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
    baseline_address_bytes: u64,
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
        let mut supervisor = Self { child, control, baseline_address_bytes: 0 };
        match messages::receive(&supervisor.control).map(|packet| packet.map(|it| it.message)) {
            Ok(Some(ZygoteReply::Ready { states, baseline_address_bytes })) => {
                supervisor.baseline_address_bytes = baseline_address_bytes;
                Ok((supervisor, Layers::new(states)))
            }
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
