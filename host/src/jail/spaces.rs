//! The namespaces that all inmates of a zygote share, and the root that they see: an
//! empty folder with the libraries of the system in it, and what they are configured by. Forks nothing.

use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use rustix::mount::{MountFlags, MountPropagationFlags, UnmountFlags};
use rustix::process::{getegid, geteuid};
use rustix::thread::{CapabilitySet, UnshareFlags};

use super::{Layer, LayerState};

/// What the loader of the system reads, where it is there.
const LIBRARY_FOLDERS: &[&str] = &["/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib"];
/// Where it looks up which of them is in which folder.
pub const LOADER_CACHE: &str = "/etc/ld.so.cache";
/// Where systems keep what Java virtual machines below [`LIBRARY_FOLDERS`] are configured by; they have links to it, and
/// no digest of a text without it. `/etc/java`, `/etc/java-17-openjdk`: a folder of this name, or with it before a dash.
const CONFIGURED_IN: &str = "/etc";
const CONFIGURES: &str = "java";
/// The loaders of the C libraries, which the system runs for a program that names one.
pub const LOADERS: &[&str] = &[
    "/lib64/ld-linux-x86-64.so.2",
    "/lib/ld-linux-aarch64.so.1",
    "/lib/ld-musl-x86_64.so.1",
    "/lib/ld-musl-aarch64.so.1",
];
/// Where an inmate finds its library, or its files, in the new root.
pub const OWN_FOLDER: &str = super::PROGRAM_FOLDER;

/// The system's folders that an inmate with libraries may read: those, and what configures a Java virtual machine. Not
/// through links, by which anything might be meant.
pub fn shown_folders() -> Vec<PathBuf> {
    let entries = fs::read_dir(CONFIGURED_IN).into_iter().flatten().flatten();
    let is_folder = |entry: &fs::DirEntry| entry.file_type().is_ok_and(|it| it.is_dir());
    let is_java = |name: &str| {
        name.strip_prefix(CONFIGURES).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
    };
    let named =
        entries.filter(|entry| entry.file_name().to_str().is_some_and(is_java) && is_folder(entry));
    let mut configuring: Vec<PathBuf> = named.map(|entry| entry.path()).collect();
    configuring.sort();
    LIBRARY_FOLDERS.iter().map(PathBuf::from).chain(configuring).collect()
}

/// Folders of which one is on every system, to put the new root over for a moment.
const STANDS: &[&str] = &["/tmp", "/run", "/mnt", "/dev"];

/// Moves this process, which has one thread, into namespaces; those it cannot have it
/// leaves out and says why.
pub fn enter(without: &[Layer]) -> Vec<LayerState> {
    let mut states = Vec::new();
    let mut state = |layer, outcome: Result<(), String>| {
        states.push(LayerState { layer, state: outcome.map(|()| None) });
    };
    let wanted = |layer| match without.contains(&layer) {
        true => Err("it is to do without".to_owned()),
        false => Ok(()),
    };
    // Who may do it anyway needs none, and keeps the right to change to other users.
    let user = match may_administer() {
        true => Err("it is run by root, who has the others without".to_owned()),
        false => wanted(Layer::UserNamespace).and_then(|()| said(enter_user())),
    };
    state(Layer::UserNamespace, user);
    for (layer, flags) in [
        (Layer::NetNamespace, UnshareFlags::NEWNET),
        (Layer::IpcNamespace, UnshareFlags::NEWIPC),
        (Layer::UtsNamespace, UnshareFlags::NEWUTS),
    ] {
        state(layer, wanted(layer).and_then(|()| said(unshare(flags))));
    }
    let mount = wanted(Layer::MountNamespace).and_then(|()| {
        said(unshare(UnshareFlags::NEWNS))?;
        new_root()
    });
    state(Layer::MountNamespace, mount);
    states
}

/// Takes this process into a mount namespace of its own. Never shares files or folders
/// with other threads: there is none.
pub fn unshare(flags: UnshareFlags) -> io::Result<()> {
    // SAFETY: it is about descriptors that threads share; this process has one thread,
    // and the flags say nothing of descriptors.
    Ok(unsafe { rustix::thread::unshare_unsafe(flags) }?)
}

fn may_administer() -> bool {
    let sets = rustix::thread::capabilities(None);
    sets.is_ok_and(|sets| sets.effective.contains(CapabilitySet::SYS_ADMIN))
}

