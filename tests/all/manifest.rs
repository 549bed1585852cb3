//! Valid and invalid manifests, where each invalid one differs from a valid one in one place: the
//! faults that the parser reports, and the verdict of the shipped XML schema.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use sandboard_games::Games;
use sandboard_packs::manifest::{FILE_NAME, PackFault, parse};
use sandboard_tests::root;
use serde_json::Value;

fn folder() -> PathBuf {
    root().join("tests/fixtures/manifest")
}

fn cases() -> Vec<Value> {
    let text = fs::read_to_string(folder().join("cases.json")).unwrap();
    let index: Value = serde_json::from_str(&text).expect("the index is JSON");
    index["cases"].as_array().expect("cases are a list").clone()
}

/// A text field of a case, if it has one.
fn text<'a>(case: &'a Value, field: &str) -> Option<&'a str> {
    case[field].as_str()
}

fn file(case: &Value) -> &str {
    text(case, "file").expect("a case names its file")
}

/// The parser's faults without the file name.
fn faults(bytes: &[u8]) -> Vec<String> {
    let manifest = parse(Path::new(FILE_NAME), bytes, &Games::default());
    let faults = manifest.all_faults().iter().map(PackFault::to_string).collect::<Vec<_>>();
    let prefix = format!("{FILE_NAME}:");
    faults.iter().map(|fault| fault.replacen(&prefix, "", 1).trim_start().to_owned()).collect()
}

#[test]
fn every_file_is_a_case_that_differs_in_one_place() {
    let good = fs::read_to_string(folder().join("good/full.xml")).unwrap();
    let mut named = BTreeSet::new();
    for case in cases() {
        let path = file(&case);
        assert!(named.insert(path.to_owned()), "cases.json has {path} twice");
        assert_eq!(path.starts_with("good/"), case["faults"].is_null(), "{path}");
        assert_eq!(case["faults"].is_null(), case["xsd"].is_null(), "{path}");
        if let (Some(was), Some(is)) = (text(&case, "was"), text(&case, "is")) {
            let expected = good.replacen(was, is, 1);
            assert!(fs::read_to_string(folder().join(path)).unwrap() == expected, "{path}");
        }
    }
    for kind in ["good", "bad"] {
        for entry in fs::read_dir(folder().join(kind)).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            assert!(named.contains(&format!("{kind}/{name}")), "cases.json has no {kind}/{name}");
        }
    }
}

#[test]
fn the_parser_reports_the_expected_faults() {
    for case in cases() {
        let path = file(&case);
        let expected: Vec<&str> =
            case["faults"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        assert_eq!(faults(&fs::read(folder().join(path)).unwrap()), expected, "{path}");
    }
}

/// Whether each file is valid, by xmllint and the shipped schema.
fn validated(files: &[&str]) -> Vec<bool> {
    let schema = root().join("docs/EngineConfigs.xsd");
    let one = |file: &&str| {
        let mut xmllint = Command::new("xmllint");
        xmllint.args(["--nonet", "--noout", "--schema"]).arg(&schema).arg(folder().join(file));
        let ended = xmllint.output().expect("xmllint runs: Debian's libxml2-utils has it");
        let errors = String::from_utf8_lossy(&ended.stderr);
        match ended.status.code() {
            Some(0) => true,
            // 1: not well-formed, 3: not valid.
            Some(1 | 3) => false,
            other => panic!("xmllint ended with {other:?} for {file}: {errors}"),
        }
    };
    files.iter().map(one).collect()
}

#[test]
fn the_schema_accepts_all_that_the_parser_accepts() {
    let cases = cases();
    let files: Vec<&str> = cases.iter().map(file).collect();
    for (case, valid) in cases.iter().zip(validated(&files)) {
        let expected = match text(case, "xsd") {
            None => true,
            Some("refuses") => false,
            Some(reason) if reason.starts_with("cannot: needs ") => true,
            Some(other) => panic!("{}: unknown `xsd`: {other:?}", file(case)),
        };
        assert_eq!(valid, expected, "{}: the verdict of the schema", file(case));
    }
}
