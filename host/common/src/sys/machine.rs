//! The idle CPU time of the machine, for a decision whether a process could have had more. Linux
//! only.

/// CPU time in which the CPUs that this thread may use were idle, in microseconds since the start
/// of the machine, added up over these CPUs; a step is a clock tick of the system, usually 10 ms.
/// `None` if the system does not say.
#[cfg(target_os = "linux")]
pub fn idle_us() -> Option<u64> {
    // SAFETY: reads a constant of the system.
    let ticks_per_s = unsafe { libc::sysconf(libc::_SC_CLK_TCK) };
    let ticks_per_s = u64::try_from(ticks_per_s).ok().filter(|ticks| *ticks > 0)?;
    // SAFETY: all bytes zero is an empty set of CPUs.
    let mut cpus: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    // SAFETY: `cpus` is writable and has the given size; 0 is the calling thread.
    let refused = unsafe { libc::sched_getaffinity(0, size_of_val(&cpus), &mut cpus) };
    let may_use = |cpu: usize| {
        let is_known = refused == 0 && cpu < libc::CPU_SETSIZE as usize;
        // SAFETY: the number is within the set.
        !is_known || unsafe { libc::CPU_ISSET(cpu, &cpus) }
    };
    let ticks = idle_ticks(&std::fs::read_to_string("/proc/stat").ok()?, may_use)?;
    Some(ticks.saturating_mul(1_000_000) / ticks_per_s)
}

/// Always `None` on this system.
#[cfg(not(target_os = "linux"))]
pub fn idle_us() -> Option<u64> {
    None
}

/// The ticks in which the selected CPUs were idle or waited for a device, from the text of
/// `/proc/stat`; `None` if it has no such CPU.
#[cfg(target_os = "linux")]
fn idle_ticks(stat: &str, selected: impl Fn(usize) -> bool) -> Option<u64> {
    let of_cpu = |line: &str| {
        let (number, times) = line.strip_prefix("cpu")?.split_once(' ')?;
        let number = number.parse().ok().filter(|number| selected(*number));
        number?;
        // user, nice, system, idle, iowait, …
        let mut times = times.split_ascii_whitespace().skip(3).map_while(|it| it.parse().ok());
        let idle: u64 = times.next()?;
        Some(idle.saturating_add(times.next().unwrap_or(0)))
    };
    stat.lines().filter_map(of_cpu).reduce(u64::saturating_add)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn idle_time_of_the_selected_cpus() {
        let stat =
            "cpu  9 9 9 99 9 9\ncpu0 1 2 3 40 5 6 7 8 0 0\ncpu1 1 2 3 100 0 0\nintr 5 6 7 8\n";
        let check = |stat: &str, selected: &[usize], expected: Option<u64>| {
            assert_eq!(idle_ticks(stat, |cpu| selected.contains(&cpu)), expected, "{selected:?}");
        };
        check(stat, &[0], Some(45));
        check(stat, &[0, 1], Some(145));
        check(stat, &[2], None);
        check("", &[0], None);
        check("cpu0 1 2 3", &[0], None);
    }

    #[test]
    fn this_machine_counts_idle_time() {
        let before = idle_us().unwrap();
        assert!(idle_us().unwrap() >= before);
    }
}
