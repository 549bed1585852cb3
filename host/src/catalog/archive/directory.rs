//! The table of a zip, which stands at its end: what entries there are and where.
//! Takes the plain format only: one disk, no zip64, no bytes before or behind.
//! Believes nothing of what an entry says of itself.
//!
//! Section numbers are those of PKWARE's APPNOTE.TXT 6.3.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

/// An entry as the table has it.
pub(super) struct Record {
    pub(super) name: Vec<u8>,
    pub(super) flags: u16,
    pub(super) method: u16,
    pub(super) crc32: u32,
    pub(super) packed_bytes: u64,
    pub(super) unpacked_bytes: u64,
    /// What kind of file it was on a Unix, and its permissions.
    pub(super) mode: u32,
    /// Where its own header begins.
    pub(super) offset: u64,
    /// Where the table begins: its bytes end before that.
    pub(super) table: u64,
}

/// Where the record at the end may begin: a comment of 64 KiB may follow it.
const END_BYTES: usize = 22;
const COMMENT_BYTES: usize = u16::MAX as usize;

const RECORD_BYTES: usize = 46;
const HEADER_BYTES: usize = 30;
/// The largest table: 4096 entries with a kilobyte of names and extra fields each are less.
const TABLE_BYTES: u64 = 8 * 1024 * 1024;

const CUT: &str = "is no whole zip archive: it is cut off or damaged";

/// Reads the table of an archive of so many bytes, which has so many entries at most.
pub(super) fn read(file: &mut File, length: u64, most: usize) -> Result<Vec<Record>, String> {
    let (at, end) = find_end(file, length)?;
    let (here, all) = (u16_at(&end, 8), u16_at(&end, 10));
    let (table_bytes, table) = (u64::from(u32_at(&end, 12)), u64::from(u32_at(&end, 16)));
    if u16_at(&end, 4) != 0 || u16_at(&end, 6) != 0 || here != all {
        return Err("is one of several parts of a zip archive; make one file of it".into());
    }
    if all == u16::MAX || table == u64::from(u32::MAX) {
        return Err("is a zip64 archive; make a plain one".into());
    }
    if usize::from(all) > most {
        return Err(format!("has {all} entries; {most} is the most"));
    }
    if table + table_bytes != at {
        return Err(CUT.into());
    }
    if table_bytes > TABLE_BYTES {
        return Err(format!("its table has {table_bytes} bytes; {TABLE_BYTES} is the most"));
    }
    let mut bytes = vec![0; usize::try_from(table_bytes).map_err(|_| CUT)?];
    read_at(file, table, &mut bytes)?;
    records(&bytes, usize::from(all), table)
}

/// The record at the end (4.3.16) and where it is. Its comment must fill the
/// rest, so that no other reader can find another one.
fn find_end(file: &mut File, length: u64) -> Result<(u64, Vec<u8>), String> {
    let most = (END_BYTES + COMMENT_BYTES) as u64;
    let from = length.saturating_sub(most);
    let mut tail = vec![0; usize::try_from(length - from).map_err(|_| CUT)?];
    read_at(file, from, &mut tail)?;
    if tail.len() < END_BYTES {
        return Err(not_one(&tail));
    }
    for at in (0..=tail.len() - END_BYTES).rev() {
        let end = &tail[at..];
        if end.starts_with(b"PK\x05\x06") {
            let whole = usize::from(u16_at(end, 20)) == end.len() - END_BYTES;
            return if whole { Ok((from + at as u64, end.to_vec())) } else { Err(CUT.into()) };
        }
    }
    let mut head = [0; 4];
    read_at(file, 0, &mut head)?;
    Err(not_one(&head))
}

fn not_one(head: &[u8]) -> String {
    match head {
        [] => "is empty".into(),
        [b'P', b'K', ..] => CUT.into(),
        _ => "is no zip archive".into(),
    }
}

/// The table's records (4.3.12), which fill it.
fn records(mut bytes: &[u8], count: usize, table: u64) -> Result<Vec<Record>, String> {
    let mut records = Vec::with_capacity(count);
    for _ in 0..count {
        if bytes.len() < RECORD_BYTES || !bytes.starts_with(b"PK\x01\x02") {
            return Err(CUT.into());
        }
        let field = |at| usize::from(u16_at(bytes, at));
        let (name, more) = (field(28), field(30) + field(32));
        let next = RECORD_BYTES + name + more;
        if bytes.len() < next {
            return Err(CUT.into());
        }
        records.push(Record {
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
    if bytes.is_empty() { Ok(records) } else { Err(CUT.into()) }
}

/// Where the packed bytes of an entry begin: behind its own header (4.3.7), which
/// must say what the table says. Err: why it is refused.
pub(super) fn data_start(file: &mut File, record: &Record) -> Result<u64, String> {
    let outside = || Err("its bytes lie outside the archive".to_owned());
    let other = || Err("its header and the archive's table disagree".to_owned());
    let mut head = [0; HEADER_BYTES];
    if record.offset + HEADER_BYTES as u64 > record.table {
        return outside();
    }
    read_at(file, record.offset, &mut head)?;
    if !head.starts_with(b"PK\x03\x04") {
        return other();
    }
    let name_bytes = usize::from(u16_at(&head, 26));
    let start = record.offset + (HEADER_BYTES + name_bytes) as u64 + u64::from(u16_at(&head, 28));
    if start + record.packed_bytes > record.table {
        return outside();
    }
    let mut name = vec![0; name_bytes];
    read_at(file, record.offset + HEADER_BYTES as u64, &mut name)?;
    let same = name == record.name
        && u16_at(&head, 6) & ENCRYPTED == record.flags & ENCRYPTED
        && u16_at(&head, 8) == record.method;
    if same { Ok(start) } else { other() }
}

/// The flags of encrypted entries: by a password, strongly, and with masked headers (4.4.4).
pub(super) const ENCRYPTED: u16 = 1 | 1 << 6 | 1 << 13;

fn read_at(file: &mut File, at: u64, bytes: &mut [u8]) -> Result<(), String> {
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
