//! The modes of files and folders that hold secrets, such as the seed of a contest, entries and
//! records: 0600 and 0700, so that only their owner can read them. On systems without such modes,
//! nothing is done: there the folders of a user are private.

use std::io;
use std::path::Path;

/// Creates a folder with its parents, each with the mode 0700. Existing ones stay as they are.
pub fn create_folder(dir: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(dir)
}

/// Creates an empty file with the mode 0600, unless it exists.
pub fn create_file(path: &Path) -> io::Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        opened => opened.map(drop),
    }
}

/// Takes the rights of other users from a file or a folder. Returns a note for people if there were
/// any. A missing file is ignored. Fails if the rights cannot be taken, because the file belongs to
/// another user, or because it is a folder for all users such as `/tmp`.
#[cfg(unix)]
pub fn make_private(path: &Path) -> io::Result<Option<String>> {
    use std::os::unix::fs::PermissionsExt;
    let found = match std::fs::metadata(path) {
        Ok(found) => found.permissions().mode() & 0o7777,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    if found & 0o077 == 0 {
        return Ok(None);
    }
    if found & 0o1000 != 0 {
        let reason = format!("it is shared by all users (mode {found:o}); use another folder");
        return Err(io::Error::other(reason));
    }
    let private = found & 0o700;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(private)).map_err(|error| {
        let reason =
            format!("other users can reach it (mode {found:o}), and its mode stays: {error}");
        io::Error::new(error.kind(), reason)
    })?;
    let path = path.display();
    Ok(Some(format!(
        "{path} had the mode {found:o}, and now has {private:o}: only you can read it"
    )))
}

/// Whether users other than the owner can reach a file or a folder; false if it is missing.
pub fn is_open_to_others(path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::metadata(path).is_ok_and(|found| found.permissions().mode() & 0o077 != 0)
    }
    #[cfg(not(unix))]
    {
        let _ = path;
        false
    }
}

/// Does nothing: this system has no such modes.
#[cfg(not(unix))]
pub fn make_private(_: &Path) -> io::Result<Option<String>> {
    Ok(None)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn mode(path: &Path) -> u32 {
        std::fs::metadata(path).unwrap().permissions().mode() & 0o7777
    }

    #[test]
    fn what_is_created_is_private() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("a/b");
        create_folder(&inner).unwrap();
        assert_eq!([mode(&inner), mode(inner.parent().unwrap())], [0o700, 0o700]);
        let file = inner.join("file");
        create_file(&file).unwrap();
        assert_eq!(mode(&file), 0o600);
        // An existing file keeps its content.
        std::fs::write(&file, "content").unwrap();
        create_file(&file).unwrap();
        assert_eq!(std::fs::read(&file).unwrap(), b"content");
    }

    #[test]
    fn looser_modes_are_mended_with_a_note() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(&path, "").unwrap();
        for (before, after) in [
            (0o600, 0o600),
            (0o400, 0o400),
            (0o644, 0o600),
            (0o660, 0o600),
            (0o604, 0o600),
            (0o755, 0o700),
        ] {
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(before)).unwrap();
            let note = make_private(&path).unwrap();
            assert_eq!(mode(&path), after, "{before:o}");
            assert_eq!(note.is_some(), before != after, "{before:o}");
            let named = format!("had the mode {before:o}, and now has {after:o}");
            assert!(note.is_none_or(|note| note.contains(&named)), "{before:o}");
        }
        let shared = folder.path().join("shared");
        std::fs::create_dir(&shared).unwrap();
        std::fs::set_permissions(&shared, std::fs::Permissions::from_mode(0o1777)).unwrap();
        let error = make_private(&shared).unwrap_err().to_string();
        assert_eq!(error, "it is shared by all users (mode 1777); use another folder");
        assert_eq!(mode(&shared), 0o1777);
        assert_eq!(make_private(&folder.path().join("missing")).unwrap(), None);
    }
}
