//! The memory cgroups of jailed processes. On a machine without them, or as an ordinary user, these
//! tests check that the jail says why it has none.

use std::fs;
use std::path::{Path, PathBuf};

use sandboard_jail::{ExitCause, Jail, Layer, Role, SpawnRequest};

use super::traces::{host, is_a_host};
use super::{MIB, ROLES, jail, output_of, probe, spawn_request, try_act};

/// The reasons why a machine has no memory cgroups.
const REASONS: [&str; 6] = [
    "Permission denied",
    "Read-only file system",
    "names no cgroup that can limit memory",
    "shows no hierarchy of cgroups that can limit memory",
    "`memory` is neither in",
    "would leave the limit in",
];

/// The limit of a process for WebAssembly with a cap of 64 MiB: the cap and two margins.
const LIMIT_MIB: u64 = 192;

/// A jail with memory cgroups. None: this machine has none. The reason was checked.
fn jail_with_cgroups() -> Option<Jail> {
    let jail = jail(&[]);
    let states = jail.layers().states();
    let found = states.iter().find(|it| it.layer == Layer::MemoryCgroup).unwrap();
    match &found.state {
        Ok(version) => {
            assert!(matches!(version.as_deref(), Some("v1" | "v2")), "{version:?}");
            return Some(jail);
        }
        Err(reason) => {
            assert!(REASONS.iter().any(|known| reason.contains(known)), "{reason}");
        }
    }
    // Nothing else changes.
    assert_eq!(output_of(&probe(&jail, Role::Wasm), "threads 1"), "1");
    None
}

/// The cgroups that the host with this process id has made.
fn folders_of(host: u32) -> Vec<PathBuf> {
    fn search(folder: &Path, prefix: &str, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let is_folder = entry.file_type().is_ok_and(|it| it.is_dir());
            if is_folder && entry.file_name().to_string_lossy().starts_with(prefix) {
                found.push(entry.path());
            } else if is_folder {
                search(&entry.path(), prefix, found);
            }
        }
    }
    let mut found = Vec::new();
    search(Path::new("/sys/fs/cgroup"), &format!("sandboard-{host}-"), &mut found);
    found
}

/// The memory that a process held and its limit, in MiB, after this act ended it.
fn end_for_memory(jail: &Jail, request: SpawnRequest, act: &str) -> (u64, u64) {
    let process = jail.spawn_probe(request).unwrap();
    let tried = try_act(&process, act);
    assert_eq!(tried, None, "{act}");
    match process.kill_and_wait().cause {
        ExitCause::Memory { held_bytes, limit_bytes } => (held_bytes / MIB, limit_bytes / MIB),
        cause => panic!("{act}: {cause}"),
    }
}

/// The limit of a cgroup, in MiB.
fn limit_mib(folder: &Path) -> u64 {
    let files = ["memory.limit_in_bytes", "memory.max"].map(|name| folder.join(name));
    let text = files.iter().find_map(|file| fs::read_to_string(file).ok());
    text.and_then(|text| text.trim().parse::<u64>().ok()).expect("the cgroup has a limit") / MIB
}

#[test]
fn held_memory_stays_near_its_limit() {
    let Some(jail) = jail_with_cgroups() else { return };
    for role in [Role::Wasm, Role::Compile] {
        for act in ["hoard-protected 1024", "hoard-tables 65536"] {
            let (held, limit) = end_for_memory(&jail, spawn_request(role), act);
            assert_eq!(limit, LIMIT_MIB, "{role:?}: {act}");
            // The watch also counts what a process inherits. It may measure at the right moment.
            assert!((limit - 2..=limit + 4).contains(&held), "{role:?}: {act}: {held}");
        }
    }
}

