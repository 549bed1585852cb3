//! The host's side: the handle of a zygote, and of each inmate. Makes no process but the
//! zygote, and confines none.

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

use super::confine::has_ended;
use super::wire::{self, Ended, FromZygote, MAX_FILES, Over, Packet, Request, Status};
use super::{Channel, CpuClock, Death, End, JailError, Layer, Layers, Order};
use crate::engine::clean_text;

/// A process that does not confine itself in this time is given up.
const SETUP_S: i64 = 20;
/// After its end an init has as long to tell.
const FAREWELL_S: i64 = 5;
/// No line of the output is longer, once it is clean.
const OUTPUT_TEXT_BYTES: usize = 64 << 10;

/// The handle of a zygote; dropped, it ends with all its inmates.
#[derive(Debug)]
pub struct Jail {
    program: PathBuf,
    without: Vec<Layer>,
    layers: Layers,
    zygote: Mutex<Keeper>,
}

impl Jail {
    /// Starts `program zygote` and hears what this machine gives.
    pub fn start(program: &Path) -> Result<Self, JailError> {
        Self::start_without(program, &[])
    }

    /// As [`start`](Self::start), as if the machine did not give these: for tests of what is left.
    pub fn start_without(program: &Path, without: &[Layer]) -> Result<Self, JailError> {
        let (keeper, layers) = Keeper::start(program, without)?;
        Ok(Self {
            program: program.to_owned(),
            without: without.to_vec(),
            layers,
            zygote: Mutex::new(keeper),
        })
    }

    /// What holds its inmates.
    pub fn layers(&self) -> &Layers {
        &self.layers
    }

    /// The zygote's number, for those who look at processes.
    pub fn zygote_pid(&self) -> u32 {
        self.zygote.lock().unwrap_or_else(PoisonError::into_inner).child.id()
    }

    /// Makes a process and jails it; it serves from then on.
    pub fn spawn(&self, order: Order) -> Result<Inmate, JailError> {
        self.make(order, false)
    }

    /// A process that tries what it is told on its channel: see [`probe`](super::probe).
    pub fn spawn_probe(&self, order: Order) -> Result<Inmate, JailError> {
        self.make(order, true)
    }

    fn make(&self, order: Order, probe: bool) -> Result<Inmate, JailError> {
        if order.files.len() > MAX_FILES {
            return Err(JailError::TooManyFiles(order.files.len(), MAX_FILES));
        }
        let Order { role, memory_bytes, cpu_s, file_bytes, files, program } = order;
        let request = Request { role, memory_bytes, cpu_s, file_bytes, probe, program };
        let refused = |error: rustix::io::Errno| JailError::Refused(format!("sockets: {error}"));
        let pair = |kind| socketpair(AddressFamily::UNIX, kind, SocketFlags::CLOEXEC, None);
        let (channel, its_channel) = pair(SocketType::STREAM).map_err(refused)?;
        let (stops, its_stops) = pair(SocketType::STREAM).map_err(refused)?;
        let (status, its_status) = pair(SocketType::SEQPACKET).map_err(refused)?;
        // Who is born says so himself, and the system who that is.
        rustix::net::sockopt::set_socket_passcred(&status, true).map_err(refused)?;
        let own = [its_channel.as_fd(), its_stops.as_fd(), its_status.as_fd()];
        let along: Vec<_> = own.into_iter().chain(files.iter().map(AsFd::as_fd)).collect();

        let init = {
            let mut keeper = self.zygote.lock().unwrap_or_else(PoisonError::into_inner);
            match keeper.ask(&request, &along) {
                Err(JailError::Zygote(_)) => {
                    *keeper = self.another()?;
                    keeper.ask(&request, &along)?
                }
                asked => asked?,
            }
        };
        drop((its_channel, its_stops, its_status, files));
        let (pid, pidfd) = await_birth(&status, &init)?;
        let clock = CpuClock::of_process(pid)
            .ok_or_else(|| JailError::Refused("it has no clock of CPU time".to_owned()))?;
        Ok(Inmate {
            channel: Channel::from(channel),
            stops: Channel::from(stops),
            status,
            clock,
            killer: Killer(Arc::new(Target { inmate: pidfd, init, ours: AtomicBool::new(false) })),
        })
    }

