//! The read-only files of a pack as an instance may read them: held in memory, or
//! still in a file that somebody handed over. Checks no hash.

use std::borrow::Cow;
use std::collections::BTreeMap;
#[cfg(target_os = "linux")]
use std::fs::File;
#[cfg(target_os = "linux")]
use std::io;
use std::sync::Arc;

/// Files of a pack by name, checked against their hashes when it was loaded.
#[derive(Clone, Debug, Default)]
pub struct Assets {
    files: Arc<BTreeMap<String, Asset>>,
}

/// One of them.
#[derive(Debug)]
enum Asset {
    Held(Vec<u8>),
    #[cfg(target_os = "linux")]
    File {
        file: File,
        bytes: u64,
    },
}

impl<const N: usize> From<[(String, Vec<u8>); N]> for Assets {
    fn from(files: [(String, Vec<u8>); N]) -> Self {
        files.into_iter().collect()
    }
}

impl FromIterator<(String, Vec<u8>)> for Assets {
    fn from_iter<I: IntoIterator<Item = (String, Vec<u8>)>>(files: I) -> Self {
        let held = files.into_iter().map(|(name, bytes)| (name, Asset::Held(bytes)));
        Self { files: Arc::new(held.collect()) }
    }
}

impl Assets {
    /// Files that stay where they are; nobody changes them any more. Err: one cannot be
    /// looked at.
    #[cfg(target_os = "linux")]
    pub(crate) fn in_files(files: impl Iterator<Item = (String, File)>) -> io::Result<Self> {
        let asset = |(name, file): (String, File)| {
            let bytes = file.metadata()?.len();
            Ok((name, Asset::File { file, bytes }))
        };
        Ok(Self { files: Arc::new(files.map(asset).collect::<io::Result<_>>()?) })
    }

    /// The names and bytes of those that are held in memory.
    #[cfg(target_os = "linux")]
    pub(crate) fn held(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.files.iter().filter_map(|(name, asset)| match asset {
            Asset::Held(bytes) => Some((name.as_str(), bytes.as_slice())),
            Asset::File { .. } => None,
        })
    }

    /// At most `length` bytes of a file from `offset` on, fewer at its end. None: there
    /// is no such file, or it cannot be read.
    pub fn read(&self, name: &str, offset: u64, length: u32) -> Option<Cow<'_, [u8]>> {
        match self.files.get(name)? {
            Asset::Held(bytes) => {
                let begin = usize::try_from(offset).unwrap_or(usize::MAX).min(bytes.len());
                let end = bytes.len().min(begin.saturating_add(length as usize));
                Some(Cow::Borrowed(&bytes[begin..end]))
            }
            #[cfg(target_os = "linux")]
            Asset::File { file, bytes } => {
                let length = bytes.saturating_sub(offset).min(length.into());
                read_at(file, offset, length).ok().map(Cow::Owned)
            }
        }
    }
}

#[cfg(target_os = "linux")]
fn read_at(file: &File, offset: u64, length: u64) -> io::Result<Vec<u8>> {
    use std::os::unix::fs::FileExt;
    let mut bytes = vec![0; length as usize];
    file.read_exact_at(&mut bytes, offset)?;
    Ok(bytes)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_as_memory_is() {
        let bytes: Vec<u8> = (0..100).collect();
        let mut file = tempfile::tempfile().unwrap();
        io::Write::write_all(&mut file, &bytes).unwrap();
        let held = Assets::from([("a".to_owned(), bytes)]);
        let in_file = Assets::in_files([("a".to_owned(), file)].into_iter()).unwrap();
        for (offset, length) in [
            (0, 100),
            (0, 1000),
            (99, 1),
            (99, 2),
            (100, 1),
            (101, 1),
            (u64::MAX, u32::MAX),
            (5, 0),
        ] {
            let read = held.read("a", offset, length);
            assert_eq!(in_file.read("a", offset, length), read, "{offset} {length}");
            assert!(read.is_some());
        }
        assert_eq!(in_file.read("b", 0, 1), None);
    }
}
