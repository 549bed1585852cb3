//! Decides which entries of an archive may be unpacked, and to which paths. Checks names, types and
//! declared sizes; does not read the content.

use std::collections::BTreeMap;

use super::archive::Source;
use super::directory::{DirectoryRecord, ENCRYPTED_FLAGS, data_start};
use super::relative_path::check_relative_path;
use super::{ArchiveLimits, PATH_BYTES_MAX, PATH_DEPTH_MAX, RATIO_FREE_BYTES, RATIO_MAX};
use sandboard_common::text::quoted;

/// A file of an archive that may be unpacked.
pub struct ArchiveFile {
    /// Its checked path, relative to the archive's top, with `/` between names.
    pub path: String,
    /// Whether its bytes are deflated; otherwise they are stored.
    pub(super) deflated: bool,
    /// The offset of its packed bytes in the archive.
    pub(super) start: u64,
    pub(super) packed_bytes: u64,
    /// Its length, in bytes.
    pub unpacked_bytes: u64,
    pub(super) crc32: u32,
}

/// The bits of a Unix mode that hold the file type.
const FILE_TYPE_MASK: u32 = 0o170_000;
const REGULAR: u32 = 0o100_000;
const FOLDER: u32 = 0o040_000;
const LINK: u32 = 0o120_000;

/// Device names of Windows, which are devices with any extension. The last two have a number.
const DEVICE_NAMES: [&str; 6] = ["con", "prn", "aux", "nul", "com", "lpt"];

/// The files of an archive. Err: the faults of all entries.
pub(super) fn check(
    file: &mut dyn Source,
    records: Vec<DirectoryRecord>,
    limits: &ArchiveLimits,
) -> Result<Vec<ArchiveFile>, Vec<String>> {
    let (mut items, mut faults) = (Vec::new(), Vec::new());
    let mut registry = PathRegistry::default();
    for record in records {
        let shown = quoted(&String::from_utf8_lossy(&record.name));
        let mut add_fault = |reason: String| faults.push(format!("{shown}: {reason}"));
        let (path, folder) = match path(&record) {
            Ok(found) => found,
            Err(reason) => {
                add_fault(reason);
                continue;
            }
        };
        if let Err(reason) = registry.register(&path, folder) {
            add_fault(reason);
        }
        match item(file, &record, (path, folder), limits) {
            Ok(item) => items.extend(item),
            Err(reason) => add_fault(reason),
        }
    }
    faults.extend(check_totals(&mut items, limits));
    if faults.is_empty() { Ok(items) } else { Err(faults) }
}

/// The plain path of an entry, and whether it is a folder.
fn path(record: &DirectoryRecord) -> Result<(String, bool), String> {
    let name = std::str::from_utf8(&record.name).map_err(|_| "its name is not UTF-8")?;
    let (path, folder) = match name.strip_suffix('/') {
        Some(folder) => (folder, true),
        None => (name, false),
    };
    check_relative_path(path)
        .map_err(|reason| format!("its name {}", without_path(&reason, path)))?;
    if name.len() > PATH_BYTES_MAX {
        return Err(format!("its path has {} bytes; the limit is {PATH_BYTES_MAX}", name.len()));
    }
    let depth = path.split('/').count();
    if depth > PATH_DEPTH_MAX {
        return Err(format!("is {depth} names deep; the limit is {PATH_DEPTH_MAX}"));
    }
    // On Windows `:` marks drives and streams, the other signs are reserved, and trailing dots and
    // spaces are dropped.
    let signs = [':', '<', '>', '"', '|', '?', '*'];
    let is_unportable =
        |part: &str| part.contains(signs) || part.ends_with(['.', ' ']) || is_device(part);
    match path.split('/').find(|part| is_unportable(part)) {
        Some(part) => Err(format!("{} is not a valid file name on every system", quoted(part))),
        None => Ok((path.to_owned(), folder)),
    }
}

/// Removes the path from a reason: the message already begins with it.
fn without_path<'a>(reason: &'a str, path: &str) -> &'a str {
    reason.strip_prefix(&quoted(path)).unwrap_or(reason).trim_start()
}

