//! How many games a machine can play at once.

use std::path::PathBuf;

use super::CONCURRENCY_MAX;

/// How many games to play at once where nobody says: one for each core, and no
/// two on the threads of one core, which would share its speed.
pub fn usual_concurrency() -> usize {
    let logical = std::thread::available_parallelism().map_or(1, usize::from);
    logical.min(physical_cores().unwrap_or(logical)).clamp(1, CONCURRENCY_MAX)
}

/// The cores of this machine, where Linux tells which of its threads share one.
fn physical_cores() -> Option<usize> {
    let cpus = std::fs::read_dir("/sys/devices/system/cpu").ok()?;
    let siblings =
        |cpu: PathBuf| std::fs::read_to_string(cpu.join("topology/thread_siblings_list")).ok();
    let cores: std::collections::BTreeSet<String> =
        cpus.flatten().filter_map(|cpu| siblings(cpu.path())).collect();
    (!cores.is_empty()).then_some(cores.len())
}
