//! The namespaces that all processes of a zygote share, and the root that they see: an empty folder
//! with the system's libraries and the configuration of Java. Forks no process.

use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use rustix::mount::{MountFlags, MountPropagationFlags, UnmountFlags};
use rustix::process::{getegid, geteuid};
use rustix::thread::{CapabilitySet, UnshareFlags};

use super::{Layer, LayerState};

/// The folders that the system's loader reads, if they exist.
const LIBRARY_FOLDERS: &[&str] = &["/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib"];
/// The cache in which the loader looks up the path of each library.
pub(crate) const LOADER_CACHE: &str = "/etc/ld.so.cache";
/// The configuration of Java virtual machines is in folders `/etc/java` or `/etc/java-…`, such as
/// `/etc/java-17-openjdk`. The machines below [`LIBRARY_FOLDERS`] have links to them, and cannot
/// compute a digest without them.
const JAVA_CONFIG_PARENT: &str = "/etc";
const JAVA_CONFIG_PREFIX: &str = "java";
/// The loaders of the C libraries, which the kernel runs for programs that name one.
pub(crate) const LOADERS: &[&str] = &[
    "/lib64/ld-linux-x86-64.so.2",
    "/lib/ld-linux-aarch64.so.1",
    "/lib/ld-musl-x86_64.so.1",
    "/lib/ld-musl-aarch64.so.1",
];
/// The folder of a process's own files in the new root.
pub(crate) const PROGRAM_FOLDER_PATH: &str = sandboard_common::jail_paths::PROGRAM_FOLDER;

/// The folders of the system that processes with libraries may read: the libraries and the
/// configuration of Java. Links are not followed, because they may lead anywhere.
pub(crate) fn visible_folders() -> Vec<PathBuf> {
    let entries = fs::read_dir(JAVA_CONFIG_PARENT).into_iter().flatten().flatten();
    let is_folder = |entry: &fs::DirEntry| entry.file_type().is_ok_and(|it| it.is_dir());
    let is_java = |name: &str| {
        name.strip_prefix(JAVA_CONFIG_PREFIX)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
    };
    let named =
        entries.filter(|entry| entry.file_name().to_str().is_some_and(is_java) && is_folder(entry));
    let mut configuring: Vec<PathBuf> = named.map(|entry| entry.path()).collect();
    configuring.sort();
    LIBRARY_FOLDERS.iter().map(PathBuf::from).chain(configuring).collect()
}

/// Folders that temporarily serve as mount point of the new root. Every system has one of them.
const MOUNT_POINTS: &[&str] = &["/tmp", "/run", "/mnt", "/dev"];

/// Moves this process, which has one thread, into namespaces. Returns the state of each layer.
pub(crate) fn enter(without: &[Layer]) -> Vec<LayerState> {
    let mut states = Vec::new();
    let mut state = |layer, outcome: Result<(), String>| {
        states.push(LayerState { layer, state: outcome.map(|()| None) });
    };
    let check_enabled = |layer| match without.contains(&layer) {
        true => Err("it is disabled".to_owned()),
        false => Ok(()),
    };
    // A process with this right needs no user namespace, and keeps the right to change users.
    let user = match has_sys_admin() {
        true => Err("not needed: root can create the other namespaces without it".to_owned()),
        false => {
            check_enabled(Layer::UserNamespace).and_then(|()| error_text(enter_user_namespace()))
        }
    };
    state(Layer::UserNamespace, user);
    for (layer, flags) in [
        (Layer::NetNamespace, UnshareFlags::NEWNET),
        (Layer::IpcNamespace, UnshareFlags::NEWIPC),
        (Layer::UtsNamespace, UnshareFlags::NEWUTS),
    ] {
        state(layer, check_enabled(layer).and_then(|()| error_text(unshare(flags))));
    }
    let mount = check_enabled(Layer::MountNamespace).and_then(|()| {
        error_text(unshare(UnshareFlags::NEWNS))?;
        new_root()
    });
    state(Layer::MountNamespace, mount);
    states
}

