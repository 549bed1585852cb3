//! A copy of a library that the system's loader can take and nobody else can change:
//! between hashing a file and loading it, the file may become another. Looks at nothing
//! in the library.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A copy, from which a library is loaded.
pub struct PrivateCopy {
    path: PathBuf,
    held: Held,
}

/// What keeps the copy there.
enum Held {
    /// Memory with a name among this process's descriptors, sealed.
    #[cfg(target_os = "linux")]
    Memory(std::fs::File),
    /// A file in a folder that only this user may enter.
    Folder(tempfile::TempDir),
}

impl PrivateCopy {
    /// Copies the bytes: into memory where the system has files there, else into the
    /// user's temporary folder.
    pub fn of(bytes: &[u8]) -> io::Result<Self> {
        #[cfg(target_os = "linux")]
        match in_memory(bytes) {
            Ok(Some(copy)) => return Ok(copy),
            Ok(None) => (),
            Err(error) => log::info!("a native library is copied to a file: {error}"),
        }
        in_folder(bytes)
    }

    /// Where the system's loader finds it.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The library is loaded, or will not be.
    pub fn loaded(self) {
        match self.held {
            // Stays open: the system's loader knows a library again by its path, and would
            // take the next one under this number for this one. A debugger finds it by it, too.
            #[cfg(target_os = "linux")]
            Held::Memory(file) => std::mem::forget(file),
            // What is loaded cannot be removed everywhere.
            Held::Folder(folder) => {
                let place = folder.path().to_owned();
                if let Err(error) = folder.close() {
                    log::info!("{}: cannot be removed: {error}", place.display());
                }
            }
        }
    }
}

/// None: this process does not find its own descriptors by the name that they have for
/// others, as where no `/proc` is mounted.
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
    // By the process's number and not as `self`, so that a debugger opens the same file.
    let path = PathBuf::from(format!("/proc/{}/fd/{}", std::process::id(), file.as_raw_fd()));
    let own = file.metadata()?;
    let same = |found: std::fs::Metadata| (found.dev(), found.ino()) == (own.dev(), own.ino());
    let found = std::fs::metadata(&path).is_ok_and(same);
    Ok(found.then_some(PrivateCopy { path, held: Held::Memory(file) }))
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
    Ok(PrivateCopy { path, held: Held::Folder(folder) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_is_what_was_copied_and_stays_so() {
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
            copy.loaded();
        };
        #[cfg(target_os = "linux")]
        check(in_memory(b"library").unwrap().expect("this system has /proc"), false);
        // The user himself may write; nobody else comes near it.
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
