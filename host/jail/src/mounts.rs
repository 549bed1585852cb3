//! Mounts with the files of one jailed process, which no other process sees. Runs in init, before
//! init gives up the right to mount.

use std::fs::{self, File, Permissions};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use rustix::mount::MountFlags;

use super::init::{ChildSetup, ZygoteContext};
use super::{Role, namespaces};
use sandboard_common::jail_paths::PROGRAM_FOLDERS;

/// A file and its path in the jail.
type VisibleFile<'a> = (&'a OwnedFd, PathBuf);

/// Mounts the library, or the files of a program. Ok: the path of the library. None: there is no
/// mount namespace or no library.
pub(crate) fn mount_files(
    context: &ZygoteContext,
    setup: &ChildSetup,
) -> io::Result<Option<PathBuf>> {
    let library = || Path::new(namespaces::PROGRAM_FOLDER_PATH).join("library.so");
    let files: Vec<VisibleFile> = match &setup.request.program {
        Some(program) => {
            setup.files.iter().skip(1).zip(program.file_paths.iter().map(PathBuf::from)).collect()
        }
        None => library_of(setup).map(|file| (file, library())).into_iter().collect(),
    };
    let is_program = setup.request.program.is_some();
    match (files.is_empty(), context.mount_namespace, is_program) {
        (true, ..) | (_, false, false) => return Ok(None),
        (false, false, true) => {
            return Err(io::Error::other("its files need a mount namespace"));
        }
        (false, true, _) => (),
    }
    namespaces::unshare(rustix::thread::UnshareFlags::NEWNS)?;
    let mut mounted = 0;
    for folder in PROGRAM_FOLDERS {
        let (all, folder) = (files.iter(), Path::new(folder));
        let within: Vec<&VisibleFile> = all.filter(|(_, path)| path.starts_with(folder)).collect();
        mounted += within.len();
        if !within.is_empty() {
            mount(folder, &within, is_program)?;
        }
    }
    if mounted < files.len() {
        return Err(io::Error::other("a file is outside of the folders for files"));
    }
    Ok(files.into_iter().next().filter(|_| !is_program).map(|(_, path)| path))
}

/// Mounts a folder in memory with only these files, read-only. `for_program`: the files can be
/// neither executed nor mapped as code, because only the program itself may run.
fn mount(folder: &Path, files: &[&VisibleFile], for_program: bool) -> io::Result<()> {
    let mut size_bytes = 64 << 10;
    for (file, _) in files {
        // Rounding up to whole pages, and the system's memory for the name.
        size_bytes += rustix::fs::fstat(file)?.st_size.max(0) as u64 + (16 << 10);
    }
    let no_code = if for_program { MountFlags::NOEXEC } else { MountFlags::empty() };
    let flags = MountFlags::NOSUID | MountFlags::NODEV | no_code;
    let data = std::ffi::CString::new(format!("size={size_bytes},mode=755"))?;
    rustix::mount::mount("tmpfs", folder, "tmpfs", flags, Some(&*data))?;
    for (file, path) in files {
        make_folders(folder, path)?;
        let copy = File::create_new(path)?;
        copy_all(file, &copy)?;
        rustix::fs::fchmod(&copy, rustix::fs::Mode::from_raw_mode(0o444))?;
    }
    let remount = flags | MountFlags::BIND | MountFlags::RDONLY;
    Ok(rustix::mount::mount_remount(folder, remount, c"")?)
}

/// Makes the folders that lead to a file. Their mode does not depend on the umask, because another
/// user must read them.
fn make_folders(root: &Path, path: &Path) -> io::Result<()> {
    let below = path.parent().and_then(|parent| parent.strip_prefix(root).ok());
    let mut folder = root.to_owned();
    for part in below.into_iter().flatten() {
        folder.push(part);
        if !folder.is_dir() {
            fs::create_dir(&folder)?;
            fs::set_permissions(&folder, Permissions::from_mode(0o755))?;
        }
    }
    Ok(())
}

/// Copies the library into sealed memory, which the process receives as an additional file.
pub(crate) fn copy_library(setup: &mut ChildSetup) -> io::Result<Option<PathBuf>> {
    use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, memfd_create};
    let Some(library) = library_of(setup) else { return Ok(None) };
    let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
    let copy = File::from(memfd_create("library", flags)?);
    copy_all(library, &copy)?;
    let seals = SealFlags::WRITE | SealFlags::GROW | SealFlags::SHRINK | SealFlags::SEAL;
    fcntl_add_seals(&copy, seals)?;
    let path = PathBuf::from(format!("/proc/self/fd/{}", copy.as_raw_fd()));
    setup.files.push(copy.into());
    Ok(Some(path))
}

fn library_of(setup: &ChildSetup) -> Option<&OwnedFd> {
    setup.files.first().filter(|_| setup.request.role == Role::Native)
}

/// Copies without moving the read position, because other processes may be reading the same file.
fn copy_all(from: &OwnedFd, to: &File) -> io::Result<()> {
    let mut offset = 0;
    while rustix::fs::sendfile(to, from, Some(&mut offset), 1 << 30)? > 0 {}
    Ok(())
}
