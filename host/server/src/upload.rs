//! Uploads to the engines folder: checks names, writes whole files or none, and replaces or deletes
//! only uploaded files. The catalog decides what a file is.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use super::problem::{ApiResult, Problem, ProblemKind};
use sandboard_common::files::{read_regular, write_atomically};

/// The largest upload, in bytes.
pub(crate) const UPLOAD_BYTES: usize = 64 * 1024 * 1024;
/// The longest file name, in bytes.
const NAME_BYTES: usize = 120;
/// The file that lists uploads; hidden, so that it is not taken for an engine.
const LIST_FILE: &str = ".sandboard-uploads.json";
/// The allowed extensions.
const EXTENSIONS: [&str; 5] = ["wasm", "zip", "so", "dll", "dylib"];

/// Serializes changes of the folder and the list.
static FOLDER_LOCK: Mutex<()> = Mutex::new(());

/// Returns the names of uploaded files in this folder.
pub(crate) fn list_uploads(folder: &Path) -> BTreeSet<String> {
    let read = read_regular(&folder.join(LIST_FILE), u64::MAX).unwrap_or_default();
    serde_json::from_slice(&read).unwrap_or_default()
}

fn save_list(folder: &Path, names: &BTreeSet<String>) -> ApiResult<()> {
    let bytes = serde_json::to_vec(names).unwrap_or_default();
    let failed =
        |error| Problem::new(ProblemKind::Internal, format!("the list of uploads: {error}"));
    write_atomically(&folder.join(LIST_FILE), &bytes).map_err(failed)
}

/// Checks a file name.
pub(crate) fn check_name(name: &str) -> ApiResult<()> {
    let bad = |detail: &str| Err(Problem::bad_request("name", detail));
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    if name.is_empty() || name.len() > NAME_BYTES {
        return bad(crate::messages::UPLOAD_NAME_LENGTH);
    }
    if !name.bytes().all(is_allowed) {
        return bad(crate::messages::UPLOAD_NAME_LETTERS);
    }
    if name.starts_with('.') || name.starts_with('-') || name.contains("..") {
        return bad(crate::messages::UPLOAD_NAME_START);
    }
    let extension = name.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
    match extension.is_some_and(|extension| EXTENSIONS.contains(&extension.as_str())) {
        true => Ok(()),
        false => bad(crate::messages::UPLOAD_NAME_END),
    }
}

/// Stores a file in the folder. Replaces an earlier upload of the same name, but no other file.
pub(crate) fn store_file(folder: &Path, name: &str, bytes: &[u8]) -> ApiResult<()> {
    check_name(name)?;
    let _guard = FOLDER_LOCK.lock().unwrap_or_else(PoisonError::into_inner);
    let mut names = list_uploads(folder);
    let target = folder.join(name);
    if target.symlink_metadata().is_ok() && !names.contains(name) {
        let detail = crate::messages::foreign_file(name);
        return Err(Problem::new(ProblemKind::Conflict, detail));
    }
    let failed = |error: std::io::Error| {
        Problem::new(ProblemKind::Internal, format!("`{name}` cannot be written: {error}"))
    };
    let mut file =
        tempfile::Builder::new().prefix(".upload-").tempfile_in(folder).map_err(failed)?;
    file.write_all(bytes).and_then(|()| file.as_file().sync_all()).map_err(failed)?;
    // Listed first: an entry without a file does no harm.
    names.insert(name.to_owned());
    save_list(folder, &names)?;
    file.persist(&target).map_err(|error| failed(error.error))?;
    Ok(())
}

/// Deletes an uploaded file.
pub(crate) fn remove_file(folder: &Path, name: &str) -> ApiResult<()> {
    let _guard = FOLDER_LOCK.lock().unwrap_or_else(PoisonError::into_inner);
    let mut names = list_uploads(folder);
    check_name(name)?;
    if !folder.join(name).exists() {
        return Err(Problem::new(ProblemKind::NotFound, crate::messages::NO_UPLOADED_FILE));
    }
    if !names.contains(name) {
        let detail = crate::messages::ONLY_UPLOADED_DELETED;
        return Err(Problem::new(ProblemKind::Forbidden, detail));
    }
    let failed =
        |error| Problem::new(ProblemKind::Internal, format!("`{name}` cannot be deleted: {error}"));
    std::fs::remove_file(folder.join(name)).map_err(failed)?;
    names.remove(name);
    save_list(folder, &names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names() {
        let check = |name: &str, good: bool| assert_eq!(check_name(name).is_ok(), good, "{name:?}");
        check("alpha-1.2.0.gomoku.wasm", true);
        check("A_pack.ZIP", true);
        check("x.so", true);
        check("x", false);
        check("x.cwasm", false);
        check("x.xml", false);
        check("", false);
        check(".x.wasm", false);
        check("-x.wasm", false);
        check("a/../b.wasm", false);
        check("..\\b.wasm", false);
        check("a..wasm", false);
        check("a b.wasm", false);
        check("a\0.wasm", false);
        check("ä.wasm", false);
        check(&format!("{}.wasm", "a".repeat(115)), true);
        check(&format!("{}.wasm", "a".repeat(116)), false);
    }

    #[test]
    fn only_uploads_are_replaced_and_deleted() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        std::fs::write(at.join("own.wasm"), "own").unwrap();
        assert_eq!(store_file(at, "own.wasm", b"other").unwrap_err().kind, ProblemKind::Conflict);
        assert_eq!(remove_file(at, "own.wasm").unwrap_err().kind, ProblemKind::Forbidden);
        store_file(at, "new.wasm", b"first").unwrap();
        store_file(at, "new.wasm", b"second").unwrap();
        assert_eq!(std::fs::read(at.join("new.wasm")).unwrap(), b"second");
        assert_eq!(list_uploads(at).into_iter().collect::<Vec<_>>(), ["new.wasm"]);
        remove_file(at, "new.wasm").unwrap();
        assert!(!at.join("new.wasm").exists() && list_uploads(at).is_empty());
        assert_eq!(std::fs::read(at.join("own.wasm")).unwrap(), b"own");
        assert_eq!(remove_file(at, "../own.wasm").unwrap_err().kind, ProblemKind::BadRequest);
        assert_eq!(remove_file(at, "new.wasm").unwrap_err().kind, ProblemKind::NotFound);
    }
}
