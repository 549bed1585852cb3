//! Actions without a fixed outcome, which the test or the doctor judges: they report what a process
//! sees, take an argument, or end the process.

use std::fs::File;
use std::io::{self, Write};

use super::{ExpectedOutcome, ProbeAction, call, check_fork};
use crate::ChildContext;

const fn action(
    name: &'static str,
    about: &'static str,
    run: fn(&ChildContext, &str) -> io::Result<String>,
) -> ProbeAction {
    ProbeAction { name, about, expected: ExpectedOutcome::Open, run }
}

pub(crate) const ACTIONS: &[ProbeAction] = &[
    action("identity", "user, process, parent, session", |_, _| {
        // SAFETY: these calls only return numbers.
        let (uid, gid, pid, parent) =
            unsafe { (libc::getuid(), libc::getgid(), libc::getpid(), libc::getppid()) };
        Ok(format!("{uid} {gid} {pid} {parent}"))
    }),
    action("thread-limit", "the most threads of its user", |_, _| {
        let limit = rustix::process::getrlimit(rustix::process::Resource::Nproc).maximum;
        Ok(limit.map_or("none".to_owned(), |limit| limit.to_string()))
    }),
    action("environment", "the environment", |_, _| {
        let names = std::env::vars_os().map(|(name, _)| name.to_string_lossy().into_owned());
        Ok(names.collect::<Vec<_>>().join(" "))
    }),
    action("descriptors", "the numbers of open descriptors", |_, _| {
        let open = (0..4096_usize)
            .filter(|it| call(libc::SYS_fcntl, [*it, libc::F_GETFD as usize, 0, 0, 0, 0]).is_ok());
        Ok(open.map(|it| it.to_string()).collect::<Vec<_>>().join(" "))
    }),
    action("open", "open the file with this path", |_, path| {
        File::open(path).map(|_| String::new())
    }),
    action("stat", "read the status of the file with this path", |_, path| {
        std::fs::metadata(path).map(|it| it.len().to_string())
    }),
    action("load", "load the library", |context, _| load(context)),
    action("write-file", "write this number of bytes to the last file", |context, bytes| {
        let last = context.files.last().ok_or(io::ErrorKind::NotFound)?;
        (&*last).write_all(&vec![1; number(bytes)?])?;
        Ok(String::new())
    }),
    action("fork-bomb", "make as many processes as possible", |_, rounds| {
        let mut made = 0_u32;
        for _ in 0..number(rounds)? {
            let _ = call(libc::SYS_setsid, [0; 6]);
            // SAFETY: a new process ends at once.
            made += u32::from(check_fork(unsafe { libc::fork() }.into()).is_ok());
            for flags in [libc::CLONE_VFORK, libc::CLONE_PARENT, libc::CLONE_NEWPID, 0] {
                let flags = (flags | libc::SIGCHLD) as usize;
                // SAFETY: as above; without CLONE_VM it has its own copy of the stack.
                let result = unsafe { libc::syscall(libc::SYS_clone, flags, 0, 0, 0, 0) };
                made += u32::from(check_fork(result).is_ok());
            }
        }
        Ok(made.to_string())
    }),
    action("threads", "start this number of threads that wait", |_, count| {
        let mut made = 0_u32;
        for _ in 0..number(count)? {
            let builder = std::thread::Builder::new().stack_size(16 << 10);
            match builder.spawn(|| {
                loop {
                    std::thread::park();
                }
            }) {
                Ok(_) => made += 1,
                Err(_) => break,
            }
        }
        Ok(made.to_string())
    }),
    action("fill", "use this number of bytes of memory", |_, bytes| {
        let mut filled: Vec<u8> = Vec::new();
        filled.try_reserve_exact(number(bytes)?).map_err(|_| io::ErrorKind::OutOfMemory)?;
        filled.resize(filled.capacity(), 1);
        Ok(filled.iter().map(|byte| u64::from(*byte)).sum::<u64>().to_string())
    }),
    action("hoard-shared", "keep this number of MiB by unmapped parts", |_, mib| {
        // Of each shared MiB one page stays mapped, and with it the whole MiB.
        for _ in 0..number(mib)? {
            let place = map_pages(1 << 20, libc::MAP_SHARED | libc::MAP_ANONYMOUS, WRITABLE)?;
            touch(place, 1 << 20, 4096);
            // SAFETY: whole pages that were just mapped and are not in use.
            unsafe { libc::munmap(place.add(4096).cast(), (1 << 20) - 4096) };
        }
        Ok(hold(mib))
    }),
    action("hoard-protected", "keep this number of MiB by making them read-only", |_, mib| {
        let (step, access) = (8 << 20, libc::PROT_READ);
        for _ in 0..number(mib)? / 8 {
            let place = map_pages(step, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, WRITABLE)?;
            touch(place, step, 4096);
            // SAFETY: whole pages that were just mapped and are not in use.
            unsafe { libc::mprotect(place.cast(), step, access) };
        }
        Ok(hold(mib))
    }),
    action("hoard-tables", "read a page in each of this number of GiB", |_, gib| {
        let bytes = number(gib)? << 30;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        let place = map_pages(bytes, flags, libc::PROT_READ)?;
        for at in (0..bytes).step_by(1 << 30) {
            // SAFETY: within the pages that were just mapped.
            unsafe { place.add(at).read_volatile() };
        }
        Ok(hold(gib))
    }),
    action("hoard-scattered", "use a page in each of this number of GiB", |_, gib| {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED_NOREPLACE;
        // From 16 TiB on, nothing else is mapped for long.
        for at in (1 << 14)..(1 << 14) + number(gib)? {
            // SAFETY: the flag refuses addresses that are in use.
            let place = unsafe { libc::mmap((at << 30) as *mut _, 4096, WRITABLE, flags, -1, 0) };
            if place == libc::MAP_FAILED {
                return Err(io::Error::last_os_error());
            }
            touch(place.cast(), 1, 1);
        }
        Ok(hold(gib))
    }),
    action("print", "print this number of bytes", |_, bytes| {
        let line = [&[b'x'; 1023][..], b"\n"].concat();
        let mut left = number(bytes)?;
        while left > 0 {
            let now = left.min(line.len());
            io::stderr().write_all(&line[line.len() - now..])?;
            left -= now;
        }
        Ok(String::new())
    }),
    action("say", "print this", |_, text| writeln!(io::stdout(), "{text}").map(|()| String::new())),
    action("work", "compute until killed", |_, _| {
        loop {
            std::hint::spin_loop();
        }
    }),
    action("wait", "wait until killed", |_, _| {
        loop {
            std::thread::park();
        }
    }),
    action("close-all", "close every descriptor, and exit with code 3", |_, _| {
        let _ = call(libc::SYS_close_range, [0, u32::MAX as usize, 0, 0, 0, 0]);
        std::process::exit(3)
    }),
    action("exit", "exit with this code", |_, code| std::process::exit(number(code)? as i32)),
    action("abort", "abort", |_, _| std::process::abort()),
    action("panic", "panic", |_, text| panic!("{text}")),
    action("fault", "read memory that is not mapped", |_, _| {
        // SAFETY: none: the action is to cause this fault, which ends the process.
        let byte = unsafe { std::ptr::read_volatile(std::ptr::dangling::<u8>()) };
        Ok(byte.to_string())
    }),
    action("overflow", "overflow the stack", |_, _| Ok(overflow(1).to_string())),
    action("call-32", "make a call of the 32-bit interface", |_, _| call_32()),
];

