//! What archives are taken and what is said of the others; each bad one beside
//! the good one that differs by one thing.

use std::fs;
use std::path::Path;

use super::super::module::fixtures::component;
use super::super::tests::{WASM, folder, manifest};
use super::super::{Catalog, Subject};
use super::fixtures::{Zipped, deflated, stored, zip};
use super::*;
use crate::manifest::quoted;

/// A pack of one engine with one asset in a folder.
pub(super) fn good() -> Vec<Zipped> {
    let book = crate::sha256_hex(b"moves");
    let asset = format!("<Asset name=\"book\" path=\"d/book\" sha256=\"{book}\"/>");
    vec![
        deflated("EngineConfigs.xml", &manifest(&[&format!("a 1 {WASM}|{asset}")])),
        deflated("m.wasm", &component(1, "")),
        stored("d/", b""),
        stored("d/book", b"moves"),
    ]
}

/// How the archive is listed: `source:line id`, then `usable` or its faults.
pub(super) fn listed(bytes: &[u8], shelf: &Shelf) -> Vec<String> {
    let dir = folder(&[("p.zip", bytes)]);
    let catalog = Catalog::scan_with(dir.path(), shelf, &LoadCaps::default()).unwrap();
    let line = |entry: &Entry| {
        let place = entry.line.map_or(String::new(), |line| format!(":{line}"));
        let faults: Vec<String> = entry.faults().iter().map(PackFault::to_string).collect();
        let told = if entry.is_usable() { "usable".into() } else { faults.join(" | ") };
        format!("{}{place} {}: {told}", entry.source.display(), entry.id)
    };
    catalog.entries.iter().map(line).collect()
}

fn check(bytes: &[u8], wanted: &[&str]) {
    let cache = tempfile::tempdir().unwrap();
    assert_eq!(listed(bytes, &Shelf::at(cache.path())), wanted);
    if wanted.iter().all(|line| line.starts_with("p.zip p.zip: ")) {
        let left = fs::read_dir(cache.path().join("packs")).map_or(0, Iterator::count);
        assert_eq!(left, 0, "nothing of what is refused stays");
    }
}

/// The good archive, changed, has just these faults.
fn twin(change: impl FnOnce(&mut Vec<Zipped>), wanted: &[&str]) {
    let mut entries = good();
    change(&mut entries);
    let faults: Vec<String> = wanted.iter().map(|fault| format!("p.zip: {fault}")).collect();
    check(&zip(&entries), &[&format!("p.zip p.zip: {}", faults.join(" | "))]);
}

const USABLE: &[&str] = &["p.zip/EngineConfigs.xml:2 a: usable"];

#[test]
fn a_good_one_is_a_pack_like_any_other() {
    check(&zip(&good()), USABLE);
    let (cache, dir) = (tempfile::tempdir().unwrap(), folder(&[("p.zip", &zip(&good()))]));
    let shelf = Shelf::at(cache.path());
    let catalog = Catalog::scan_with(dir.path(), &shelf, &LoadCaps::default()).unwrap();
    let [entry] = &catalog.entries[..] else { panic!("{catalog:?}") };
    assert_eq!(entry.subject, Subject::Engine);
    assert!(entry.root.starts_with(fs::canonicalize(cache.path()).unwrap().join("packs")));
    assert_eq!(fs::read(&entry.module).unwrap(), component(1, ""));
    assert_eq!(fs::read(&entry.assets[0].path).unwrap(), b"moves");
    assert!(fs::metadata(&entry.module).unwrap().permissions().readonly());
    // The second time it is there already, and the same.
    let again = Catalog::scan_with(dir.path(), &shelf, &LoadCaps::default()).unwrap();
    assert_eq!(again.entries[0].module, entry.module);
}

#[test]
fn what_is_allowed_around_it() {
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
    let nowhere = "p.zip p.zip: p.zip: holds no `EngineConfigs.xml`, neither at its top nor in a \
                   folder that is all there is";
    check(&zip(&[moved("pack/"), vec![stored("README", b"x")]].concat()), &[nowhere]);
    check(&zip(&moved("a/b/")), &[nowhere]);
    check(&zip(&[]), &[nowhere]);
    // A zip in the zip is a file like any other.
    check(&zip(&[good(), vec![stored("inner.zip", &zip(&good()))]].concat()), USABLE);
    // Written by a system that knows no modes.
    let mut entries = good();
    entries.iter_mut().for_each(|entry| entry.mode = 0);
    check(&zip(&entries), USABLE);
    // A comment at the end.
    let mut commented = zip(&good());
    let length = commented.len();
    commented[length - 2] = 5;
    commented.extend(b"words");
    check(&commented, USABLE);
    // A folder by such a name is a folder, and a wrong hash is a wrong hash.
    let text = manifest(&[&format!("a 1 {WASM} sha256=\"{}\"", "0".repeat(64))]);
    let mut wrong = good();
    wrong[0] = deflated("EngineConfigs.xml", &text);
    let cache = tempfile::tempdir().unwrap();
    let found = listed(&zip(&wrong), &Shelf::at(cache.path()));
    assert!(
        found[0].contains("p.zip/EngineConfigs.xml:2: Engine/@sha256: wrong hash"),
        "{found:?}"
    );
    let dir = folder(&[("q.zip/EngineConfigs.xml", &manifest(&[])), ("Q2.ZIP", b"PK\x03\x04")]);
    let found =
        Catalog::scan_with(dir.path(), &Shelf::at(cache.path()), &LoadCaps::default()).unwrap();
    let sources: Vec<_> = found.entries.iter().map(|entry| entry.source.clone()).collect();
    assert_eq!(sources, [Path::new("Q2.ZIP"), Path::new("q.zip/EngineConfigs.xml")]);
}

