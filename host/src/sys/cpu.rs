//! CPU clocks of threads and processes: what one has had of the processor, its own
//! code and the system's for it, however busy the machine is. Linux only so far;
//! elsewhere there is no such clock. A reading costs a call of the system.

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
    /// The clock of the thread that asks; none where the system has none.
    pub fn of_this_thread() -> Option<Self> {
        let mut id = 0;
        // SAFETY: a thread that runs has a valid id of its own, and `id` is there
        // to be written.
        let refused = unsafe { libc::pthread_getcpuclockid(libc::pthread_self(), &mut id) };
        (refused == 0).then_some(Self { id })
    }

    /// The clock of a process, all its threads together, however they are called. The process may
    /// have ended already: then the clock says nothing.
    pub fn of_process(pid: u32) -> Option<Self> {
        /// Time at work, of the clocks that a process has.
        const AT_WORK: libc::clockid_t = 2;
        // As Linux numbers them for good (`clock_getres(2)`); the C library's own function asks
        // first whether the process is still there.
        let pid = libc::clockid_t::try_from(pid).ok()?;
        Some(Self { id: !pid << 3 | AT_WORK })
    }

    /// CPU time since it began, in microseconds; none once it has ended.
    pub fn now_us(self) -> Option<u64> {
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: `time` is there to be written; of a clock that is gone nothing
        // comes but an error.
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
    /// None, as below.
    pub fn of_process(_pid: u32) -> Option<Self> {
        None
    }

    /// None: this system has no such clock.
    pub fn of_this_thread() -> Option<Self> {
        None
    }

    /// None, as above.
    pub fn now_us(self) -> Option<u64> {
        None
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    /// Works until this thread has had so much more of the processor.
    fn work(us: u64) {
        let clock = CpuClock::of_this_thread().unwrap();
        let began = clock.now_us().unwrap();
        while clock.now_us().unwrap() < began + us {}
    }

    #[test]
    fn a_thread_is_charged_for_its_own_work_only() {
        let (report, clocks) = channel();
        let (go_on, waits) = channel::<()>();
        let idle = std::thread::spawn(move || {
            report.send(CpuClock::of_this_thread().unwrap()).unwrap();
            waits.recv().unwrap();
        });
        let clock = clocks.recv().unwrap();
        let before = clock.now_us().unwrap();
        work(20_000);
        let after = clock.now_us().unwrap();
        // What is between is going to sleep, at most.
        assert!(after - before < 20_000, "{before} {after}");
        go_on.send(()).unwrap();
        idle.join().unwrap();
    }

    #[test]
    fn another_thread_sees_what_was_worked() {
        let (report, clocks) = channel();
        let (go_on, waits) = channel::<()>();
        let busy = std::thread::spawn(move || {
            work(5_000);
            report.send(CpuClock::of_this_thread().unwrap()).unwrap();
            waits.recv().unwrap();
        });
        assert!(clocks.recv().unwrap().now_us().unwrap() >= 5_000);
        go_on.send(()).unwrap();
        busy.join().unwrap();
        assert!(is_counted());
    }

    #[test]
    fn a_process_has_a_clock_until_it_ends() {
        let mut id = 0;
        // SAFETY: `id` is there to be written.
        assert_eq!(unsafe { libc::clock_getcpuclockid(libc::getpid(), &mut id) }, 0);
        let own = CpuClock::of_process(std::process::id()).unwrap();
        assert_eq!(own.id, id);
        assert!(own.now_us().unwrap() > 0);
        let mut child = std::process::Command::new("true").spawn().unwrap();
        child.wait().unwrap();
        assert_eq!(CpuClock::of_process(child.id()).unwrap().now_us(), None);
    }
}
