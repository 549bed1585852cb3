//! The rights that a process gives up permanently: other users, capabilities, files, memory, CPU
//! time. Each step restricts the calling process; no step forks.

use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd, RawFd};
use std::path::Path;

use landlock::{
    ABI, Access, AccessFs, AccessNet, LandlockStatus, PathBeneath, PathFd, Ruleset, RulesetAttr,
    RulesetCreated, RulesetCreatedAttr, RulesetStatus, Scope,
};
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::process::{Resource, Rlimit, Signal};
use rustix::thread::{CapabilitySet, CapabilitySets};

use super::init::ZygoteContext;
use super::messages::ZygoteRequest;
use super::namespaces::{LOADER_CACHE, LOADERS, visible_folders};
use super::{Layer, Role};

/// Adds the name of the failed step to an error.
pub(crate) trait StepContext<T> {
    fn context(self, step: &str) -> Result<T, String>;
}

impl<T, E: Into<io::Error>> StepContext<T> for Result<T, E> {
    fn context(self, step: &str) -> Result<T, String> {
        self.map_err(|error| format!("{step}: {}", error.into()))
    }
}

/// The user under which a jailed process runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum User {
    /// A user id of its own that no account has.
    Dedicated,
    /// The overflow user id, in containers that have only a few user ids.
    Overflow,
    /// The user who runs the host.
    Host,
}

/// The range from 0x7000_0000 to 0x7fff_ffff, which systemd's list of user ids marks as unused.
const DEDICATED_UID_BASE: u32 = 0x7000_0000;
const OVERFLOW_UID: u32 = 65_534;

impl User {
    /// The user id of a process by the process id of its init, as the zygote sees it. No two live
    /// processes of a machine have the same, because process ids have at most 22 bits.
    fn number(self, init_pid: u32) -> Option<u32> {
        match self {
            Self::Dedicated => Some(DEDICATED_UID_BASE | init_pid & !DEDICATED_UID_BASE),
            Self::Overflow => Some(OVERFLOW_UID),
            Self::Host => None,
        }
    }

    /// Switches from root to this user, which is in no other group.
    pub(crate) fn switch(self, init_pid: u32) -> io::Result<()> {
        let Some(number) = self.number(init_pid) else { return Ok(()) };
        let (uid, gid) =
            (rustix::thread::Uid::from_raw(number), rustix::thread::Gid::from_raw(number));
        // These calls change one thread, and this process has only one.
        rustix::thread::set_thread_groups(&[])?;
        rustix::thread::set_thread_res_gid(gid, gid, gid)?;
        Ok(rustix::thread::set_thread_res_uid(uid, uid, uid)?)
    }
}

/// Drops all capabilities, and the means to get any.
pub(crate) fn drop_capabilities() -> io::Result<()> {
    // The call fails if the process has no capability to drop any. Then it cannot get any either.
    for bit in 0..64 {
        let Some(capability) = CapabilitySet::from_bits(1 << bit) else { continue };
        let _ = rustix::thread::remove_capability_from_bounding_set(capability);
    }
    let _ = rustix::thread::clear_ambient_capability_set();
    let none = CapabilitySet::empty();
    let sets = CapabilitySets { effective: none, permitted: none, inheritable: none };
    rustix::thread::set_capabilities(None, sets)?;
    Ok(rustix::thread::set_no_new_privs(true)?)
}

/// Prevents other processes from attaching to this one, and core dumps.
pub(crate) fn disable_dumping() -> io::Result<()> {
    let not = rustix::process::DumpableBehavior::NotDumpable;
    Ok(rustix::process::set_dumpable_behavior(not)?)
}

/// Makes this process die with its parent, given by its pidfd. Err, if the parent has already
/// ended. A change of the user undoes this, so call it afterwards.
pub(crate) fn die_with_parent(parent: &OwnedFd) -> io::Result<()> {
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
    match has_ended(parent)? {
        true => Err(io::Error::other("the parent is gone")),
        false => Ok(()),
    }
}

/// Whether the process of this pidfd has ended.
pub(crate) fn has_ended(pidfd: impl AsFd) -> io::Result<bool> {
    let mut polled = [PollFd::new(&pidfd, PollFlags::IN)];
    loop {
        match rustix::event::poll(&mut polled, Some(&Timespec::default())) {
            Err(rustix::io::Errno::INTR) => (),
            ready => return Ok(ready? > 0),
        }
    }
}

