//! Reading a store in every state, and the limit of stored builds.

use std::fs;
use std::path::Path;

use super::*;

/// An arbitrary hash.
fn sha256(number: usize) -> String {
    format!("{number:064x}")
}

fn grant(number: usize, id: &str, version: &str, source: GrantSource) -> Grant {
    Grant::new(&sha256(number), id, version, source)
}

/// A data folder, and the file of its store.
fn home() -> (tempfile::TempDir, TrustStore) {
    let home = tempfile::tempdir().unwrap();
    let store = TrustStore::in_data_folder(home.path());
    (home, store)
}

fn put(store: &TrustStore, text: &str) {
    let folder = store.file().parent().unwrap().to_owned();
    sandboard_common::private_files::open_folder(&folder).unwrap();
    fs::write(store.file(), text).unwrap();
}

fn written(grants: &str) -> String {
    format!("{{\"version\": 1, \"grants\": [{grants}]}}")
}

fn entry(sha256: &str, more: &str) -> String {
    format!(
        "{{\"sha256\": \"{sha256}\", \"id\": \"a\", \"version\": \"1\", \
         \"granted_at\": \"2026-07-01T12:34:56Z\", \"source\": \"user\"{more}}}"
    )
}

#[test]
fn a_store_is_read_completely_or_rejected() {
    let check = |text: &str, expected: Result<usize, &str>| {
        let (_home, store) = home();
        put(&store, text);
        match (store.read(), expected) {
            (Ok(grants), Ok(count)) => assert_eq!(grants.as_slice().len(), count, "{text}"),
            (Err(error), Err(why)) => {
                let (error, file) = (error.to_string(), store.file().display().to_string());
                let after = error.strip_prefix(&file);
                let after = after.unwrap_or_else(|| panic!("{error} names no file"));
                assert!(after.starts_with(why), "{text}: {after:?}, not {why:?}");
                let advice = ["sandboard untrust --all", "use the `sandboard` "];
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
    check(&written(&one).replace("user", "build"), Ok(1));
    check("", Err(":1:0: is not a list of grants: EOF"));
    check("{}", Err(":1:2: is not a list of grants: missing field `version`"));
    check("{\"version\": 1}", Err(":1:14: is not a list of grants: missing field `grants`"));
    check(&written(&one)[..80], Err(":1:80: is not a list of grants: EOF"));
    check(&format!("{} x", written(&one)), Err(":1:"));
    check(&written("").replace(": 1", ": 2"), Err(": the grants have version 2"));
    check(&written(&entry(&a, ", \"more\": 1")), Err(":1:"));
    check(&written("").replace("]}", "], \"all\": true}"), Err(":1:"));
    check(&written(&one).replace("user", "unknown"), Err(":1:"));
    check(&written(&entry(&a.to_uppercase(), "")), Err(": grant 1: a SHA-256 is 64 lower-case"));
    check(&written(&entry(&a[1..], "")), Err(": grant 1: a SHA-256 is 64 lower-case"));
    check(&written(&[one.clone(), one].join(",")), Err(": grant 2: "));
}

#[test]
fn a_store_that_is_too_large_is_rejected() {
    let (_home, store) = home();
    put(&store, &written(""));
    let file = fs::OpenOptions::new().write(true).open(store.file()).unwrap();
    file.set_len((16 << 20) + 1).unwrap();
    let error = store.read().unwrap_err().to_string();
    assert!(error.contains("is larger than 16777216 bytes"), "{error}");
    file.set_len(1 << 20).unwrap();
    let error = store.read().unwrap_err().to_string();
    assert!(!error.contains("is larger"), "{error}");
}

#[test]
fn reading_a_missing_store_writes_nothing() {
    let (home, store) = home();
    assert_eq!(store.read().unwrap(), Grants::default());
    assert_eq!(fs::read_dir(home.path()).unwrap().count(), 0);
    assert!(store.change(|grants| grants.remove(&sha256(1))).unwrap().is_none());
    assert!(!store.file().exists());
    assert!(store.change(|grants| grants.add(grant(1, "a", "1", GrantSource::User))).unwrap());
    assert!(store.read().unwrap().get(&sha256(1)).is_some());
    assert!(store.read().unwrap().get(&sha256(2)).is_none());
}

#[test]
fn a_damaged_store_can_only_be_cleared() {
    let (_home, store) = home();
    put(&store, "{");
    assert!(store.change(|grants| grants.add(grant(1, "a", "1", GrantSource::User))).is_err());
    assert_eq!(fs::read_to_string(store.file()).unwrap(), "{");
    assert_eq!(store.clear().unwrap(), None);
    assert_eq!(store.read().unwrap(), Grants::default());
    assert_eq!(store.clear().unwrap(), Some(0));
    // A file of another version is not cleared.
    put(&store, &written("").replace(": 1", ": 2"));
    assert!(matches!(store.clear(), Err(TrustError::Version { found: 2, .. })));
}

#[cfg(unix)]
#[test]
fn a_store_that_others_may_write_to_is_rejected() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let check = |store: &TrustStore, why: Option<&str>| {
        let read = store.read().map(|grants| grants.as_slice().len());
        let changed = store.change(|grants| grants.as_slice().len());
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
    store.change(|grants| grants.add(grant(1, "a", "1", GrantSource::User))).unwrap();
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
        check(&store, Some("can be written to by others; delete it"));
        set(path, good);
        check(&store, None);
    }
    // A link instead of the file or the folder is not followed.
    let elsewhere = home.path().join("elsewhere");
    fs::rename(&file, &elsewhere).unwrap();
    symlink(&elsewhere, &file).unwrap();
    check(&store, Some("grants.json is not a regular file"));
    fs::remove_file(&file).unwrap();
    fs::rename(&elsewhere, &file).unwrap();
    check(&store, None);
    fs::rename(&folder, &elsewhere).unwrap();
    symlink(&elsewhere, &folder).unwrap();
    check(&store, Some("trust is not a folder"));
}

#[test]
fn builds_keep_user_grants_and_are_limited() {
    let mut grants = Grants::default();
    assert!(grants.add(grant(1, "a", "1", GrantSource::Build)));
    assert!(!grants.add(grant(1, "a", "2", GrantSource::User)));
    assert!(!grants.add(grant(1, "b", "3", GrantSource::Build)));
    let kept = grants.get(&sha256(1)).unwrap();
    assert_eq!(
        (kept.id.as_str(), kept.version.as_str(), kept.source),
        ("a", "2", GrantSource::User)
    );
    assert!(grants.add(grant(2, "other", "1", GrantSource::Build)));
    for number in 100..100 + BUILDS_KEPT + 3 {
        // A repeated build counts as the latest.
        assert_eq!(grants.add(grant(100, "a", "1", GrantSource::Build)), number == 100);
        assert_eq!(grants.add(grant(number, "a", "1", GrantSource::Build)), number != 100);
    }
    let builds =
        grants.as_slice().iter().filter(|it| it.source == GrantSource::Build && it.id == "a");
    let numbers: Vec<String> = builds.map(|it| it.sha256.clone()).collect();
    let last = 100 + BUILDS_KEPT + 2;
    assert_eq!((numbers.len(), numbers.last()), (BUILDS_KEPT, Some(&sha256(last))));
    assert!(numbers.contains(&sha256(100)) && !numbers.contains(&sha256(101)));
    assert!(grants.get(&sha256(1)).is_some() && grants.get(&sha256(2)).is_some());
}

#[test]
fn grants_are_found_by_name() {
    let mut grants = Grants::default();
    grants.add(grant(1, "a", "1", GrantSource::User));
    grants.add(grant(2, "a", "1.5", GrantSource::Build));
    grants.add(grant(3, "a-b", "", GrantSource::Build));
    grants.add(grant(4, "", "", GrantSource::User));
    let check = |name: &str, expected: &[usize]| {
        let found: Vec<&str> = grants.with_name(name).map(|grant| grant.sha256.as_str()).collect();
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
