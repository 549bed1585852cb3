//! A hash of the names and contents of files, stored in a file, to detect changes since a build.
//! Ignores modification times. Different files have the same hash with a probability of 2^-64; the
//! hash may change with the compiler.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

use anyhow::{Context, Result};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ContentHash(u64);

impl ContentHash {
    /// The hash of some files of a folder. A missing file is an error.
    pub(super) fn of_files(folder: &Path, names: &[&str]) -> Result<ContentHash> {
        let mut hasher = DefaultHasher::new();
        for name in names {
            let path = folder.join(name);
            let bytes =
                std::fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
            (name, bytes).hash(&mut hasher);
        }
        Ok(ContentHash(hasher.finish()))
    }

    /// The hash of all files below a folder, without folders of the given names.
    pub(super) fn of_folder(folder: &Path, excluded: &[&str]) -> Result<ContentHash> {
        let mut files = BTreeSet::new();
        collect_files(folder, "", excluded, &mut files)?;
        ContentHash::of_files(folder, &files.iter().map(String::as_str).collect::<Vec<_>>())
    }

    /// The hash of two hashes, in this order.
    pub(super) fn combine(self, other: ContentHash) -> ContentHash {
        let mut hasher = DefaultHasher::new();
        (self.0, other.0).hash(&mut hasher);
        ContentHash(hasher.finish())
    }

    /// Whether the file contains this hash.
    pub(super) fn is_stored_in(self, file: &Path) -> bool {
        std::fs::read_to_string(file).is_ok_and(|text| text == self.text())
    }

    /// Writes the hash for [`ContentHash::is_stored_in`].
    pub(super) fn store(self, file: &Path) -> Result<()> {
        let write = || {
            file.parent().map_or(Ok(()), std::fs::create_dir_all)?;
            std::fs::write(file, self.text())
        };
        write().with_context(|| format!("cannot write {}", file.display()))
    }

    fn text(self) -> String {
        format!("{:016x}", self.0)
    }
}

/// Collects the relative paths of the files below `root`/`inner`.
fn collect_files(
    root: &Path,
    inner: &str,
    excluded: &[&str],
    files: &mut BTreeSet<String>,
) -> Result<()> {
    let folder = root.join(inner);
    let entries = std::fs::read_dir(&folder);
    for entry in entries.with_context(|| format!("cannot read the folder {}", folder.display()))? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if excluded.contains(&name.as_str()) {
            continue;
        }
        let path = if inner.is_empty() { name } else { format!("{inner}/{name}") };
        match entry.file_type()?.is_dir() {
            true => collect_files(root, &path, excluded, files)?,
            false => drop(files.insert(path)),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The hash of a folder with these files, without folders named `generated`.
    fn hash_of(files: &[(&str, &str)]) -> ContentHash {
        let folder = tempfile::tempdir().expect("creates a folder");
        for (name, text) in files {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().expect("has a parent folder"))
                .expect("creates a folder");
            std::fs::write(path, text).expect("writes the file");
        }
        ContentHash::of_folder(folder.path(), &["generated"]).expect("reads the folder")
    }

    #[test]
    fn names_and_contents_matter_but_generated_folders_do_not() {
        let check = |a: &[(&str, &str)], b: &[(&str, &str)], are_equal| {
            assert_eq!(hash_of(a) == hash_of(b), are_equal, "{a:?} {b:?}");
        };
        check(&[("a", "1"), ("s/b", "2")], &[("s/b", "2"), ("a", "1")], true);
        check(&[("a", "1")], &[("a", "2")], false);
        check(&[("a", "1")], &[("b", "1")], false);
        check(&[("a", "1"), ("b", "2")], &[("a", "12"), ("b", "")], false);
        check(&[("a", "1"), ("s/generated/c", "3")], &[("a", "1"), ("s/generated/c", "4")], true);
        check(&[("a", "1"), ("ungenerated/c", "3")], &[("a", "1"), ("ungenerated/c", "4")], false);
    }

    #[test]
    fn a_stored_hash_is_recognised() {
        let folder = tempfile::tempdir().expect("creates a folder");
        let file = folder.path().join("new").join("hash");
        let (one, two) = (hash_of(&[("a", "1")]), hash_of(&[("a", "2")]));
        assert!(!one.is_stored_in(&file));
        one.store(&file).expect("writes the file");
        assert!(one.is_stored_in(&file));
        assert!(!two.is_stored_in(&file));
        assert!(!one.combine(two).is_stored_in(&file));
        assert!(ContentHash::of_files(folder.path(), &["absent"]).is_err());
    }
}
