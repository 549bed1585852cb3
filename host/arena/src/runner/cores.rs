//! The number of games that a machine can play at once.

use std::path::PathBuf;

use super::CONCURRENCY_MAX;

/// The default number of games played at once: one per physical core. Two games on the hardware
/// threads of one core would share its speed.
pub fn default_concurrency() -> usize {
    let logical = std::thread::available_parallelism().map_or(1, usize::from);
    logical.min(physical_cores().unwrap_or(logical)).clamp(1, CONCURRENCY_MAX)
}

/// The number of physical cores, if Linux reports which hardware threads share one.
fn physical_cores() -> Option<usize> {
    let cpus = std::fs::read_dir("/sys/devices/system/cpu").ok()?;
    let siblings =
        |cpu: PathBuf| std::fs::read_to_string(cpu.join("topology/thread_siblings_list")).ok();
    let cores: std::collections::BTreeSet<String> =
        cpus.flatten().filter_map(|cpu| siblings(cpu.path())).collect();
    (!cores.is_empty()).then_some(cores.len())
}
