//! The zygote, `sandboard zygote`: the process that forks the jailed processes. It never has a
//! second thread, so that its forks are sound, and it stays small, so that forking is fast. It
//! tests once which layers the system offers. Then it serves the requests of its host until the
//! host closes the socket.

use std::io;
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd};
use std::process::ExitCode;

use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};
use rustix::process::{PidfdFlags, WaitId, WaitIdOptions};

use super::init::{self, ChildSetup, ZygoteContext};
use super::messages::{self, CHANNEL_COUNT, ChildStatus, ZygoteReply, ZygoteRequest};
use super::restrictions::{self, BaselineMemory, LandlockRules, StepContext, User};
use super::seccomp::Filters;
use super::{Layer, LayerState, Role, ZygoteHooks, namespaces, probe};

const DISABLED_REASON: &str = "it is disabled";

/// Runs the zygote. Standard input must be the socket of the host.
pub fn zygote_main(zygote: &ZygoteHooks, without: &[Layer]) -> ExitCode {
    let control = match take_control_socket() {
        Ok(control) => control,
        Err(error) => {
            eprintln!("error: only sandboard itself can start `sandboard zygote`: {error}");
            return ExitCode::from(2);
        }
    };
    (zygote.prepare)();
    let (context, states) = match prepare(without) {
        Ok(ready) => ready,
        Err(reason) => {
            let _ = messages::send(&control, &ZygoteReply::Unavailable(reason), &[]);
            return ExitCode::FAILURE;
        }
    };
    if messages::send(&control, &ZygoteReply::Ready(states), &[]).is_err() {
        return ExitCode::FAILURE;
    }
    // SAFETY: this process waits for no child from here on, so that no child stays as a zombie.
    unsafe { libc::signal(libc::SIGCHLD, libc::SIG_IGN) };
    serve_requests(&control, &context, zygote)
}

/// Moves the host's socket away from standard input and closes all other descriptors.
fn take_control_socket() -> io::Result<OwnedFd> {
    let stdin = io::stdin();
    if rustix::net::sockopt::socket_type(&stdin)? != SocketType::SEQPACKET {
        return Err(io::Error::other("standard input is not the socket of a host"));
    }
    let control = rustix::io::fcntl_dupfd_cloexec(&stdin, 3)?;
    restrictions::close_all_but(&[1, 2, control.as_raw_fd()]);
    let null = std::fs::OpenOptions::new().read(true).write(true).open("/dev/null")?;
    // The file may itself have one of the two numbers, so it must stay open.
    let null = std::os::fd::IntoRawFd::into_raw_fd(null);
    // SAFETY: the descriptor stays open until this process ends.
    let null = unsafe { std::os::fd::BorrowedFd::borrow_raw(null) };
    restrictions::duplicate_to(null, libc::STDIN_FILENO)?;
    restrictions::duplicate_to(null, libc::STDOUT_FILENO)?;
    // Signals of a terminal are for the host, not for its zygote.
    let _ = rustix::process::setsid();
    Ok(control)
}

/// Tests which layers the system offers, and prepares to use them.
fn prepare(without: &[Layer]) -> Result<(ZygoteContext, Vec<LayerState>), String> {
    // When memory is short, the kernel should kill jailed processes first.
    let _ = std::fs::write("/proc/self/oom_score_adj", "800");
    let baseline_memory = BaselineMemory::measure();
    // Opened here, because the namespaces have no `/proc`.
    let proc = std::fs::File::open("/proc").map(OwnedFd::from);
    let own = rustix::process::pidfd_open(rustix::process::getpid(), PidfdFlags::empty())
        .context("opening its own pidfd (Linux 5.3)")?;
    let mut states = vec![
        LayerState { layer: Layer::Seccomp, state: Ok(None) },
        LayerState { layer: Layer::Rlimits, state: Ok(None) },
    ];
    states.extend(namespaces::enter(without));
    let has = |layer| states.iter().any(|it| it.layer == layer && it.state.is_ok());
    let (in_user_namespace, mount_namespace) =
        (has(Layer::UserNamespace), has(Layer::MountNamespace));
    let mut context = ZygoteContext {
        zygote: own,
        user: User::Host,
        other_threads: 0,
        landlock_rules: None,
        filters: Filters::build()?,
        baseline_memory,
        in_user_namespace,
        mount_namespace,
        pid_namespace: false,
    };
    let mut state = |layer, state| states.push(LayerState { layer, state });
    state(Layer::PidNamespace, detect_pid_namespace(&mut context, without));
    state(Layer::OwnUid, detect_user(&mut context, without)?);
    context.other_threads = proc.map_or(0, |proc| restrictions::count_threads(&proc, context.user));
    state(Layer::Landlock, detect_landlock(&mut context, without)?);
    states.sort_by_key(|it| it.layer);
    test_spawn(&context)?;
    Ok((context, states))
}

