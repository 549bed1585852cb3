//! Copies a library to where the system's loader finds it and no other user can change it: a file
//! may change between hashing and loading. Does not inspect the library.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A copy from which a library is loaded.
pub(super) struct PrivateCopy {
    path: PathBuf,
    backing: Backing,
}

/// Where the copy is stored.
enum Backing {
    /// A sealed file in memory, found through this process's descriptors.
    #[cfg(target_os = "linux")]
    Memory(std::fs::File),
    /// A file in a temporary folder that only this user may enter.
    Folder(tempfile::TempDir),
}

impl PrivateCopy {
    /// Copies the bytes into memory if the system supports that, otherwise into a temporary folder.
    pub(super) fn new(bytes: &[u8]) -> io::Result<Self> {
        #[cfg(target_os = "linux")]
        match in_memory(bytes) {
            Ok(Some(copy)) => return Ok(copy),
            Ok(None) => (),
            Err(error) => log::info!("a native library is copied to a file: {error}"),
        }
        in_folder(bytes)
    }

    /// The path for the system's loader.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Releases the copy after the library was loaded or refused.
    pub(super) fn release(self) {
        match self.backing {
            // Stays open: the loader identifies libraries by path, and would confuse the next
            // library under this descriptor with this one. Debuggers use the path, too.
            #[cfg(target_os = "linux")]
            Backing::Memory(file) => std::mem::forget(file),
            // Some systems cannot remove a loaded library.
            Backing::Folder(folder) => {
                let path = folder.path().to_owned();
                if let Err(error) = folder.close() {
                    log::info!("{}: cannot be removed: {error}", path.display());
                }
            }
        }
    }
}

/// Copies the bytes into sealed memory. None: this process cannot open its own descriptors by path,
/// for example without `/proc`.
#[cfg(target_os = "linux")]
fn in_memory(bytes: &[u8]) -> io::Result<Option<PrivateCopy>> {
    use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, memfd_create};
    use std::os::fd::AsRawFd;
    use std::os::unix::fs::MetadataExt;
    let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
    let mut file = std::fs::File::from(memfd_create("sandboard-native-engine", flags)?);
    file.write_all(bytes)?;
    fcntl_add_seals(
        &file,
        SealFlags::WRITE | SealFlags::GROW | SealFlags::SHRINK | SealFlags::SEAL,
    )?;
    // With the process ID instead of `self`, so that a debugger opens the same file.
    let path = PathBuf::from(format!("/proc/{}/fd/{}", std::process::id(), file.as_raw_fd()));
    let own = file.metadata()?;
    let same = |found: std::fs::Metadata| (found.dev(), found.ino()) == (own.dev(), own.ino());
    let found = std::fs::metadata(&path).is_ok_and(same);
    Ok(found.then_some(PrivateCopy { path, backing: Backing::Memory(file) }))
}

fn in_folder(bytes: &[u8]) -> io::Result<PrivateCopy> {
    let mut builder = tempfile::Builder::new();
    builder.prefix("sandboard-");
    #[cfg(unix)]
    let builder = {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o700))
    };
    let folder = builder.tempdir()?;
    let path = folder.path().join(format!("engine{}", std::env::consts::DLL_SUFFIX));
    let mut file = std::fs::File::create_new(&path)?;
    file.write_all(bytes)?;
    drop(file);
    Ok(PrivateCopy { path, backing: Backing::Folder(folder) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_has_the_same_bytes_and_keeps_them() {
        let check = |copy: PrivateCopy, writable: bool| {
            let read = || std::fs::read(copy.path()).unwrap();
            assert_eq!(read(), b"library");
            let written = std::fs::OpenOptions::new()
                .write(true)
                .open(copy.path())
                .and_then(|mut file| file.write_all(b"another"));
            assert_eq!(written.is_ok(), writable, "{written:?}");
            if !writable {
                assert_eq!(read(), b"library");
            }
            copy.release();
        };
        #[cfg(target_os = "linux")]
        check(in_memory(b"library").unwrap().expect("this system has /proc"), false);
        // Only the user may write; other users cannot enter the folder.
        let copy = in_folder(b"library").unwrap();
        let folder = copy.path().parent().unwrap().to_owned();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = std::fs::metadata(&folder).unwrap().permissions().mode();
            assert_eq!(mode & 0o077, 0, "{mode:o}");
        }
        check(copy, true);
        assert!(!folder.exists());
    }
}
