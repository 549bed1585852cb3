//! Extracts a file of an archive and checks its length and checksum. Never writes more bytes than
//! the entry declares.

use std::io::{self, BufReader, Read, SeekFrom, Write};

use flate2::Crc;
use flate2::bufread::DeflateDecoder;

use super::archive::Source;
use super::names::ArchiveFile;

/// Why a file was not extracted.
#[derive(Debug)]
pub enum ExtractError {
    /// The archive is damaged, or differs from what the entry declares.
    Archive(String),
    /// The output could not be written.
    Output(io::Error),
}

/// Extracts `item` into `sink`.
pub(super) fn extract(
    file: &mut dyn Source,
    item: &ArchiveFile,
    sink: &mut dyn Write,
) -> Result<(), ExtractError> {
    let archive = |reason: String| ExtractError::Archive(reason);
    let unreadable = |error: io::Error| ExtractError::Archive(format!("cannot be read: {error}"));
    file.seek(SeekFrom::Start(item.start)).map_err(unreadable)?;
    let packed = BufReader::with_capacity(64 * 1024, file.take(item.packed_bytes));
    let mut source = match item.deflated {
        true => EntryReader::Deflated(DeflateDecoder::new(packed)),
        false => EntryReader::Stored(packed),
    };
    let (mut crc, mut count) = (Crc::new(), 0u64);
    let mut part = vec![0; 64 * 1024];
    loop {
        let read = source.read(&mut part).map_err(|_| archive("its bytes are damaged".into()))?;
        if read == 0 {
            break;
        }
        count += read as u64;
        if count > item.unpacked_bytes {
            let declared = item.unpacked_bytes;
            return Err(archive(format!("has more than the declared {declared} bytes")));
        }
        crc.update(&part[..read]);
        sink.write_all(&part[..read]).map_err(ExtractError::Output)?;
    }
    if count < item.unpacked_bytes {
        let declared = item.unpacked_bytes;
        let reason = format!("has {count} bytes instead of the declared {declared}");
        return Err(archive(reason));
    }
    // Stored entries have the same packed and unpacked length.
    let consumed = match &source {
        EntryReader::Stored(_) => count,
        EntryReader::Deflated(bytes) => bytes.total_in(),
    };
    if consumed != item.packed_bytes {
        let declared = item.packed_bytes;
        let reason =
            format!("takes {consumed} bytes of the archive instead of the declared {declared}");
        return Err(archive(reason));
    }
    if crc.sum() != item.crc32 {
        return Err(archive("wrong checksum: its bytes are damaged".into()));
    }
    Ok(())
}

type PackedBytes<'a> = BufReader<io::Take<&'a mut dyn Source>>;

enum EntryReader<'a> {
    Stored(PackedBytes<'a>),
    Deflated(DeflateDecoder<PackedBytes<'a>>),
}

impl EntryReader<'_> {
    fn read(&mut self, part: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Stored(bytes) => bytes.read(part),
            Self::Deflated(bytes) => bytes.read(part),
        }
    }
}