/// In it this process is who it was, and may administer what is made in it.
fn enter_user() -> io::Result<()> {
    let (uid, gid) = (geteuid().as_raw(), getegid().as_raw());
    unshare(UnshareFlags::NEWUSER)?;
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("{uid} {uid} 1"))?;
    fs::write("/proc/self/gid_map", format!("{gid} {gid} 1"))
}

fn new_root() -> Result<(), String> {
    let step = |what: &str, done: rustix::io::Result<()>| {
        done.map_err(|error| format!("{what}: {}", io::Error::from(error)))
    };
    let private = MountPropagationFlags::PRIVATE | MountPropagationFlags::REC;
    step("keeping mounts private", rustix::mount::mount_change("/", private))?;
    let stands = STANDS.iter().find(|stand| Path::new(stand).is_dir());
    let stand = Path::new(stands.ok_or("there is no /tmp, /run, /mnt, /dev")?);
    let flags = MountFlags::NOSUID | MountFlags::NODEV;
    let data = c"size=4m,nr_inodes=256,mode=755";
    step("an empty root", rustix::mount::mount("tmpfs", stand, "tmpfs", flags, Some(data)))?;
    for folder in shown_folders() {
        let failed = |error| format!("showing {}: {error}", folder.display());
        show(&folder, stand).map_err(failed)?;
    }
    let furnish = || {
        for folder in super::PROGRAM_FOLDERS {
            fs::create_dir_all(inside(stand, Path::new(folder)))?;
        }
        if let Ok(cache) = fs::read(LOADER_CACHE) {
            fs::create_dir_all(stand.join("etc"))?;
            fs::write(inside(stand, Path::new(LOADER_CACHE)), cache)?;
        }
        io::Result::Ok(())
    };
    furnish().map_err(|error| format!("furnishing the root: {error}"))?;
    let remount = flags | MountFlags::BIND | MountFlags::RDONLY;
    step("a root to read only", rustix::mount::mount_remount(stand, remount, c""))?;
    step("entering the root", rustix::process::chdir(stand))?;
    // The old root comes to lie over the new, and goes.
    step("changing roots", rustix::process::pivot_root(".", "."))?;
    step("leaving the old root", rustix::mount::unmount(".", UnmountFlags::DETACH))?;
    step("going to the root", rustix::process::chdir("/"))
}

/// The folder `/x` as it will be in the new root.
fn inside(root: &Path, path: &Path) -> std::path::PathBuf {
    root.join(path.strip_prefix("/").unwrap_or(path))
}

/// A link as a link, a folder to be read only.
fn show(folder: &Path, root: &Path) -> io::Result<()> {
    let target = inside(root, folder);
    let Ok(found) = fs::symlink_metadata(folder) else { return Ok(()) };
    if let Some(parent) = target.parent() {
        fs::create_dir_all(parent)?;
    }
    if found.is_symlink() {
        return symlink(fs::read_link(folder)?, target);
    }
    if found.is_dir() && !target.exists() {
        fs::create_dir(&target)?;
        rustix::mount::mount_bind_recursive(folder, &target)?;
        read_only(&target)?;
    }
    Ok(())
}

/// The mount and all below it, without touching what is locked of it.
fn read_only(target: &Path) -> io::Result<()> {
    let flags = MountFlags::RDONLY | MountFlags::NOSUID | MountFlags::NODEV;
    let target_text = std::ffi::CString::new(target.as_os_str().as_encoded_bytes())?;
    let attributes = libc::mount_attr {
        attr_set: libc::MOUNT_ATTR_RDONLY | libc::MOUNT_ATTR_NOSUID | libc::MOUNT_ATTR_NODEV,
        attr_clr: 0,
        propagation: 0,
        userns_fd: 0,
    };
    // SAFETY: text and attributes live until the call is over, and the size is theirs.
    let done = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            libc::AT_FDCWD,
            target_text.as_ptr(),
            libc::AT_RECURSIVE,
            &raw const attributes,
            size_of::<libc::mount_attr>(),
        )
    };
    match done {
        0 => Ok(()),
        // Linux before 5.12 knows only one mount at a time.
        _ => Ok(rustix::mount::mount_remount(target, MountFlags::BIND | flags, c"")?),
    }
}

fn said(done: io::Result<()>) -> Result<(), String> {
    done.map_err(|error| error.to_string())
}