#[test]
fn the_kernel_ends_a_process_because_of_page_tables() {
    let act = "hoard-scattered 60000";
    let request = || SpawnRequest { memory_bytes: 128 * MIB, ..spawn_request(Role::Native) };
    // Without a cgroup, each page counts towards the limit of address space, its tables do not.
    let without = jail(&[Layer::MemoryCgroup]);
    let process = without.spawn_probe(request()).unwrap();
    let refused = try_act(&process, act).unwrap().refused;
    assert_eq!(refused, Some(rustix::io::Errno::NOMEM.raw_os_error()));
    let peak_mib = process.kill_and_wait().peak_memory_bytes / MIB;
    assert!(peak_mib < 300, "{peak_mib}");
    let Some(jail) = jail_with_cgroups() else { return };
    let (held, limit) = end_for_memory(&jail, request(), act);
    assert!(limit > 128 + 96 + 64 && (limit - 2..=limit).contains(&held), "{held} {limit}");
}

#[test]
fn the_limit_of_address_space_comes_first() {
    let Some(jail) = jail_with_cgroups() else { return };
    for cap in [0, 64 * MIB, 512 * MIB] {
        let request = || SpawnRequest { memory_bytes: cap, ..spawn_request(Role::Native) };
        let fill = |bytes: u64| {
            let process = jail.spawn_probe(request()).unwrap();
            let tried = try_act(&process, &format!("fill {bytes}"));
            tried.unwrap_or_else(|| panic!("{}", process.kill_and_wait().cause)).refused
        };
        assert_eq!(fill(cap + 80 * MIB), None, "{cap}");
        assert!(fill(cap + 128 * MIB).is_some(), "{cap}");
    }
}

#[test]
fn host_with_cgroups() {
    if !is_a_host() {
        return;
    }
    let Some(jail) = jail_with_cgroups() else { return };
    let folders = || folders_of(std::process::id());
    assert_eq!(folders(), Vec::<PathBuf>::new(), "the test of the layer leaves nothing");
    let [native, wasm, compile] = ROLES.map(|role| probe(&jail, role));
    output_of(&native, "threads 1");
    assert_eq!(folders().len(), 3);
    for folder in folders() {
        let processes = fs::read_to_string(folder.join("cgroup.procs")).unwrap();
        assert_eq!(processes.lines().count(), 2, "init and the process: {processes}");
    }
    let mut limits: Vec<u64> = folders().iter().map(|folder| limit_mib(folder)).collect();
    limits.sort_unstable();
    assert_eq!(limits[..2], [LIMIT_MIB; 2], "{limits:?}");
    assert!(limits[2] > 64 + 96 + 64, "{limits:?}");
    // The kernel removes no folder of a process that is still ending. The next spawn tries again.
    let wait_for_folders = |count: usize| {
        let began = std::time::Instant::now();
        while folders().len() > count {
            assert!(began.elapsed() < super::TIMEOUT);
            probe(&jail, Role::Wasm).kill_and_wait();
        }
        assert_eq!(folders().len(), count);
    };
    native.kill_and_wait();
    wait_for_folders(2);
    drop(wasm);
    wait_for_folders(1);
    // A process can outlive its jail for a moment. The last owner removes the folders.
    drop((jail, compile));
    assert_eq!(folders(), Vec::<PathBuf>::new());
}

#[test]
fn each_process_has_a_cgroup_that_is_removed() {
    host("jail::memory_cgroups::host_with_cgroups", None);
}

#[test]
fn a_starting_host_removes_cgroups_of_killed_hosts() {
    let Some(jail) = jail_with_cgroups() else { return };
    let process = probe(&jail, Role::Wasm);
    let own = folders_of(std::process::id());
    let parent = own.first().and_then(|folder| folder.parent()).expect("the process has a cgroup");
    // No process has the first id, and one always has the second.
    let folders = [i32::MAX, 1].map(|pid| parent.join(format!("sandboard-{pid}-1")));
    folders.iter().for_each(|folder| fs::create_dir(folder).unwrap());
    drop(super::jail(&[]));
    let left = folders.each_ref().map(|folder| folder.exists());
    folders.iter().for_each(|folder| drop(fs::remove_dir(folder)));
    assert_eq!(left, [false, true]);
    assert_eq!(output_of(&process, "threads 1"), "1");
}
