//! Where an inmate finds the files that it was handed: in mounts that it alone sees, with nothing else in them. Runs in its
//! init, before that gives up the right to mount.

use std::fs::{self, File, Permissions};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use rustix::mount::MountFlags;

use super::init::{Birth, Means};
use super::{PROGRAM_FOLDERS, Role, spaces};

/// A file and its place.
type Shown<'a> = (&'a OwnedFd, PathBuf);

/// Shows the library, or the files of a program. Ok: the library's place. None: there are no mounts of its own, or there is no
/// library.
pub fn show_files(means: &Means, birth: &Birth) -> io::Result<Option<PathBuf>> {
    let library = || Path::new(spaces::OWN_FOLDER).join("library.so");
    let files: Vec<Shown> = match &birth.request.program {
        Some(program) => {
            birth.files.iter().skip(1).zip(program.shown.iter().map(PathBuf::from)).collect()
        }
        None => library_of(birth).map(|file| (file, library())).into_iter().collect(),
    };
    let is_program = birth.request.program.is_some();
    match (files.is_empty(), means.own_mounts, is_program) {
        (true, ..) | (_, false, false) => return Ok(None),
        (false, false, true) => {
            return Err(io::Error::other("without a mount namespace there is no place for them"));
        }
        (false, true, _) => (),
    }
    spaces::unshare(rustix::thread::UnshareFlags::NEWNS)?;
    let mut mounted = 0;
    for folder in PROGRAM_FOLDERS {
        let (all, folder) = (files.iter(), Path::new(folder));
        let within: Vec<&Shown> = all.filter(|(_, path)| path.starts_with(folder)).collect();
        mounted += within.len();
        if !within.is_empty() {
            mount(folder, &within, is_program)?;
        }
    }
    if mounted < files.len() {
        return Err(io::Error::other("a file lies in no folder that can be made"));
    }
    Ok(files.into_iter().next().filter(|_| !is_program).map(|(_, path)| path))
}

/// A folder of memory with nothing but these files, to be read only; `for_program`: and not to be
/// run or mapped as code either, since the code that may run is the program's.
fn mount(folder: &Path, files: &[&Shown], for_program: bool) -> io::Result<()> {
    let mut size_bytes = 64 << 10;
    for (file, _) in files {
        // Whole pages, and what the system needs for a name.
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

/// The folders that lead to a file, which its user may look into whatever the mask of modes is.
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

/// Into memory that it alone has; it is handed to the inmate as one more file.
pub fn copy_library(birth: &mut Birth) -> io::Result<Option<PathBuf>> {
    use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, memfd_create};
    let Some(library) = library_of(birth) else { return Ok(None) };
    let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
    let copy = File::from(memfd_create("library", flags)?);
    copy_all(library, &copy)?;
    let seals = SealFlags::WRITE | SealFlags::GROW | SealFlags::SHRINK | SealFlags::SEAL;
    fcntl_add_seals(&copy, seals)?;
    let path = PathBuf::from(format!("/proc/self/fd/{}", copy.as_raw_fd()));
    birth.files.push(copy.into());
    Ok(Some(path))
}

fn library_of(birth: &Birth) -> Option<&OwnedFd> {
    birth.files.first().filter(|_| birth.request.role == Role::Native)
}

/// Whoever handed it over may be reading it, too: its place is not moved.
fn copy_all(from: &OwnedFd, to: &File) -> io::Result<()> {
    let mut offset = 0;
    while rustix::fs::sendfile(to, from, Some(&mut offset), 1 << 30)? > 0 {}
    Ok(())
}
