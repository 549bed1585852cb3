//! A loader loads the bytes that were hashed: a file that changes in between is refused and does
//! not run.

use std::fs;

use sandboard_engine_wasm::Metering;
use sandboard_packs::catalog::{Catalog, Entry};
use sandboard_packs::game_loader::GameLoader;
use sandboard_packs::loader::{Loader, NativePolicy};
use sandboard_packs::trust::{Grant, GrantSource, TrustStore};
use sandboard_tests::{built, engine_processes, native_name};

use super::{TrustHome, sha256_of};

/// A loader whose store trusts both sample engines.
fn loader(home: &TrustHome) -> Loader {
    let store = TrustStore::in_data_folder(home.home.path());
    for stem in ["random-mover", "faulty"] {
        let sha256 = sha256_of(&built(&native_name(stem)));
        store.change(|all| all.add(Grant::new(&sha256, stem, "", GrantSource::User))).unwrap();
    }
    Loader::new(NativePolicy::InProcess, engine_processes().clone()).with_trust(store)
}

fn entry(home: &TrustHome) -> Entry {
    Catalog::scan(&home.dir(), &GameLoader::default()).unwrap().find("native").unwrap().clone()
}

/// The engine's id, or why it is not loaded.
fn load(loader: &Loader, entry: &Entry) -> String {
    match loader.load(entry, Metering::Deadline) {
        Ok(loaded) => loaded.description.id,
        Err(fault) => fault.sentence,
    }
}

#[test]
fn a_file_changed_since_listing_is_refused() {
    let check = |change: fn(&TrustHome), expected: &str| {
        let home = TrustHome::new();
        let (loader, entry) = (loader(&home), entry(&home));
        assert_eq!(load(&loader, &entry), "random-mover");
        change(&home);
        let found = load(&loader, &entry);
        assert!(found.contains(expected), "{found}, not {expected}");
    };
    check(|_| (), "random-mover");
    check(|home| home.put("native-1", "random-mover"), "random-mover");
    // The new bytes are trusted, too, but were not listed.
    check(|home| home.put("native-1", "faulty"), "has changed since it was listed");
    let longer: fn(&TrustHome) = |home| {
        let file = fs::OpenOptions::new().write(true).open(home.library("native-1")).unwrap();
        file.set_len(1 << 40).unwrap();
    };
    check(longer, "has changed since it was listed: it is longer");
    check(|home| fs::remove_file(home.library("native-1")).unwrap(), "cannot be read: ");
}

#[cfg(target_os = "linux")]
#[test]
fn a_copy_of_the_hashed_bytes_runs() {
    use sandboard_engine::Caps;
    use sandboard_engine_native::{CallMode, NativeModule};
    let home = TrustHome::new();
    // A library that no other test of this process loads.
    let file = home.library("native-1");
    let unlike = [&fs::read(&file).unwrap()[..], b"unlike any other"].concat();
    fs::write(&file, unlike).unwrap();
    let mapped = || {
        let path = fs::canonicalize(&file).unwrap();
        let maps = fs::read_to_string("/proc/self/maps").unwrap();
        maps.lines().filter(|line| line.ends_with(path.to_str().unwrap())).count()
    };
    let (loader, entry) = (loader(&home), entry(&home));
    let store = loader.trust().unwrap();
    store.change(|all| all.add(Grant::new(&entry.sha256, "", "", GrantSource::User))).unwrap();
    assert_eq!((load(&loader, &entry), mapped()), ("random-mover".to_owned(), 0));
    // The same bytes are loaded once. Other tests load libraries of other lengths.
    let length = fs::metadata(&file).unwrap().len();
    let copies = || {
        let open = fs::read_dir("/proc/self/fd").unwrap().flatten().map(|entry| entry.path());
        let in_memory = open.filter(|path| {
            fs::read_link(path).is_ok_and(|link| link.to_string_lossy().contains("memfd"))
        });
        in_memory.filter(|path| fs::metadata(path).is_ok_and(|it| it.len() == length)).count()
    };
    assert_eq!(copies(), 1);
    assert_eq!((load(&loader, &entry), copies()), ("random-mover".to_owned(), 1));
    // Loaded by its path, which no command does, the file itself is mapped.
    let assets = Default::default();
    NativeModule::load(&file, CallMode::Inline, Caps::default(), assets).map(drop).unwrap();
    assert!(mapped() > 0);
}
