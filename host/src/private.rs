//! Folders of the host's own that nobody but the user who runs it may write to:
//! what lies in them is what the host put there. Knows nothing of what that is.

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

/// A folder that others could write to is not mended: it may hold their files.
#[cfg(unix)]
fn check_private(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    let wrong = |reason: &str| {
        let place = folder.display();
        Err(io::Error::other(format!("{place} {reason}; delete it, and it is made anew")))
    };
    let metadata = std::fs::symlink_metadata(folder)?;
    if !metadata.is_dir() {
        return wrong("is no folder");
    }
    // Whose files this process makes is who it is.
    let own_uid = tempfile::tempfile_in(folder)?.metadata()?.uid();
    if metadata.uid() != own_uid {
        return wrong("is another user's");
    }
    match metadata.permissions().mode() & 0o022 {
        0 => Ok(()),
        _ => wrong("may be written to by others"),
    }
}

#[cfg(not(unix))]
fn check_private(_folder: &Path) -> io::Result<()> {
    // A user's own data folder is private on these systems by default.
    Ok(())
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
}
