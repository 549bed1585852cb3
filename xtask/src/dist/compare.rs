//! Compares two releases byte for byte, and names the first difference inside an archive.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Context, Result};

use super::archive::{self, Entry};
use super::deb;

/// The differences between the files of two folders, one message for each file.
pub(super) fn folders(first: &Path, second: &Path) -> Result<Vec<String>> {
    Ok(sets(&read(first)?, &read(second)?))
}

/// The differences between two sets of files by name, one message for each file.
pub(super) fn sets(
    first: &BTreeMap<String, Vec<u8>>,
    second: &BTreeMap<String, Vec<u8>>,
) -> Vec<String> {
    let names: BTreeSet<&String> = first.keys().chain(second.keys()).collect();
    let difference = |name: &String| match (first.get(name), second.get(name)) {
        (Some(a), Some(b)) => files(name, a, b),
        (Some(_), None) => Some(format!("{name}: only in the first folder")),
        (None, _) => Some(format!("{name}: only in the second folder")),
    };
    names.into_iter().filter_map(difference).collect()
}

fn read(folder: &Path) -> Result<BTreeMap<String, Vec<u8>>> {
    let entries = std::fs::read_dir(folder);
    let entries = entries.with_context(|| format!("cannot list {}", folder.display()))?;
    let read = |entry: std::io::Result<std::fs::DirEntry>| {
        let file = entry?.path();
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let bytes = std::fs::read(&file);
        Ok((name, bytes.with_context(|| format!("cannot read {}", file.display()))?))
    };
    entries.map(read).collect()
}

/// The first difference of two files with this name; none if they are equal.
pub(super) fn files(name: &str, first: &[u8], second: &[u8]) -> Option<String> {
    if first == second {
        return None;
    }
    // An archive that cannot be read is compared as a file.
    let inside = if name.ends_with(".tar.gz") {
        let read = archive::read_tar_gz;
        read(first).ok().zip(read(second).ok()).map(|(a, b)| entries(&a, &b))
    } else if name.ends_with(".deb") {
        deb::read_ar(first).ok().zip(deb::read_ar(second).ok()).map(|(a, b)| members(&a, &b))
    } else {
        None
    };
    let difference = match inside {
        Some(Some(difference)) => difference,
        Some(None) => "the contents are equal, the containers are not".to_owned(),
        None => bytes(first, second),
    };
    Some(format!("{name}: {difference}"))
}

fn members(first: &[(String, Vec<u8>)], second: &[(String, Vec<u8>)]) -> Option<String> {
    for ((name, a), (other, b)) in first.iter().zip(second) {
        if name != other {
            return Some(format!("the members are `{name}` and `{other}`"));
        }
        if let Some(difference) = files(name, a, b) {
            return Some(difference);
        }
    }
    (first.len() != second.len()).then(|| format!("{} and {} members", first.len(), second.len()))
}

fn entries(first: &[Entry], second: &[Entry]) -> Option<String> {
    for (a, b) in first.iter().zip(second) {
        let path = &a.path;
        if *path != b.path {
            return Some(format!("the entries are `{path}` and `{}`", b.path));
        }
        if a.mode != b.mode {
            return Some(format!("{path}: the modes are {:o} and {:o}", a.mode, b.mode));
        }
        if a.mtime != b.mtime {
            return Some(format!("{path}: the times are {} and {}", a.mtime, b.mtime));
        }
        if a.owner != b.owner {
            return Some(format!("{path}: the owners are {:?} and {:?}", a.owner, b.owner));
        }
        if a.bytes != b.bytes {
            return Some(format!("{path}: {}", bytes(&a.bytes, &b.bytes)));
        }
    }
    (first.len() != second.len()).then(|| format!("{} and {} entries", first.len(), second.len()))
}

/// The first differing byte of two byte strings that are not equal.
fn bytes(first: &[u8], second: &[u8]) -> String {
    let common = first.iter().zip(second).position(|(a, b)| a != b);
    let at = common.unwrap_or(first.len().min(second.len()));
    let lengths = match first.len() == second.len() {
        true => String::new(),
        false => format!(", and the sizes are {} and {} bytes", first.len(), second.len()),
    };
    format!("the first difference is at byte {at}{lengths}")
}

#[cfg(test)]
mod tests {
    use super::super::archive::{Mode, Tree};
    use super::*;

