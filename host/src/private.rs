//! Folders and files of the host's own that nobody but the user who runs it may write to:
//! what lies in them is what the host put there. Knows nothing of what that is.

use std::fs::{File, Metadata};
use std::io;
use std::path::Path;

/// Makes the folder if it is not there. Err: it cannot be made, or is another
/// user's, or others may write to it.
pub(crate) fn open(folder: &Path) -> io::Result<()> {
    if !folder.exists() {
        make(folder)?;
    }
    check_private(folder)
}

#[cfg(unix)]
fn make(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

#[cfg(not(unix))]
fn make(folder: &Path) -> io::Result<()> {
    std::fs::create_dir_all(folder)
}

/// Err: the folder is none, is another user's, or others may write to it; also where it
/// is not there. Makes nothing.
pub(crate) fn check_private(folder: &Path) -> io::Result<()> {
    let metadata = std::fs::symlink_metadata(folder)?;
    if !metadata.is_dir() {
        return wrong(folder, "is no folder");
    }
    check_owner(folder, &metadata)
}

/// Opens a file in such a folder to be read. Err: it is a link or otherwise no regular file,
/// is another user's, or others may write to it; also where it is not there.
pub(crate) fn open_file(path: &Path) -> io::Result<File> {
    // Before opening: opening a named pipe would wait for a writer. Nobody else changes what
    // is at the path, since the folder is private.
    if !std::fs::symlink_metadata(path)?.is_file() {
        return wrong(path, "is no regular file");
    }
    let file = File::open(path)?;
    check_owner(path, &file.metadata()?)?;
    Ok(file)
}

/// What others could write to is not mended: it may be theirs.
#[cfg(unix)]
fn check_owner(path: &Path, metadata: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    if metadata.uid() != rustix::process::geteuid().as_raw() {
        return wrong(path, "is another user's");
    }
    match metadata.permissions().mode() & 0o022 {
        0 => Ok(()),
        _ => wrong(path, "may be written to by others"),
    }
}

#[cfg(not(unix))]
fn check_owner(_path: &Path, _metadata: &Metadata) -> io::Result<()> {
    // A user's own data folder is private on these systems by default.
    Ok(())
}

fn wrong<T>(path: &Path, reason: &str) -> io::Result<T> {
    let place = path.display();
    Err(io::Error::other(format!("{place} {reason}; delete it, and it is made anew")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(unix)]
    fn a_folder_that_others_may_write_to_is_refused() {
        use std::os::unix::fs::PermissionsExt;
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("cache");
        open(&folder).unwrap();
        for (mode, admitted) in [(0o700, true), (0o755, true), (0o775, false), (0o777, false)] {
            std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!(open(&folder).is_ok(), admitted, "{mode:o}");
        }
    }

    #[test]
    #[cfg(unix)]
    fn a_file_that_others_may_write_to_is_not_read() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let check = |name: &str, expected: Result<(), &str>| {
            let found = open_file(&folder.path().join(name)).map(drop);
            match (found, expected) {
                (Ok(()), Ok(())) => (),
                (Err(error), Err(why)) if error.to_string().contains(why) => (),
                (found, _) => panic!("{name}: {found:?}, not {expected:?}"),
            }
        };
        std::fs::write(folder.path().join("file"), "").unwrap();
        for (mode, expected) in [
            (0o600, Ok(())),
            (0o644, Ok(())),
            (0o664, Err("file may be written to by others; delete it")),
            (0o646, Err("may be written to by others")),
        ] {
            let mode = std::fs::Permissions::from_mode(mode);
            std::fs::set_permissions(folder.path().join("file"), mode).unwrap();
            check("file", expected);
        }
        std::os::unix::fs::symlink("file", folder.path().join("link")).unwrap();
        check("link", Err("is no regular file"));
        check(".", Err("is no regular file"));
        check("missing", Err("No such file"));
    }
}
