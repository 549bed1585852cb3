//! Actions that a jailed process must be able to do: what computing needs, and harmless variants of
//! forbidden actions.

use std::io;

use libc::{EACCES, EPERM};

use super::{ExpectedOutcome, ProbeAction, call};
use crate::ChildContext;

const FINE: ExpectedOutcome = ExpectedOutcome::Allowed;
const LIBRARIES: ExpectedOutcome = ExpectedOutcome::NativeOnly(&[EPERM, EACCES]);

const fn action(
    name: &'static str,
    about: &'static str,
    expected: ExpectedOutcome,
    run: fn(&ChildContext, &str) -> io::Result<String>,
) -> ProbeAction {
    ProbeAction { name, about, expected, run }
}

pub(crate) const ACTIONS: &[ProbeAction] = &[
    action("thread", "start a thread", FINE, |_, _| {
        let thread = std::thread::Builder::new().name("probe".to_owned()).spawn(|| 7)?;
        Ok(format!("{:?}", thread.join().ok()))
    }),
    action("thread-c", "start a thread as C does", FINE, |_, _| thread_of_c()),
    action("signal-oneself", "signal itself", FINE, |_, _| {
        call(libc::SYS_kill, [std::process::id() as usize, 0, 0, 0, 0, 0])
    }),
    action("tgkill-oneself", "signal its own thread", FINE, |_, _| {
        let own = std::process::id() as usize;
        call(libc::SYS_tgkill, [own, own, 0, 0, 0, 0])
    }),
    action("flags", "read a descriptor's flags", FINE, |_, _| {
        call(libc::SYS_fcntl, [0, libc::F_GETFL as usize, 0, 0, 0, 0])
    }),
    action("non-blocking", "make its output non-blocking", FINE, |_, _| {
        call(libc::SYS_fcntl, [0, libc::F_SETFL as usize, libc::O_NONBLOCK as usize, 0, 0, 0])
    }),
    action("is-dumpable", "read whether others may attach", FINE, |_, _| {
        call(libc::SYS_prctl, [libc::PR_GET_DUMPABLE as usize, 0, 0, 0, 0, 0])
    }),
    action("limits", "read its own limits", FINE, |_, _| {
        call(libc::SYS_prlimit64, [0, libc::RLIMIT_NOFILE as usize, 0, 0, 0, 0])
    }),
    action("affinity", "count its processors", FINE, |_, _| {
        std::thread::available_parallelism().map(|count| count.to_string())
    }),
    action("clocks", "read clocks", FINE, |_, _| {
        let now = std::time::Instant::now();
        Ok(format!("{:?}", now.elapsed()))
    }),
    action("random", "read random bytes", FINE, |_, _| {
        let mut bytes = [0_u8; 16];
        // SAFETY: 16 bytes are valid for writes.
        super::to_result(unsafe { libc::getrandom(bytes.as_mut_ptr().cast(), 16, 0) } as _)
    }),
    action("map-some", "map 1 MiB of memory", FINE, |_, _| map(1 << 20)),
    action("map-code", "map executable memory", FINE, |_, _| map_code()),
    action("read-files", "read its files", FINE, |context, _| {
        let lengths = context.files.iter().map(|file| {
            let mut buffer = [0; 64];
            let read = std::os::unix::fs::FileExt::read_at(file, &mut buffer, 0)?;
            Ok(format!("{read}/{}", rustix::fs::fstat(file)?.st_size))
        });
        Ok(lengths.collect::<io::Result<Vec<_>>>()?.join(" "))
    }),
    action("stat-descriptor", "read the status of a descriptor", FINE, |_, _| {
        Ok(rustix::fs::fstat(io::stdin())?.st_size.to_string())
    }),
    action("futex", "wake waiting threads", FINE, |_, _| super::futex(libc::FUTEX_WAKE)),
    action("advise", "give memory back", FINE, |_, _| super::advise(libc::MADV_DONTNEED)),
    action("socket-type", "read the type of a socket", FINE, |context, _| {
        super::socket_option(&context.channel, libc::SO_TYPE)
    }),
    action("peek", "look whether there is input", FINE, |context, _| {
        let flags = libc::MSG_PEEK | libc::MSG_DONTWAIT;
        match super::receive(&context.stop_channel, flags) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(String::new()),
            other => other,
        }
    }),
    action("time-out", "wait for input with a time limit", FINE, |context, _| {
        context.stop_channel.set_read_timeout(Some(std::time::Duration::from_millis(1)))?;
        let mut buffer = [0; 1];
        match io::Read::read(&mut &context.stop_channel, &mut buffer) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(String::new()),
            other => Err(io::Error::other(format!("{other:?}"))),
        }
    }),
    action("list-libraries", "list the system's libraries", LIBRARIES, |_, _| {
        Ok(std::fs::read_dir("/usr/lib")?.count().to_string())
    }),
    action("pipe", "make a pipe", LIBRARIES, |_, _| {
        let (mut reader, mut writer) = io::pipe()?;
        io::Write::write_all(&mut writer, b"x")?;
        io::Read::read_exact(&mut reader, &mut [0])?;
        Ok(String::new())
    }),
];

/// Maps and unmaps writable memory.
pub(crate) fn map(bytes: usize) -> io::Result<String> {
    let access = libc::PROT_READ | libc::PROT_WRITE;
    mapped(bytes, access)?;
    Ok(String::new())
}

/// Maps memory that is first written and then executed, as compilers and loaders do.
fn map_code() -> io::Result<String> {
    let place = mapped(4096, libc::PROT_READ | libc::PROT_WRITE)?;
    // SAFETY: these whole pages were just mapped and are not in use.
    match unsafe { libc::mprotect(place, 4096, libc::PROT_READ | libc::PROT_EXEC) } {
        0 => Ok(String::new()),
        _ => Err(io::Error::last_os_error()),
    }
}

fn mapped(bytes: usize, access: libc::c_int) -> io::Result<*mut libc::c_void> {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: new memory at an address that the system chooses.
    let place = unsafe { libc::mmap(std::ptr::null_mut(), bytes, access, flags, -1, 0) };
    match place == libc::MAP_FAILED {
        true => Err(io::Error::last_os_error()),
        false => Ok(place),
    }
}

/// Starts a thread with the default stack of the C library.
fn thread_of_c() -> io::Result<String> {
    extern "C" fn nothing(argument: *mut libc::c_void) -> *mut libc::c_void {
        argument
    }
    let mut thread = 0;
    let none: *mut libc::c_void = std::ptr::null_mut();
    // SAFETY: the thread does nothing with its argument, and this function waits for it.
    let refused = unsafe { libc::pthread_create(&mut thread, none.cast(), nothing, none) };
    if refused != 0 {
        return Err(io::Error::from_raw_os_error(refused));
    }
    // SAFETY: the thread was just started, and only this function waits for it.
    unsafe { libc::pthread_join(thread, std::ptr::null_mut()) };
    Ok(String::new())
}
