//! What a process gives up for good: other users, capabilities, files, memory, CPU
//! time. Each step is for the process that takes it; nothing here forks.

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

use super::spaces::{LOADER_CACHE, LOADERS, shown_folders};
use super::wire::Request;
use super::{Layer, Role};

/// A step that failed, with what it was.
pub trait At<T> {
    fn at(self, step: &str) -> Result<T, String>;
}

impl<T, E: Into<io::Error>> At<T> for Result<T, E> {
    fn at(self, step: &str) -> Result<T, String> {
        self.map_err(|error| format!("{step}: {}", error.into()))
    }
}

/// Whom an inmate runs as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum User {
    /// A number of its own that no account has.
    Own,
    /// `nobody`, where only the numbers of a container are there.
    Nobody,
    /// Who runs the host.
    Same,
}

/// Linux keeps these for nobody; systemd's list of uids calls 0x7000_0000 to 0x7fff_ffff unused.
const OWN_IDS: u32 = 0x7000_0000;
const NOBODY: u32 = 65_534;

impl User {
    /// The number of the inmate with this serial number of the zygote with this pid.
    fn number(self, zygote_pid: u32, serial: u32) -> Option<u32> {
        match self {
            Self::Own => Some(OWN_IDS | (zygote_pid & 0xffff) << 12 | serial & 0xfff),
            Self::Nobody => Some(NOBODY),
            Self::Same => None,
        }
    }

    /// Goes from root to this user, alone and in no other group.
    pub fn become_it(self, zygote_pid: u32, serial: u32) -> io::Result<()> {
        let Some(number) = self.number(zygote_pid, serial) else { return Ok(()) };
        let (uid, gid) =
            (rustix::thread::Uid::from_raw(number), rustix::thread::Gid::from_raw(number));
        // By thread: this process has one.
        rustix::thread::set_thread_groups(&[])?;
        rustix::thread::set_thread_res_gid(gid, gid, gid)?;
        Ok(rustix::thread::set_thread_res_uid(uid, uid, uid)?)
    }
}

/// Nothing that is left to it, and nothing that it could get back.
pub fn drop_capabilities() -> io::Result<()> {
    // Refused where there is no capability to drop any, and then there is none to get.
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

/// Nobody attaches to it, and it leaves no core.
pub fn be_opaque() -> io::Result<()> {
    let not = rustix::process::DumpableBehavior::NotDumpable;
    Ok(rustix::process::set_dumpable_behavior(not)?)
}

/// Dies when the parent does, of which this is the pidfd: now, too. Changing users
/// undoes it, so it comes after.
pub fn die_with(parent: &OwnedFd) -> io::Result<()> {
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
    match has_ended(parent)? {
        true => Err(io::Error::other("the parent is gone")),
        false => Ok(()),
    }
}

/// Whether the process of this pidfd is over.
pub fn has_ended(pidfd: impl AsFd) -> io::Result<bool> {
    let mut polled = [PollFd::new(&pidfd, PollFlags::IN)];
    loop {
        match rustix::event::poll(&mut polled, Some(&Timespec::default())) {
            Err(rustix::io::Errno::INTR) => (),
            ready => return Ok(ready? > 0),
        }
    }
}

/// Makes it the one with this number; whatever had the number is closed.
pub fn put_at(descriptor: impl AsFd, number: RawFd) -> io::Result<()> {
    // SAFETY: the numbers in use here are those of standard input, output and error,
    // which nobody owns.
    match unsafe { libc::dup2(descriptor.as_fd().as_raw_fd(), number) } {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}

/// Closes all descriptors but these.
pub fn close_all_but(keep: &[RawFd]) {
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
    // SAFETY: whoever owns one of these in this process never uses it again: the
    // process was just forked or started, and ends without dropping it.
    let done = unsafe { libc::syscall(libc::SYS_close_range, first, last, 0) };
    if done != 0 {
        // Linux before 5.9.
        let most = rustix::process::getrlimit(Resource::Nofile).maximum.unwrap_or(1 << 20);
        let most = libc::c_uint::try_from(most).unwrap_or(1 << 20);
        for descriptor in first..=last.min(most) {
            // SAFETY: as above.
            unsafe { libc::close(descriptor as RawFd) };
        }
    }
}

/// What landlock leaves open, made once and applied by each inmate.
pub struct Fences {
    libraries: RulesetCreated,
    programs: RulesetCreated,
    nothing: RulesetCreated,
}

impl Fences {
    /// `own_root`: there is nothing in the root but what they may read.
    pub fn build(own_root: bool) -> Result<Self, String> {
        let empty = || {
            Ruleset::default()
                .handle_access(AccessFs::from_all(ABI::V5))?
                .handle_access(AccessNet::from_all(ABI::V4))?
                .scope(Scope::from_all(ABI::V6))?
                .create()
        };
        // Of a mount the kernel looks at its root and at what is above the place where it
        // is mounted: a rule for the empty folder under a library would say nothing.
        let roots = if own_root { vec!["/".into()] } else { shown_folders() };
        let libraries = |loaders: &[&str]| {
            let mut rules = empty()?;
            let folders = AccessFs::ReadFile | AccessFs::ReadDir;
            let paths = roots.iter().map(|path| (path.as_path(), folders));
            let cache = [(Path::new(LOADER_CACHE), AccessFs::ReadFile.into())];
            let loaders = loaders.iter().map(|path| (Path::new(*path), AccessFs::Execute.into()));
            for (path, access) in paths.chain(cache).chain(loaders) {
                // What is not there needs no rule.
                if let Ok(opened) = PathFd::new(path) {
                    rules = rules.add_rule(PathBeneath::new(opened, access))?;
                }
            }
            Ok(rules)
        };
        let said = |error: landlock::RulesetError| error.to_string();
        Ok(Self {
            libraries: libraries(&[]).map_err(said)?,
            // A program has no name here, and none is asked for; the system opens its loader.
            programs: libraries(LOADERS).map_err(said)?,
            nothing: empty().map_err(said)?,
        })
    }

    /// Goes behind the fence. Ok: landlock's version.
    pub fn enter(&self, role: Role) -> Result<String, String> {
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
                Err("the kernel has it, but it is not switched on (lsm=landlock,…)".to_owned())
            }
            _ => Err("the kernel has none; Linux has it from 5.13 on".to_owned()),
        }
    }
}