/// Tests whether children can have a pid namespace.
fn detect_pid_namespace(
    context: &mut ZygoteContext,
    without: &[Layer],
) -> Result<Option<String>, String> {
    if without.contains(&Layer::PidNamespace) {
        return Err(DISABLED_REASON.to_owned());
    }
    context.pid_namespace = true;
    // SAFETY: the child ends at once.
    let forked = unsafe { fork(context, || ()) }.map_err(|error| error.to_string());
    let tried = forked.and_then(|(_, child)| wait_for_exit(&child));
    context.pid_namespace = tried.is_ok();
    tried.map(|()| None)
}

/// Finds the user id under which jailed processes can run.
fn detect_user(
    context: &mut ZygoteContext,
    without: &[Layer],
) -> Result<Result<Option<String>, String>, String> {
    if without.contains(&Layer::OwnUid) {
        return Ok(Err(DISABLED_REASON.to_owned()));
    }
    let own_pid = std::process::id();
    let mut why = String::new();
    for user in [User::Dedicated, User::Overflow] {
        match try_in_child(context, || user.switch(own_pid).map_err(|error| error.to_string()))? {
            Ok(()) => {
                context.user = user;
                break;
            }
            Err(error) => why = error,
        }
    }
    Ok(restrictions::user_layer_state(context.user, why).state)
}

/// Finds the version of landlock.
fn detect_landlock(
    context: &mut ZygoteContext,
    without: &[Layer],
) -> Result<Result<Option<String>, String>, String> {
    if without.contains(&Layer::Landlock) {
        return Ok(Err(DISABLED_REASON.to_owned()));
    }
    let landlock_rules = match LandlockRules::build(context.mount_namespace) {
        Ok(landlock_rules) => landlock_rules,
        Err(error) => return Ok(Err(error)),
    };
    let version = try_in_child(context, || landlock_rules.apply(Role::Native))?;
    context.landlock_rules = version.is_ok().then_some(landlock_rules);
    Ok(version.map(Some))
}

/// Runs an attempt in a child that then ends, because rights that are given up do not come back.
fn try_in_child<T: serde::Serialize + serde::de::DeserializeOwned>(
    context: &ZygoteContext,
    attempt: impl FnOnce() -> Result<T, String>,
) -> Result<Result<T, String>, String> {
    let (receiver, sender) = socket_pair().context("making sockets")?;
    let send_result = || {
        let _ = messages::send(&sender, &attempt(), &[]);
    };
    // SAFETY: the child sends its result and ends.
    let (_, child) = unsafe { fork(context, send_result) }.context("forking")?;
    drop(sender);
    let received = messages::receive(&receiver).context("a test process")?;
    wait_for_exit(&child)?;
    received
        .map(|packet| packet.message)
        .ok_or_else(|| "a test process ended without a result".to_owned())
}

fn socket_pair() -> rustix::io::Result<(OwnedFd, OwnedFd)> {
    socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)
}

/// Makes one process of each kind, from its start to its end, before the host relies on it. All of
/// them are gone when the host learns that the zygote is ready.
fn test_spawn(context: &ZygoteContext) -> Result<(), String> {
    for role in [Role::Native, Role::Wasm] {
        let (receiver, status) = socket_pair().context("making sockets")?;
        let (channel, stop_channel) = socket_pair().context("making sockets")?;
        let (memory_bytes, cpu_s, file_bytes, probe, program) = (0, None, 0, false, None);
        let request = ZygoteRequest { role, memory_bytes, cpu_s, file_bytes, probe, program };
        let serve = |_| 0;
        let setup = ChildSetup {
            request,
            init_pid: 0,
            status,
            channel,
            stop_channel,
            files: Vec::new(),
            serve,
        };
        let init = fork_init(context, setup).context("forking")?;
        loop {
            match messages::receive(&receiver)
                .context("a test process")?
                .map(|packet| packet.message)
            {
                Some(ChildStatus::Started) => (),
                Some(ChildStatus::Jailed) => break,
                Some(ChildStatus::Failed(reason)) => return Err(reason),
                Some(ChildStatus::Ended(_)) | None => {
                    return Err("a test process ended before it was confined".to_owned());
                }
            }
        }
        wait_for_exit(&init)?;
    }
    Ok(())
}