/// Duplicates a descriptor to this number. A previous descriptor with the number is closed.
pub(crate) fn duplicate_to(descriptor: impl AsFd, number: RawFd) -> io::Result<()> {
    // SAFETY: the numbers in use are those of standard input, output and error, which have no
    // owner.
    match unsafe { libc::dup2(descriptor.as_fd().as_raw_fd(), number) } {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}

/// Closes all descriptors except these.
pub(crate) fn close_all_but(keep: &[RawFd]) {
    let mut keep: Vec<libc::c_uint> =
        keep.iter().filter_map(|descriptor| libc::c_uint::try_from(*descriptor).ok()).collect();
    keep.sort_unstable();
    let mut next = 0;
    for kept in keep {
        if kept > next {
            close_range(next, kept - 1);
        }
        next = next.max(kept + 1);
    }
    close_range(next, libc::c_uint::MAX);
}

fn close_range(first: libc::c_uint, last: libc::c_uint) {
    // SAFETY: no owner of one of these descriptors uses it again: this process was just forked or
    // started, and ends without dropping them.
    let done = unsafe { libc::syscall(libc::SYS_close_range, first, last, 0) };
    if done != 0 {
        // Linux before 5.9 has no `close_range`.
        let maximum = rustix::process::getrlimit(Resource::Nofile).maximum.unwrap_or(1 << 20);
        let maximum = libc::c_uint::try_from(maximum).unwrap_or(1 << 20);
        for descriptor in first..=last.min(maximum) {
            // SAFETY: as for `close_range` above.
            unsafe { libc::close(descriptor as RawFd) };
        }
    }
}

/// The landlock rules of each kind of process, made once and applied by each process.
pub(crate) struct LandlockRules {
    libraries: RulesetCreated,
    programs: RulesetCreated,
    nothing: RulesetCreated,
}

impl LandlockRules {
    /// Builds the rules. `has_own_root`: the root contains only folders that processes may read.
    pub(crate) fn build(has_own_root: bool) -> Result<Self, String> {
        let empty = || {
            Ruleset::default()
                .handle_access(AccessFs::from_all(ABI::V5))?
                .handle_access(AccessNet::from_all(ABI::V4))?
                .scope(Scope::from_all(ABI::V6))?
                .create()
        };
        // The kernel looks up rules at the root of a mount and above its mount point. A rule for
        // the empty folder below a mounted library folder would have no effect.
        let roots = if has_own_root { vec!["/".into()] } else { visible_folders() };
        let libraries = |loaders: &[&str]| {
            let mut rules = empty()?;
            let folders = AccessFs::ReadFile | AccessFs::ReadDir;
            let paths = roots.iter().map(|path| (path.as_path(), folders));
            let cache = [(Path::new(LOADER_CACHE), AccessFs::ReadFile.into())];
            let loaders = loaders.iter().map(|path| (Path::new(*path), AccessFs::Execute.into()));
            for (path, access) in paths.chain(cache).chain(loaders) {
                // A missing file needs no rule.
                if let Ok(opened) = PathFd::new(path) {
                    rules = rules.add_rule(PathBeneath::new(opened, access))?;
                }
            }
            Ok(rules)
        };
        let to_text = |error: landlock::RulesetError| error.to_string();
        Ok(Self {
            libraries: libraries(&[]).map_err(to_text)?,
            // The program itself has no path and needs no rule; the kernel opens its loader.
            programs: libraries(LOADERS).map_err(to_text)?,
            nothing: empty().map_err(to_text)?,
        })
    }

    /// Applies the rules to this process. Ok: the version of landlock.
    pub(crate) fn apply(&self, role: Role) -> Result<String, String> {
        let rules = match role {
            Role::Native => &self.libraries,
            Role::Program => &self.programs,
            Role::Wasm | Role::Compile => &self.nothing,
        };
        let done = rules.try_clone().map_err(|error| error.to_string())?.restrict_self();
        let done = done.map_err(|error| error.to_string())?;
        match done.landlock {
            LandlockStatus::Available { effective_abi, .. }
                if done.ruleset != RulesetStatus::NotEnforced =>
            {
                Ok((effective_abi as i32).to_string())
            }
            LandlockStatus::NotEnabled => {
                Err("the kernel supports it, but it is not enabled (lsm=landlock,…)".to_owned())
            }
            _ => Err("the kernel does not support it; it needs Linux 5.13".to_owned()),
        }
    }
}

/// The memory that a process has before it does anything. It is inherited from the zygote.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BaselineMemory {
    pub(crate) address_bytes: u64,
    pub(crate) data_bytes: u64,
}

