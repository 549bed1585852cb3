//! The rules for a path below a folder that is not known yet, such as that of a pack.

use sandboard_common::text::{is_hidden, quoted};

/// The longest relative path, in bytes.
pub const RELATIVE_PATH_BYTES_MAX: usize = 1024;

/// Whether a path is relative, plain and visible, and leads to no other folder. The error says what
/// is wrong; it may begin with the path.
pub fn check_relative_path(path: &str) -> Result<(), String> {
    if path.len() > RELATIVE_PATH_BYTES_MAX {
        let bytes = path.len();
        return Err(format!("is {bytes} bytes long; the limit is {RELATIVE_PATH_BYTES_MAX}"));
    }
    let fault = |why: &str| Err(format!("{} {why}", quoted(path)));
    if path.is_empty() {
        return Err("is empty; it must name a file".into());
    }
    if path.contains(is_hidden) {
        return fault("contains a control or direction character");
    }
    if path.contains('\\') {
        return fault("contains `\\`; write `/` between folders on every system");
    }
    if path.starts_with('/') || path.as_bytes().get(1) == Some(&b':') {
        return fault("is an absolute path; write it relative to the pack");
    }
    if path.split('/').any(|part| part == "..") {
        return fault("leads out of the pack: `..` is not allowed");
    }
    if path.split('/').any(|part| part.is_empty() || part == ".") {
        return fault("is not plain: write `folder/file`");
    }
    Ok(())
}
