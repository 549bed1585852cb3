//! Tests of the store: files are replaced whole, failures leave nothing behind, and every system
//! has a data folder.

use super::*;

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<_> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_file_is_replaced_whole_and_nothing_is_left_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.json");
    write_atomically(&path, b"one").unwrap();
    write_atomically(&path, b"two").unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), b"two");
    assert_eq!(names(folder.path()), ["a.json"]);
}

#[test]
fn a_failed_write_names_the_path_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("missing/a.json");
    let error = write_atomically(&missing, b"x").unwrap_err().to_string();
    assert!(error.contains("missing"), "{error}");
    let error = write_atomically(folder.path(), b"x").unwrap_err().to_string();
    assert!(error.ends_with("is not a regular file"), "{error}");
    assert!(names(folder.path()).is_empty());
}

#[cfg(unix)]
#[test]
fn a_link_stays_a_link_and_a_device_a_device() {
    let folder = tempfile::tempdir().unwrap();
    let (target, link) = (folder.path().join("target"), folder.path().join("link"));
    std::fs::write(&target, b"old").unwrap();
    std::os::unix::fs::symlink(&target, &link).unwrap();
    write_atomically(&link, b"new").unwrap();
    assert!(link.is_symlink());
    assert_eq!(std::fs::read(&target).unwrap(), b"new");
    assert!(write_atomically(Path::new("/dev/null"), b"x").is_err());
}

#[test]
fn new_files_never_replace_others() {
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("a/b");
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..8 {
                    write_new(&inner, "bout", b"whole").unwrap();
                }
            });
        }
    });
    assert_eq!(names(&inner).len(), 32);
    for name in names(&inner) {
        assert_eq!(std::fs::read(inner.join(name)).unwrap(), b"whole");
    }
}

#[test]
fn every_system_has_a_data_folder() {
    let check = |os: &str, variables: &[(&str, &str)], expected: Option<&str>| {
        let variable = |name: &str| {
            variables.iter().find(|(n, _)| *n == name).map(|(_, value)| OsString::from(value))
        };
        let found = data_folder_on(os, variable);
        assert_eq!(found.as_deref(), expected.map(Path::new), "{os} {variables:?}");
    };
    let home = ("HOME", "/home/u");
    check("linux", &[home], Some("/home/u/.local/share/sandboard"));
    check("linux", &[home, ("XDG_DATA_HOME", "/data")], Some("/data/sandboard"));
    check("linux", &[home, ("XDG_DATA_HOME", "data")], Some("/home/u/.local/share/sandboard"));
    check("linux", &[home, ("XDG_DATA_HOME", "")], Some("/home/u/.local/share/sandboard"));
    check("linux", &[home, ("SANDBOARD_HOME", "/s")], Some("/s"));
    check("linux", &[], None);
    check("macos", &[home], Some("/home/u/Library/Application Support/sandboard"));
    check("windows", &[("LOCALAPPDATA", "C:/l")], Some("C:/l/Sandboard"));
    check("windows", &[home], None);
}
