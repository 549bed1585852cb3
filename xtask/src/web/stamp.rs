//! What files held when something was made of them, as one number in a file. Sees contents and
//! names, never dates; two that differ may agree once in 2^64, and a new compiler may number anew.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

use anyhow::{Context, Result};

/// The number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stamp(u64);

impl Stamp {
    /// Of some files of a folder; each must be there.
    pub fn of_files(folder: &Path, names: &[&str]) -> Result<Stamp> {
        let mut hasher = DefaultHasher::new();
        for name in names {
            let path = folder.join(name);
            let bytes =
                std::fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
            (name, bytes).hash(&mut hasher);
        }
        Ok(Stamp(hasher.finish()))
    }

    /// Of all files below a folder, but in folders of these names.
    pub fn of_folder(folder: &Path, without: &[&str]) -> Result<Stamp> {
        let mut files = BTreeSet::new();
        collect(folder, "", without, &mut files)?;
        Stamp::of_files(folder, &files.iter().map(String::as_str).collect::<Vec<_>>())
    }

    /// Of both.
    pub fn and(self, other: Stamp) -> Stamp {
        let mut hasher = DefaultHasher::new();
        (self.0, other.0).hash(&mut hasher);
        Stamp(hasher.finish())
    }

    /// Whether it was written there.
    pub fn stands_in(self, place: &Path) -> bool {
        std::fs::read_to_string(place).is_ok_and(|text| text == self.text())
    }

    /// Writes it for [`Stamp::stands_in`].
    pub fn write(self, place: &Path) -> Result<()> {
        let write = || {
            place.parent().map_or(Ok(()), std::fs::create_dir_all)?;
            std::fs::write(place, self.text())
        };
        write().with_context(|| format!("cannot write {}", place.display()))
    }

    fn text(self) -> String {
        format!("{:016x}", self.0)
    }
}

fn collect(root: &Path, inner: &str, without: &[&str], files: &mut BTreeSet<String>) -> Result<()> {
    let folder = root.join(inner);
    let entries = std::fs::read_dir(&folder);
    for entry in entries.with_context(|| format!("cannot read the folder {}", folder.display()))? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if without.contains(&name.as_str()) {
            continue;
        }
        let path = if inner.is_empty() { name } else { format!("{inner}/{name}") };
        match entry.file_type()?.is_dir() {
            true => collect(root, &path, without, files)?,
            false => drop(files.insert(path)),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder of these files, and its stamp without `made`.
    fn stamp(files: &[(&str, &str)]) -> Stamp {
        let folder = tempfile::tempdir().expect("a folder can be made");
        for (name, text) in files {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().expect("it is in a folder")).expect("a folder");
            std::fs::write(path, text).expect("it can be written");
        }
        Stamp::of_folder(folder.path(), &["made"]).expect("it can be read")
    }

    #[test]
    fn names_and_contents_count_and_what_is_made_does_not() {
        let check = |a: &[(&str, &str)], b: &[(&str, &str)], same| {
            assert_eq!(stamp(a) == stamp(b), same, "{a:?} {b:?}");
        };
        check(&[("a", "1"), ("s/b", "2")], &[("s/b", "2"), ("a", "1")], true);
        check(&[("a", "1")], &[("a", "2")], false);
        check(&[("a", "1")], &[("b", "1")], false);
        check(&[("a", "1"), ("b", "2")], &[("a", "12"), ("b", "")], false);
        check(&[("a", "1"), ("s/made/c", "3")], &[("a", "1"), ("s/made/c", "4")], true);
        check(&[("a", "1"), ("remade/c", "3")], &[("a", "1"), ("remade/c", "4")], false);
    }

    #[test]
    fn one_is_known_again_where_it_was_written() {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let place = folder.path().join("new").join("stamp");
        let (one, two) = (stamp(&[("a", "1")]), stamp(&[("a", "2")]));
        assert!(!one.stands_in(&place));
        one.write(&place).expect("it can be written");
        assert!(one.stands_in(&place));
        assert!(!two.stands_in(&place));
        assert!(!one.and(two).stands_in(&place));
        assert!(Stamp::of_files(folder.path(), &["absent"]).is_err());
    }
}