/// Waits until a child, and with it its pid namespace, is gone. Err: a signal ended it.
fn wait_for_exit(child: &OwnedFd) -> Result<(), String> {
    let ended = loop {
        match rustix::process::waitid(WaitId::PidFd(child.as_fd()), WaitIdOptions::EXITED) {
            Err(rustix::io::Errno::INTR) => (),
            ended => break ended.context("waiting for a test process")?,
        }
    };
    match ended.and_then(|it| it.terminating_signal()) {
        None => Ok(()),
        Some(signal) => Err(format!("signal {signal} ended a test process")),
    }
}

/// Serves requests until the host closes its end.
fn serve_requests(control: &OwnedFd, context: &ZygoteContext, zygote: &ZygoteHooks) -> ExitCode {
    loop {
        let packet = match messages::receive::<ZygoteRequest>(control) {
            Ok(Some(packet)) => packet,
            Ok(None) => return ExitCode::SUCCESS,
            // A malformed request must not end the processes of earlier requests.
            Err(error) if messages::is_malformed(&error) => {
                let reason = format!("malformed request: {error}");
                match messages::send(control, &ZygoteReply::Refused(reason), &[]) {
                    Ok(()) => continue,
                    Err(_) => return ExitCode::FAILURE,
                }
            }
            Err(error) => {
                eprintln!("error: the zygote cannot read from its host: {error}");
                return ExitCode::FAILURE;
            }
        };
        let mut descriptors = packet.descriptors.into_iter();
        let own: Vec<OwnedFd> = descriptors.by_ref().take(CHANNEL_COUNT).collect();
        let request = packet.message;
        let sent = match <[OwnedFd; CHANNEL_COUNT]>::try_from(own) {
            Ok([channel, stop_channel, status]) => {
                let serve = if request.probe { probe::serve } else { zygote.serve };
                let files = descriptors.collect();
                let init_pid = 0;
                let setup =
                    ChildSetup { request, init_pid, status, channel, stop_channel, files, serve };
                match fork_init(context, setup) {
                    Ok(init) => messages::send(control, &ZygoteReply::Forked, &[init.as_fd()]),
                    Err(error) => {
                        let reason = format!("forking: {error}");
                        messages::send(control, &ZygoteReply::Refused(reason), &[])
                    }
                }
            }
            Err(_) => {
                let reason = "a request without its channels".to_owned();
                messages::send(control, &ZygoteReply::Refused(reason), &[])
            }
        };
        if sent.is_err() {
            return ExitCode::FAILURE;
        }
    }
}

/// Forks an init, and tells it its process id, which it cannot see in a pid namespace. Ok: its
/// pidfd.
fn fork_init(context: &ZygoteContext, setup: ChildSetup) -> io::Result<OwnedFd> {
    let (receiver, sender) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)?;
    let (mut setup, mut sender) = (Some(setup), Some(sender));
    let become_init = || {
        // The child's copy: if the zygote is gone, reading must end.
        drop(sender.take());
        let mut init_pid = [0; 4];
        match (setup.take(), rustix::io::read(&receiver, &mut init_pid)) {
            (Some(setup), Ok(4)) => {
                let init_pid = u32::from_ne_bytes(init_pid);
                init::run(context, ChildSetup { init_pid, ..setup })
            }
            _ => exit_now(1),
        }
    };
    // SAFETY: the child becomes an init, which never returns.
    let (pid, init) = unsafe { fork(context, become_init) }?;
    if let Some(sender) = &sender {
        rustix::io::write(sender, &pid.to_ne_bytes())?;
    }
    Ok(init)
}

/// Ends the process without the cleanup at exit, which belongs to the zygote.
fn exit_now(code: i32) -> ! {
    // SAFETY: this call only ends the process.
    unsafe { libc::_exit(code) }
}

/// Forks, into a pid namespace where that is possible. Ok: process id and pidfd of the child.
///
/// # Safety
///
/// This process must have one thread. The C library does not know about the child, so the child
/// must fork once more before it runs code that needs the id of its thread.
unsafe fn fork(context: &ZygoteContext, child: impl FnOnce()) -> io::Result<(u32, OwnedFd)> {
    let spaces = if context.pid_namespace { libc::CLONE_NEWPID } else { 0 };
    let flags = libc::CLONE_PIDFD | spaces | libc::SIGCHLD;
    let mut pidfd: libc::c_int = -1;
    // SAFETY: without CLONE_VM the child runs on a copy of this stack, and `pidfd` is writable.
    let pid = unsafe { libc::syscall(libc::SYS_clone, flags, 0, &raw mut pidfd, 0, 0) };
    match pid {
        -1 => Err(io::Error::last_os_error()),
        0 => {
            child();
            exit_now(0)
        }
        // SAFETY: the system has just made this descriptor, and it has no other owner.
        _ => Ok((pid as u32, unsafe { OwnedFd::from_raw_fd(pidfd) })),
    }
}
