//! Folders and files that only the user who runs the host can write to, so that the host can trust
//! their contents.

use std::fs::{File, Metadata};
use std::io;
use std::path::Path;

/// Creates the folder if it is missing. Fails if it cannot be created, belongs to another user, or
/// can be written to by others.
pub fn open_folder(folder: &Path) -> io::Result<()> {
    if !folder.exists() {
        create(folder)?;
    }
    check_folder(folder)
}

#[cfg(unix)]
fn create(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

#[cfg(not(unix))]
fn create(folder: &Path) -> io::Result<()> {
    std::fs::create_dir_all(folder)
}

/// Fails if the folder is missing, is not a folder, belongs to another user, or can be written to
/// by others. Creates nothing.
pub fn check_folder(folder: &Path) -> io::Result<()> {
    let metadata = std::fs::symlink_metadata(folder)?;
    if !metadata.is_dir() {
        return refuse(folder, "is not a folder");
    }
    check_owner(folder, &metadata)
}

/// Opens a file in a private folder for reading. Fails if it is missing, is a link or another
/// special file, belongs to another user, or can be written to by others.
pub fn open_file(path: &Path) -> io::Result<File> {
    // The folder is private, so the file at the path cannot be exchanged in between.
    if !std::fs::symlink_metadata(path)?.is_file() {
        return refuse(path, "is not a regular file");
    }
    let file = super::files::open_regular(path)?;
    check_owner(path, &file.metadata()?)?;
    Ok(file)
}

/// Never repairs the permissions: others may already have written to the file.
#[cfg(unix)]
fn check_owner(path: &Path, metadata: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    if metadata.uid() != rustix::process::geteuid().as_raw() {
        return refuse(path, "belongs to another user");
    }
    match metadata.permissions().mode() & 0o022 {
        0 => Ok(()),
        _ => refuse(path, "can be written to by others"),
    }
}

#[cfg(not(unix))]
fn check_owner(_path: &Path, _metadata: &Metadata) -> io::Result<()> {
    // A user's own data folder is private on these systems by default.
    Ok(())
}

fn refuse<T>(path: &Path, reason: &str) -> io::Result<T> {
    let place = path.display();
    Err(io::Error::other(format!("{place} {reason}; delete it, and it is created again")))
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
        open_folder(&folder).unwrap();
        for (mode, admitted) in [(0o700, true), (0o755, true), (0o775, false), (0o777, false)] {
            std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!(open_folder(&folder).is_ok(), admitted, "{mode:o}");
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
            (0o664, Err("file can be written to by others; delete it")),
            (0o646, Err("can be written to by others")),
        ] {
            let mode = std::fs::Permissions::from_mode(mode);
            std::fs::set_permissions(folder.path().join("file"), mode).unwrap();
            check("file", expected);
        }
        std::os::unix::fs::symlink("file", folder.path().join("link")).unwrap();
        check("link", Err("is not a regular file"));
        check(".", Err("is not a regular file"));
        check("missing", Err("No such file"));
    }
}
