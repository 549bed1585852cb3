//! The init process of a jailed process. It gives up its rights, forks the jailed process, reads
//! the output of that process, waits for it and reports how it ended. It never runs code of an
//! engine.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd, RawFd};
use std::path::{Path, PathBuf};

use rustix::event::{PollFd, PollFlags};
use rustix::fs::OFlags;
use rustix::pipe::PipeFlags;
use rustix::process::PidfdFlags;

use super::messages::{self, ChildStatus, InitReport, WaitStatus, ZygoteRequest};
use super::mounts;
use super::restrictions::{self, BaselineMemory, LandlockRules, StepContext, User};
use super::seccomp::Filters;
use super::{Channel, ChildContext, exec};

/// How much of the end of the output is kept, in bytes.
const TAIL_BYTES: usize = 16 << 10;
/// How much output init reads, in bytes. After that, writes of the process fail once the pipe is
/// full.
const OUTPUT_BYTES: u64 = 64 << 20;

/// What the zygote prepared once for all its processes.
pub(crate) struct ZygoteContext {
    /// The pidfd of the zygote, with which init dies.
    pub(crate) zygote: OwnedFd,
    pub(crate) user: User,
    /// The threads of other programs under that user, when the zygote started.
    pub(crate) other_threads: u64,
    pub(crate) landlock_rules: Option<LandlockRules>,
    pub(crate) filters: Filters,
    pub(crate) baseline_memory: BaselineMemory,
    pub(crate) in_user_namespace: bool,
    pub(crate) mount_namespace: bool,
    pub(crate) pid_namespace: bool,
}

/// Everything that belongs to one new process.
pub(crate) struct ChildSetup {
    pub(crate) request: ZygoteRequest,
    /// The process id of init, as the zygote sees it. Init sets it.
    pub(crate) init_pid: u32,
    pub(crate) status: OwnedFd,
    pub(crate) channel: OwnedFd,
    pub(crate) stop_channel: OwnedFd,
    /// The file of its cgroup by which init moves itself, in version 1.
    pub(crate) cgroup_tasks: Option<OwnedFd>,
    pub(crate) files: Vec<OwnedFd>,
    pub(crate) serve: fn(ChildContext) -> i32,
}

/// Runs in the process that the zygote has just forked. It never returns to the zygote's code.
pub(crate) fn run(context: &ZygoteContext, setup: ChildSetup) -> ! {
    let status = setup.status.as_raw_fd();
    let outcome =
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| run_init(context, setup)));
    let code = match outcome {
        Ok(Ok(())) => 0,
        Ok(Err(failure)) => {
            // SAFETY: only the end of this process closes this descriptor.
            let status = unsafe { std::os::fd::BorrowedFd::borrow_raw(status) };
            let _ = messages::send(status, &ChildStatus::Failed(failure), &[]);
            1
        }
        Err(_) => 2,
    };
    exit_now(code)
}

/// Ends the process without the cleanup at exit, which belongs to the zygote.
fn exit_now(code: i32) -> ! {
    // SAFETY: this call only ends the process.
    unsafe { libc::_exit(code) }
}

fn run_init(context: &ZygoteContext, setup: ChildSetup) -> Result<(), String> {
    let _ = rustix::process::setsid();
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o077));
    rustix::process::chdir("/").context("changing to the root folder")?;
    // SAFETY: this restores the default handler, and the process has one thread.
    unsafe { libc::signal(libc::SIGCHLD, libc::SIG_DFL) };
    let mut setup = setup;
    if let Some((tasks, entry)) = setup.cgroup_tasks.take().zip(setup.request.cgroup.as_ref()) {
        enter_cgroup(&tasks, &entry.path)?;
    }
    let mounted = mounts::mount_files(context, &setup).context("mounting its files")?;
    context.user.switch(setup.init_pid).context("changing the user")?;
    restrictions::drop_capabilities().context("dropping capabilities")?;
    restrictions::disable_dumping().context("disabling debuggers")?;
    restrictions::die_with_parent(&context.zygote).context("binding its life to the zygote")?;
    let library = match mounted {
        Some(path) => Some(path),
        None => mounts::copy_library(&mut setup).context("copying the library")?,
    };
    if let Some(landlock_rules) = &context.landlock_rules {
        landlock_rules.apply(setup.request.role).text_context("landlock")?;
    }
    let (output, input) = rustix::pipe::pipe_with(PipeFlags::CLOEXEC).context("making a pipe")?;
    let own = own_pidfd().context("opening its own pidfd")?;
    let (exec_sender, exec_receiver) = exec::exec_permission_sockets().context("making sockets")?;
    // SAFETY: this process has one thread, and the child continues with this program.
    match unsafe { libc::fork() } {
        -1 => Err(format!("forking: {}", io::Error::last_os_error())),
        0 => run_child(context, setup, library, &own, &input, &exec_sender),
        child => {
            let ChildSetup { request, status, channel, stop_channel, files, .. } = setup;
            // Drop the owners now: at the end of this function they would find their descriptors
            // closed.
            drop((channel, stop_channel, files, own, exec_sender));
            restrictions::close_all_but(
                &[&status, &output, &input, &exec_receiver].map(AsRawFd::as_raw_fd),
            );
            if request.program.is_some() {
                exec::allow_one_exec(&exec_receiver).context("allowing its program")?;
            }
            drop(exec_receiver);
            monitor_child(child, &output, &input, status)
        }
    }
}

