//! Accepted and rejected archives. Each rejected archive differs from an accepted one in one thing.

mod random;
mod unpack_cache;

use std::fs;
use std::path::Path;

use super::super::module::fixtures::component;
use super::super::tests::{WASM, folder, manifest};
use super::super::{Catalog, EntryKind};
use super::fixtures::{ZipEntry, deflated, stored, zip};
use super::*;
use crate::game_loader::GameLoader;
use sandboard_common::text::quoted;

/// A pack of one engine with one asset in a folder.
pub(super) fn good() -> Vec<ZipEntry> {
    let book = sandboard_common::hex::sha256_hex(b"moves");
    let asset = format!("<Asset name=\"book\" path=\"d/book\" sha256=\"{book}\"/>");
    vec![
        deflated("EngineConfigs.xml", &manifest(&[&format!("a 1 {WASM}|{asset}")])),
        deflated("m.wasm", &component(1, "")),
        stored("d/", b""),
        stored("d/book", b"moves"),
    ]
}

fn scan(dir: &Path, unpack_cache: &UnpackCache) -> Catalog {
    Catalog::scan_into(dir, unpack_cache, &GameLoader::default()).unwrap()
}

/// The catalog entries of an archive: `source:line id`, then `usable` or the faults.
pub(super) fn list_archive(bytes: &[u8], unpack_cache: &UnpackCache) -> Vec<String> {
    let dir = folder(&[("p.zip", bytes)]);
    let catalog = scan(dir.path(), unpack_cache);
    let line = |entry: &Entry| {
        let place = entry.line.map_or(String::new(), |line| format!(":{line}"));
        let faults: Vec<String> = entry.faults().iter().map(PackFault::to_string).collect();
        let status = if entry.is_usable() { "usable".into() } else { faults.join(" | ") };
        format!("{}{place} {}: {status}", entry.source.display(), entry.id)
    };
    catalog.entries.iter().map(line).collect()
}

fn check(bytes: &[u8], wanted: &[&str]) {
    let cache = tempfile::tempdir().unwrap();
    assert_eq!(list_archive(bytes, &UnpackCache::in_folder(cache.path())), wanted);
    if wanted.iter().all(|line| line.starts_with("p.zip p.zip: ")) {
        let left = fs::read_dir(cache.path().join("packs")).map_or(0, Iterator::count);
        assert_eq!(left, 0, "nothing of a rejected archive remains");
    }
}

/// Checks the faults of the good archive after `change`.
fn check_changed(change: impl FnOnce(&mut Vec<ZipEntry>), wanted: &[&str]) {
    let mut entries = good();
    change(&mut entries);
    let faults: Vec<String> = wanted.iter().map(|fault| format!("p.zip: {fault}")).collect();
    check(&zip(&entries), &[&format!("p.zip p.zip: {}", faults.join(" | "))]);
}

const USABLE: &[&str] = &["p.zip/EngineConfigs.xml:2 a: usable"];

#[test]
fn a_valid_archive_is_a_pack() {
    check(&zip(&good()), USABLE);
    let (cache, dir) = (tempfile::tempdir().unwrap(), folder(&[("p.zip", &zip(&good()))]));
    let unpack_cache = UnpackCache::in_folder(cache.path());
    let catalog = scan(dir.path(), &unpack_cache);
    let [entry] = &catalog.entries[..] else { panic!("{catalog:?}") };
    assert_eq!(entry.entry_kind, EntryKind::Engine);
    assert!(entry.root.starts_with(fs::canonicalize(cache.path()).unwrap().join("packs")));
    assert_eq!(fs::read(&entry.module).unwrap(), component(1, ""));
    assert_eq!(fs::read(&entry.assets[0].path).unwrap(), b"moves");
    assert!(fs::metadata(&entry.module).unwrap().permissions().readonly());
    // The second scan reuses the unpacked files.
    let again = scan(dir.path(), &unpack_cache);
    assert_eq!(again.entries[0].module, entry.module);
}

