//! Writes and reads `.tar.gz` archives whose bytes depend on names, contents and modes of files
//! only. Never reads the file system: owner and times of files on the disk have no influence.

use std::collections::BTreeMap;
use std::io::{Read, Write};

use anyhow::{Context, Result, bail, ensure};
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::{GzBuilder, write::GzEncoder};

/// A file of a release.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct File {
    pub bytes: Vec<u8>,
    pub mode: Mode,
}

/// The permissions of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// 0644: everyone may read it.
    Data,
    /// 0755: everyone may run it.
    Program,
}

impl Mode {
    fn bits(self) -> u32 {
        match self {
            Mode::Data => 0o644,
            Mode::Program => 0o755,
        }
    }
}

/// The files of a release by their paths, which are relative and separated by `/`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Tree(BTreeMap<String, File>);

impl Tree {
    /// Adds a file. Two files with one path are an error, as is a path that leaves the folder.
    pub(super) fn add(
        &mut self,
        path: impl Into<String>,
        mode: Mode,
        bytes: impl Into<Vec<u8>>,
    ) -> Result<()> {
        let path = path.into();
        let is_plain = |part: &str| !["", ".", ".."].contains(&part);
        ensure!(path.split('/').all(is_plain), "`{path}` is no plain relative path of a release");
        match self.0.insert(path.clone(), File { bytes: bytes.into(), mode }) {
            None => Ok(()),
            Some(_) => bail!("a release has two files `{path}`"),
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &File)> {
        self.0.iter().map(|(path, file)| (path.as_str(), file))
    }

    /// The same files in a folder.
    pub(super) fn below(&self, folder: &str) -> Tree {
        Tree(self.0.iter().map(|(path, file)| (format!("{folder}/{path}"), file.clone())).collect())
    }

    /// The `.tar.gz` archive, with each folder before its files. All entries have the time
    /// `mtime` in seconds since 1970, and belong to root. `root` is `./` or empty, and goes before
    /// every path.
    pub(super) fn tar_gz(&self, root: &str, mtime: u64) -> Result<Vec<u8>> {
        let mut tar = tar::Builder::new(encoder());
        let mut entries: BTreeMap<String, Option<&File>> = BTreeMap::new();
        if !root.is_empty() {
            entries.insert(root.to_owned(), None);
        }
        for (path, file) in &self.0 {
            for (at, _) in path.match_indices('/') {
                entries.insert(format!("{root}{}", &path[..=at]), None);
            }
            entries.insert(format!("{root}{path}"), Some(file));
        }
        for (path, file) in entries {
            let mut header = tar::Header::new_gnu();
            let bytes = file.map(|file| file.bytes.as_slice()).unwrap_or_default();
            match file {
                None => {
                    header.set_entry_type(tar::EntryType::Directory);
                    header.set_mode(0o755);
                }
                Some(file) => {
                    header.set_entry_type(tar::EntryType::Regular);
                    header.set_mode(file.mode.bits());
                }
            }
            header.set_size(bytes.len() as u64);
            header.set_mtime(mtime);
            header.set_uid(0);
            header.set_gid(0);
            let name = |error| format!("cannot name the owner of `{path}`: {error}");
            header.set_username("root").map_err(name).map_err(anyhow::Error::msg)?;
            header.set_groupname("root").map_err(name).map_err(anyhow::Error::msg)?;
            // Not `append_data`, which removes the `./` that Debian's packages have.
            set_path(&mut header, &path)?;
            header.set_cksum();
            tar.append(&header, bytes)?;
        }
        Ok(tar.into_inner()?.finish()?)
    }
}

/// Writes the path as it is. `tar::Header::set_path` would remove `./`.
fn set_path(header: &mut tar::Header, path: &str) -> Result<()> {
    let field = &mut header.as_old_mut().name;
    ensure!(
        path.len() < field.len(),
        "`{path}` is longer than the {} bytes of a path in a tar archive",
        field.len() - 1
    );
    field[..path.len()].copy_from_slice(path.as_bytes());
    Ok(())
}

/// A compressor without the name and the time of a file.
fn encoder() -> GzEncoder<Vec<u8>> {
    // 255: an unknown system. The default depends on the system that compresses.
    GzBuilder::new().mtime(0).operating_system(255).write(Vec::new(), Compression::best())
}

/// A compressed file, such as a manual page.
pub(super) fn gzip(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut encoder = encoder();
    encoder.write_all(bytes)?;
    Ok(encoder.finish()?)
}

/// The contents of a compressed file.
pub(super) fn gunzip(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut contents = Vec::new();
    GzDecoder::new(bytes).read_to_end(&mut contents).context("it is no complete gzip file")?;
    Ok(contents)
}

/// An entry of an archive that was read.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// As it is written in the archive; folders end with `/`.
    pub path: String,
    pub mode: u32,
    pub mtime: u64,
    /// User and group.
    pub owner: (u64, u64),
    pub bytes: Vec<u8>,
}