/// Moves this process, which has one thread, into its cgroup of version 1, so that all memory from
/// here on counts. `path`: that of the file `tasks`.
fn enter_cgroup(tasks: &OwnedFd, path: &Path) -> Result<(), String> {
    let step = || format!("entering its memory cgroup: {}", path.display());
    rustix::io::write(tasks, b"0").map(drop).context(&step())
}

fn own_pidfd() -> io::Result<OwnedFd> {
    Ok(rustix::process::pidfd_open(rustix::process::getpid(), PidfdFlags::empty())?)
}

/// The code of the child: gives up the remaining rights, then serves or becomes its program.
fn run_child(
    context: &ZygoteContext,
    setup: ChildSetup,
    library: Option<PathBuf>,
    parent: &OwnedFd,
    output: &OwnedFd,
    exec_sender: &OwnedFd,
) -> ! {
    let confined = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let program = setup.request.program.as_ref();
        let program = program.map(exec::ExecSetup::new).transpose().context("its arguments")?;
        confine_child(context, &setup, parent, output, exec_sender)?;
        Ok(program)
    }));
    let outcome = confined.unwrap_or_else(|_| Err("it panicked".to_owned()));
    let (is_reported, program) = match outcome {
        Ok(program) => (
            messages::send_without_descriptors(&setup.status, &ChildStatus::Jailed).is_ok(),
            program,
        ),
        Err(failure) => {
            let _ =
                messages::send_without_descriptors(&setup.status, &ChildStatus::Failed(failure));
            (false, None)
        }
    };
    if !is_reported {
        exit_now(1);
    }
    if let Some(program) = program {
        let failure = program.exec(&setup);
        let _ = io::Write::write_all(&mut io::stderr(), failure.as_bytes());
        exit_now(126);
    }
    let ChildSetup { request, channel, stop_channel, files, status, serve, .. } = setup;
    // Until here only code of this project has written to this socket.
    drop(status);
    let mut files: Vec<File> = files.into_iter().map(File::from).collect();
    // These must stay open until the process ends: a copy of the library, because its path leads
    // through the descriptor, and both channels, because their end means the end of the process.
    let copies = usize::from(library.as_ref().is_some_and(|path| path.starts_with("/proc")));
    let kept =
        (files.split_off(files.len() - copies), channel.try_clone(), stop_channel.try_clone());
    let child_context = ChildContext {
        role: request.role,
        channel: Channel::from(channel),
        stop_channel: Channel::from(stop_channel),
        files,
        library,
    };
    let code = std::panic::catch_unwind(|| serve(child_context)).unwrap_or(101);
    let _ = io::Write::flush(&mut io::stdout());
    // SAFETY: this flushes what a library printed. Destructors do not run.
    unsafe { libc::fflush(std::ptr::null_mut()) };
    std::mem::forget(kept);
    exit_now(code)
}

fn confine_child(
    context: &ZygoteContext,
    setup: &ChildSetup,
    parent: &OwnedFd,
    output: &OwnedFd,
    exec_sender: &OwnedFd,
) -> Result<(), String> {
    restrictions::die_with_parent(parent).context("binding its life to init")?;
    restrictions::duplicate_to(output, libc::STDOUT_FILENO).context("redirecting the output")?;
    restrictions::duplicate_to(output, libc::STDERR_FILENO).context("redirecting the output")?;
    let own = own_pidfd().context("opening its own pidfd")?;
    messages::send(&setup.status, &ChildStatus::Started, &[own.as_fd()])
        .context("reporting to the host")?;
    drop(own);
    let request = &setup.request;
    if request.program.is_some() {
        exec::install_exec_filter(exec_sender).context("filtering execveat")?;
    }
    let channels = [&setup.status, &setup.channel, &setup.stop_channel];
    let needed = channels.into_iter().chain(&setup.files).map(AsRawFd::as_raw_fd);
    let kept: Vec<RawFd> = [0, 1, 2].into_iter().chain(needed).collect();
    restrictions::close_all_but(&kept);
    let highest = kept.iter().max().map_or(0, |highest| *highest as u64);
    restrictions::set_limits(request, context, highest).context("setting limits")?;
    context.filters.install(request.role).text_context("seccomp")
}