    const BASE: &[(&str, Mode, &str)] =
        &[("a/x", Mode::Data, "12345"), ("b", Mode::Program, "program")];

    fn tree(files: &[(&str, Mode, &str)]) -> Tree {
        let mut tree = Tree::default();
        for (path, mode, text) in files {
            tree.add(*path, *mode, *text).expect("added");
        }
        tree
    }

    fn package(tree: &Tree, mtime: u64) -> Vec<u8> {
        deb::Package { version: "1", depends: &[], mtime }.build(tree).expect("a package")
    }

    #[test]
    fn the_first_differing_entry_is_named() {
        let check = |other: &[(&str, Mode, &str)], mtime, expected: Option<&str>| {
            let archive = |tree: &Tree, mtime| tree.tar_gz("", mtime).expect("an archive");
            let (a, b) = (archive(&tree(BASE), 7), archive(&tree(other), mtime));
            let expected = expected.map(|text| format!("x.tar.gz: {text}"));
            assert_eq!(files("x.tar.gz", &a, &b), expected, "{other:?}");
        };
        let b = ("b", Mode::Program, "program");
        check(BASE, 7, None);
        check(
            &[("a/x", Mode::Data, "12x45"), b],
            7,
            Some("a/x: the first difference is at byte 2"),
        );
        check(
            &[("a/x", Mode::Data, "123"), b],
            7,
            Some("a/x: the first difference is at byte 3, and the sizes are 5 and 3 bytes"),
        );
        check(&[("a/x", Mode::Program, "12345"), b], 7, Some("a/x: the modes are 644 and 755"));
        check(&[("a/y", Mode::Data, "12345"), b], 7, Some("the entries are `a/x` and `a/y`"));
        check(&BASE[..1], 7, Some("3 and 2 entries"));
        check(BASE, 8, Some("a/: the times are 7 and 8"));
    }

    #[test]
    fn packages_are_compared_inside_their_members() {
        let check = |other: &Tree, mtime, expected: Option<&str>| {
            let (a, b) = (package(&tree(BASE), 7), package(other, mtime));
            let expected = expected.map(|text| format!("x.deb: {text}"));
            assert_eq!(files("x.deb", &a, &b), expected);
        };
        check(&tree(BASE), 7, None);
        let mut other = BASE.to_vec();
        other[1].2 = "Program";
        let sums = "control.tar.gz: ./md5sums: the first difference is at byte 38";
        check(&tree(&other), 7, Some(sums));
        other[1] = ("b", Mode::Data, "program");
        check(&tree(&other), 7, Some("data.tar.gz: ./b: the modes are 755 and 644"));
        check(&tree(BASE), 8, Some("control.tar.gz: ./: the times are 7 and 8"));
    }

    #[test]
    fn other_files_are_compared_by_their_bytes() {
        let check = |name: &str, a: &str, b: &str, expected: Option<&str>| {
            let found = files(name, a.as_bytes(), b.as_bytes());
            assert_eq!(found.as_deref(), expected, "{a} {b}");
        };
        check("x", "same", "same", None);
        check("x", "same", "sane", Some("x: the first difference is at byte 2"));
        check(
            "x",
            "same",
            "same and more",
            Some("x: the first difference is at byte 4, and the sizes are 4 and 13 bytes"),
        );
        // A damaged archive.
        check("x.tar.gz", "a", "b", Some("x.tar.gz: the first difference is at byte 0"));
        check("x.deb", "a", "b", Some("x.deb: the first difference is at byte 0"));
    }

    #[test]
    fn a_file_of_one_folder_only_is_a_difference() {
        let parent = tempfile::tempdir().expect("a folder");
        let folder = |name: &str, files: &[(&str, &str)]| {
            let folder = parent.path().join(name);
            std::fs::create_dir(&folder).expect("created");
            for (name, text) in files {
                std::fs::write(folder.join(name), text).expect("written");
            }
            folder
        };
        let a = folder("a", &[("both", "1"), ("first", "2"), ("changed", "3")]);
        let b = folder("b", &[("both", "1"), ("second", "2"), ("changed", "4")]);
        let expected = [
            "changed: the first difference is at byte 0",
            "first: only in the first folder",
            "second: only in the second folder",
        ];
        assert_eq!(folders(&a, &b).expect("compared"), expected);
        assert!(folders(&a, &a).expect("compared").is_empty());
        assert!(folders(&a, &parent.path().join("c")).is_err());
    }
}
