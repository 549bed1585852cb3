//! A cgroup for each jailed process, in which the kernel limits its memory. The host makes, reads
//! and removes the cgroups. It moves no process: the zygote and init let a process begin in one.

mod location;

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use self::location::CgroupLocation;
use super::Role;
use super::messages::{CgroupEntry, CgroupVersion, ZygoteRequest};
use super::restrictions::{NATIVE_MARGIN_BYTES, watched_bytes_max};

/// Folders of cgroups are named `sandboard-PID-N`, with the process id of the host.
const NAME_PREFIX: &str = "sandboard-";
/// The `N` of the next folder of this process.
static NEXT_NUMBER: AtomicU64 = AtomicU64::new(1);

/// What a process may need in addition to its address space, in bytes: kernel stacks of threads,
/// descriptions of its mappings, buffers of its channels, and init.
const KERNEL_MARGIN_BYTES: u64 = 64 << 20;
/// For page tables, one byte for each 128 bytes of memory: four times what they need at least.
const PAGE_TABLE_DIVISOR: u64 = 128;

/// How far below the limit a cgroup may be when the kernel refuses it memory, in bytes: the kernel
/// asks for several pages at once.
const REFUSED_BYTES_MAX: u64 = 1 << 20;

/// How often the removal of the last folders is tried. A process that was killed needs about a
/// millisecond to leave its cgroup.
const REMOVAL_TRIES: u32 = 200;
const REMOVAL_INTERVAL: Duration = Duration::from_millis(5);

/// The limit of a process's cgroup, in bytes. `files_bytes`: the size of all its files, of which
/// init may make copies. `baseline_address_bytes`: the address space of a process before it does
/// anything.
///
/// It is above all other limits of the process, so that an allocation beyond these returns an error
/// as it does without a cgroup.
pub(crate) fn limit_bytes(
    request: &ZygoteRequest,
    files_bytes: u64,
    baseline_address_bytes: u64,
) -> u64 {
    let memory_bytes = request.memory_bytes;
    let bytes = match watched_bytes_max(request.role, memory_bytes, files_bytes) {
        // Files that the process writes are in memory, and count.
        Some(watched) => [watched, request.file_bytes].to_vec(),
        None => {
            let baseline = if request.role == Role::Program { 0 } else { baseline_address_bytes };
            let margins = [NATIVE_MARGIN_BYTES, KERNEL_MARGIN_BYTES, baseline, files_bytes];
            [&margins[..], &[memory_bytes, memory_bytes / PAGE_TABLE_DIVISOR]].concat()
        }
    };
    bytes.into_iter().fold(0, u64::saturating_add)
}

/// Makes the cgroups of one jail. Clones share the list of the folders that are to be removed.
#[derive(Clone, Debug)]
pub(crate) struct MemoryCgroups(Arc<CgroupFolder>);

impl MemoryCgroups {
    /// Finds the folder for the cgroups of this machine, and removes cgroups of hosts that were
    /// killed. Err: why there is no such folder. Only making a cgroup shows whether it works.
    pub(crate) fn find() -> Result<Self, String> {
        let [mountinfo, own_cgroups] = ["/proc/self/mountinfo", "/proc/self/cgroup"]
            .map(|path| fs::read_to_string(path).map_err(|error| format!("{path}: {error}")));
        let location = CgroupLocation::find(Path::new("/"), &mountinfo?, &own_cgroups?)?;
        remove_stale(&location.parent, process_exists);
        Ok(Self(Arc::new(CgroupFolder { location, emptied: Mutex::default() })))
    }

    /// The word of the version, for the state of the layer.
    pub(crate) fn version(&self) -> &'static str {
        match self.0.location.version {
            CgroupVersion::V1 => "v1",
            CgroupVersion::V2 => "v2",
        }
    }

    /// Makes a cgroup with this limit. Err: what failed, with the path.
    pub(crate) fn make(&self, limit_bytes: u64) -> Result<MemoryCgroup, String> {
        self.0.remove_emptied();
        let path = self.0.make_folder()?;
        let cgroup = MemoryCgroup { path, limit_bytes, folder: Arc::clone(&self.0) };
        write_limits(cgroup.version(), &cgroup.path, limit_bytes)?;
        Ok(cgroup)
    }
}

/// The folder of all cgroups of one jail.
#[derive(Debug)]
struct CgroupFolder {
    location: CgroupLocation,
    /// Folders of processes that are about to end.
    emptied: Mutex<Vec<PathBuf>>,
}

