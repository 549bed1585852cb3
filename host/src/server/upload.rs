//! Files that people bring into the engines folder, and take out again: plain names, whole files
//! or none, and none that somebody else has put there. What a file is, the catalog says.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use super::problem::{Answer, Kind, Problem};
use crate::record::store::write_atomically;

/// The largest file that is taken, in bytes.
pub const UPLOAD_BYTES: usize = 64 * 1024 * 1024;
/// The longest name.
const NAME_BYTES: usize = 120;
/// The list of what was brought: hidden, so that it is no engine.
const LIST: &str = ".sandboard-uploads.json";
/// What names end with.
const ENDINGS: [&str; 5] = ["wasm", "zip", "so", "dll", "dylib"];

/// Who changes folder and list, one at a time.
static ONE: Mutex<()> = Mutex::new(());

/// The names of files in this folder that were brought.
pub fn uploads(folder: &Path) -> BTreeSet<String> {
    let read = std::fs::read(folder.join(LIST)).unwrap_or_default();
    serde_json::from_slice(&read).unwrap_or_default()
}

fn keep(folder: &Path, names: &BTreeSet<String>) -> Answer<()> {
    let bytes = serde_json::to_vec(names).unwrap_or_default();
    let failed = |error| Problem::new(Kind::Internal, format!("the list of uploads: {error}"));
    write_atomically(&folder.join(LIST), &bytes).map_err(failed)
}

/// Whether a file may be called so.
pub fn check_name(name: &str) -> Answer<()> {
    let bad = |detail: &str| Err(Problem::bad("name", detail));
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    if name.is_empty() || name.len() > NAME_BYTES {
        return bad("a name has 1 to 120 bytes");
    }
    if !name.bytes().all(plain) {
        return bad("a name is of letters, digits, `.`, `_` and `-` alone");
    }
    if name.starts_with('.') || name.starts_with('-') || name.contains("..") {
        return bad("a name begins with a letter or a digit, and has no two dots together");
    }
    let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    match ending.is_some_and(|ending| ENDINGS.contains(&ending.as_str())) {
        true => Ok(()),
        false => bad("a name ends with .wasm, .zip, .so, .dll or .dylib"),
    }
}

/// Puts a file into the folder. One that was brought before is replaced, no other.
pub fn put(folder: &Path, name: &str, bytes: &[u8]) -> Answer<()> {
    check_name(name)?;
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let mut names = uploads(folder);
    let target = folder.join(name);
    if target.symlink_metadata().is_ok() && !names.contains(name) {
        let detail = format!("there is a file `{name}` that was not uploaded; it is left alone");
        return Err(Problem::new(Kind::Conflict, detail));
    }
    let failed = |error: std::io::Error| {
        Problem::new(Kind::Internal, format!("`{name}` cannot be written: {error}"))
    };
    let mut file =
        tempfile::Builder::new().prefix(".upload-").tempfile_in(folder).map_err(failed)?;
    file.write_all(bytes).and_then(|()| file.as_file().sync_all()).map_err(failed)?;
    // It is listed first: a file that is listed and not there does no harm.
    names.insert(name.to_owned());
    keep(folder, &names)?;
    file.persist(&target).map_err(|error| failed(error.error))?;
    Ok(())
}

/// Takes a file out again that was brought.
pub fn remove(folder: &Path, name: &str) -> Answer<()> {
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let mut names = uploads(folder);
    if check_name(name).is_err() || !names.contains(name) {
        let detail = "only what was uploaded can be deleted here";
        return Err(Problem::new(Kind::Forbidden, detail));
    }
    let failed = |error| Problem::new(Kind::Internal, format!("`{name}` is still there: {error}"));
    std::fs::remove_file(folder.join(name)).map_err(failed)?;
    names.remove(name);
    keep(folder, &names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
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
    fn only_what_was_brought_is_replaced_and_removed() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        std::fs::write(at.join("own.wasm"), "own").unwrap();
        assert_eq!(put(at, "own.wasm", b"other").unwrap_err().kind, Kind::Conflict);
        assert_eq!(remove(at, "own.wasm").unwrap_err().kind, Kind::Forbidden);
        put(at, "new.wasm", b"first").unwrap();
        put(at, "new.wasm", b"second").unwrap();
        assert_eq!(std::fs::read(at.join("new.wasm")).unwrap(), b"second");
        assert_eq!(uploads(at).into_iter().collect::<Vec<_>>(), ["new.wasm"]);
        remove(at, "new.wasm").unwrap();
        assert!(!at.join("new.wasm").exists() && uploads(at).is_empty());
        assert_eq!(std::fs::read(at.join("own.wasm")).unwrap(), b"own");
        assert_eq!(remove(at, "../own.wasm").unwrap_err().kind, Kind::Forbidden);
    }
}