/// Moves this process into new namespaces. The process has no other threads with which it could
/// share files or folders.
pub(crate) fn unshare(flags: UnshareFlags) -> io::Result<()> {
    // SAFETY: unsafe for flags that separate descriptors of threads; these flags do not, and this
    // process has one thread.
    Ok(unsafe { rustix::thread::unshare_unsafe(flags) }?)
}

fn has_sys_admin() -> bool {
    let sets = rustix::thread::capabilities(None);
    sets.is_ok_and(|sets| sets.effective.contains(CapabilitySet::SYS_ADMIN))
}

/// Enters a user namespace in which this process keeps its user id and has all rights over what it
/// makes there.
fn enter_user_namespace() -> io::Result<()> {
    let (uid, gid) = (geteuid().as_raw(), getegid().as_raw());
    unshare(UnshareFlags::NEWUSER)?;
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("{uid} {uid} 1"))?;
    fs::write("/proc/self/gid_map", format!("{gid} {gid} 1"))
}

fn new_root() -> Result<(), String> {
    let step = |name: &str, done: rustix::io::Result<()>| {
        done.map_err(|error| format!("{name}: {}", io::Error::from(error)))
    };
    let private = MountPropagationFlags::PRIVATE | MountPropagationFlags::REC;
    step("making mounts private", rustix::mount::mount_change("/", private))?;
    let mount_points = MOUNT_POINTS.iter().find(|mount_point| Path::new(mount_point).is_dir());
    let mount_point =
        Path::new(mount_points.ok_or("no mount point: /tmp, /run, /mnt and /dev are missing")?);
    let flags = MountFlags::NOSUID | MountFlags::NODEV;
    let data = c"size=4m,nr_inodes=256,mode=755";
    step(
        "mounting an empty root",
        rustix::mount::mount("tmpfs", mount_point, "tmpfs", flags, Some(data)),
    )?;
    for folder in visible_folders() {
        let failed = |error| format!("mounting {}: {error}", folder.display());
        show(&folder, mount_point).map_err(failed)?;
    }
    let add_files = || {
        for folder in sandboard_common::jail_paths::PROGRAM_FOLDERS {
            fs::create_dir_all(inside(mount_point, Path::new(folder)))?;
        }
        if let Ok(cache) = fs::read(LOADER_CACHE) {
            fs::create_dir_all(mount_point.join("etc"))?;
            fs::write(inside(mount_point, Path::new(LOADER_CACHE)), cache)?;
        }
        io::Result::Ok(())
    };
    add_files().map_err(|error| format!("filling the root: {error}"))?;
    let remount = flags | MountFlags::BIND | MountFlags::RDONLY;
    step("making the root read-only", rustix::mount::mount_remount(mount_point, remount, c""))?;
    step("entering the root", rustix::process::chdir(mount_point))?;
    // The old root is now mounted over the new one, and can be unmounted.
    step("changing roots", rustix::process::pivot_root(".", "."))?;
    step("leaving the old root", rustix::mount::unmount(".", UnmountFlags::DETACH))?;
    step("changing to the root", rustix::process::chdir("/"))
}

/// The path of the folder `/x` in the new root.
fn inside(root: &Path, path: &Path) -> std::path::PathBuf {
    root.join(path.strip_prefix("/").unwrap_or(path))
}

/// Makes a folder of the system visible, read-only; a link stays a link.
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

/// Makes a mount and all mounts below it read-only, without changing their locked attributes.
fn read_only(target: &Path) -> io::Result<()> {
    let flags = MountFlags::RDONLY | MountFlags::NOSUID | MountFlags::NODEV;
    let target_text = std::ffi::CString::new(target.as_os_str().as_encoded_bytes())?;
    let attributes = libc::mount_attr {
        attr_set: libc::MOUNT_ATTR_RDONLY | libc::MOUNT_ATTR_NOSUID | libc::MOUNT_ATTR_NODEV,
        attr_clr: 0,
        propagation: 0,
        userns_fd: 0,
    };
    // SAFETY: path and attributes live until the call is over, and the size is that of the
    // attributes.
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
        // Linux before 5.12 can change only one mount at a time.
        _ => Ok(rustix::mount::mount_remount(target, MountFlags::BIND | flags, c"")?),
    }
}

fn error_text(done: io::Result<()>) -> Result<(), String> {
    done.map_err(|error| error.to_string())
}
