//! The process that makes the jailed ones: `sandboard zygote`. It has one thread for good,
//! so that what it forks is sound, and is small, so that forking is quick. It looks once at
//! what the system gives, and then does as its host says until the host is gone.

use std::io;
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd};
use std::process::ExitCode;

use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};
use rustix::process::{PidfdFlags, WaitId, WaitIdOptions};

use super::confine::{self, At, Fences, Ground, User};
use super::filter::Filters;
use super::init::{self, Birth, Means};
use super::wire::{self, FromZygote, OWN_DESCRIPTORS, Request, Status};
use super::{Layer, LayerState, Role, Zygote, probe, spaces};

const WITHOUT: &str = "it is to do without";

/// Runs as `sandboard zygote`: standard input is the host's.
pub fn zygote_main(zygote: &Zygote, without: &[Layer]) -> ExitCode {
    let control = match take_control() {
        Ok(control) => control,
        Err(error) => {
            eprintln!("error: `sandboard zygote` is for sandboard itself to start: {error}");
            return ExitCode::from(2);
        }
    };
    (zygote.prepare)();
    let (means, states) = match prepare(without) {
        Ok(ready) => ready,
        Err(reason) => {
            let _ = wire::send(&control, &FromZygote::Hopeless(reason), &[]);
            return ExitCode::FAILURE;
        }
    };
    if wire::send(&control, &FromZygote::Ready(states), &[]).is_err() {
        return ExitCode::FAILURE;
    }
    // SAFETY: nobody waits for children from here on, so that none stays as a zombie.
    unsafe { libc::signal(libc::SIGCHLD, libc::SIG_IGN) };
    obey(&control, &means, zygote)
}

/// The socket to the host, from its place at standard input; nothing else stays open.
fn take_control() -> io::Result<OwnedFd> {
    let stdin = io::stdin();
    if rustix::net::sockopt::socket_type(&stdin)? != SocketType::SEQPACKET {
        return Err(io::Error::other("standard input is another socket"));
    }
    let control = rustix::io::fcntl_dupfd_cloexec(&stdin, 3)?;
    confine::close_all_but(&[1, 2, control.as_raw_fd()]);
    let null = std::fs::OpenOptions::new().read(true).write(true).open("/dev/null")?;
    // It may have got a number of them itself, and then it stays.
    let null = std::os::fd::IntoRawFd::into_raw_fd(null);
    // SAFETY: it is open for as long as this process is.
    let null = unsafe { std::os::fd::BorrowedFd::borrow_raw(null) };
    confine::put_at(null, libc::STDIN_FILENO)?;
    confine::put_at(null, libc::STDOUT_FILENO)?;
    // What a terminal sends to all in front of it is for the host.
    let _ = rustix::process::setsid();
    Ok(control)
}

/// Finds out by trying what the system gives, and gets ready to use it.
fn prepare(without: &[Layer]) -> Result<(Means, Vec<LayerState>), String> {
    // When memory is short, inmates are to go before anybody else.
    let _ = std::fs::write("/proc/self/oom_score_adj", "800");
    let ground = Ground::measure();
    let own = rustix::process::pidfd_open(rustix::process::getpid(), PidfdFlags::empty())
        .at("a handle on itself (Linux 5.3)")?;
    let mut states = vec![
        LayerState { layer: Layer::Seccomp, state: Ok(None) },
        LayerState { layer: Layer::Rlimits, state: Ok(None) },
    ];
    states.extend(spaces::enter(without));
    let has = |layer| states.iter().any(|it| it.layer == layer && it.state.is_ok());
    let (in_user_namespace, own_mounts) = (has(Layer::UserNamespace), has(Layer::MountNamespace));
    let mut means = Means {
        zygote: own,
        zygote_pid: std::process::id(),
        user: User::Same,
        fences: None,
        filters: Filters::build()?,
        ground,
        in_user_namespace,
        own_mounts,
        own_processes: false,
    };
    let mut state = |layer, state| states.push(LayerState { layer, state });
    state(Layer::PidNamespace, find_processes(&mut means, without));
    state(Layer::OwnUid, find_user(&mut means, without)?);
    state(Layer::Landlock, find_fences(&mut means, without)?);
    states.sort_by_key(|it| it.layer);
    rehearse(&means)?;
    Ok((means, states))
}