/// Waits long enough for the host to measure the memory of this process, and kill it.
fn hold(amount: &str) -> String {
    std::thread::sleep(std::time::Duration::from_secs(20));
    amount.to_owned()
}

const WRITABLE: libc::c_int = libc::PROT_READ | libc::PROT_WRITE;

/// Maps new pages.
fn map_pages(bytes: usize, flags: libc::c_int, access: libc::c_int) -> io::Result<*mut u8> {
    // SAFETY: new memory at an address that the system chooses.
    let place = unsafe { libc::mmap(std::ptr::null_mut(), bytes, access, flags, -1, 0) };
    match place == libc::MAP_FAILED {
        true => Err(io::Error::last_os_error()),
        false => Ok(place.cast()),
    }
}

/// Writes to one byte of each step.
fn touch(place: *mut u8, bytes: usize, step: usize) {
    for at in (0..bytes).step_by(step) {
        // SAFETY: the caller has just mapped these bytes for writing.
        unsafe { place.add(at).write_volatile(1) };
    }
}

fn number(text: &str) -> io::Result<usize> {
    text.parse().map_err(|_| io::Error::other(format!("`{text}` is not a number")))
}

fn load(context: &ChildContext) -> io::Result<String> {
    let path =
        context.library.as_ref().ok_or_else(|| io::Error::other("the request has no library"))?;
    // SAFETY: the caller chooses the library, and the process exists only to load it.
    match unsafe { libloading::Library::new(path) } {
        Ok(library) => {
            std::mem::forget(library);
            Ok(path.display().to_string())
        }
        Err(error) => {
            Err(io::Error::other(format!("{error}: {:?}", std::error::Error::source(&error))))
        }
    }
}

#[allow(unconditional_recursion)]
fn overflow(depth: u64) -> u64 {
    let room = std::hint::black_box([depth; 512]);
    overflow(depth + 1) + room[7]
}

#[cfg(target_arch = "x86_64")]
fn call_32() -> io::Result<String> {
    let result: i64;
    // SAFETY: this requests the id of the process (20 in the numbers of that interface).
    unsafe {
        std::arch::asm!("int 0x80", inlateout("rax") 20_i64 => result,
            out("r8") _, out("r9") _, out("r10") _, out("r11") _);
    }
    Ok(result.to_string())
}

#[cfg(not(target_arch = "x86_64"))]
fn call_32() -> io::Result<String> {
    Err(io::Error::other("this processor does not have that interface"))
}