fn is_device(part: &str) -> bool {
    let stem = part.split('.').next().unwrap_or(part).to_ascii_lowercase();
    let numbered = stem.strip_suffix(|last: char| last.is_ascii_digit());
    DEVICE_NAMES[..4].contains(&stem.as_str())
        || numbered.is_some_and(|stem| DEVICE_NAMES[4..].contains(&stem))
}

/// A path of the archive that is in use.
struct RegisteredPath {
    /// The path in its first spelling.
    path: String,
    folder: bool,
    /// Whether it has an entry of its own; otherwise it is only the folder of another entry.
    named: bool,
}

/// The paths of all files and of the folders that contain them. The key is the path in lower case.
#[derive(Default)]
struct PathRegistry(BTreeMap<String, RegisteredPath>);

impl PathRegistry {
    fn register(&mut self, path: &str, folder: bool) -> Result<(), String> {
        let above = path.match_indices('/').map(|(at, _)| (&path[..at], true, false));
        for (path, folder, named) in above.chain([(path, folder, true)]) {
            let new = || RegisteredPath { path: path.to_owned(), folder, named: false };
            let place = self.0.entry(path.to_lowercase()).or_insert_with(new);
            if place.path != path {
                let taken = quoted(&place.path);
                return Err(format!("differs from {taken} only in upper and lower case"));
            }
            if place.folder != folder {
                return Err(format!("{} is a file and a folder", quoted(path)));
            }
            if named && place.named {
                return Err("occurs twice".into());
            }
            place.named |= named;
        }
        Ok(())
    }
}

/// The file of an entry; none for a folder.
fn item(
    file: &mut dyn Source,
    record: &DirectoryRecord,
    (path, folder): (String, bool),
    limits: &ArchiveLimits,
) -> Result<Option<ArchiveFile>, String> {
    match (record.mode & FILE_TYPE_MASK, folder) {
        (0 | REGULAR, false) | (0 | FOLDER, true) => {}
        (LINK, _) => return Err("is a link; add the file itself".into()),
        (FOLDER, false) | (REGULAR, true) => return Err("is a file and a folder".into()),
        _ => return Err("is a device, a pipe or a socket".into()),
    }
    if record.flags & ENCRYPTED_FLAGS != 0 {
        return Err("is encrypted".into());
    }
    let deflated = match record.method {
        0 => false,
        8 => true,
        other => {
            return Err(format!("uses compression method {other}; only deflate (8) is supported"));
        }
    };
    let start = data_start(file, record)?;
    if folder {
        let empty = record.unpacked_bytes == 0;
        return if empty { Ok(None) } else { Err("is a folder with content of its own".into()) };
    }
    let DirectoryRecord { crc32, packed_bytes, unpacked_bytes, .. } = *record;
    let most = limits.file_bytes;
    if unpacked_bytes > most {
        return Err(format!("has {unpacked_bytes} bytes; the limit is {most}"));
    }
    if unpacked_bytes > RATIO_FREE_BYTES.max(packed_bytes.saturating_mul(RATIO_MAX)) {
        return Err(format!(
            "has {unpacked_bytes} bytes packed into {packed_bytes}; the limit is {RATIO_MAX} times"
        ));
    }
    Ok(Some(ArchiveFile { path, deflated, start, packed_bytes, unpacked_bytes, crc32 }))
}

/// The faults of the files taken together: total size and shared bytes. Sorts the files by path.
fn check_totals(items: &mut [ArchiveFile], limits: &ArchiveLimits) -> Vec<String> {
    let mut faults = Vec::new();
    let total: u64 = items.iter().map(|item| item.unpacked_bytes).sum();
    let most = limits.unpacked_bytes;
    if total > most {
        faults.push(format!("has {total} bytes unpacked; the limit is {most}"));
    }
    items.sort_by_key(|item| item.start);
    for pair in items.windows(2) {
        if pair[0].start + pair[0].packed_bytes > pair[1].start {
            let (a, b) = (quoted(&pair[0].path), quoted(&pair[1].path));
            faults.push(format!("{b}: shares bytes with {a}"));
        }
    }
    items.sort_by(|a, b| a.path.cmp(&b.path));
    faults
}
