//! Reads the central directory at the end of a zip file: its entries and their places. Accepts
//! only the plain format: one disk, no zip64, no bytes before or after the archive. Does not trust
//! the sizes and names that an entry declares.
//!
//! Section numbers are those of PKWARE's APPNOTE.TXT 6.3.

use std::io::SeekFrom;

use super::archive::Source;

/// An entry of the central directory.
pub(super) struct DirectoryRecord {
    pub(super) name: Vec<u8>,
    pub(super) flags: u16,
    pub(super) method: u16,
    pub(super) crc32: u32,
    pub(super) packed_bytes: u64,
    pub(super) unpacked_bytes: u64,
    /// The Unix file type and permissions.
    pub(super) mode: u32,
    /// The offset of its local header.
    pub(super) offset: u64,
    /// The offset of the central directory; the bytes of the entry end before it.
    pub(super) table: u64,
}

/// The size of the end record, which a comment of up to 64 KiB may follow.
const END_RECORD_BYTES: usize = 22;
const COMMENT_BYTES_MAX: usize = u16::MAX as usize;

const RECORD_BYTES: usize = 46;
const HEADER_BYTES: usize = 30;
/// The largest central directory: more than 4096 entries with 1 KiB of names and extra fields each.
const TABLE_BYTES_MAX: u64 = 8 * 1024 * 1024;

const DAMAGED: &str = "is truncated or damaged";

/// Reads the central directory of an archive of `length` bytes with at most `most` entries.
pub(super) fn read(
    file: &mut dyn Source,
    length: u64,
    most: usize,
) -> Result<Vec<DirectoryRecord>, String> {
    let (at, end) = find_end_record(file, length)?;
    let (here, all) = (u16_at(&end, 8), u16_at(&end, 10));
    let (table_bytes, table) = (u64::from(u32_at(&end, 12)), u64::from(u32_at(&end, 16)));
    if u16_at(&end, 4) != 0 || u16_at(&end, 6) != 0 || here != all {
        return Err("is one part of a split zip archive; make a single file".into());
    }
    if all == u16::MAX || table == u64::from(u32::MAX) {
        return Err("is a zip64 archive; make one without zip64".into());
    }
    if usize::from(all) > most {
        return Err(format!("has {all} entries; the limit is {most}"));
    }
    if table + table_bytes != at {
        return Err(DAMAGED.into());
    }
    if table_bytes > TABLE_BYTES_MAX {
        return Err(format!("its table has {table_bytes} bytes; the limit is {TABLE_BYTES_MAX}"));
    }
    let mut bytes = vec![0; usize::try_from(table_bytes).map_err(|_| DAMAGED)?];
    read_at(file, table, &mut bytes)?;
    records(&bytes, usize::from(all), table)
}

/// The end record (4.3.16) and its offset. Its comment must fill the rest of the file, so that no
/// other reader finds a different record.
fn find_end_record(file: &mut dyn Source, length: u64) -> Result<(u64, Vec<u8>), String> {
    let most = (END_RECORD_BYTES + COMMENT_BYTES_MAX) as u64;
    let from = length.saturating_sub(most);
    let mut tail = vec![0; usize::try_from(length - from).map_err(|_| DAMAGED)?];
    read_at(file, from, &mut tail)?;
    if tail.len() < END_RECORD_BYTES {
        return Err(not_an_archive(&tail));
    }
    for at in (0..=tail.len() - END_RECORD_BYTES).rev() {
        let end = &tail[at..];
        if end.starts_with(b"PK\x05\x06") {
            let whole = usize::from(u16_at(end, 20)) == end.len() - END_RECORD_BYTES;
            return if whole { Ok((from + at as u64, end.to_vec())) } else { Err(DAMAGED.into()) };
        }
    }
    let mut head = [0; 4];
    read_at(file, 0, &mut head)?;
    Err(not_an_archive(&head))
}

fn not_an_archive(head: &[u8]) -> String {
    match head {
        [] => "is empty".into(),
        [b'P', b'K', ..] => DAMAGED.into(),
        _ => "is not a zip archive".into(),
    }
}

/// The records of the central directory (4.3.12), which fill it.
fn records(mut bytes: &[u8], count: usize, table: u64) -> Result<Vec<DirectoryRecord>, String> {
    let mut records = Vec::with_capacity(count);
    for _ in 0..count {
        if bytes.len() < RECORD_BYTES || !bytes.starts_with(b"PK\x01\x02") {
            return Err(DAMAGED.into());
        }
        let field = |at| usize::from(u16_at(bytes, at));
        let (name, more) = (field(28), field(30) + field(32));
        let next = RECORD_BYTES + name + more;
        if bytes.len() < next {
            return Err(DAMAGED.into());
        }
        records.push(DirectoryRecord {
            name: bytes[RECORD_BYTES..RECORD_BYTES + name].to_vec(),
            flags: u16_at(bytes, 8),
            method: u16_at(bytes, 10),
            crc32: u32_at(bytes, 16),
            packed_bytes: u64::from(u32_at(bytes, 20)),
            unpacked_bytes: u64::from(u32_at(bytes, 24)),
            mode: u32_at(bytes, 38) >> 16,
            offset: u64::from(u32_at(bytes, 42)),
            table,
        });
        bytes = &bytes[next..];
    }
    if bytes.is_empty() { Ok(records) } else { Err(DAMAGED.into()) }
}

/// The offset of an entry's packed bytes, after its local header (4.3.7). The header must agree
/// with the central directory. Err: why the entry is rejected.
pub(super) fn data_start(file: &mut dyn Source, record: &DirectoryRecord) -> Result<u64, String> {
    let outside = || Err("its bytes are outside the archive".to_owned());
    let differs = || Err("its header differs from the archive's table".to_owned());
    let mut head = [0; HEADER_BYTES];
    if record.offset + HEADER_BYTES as u64 > record.table {
        return outside();
    }
    read_at(file, record.offset, &mut head)?;
    if !head.starts_with(b"PK\x03\x04") {
        return differs();
    }
    let name_bytes = usize::from(u16_at(&head, 26));
    let start = record.offset + (HEADER_BYTES + name_bytes) as u64 + u64::from(u16_at(&head, 28));
    if start + record.packed_bytes > record.table {
        return outside();
    }
    let mut name = vec![0; name_bytes];
    read_at(file, record.offset + HEADER_BYTES as u64, &mut name)?;
    let same = name == record.name
        && u16_at(&head, 6) & ENCRYPTED_FLAGS == record.flags & ENCRYPTED_FLAGS
        && u16_at(&head, 8) == record.method;
    if same { Ok(start) } else { differs() }
}

/// The flags of encrypted entries: password, strong encryption, masked headers (4.4.4).
pub(super) const ENCRYPTED_FLAGS: u16 = 1 | 1 << 6 | 1 << 13;

fn read_at(file: &mut dyn Source, at: u64, bytes: &mut [u8]) -> Result<(), String> {
    file.seek(SeekFrom::Start(at))
        .and_then(|_| file.read_exact(bytes))
        .map_err(|error| format!("cannot be read: {error}"))
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from(u16_at(bytes, at)) | u32::from(u16_at(bytes, at + 2)) << 16
}
