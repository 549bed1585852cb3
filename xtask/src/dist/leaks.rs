//! Finds paths of the building machine in the files of a release: they would make the result depend
//! on the machine, and name its user.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use super::archive::Tree;

/// The bytes shown around a found path.
const CONTEXT_BYTES: usize = 40;

/// Fails if a file contains one of these folders, and names file, place and surroundings.
pub(super) fn check(files: &Tree, folders: &[PathBuf]) -> Result<()> {
    let found: Vec<String> =
        files.iter().filter_map(|(path, file)| find(path, &file.bytes, folders)).collect();
    if !found.is_empty() {
        bail!(
            "paths of this machine are in the release: remap them in xtask/src/dist/remap.rs\n  {}",
            found.join("\n  ")
        );
    }
    Ok(())
}

/// The first place of a folder in a file, as a message.
fn find(path: &str, bytes: &[u8], folders: &[PathBuf]) -> Option<String> {
    folders.iter().filter(|folder| identifies_machine(folder)).find_map(|folder| {
        let at = position(bytes, folder.as_os_str().as_encoded_bytes())?;
        let start = at.saturating_sub(CONTEXT_BYTES);
        let end = bytes.len().min(at + folder.as_os_str().len() + CONTEXT_BYTES);
        let around = String::from_utf8_lossy(&bytes[start..end]);
        let around: String = around.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        Some(format!("{path}, byte {at}: {} in `{}`", folder.display(), around.trim()))
    })
}

/// Folders such as `/` and `/tmp` are on every machine.
fn identifies_machine(folder: &Path) -> bool {
    folder.components().count() > 2
}

/// The place of a folder's name, which no further letter continues.
fn position(bytes: &[u8], name: &[u8]) -> Option<usize> {
    let first = *name.first()?;
    let candidates = bytes.iter().enumerate().filter(|(_, byte)| **byte == first);
    candidates.map(|(at, _)| at).find(|at| {
        let rest = bytes[*at..].strip_prefix(name);
        let continues = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.".contains(byte);
        rest.is_some_and(|rest| !rest.first().is_some_and(continues))
    })
}

#[cfg(test)]
mod tests {
    use super::super::archive::Mode;
    use super::*;

    #[test]
    fn a_path_of_the_machine_is_named_with_its_place() {
        let check = |text: &str, expected: Option<&str>| {
            let folders = ["/build/clone", "/home/user", "/tmp"].map(PathBuf::from);
            let mut files = Tree::default();
            files.add("bin/x", Mode::Program, text).expect("added");
            let error = self::check(&files, &folders).err().map(|error| error.to_string());
            match expected {
                None => assert_eq!(error, None, "{text}"),
                Some(part) => {
                    let error = error.expect("a found path");
                    assert!(error.contains(part), "{error}");
                }
            }
        };
        check("panicked at /build/clone/a.rs", Some("bin/x, byte 12: /build/clone in `panicked"));
        check("\0/home/user\0", Some("bin/x, byte 1: /home/user in `/home/user`"));
        check("1/home/user/.cargo", Some("byte 1: /home/user"));
        check("/home/user-2 and /hom/user, then /home/user/x", Some("byte 33: /home/user"));
        // Near misses.
        check("/home/user-2", None);
        check("/build/clone-2/a.rs", None);
        check("/build/clon", None);
        check("/tmp/x", None);
        check("/sandboard/a.rs", None);
        check("", None);
    }
}
