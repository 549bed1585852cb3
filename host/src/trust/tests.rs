//! What a store says in every state that it may be in, and what stays of many grants.

use std::fs;
use std::path::Path;

use super::*;

/// A hash of nothing in particular.
fn sha256(number: usize) -> String {
    format!("{number:064x}")
}

fn grant(number: usize, id: &str, version: &str, how: How) -> Grant {
    Grant::new(&sha256(number), id, version, how)
}

/// A data folder, and the file of its store.
fn home() -> (tempfile::TempDir, Store) {
    let home = tempfile::tempdir().unwrap();
    let store = Store::in_data_folder(home.path());
    (home, store)
}

fn put(store: &Store, text: &str) {
    let folder = store.file().parent().unwrap().to_owned();
    crate::private::open(&folder).unwrap();
    fs::write(store.file(), text).unwrap();
}

fn written(grants: &str) -> String {
    format!("{{\"version\": 1, \"grants\": [{grants}]}}")
}

fn entry(sha256: &str, more: &str) -> String {
    format!(
        "{{\"sha256\": \"{sha256}\", \"id\": \"a\", \"version\": \"1\", \
         \"when\": \"2026-07-01T12:34:56Z\", \"how\": \"person\"{more}}}"
    )
}

#[test]
fn a_store_is_read_as_it_is_or_not_at_all() {
    let check = |text: &str, expected: Result<usize, &str>| {
        let (_home, store) = home();
        put(&store, text);
        match (store.read(), expected) {
            (Ok(grants), Ok(count)) => assert_eq!(grants.all().len(), count, "{text}"),
            (Err(error), Err(why)) => {
                let (error, file) = (error.to_string(), store.file().display().to_string());
                let after = error.strip_prefix(&file);
                let after = after.unwrap_or_else(|| panic!("{error} names no file"));
                assert!(after.starts_with(why), "{text}: {after:?}, not {why:?}");
                let advice = ["sandboard untrust --all", "the `sandboard` that wrote it"];
                assert!(advice.iter().any(|advice| error.contains(advice)), "{error}");
            }
            (found, _) => panic!("{text}: {found:?}, not {expected:?}"),
        }
    };
    let (a, b) = (sha256(10), sha256(11));
    let one = entry(&a, "");
    check(&written(""), Ok(0));
    check(&written(&one), Ok(1));
    check(&written(&[one.clone(), entry(&b, "")].join(",")), Ok(2));
    check(&written(&one).replace("person", "build"), Ok(1));
    check("", Err(":1:0: is no list of grants: EOF"));
    check("{}", Err(":1:2: is no list of grants: missing field `version`"));
    check("{\"version\": 1}", Err(":1:14: is no list of grants: missing field `grants`"));
    check(&written(&one)[..80], Err(":1:80: is no list of grants: EOF"));
    check(&format!("{} x", written(&one)), Err(":1:"));
    check(&written("").replace(": 1", ": 2"), Err(": what is trusted is written in version 2"));
    check(&written(&entry(&a, ", \"more\": 1")), Err(":1:"));
    check(&written("").replace("]}", "], \"all\": true}"), Err(":1:"));
    check(&written(&one).replace("person", "nobody"), Err(":1:"));
    check(&written(&entry(&a.to_uppercase(), "")), Err(": grant 1: a SHA-256 is 64 lower-case"));
    check(&written(&entry(&a[1..], "")), Err(": grant 1: a SHA-256 is 64 lower-case"));
    check(&written(&[one.clone(), one].join(",")), Err(": grant 2: "));
}

#[test]
fn a_store_that_is_too_long_is_not_read_to_its_end() {
    let (_home, store) = home();
    put(&store, &written(""));
    let file = fs::OpenOptions::new().write(true).open(store.file()).unwrap();
    file.set_len((16 << 20) + 1).unwrap();
    let error = store.read().unwrap_err().to_string();
    assert!(error.contains("is longer than 16777216 bytes"), "{error}");
    file.set_len(1 << 20).unwrap();
    let error = store.read().unwrap_err().to_string();
    assert!(!error.contains("is longer"), "{error}");
}

#[test]
fn nothing_is_trusted_before_somebody_grants_it_and_nothing_is_written() {
    let (home, store) = home();
    assert_eq!(store.read().unwrap(), Grants::default());
    assert_eq!(fs::read_dir(home.path()).unwrap().count(), 0);
    assert!(store.change(|grants| grants.remove(&sha256(1))).unwrap().is_none());
    assert!(!store.file().exists());
    assert!(store.change(|grants| grants.add(grant(1, "a", "1", How::Person))).unwrap());
    assert!(store.read().unwrap().of(&sha256(1)).is_some());
    assert!(store.read().unwrap().of(&sha256(2)).is_none());
}

