//! The first process of an inmate: gives up all it may, forks the inmate, drains its
//! output, waits for it and says how it ended. Never runs anything of an engine.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd, RawFd};
use std::path::PathBuf;

use rustix::event::{PollFd, PollFlags};
use rustix::fs::OFlags;
use rustix::pipe::PipeFlags;
use rustix::process::PidfdFlags;

use super::confine::{self, At, Fences, Ground, User};
use super::filter::Filters;
use super::mounts;
use super::wire::{self, Ended, Over, Request, Status};
use super::{Cell, Channel, program};

/// The end of the output that is kept.
const TAIL_BYTES: usize = 16 << 10;
/// All that is read of it. Beyond, the inmate's writes fail once the pipe is full.
const OUTPUT_BYTES: u64 = 64 << 20;

/// What the zygote found out and made for all its inmates.
pub struct Means {
    /// Of the zygote, to die with it.
    pub zygote: OwnedFd,
    pub zygote_pid: u32,
    pub user: User,
    pub fences: Option<Fences>,
    pub filters: Filters,
    pub ground: Ground,
    pub in_user_namespace: bool,
    pub own_mounts: bool,
    pub own_processes: bool,
}

/// One inmate to be.
pub struct Birth {
    pub request: Request,
    /// Counts the inmates of the zygote.
    pub serial: u32,
    pub status: OwnedFd,
    pub channel: OwnedFd,
    pub stops: OwnedFd,
    pub files: Vec<OwnedFd>,
    pub serve: fn(Cell) -> i32,
}

/// Runs as the process that the zygote has just forked; never returns to its code.
pub fn run(means: &Means, birth: Birth) -> ! {
    let status = birth.status.as_raw_fd();
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| live(means, birth)));
    let code = match outcome {
        Ok(Ok(())) => 0,
        Ok(Err(failure)) => {
            // SAFETY: it is closed in no way but by the end of this process.
            let status = unsafe { std::os::fd::BorrowedFd::borrow_raw(status) };
            let _ = wire::send(status, &Status::Failed(failure), &[]);
            1
        }
        Err(_) => 2,
    };
    leave(code)
}

/// Without what a program does at its end: that is for the zygote.
fn leave(code: i32) -> ! {
    // SAFETY: ends the process.
    unsafe { libc::_exit(code) }
}

fn live(means: &Means, birth: Birth) -> Result<(), String> {
    let _ = rustix::process::setsid();
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o077));
    rustix::process::chdir("/").at("going to the root folder")?;
    // SAFETY: a handler of nobody is taken away; this process has one thread.
    unsafe { libc::signal(libc::SIGCHLD, libc::SIG_DFL) };
    let mut birth = birth;
    let mounted = mounts::show_files(means, &birth).at("showing its files")?;
    means.user.become_it(means.zygote_pid, birth.serial).at("changing the user")?;
    confine::drop_capabilities().at("dropping capabilities")?;
    confine::be_opaque().at("keeping others from attaching")?;
    confine::die_with(&means.zygote).at("dying with the zygote")?;
    let library = match mounted {
        Some(path) => Some(path),
        None => mounts::copy_library(&mut birth).at("copying the library")?,
    };
    if let Some(fences) = &means.fences {
        fences.enter(birth.request.role).at_step("landlock")?;
    }
    let (output, input) = rustix::pipe::pipe_with(PipeFlags::CLOEXEC).at("making a pipe")?;
    let own = own_pidfd().at("finding itself")?;
    let (asks, asked) = program::door().at("making sockets")?;
    // SAFETY: this process has one thread, and the child goes on in this program.
    match unsafe { libc::fork() } {
        -1 => Err(format!("forking: {}", io::Error::last_os_error())),
        0 => be_jailed(means, birth, library, &own, &input, &asks),
        child => {
            let Birth { request, status, channel, stops, files, .. } = birth;
            // By their owners, who would find them closed at the end of this function.
            drop((channel, stops, files, own, asks));
            confine::close_all_but(&[&status, &output, &input, &asked].map(AsRawFd::as_raw_fd));
            if request.program.is_some() {
                program::admit_one(&asked).at("admitting its program")?;
            }
            drop(asked);
            watch(child, &output, &input, status)
        }
    }
}

fn own_pidfd() -> io::Result<OwnedFd> {
    Ok(rustix::process::pidfd_open(rustix::process::getpid(), PidfdFlags::empty())?)
}

/// The child: gives up the rest and serves, or becomes its program.
fn be_jailed(
    means: &Means,
    birth: Birth,
    library: Option<PathBuf>,
    parent: &OwnedFd,
    output: &OwnedFd,
    asks: &OwnedFd,
) -> ! {
    let confined = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let program = birth.request.program.as_ref();
        let program = program.map(program::Becoming::of).transpose().at("its arguments")?;
        give_up_the_rest(means, &birth, parent, output, asks)?;
        Ok(program)
    }));
    let outcome = confined.unwrap_or_else(|_| Err("it panicked".to_owned()));
    let (told, program) = match outcome {
        Ok(program) => (wire::send_plain(&birth.status, &Status::Jailed).is_ok(), program),
        Err(failure) => {
            let _ = wire::send_plain(&birth.status, &Status::Failed(failure));
            (false, None)
        }
    };
    if !told {
        leave(1);
    }
    if let Some(program) = program {
        let failure = program.become_it(&birth);
        let _ = io::Write::write_all(&mut io::stderr(), failure.as_bytes());
        leave(126);
    }
    let Birth { request, channel, stops, files, status, serve, .. } = birth;
    // Nobody but this project's own code has spoken on it until now.
    drop(status);
    let mut files: Vec<File> = files.into_iter().map(File::from).collect();
    // What stays open until the process ends: a copy of the library, for the path that leads
    // through it, and both channels, so that their end is the end of the process.
    let copies = usize::from(library.as_ref().is_some_and(|path| path.starts_with("/proc")));
    let kept = (files.split_off(files.len() - copies), channel.try_clone(), stops.try_clone());
    let cell = Cell {
        role: request.role,
        channel: Channel::from(channel),
        stops: Channel::from(stops),
        files,
        library,
    };
    let code = std::panic::catch_unwind(|| serve(cell)).unwrap_or(101);
    let _ = io::Write::flush(&mut io::stdout());
    // SAFETY: flushes what a library printed; destructors are not waited for.
    unsafe { libc::fflush(std::ptr::null_mut()) };
    std::mem::forget(kept);
    leave(code)
}