    /// Instead of a zygote that has died. It must hold its inmates as well.
    fn another(&self) -> Result<Keeper, JailError> {
        let (keeper, layers) = Keeper::start(&self.program, &self.without)?;
        match layers == self.layers {
            true => Ok(keeper),
            false => Err(JailError::Zygote(format!(
                "it died, and the one started instead has other layers: {}",
                layers.words().join(", ")
            ))),
        }
    }
}

/// A zygote that runs.
#[derive(Debug)]
struct Keeper {
    child: Child,
    control: OwnedFd,
}

impl Keeper {
    fn start(program: &Path, without: &[Layer]) -> Result<(Self, Layers), JailError> {
        let start = |cause: io::Error| JailError::Start { program: program.to_owned(), cause };
        let flags = SocketFlags::CLOEXEC;
        let (control, its) = socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, flags, None)
            .map_err(|error| start(error.into()))?;
        let mut command = Command::new(program);
        command.arg("zygote").args(wire::without_arguments(without)).env_clear();
        command.stdin(Stdio::from(its)).stdout(Stdio::null());
        let child = command.spawn().map_err(start)?;
        // It holds this end, too, which the zygote must be the last to close.
        drop(command);
        let keeper = Self { child, control };
        match wire::receive(&keeper.control).map(|packet| packet.map(|it| it.message)) {
            Ok(Some(FromZygote::Ready(states))) => Ok((keeper, Layers::new(states))),
            Ok(Some(FromZygote::Hopeless(reason))) => Err(JailError::NoJail(reason)),
            Ok(Some(_)) => Err(start(io::Error::other("it speaks another language"))),
            Ok(None) => Err(start(io::Error::other("it ended before it was ready"))),
            Err(error) => Err(start(error)),
        }
    }

    /// Ok: the pidfd of an init. Err: `Zygote`, if no other request can be made of it either.
    fn ask(
        &self,
        request: &Request,
        along: &[std::os::fd::BorrowedFd],
    ) -> Result<OwnedFd, JailError> {
        let failed = |error: io::Error, of_this_alone: fn(&io::Error) -> bool| match error {
            error if of_this_alone(&error) => JailError::Refused(format!("ordering it: {error}")),
            error => JailError::Zygote(error.to_string()),
        };
        wire::send(&self.control, request, along)
            .map_err(|error| failed(error, wire::can_send_others))?;
        let packet: Option<Packet<FromZygote>> = wire::receive(&self.control)
            .map_err(|error| failed(error, wire::can_receive_others))?;
        let packet = packet.ok_or_else(|| JailError::Zygote("it has died".to_owned()))?;
        match packet.message {
            FromZygote::Refused(reason) => Err(JailError::Refused(reason)),
            FromZygote::Forked => packet.descriptors.into_iter().next().ok_or_else(|| {
                JailError::Refused("no descriptor is left to this process".to_owned())
            }),
            _ => Err(JailError::Zygote("it speaks another language".to_owned())),
        }
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Hears that it is born and that it is jailed. Ok: its number and its pidfd.
fn await_birth(status: &OwnedFd, init: &OwnedFd) -> Result<(u32, OwnedFd), JailError> {
    let heard = || {
        let mut born = None;
        loop {
            let Some(packet) = hear(status, SETUP_S)? else {
                return Err("it ended before it was jailed".to_owned());
            };
            match packet.message {
                Status::Born => born = packet.pid.zip(packet.descriptors.into_iter().next()),
                Status::Jailed => return born.ok_or_else(|| "nobody knows who it is".to_owned()),
                Status::Failed(reason) => return Err(reason),
                Status::Ended(_) => (),
            }
        }
    };
    heard().map_err(|reason| {
        let _ = rustix::process::pidfd_send_signal(init, Signal::KILL);
        JailError::Refused(reason)
    })
}

/// The next packet of an inmate. None: there will be none. Err: nothing comes.
fn hear(status: &OwnedFd, seconds: i64) -> Result<Option<Packet<Status>>, String> {
    match poll_once(status, Some(&Timespec { tv_sec: seconds, tv_nsec: 0 })) {
        true => wire::receive(status).map_err(|error| error.to_string()),
        false => Err(format!("nothing came of it in {seconds} s")),
    }
}

/// A jailed process, seen from its host. Dropped, it is killed.
#[derive(Debug)]
pub struct Inmate {
    /// The protocol.
    pub channel: Channel,
    /// Words that overtake the protocol.
    pub stops: Channel,
    status: OwnedFd,
    clock: CpuClock,
    killer: Killer,
}

impl Inmate {
    /// What kills it.
    pub fn killer(&self) -> Killer {
        self.killer.clone()
    }

    /// The CPU time of all of it. Once it has ended, [`End`] says how much it was, and the
    /// clock nothing, or that of another process.
    pub fn cpu_clock(&self) -> CpuClock {
        self.clock
    }

    /// Waits as long at most for it to end by itself. It has where its channel is closed, or is
    /// about to: to kill it then would hide how it ended.
    pub fn has_ended_within(&self, patience: Duration) -> bool {
        let most = Timespec::try_from(patience).ok();
        poll_once(&self.killer.0.inmate, most.as_ref())
    }

    /// Kills it unless it has ended, waits until every process of it is gone, and says how it ended.
    pub fn end(self) -> End {
        let end = self.fate();
        poll_once(&self.killer.0.init, None);
        end
    }

    /// The same, but its init, which has told this and has nothing more to do, may still be
    /// there for a millisecond: its namespaces go with it.
    pub fn fate(&self) -> End {
        self.killer.kill();
        let ended = loop {
            match hear(&self.status, FAREWELL_S) {
                Ok(Some(Packet { message: Status::Ended(ended), .. })) => break Some(ended),
                Ok(Some(_)) => (),
                Ok(None) | Err(_) => break None,
            }
        };
        if ended.is_none() {
            self.killer.0.kill_init();
            poll_once(&self.killer.0.init, None);
        }
        let ours = self.killer.0.ours.load(Ordering::Acquire);
        end_of(ended, ours)
    }
}

impl Drop for Inmate {
    fn drop(&mut self) {
        self.killer.kill();
        self.killer.0.kill_init();
    }
}

/// Waits until something comes, or the process of the pidfd has ended. No limit: for ever.
fn poll_once(descriptor: &OwnedFd, most: Option<&Timespec>) -> bool {
    let mut polled = [PollFd::new(descriptor, PollFlags::IN)];
    loop {
        match rustix::event::poll(&mut polled, most) {
            Err(rustix::io::Errno::INTR) => (),
            ready => return ready.is_ok_and(|count| count > 0),
        }
    }
}

fn end_of(ended: Option<Ended>, ours: bool) -> End {
    let Some(ended) = ended else {
        return End {
            how: Death::Unknown,
            output: String::new(),
            output_bytes: 0,
            cpu_us: 0,
            peak_memory_bytes: 0,
        };
    };
    let how = match ended.how {
        Over::Exited(code) => Death::Exited(code),
        Over::Signal(number) => Death::Signal { number, ours: ours && number == libc::SIGKILL },
    };
    let lines: Vec<String> =
        ended.output.lines().map(|line| clean_text(line, OUTPUT_TEXT_BYTES)).collect();
    End {
        how,
        output: lines.join("\n"),
        output_bytes: ended.output_bytes,
        cpu_us: ended.cpu_us,
        peak_memory_bytes: ended.peak_memory_bytes,
    }
}

/// Kills an inmate, from any thread, once or often.
#[derive(Clone, Debug)]
pub struct Killer(Arc<Target>);

#[derive(Debug)]
struct Target {
    inmate: OwnedFd,
    init: OwnedFd,
    /// Whether it lived when it was killed from here.
    ours: AtomicBool,
}

impl Killer {
    /// At once; its init tells its end.
    pub fn kill(&self) {
        if has_ended(&self.0.inmate).unwrap_or(false) {
            return;
        }
        self.0.ours.store(true, Ordering::Release);
        if rustix::process::pidfd_send_signal(&self.0.inmate, Signal::KILL).is_err() {
            self.0.kill_init();
        }
    }
}

impl Target {
    /// With it ends whatever is left.
    fn kill_init(&self) {
        let _ = rustix::process::pidfd_send_signal(&self.init, Signal::KILL);
    }
}
