//! What an inmate must be able to do: the near ones of what is forbidden, and what
//! computing needs.

use std::io;

use libc::{EACCES, EPERM};

use super::{Act, Verdict, call};
use crate::jail::Cell;

const FINE: Verdict = Verdict::Allowed;
const LIBRARIES: Verdict = Verdict::NativeOnly(&[EPERM, EACCES]);

const fn act(
    name: &'static str,
    about: &'static str,
    verdict: Verdict,
    run: fn(&Cell, &str) -> io::Result<String>,
) -> Act {
    Act { name, about, verdict, run }
}

pub const ACTS: &[Act] = &[
    act("thread", "start a thread", FINE, |_, _| {
        let thread = std::thread::Builder::new().name("probe".to_owned()).spawn(|| 7)?;
        Ok(format!("{:?}", thread.join().ok()))
    }),
    act("thread-c", "start a thread as C does", FINE, |_, _| thread_of_c()),
    act("signal-oneself", "signal itself", FINE, |_, _| {
        call(libc::SYS_kill, [std::process::id() as usize, 0, 0, 0, 0, 0])
    }),
    act("tgkill-oneself", "signal its own thread", FINE, |_, _| {
        let own = std::process::id() as usize;
        call(libc::SYS_tgkill, [own, own, 0, 0, 0, 0])
    }),
    act("flags", "read a descriptor's flags", FINE, |_, _| {
        call(libc::SYS_fcntl, [0, libc::F_GETFL as usize, 0, 0, 0, 0])
    }),
    act("non-blocking", "not wait for its output", FINE, |_, _| {
        call(libc::SYS_fcntl, [0, libc::F_SETFL as usize, libc::O_NONBLOCK as usize, 0, 0, 0])
    }),
    act("is-dumpable", "see whether it is open to others", FINE, |_, _| {
        call(libc::SYS_prctl, [libc::PR_GET_DUMPABLE as usize, 0, 0, 0, 0, 0])
    }),
    act("limits", "read its own limits", FINE, |_, _| {
        call(libc::SYS_prlimit64, [0, libc::RLIMIT_NOFILE as usize, 0, 0, 0, 0])
    }),
    act("affinity", "count its processors", FINE, |_, _| {
        std::thread::available_parallelism().map(|count| count.to_string())
    }),
    act("clocks", "read clocks", FINE, |_, _| {
        let now = std::time::Instant::now();
        Ok(format!("{:?}", now.elapsed()))
    }),
    act("random", "ask for random bytes", FINE, |_, _| {
        let mut bytes = [0_u8; 16];
        // SAFETY: so many bytes are there to be written.
        super::came(unsafe { libc::getrandom(bytes.as_mut_ptr().cast(), 16, 0) } as _)
    }),
    act("map-some", "take 1 MiB of memory", FINE, |_, _| map(1 << 20)),
    act("map-code", "make code", FINE, |_, _| map_code()),
    act("read-handed", "read what it was handed", FINE, |cell, _| {
        let lengths = cell.files.iter().map(|file| {
            let mut buffer = [0; 64];
            let read = std::os::unix::fs::FileExt::read_at(file, &mut buffer, 0)?;
            Ok(format!("{read}/{}", file.metadata()?.len()))
        });
        Ok(lengths.collect::<io::Result<Vec<_>>>()?.join(" "))
    }),
    act("time-out", "wait for a word with a limit", FINE, |cell, _| {
        cell.stops.set_read_timeout(Some(std::time::Duration::from_millis(1)))?;
        let mut buffer = [0; 1];
        match io::Read::read(&mut &cell.stops, &mut buffer) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(String::new()),
            other => Err(io::Error::other(format!("{other:?}"))),
        }
    }),
    act("list-libraries", "list the system's libraries", LIBRARIES, |_, _| {
        Ok(std::fs::read_dir("/usr/lib")?.count().to_string())
    }),
    act("pipe", "make a pipe to itself", LIBRARIES, |_, _| {
        let (mut reader, mut writer) = io::pipe()?;
        io::Write::write_all(&mut writer, b"x")?;
        io::Read::read_exact(&mut reader, &mut [0])?;
        Ok(String::new())
    }),
];

/// Memory that can be written to, and back.
pub fn map(bytes: usize) -> io::Result<String> {
    let access = libc::PROT_READ | libc::PROT_WRITE;
    mapped(bytes, access)?;
    Ok(String::new())
}

/// Memory that is written first and run then, as compilers and loaders do.
fn map_code() -> io::Result<String> {
    let place = mapped(4096, libc::PROT_READ | libc::PROT_WRITE)?;
    // SAFETY: it was mapped just now, whole pages, and nobody uses it.
    match unsafe { libc::mprotect(place, 4096, libc::PROT_READ | libc::PROT_EXEC) } {
        0 => Ok(String::new()),
        _ => Err(io::Error::last_os_error()),
    }
}

fn mapped(bytes: usize, access: libc::c_int) -> io::Result<*mut libc::c_void> {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: new memory, where the system likes.
    let place = unsafe { libc::mmap(std::ptr::null_mut(), bytes, access, flags, -1, 0) };
    match place == libc::MAP_FAILED {
        true => Err(io::Error::last_os_error()),
        false => Ok(place),
    }
}

/// With the stack that the C library gives by default.
fn thread_of_c() -> io::Result<String> {
    extern "C" fn nothing(argument: *mut libc::c_void) -> *mut libc::c_void {
        argument
    }
    let mut thread = 0;
    let none: *mut libc::c_void = std::ptr::null_mut();
    // SAFETY: the thread does nothing with its argument, and is waited for.
    let refused = unsafe { libc::pthread_create(&mut thread, none.cast(), nothing, none) };
    if refused != 0 {
        return Err(io::Error::from_raw_os_error(refused));
    }
    // SAFETY: it was made just now and nobody else waits for it.
    unsafe { libc::pthread_join(thread, std::ptr::null_mut()) };
    Ok(String::new())
}