fn give_up_the_rest(
    means: &Means,
    birth: &Birth,
    parent: &OwnedFd,
    output: &OwnedFd,
    asks: &OwnedFd,
) -> Result<(), String> {
    confine::die_with(parent).at("dying with init")?;
    confine::put_at(output, libc::STDOUT_FILENO).at("redirecting the output")?;
    confine::put_at(output, libc::STDERR_FILENO).at("redirecting the output")?;
    let own = own_pidfd().at("finding itself")?;
    wire::send(&birth.status, &Status::Born, &[own.as_fd()]).at("telling the host")?;
    drop(own);
    let request = &birth.request;
    if request.program.is_some() {
        program::ask_before(asks).at("asking before its program")?;
    }
    let ours = [&birth.status, &birth.channel, &birth.stops];
    let handed = ours.into_iter().chain(&birth.files).map(AsRawFd::as_raw_fd);
    let kept: Vec<RawFd> = [0, 1, 2].into_iter().chain(handed).collect();
    confine::close_all_but(&kept);
    let highest = kept.iter().max().map_or(0, |highest| *highest as u64);
    confine::limit(request, means.ground, means.user, means.in_user_namespace, highest)
        .at("setting limits")?;
    means.filters.install(request.role).at_step("seccomp")
}

/// As [`At`], of an error that is a sentence already.
trait AtStep<T> {
    fn at_step(self, step: &str) -> Result<T, String>;
}

impl<T> AtStep<T> for Result<T, String> {
    fn at_step(self, step: &str) -> Result<T, String> {
        self.map_err(|error| format!("{step}: {error}"))
    }
}

/// Until the child has ended, by itself or because the host is gone.
fn watch(child: i32, output: &OwnedFd, input: &OwnedFd, status: OwnedFd) -> Result<(), String> {
    let pid = rustix::process::Pid::from_raw(child).ok_or("a child without a number")?;
    let pidfd = rustix::process::pidfd_open(pid, PidfdFlags::empty()).at("watching")?;
    rustix::fs::fcntl_setfl(output, OFlags::NONBLOCK).at("watching")?;
    let mut drain = Drain::default();
    loop {
        let mut polled = vec![
            PollFd::new(&pidfd, PollFlags::IN),
            // Only that it is closed, which is always told.
            PollFd::new(&status, PollFlags::empty()),
        ];
        if !drain.is_full() {
            polled.push(PollFd::new(output, PollFlags::IN));
        }
        match rustix::event::poll(&mut polled, None) {
            Err(rustix::io::Errno::INTR) => continue,
            ready => ready.at("watching")?,
        };
        let came = |at: usize| polled.get(at).is_some_and(|it| !it.revents().is_empty());
        let (ended, alone, printed) = (came(0), came(1), came(2));
        if printed {
            drain.take(output);
            if drain.is_full() {
                // Rather than wait for ever, what it prints is refused.
                let _ = rustix::fs::fcntl_setfl(input, OFlags::NONBLOCK);
                // Who waits already does not look again before there is room.
                let _ = rustix::io::read(output, &mut [0; 64 << 10]);
            }
        }
        if alone {
            let _ = rustix::process::pidfd_send_signal(&pidfd, rustix::process::Signal::KILL);
        }
        if ended || alone {
            break;
        }
    }
    let (how, usage) = wait_for(child).at("waiting for the inmate")?;
    drain.take(output);
    let micros = |time: libc::timeval| time.tv_sec as u64 * 1_000_000 + time.tv_usec as u64;
    let ended = Ended {
        how,
        cpu_us: micros(usage.ru_utime) + micros(usage.ru_stime),
        peak_memory_bytes: usage.ru_maxrss as u64 * 1024,
        output_bytes: drain.bytes,
        output: String::from_utf8_lossy(&drain.kept).into_owned(),
    };
    // A host that is gone wants to know nothing.
    let _ = wire::send(&status, &Status::Ended(ended), &[]);
    Ok(())
}

fn wait_for(child: i32) -> io::Result<(Over, libc::rusage)> {
    let mut status = 0;
    // SAFETY: a plain structure of numbers, all of which may be nought.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    loop {
        // SAFETY: both are there to be written.
        if unsafe { libc::wait4(child, &mut status, 0, &mut usage) } == child {
            break;
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
    let how = match libc::WIFEXITED(status) {
        true => Over::Exited(libc::WEXITSTATUS(status)),
        false => Over::Signal(libc::WTERMSIG(status)),
    };
    Ok((how, usage))
}

/// What came of the output: how much, and its end.
#[derive(Default)]
struct Drain {
    bytes: u64,
    kept: Vec<u8>,
}

impl Drain {
    fn is_full(&self) -> bool {
        self.bytes >= OUTPUT_BYTES
    }

    /// What is there, without waiting.
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
