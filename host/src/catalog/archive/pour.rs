//! The bytes of a file out of an archive, checked on their way: how many they
//! are, and their checksum. Never more than the entry said comes out.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};

use flate2::Crc;
use flate2::bufread::DeflateDecoder;

use super::names::Item;

/// Why a file was not poured.
pub(super) enum Trouble {
    /// The archive is not what it says.
    Archive(String),
    /// It did not go into the sink.
    Sink(io::Error),
}

/// Pours the bytes of `item` into `sink`.
pub(super) fn pour(file: &mut File, item: &Item, sink: &mut dyn Write) -> Result<(), Trouble> {
    let archive = |reason: String| Trouble::Archive(reason);
    let unreadable = |error: io::Error| Trouble::Archive(format!("cannot be read: {error}"));
    file.seek(SeekFrom::Start(item.start)).map_err(unreadable)?;
    let packed = BufReader::with_capacity(64 * 1024, file.take(item.packed_bytes));
    let mut source = match item.deflated {
        true => Source::Deflated(DeflateDecoder::new(packed)),
        false => Source::Stored(packed),
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
            let said = item.unpacked_bytes;
            return Err(archive(format!("holds more than the {said} bytes that it says")));
        }
        crc.update(&part[..read]);
        sink.write_all(&part[..read]).map_err(Trouble::Sink)?;
    }
    if count < item.unpacked_bytes {
        let said = item.unpacked_bytes;
        return Err(archive(format!("holds {count} bytes, and says that it holds {said}")));
    }
    // What is stored is as long packed as unpacked.
    let consumed = match &source {
        Source::Stored(_) => count,
        Source::Deflated(bytes) => bytes.total_in(),
    };
    if consumed != item.packed_bytes {
        let said = item.packed_bytes;
        return Err(archive(format!("takes {consumed} bytes of the archive, and says {said}")));
    }
    if crc.sum() != item.crc32 {
        return Err(archive("wrong checksum: its bytes are damaged".into()));
    }
    Ok(())
}

type Packed<'a> = BufReader<io::Take<&'a mut File>>;

enum Source<'a> {
    Stored(Packed<'a>),
    Deflated(DeflateDecoder<Packed<'a>>),
}

impl Source<'_> {
    fn read(&mut self, part: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Stored(bytes) => bytes.read(part),
            Self::Deflated(bytes) => bytes.read(part),
        }
    }
}
