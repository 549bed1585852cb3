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
use super::messages::{self, CgroupVersion, ChildStatus, Packet, ZygoteReply, ZygoteRequest};
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
    let baseline_address_bytes = context.baseline_memory.address_bytes;
    let ready = ZygoteReply::Ready { states, baseline_address_bytes };
    if messages::send(&control, &ready, &[]).is_err() {
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
    // SAFETY: the child ends at once.
    let forked = unsafe { fork(true, None, || ()) }.map_err(|error| error.to_string());
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
    let (_, child) =
        unsafe { fork(context.pid_namespace, None, send_result) }.context("forking")?;
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
        let (memory_bytes, cpu_s, file_bytes, probe) = (0, None, 0, false);
        let (program, cgroup) = (None, None);
        let request =
            ZygoteRequest { role, memory_bytes, cpu_s, file_bytes, probe, program, cgroup };
        let serve = |_| 0;
        let setup = ChildSetup {
            request,
            init_pid: 0,
            status,
            channel,
            stop_channel,
            cgroup_tasks: None,
            files: Vec::new(),
            serve,
        };
        let init = fork_init(context, setup, None)?;
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
        let forked = child_setup(packet, zygote)
            .and_then(|(setup, cgroup_folder)| fork_init(context, setup, cgroup_folder.as_ref()));
        let sent = match forked {
            Ok(init) => messages::send(control, &ZygoteReply::Forked, &[init.as_fd()]),
            Err(reason) => messages::send(control, &ZygoteReply::Refused(reason), &[]),
        };
        if sent.is_err() {
            return ExitCode::FAILURE;
        }
    }
}

/// Sorts the descriptors of a request. Ok: also the folder of its cgroup, in version 2. Err: one of
/// them is missing.
fn child_setup(
    packet: Packet<ZygoteRequest>,
    zygote: &ZygoteHooks,
) -> Result<(ChildSetup, Option<OwnedFd>), String> {
    let (request, mut descriptors) = (packet.message, packet.descriptors.into_iter());
    let mut next = |name: &str| {
        let found: Option<OwnedFd> = descriptors.next();
        found.ok_or_else(|| format!("a request without its {name}"))
    };
    let channels = [next("channels")?, next("channels")?, next("channels")?];
    let [channel, stop_channel, status] = channels;
    let (cgroup_tasks, cgroup_folder) = match request.cgroup.as_ref().map(|it| it.version) {
        None => (None, None),
        Some(CgroupVersion::V1) => (Some(next("cgroup")?), None),
        Some(CgroupVersion::V2) => (None, Some(next("cgroup")?)),
    };
    let serve = if request.probe { probe::serve } else { zygote.serve };
    let (init_pid, files) = (0, descriptors.collect());
    let setup =
        ChildSetup { request, init_pid, status, channel, stop_channel, cgroup_tasks, files, serve };
    Ok((setup, cgroup_folder))
}

/// Forks an init, and tells it its process id, which it cannot see in a pid namespace. Ok: its
/// pidfd. `cgroup`: the folder of the cgroup of version 2 in which it begins.
fn fork_init(
    context: &ZygoteContext,
    setup: ChildSetup,
    cgroup: Option<&OwnedFd>,
) -> Result<OwnedFd, String> {
    let step = match (&setup.request.cgroup, cgroup) {
        (Some(entry), Some(_)) => {
            format!("forking into its memory cgroup: {}", entry.path.display())
        }
        _ => "forking".to_owned(),
    };
    let (receiver, sender) =
        rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC).context(&step)?;
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
    let (pid, init) = unsafe { fork(context.pid_namespace, cgroup, become_init) }.context(&step)?;
    if let Some(sender) = &sender {
        rustix::io::write(sender, &pid.to_ne_bytes()).context(&step)?;
    }
    Ok(init)
}

/// Ends the process without the cleanup at exit, which belongs to the zygote.
fn exit_now(code: i32) -> ! {
    // SAFETY: this call only ends the process.
    unsafe { libc::_exit(code) }
}

/// A flag of `clone3` that the C library's binding cannot express.
const CLONE_INTO_CGROUP: u64 = 0x2_0000_0000;

