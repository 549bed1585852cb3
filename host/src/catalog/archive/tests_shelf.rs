//! The folder that archives are unpacked into: what changed in it is noticed,
//! nothing half is left, and what is not used goes.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use tempfile::TempDir;

use super::fixtures::{deflated, zip};
use super::shelf::{UNUSED_DAYS, prune};
use super::tests::{good, listed};
use super::*;

const USABLE: &str = "p.zip/EngineConfigs.xml:2 a: usable";

/// A cache folder into which the good pack was unpacked, and the pack's folder.
fn unpacked() -> (TempDir, PathBuf) {
    let cache = tempfile::tempdir().unwrap();
    assert_eq!(listed(&zip(&good()), &Shelf::at(cache.path())), [USABLE]);
    let packs = names(&cache.path().join("packs"));
    let [pack, stamp] = &packs[..] else { panic!("{packs:?}") };
    assert_eq!(format!("{pack}.used"), *stamp);
    let pack = cache.path().join("packs").join(pack);
    (cache, pack)
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn replace(path: &Path, bytes: &[u8]) {
    fs::remove_file(path).unwrap();
    fs::write(path, bytes).unwrap();
}

#[test]
fn what_was_changed_in_the_cache_is_unpacked_anew() {
    let check = |change: fn(&Path)| {
        let (cache, pack) = unpacked();
        let before = fs::read(pack.join("m.wasm")).unwrap();
        change(&pack);
        assert_eq!(listed(&zip(&good()), &Shelf::at(cache.path())), [USABLE]);
        assert_eq!(fs::read(pack.join("m.wasm")).unwrap(), before);
        assert_eq!(names(&pack), ["EngineConfigs.xml", "d", "m.wasm"]);
        assert_eq!(names(&pack.join("d")), ["book"]);
        assert_eq!(names(&cache.path().join("packs")).len(), 2);
    };
    check(|_| {});
    // A module of the same length, which no hash in the manifest would betray.
    check(|pack| {
        let mut bytes = fs::read(pack.join("m.wasm")).unwrap();
        bytes[20] ^= 1;
        replace(&pack.join("m.wasm"), &bytes);
    });
    check(|pack| replace(&pack.join("m.wasm"), b"shorter"));
    check(|pack| fs::remove_file(pack.join("m.wasm")).unwrap());
    check(|pack| fs::write(pack.join("extra.so"), b"x").unwrap());
    check(|pack| fs::create_dir(pack.join("d/more")).unwrap());
    check(|pack| {
        fs::remove_dir_all(pack).unwrap();
        fs::write(pack, b"a file").unwrap();
    });
    #[cfg(unix)]
    check(|pack| {
        let elsewhere = pack.with_extension("elsewhere");
        fs::rename(pack.join("m.wasm"), &elsewhere).unwrap();
        std::os::unix::fs::symlink(&elsewhere, pack.join("m.wasm")).unwrap();
        fs::remove_file(&elsewhere).unwrap();
    });
}

#[test]
fn another_archive_by_the_same_name_is_another_pack() {
    let (cache, pack) = unpacked();
    let mut other = good();
    other.push(deflated("more", b"bytes"));
    assert_eq!(listed(&zip(&other), &Shelf::at(cache.path())), [USABLE]);
    assert_eq!(names(&cache.path().join("packs")).len(), 4);
    assert!(!pack.join("more").exists());
}

#[test]
fn two_at_once_leave_one_pack() {
    let cache = tempfile::tempdir().unwrap();
    let (shelf, bytes) = (Shelf::at(cache.path()), zip(&good()));
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(|| listed(&bytes, &shelf))).collect();
        for thread in threads {
            assert_eq!(thread.join().unwrap(), [USABLE]);
        }
    });
    assert_eq!(names(&cache.path().join("packs")).len(), 2);
}

#[test]
fn without_a_place_a_pack_is_unusable_and_says_why() {
    let home = tempfile::tempdir().unwrap();
    let taken = home.path().join("cache");
    fs::write(&taken, b"a file").unwrap();
    let found = listed(&zip(&good()), &Shelf::at(&taken));
    assert!(
        found[0].starts_with("p.zip p.zip: p.zip: there is no place to unpack it: "),
        "{found:?}"
    );
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let (cache, _) = unpacked();
        for open in [cache.path().to_owned(), cache.path().join("packs")] {
            fs::set_permissions(&open, fs::Permissions::from_mode(0o777)).unwrap();
            let found = listed(&zip(&good()), &Shelf::at(cache.path()));
            assert!(found[0].contains("may be written to by others"), "{found:?}");
            fs::set_permissions(&open, fs::Permissions::from_mode(0o700)).unwrap();
        }
        assert_eq!(listed(&zip(&good()), &Shelf::at(cache.path())), [USABLE]);
    }
}

#[test]
fn what_nobody_used_for_long_goes() {
    let (cache, pack) = unpacked();
    let packs = cache.path().join("packs");
    let days = |days: u64| SystemTime::now() + Duration::from_secs(days * 24 * 60 * 60);
    let killed = packs.join(".unpacking-abc");
    fs::create_dir(&killed).unwrap();
    fs::write(killed.join("half"), b"x").unwrap();
    let alone = packs.join("alone.used");
    fs::write(&alone, b"").unwrap();
    prune(&packs, SystemTime::now());
    assert!(pack.exists() && killed.exists() && !alone.exists());
    prune(&packs, days(UNUSED_DAYS - 1));
    assert!(pack.exists() && !killed.exists());
    // A clock that goes back makes nothing old.
    prune(&packs, SystemTime::UNIX_EPOCH);
    assert!(pack.exists());
    // What counts is the last use, not when it was unpacked.
    let stamp = fs::File::options().write(true).open(pack.with_extension("used")).unwrap();
    stamp.set_modified(days(10)).unwrap();
    prune(&packs, days(UNUSED_DAYS + 9));
    assert!(pack.exists());
    prune(&packs, days(UNUSED_DAYS + 11));
    assert_eq!(names(&packs), [""; 0]);
    assert_eq!(listed(&zip(&good()), &Shelf::at(cache.path())), [USABLE]);
}