impl BaselineMemory {
    /// Reads it from `/proc`. Zero, if there is no `/proc`.
    pub(crate) fn measure() -> Self {
        let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
        // SAFETY: this call only reads a constant.
        let page_bytes = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as u64;
        let field = |at| {
            let pages = text.split_ascii_whitespace().nth(at).and_then(|it| it.parse().ok());
            pages.unwrap_or(0) * page_bytes
        };
        Self { address_bytes: field(0), data_bytes: field(5) }
    }
}

/// The threads of a user's processes on this machine. `proc`: the folder `/proc`. Zero, if it
/// cannot be read.
pub(crate) fn count_threads(proc: &OwnedFd, user: User) -> u64 {
    let uid = match user {
        User::Dedicated => return 0,
        User::Overflow => OVERFLOW_UID,
        User::Host => rustix::process::getuid().as_raw(),
    };
    let Ok(folder) = rustix::fs::Dir::read_from(proc) else { return 0 };
    let threads = folder.flatten().filter_map(|entry| {
        let path = Path::new(entry.file_name().to_str().ok()?).join("status");
        let flags = rustix::fs::OFlags::RDONLY | rustix::fs::OFlags::CLOEXEC;
        let file = rustix::fs::openat(proc, &path, flags, rustix::fs::Mode::empty()).ok()?;
        let mut status = String::new();
        io::Read::read_to_string(&mut std::fs::File::from(file), &mut status).ok()?;
        threads_of(&status, uid)
    });
    threads.sum()
}

/// The threads of a process by its `/proc/PID/status`, if it belongs to this user.
fn threads_of(status: &str, uid: u32) -> Option<u64> {
    let mut fields = status.lines().filter_map(|line| line.split_once(':'));
    let (_, uids) = fields.find(|(name, _)| *name == "Uid")?;
    if uids.split_ascii_whitespace().next()?.parse() != Ok(uid) {
        return None;
    }
    let (_, threads) = fields.find(|(name, _)| *name == "Threads")?;
    threads.trim().parse().ok()
}

/// Address space in addition to the requested memory, in bytes: for libraries, stacks of threads
/// and the reserve of the allocator.
pub(crate) const NATIVE_MARGIN_BYTES: u64 = 96 << 20;
/// Data in addition to the requested memory, in bytes. Only written memory counts, and the
/// libraries are already loaded.
const WASM_MARGIN_BYTES: u64 = 64 << 20;
/// What a process may hold beyond [`WASM_MARGIN_BYTES`] that RLIMIT_DATA does not count, in bytes:
/// the libraries and the machine code of this program, stacks and page tables.
const UNLIMITED_MARGIN_BYTES: u64 = 64 << 20;
/// The size to which the stack of the first thread may grow, in bytes: the default of Linux.
const STACK_BYTES_MAX: u64 = 8 << 20;
/// Descriptors in addition to those of the request. A loader opens one file at a time.
const SPARE_DESCRIPTORS: u64 = 16;
/// The most threads of a dedicated user, including init and the process itself.
const DEDICATED_UID_THREADS_MAX: u64 = 130;
/// The most threads of all processes that share a user namespace, or a user with other programs.
const SHARED_UID_THREADS_MAX: u64 = 4096;

/// The most memory that a process of this role may hold, in bytes, counted by
/// [`ProcessWatch`](super::process_watch::ProcessWatch). None: RLIMIT_AS counts each mapped
/// page, and so also bounds page tables, which are at most a few pages for each. `files_bytes`: the
/// size of all its files; machine code that was read from one is memory that RLIMIT_DATA does not
/// count.
pub(crate) fn watched_bytes_max(role: Role, memory_bytes: u64, files_bytes: u64) -> Option<u64> {
    let margin = WASM_MARGIN_BYTES + UNLIMITED_MARGIN_BYTES;
    match role {
        Role::Native | Role::Program => None,
        Role::Wasm | Role::Compile => {
            Some(memory_bytes.saturating_add(margin).saturating_add(files_bytes))
        }
    }
}

