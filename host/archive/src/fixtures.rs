//! Builds zip archives in memory for tests; every field can be given a false value.

use std::io::Write;

use flate2::Crc;
use flate2::write::DeflateEncoder;

/// An entry. Its fields are consistent unless a test changes them.
#[derive(Clone)]
pub struct ZipEntry {
    pub name: Vec<u8>,
    /// The name in its local header, if it differs from the central directory's.
    pub header_name: Option<Vec<u8>>,
    pub flags: u16,
    pub method: u16,
    pub crc32: u32,
    pub packed: Vec<u8>,
    pub packed_bytes: u32,
    pub unpacked_bytes: u32,
    pub mode: u32,
    /// The declared offset of its header, if it differs from the real one.
    pub offset: Option<u32>,
}

/// A deflated entry.
pub fn deflated(name: &str, bytes: &[u8]) -> ZipEntry {
    let mut encoder = DeflateEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(bytes).unwrap();
    entry(name, 8, encoder.finish().unwrap(), bytes)
}

/// A stored entry.
pub fn stored(name: &str, bytes: &[u8]) -> ZipEntry {
    entry(name, 0, bytes.to_vec(), bytes)
}

fn entry(name: &str, method: u16, packed: Vec<u8>, bytes: &[u8]) -> ZipEntry {
    let mut crc = Crc::new();
    crc.update(bytes);
    ZipEntry {
        name: name.as_bytes().to_vec(),
        header_name: None,
        flags: 0,
        method,
        crc32: crc.sum(),
        packed_bytes: packed.len() as u32,
        unpacked_bytes: bytes.len() as u32,
        packed,
        mode: if name.ends_with('/') { 0o040_755 } else { 0o100_644 },
        offset: None,
    }
}

/// The archive of these entries.
pub fn zip(entries: &[ZipEntry]) -> Vec<u8> {
    let (mut bytes, mut table) = (Vec::new(), Vec::new());
    for entry in entries {
        let offset = entry.offset.unwrap_or(bytes.len() as u32);
        let header_name = entry.header_name.as_ref().unwrap_or(&entry.name);
        bytes.extend(b"PK\x03\x04\x14\0");
        bytes.extend(common(entry));
        bytes.extend((header_name.len() as u16).to_le_bytes());
        bytes.extend([0; 2]);
        bytes.extend(header_name);
        bytes.extend(&entry.packed);
        // Written on Unix.
        table.extend(b"PK\x01\x02\x14\x03\x14\0");
        table.extend(common(entry));
        table.extend((entry.name.len() as u16).to_le_bytes());
        table.extend([0; 8]);
        table.extend((entry.mode << 16).to_le_bytes());
        table.extend(offset.to_le_bytes());
        table.extend(&entry.name);
    }
    let (table_at, count) = (bytes.len() as u32, entries.len() as u16);
    bytes.extend(&table);
    bytes.extend(b"PK\x05\x06\0\0\0\0");
    bytes.extend(count.to_le_bytes());
    bytes.extend(count.to_le_bytes());
    bytes.extend((table.len() as u32).to_le_bytes());
    bytes.extend(table_at.to_le_bytes());
    bytes.extend([0; 2]);
    bytes
}

/// The fields that the local header and the central directory share: flags to sizes.
fn common(entry: &ZipEntry) -> Vec<u8> {
    let mut bytes = Vec::new();
    bytes.extend(entry.flags.to_le_bytes());
    bytes.extend(entry.method.to_le_bytes());
    bytes.extend([0; 4]);
    bytes.extend(entry.crc32.to_le_bytes());
    bytes.extend(entry.packed_bytes.to_le_bytes());
    bytes.extend(entry.unpacked_bytes.to_le_bytes());
    bytes
}
