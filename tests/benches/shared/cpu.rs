//! CPU time, which other load on the machine changes less than wall time.

/// The CPU time of this thread so far, in seconds.
pub(crate) fn thread_cpu_s() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}