#[test]
fn names() {
    let long = format!("{}/b", "a".repeat(PATH_BYTES - 1));
    let deep = "a/".repeat(PATH_DEPTH) + "b";
    for (name, why) in [
        ("/etc/passwd", "its name is absolute: it leaves the pack"),
        ("../x", "its name leaves the pack: no `..` is allowed"),
        ("d/../../x", "its name leaves the pack: no `..` is allowed"),
        ("d\\x", "its name holds `\\`; write `/` between folders, on every system"),
        ("C:x", "its name is absolute: it leaves the pack"),
        ("d/x:y", "`x:y` is no file name on every system"),
        ("d/x?y", "`x?y` is no file name on every system"),
        ("d/nul.txt", "`nul.txt` is no file name on every system"),
        ("d/COM1", "`COM1` is no file name on every system"),
        ("d/x.", "`x.` is no file name on every system"),
        ("", "its name is empty; it must name a file"),
        ("/", "its name is empty; it must name a file"),
        ("d//x", "its name is not plain: write `folder/file`"),
        ("./x", "its name is not plain: write `folder/file`"),
        ("M.wasm", "differs from `m.wasm` only by upper and lower case"),
        ("D/other", "differs from `d` only by upper and lower case"),
        ("m.wasm", "is there twice"),
        ("d/", "is there twice"),
        ("m.wasm/x", "`m.wasm` is a file and a folder"),
        ("d", "`d` is a file and a folder"),
        (&long, "its path has 241 bytes; 240 is the most"),
        (&deep, "lies 9 names deep; 8 is the most"),
    ] {
        let fault = format!("{}: {why}", quoted(name));
        twin(|entries| entries.push(stored(name, b"")), &[&fault]);
    }
    twin(
        |entries| entries.push(stored("a\u{1b}[2J", b"")),
        &["`a\\u{1b}[2J`: its name holds a control or direction character"],
    );
    twin(
        |entries| entries.push(Zipped { name: b"\xff".into(), ..stored("x", b"") }),
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
fn kinds_of_entries() {
    let with = |change: fn(&mut Zipped), why: &str| {
        twin(|entries| change(&mut entries[3]), &[&format!("`d/book`: {why}")]);
    };
    with(|it| it.mode = 0o120_777, "is a link; pack the file that it leads to");
    with(|it| it.mode = 0o010_644, "is a device, a pipe or a socket");
    with(|it| it.mode = 0o040_755, "is a file and a folder");
    with(|it| it.flags = 1, "is encrypted");
    with(|it| it.flags = 1 << 6, "is encrypted");
    with(|it| it.method = 12, "is packed by method 12; only deflate (8) is known");
    with(
        |it| it.header_name = Some(b"d/bock".into()),
        "its header and the archive's table disagree",
    );
    with(|it| it.offset = Some(1), "its header and the archive's table disagree");
    with(|it| it.offset = Some(u32::MAX - 1), "its bytes lie outside the archive");
    with(|it| it.packed_bytes = 10_000, "its bytes lie outside the archive");
    twin(
        |entries| entries[2] = Zipped { name: b"d/".into(), ..stored("d/", b"bytes") },
        &["`d/`: is a folder that holds bytes itself"],
    );
    with(|it| it.crc32 ^= 1, "wrong checksum: its bytes are damaged");
}

#[test]
fn sizes_that_lie() {
    let with = |change: fn(&mut Zipped), why: &str| {
        let book = vec![b'x'; 1000];
        twin(
            |entries| {
                entries[3] = deflated("d/book", &book);
                change(&mut entries[3]);
            },
            &[&format!("`d/book`: {why}")],
        );
    };
    with(|it| it.unpacked_bytes -= 1, "holds more than the 999 bytes that it says");
    with(|it| it.unpacked_bytes += 1, "holds 1000 bytes, and says that it holds 1001");
    with(|it| it.packed_bytes -= 1, "its bytes are damaged");
    with(
        |it| {
            it.packed.push(0);
            it.packed_bytes += 1;
        },
        "takes 17 bytes of the archive, and says 18",
    );
    with(|it| it.packed[0] = 0xff, "its bytes are damaged");
    with(
        |it| it.unpacked_bytes = FILE_BYTES as u32 + 1,
        "holds 268435457 bytes; 268435456 is the most",
    );
    // A bomb: refused by what it says, and if it says less by what comes out.
    let zeros = vec![0; RATIO_FREE_BYTES as usize + 1];
    let bomb = deflated("d/zeros", &zeros);
    let packed = bomb.packed_bytes;
    twin(
        |entries| entries.push(bomb.clone()),
        &[&format!("`d/zeros`: holds 1048577 bytes out of {packed}; 200 times is the most")],
    );
    twin(
        |entries| entries.push(Zipped { unpacked_bytes: 5, ..bomb.clone() }),
        &["`d/zeros`: holds more than the 5 bytes that it says"],
    );
    let free = deflated("d/zeros", &zeros[1..]);
    check(&zip(&[good(), vec![free]].concat()), USABLE);
    // Many entries out of the same bytes.
    let mut shared = good();
    shared.push(Zipped { offset: Some(0), ..shared[0].clone() });
    shared[4].name = b"EngineConfigs.xmk".into();
    shared[4].header_name = None;
    check(
        &zip(&shared),
        &["p.zip p.zip: p.zip: `EngineConfigs.xmk`: its header and the archive's table disagree"],
    );
}

#[test]
fn bytes_that_two_entries_share() {
    // The second entry's header and bytes are the first one's bytes.
    let inner = zip(&[stored("b", b"bytes")]);
    let header = &inner[..30 + 1 + 5];
    let outer = stored("a", header);
    let second = Zipped { offset: Some(31), packed: Vec::new(), ..stored("b", b"bytes") };
    check(&zip(&[outer, second]), &["p.zip p.zip: p.zip: `b`: shares bytes with `a`"]);
}

#[test]
fn everything_is_told_at_once() {
    twin(
        |entries| {
            entries[1].flags = 1;
            entries.push(stored("../x", b""));
            entries.push(stored("M.wasm", b""));
        },
        &[
            "`m.wasm`: is encrypted",
            "`../x`: its name leaves the pack: no `..` is allowed",
            "`M.wasm`: differs from `m.wasm` only by upper and lower case",
        ],
    );
    twin(
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
        listed(&bytes, &Shelf::at(cache.path()))[0].matches(" | ").count() + 1
    };
    assert_eq!((many(FAULTS), many(FAULTS + 1)), (FAULTS, FAULTS + 1));
}

#[test]
fn archives_that_are_none() {
    let cut = "p.zip p.zip: p.zip: is no whole zip archive: it is cut off or damaged";
    let whole = zip(&good());
    check(b"", &["p.zip p.zip: p.zip: is empty"]);
    check(b"words", &["p.zip p.zip: p.zip: is no zip archive"]);
    check(&[b'x'; 100], &["p.zip p.zip: p.zip: is no zip archive"]);
    check(&whole[..whole.len() - 1], &[cut]);
    check(&whole[..whole.len() / 2], &[cut]);
    check(&[&whole[..], b"x"].concat(), &[cut]);
    check(&[b"#!/bin/sh\n", &whole[..]].concat(), &[cut]);
    let twin = |at: usize, byte: u8, wanted: &str| {
        let mut bytes = whole.clone();
        let length = bytes.len();
        bytes[length - 22 + at] = byte;
        check(&bytes, &[wanted]);
    };
    let parts = "p.zip p.zip: p.zip: is one of several parts of a zip archive; make one file of it";
    twin(4, 1, parts);
    twin(8, 3, parts);
    twin(16, whole[whole.len() - 6] ^ 1, cut);
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
    check(&counted(4097), &["p.zip p.zip: p.zip: has 4097 entries; 4096 is the most"]);
    let big = "p.zip p.zip: p.zip: is a zip64 archive; make a plain one";
    check(&counted(u16::MAX), &[big]);
    check(&counted(4), USABLE);
}

#[test]
fn an_archive_that_is_too_large_is_not_read() {
    let dir = folder(&[]);
    let file = fs::File::create(dir.path().join("p.zip")).unwrap();
    file.set_len(ARCHIVE_BYTES + 1).unwrap();
    let cache = tempfile::tempdir().unwrap();
    let found =
        Catalog::scan_with(dir.path(), &Shelf::at(cache.path()), &LoadCaps::default()).unwrap();
    let told = found.entries[0].faults()[0].to_string();
    assert_eq!(told, "p.zip: is 1073741825 bytes; 1073741824 is the most");
}
