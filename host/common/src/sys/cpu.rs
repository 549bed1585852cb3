//! CPU clocks of threads and processes: processor time used by the code and by the system on its
//! behalf, independent of other load. Linux only. Reading a clock costs one system call.

/// The CPU clock of one thread of this process, or of a process; readable from any thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CpuClock {
    #[cfg(target_os = "linux")]
    id: libc::clockid_t,
}

/// Whether this system counts the CPU time of threads.
pub fn is_counted() -> bool {
    CpuClock::of_this_thread().is_some_and(|clock| clock.now_us().is_some())
}

#[cfg(target_os = "linux")]
impl CpuClock {
    /// The clock of the calling thread; `None` if the system has no such clock.
    pub fn of_this_thread() -> Option<Self> {
        let mut id = 0;
        // SAFETY: a running thread has a valid id, and `id` is writable.
        let refused = unsafe { libc::pthread_getcpuclockid(libc::pthread_self(), &mut id) };
        (refused == 0).then_some(Self { id })
    }

    /// The clock of a process: all its threads together. The process may have ended; then
    /// [`now_us`](Self::now_us) returns `None`.
    pub fn of_process(pid: u32) -> Option<Self> {
        /// The scheduler's clock (`CPUCLOCK_SCHED`) among a process's clocks.
        const SCHED: libc::clockid_t = 2;
        // Linux fixes this encoding (`clock_getres(2)`). The C library's own function would first
        // check that the process still exists.
        let pid = libc::clockid_t::try_from(pid).ok()?;
        Some(Self { id: !pid << 3 | SCHED })
    }

    /// CPU time since the start of the thread or process, in microseconds; `None` after its end.
    pub fn now_us(self) -> Option<u64> {
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: `time` is writable; a clock that no longer exists gives an error.
        let refused = unsafe { libc::clock_gettime(self.id, &mut time) };
        if refused != 0 {
            return None;
        }
        let seconds = u64::try_from(time.tv_sec).ok()?;
        Some(seconds * 1_000_000 + u64::try_from(time.tv_nsec).ok()? / 1_000)
    }
}

#[cfg(not(target_os = "linux"))]
impl CpuClock {
    /// Always `None` on this system.
    pub fn of_process(_pid: u32) -> Option<Self> {
        None
    }

    /// Always `None` on this system.
    pub fn of_this_thread() -> Option<Self> {
        None
    }

    /// Always `None` on this system.
    pub fn now_us(self) -> Option<u64> {
        None
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    /// Keeps this thread busy for `us` microseconds of CPU time.
    fn work(us: u64) {
        let clock = CpuClock::of_this_thread().unwrap();
        let start = clock.now_us().unwrap();
        while clock.now_us().unwrap() < start + us {}
    }

    #[test]
    fn a_thread_is_charged_for_its_own_work_only() {
        let (report, clocks) = channel();
        let (resume, waits) = channel::<()>();
        let idle = std::thread::spawn(move || {
            report.send(CpuClock::of_this_thread().unwrap()).unwrap();
            waits.recv().unwrap();
        });
        let clock = clocks.recv().unwrap();
        let before = clock.now_us().unwrap();
        work(20_000);
        let after = clock.now_us().unwrap();
        // In between, the idle thread used CPU time at most for falling asleep.
        assert!(after - before < 20_000, "{before} {after}");
        resume.send(()).unwrap();
        idle.join().unwrap();
    }

    #[test]
    fn another_thread_can_read_the_clock() {
        let (report, clocks) = channel();
        let (resume, waits) = channel::<()>();
        let busy = std::thread::spawn(move || {
            work(5_000);
            report.send(CpuClock::of_this_thread().unwrap()).unwrap();
            waits.recv().unwrap();
        });
        assert!(clocks.recv().unwrap().now_us().unwrap() >= 5_000);
        resume.send(()).unwrap();
        busy.join().unwrap();
        assert!(is_counted());
    }

    #[test]
    fn a_process_has_a_clock_until_it_ends() {
        let mut id = 0;
        // SAFETY: `id` is writable.
        assert_eq!(unsafe { libc::clock_getcpuclockid(libc::getpid(), &mut id) }, 0);
        let own = CpuClock::of_process(std::process::id()).unwrap();
        assert_eq!(own.id, id);
        assert!(own.now_us().unwrap() > 0);
        let mut child = std::process::Command::new("true").spawn().unwrap();
        child.wait().unwrap();
        assert_eq!(CpuClock::of_process(child.id()).unwrap().now_us(), None);
    }
}