/// What the process has before it does anything: inherited, and not the engine's.
#[derive(Clone, Copy, Debug)]
pub struct Ground {
    pub address_bytes: u64,
    pub data_bytes: u64,
}

impl Ground {
    /// Asked of the system while there is a `/proc`; none: nothing is known.
    pub fn measure() -> Self {
        let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
        // SAFETY: a question about a number.
        let page_bytes = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as u64;
        let field = |at| {
            let pages = text.split_ascii_whitespace().nth(at).and_then(|it| it.parse().ok());
            pages.unwrap_or(0) * page_bytes
        };
        Self { address_bytes: field(0), data_bytes: field(5) }
    }
}

/// Beside the memory of the order: libraries, the stacks of threads, what an allocator
/// keeps in hand.
pub const NATIVE_MARGIN_BYTES: u64 = 96 << 20;
/// As above, but only what is written to counts, and the libraries are there already.
const WASM_MARGIN_BYTES: u64 = 64 << 20;
/// Descriptors beside those handed over: a loader opens one file at a time.
const SPARE_DESCRIPTORS: u64 = 16;
/// Threads of a user of its own, init and the process itself among them.
const OWN_THREADS: u64 = 130;
/// Threads of all inmates in a namespace of users that they share.
const SHARED_THREADS: u64 = 4096;

/// Sets the limits; `descriptors`: the highest one that it has.
pub fn limit(
    request: &Request,
    ground: Ground,
    user: User,
    in_user_namespace: bool,
    descriptors: u64,
) -> io::Result<()> {
    let set = |what, soft: u64, hard: u64| {
        let now = rustix::process::getrlimit(what);
        // Never more than it has been given.
        let most = now.maximum.unwrap_or(u64::MAX);
        let limit = Rlimit { current: Some(soft.min(most)), maximum: Some(hard.min(most)) };
        rustix::process::setrlimit(what, limit)
    };
    let both = |what, value| set(what, value, value);
    match request.role {
        Role::Native => {
            let margin = ground.address_bytes + NATIVE_MARGIN_BYTES;
            both(Resource::As, request.memory_bytes.saturating_add(margin))?;
        }
        Role::Wasm | Role::Compile => {
            let margin = ground.data_bytes + WASM_MARGIN_BYTES;
            both(Resource::Data, request.memory_bytes.saturating_add(margin))?;
        }
        // What it has now goes when it becomes its program, and is limited then.
        Role::Program => (),
    }
    both(Resource::Nofile, descriptors + 1 + SPARE_DESCRIPTORS)?;
    match user {
        User::Own => both(Resource::Nproc, OWN_THREADS)?,
        User::Same if in_user_namespace => both(Resource::Nproc, SHARED_THREADS)?,
        // The threads of strangers would count.
        User::Nobody | User::Same => (),
    }
    both(Resource::Fsize, request.file_bytes)?;
    if let Some(cpu_s) = request.cpu_s {
        set(Resource::Cpu, cpu_s, cpu_s.saturating_add(1))?;
    }
    both(Resource::Sigpending, 64)?;
    let none =
        [Resource::Core, Resource::Memlock, Resource::Msgqueue, Resource::Rtprio, Resource::Nice];
    none.into_iter().try_for_each(|what| both(what, 0))?;
    Ok(())
}

/// The word of a user's layer, or why there is none.
pub fn user_state(user: User, why: String) -> super::LayerState {
    let state = match user {
        User::Own => Ok(None),
        User::Nobody => Ok(Some("nobody".to_owned())),
        User::Same => Err(why),
    };
    super::LayerState { layer: Layer::OwnUid, state }
}