impl CgroupFolder {
    fn make_folder(&self) -> Result<PathBuf, String> {
        loop {
            let number = NEXT_NUMBER.fetch_add(1, Ordering::Relaxed);
            let name = format!("{NAME_PREFIX}{}-{number}", std::process::id());
            let path = self.location.parent.join(name);
            match fs::create_dir(&path) {
                Ok(()) => return Ok(path),
                // It is of an earlier host with the same process id.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => (),
                Err(error) => return Err(format!("making {}: {error}", path.display())),
            }
        }
    }

    /// Removes a folder, or remembers it if it still has processes.
    fn remove(&self, path: PathBuf) {
        if has_processes(fs::remove_dir(&path)) {
            self.emptied.lock().unwrap_or_else(PoisonError::into_inner).push(path);
        }
    }

    /// Tries again to remove the folders that still had processes. Whether all are gone.
    fn remove_emptied(&self) -> bool {
        let mut emptied = self.emptied.lock().unwrap_or_else(PoisonError::into_inner);
        emptied.retain(|path| has_processes(fs::remove_dir(path)));
        emptied.is_empty()
    }
}

impl Drop for CgroupFolder {
    fn drop(&mut self) {
        for _ in 0..REMOVAL_TRIES {
            if self.remove_emptied() {
                return;
            }
            std::thread::sleep(REMOVAL_INTERVAL);
        }
    }
}

/// Whether a folder could not be removed because there are processes in it.
fn has_processes(removed: io::Result<()>) -> bool {
    removed.is_err_and(|error| error.kind() == io::ErrorKind::ResourceBusy)
}

/// Removes the empty folders of hosts that do not exist any more.
fn remove_stale(parent: &Path, host_exists: impl Fn(u32) -> bool) {
    let entries = fs::read_dir(parent).into_iter().flatten().flatten();
    for entry in entries {
        let host = entry.file_name().to_str().and_then(host_of);
        if host.is_some_and(|pid| !host_exists(pid)) {
            // It fails if the folder is not empty.
            let _ = fs::remove_dir(entry.path());
        }
    }
}

/// The process id of the host that made a folder, by the name of the folder.
fn host_of(name: &str) -> Option<u32> {
    let (pid, number) = name.strip_prefix(NAME_PREFIX)?.split_once('-')?;
    let is_number = |text: &str| text.bytes().all(|it| it.is_ascii_digit());
    let valid = is_number(pid) && is_number(number) && !number.is_empty();
    pid.parse().ok().filter(|_| valid)
}

fn process_exists(pid: u32) -> bool {
    let pid = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw);
    // A process of another user gives another error.
    pid.is_some_and(|pid| rustix::process::test_kill_process(pid) != Err(rustix::io::Errno::SRCH))
}

/// The cgroup of one process. Dropping it removes the folder, at the latest when its jail is
/// dropped, too.
#[derive(Debug)]
pub(crate) struct MemoryCgroup {
    path: PathBuf,
    limit_bytes: u64,
    folder: Arc<CgroupFolder>,
}

impl MemoryCgroup {
    fn version(&self) -> CgroupVersion {
        self.folder.location.version
    }

    /// What a process needs to begin in this cgroup. Err: what failed, with the path.
    pub(crate) fn open_entry(&self) -> Result<(CgroupEntry, OwnedFd), String> {
        let version = self.version();
        let (path, opened) = match version {
            CgroupVersion::V1 => {
                let path = self.path.join("tasks");
                let opened = OpenOptions::new().write(true).open(&path);
                (path, opened)
            }
            CgroupVersion::V2 => (self.path.clone(), File::open(&self.path)),
        };
        let opened = opened.map_err(|error| format!("opening {}: {error}", path.display()))?;
        Ok((CgroupEntry { version, path }, opened.into()))
    }

    /// What its processes held at most and the limit, in bytes, if the kernel ended a process
    /// because of the limit.
    pub(crate) fn excess(&self) -> Option<(u64, u64)> {
        let held_bytes = read_held_by_killed(self.version(), &self.path, self.limit_bytes)?;
        Some((held_bytes, self.limit_bytes))
    }
}

impl Drop for MemoryCgroup {
    fn drop(&mut self) {
        self.folder.remove(std::mem::take(&mut self.path));
    }
}

/// Limits the memory of a cgroup. Swap is part of the limit, or is not allowed at all.
fn write_limits(version: CgroupVersion, folder: &Path, limit_bytes: u64) -> Result<(), String> {
    let write = |name: &str, text: &str| {
        let path = folder.join(name);
        let opened = OpenOptions::new().write(true).open(&path);
        let written = opened.and_then(|mut file| file.write_all(text.as_bytes()));
        written.map_err(|error| (error.kind(), format!("writing {}: {error}", path.display())))
    };
    let limit = limit_bytes.to_string();
    let (memory, swap) = match version {
        CgroupVersion::V1 => {
            (("memory.limit_in_bytes", &*limit), ("memory.memsw.limit_in_bytes", &*limit))
        }
        CgroupVersion::V2 => (("memory.max", &*limit), ("memory.swap.max", "0")),
    };
    write(memory.0, memory.1).map_err(|(_, reason)| reason)?;
    match write(swap.0, swap.1) {
        // The kernel does not count swap, or has none.
        Err((io::ErrorKind::NotFound, _)) => Ok(()),
        written => written.map_err(|(_, reason)| reason),
    }
}