#[test]
fn a_damaged_store_is_changed_by_nobody_but_who_empties_it() {
    let (_home, store) = home();
    put(&store, "{");
    assert!(store.change(|grants| grants.add(grant(1, "a", "1", How::Person))).is_err());
    assert_eq!(fs::read_to_string(store.file()).unwrap(), "{");
    assert_eq!(store.clear().unwrap(), None);
    assert_eq!(store.read().unwrap(), Grants::default());
    assert_eq!(store.clear().unwrap(), Some(0));
    // What another host wrote is not ours to empty.
    put(&store, &written("").replace(": 1", ": 2"));
    assert!(matches!(store.clear(), Err(TrustError::Version { found: 2, .. })));
}

#[cfg(unix)]
#[test]
fn what_others_may_write_to_is_not_believed() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let check = |store: &Store, why: Option<&str>| {
        let read = store.read().map(|grants| grants.all().len());
        let changed = store.change(|grants| grants.all().len());
        for found in [read, changed] {
            match (found, why) {
                (Ok(count), None) => assert_eq!(count, 1),
                (Err(error), Some(why)) => {
                    let error = error.to_string();
                    assert!(error.contains(why), "{error:?}, not {why:?}");
                }
                (found, why) => panic!("{found:?}, not {why:?}"),
            }
        }
    };
    let (home, store) = home();
    store.change(|grants| grants.add(grant(1, "a", "1", How::Person))).unwrap();
    check(&store, None);
    let file = store.file();
    let folder = file.parent().unwrap().to_owned();
    let set = |path: &Path, mode| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    };
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&folder), mode(&file)), (0o700, 0o600));
    for (path, good, bad) in [(&folder, 0o755, 0o775), (&file, 0o644, 0o664), (&file, 0o600, 0o602)]
    {
        set(path, bad);
        check(&store, Some("may be written to by others; delete it"));
        set(path, good);
        check(&store, None);
    }
    // A link in the place of either is not followed.
    let elsewhere = home.path().join("elsewhere");
    fs::rename(&file, &elsewhere).unwrap();
    symlink(&elsewhere, &file).unwrap();
    check(&store, Some("grants.json is no regular file"));
    fs::remove_file(&file).unwrap();
    fs::rename(&elsewhere, &file).unwrap();
    check(&store, None);
    fs::rename(&folder, &elsewhere).unwrap();
    symlink(&elsewhere, &folder).unwrap();
    check(&store, Some("trust is no folder"));
}

#[test]
fn builds_take_nothing_over_and_do_not_pile_up() {
    let mut grants = Grants::default();
    assert!(grants.add(grant(1, "a", "1", How::Build)));
    assert!(!grants.add(grant(1, "a", "2", How::Person)));
    assert!(!grants.add(grant(1, "b", "3", How::Build)));
    let kept = grants.of(&sha256(1)).unwrap();
    assert_eq!((kept.id.as_str(), kept.version.as_str(), kept.how), ("a", "2", How::Person));
    assert!(grants.add(grant(2, "other", "1", How::Build)));
    for number in 100..100 + BUILDS_KEPT + 3 {
        // Whatever is built again counts as new.
        assert_eq!(grants.add(grant(100, "a", "1", How::Build)), number == 100);
        assert_eq!(grants.add(grant(number, "a", "1", How::Build)), number != 100);
    }
    let builds = grants.all().iter().filter(|it| it.how == How::Build && it.id == "a");
    let numbers: Vec<String> = builds.map(|it| it.sha256.clone()).collect();
    let last = 100 + BUILDS_KEPT + 2;
    assert_eq!((numbers.len(), numbers.last()), (BUILDS_KEPT, Some(&sha256(last))));
    assert!(numbers.contains(&sha256(100)) && !numbers.contains(&sha256(101)));
    assert!(grants.of(&sha256(1)).is_some() && grants.of(&sha256(2)).is_some());
}

#[test]
fn a_grant_is_found_by_the_name_it_was_given_under() {
    let mut grants = Grants::default();
    grants.add(grant(1, "a", "1", How::Person));
    grants.add(grant(2, "a", "1.5", How::Build));
    grants.add(grant(3, "a-b", "", How::Build));
    grants.add(grant(4, "", "", How::Person));
    let check = |name: &str, expected: &[usize]| {
        let found: Vec<&str> = grants.called(name).map(|grant| grant.sha256.as_str()).collect();
        let expected: Vec<String> = expected.iter().map(|number| sha256(*number)).collect();
        assert_eq!(found, expected, "{name}");
    };
    check("a", &[1, 2]);
    check("a-1", &[1]);
    check("a-1.5", &[2]);
    check("a-b", &[3]);
    check("a-", &[]);
    check("a1", &[]);
    check("", &[]);
    check("-", &[]);
}
