//! The unpack cache: changed files are detected, no partial pack remains, unused packs are removed.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use tempfile::TempDir;

use super::super::unpack_cache::{UNUSED_DAYS, remove_unused};
use super::super::*;
use super::{good, list_archive};
use sandboard_archive::fixtures::{deflated, zip};

const USABLE: &str = "p.zip/EngineConfigs.xml:2 a: usable";

/// A cache folder with the good pack unpacked, and the pack's folder.
fn unpacked() -> (TempDir, PathBuf) {
    let cache = tempfile::tempdir().unwrap();
    assert_eq!(list_archive(&zip(&good()), &UnpackCache::in_folder(cache.path())), [USABLE]);
    let packs = list_names(&cache.path().join("packs"));
    let [pack, mark_used] = &packs[..] else { panic!("{packs:?}") };
    assert_eq!(format!("{pack}.used"), *mark_used);
    let pack = cache.path().join("packs").join(pack);
    (cache, pack)
}

fn list_names(folder: &Path) -> Vec<String> {
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
fn changed_packs_are_unpacked_again() {
    let check = |change: fn(&Path)| {
        let (cache, pack) = unpacked();
        let before = fs::read(pack.join("m.wasm")).unwrap();
        change(&pack);
        assert_eq!(list_archive(&zip(&good()), &UnpackCache::in_folder(cache.path())), [USABLE]);
        assert_eq!(fs::read(pack.join("m.wasm")).unwrap(), before);
        assert_eq!(list_names(&pack), ["EngineConfigs.xml", "d", "m.wasm"]);
        assert_eq!(list_names(&pack.join("d")), ["book"]);
        assert_eq!(list_names(&cache.path().join("packs")).len(), 2);
    };
    check(|_| {});
    // A module of the same length: the manifest has no hash that would reveal the change.
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
fn a_changed_archive_is_another_pack() {
    let (cache, pack) = unpacked();
    let mut other = good();
    other.push(deflated("more", b"bytes"));
    assert_eq!(list_archive(&zip(&other), &UnpackCache::in_folder(cache.path())), [USABLE]);
    assert_eq!(list_names(&cache.path().join("packs")).len(), 4);
    assert!(!pack.join("more").exists());
}

#[test]
fn concurrent_scans_unpack_one_pack() {
    let cache = tempfile::tempdir().unwrap();
    let (unpack_cache, bytes) = (UnpackCache::in_folder(cache.path()), zip(&good()));
    std::thread::scope(|scope| {
        let threads: Vec<_> =
            (0..8).map(|_| scope.spawn(|| list_archive(&bytes, &unpack_cache))).collect();
        for thread in threads {
            assert_eq!(thread.join().unwrap(), [USABLE]);
        }
    });
    assert_eq!(list_names(&cache.path().join("packs")).len(), 2);
}

#[test]
fn an_archive_that_cannot_be_unpacked_is_unusable() {
    let home = tempfile::tempdir().unwrap();
    let taken = home.path().join("cache");
    fs::write(&taken, b"a file").unwrap();
    let found = list_archive(&zip(&good()), &UnpackCache::in_folder(&taken));
    assert!(found[0].starts_with("p.zip p.zip: p.zip: cannot be unpacked: "), "{found:?}");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let (cache, _) = unpacked();
        for open in [cache.path().to_owned(), cache.path().join("packs")] {
            fs::set_permissions(&open, fs::Permissions::from_mode(0o777)).unwrap();
            let found = list_archive(&zip(&good()), &UnpackCache::in_folder(cache.path()));
            assert!(found[0].contains("can be written to by others"), "{found:?}");
            fs::set_permissions(&open, fs::Permissions::from_mode(0o700)).unwrap();
        }
        assert_eq!(list_archive(&zip(&good()), &UnpackCache::in_folder(cache.path())), [USABLE]);
    }
}

#[test]
fn unused_packs_are_removed() {
    let (cache, pack) = unpacked();
    let packs = cache.path().join("packs");
    let days = |days: u64| SystemTime::now() + Duration::from_secs(days * 24 * 60 * 60);
    let killed = packs.join(".unpacking-abc");
    fs::create_dir(&killed).unwrap();
    fs::write(killed.join("half"), b"x").unwrap();
    let alone = packs.join("alone.used");
    fs::write(&alone, b"").unwrap();
    remove_unused(&packs, SystemTime::now());
    assert!(pack.exists() && killed.exists() && !alone.exists());
    remove_unused(&packs, days(UNUSED_DAYS - 1));
    assert!(pack.exists() && !killed.exists());
    // A clock that was set back makes no pack old.
    remove_unused(&packs, SystemTime::UNIX_EPOCH);
    assert!(pack.exists());
    // The last use counts, not the time of unpacking.
    let mark_used = fs::File::options().write(true).open(pack.with_extension("used")).unwrap();
    mark_used.set_modified(days(10)).unwrap();
    remove_unused(&packs, days(UNUSED_DAYS + 9));
    assert!(pack.exists());
    remove_unused(&packs, days(UNUSED_DAYS + 11));
    assert_eq!(list_names(&packs), [""; 0]);
    assert_eq!(list_archive(&zip(&good()), &UnpackCache::in_folder(cache.path())), [USABLE]);
}
