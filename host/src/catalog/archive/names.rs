//! Which entries of an archive may be unpacked, and under what names. What is
//! refused is refused by what an entry is called and says of itself; its bytes
//! are not looked at here.

use std::collections::BTreeMap;
use std::fs::File;

use super::directory::{ENCRYPTED, Record, data_start};
use super::{Limits, PATH_BYTES, PATH_DEPTH, RATIO, RATIO_FREE_BYTES};
use crate::manifest::{ValueSpec, quoted};

/// A file of an archive that may be unpacked.
pub(super) struct Item {
    /// Where, relative to the pack's folder: plain, `/` between names.
    pub(super) path: String,
    /// Whether its bytes are deflated; else they are stored as they are.
    pub(super) deflated: bool,
    /// Where its packed bytes begin in the archive.
    pub(super) start: u64,
    pub(super) packed_bytes: u64,
    pub(super) unpacked_bytes: u64,
    pub(super) crc32: u32,
}

/// What kind of file an entry was on the Unix that packed it.
const KIND: u32 = 0o170_000;
const REGULAR: u32 = 0o100_000;
const FOLDER: u32 = 0o040_000;
const LINK: u32 = 0o120_000;

/// Names that are devices on Windows, whatever ending they have.
const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "com", "lpt"];

/// The files of an archive. Err: everything that is wrong with any entry.
pub(super) fn check(
    file: &mut File,
    records: Vec<Record>,
    limits: &Limits,
) -> Result<Vec<Item>, Vec<String>> {
    let (mut items, mut wrongs) = (Vec::new(), Vec::new());
    let mut places = Places::default();
    for record in records {
        let shown = quoted(&String::from_utf8_lossy(&record.name));
        let mut wrong = |reason: String| wrongs.push(format!("{shown}: {reason}"));
        let (path, folder) = match path(&record) {
            Ok(found) => found,
            Err(reason) => {
                wrong(reason);
                continue;
            }
        };
        if let Err(reason) = places.take(&path, folder) {
            wrong(reason);
        }
        match item(file, &record, (path, folder), limits) {
            Ok(item) => items.extend(item),
            Err(reason) => wrong(reason),
        }
    }
    wrongs.extend(bounds(&mut items, limits));
    if wrongs.is_empty() { Ok(items) } else { Err(wrongs) }
}

/// The plain path of an entry, and whether it is a folder.
fn path(record: &Record) -> Result<(String, bool), String> {
    let name = std::str::from_utf8(&record.name).map_err(|_| "its name is not UTF-8")?;
    let (path, folder) = match name.strip_suffix('/') {
        Some(folder) => (folder, true),
        None => (name, false),
    };
    ValueSpec::Path.check(path).map_err(|reason| format!("its name {}", bare(&reason, path)))?;
    if name.len() > PATH_BYTES {
        return Err(format!("its path has {} bytes; {PATH_BYTES} is the most", name.len()));
    }
    let depth = path.split('/').count();
    if depth > PATH_DEPTH {
        return Err(format!("lies {depth} names deep; {PATH_DEPTH} is the most"));
    }
    // Windows knows drives and streams by `:`, takes these signs for its own, and drops dots and
    // spaces at the end.
    let signs = [':', '<', '>', '"', '|', '?', '*'];
    let odd = |part: &str| part.contains(signs) || part.ends_with(['.', ' ']) || is_device(part);
    match path.split('/').find(|part| odd(part)) {
        Some(part) => Err(format!("{} is no file name on every system", quoted(part))),
        None => Ok((path.to_owned(), folder)),
    }
}

/// A fault of a path without the path, which is told before it.
fn bare<'a>(reason: &'a str, path: &str) -> &'a str {
    reason.strip_prefix(&quoted(path)).unwrap_or(reason).trim_start()
}

fn is_device(part: &str) -> bool {
    let stem = part.split('.').next().unwrap_or(part).to_ascii_lowercase();
    let numbered = stem.strip_suffix(|last: char| last.is_ascii_digit());
    DEVICES[..4].contains(&stem.as_str())
        || numbered.is_some_and(|stem| DEVICES[4..].contains(&stem))
}

/// What stands at a path.
struct Place {
    /// The path as it was written first.
    path: String,
    folder: bool,
    /// Whether an entry says so itself, or only one that lies in it.
    named: bool,
}

/// Which paths are taken, by files and by the folders that they lie in; the key
/// is the path in lower case.
#[derive(Default)]
struct Places(BTreeMap<String, Place>);

impl Places {
    fn take(&mut self, path: &str, folder: bool) -> Result<(), String> {
        let above = path.match_indices('/').map(|(at, _)| (&path[..at], true, false));
        for (path, folder, named) in above.chain([(path, folder, true)]) {
            let new = || Place { path: path.to_owned(), folder, named: false };
            let place = self.0.entry(path.to_lowercase()).or_insert_with(new);
            if place.path != path {
                let taken = quoted(&place.path);
                return Err(format!("differs from {taken} only by upper and lower case"));
            }
            if place.folder != folder {
                return Err(format!("{} is a file and a folder", quoted(path)));
            }
            if named && place.named {
                return Err("is there twice".into());
            }
            place.named |= named;
        }
        Ok(())
    }
}

/// The file that an entry stands for; none for a folder.
fn item(
    file: &mut File,
    record: &Record,
    (path, folder): (String, bool),
    limits: &Limits,
) -> Result<Option<Item>, String> {
    match (record.mode & KIND, folder) {
        (0 | REGULAR, false) | (0 | FOLDER, true) => {}
        (LINK, _) => return Err("is a link; pack the file that it leads to".into()),
        (FOLDER, false) | (REGULAR, true) => return Err("is a file and a folder".into()),
        _ => return Err("is a device, a pipe or a socket".into()),
    }
    if record.flags & ENCRYPTED != 0 {
        return Err("is encrypted".into());
    }
    let deflated = match record.method {
        0 => false,
        8 => true,
        other => return Err(format!("is packed by method {other}; only deflate (8) is known")),
    };
    let start = data_start(file, record)?;
    if folder {
        let empty = record.unpacked_bytes == 0;
        return if empty { Ok(None) } else { Err("is a folder that holds bytes itself".into()) };
    }
    let Record { crc32, packed_bytes, unpacked_bytes, .. } = *record;
    let most = limits.file_bytes;
    if unpacked_bytes > most {
        return Err(format!("holds {unpacked_bytes} bytes; {most} is the most"));
    }
    if unpacked_bytes > RATIO_FREE_BYTES.max(packed_bytes.saturating_mul(RATIO)) {
        return Err(format!(
            "holds {unpacked_bytes} bytes out of {packed_bytes}; {RATIO} times is the most"
        ));
    }
    Ok(Some(Item { path, deflated, start, packed_bytes, unpacked_bytes, crc32 }))
}

/// What is wrong with the files together; sorts them by their places.
fn bounds(items: &mut [Item], limits: &Limits) -> Vec<String> {
    let mut wrongs = Vec::new();
    let total: u64 = items.iter().map(|item| item.unpacked_bytes).sum();
    let most = limits.unpacked_bytes;
    if total > most {
        wrongs.push(format!("holds {total} bytes unpacked; {most} is the most"));
    }
    items.sort_by_key(|item| item.start);
    for pair in items.windows(2) {
        if pair[0].start + pair[0].packed_bytes > pair[1].start {
            let (a, b) = (quoted(&pair[0].path), quoted(&pair[1].path));
            wrongs.push(format!("{b}: shares bytes with {a}"));
        }
    }
    items.sort_by(|a, b| a.path.cmp(&b.path));
    wrongs
}