/// Forks, with `pid_namespace` into a new pid namespace. Ok: process id and pidfd of the child.
/// `cgroup`: the folder of a cgroup of version 2, in which the child begins (Linux 5.7).
///
/// # Safety
///
/// This process must have one thread. The C library does not know about the child, so the child
/// must fork once more before it runs code that needs the id of its thread.
unsafe fn fork(
    pid_namespace: bool,
    cgroup: Option<&OwnedFd>,
    child: impl FnOnce(),
) -> io::Result<(u32, OwnedFd)> {
    let spaces = if pid_namespace { libc::CLONE_NEWPID } else { 0 };
    let flags = libc::CLONE_PIDFD | spaces | libc::SIGCHLD;
    let mut pidfd: libc::c_int = -1;
    let pid = match cgroup {
        // SAFETY: without CLONE_VM the child runs on a copy of this stack, and `pidfd` is writable.
        None => unsafe { libc::syscall(libc::SYS_clone, flags, 0, &raw mut pidfd, 0, 0) },
        Some(folder) => {
            // SAFETY: a plain structure of numbers, for which zero is valid.
            let mut arguments: libc::clone_args = unsafe { std::mem::zeroed() };
            arguments.flags = (libc::CLONE_PIDFD | spaces) as u64 | CLONE_INTO_CGROUP;
            arguments.exit_signal = libc::SIGCHLD as u64;
            arguments.pidfd = &raw mut pidfd as u64;
            arguments.cgroup = folder.as_raw_fd() as u64;
            let size = size_of::<libc::clone_args>();
            // SAFETY: as above; the structure is valid for reads and has this size.
            unsafe { libc::syscall(libc::SYS_clone3, &raw const arguments, size) }
        }
    };
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

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::path::{Path, PathBuf};

    use super::*;

    /// Forks a child into this folder. Ok: the processes that the folder then has, by the kernel,
    /// and the child.
    fn fork_into(folder: &Path) -> io::Result<(String, u32)> {
        let (receiver, sender) = rustix::pipe::pipe()?;
        let opened = File::open(folder)?.into();
        let sender_of_parent = sender.as_raw_fd();
        // SAFETY: the child makes three system calls and ends.
        let (pid, child) = unsafe {
            fork(false, Some(&opened), || {
                libc::close(sender_of_parent);
                libc::read(receiver.as_raw_fd(), [0_u8].as_mut_ptr().cast(), 1);
            })
        }?;
        let processes = fs::read_to_string(folder.join("cgroup.procs"));
        drop(sender);
        wait_for_exit(&child).unwrap();
        Ok((processes?, pid))
    }

    /// A new folder in the hierarchy of version 2. Err: why this machine has none.
    fn new_folder() -> Result<PathBuf, String> {
        let mounts = fs::read_to_string("/proc/self/mounts").unwrap();
        let mut mounts = mounts.lines().map(|line| line.split(' ').collect::<Vec<_>>());
        let mount = mounts.find(|fields| fields[2] == "cgroup2").ok_or("there is no hierarchy")?;
        let cgroups = fs::read_to_string("/proc/self/cgroup").unwrap();
        let own = cgroups.lines().find_map(|line| line.strip_prefix("0::/"));
        let own = own.ok_or("there is no hierarchy of this process")?;
        let name = format!("sandboard-{}-fork", std::process::id());
        let folder = Path::new(mount[1]).join(own).join(name);
        fs::create_dir(&folder).map_err(|error| error.to_string())?;
        Ok(folder)
    }

    #[test]
    fn a_child_begins_in_its_cgroup_of_version_2() {
        let other = tempfile::tempdir().unwrap();
        let error = fork_into(other.path()).unwrap_err();
        assert_eq!(error.raw_os_error(), Some(libc::EBADF), "{error}");
        match new_folder() {
            Ok(folder) => {
                let forked = fork_into(&folder);
                fs::remove_dir(&folder).unwrap();
                let (processes, pid) = forked.unwrap();
                assert_eq!(processes, format!("{pid}\n"));
            }
            Err(reason) => assert!(
                ["there is no hierarchy", "Permission denied", "Read-only", "No such file"]
                    .iter()
                    .any(|known| reason.starts_with(known)),
                "{reason}"
            ),
        }
    }
}