/// What the processes of a cgroup held at most, in bytes, if the kernel killed one of them because
/// of the limit. None: it killed none, or only because the whole machine had too little memory.
fn read_held_by_killed(version: CgroupVersion, folder: &Path, limit_bytes: u64) -> Option<u64> {
    let read = |name: &str| fs::read_to_string(folder.join(name)).ok();
    let number = |name: &str| read(name)?.trim().parse::<u64>().ok();
    let is_counted = |name: &str, event: &str| {
        let text = read(name).unwrap_or_default();
        let mut lines = text.lines().filter_map(|line| line.split_once(' '));
        lines.any(|(key, count)| key == event && count.trim() != "0")
    };
    match version {
        CgroupVersion::V1 => {
            let peaks = ["memory.max_usage_in_bytes", "memory.memsw.max_usage_in_bytes"];
            // The counters `failcnt` stay 0 in some kernels, such as Linux 6.18.
            let peak = peaks.into_iter().filter_map(number).max()?;
            let at_limit = peak.saturating_add(REFUSED_BYTES_MAX) >= limit_bytes;
            (is_counted("memory.oom_control", "oom_kill") && at_limit).then_some(peak)
        }
        CgroupVersion::V2 => {
            let [killed, at_limit] =
                ["oom_kill", "oom"].map(|event| is_counted("memory.events", event));
            // Linux before 5.19 does not say it.
            (killed && at_limit).then(|| number("memory.peak").unwrap_or(limit_bytes))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use CgroupVersion::{V1, V2};

    const MIB: u64 = 1 << 20;

    /// A folder with these files.
    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            fs::write(folder.path().join(name), text).unwrap();
        }
        folder
    }

    #[test]
    fn the_limit_is_above_all_other_limits() {
        let limit = |role, memory_bytes| {
            let (cpu_s, probe, program, cgroup) = (None, false, None, None);
            let file_bytes = 3 * MIB;
            let request =
                ZygoteRequest { role, memory_bytes, cpu_s, file_bytes, probe, program, cgroup };
            limit_bytes(&request, 5 * MIB, 7 * MIB)
        };
        for role in [Role::Wasm, Role::Compile] {
            let watched = watched_bytes_max(role, 100 * MIB, 5 * MIB).unwrap();
            assert_eq!(limit(role, 100 * MIB), watched + 3 * MIB, "{role:?}");
        }
        // RLIMIT_AS is the cap, the margin and what the process has at its start.
        let address_bytes = 256 * MIB + NATIVE_MARGIN_BYTES;
        let kernel_bytes = KERNEL_MARGIN_BYTES + 2 * MIB;
        let program = address_bytes + 5 * MIB + kernel_bytes;
        assert_eq!(limit(Role::Program, 256 * MIB), program);
        assert_eq!(limit(Role::Native, 256 * MIB), program + 7 * MIB);
        for role in [Role::Native, Role::Wasm, Role::Compile, Role::Program] {
            assert_eq!(limit(role, u64::MAX), u64::MAX, "{role:?}");
        }
    }

    #[test]
    fn limits_are_written_for_memory_and_swap() {
        let check = |version, files: &[&str], expected: Result<&[(&str, &str)], &str>| {
            let empty: Vec<(&str, &str)> = files.iter().map(|name| (*name, "")).collect();
            let folder = folder(&empty);
            match (write_limits(version, folder.path(), 12345), expected) {
                (Ok(()), Ok(expected)) => {
                    for (name, text) in expected {
                        let found = fs::read_to_string(folder.path().join(name)).unwrap();
                        assert_eq!(found, *text, "{name}");
                    }
                    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), expected.len());
                }
                (Err(reason), Err(part)) => {
                    let path = folder.path().join(part);
                    let start = format!("writing {}: ", path.display());
                    assert!(reason.starts_with(&start), "{reason}");
                }
                (found, _) => panic!("{files:?}: {found:?}"),
            }
        };
        let (memory, swap) = ("memory.limit_in_bytes", "memory.memsw.limit_in_bytes");
        check(V1, &[memory, swap], Ok(&[(memory, "12345"), (swap, "12345")]));
        check(V1, &[memory], Ok(&[(memory, "12345")]));
        check(V1, &[swap], Err(memory));
        let (memory, swap) = ("memory.max", "memory.swap.max");
        check(V2, &[memory, swap], Ok(&[(memory, "12345"), (swap, "0")]));
        check(V2, &[memory], Ok(&[(memory, "12345")]));
        check(V2, &[swap], Err(memory));
    }

    #[test]
    fn a_kill_for_memory_is_recognised() {
        let check = |version, files: &[(&str, &str)], expected: Option<u64>| {
            let found = read_held_by_killed(version, folder(files).path(), 100 * MIB);
            assert_eq!(found, expected, "{files:?}");
        };
        let control = |kills| ("memory.oom_control", kills);
        let killed = control("oom_kill_disable 0\nunder_oom 0\noom_kill 1\n");
        let not_killed = control("oom_kill_disable 1\nunder_oom 1\noom_kill 0\n");
        let peak = |bytes| ("memory.max_usage_in_bytes", bytes);
        let swap_peak = |bytes| ("memory.memsw.max_usage_in_bytes", bytes);
        check(V1, &[killed, peak("104857600\n")], Some(100 * MIB));
        check(V1, &[killed, peak("103809024\n")], Some(99 * MIB));
        check(V1, &[killed, peak("1\n"), swap_peak("104857600\n")], Some(100 * MIB));
        check(V1, &[not_killed, peak("104857600\n")], None);
        // The whole machine had too little memory.
        check(V1, &[killed, peak("103809023\n"), swap_peak("103809023\n")], None);
        check(V1, &[killed], None);
        check(V1, &[], None);
        fn events(text: &str) -> (&str, &str) {
            ("memory.events", text)
        }
        let killed = "low 0\nhigh 0\nmax 9\noom 1\noom_kill 1\noom_group_kill 0\n";
        check(V2, &[events(killed), ("memory.peak", "996\n")], Some(996));
        check(V2, &[events(killed)], Some(100 * MIB));
        check(V2, &[events(&killed.replace("oom 1", "oom 0"))], None);
        check(V2, &[events(&killed.replace("oom_kill 1", "oom_kill 0"))], None);
        check(V2, &[], None);
    }

    #[test]
    fn folders_of_hosts_that_are_gone_are_removed() {
        let folder = folder(&[("sandboard-5-9", "a file, no folder")]);
        let names = |is_kept: bool| match is_kept {
            true => [
                "sandboard-6-1",
                "sandboard-5",
                "sandboard-5-",
                "sandboard--1",
                "sandboard-5-x",
                "sandboard-+5-1",
                "sandboard-5-1-2",
                "x-sandboard-5-1",
                "sandboard-5-3",
            ]
            .to_vec(),
            false => ["sandboard-5-1", "sandboard-5-20", "sandboard-4-1"].to_vec(),
        };
        for name in [names(true), names(false)].concat() {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        // As a cgroup with processes, this folder cannot be removed.
        fs::write(folder.path().join("sandboard-5-3/x"), "").unwrap();
        remove_stale(folder.path(), |pid| pid == 6);
        let left = |name: &&str| folder.path().join(name).exists();
        assert_eq!(names(true).into_iter().filter(left).collect::<Vec<_>>(), names(true));
        assert_eq!(names(false).into_iter().filter(left).count(), 0);
        assert!(left(&"sandboard-5-9"));
        assert!(process_exists(std::process::id()) && process_exists(1));
        assert!(!process_exists(i32::MAX as u32) && !process_exists(u32::MAX));
    }

    #[test]
    fn a_cgroup_removes_its_folder() {
        let parent = folder(&[]);
        let location = CgroupLocation { version: V2, parent: parent.path().to_owned() };
        let cgroups = MemoryCgroups(Arc::new(CgroupFolder { location, emptied: Mutex::default() }));
        let count = || fs::read_dir(parent.path()).unwrap().count();
        // The kernel makes the files of a cgroup. A usual folder has none, and its limit fails.
        let error = cgroups.make(1).unwrap_err();
        assert!(error.starts_with("writing ") && error.contains("/memory.max: "), "{error}");
        assert_eq!(count(), 0);
        let make = || {
            let path = cgroups.0.make_folder().unwrap();
            MemoryCgroup { path, limit_bytes: 1, folder: Arc::clone(&cgroups.0) }
        };
        let (one, other) = (make(), make());
        assert!(one.open_entry().is_ok(), "version 2 needs only the folder");
        assert_ne!(one.path, other.path);
        assert_eq!(
            host_of(one.path.file_name().unwrap().to_str().unwrap()),
            Some(std::process::id())
        );
        assert_eq!(count(), 2);
        drop((one, other));
        assert_eq!(count(), 0);
    }
}