#[test]
fn manifest_folder_and_extra_entries() {
    let moved = |below: &str| {
        let mut entries = good();
        for entry in &mut entries {
            entry.name = [below.as_bytes(), &entry.name].concat();
        }
        entries
    };
    check(&zip(&moved("pack/")), &["p.zip/pack/EngineConfigs.xml:2 a: usable"]);
    let finder = [moved("pack/"), vec![stored("__MACOSX/._pack", b"x")]].concat();
    check(&zip(&finder), &["p.zip/pack/EngineConfigs.xml:2 a: usable"]);
    let no_manifest = "p.zip p.zip: p.zip: has no `EngineConfigs.xml` at the top, nor in a folder that \
                   is the only entry at the top";
    check(&zip(&[moved("pack/"), vec![stored("README", b"x")]].concat()), &[no_manifest]);
    check(&zip(&moved("a/b/")), &[no_manifest]);
    check(&zip(&[]), &[no_manifest]);
    // A zip inside the zip is an ordinary file.
    check(&zip(&[good(), vec![stored("inner.zip", &zip(&good()))]].concat()), USABLE);
    // Written by a system without Unix modes.
    let mut entries = good();
    entries.iter_mut().for_each(|entry| entry.mode = 0);
    check(&zip(&entries), USABLE);
    // A comment at the end.
    let mut commented = zip(&good());
    let length = commented.len();
    commented[length - 2] = 5;
    commented.extend(b"words");
    check(&commented, USABLE);
    // Hashes in the manifest are checked, and a folder named `*.zip` is a folder.
    let text = manifest(&[&format!("a 1 {WASM} sha256=\"{}\"", "0".repeat(64))]);
    let mut wrong = good();
    wrong[0] = deflated("EngineConfigs.xml", &text);
    let cache = tempfile::tempdir().unwrap();
    let found = list_archive(&zip(&wrong), &UnpackCache::in_folder(cache.path()));
    assert!(
        found[0].contains("p.zip/EngineConfigs.xml:2: Engine/@sha256: wrong hash"),
        "{found:?}"
    );
    let dir = folder(&[("q.zip/EngineConfigs.xml", &manifest(&[])), ("Q2.ZIP", b"PK\x03\x04")]);
    let found = scan(dir.path(), &UnpackCache::in_folder(cache.path()));
    let sources: Vec<_> = found.entries.iter().map(|entry| entry.source.clone()).collect();
    assert_eq!(sources, [Path::new("Q2.ZIP"), Path::new("q.zip/EngineConfigs.xml")]);
}

#[test]
fn entry_names_are_checked() {
    let long = format!("{}/b", "a".repeat(PATH_BYTES_MAX - 1));
    let deep = "a/".repeat(PATH_DEPTH_MAX) + "b";
    for (name, why) in [
        ("/etc/passwd", "its name is an absolute path; write it relative to the pack"),
        ("../x", "its name leads out of the pack: `..` is not allowed"),
        ("d/../../x", "its name leads out of the pack: `..` is not allowed"),
        ("d\\x", "its name contains `\\`; write `/` between folders on every system"),
        ("C:x", "its name is an absolute path; write it relative to the pack"),
        ("d/x:y", "`x:y` is not a valid file name on every system"),
        ("d/x?y", "`x?y` is not a valid file name on every system"),
        ("d/nul.txt", "`nul.txt` is not a valid file name on every system"),
        ("d/COM1", "`COM1` is not a valid file name on every system"),
        ("d/x.", "`x.` is not a valid file name on every system"),
        ("", "its name is empty; it must name a file"),
        ("/", "its name is empty; it must name a file"),
        ("d//x", "its name is not plain: write `folder/file`"),
        ("./x", "its name is not plain: write `folder/file`"),
        ("M.wasm", "differs from `m.wasm` only in upper and lower case"),
        ("D/other", "differs from `d` only in upper and lower case"),
        ("m.wasm", "occurs twice"),
        ("d/", "occurs twice"),
        ("m.wasm/x", "`m.wasm` is a file and a folder"),
        ("d", "`d` is a file and a folder"),
        (&long, "its path has 241 bytes; the limit is 240"),
        (&deep, "is 9 names deep; the limit is 8"),
    ] {
        let fault = format!("{}: {why}", quoted(name));
        check_changed(|entries| entries.push(stored(name, b"")), &[&fault]);
    }
    check_changed(
        |entries| entries.push(stored("a\u{1b}[2J", b"")),
        &["`a\\u{1b}[2J`: its name contains a control or direction character"],
    );
    check_changed(
        |entries| entries.push(ZipEntry { name: b"\xff".into(), ..stored("x", b"") }),
        &["`\u{fffd}`: its name is not UTF-8"],
    );
    for name in ["é.txt", "..a", "d/com", "d/com10", "a b"] {
        check(&zip(&[good(), vec![stored(name, b"x")]].concat()), USABLE);
    }
    for name in [&long[1..], &deep[2..]] {
        check(&zip(&[good(), vec![stored(name, b"x")]].concat()), USABLE);
    }
}

