//! The read-only files of a pack that an instance may read: in memory, or in files that were passed
//! to this process. Checks no hash.

use std::borrow::Cow;
use std::collections::BTreeMap;
#[cfg(target_os = "linux")]
use std::fs::File;
#[cfg(target_os = "linux")]
use std::io;
use std::sync::Arc;

/// Files of a pack by name. Their hashes were checked when the pack was loaded.
#[derive(Clone, Debug, Default)]
pub struct Assets {
    files: Arc<BTreeMap<String, Asset>>,
}

/// One file of a pack.
#[derive(Debug)]
enum Asset {
    Memory(Vec<u8>),
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
        let assets = files.into_iter().map(|(name, bytes)| (name, Asset::Memory(bytes)));
        Self { files: Arc::new(assets.collect()) }
    }
}

impl Assets {
    /// Assets that are read from open files, which must not change any more. Err: the size of a
    /// file cannot be read.
    #[cfg(target_os = "linux")]
    pub fn from_files(files: impl Iterator<Item = (String, File)>) -> io::Result<Self> {
        let asset = |(name, file): (String, File)| {
            // By `fstat`: the filter of engine processes refuses calls that accept a path.
            let bytes = rustix::fs::fstat(&file)?.st_size.max(0) as u64;
            Ok((name, Asset::File { file, bytes }))
        };
        Ok(Self { files: Arc::new(files.map(asset).collect::<io::Result<_>>()?) })
    }

    /// Names and bytes of the assets that are in memory.
    #[cfg(target_os = "linux")]
    pub fn in_memory(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.files.iter().filter_map(|(name, asset)| match asset {
            Asset::Memory(bytes) => Some((name.as_str(), bytes.as_slice())),
            Asset::File { .. } => None,
        })
    }

    /// Reads at most `length` bytes of an asset from `offset`; fewer at its end. None: there is no
    /// such asset, or it cannot be read.
    pub(crate) fn read(&self, name: &str, offset: u64, length: u32) -> Option<Cow<'_, [u8]>> {
        match self.files.get(name)? {
            Asset::Memory(bytes) => {
                let start = usize::try_from(offset).unwrap_or(usize::MAX).min(bytes.len());
                let end = bytes.len().min(start.saturating_add(length as usize));
                Some(Cow::Borrowed(&bytes[start..end]))
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
    fn files_and_memory_are_read_alike() {
        let bytes: Vec<u8> = (0..100).collect();
        let mut file = tempfile::tempfile().unwrap();
        io::Write::write_all(&mut file, &bytes).unwrap();
        let in_memory = Assets::from([("a".to_owned(), bytes)]);
        let in_file = Assets::from_files([("a".to_owned(), file)].into_iter()).unwrap();
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
            let read = in_memory.read("a", offset, length);
            assert_eq!(in_file.read("a", offset, length), read, "{offset} {length}");
            assert!(read.is_some());
        }
        assert_eq!(in_file.read("b", 0, 1), None);
    }
}
