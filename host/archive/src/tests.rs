//! Accepted and rejected archives. Each rejected archive differs from an accepted one in one thing.

use super::*;
use crate::fixtures::{ZipEntry, deflated, stored, zip};
use sandboard_common::text::quoted;

const LIMITS: ArchiveLimits = ArchiveLimits {
    entries: 4096,
    archive_bytes: 1 << 30,
    file_bytes: 256 << 20,
    unpacked_bytes: 1 << 30,
};

/// Files at the top and in a folder.
fn good() -> Vec<ZipEntry> {
    vec![
        deflated("EngineConfigs.xml", b"<Engines/>"),
        deflated("m.wasm", b"module"),
        stored("d/", b""),
        stored("d/book", b"moves"),
    ]
}

/// The faults of an archive and of the contents of its files.
fn faults(bytes: &[u8]) -> Vec<String> {
    let archive = match Archive::from_bytes(bytes.to_vec(), &LIMITS) {
        Ok(archive) => archive,
        Err(faults) => return faults,
    };
    let fault = |name| {
        let reason = archive.read(name, u64::MAX).err()?;
        Some(format!("{}: {reason}", quoted(name)))
    };
    archive.names().filter_map(fault).collect()
}

fn check(bytes: &[u8], expected: &[&str]) {
    assert_eq!(faults(bytes), expected);
}

/// Checks the faults of the good archive after `change`.
fn check_changed(change: impl FnOnce(&mut Vec<ZipEntry>), expected: &[&str]) {
    let mut entries = good();
    change(&mut entries);
    check(&zip(&entries), expected);
}

#[test]
fn files_and_memory_have_the_same_archive() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), zip(&good())).unwrap();
    let read = |archive: Result<Archive, Vec<String>>| {
        let archive = archive.unwrap();
        let one = |name: &str| (name.to_owned(), archive.read(name, 100).unwrap().unwrap());
        archive.names().map(one).collect::<Vec<_>>()
    };
    let in_memory = read(Archive::from_bytes(zip(&good()), &LIMITS));
    assert_eq!(in_memory[1], ("d/book".into(), b"moves".to_vec()));
    assert_eq!(read(Archive::open(file.path(), &LIMITS)), in_memory);
    let small = ArchiveLimits { archive_bytes: 10, ..LIMITS };
    for small in [Archive::open(file.path(), &small), Archive::from_bytes(zip(&good()), &small)] {
        let faults = small.err().unwrap();
        assert!(faults[0].ends_with(" bytes; the limit is 10"), "{faults:?}");
    }
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
        check(&zip(&[good(), vec![stored(name, b"x")]].concat()), &[]);
    }
    for name in [&long[1..], &deep[2..]] {
        check(&zip(&[good(), vec![stored(name, b"x")]].concat()), &[]);
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
        |it| it.unpacked_bytes = LIMITS.file_bytes as u32 + 1,
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
    check(&zip(&[good(), vec![free]].concat()), &[]);
    // Two entries with the same bytes.
    let mut shared = good();
    shared.push(ZipEntry { offset: Some(0), ..shared[0].clone() });
    shared[4].name = b"EngineConfigs.xmk".into();
    shared[4].header_name = None;
    check(&zip(&shared), &["`EngineConfigs.xmk`: its header differs from the archive's table"]);
}

#[test]
fn entries_that_share_bytes_are_rejected() {
    // The header and bytes of the second entry are the content of the first.
    let inner = zip(&[stored("b", b"bytes")]);
    let header = &inner[..30 + 1 + 5];
    let outer = stored("a", header);
    let second = ZipEntry { offset: Some(31), packed: Vec::new(), ..stored("b", b"bytes") };
    check(&zip(&[outer, second]), &["`b`: shares bytes with `a`"]);
}

#[test]
fn damaged_and_foreign_archives_are_rejected() {
    let cut = "is truncated or damaged";
    let whole = zip(&good());
    check(b"", &["is empty"]);
    check(b"words", &["is not a zip archive"]);
    check(&[b'x'; 100], &["is not a zip archive"]);
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
    let parts = "is one part of a split zip archive; make a single file";
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
    check(&counted(4097), &["has 4097 entries; the limit is 4096"]);
    let big = "is a zip64 archive; make one without zip64";
    check(&counted(u16::MAX), &[big]);
    check(&counted(4), &[]);
}
