//! Writes a ZIP file, one file after another, with the directory at the end (APPNOTE.TXT 6.3,
//! without extensions). [`Archive`](super::Archive) reads it. Knows nothing of
//! the files' contents.

use std::io::{self, Write};

use flate2::write::DeflateEncoder;
use flate2::{Compression, Crc};

use super::{ArchiveLimits, RATIO_FREE_BYTES, RATIO_MAX};

/// Version 2.0 of the format: deflate.
const NEEDS: u16 = 20;
const STORED: u16 = 0;
const DEFLATED: u16 = 8;
/// Midnight of 1 January 1980, so that a bundle of the same games has the same bytes.
const DATE: u32 = 0x0021_0000;

/// A ZIP file being written.
pub struct ZipWriter<W> {
    out: W,
    limits: ArchiveLimits,
    at: u64,
    table: Vec<u8>,
    entries: usize,
}

impl<W: Write> ZipWriter<W> {
    /// An empty ZIP file, for a reader with these limits.
    pub fn new(out: W, limits: ArchiveLimits) -> Self {
        Self { out, limits, at: 0, table: Vec::new(), entries: 0 }
    }

    /// Adds a file under a unique, plain name. Fails if a limit of the format is exceeded or the
    /// disk is full.
    pub fn add(&mut self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(bytes)?;
        let (mut method, mut packed) = (DEFLATED, encoder.finish()?);
        // Readers would take such a ratio for a decompression bomb.
        if bytes.len() as u64 > RATIO_FREE_BYTES.max(RATIO_MAX * packed.len() as u64) {
            (method, packed) = (STORED, bytes.to_vec());
        }
        let mut crc = Crc::new();
        crc.update(bytes);
        self.entries += 1;
        if self.entries > self.limits.entries {
            let most = self.limits.entries;
            return Err(io::Error::other(format!("a ZIP file has {most} files at most")));
        }
        let mut fields = Vec::with_capacity(26);
        for field in [NEEDS, 0, method] {
            fields.extend(field.to_le_bytes());
        }
        for field in
            [DATE, crc.sum(), self.length(packed.len() as u64)?, self.length(bytes.len() as u64)?]
        {
            fields.extend(field.to_le_bytes());
        }
        let name_bytes = u16::try_from(name.len()).map_err(io::Error::other)?;
        fields.extend(name_bytes.to_le_bytes());
        fields.extend([0; 2]);
        let offset = self.length(self.at)?;
        for part in [&b"PK\x03\x04"[..], &fields, name.as_bytes(), &packed] {
            self.write(part)?;
        }
        // Made on Unix: a regular file with mode 644.
        self.table.extend(b"PK\x01\x02\x14\x03");
        self.table.extend(&fields);
        self.table.extend([0; 6]);
        self.table.extend((0o100_644_u32 << 16).to_le_bytes());
        self.table.extend(offset.to_le_bytes());
        self.table.extend(name.as_bytes());
        Ok(())
    }

    /// Writes the directory, which completes the file.
    pub fn finish(mut self) -> io::Result<W> {
        let (table_at, table) = (self.length(self.at)?, std::mem::take(&mut self.table));
        let count = u16::try_from(self.entries).map_err(io::Error::other)?;
        let table_bytes = self.length(table.len() as u64)?;
        let mut end = b"PK\x05\x06\0\0\0\0".to_vec();
        end.extend(count.to_le_bytes());
        end.extend(count.to_le_bytes());
        end.extend(table_bytes.to_le_bytes());
        end.extend(table_at.to_le_bytes());
        end.extend([0; 2]);
        self.write(&table)?;
        self.write(&end)?;
        self.out.flush()?;
        self.length(self.at)?;
        Ok(self.out)
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.at += bytes.len() as u64;
        self.out.write_all(bytes)
    }

    /// A length or an offset in the format's 32 bits.
    fn length(&self, bytes: u64) -> io::Result<u32> {
        let most = self.limits.archive_bytes;
        u32::try_from(bytes)
            .ok()
            .filter(|_| bytes <= most)
            .ok_or_else(|| io::Error::other(format!("a ZIP file has {most} bytes at most")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Archive;

    const LIMITS: ArchiveLimits = ArchiveLimits {
        entries: u16::MAX as usize - 1,
        archive_bytes: u32::MAX as u64 - 1,
        file_bytes: 16 << 20,
        unpacked_bytes: 64 << 30,
    };

    /// Writes files and reads them again.
    fn check(files: &[(&str, Vec<u8>)]) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.zip");
        let mut zip = ZipWriter::new(std::fs::File::create(&path).unwrap(), LIMITS);
        for (name, bytes) in files {
            zip.add(name, bytes).unwrap();
        }
        drop(zip.finish().unwrap());
        let archive = Archive::open(&path, &LIMITS).unwrap();
        let mut names: Vec<&str> = files.iter().map(|(name, _)| *name).collect();
        names.sort_unstable();
        assert_eq!(archive.names().collect::<Vec<_>>(), names);
        for (name, bytes) in files {
            let most = bytes.len() as u64;
            assert_eq!(archive.read(name, most).unwrap().as_ref(), Some(bytes), "{name}");
            if most > 0 {
                archive.read(name, most - 1).unwrap_err();
            }
        }
        assert_eq!(archive.read("no", 1).unwrap(), None);
    }

    #[test]
    fn written_files_are_read_again() {
        check(&[]);
        check(&[("a", Vec::new())]);
        let mixed: Vec<u8> =
            (0..200_000_u32).flat_map(|n| n.wrapping_mul(n).to_le_bytes()).collect();
        check(&[("b/c.json", b"{}".to_vec()), ("a", mixed), ("b/d", vec![0; 1000])]);
        // Just below and above the reader's bomb limit.
        let free = RATIO_FREE_BYTES as usize;
        check(&[("a", vec![0; free]), ("b", vec![0; free + 1]), ("c", vec![0; 3 * free])]);
    }
}