/// Like [`StepContext`], for errors that are text.
trait TextContext<T> {
    fn text_context(self, step: &str) -> Result<T, String>;
}

impl<T> TextContext<T> for Result<T, String> {
    fn text_context(self, step: &str) -> Result<T, String> {
        self.map_err(|error| format!("{step}: {error}"))
    }
}

/// Waits until the child has ended, by itself or because the host is gone.
fn monitor_child(
    child: i32,
    output: &OwnedFd,
    input: &OwnedFd,
    status: OwnedFd,
) -> Result<(), String> {
    let pid = rustix::process::Pid::from_raw(child).ok_or("invalid id of the child")?;
    let pidfd =
        rustix::process::pidfd_open(pid, PidfdFlags::empty()).context("monitoring the process")?;
    rustix::fs::fcntl_setfl(output, OFlags::NONBLOCK).context("monitoring the process")?;
    let mut output_tail = OutputTail::default();
    loop {
        let mut polled = vec![
            PollFd::new(&pidfd, PollFlags::IN),
            // An empty set still reports that the socket is closed.
            PollFd::new(&status, PollFlags::empty()),
        ];
        if !output_tail.is_full() {
            polled.push(PollFd::new(output, PollFlags::IN));
        }
        match rustix::event::poll(&mut polled, None) {
            Err(rustix::io::Errno::INTR) => continue,
            ready => ready.context("monitoring the process")?,
        };
        let is_ready = |at: usize| polled.get(at).is_some_and(|it| !it.revents().is_empty());
        let (ended, host_is_gone, printed) = (is_ready(0), is_ready(1), is_ready(2));
        if printed {
            output_tail.take(output);
            if output_tail.is_full() {
                // A process that prints more gets an error instead of waiting forever.
                let _ = rustix::fs::fcntl_setfl(input, OFlags::NONBLOCK);
                // A writer that already waits tries again only when the pipe has room.
                let _ = rustix::io::read(output, &mut [0; 64 << 10]);
            }
        }
        if host_is_gone {
            let _ = rustix::process::pidfd_send_signal(&pidfd, rustix::process::Signal::KILL);
        }
        if ended || host_is_gone {
            break;
        }
    }
    let (cause, usage) = wait_for(child).context("waiting for the process")?;
    output_tail.take(output);
    let micros = |time: libc::timeval| time.tv_sec as u64 * 1_000_000 + time.tv_usec as u64;
    let ended = InitReport {
        cause,
        cpu_us: micros(usage.ru_utime) + micros(usage.ru_stime),
        peak_memory_bytes: usage.ru_maxrss as u64 * 1024,
        output_bytes: output_tail.bytes,
        output: String::from_utf8_lossy(&output_tail.kept).into_owned(),
    };
    // If the host is gone, the report is not needed.
    let _ = messages::send(&status, &ChildStatus::Ended(ended), &[]);
    Ok(())
}

fn wait_for(child: i32) -> io::Result<(WaitStatus, libc::rusage)> {
    let mut status = 0;
    // SAFETY: a plain structure of numbers, for which zero is valid.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    loop {
        // SAFETY: both pointers are valid for writes.
        if unsafe { libc::wait4(child, &mut status, 0, &mut usage) } == child {
            break;
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
    let cause = match libc::WIFEXITED(status) {
        true => WaitStatus::Exited(libc::WEXITSTATUS(status)),
        false => WaitStatus::Signal(libc::WTERMSIG(status)),
    };
    Ok((cause, usage))
}

/// The size of the output, and its end.
#[derive(Default)]
struct OutputTail {
    bytes: u64,
    kept: Vec<u8>,
}

impl OutputTail {
    fn is_full(&self) -> bool {
        self.bytes >= OUTPUT_BYTES
    }

    /// Reads what is available, without waiting.
    fn take(&mut self, output: &OwnedFd) {
        let mut buffer = [0; 64 << 10];
        while !self.is_full() {
            match rustix::io::read(output, &mut buffer) {
                Ok(0) => return,
                Ok(read) => {
                    self.bytes += read as u64;
                    self.kept.extend_from_slice(&buffer[..read]);
                    let surplus = self.kept.len().saturating_sub(TAIL_BYTES);
                    self.kept.drain(..surplus);
                }
                Err(rustix::io::Errno::INTR) => (),
                Err(_) => return,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_enters_its_cgroup_by_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tasks");
        let tasks = File::create(&path).unwrap().into();
        assert_eq!(enter_cgroup(&tasks, &path), Ok(()));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "0");
        let read_only = File::open(&path).unwrap().into();
        let error = enter_cgroup(&read_only, &path).unwrap_err();
        let start = format!("entering its memory cgroup: {}: ", path.display());
        assert!(error.starts_with(&start), "{error}");
    }
}