/// The entries of a `.tar.gz` archive in their order.
pub(super) fn read_tar_gz(archive: &[u8]) -> Result<Vec<Entry>> {
    let tar = gunzip(archive)?;
    let mut entries = Vec::new();
    for entry in tar::Archive::new(tar.as_slice()).entries()? {
        let mut entry = entry?;
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes)?;
        let header = entry.header();
        entries.push(Entry {
            path: String::from_utf8_lossy(&entry.path_bytes()).into_owned(),
            mode: header.mode()?,
            mtime: header.mtime()?,
            owner: (header.uid()?, header.gid()?),
            bytes,
        });
    }
    Ok(entries)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(files: &[(&str, Mode, &str)]) -> Tree {
        let mut tree = Tree::default();
        for (path, mode, text) in files {
            tree.add(*path, *mode, *text).expect("the path is plain and new");
        }
        tree
    }

    #[test]
    fn an_archive_depends_on_names_contents_and_modes_only() {
        let (data, program) = (Mode::Data, Mode::Program);
        let base = [("a/x", data, "1"), ("b", program, "2")];
        let check = |other: &[(&str, Mode, &str)], mtime, expected: bool| {
            let archives = [tree(&base).tar_gz("", 7), tree(other).tar_gz("", mtime)];
            let [a, b] = archives.map(|archive| archive.expect("an archive"));
            assert_eq!(a == b, expected, "{other:?}");
        };
        check(&base, 7, true);
        check(&[("b", program, "2"), ("a/x", data, "1")], 7, true);
        check(&[("a/x", program, "1"), ("b", program, "2")], 7, false);
        check(&[("a/x", data, "3"), ("b", program, "2")], 7, false);
        check(&[("a/y", data, "1"), ("b", program, "2")], 7, false);
        check(&[("a/x", data, "1")], 7, false);
        check(&base, 8, false);
    }

    #[test]
    fn the_times_of_files_on_the_disk_do_not_matter() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("x");
        let archive = |seconds| {
            let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(seconds);
            std::fs::write(&file, "1").expect("written");
            let open = std::fs::File::options().write(true).open(&file).expect("open");
            open.set_modified(time).expect("a time");
            let mut tree = Tree::default();
            tree.add("x", Mode::Data, std::fs::read(&file).expect("read")).expect("added");
            tree.tar_gz("", 7).expect("an archive")
        };
        assert_eq!(archive(1_000_000_000), archive(1_500_000_000));
    }

    #[test]
    fn entries_are_sorted_with_folders_owner_and_time() {
        let files = [("s/b/y", Mode::Program, "two"), ("s/a", Mode::Data, "one")];
        let check = |root: &str, expected: &[(&str, u32, &str)]| {
            let archive = tree(&files).tar_gz(root, 1_700_000_000).expect("an archive");
            let entries = read_tar_gz(&archive).expect("a readable archive");
            let found: Vec<(&str, u32, String)> = entries
                .iter()
                .map(|e| (&*e.path, e.mode, String::from_utf8_lossy(&e.bytes).into_owned()))
                .collect();
            let expected: Vec<(&str, u32, String)> = expected
                .iter()
                .map(|(path, mode, text)| (*path, *mode, text.to_string()))
                .collect();
            assert_eq!(found, expected);
            assert!(entries.iter().all(|e| e.owner == (0, 0) && e.mtime == 1_700_000_000));
        };
        let plain = [
            ("s/", 0o755, ""),
            ("s/a", 0o644, "one"),
            ("s/b/", 0o755, ""),
            ("s/b/y", 0o755, "two"),
        ];
        check("", &plain);
        check(
            "./",
            &[
                ("./", 0o755, ""),
                ("./s/", 0o755, ""),
                ("./s/a", 0o644, "one"),
                ("./s/b/", 0o755, ""),
                ("./s/b/y", 0o755, "two"),
            ],
        );
    }

    #[test]
    fn a_compressed_file_has_no_name_and_no_time() {
        let bytes = gzip(b"text").expect("compressed");
        // RFC 1952: magic, method, flags, time, extra flags, system.
        assert_eq!(bytes[..10], [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 255]);
        assert_eq!(gunzip(&bytes).expect("complete"), b"text");
        assert!(gunzip(&bytes[..bytes.len() - 1]).is_err());
        assert!(gunzip(b"text").is_err());
    }

    #[test]
    fn paths_stay_inside_the_release_and_are_unique() {
        let check = |path: &str, expected: Option<&str>| {
            let mut tree = tree(&[("bin/x", Mode::Data, "")]);
            let error = tree.add(path, Mode::Data, "").err().map(|error| error.to_string());
            match expected {
                None => assert_eq!(error, None, "{path}"),
                Some(part) => assert!(error.is_some_and(|e| e.contains(part)), "{path}"),
            }
        };
        check("bin/y", None);
        check("bin/..x", None);
        check("bin/x", Some("two files `bin/x`"));
        check("bin/../x", Some("`bin/../x` is no plain"));
        check("/bin/x", Some("`/bin/x` is no plain"));
        check("bin/./x", Some("no plain"));
        check("", Some("no plain"));
    }

    #[test]
    fn a_path_that_does_not_fit_is_an_error() {
        let check = |length, expected: bool| {
            let archive = tree(&[(&"x".repeat(length), Mode::Data, "")]).tar_gz("", 0);
            assert_eq!(archive.is_ok(), expected, "{length}");
        };
        check(99, true);
        check(100, false);
    }
}