/// Whether children may have a namespace of processes.
fn find_processes(means: &mut Means, without: &[Layer]) -> Result<Option<String>, String> {
    if without.contains(&Layer::PidNamespace) {
        return Err(WITHOUT.to_owned());
    }
    means.own_processes = true;
    // SAFETY: the child only ends.
    let forked = unsafe { fork(means, || ()) }.map_err(|error| error.to_string());
    let tried = forked.and_then(|child| await_end(&child));
    means.own_processes = tried.is_ok();
    tried.map(|()| None)
}

/// As whom inmates can run.
fn find_user(
    means: &mut Means,
    without: &[Layer],
) -> Result<Result<Option<String>, String>, String> {
    if without.contains(&Layer::OwnUid) {
        return Ok(Err(WITHOUT.to_owned()));
    }
    let zygote_pid = means.zygote_pid;
    let mut why = String::new();
    for user in [User::Own, User::Nobody] {
        match tried(means, || user.become_it(zygote_pid, 0).map_err(|error| error.to_string()))? {
            Ok(()) => {
                means.user = user;
                break;
            }
            Err(error) => why = error,
        }
    }
    Ok(confine::user_state(means.user, why).state)
}

/// Which landlock there is.
fn find_fences(
    means: &mut Means,
    without: &[Layer],
) -> Result<Result<Option<String>, String>, String> {
    if without.contains(&Layer::Landlock) {
        return Ok(Err(WITHOUT.to_owned()));
    }
    let fences = match Fences::build(means.own_mounts) {
        Ok(fences) => fences,
        Err(error) => return Ok(Err(error)),
    };
    let version = tried(means, || fences.enter(Role::Native))?;
    means.fences = version.is_ok().then_some(fences);
    Ok(version.map(Some))
}

/// What comes of it in a child, which then ends: what is given up does not come back.
fn tried<T: serde::Serialize + serde::de::DeserializeOwned>(
    means: &Means,
    attempt: impl FnOnce() -> Result<T, String>,
) -> Result<Result<T, String>, String> {
    let (here, there) = packets().at("making sockets")?;
    let tell = || {
        let _ = wire::send(&there, &attempt(), &[]);
    };
    // SAFETY: the child tells and ends.
    let child = unsafe { fork(means, tell) }.at("forking")?;
    drop(there);
    let told = wire::receive(&here).at("a trial")?;
    await_end(&child)?;
    told.map(|packet| packet.message).ok_or_else(|| "a trial ended without a word".to_owned())
}

fn packets() -> rustix::io::Result<(OwnedFd, OwnedFd)> {
    socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)
}

/// One inmate of each role from beginning to end, before anybody counts on it. None of them
/// is left when the host hears that all is ready.
fn rehearse(means: &Means) -> Result<(), String> {
    for role in [Role::Native, Role::Wasm] {
        let (here, status) = packets().at("making sockets")?;
        let (channel, stops) = packets().at("making sockets")?;
        let (memory_bytes, cpu_s, file_bytes, probe, program) = (0, None, 0, false, None);
        let request = Request { role, memory_bytes, cpu_s, file_bytes, probe, program };
        let serve = |_| 0;
        let birth = Birth { request, serial: 0, status, channel, stops, files: Vec::new(), serve };
        let init = deliver(means, birth).at("forking")?;
        loop {
            match wire::receive(&here).at("a rehearsal")?.map(|packet| packet.message) {
                Some(Status::Born) => (),
                Some(Status::Jailed) => break,
                Some(Status::Failed(reason)) => return Err(reason),
                Some(Status::Ended(_)) | None => {
                    return Err("a rehearsal ended before it began".to_owned());
                }
            }
        }
        await_end(&init)?;
    }
    Ok(())
}

