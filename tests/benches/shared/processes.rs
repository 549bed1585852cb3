//! Resources of processes on Linux: memory, descriptors, and the descendants of this process.

use std::fs;
use std::path::Path;

/// The ids of all descendants of this process.
pub(crate) fn below() -> Vec<u32> {
    let mut found = children(std::process::id());
    let mut next = 0;
    while next < found.len() {
        found.extend(children(found[next]));
        next += 1;
    }
    found
}

fn children(pid: u32) -> Vec<u32> {
    let threads = fs::read_dir(format!("/proc/{pid}/task"));
    let of_thread = |thread: fs::DirEntry| fs::read_to_string(thread.path().join("children"));
    let texts = threads.into_iter().flatten().flatten().flat_map(of_thread);
    texts.flat_map(|text| text.split(' ').flat_map(str::parse).collect::<Vec<u32>>()).collect()
}

/// Proportional set size of a process in bytes: private memory plus its part of shared memory.
pub(crate) fn memory_bytes(pid: u32) -> u64 {
    let text = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("Pss:"));
    let kib = line.and_then(|line| line.trim().strip_suffix(" kB"));
    kib.and_then(|kib| kib.parse::<u64>().ok()).unwrap_or(0) * 1024
}

/// Open descriptors of a process.
pub(crate) fn descriptors(pid: u32) -> usize {
    fs::read_dir(format!("/proc/{pid}/fd")).map_or(0, Iterator::count)
}

/// Number of entries in the folder of temporary files.
pub(crate) fn temporary_files() -> usize {
    entries(&std::env::temp_dir())
}

fn entries(folder: &Path) -> usize {
    fs::read_dir(folder).map_or(0, Iterator::count)
}