/// Sets the resource limits. `descriptors`: the highest descriptor that the process has.
pub(crate) fn set_limits(
    request: &ZygoteRequest,
    context: &ZygoteContext,
    descriptors: u64,
) -> io::Result<()> {
    let ZygoteContext { baseline_memory, user, .. } = context;
    let set = |resource, soft: u64, hard: u64| {
        let now = rustix::process::getrlimit(resource);
        // A process cannot raise its limits.
        let maximum = now.maximum.unwrap_or(u64::MAX);
        let limit = Rlimit { current: Some(soft.min(maximum)), maximum: Some(hard.min(maximum)) };
        rustix::process::setrlimit(resource, limit)
    };
    let both = |resource, value| set(resource, value, value);
    match request.role {
        Role::Native => {
            let margin = baseline_memory.address_bytes + NATIVE_MARGIN_BYTES;
            both(Resource::As, request.memory_bytes.saturating_add(margin))?;
        }
        Role::Wasm | Role::Compile => {
            let margin = baseline_memory.data_bytes + WASM_MARGIN_BYTES;
            both(Resource::Data, request.memory_bytes.saturating_add(margin))?;
        }
        // `execveat` frees the current memory, so the limit is set just before that call.
        Role::Program => (),
    }
    // A stack counts towards no other limit in a role without RLIMIT_AS.
    both(Resource::Stack, STACK_BYTES_MAX)?;
    both(Resource::Nofile, descriptors + 1 + SPARE_DESCRIPTORS)?;
    match user {
        User::Dedicated => both(Resource::Nproc, DEDICATED_UID_THREADS_MAX)?,
        User::Host if context.in_user_namespace => both(Resource::Nproc, SHARED_UID_THREADS_MAX)?,
        // The threads of all processes of the user count.
        User::Overflow | User::Host => {
            both(Resource::Nproc, context.other_threads.saturating_add(SHARED_UID_THREADS_MAX))?;
        }
    }
    both(Resource::Fsize, request.file_bytes)?;
    if let Some(cpu_s) = request.cpu_s {
        set(Resource::Cpu, cpu_s, cpu_s.saturating_add(1))?;
    }
    both(Resource::Sigpending, 64)?;
    let none =
        [Resource::Core, Resource::Memlock, Resource::Msgqueue, Resource::Rtprio, Resource::Nice];
    none.into_iter().try_for_each(|resource| both(resource, 0))?;
    Ok(())
}

/// The state of the layer for this user.
pub(crate) fn user_layer_state(user: User, why: String) -> super::LayerState {
    let state = match user {
        User::Dedicated => Ok(None),
        User::Overflow => Ok(Some("nobody".to_owned())),
        User::Host => Err(why),
    };
    super::LayerState { layer: Layer::OwnUid, state }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn live_processes_have_different_users() {
        let number = |pid| User::Dedicated.number(pid).unwrap();
        // Numbers that repeat in the low 12 or 16 bits, and the highest process id of Linux.
        let pids = [1, 2, 4096, 4097, 65_536, 65_537, 1 << 21, 1 << 22];
        let users: std::collections::BTreeSet<u32> = pids.into_iter().map(number).collect();
        assert_eq!(users.len(), pids.len());
        assert!(users.iter().all(|user| (0x7000_0000..=0x7fff_ffff).contains(user)), "{users:?}");
        assert_eq!(User::Host.number(7), None);
    }

    #[test]
    fn the_threads_of_a_user_are_counted() {
        let status = "Name:\tx\nUid:\t1000\t0\t0\t0\nThreads:\t17\n";
        assert_eq!(threads_of(status, 1000), Some(17));
        assert_eq!(threads_of(status, 0), None);
        assert_eq!(threads_of("Name:\tx\n", 1000), None);
        let proc = std::fs::File::open("/proc").unwrap().into();
        assert!(count_threads(&proc, User::Host) >= 1);
    }
}
