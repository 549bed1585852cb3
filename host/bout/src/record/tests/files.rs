//! Record files: an unreadable file, a file that is no record and a file that is too large are
//! reported with the file's name.

use super::*;

#[test]
fn errors_of_record_files_name_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.json");
    let error = load(&path, &games()).unwrap_err().to_string();
    assert!(error.starts_with("cannot read ") && error.contains("a.json"), "{error}");
    std::fs::write(&path, "{\n  \"format\": 7\n}").unwrap();
    let error = load(&path, &games()).unwrap_err().to_string();
    assert!(error.contains("a.json: line 2, column 13: invalid type"), "{error}");
    std::fs::write(&path, eventful().to_json()).unwrap();
    assert_eq!(load(&path, &games()).unwrap(), eventful());
    let large = std::fs::File::create(&path).unwrap();
    large.set_len(RECORD_BYTES + 1).unwrap();
    let error = load(&path, &games()).unwrap_err().to_string();
    assert!(error.contains("the record has more than"), "{error}");
}