#[test]
fn entry_types_are_checked() {
    let with = |change: fn(&mut ZipEntry), why: &str| {
        check_changed(|entries| change(&mut entries[3]), &[&format!("`d/book`: {why}")]);
    };
    with(|it| it.mode = 0o120_777, "is a link; add the file itself");
    with(|it| it.mode = 0o010_644, "is a device, a pipe or a socket");
    with(|it| it.mode = 0o040_755, "is a file and a folder");
    with(|it| it.flags = 1, "is encrypted");
    with(|it| it.flags = 1 << 6, "is encrypted");
    with(|it| it.method = 12, "uses compression method 12; only deflate (8) is supported");
    with(
        |it| it.header_name = Some(b"d/bock".into()),
        "its header differs from the archive's table",
    );
    with(|it| it.offset = Some(1), "its header differs from the archive's table");
    with(|it| it.offset = Some(u32::MAX - 1), "its bytes are outside the archive");
    with(|it| it.packed_bytes = 10_000, "its bytes are outside the archive");
    check_changed(
        |entries| entries[2] = ZipEntry { name: b"d/".into(), ..stored("d/", b"bytes") },
        &["`d/`: is a folder with content of its own"],
    );
    with(|it| it.crc32 ^= 1, "wrong checksum: its bytes are damaged");
}

#[test]
fn false_sizes_are_rejected() {
    let with = |change: fn(&mut ZipEntry), why: &str| {
        let book = vec![b'x'; 1000];
        check_changed(
            |entries| {
                entries[3] = deflated("d/book", &book);
                change(&mut entries[3]);
            },
            &[&format!("`d/book`: {why}")],
        );
    };
    with(|it| it.unpacked_bytes -= 1, "has more than the declared 999 bytes");
    with(|it| it.unpacked_bytes += 1, "has 1000 bytes instead of the declared 1001");
    with(|it| it.packed_bytes -= 1, "its bytes are damaged");
    with(
        |it| {
            it.packed.push(0);
            it.packed_bytes += 1;
        },
        "takes 17 bytes of the archive instead of the declared 18",
    );
    with(|it| it.packed[0] = 0xff, "its bytes are damaged");
    with(
        |it| it.unpacked_bytes = FILE_BYTES_MAX as u32 + 1,
        "has 268435457 bytes; the limit is 268435456",
    );
    // A zip bomb is rejected by its declared size; with a false one, by its unpacked size.
    let zeros = vec![0; RATIO_FREE_BYTES as usize + 1];
    let bomb = deflated("d/zeros", &zeros);
    let packed = bomb.packed_bytes;
    check_changed(
        |entries| entries.push(bomb.clone()),
        &[&format!("`d/zeros`: has 1048577 bytes packed into {packed}; the limit is 200 times")],
    );
    check_changed(
        |entries| entries.push(ZipEntry { unpacked_bytes: 5, ..bomb.clone() }),
        &["`d/zeros`: has more than the declared 5 bytes"],
    );
    let free = deflated("d/zeros", &zeros[1..]);
    check(&zip(&[good(), vec![free]].concat()), USABLE);
    // Two entries with the same bytes.
    let mut shared = good();
    shared.push(ZipEntry { offset: Some(0), ..shared[0].clone() });
    shared[4].name = b"EngineConfigs.xmk".into();
    shared[4].header_name = None;
    check(
        &zip(&shared),
        &["p.zip p.zip: p.zip: `EngineConfigs.xmk`: its header differs from the archive's table"],
    );
}