/// Waits until a child, and with it its namespace of processes, is gone. Err: something
/// other than its own code ended it.
fn await_end(child: &OwnedFd) -> Result<(), String> {
    let ended = loop {
        match rustix::process::waitid(WaitId::PidFd(child.as_fd()), WaitIdOptions::EXITED) {
            Err(rustix::io::Errno::INTR) => (),
            ended => break ended.at("waiting for a rehearsal")?,
        }
    };
    match ended.and_then(|it| it.terminating_signal()) {
        None => Ok(()),
        Some(signal) => Err(format!("signal {signal} ended a rehearsal")),
    }
}

/// Until the host closes its end.
fn obey(control: &OwnedFd, means: &Means, zygote: &Zygote) -> ExitCode {
    for serial in 0.. {
        let packet = match wire::receive::<Request>(control) {
            Ok(Some(packet)) => packet,
            Ok(None) => return ExitCode::SUCCESS,
            // The inmates of others are not to pay for it.
            Err(error) if wire::can_receive_others(&error) => {
                let reason = format!("a request that cannot be read: {error}");
                match wire::send(control, &FromZygote::Refused(reason), &[]) {
                    Ok(()) => continue,
                    Err(_) => return ExitCode::FAILURE,
                }
            }
            Err(error) => {
                eprintln!("error: the jail does not understand its host: {error}");
                return ExitCode::FAILURE;
            }
        };
        let mut descriptors = packet.descriptors.into_iter();
        let own: Vec<OwnedFd> = descriptors.by_ref().take(OWN_DESCRIPTORS).collect();
        let request = packet.message;
        let answered = match <[OwnedFd; OWN_DESCRIPTORS]>::try_from(own) {
            Ok([channel, stops, status]) => {
                let serve = if request.probe { probe::serve } else { zygote.serve };
                let files = descriptors.collect();
                let birth = Birth { request, serial, status, channel, stops, files, serve };
                match deliver(means, birth) {
                    Ok(init) => wire::send(control, &FromZygote::Forked, &[init.as_fd()]),
                    Err(error) => {
                        let reason = format!("forking: {error}");
                        wire::send(control, &FromZygote::Refused(reason), &[])
                    }
                }
            }
            Err(_) => {
                let reason = "a request without its channels".to_owned();
                wire::send(control, &FromZygote::Refused(reason), &[])
            }
        };
        if answered.is_err() {
            return ExitCode::FAILURE;
        }
    }
    ExitCode::FAILURE
}

/// Forks an init. Ok: its pidfd.
fn deliver(means: &Means, birth: Birth) -> io::Result<OwnedFd> {
    let mut birth = Some(birth);
    // SAFETY: the child becomes an init, which never returns.
    unsafe {
        fork(means, || match birth.take() {
            Some(birth) => init::run(means, birth),
            None => leave(1),
        })
    }
}

/// Without what a program does at its end: that is for the zygote.
fn leave(code: i32) -> ! {
    // SAFETY: ends the process.
    unsafe { libc::_exit(code) }
}

/// Forks, into a namespace of processes where that is possible.
///
/// # Safety
///
/// This process has one thread. The C library does not know of the child: the child forks
/// once more before it runs what could ask for its thread's number.
unsafe fn fork(means: &Means, child: impl FnOnce()) -> io::Result<OwnedFd> {
    let spaces = if means.own_processes { libc::CLONE_NEWPID } else { 0 };
    let flags = libc::CLONE_PIDFD | spaces | libc::SIGCHLD;
    let mut pidfd: libc::c_int = -1;
    // SAFETY: without CLONE_VM the child goes on with a copy of this stack; `pidfd` is
    // there to be written.
    let pid = unsafe { libc::syscall(libc::SYS_clone, flags, 0, &raw mut pidfd, 0, 0) };
    match pid {
        -1 => Err(io::Error::last_os_error()),
        0 => {
            child();
            leave(0)
        }
        // SAFETY: the system has just made it, for nobody else.
        _ => Ok(unsafe { OwnedFd::from_raw_fd(pidfd) }),
    }
}
