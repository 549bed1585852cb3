//! What a loader loads is what was hashed: a file that becomes another in between is
//! refused, and is not what runs.

use std::fs;

use sandboard_host::catalog::{Catalog, Entry};
use sandboard_host::engine::wasm::Metering;
use sandboard_host::loader::{Loader, Native};
use sandboard_host::trust::{Grant, How, Store};
use sandboard_tests::{built, native_name, workers};

use super::{Place, sha256_of};

/// A loader in whose store both of these sample engines are trusted.
fn loader(place: &Place) -> Loader {
    let store = Store::in_data_folder(place.home.path());
    for stem in ["random-mover", "faulty"] {
        let sha256 = sha256_of(&built(&native_name(stem)));
        store.change(|all| all.add(Grant::new(&sha256, stem, "", How::Person))).unwrap();
    }
    Loader::new(Native::InProcess, workers().clone()).with_trust(store)
}

fn entry(place: &Place) -> Entry {
    Catalog::scan(&place.dir()).unwrap().find("native").unwrap().clone()
}

/// What an engine says it is, or why it is not loaded.
fn load(loader: &Loader, entry: &Entry) -> String {
    match loader.load(entry, Metering::Deadline) {
        Ok(loaded) => loaded.description.id,
        Err(fault) => fault.sentence,
    }
}

#[test]
fn a_file_that_has_changed_since_it_was_listed_is_refused() {
    let check = |change: fn(&Place), expected: &str| {
        let place = Place::new();
        let (loader, entry) = (loader(&place), entry(&place));
        assert_eq!(load(&loader, &entry), "random-mover");
        change(&place);
        let found = load(&loader, &entry);
        assert!(found.contains(expected), "{found}, not {expected}");
    };
    check(|_| (), "random-mover");
    check(|place| place.put("native-1", "random-mover"), "random-mover");
    // Trusted as well, but not what was listed.
    check(|place| place.put("native-1", "faulty"), "has changed since it was listed");
    let longer: fn(&Place) = |place| {
        let file = fs::OpenOptions::new().write(true).open(place.library("native-1")).unwrap();
        file.set_len(1 << 40).unwrap();
    };
    check(longer, "has changed since it was listed: it is longer");
    check(|place| fs::remove_file(place.library("native-1")).unwrap(), "cannot be read: ");
}

#[cfg(target_os = "linux")]
#[test]
fn what_runs_is_a_copy_of_the_bytes_and_not_the_file() {
    use sandboard_host::engine::Caps;
    use sandboard_host::engine::native::{Calls, NativeModule};
    let place = Place::new();
    // A library that no other test of this process loads.
    let file = place.library("native-1");
    let unlike = [&fs::read(&file).unwrap()[..], b"unlike any other"].concat();
    fs::write(&file, unlike).unwrap();
    let mapped = || {
        let path = fs::canonicalize(&file).unwrap();
        let maps = fs::read_to_string("/proc/self/maps").unwrap();
        maps.lines().filter(|line| line.ends_with(path.to_str().unwrap())).count()
    };
    let (loader, entry) = (loader(&place), entry(&place));
    let store = loader.trust().unwrap();
    store.change(|all| all.add(Grant::new(&entry.sha256, "", "", How::Person))).unwrap();
    assert_eq!((load(&loader, &entry), mapped()), ("random-mover".to_owned(), 0));
    // Twice the same bytes are one library. Other tests load others, of other lengths.
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
    // Loaded by its path, as no command does, it is the file.
    let assets = Default::default();
    NativeModule::load(&file, Calls::Inline, Caps::default(), assets).map(drop).unwrap();
    assert!(mapped() > 0);
}