#[test]
fn entries_that_share_bytes_are_rejected() {
    // The header and bytes of the second entry are the content of the first.
    let inner = zip(&[stored("b", b"bytes")]);
    let header = &inner[..30 + 1 + 5];
    let outer = stored("a", header);
    let second = ZipEntry { offset: Some(31), packed: Vec::new(), ..stored("b", b"bytes") };
    check(&zip(&[outer, second]), &["p.zip p.zip: p.zip: `b`: shares bytes with `a`"]);
}

#[test]
fn all_faults_are_reported_together() {
    check_changed(
        |entries| {
            entries[1].flags = 1;
            entries.push(stored("../x", b""));
            entries.push(stored("M.wasm", b""));
        },
        &[
            "`m.wasm`: is encrypted",
            "`../x`: its name leads out of the pack: `..` is not allowed",
            "`M.wasm`: differs from `m.wasm` only in upper and lower case",
        ],
    );
    check_changed(
        |entries| entries.iter_mut().for_each(|entry| entry.crc32 ^= 1),
        &[
            "`EngineConfigs.xml`: wrong checksum: its bytes are damaged",
            "`d/book`: wrong checksum: its bytes are damaged",
            "`m.wasm`: wrong checksum: its bytes are damaged",
        ],
    );
    let many = |count: usize| {
        let bad = (0..count).map(|number| stored(&format!("../{number}"), b""));
        let bytes = zip(&bad.collect::<Vec<_>>());
        let cache = tempfile::tempdir().unwrap();
        list_archive(&bytes, &UnpackCache::in_folder(cache.path()))[0].matches(" | ").count() + 1
    };
    assert_eq!((many(FAULTS_MAX), many(FAULTS_MAX + 1)), (FAULTS_MAX, FAULTS_MAX + 1));
}

#[test]
fn damaged_and_foreign_archives_are_rejected() {
    let cut = "p.zip p.zip: p.zip: is truncated or damaged";
    let whole = zip(&good());
    check(b"", &["p.zip p.zip: p.zip: is empty"]);
    check(b"words", &["p.zip p.zip: p.zip: is not a zip archive"]);
    check(&[b'x'; 100], &["p.zip p.zip: p.zip: is not a zip archive"]);
    check(&whole[..whole.len() - 1], &[cut]);
    check(&whole[..whole.len() / 2], &[cut]);
    check(&[&whole[..], b"x"].concat(), &[cut]);
    check(&[b"#!/bin/sh\n", &whole[..]].concat(), &[cut]);
    let check_byte = |at: usize, byte: u8, wanted: &str| {
        let mut bytes = whole.clone();
        let length = bytes.len();
        bytes[length - 22 + at] = byte;
        check(&bytes, &[wanted]);
    };
    let parts = "p.zip p.zip: p.zip: is one part of a split zip archive; make a single file";
    check_byte(4, 1, parts);
    check_byte(8, 3, parts);
    check_byte(16, whole[whole.len() - 6] ^ 1, cut);
    let counted = |count: u16| {
        let mut bytes = whole.clone();
        let length = bytes.len();
        for at in [14, 12] {
            bytes[length - at..length - at + 2].copy_from_slice(&count.to_le_bytes());
        }
        bytes
    };
    check(&counted(3), &[cut]);
    check(&counted(5), &[cut]);
    check(&counted(4097), &["p.zip p.zip: p.zip: has 4097 entries; the limit is 4096"]);
    let big = "p.zip p.zip: p.zip: is a zip64 archive; make one without zip64";
    check(&counted(u16::MAX), &[big]);
    check(&counted(4), USABLE);
}

#[test]
fn an_archive_that_is_too_large_is_not_read() {
    let dir = folder(&[]);
    let file = fs::File::create(dir.path().join("p.zip")).unwrap();
    file.set_len(ARCHIVE_BYTES_MAX + 1).unwrap();
    let cache = tempfile::tempdir().unwrap();
    let found = scan(dir.path(), &UnpackCache::in_folder(cache.path()));
    let fault = found.entries[0].faults()[0].to_string();
    assert_eq!(fault, "p.zip: is 1073741825 bytes; the limit is 1073741824");
}
