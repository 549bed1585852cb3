//! Accepted and rejected archives of packs.

mod random;
mod unpack_cache;

use std::fs;
use std::path::Path;

use super::super::module::fixtures::component;
use super::super::tests::{WASM, folder, manifest};
use super::super::{Catalog, EntryKind};
use super::*;
use crate::game_loader::GameLoader;
use sandboard_archive::fixtures::{ZipEntry, deflated, stored, zip};

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
fn an_archive_that_is_too_large_is_not_read() {
    let dir = folder(&[]);
    let file = fs::File::create(dir.path().join("p.zip")).unwrap();
    file.set_len(ARCHIVE_BYTES_MAX + 1).unwrap();
    let cache = tempfile::tempdir().unwrap();
    let found = scan(dir.path(), &UnpackCache::in_folder(cache.path()));
    let fault = found.entries[0].faults()[0].to_string();
    assert_eq!(fault, "p.zip: is 1073741825 bytes; the limit is 1073741824");
}
