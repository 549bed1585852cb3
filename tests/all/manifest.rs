//! Good and bad manifests, each bad one beside a good one that differs by one
//! thing: what the parser says of them and what the shipped schema says.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use sandboard_host::manifest::{FILE_NAME, PackFault, parse};
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

/// A field of a case that is a text, or nothing.
fn text<'a>(case: &'a Value, field: &str) -> Option<&'a str> {
    case[field].as_str()
}

fn file(case: &Value) -> &str {
    text(case, "file").expect("a case names its file")
}

/// What the parser says, without the name of the file.
fn faults(bytes: &[u8]) -> Vec<String> {
    let manifest = parse(Path::new(FILE_NAME), bytes);
    let told = manifest.all_faults().iter().map(PackFault::to_string).collect::<Vec<_>>();
    let prefix = format!("{FILE_NAME}:");
    told.iter().map(|fault| fault.replacen(&prefix, "", 1).trim_start().to_owned()).collect()
}

#[test]
fn every_file_is_a_case_and_differs_by_one_thing() {
    let good = fs::read_to_string(folder().join("good/full.xml")).unwrap();
    let mut named = BTreeSet::new();
    for case in cases() {
        let path = file(&case);
        assert!(named.insert(path.to_owned()), "{path} is there twice");
        assert_eq!(path.starts_with("good/"), case["faults"].is_null(), "{path}");
        assert_eq!(case["faults"].is_null(), case["xsd"].is_null(), "{path}");
        if let (Some(was), Some(is)) = (text(&case, "was"), text(&case, "is")) {
            let wanted = good.replacen(was, is, 1);
            assert!(fs::read_to_string(folder().join(path)).unwrap() == wanted, "{path}");
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
fn the_parser_says_of_each_what_is_written() {
    for case in cases() {
        let path = file(&case);
        let wanted: Vec<&str> =
            case["faults"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        assert_eq!(faults(&fs::read(folder().join(path)).unwrap()), wanted, "{path}");
    }
}

/// Whether each of these files is valid, by xmllint and the shipped schema.
fn validated(files: &[&str]) -> Vec<bool> {
    let schema = root().join("docs/EngineConfigs.xsd");
    let one = |file: &&str| {
        let mut xmllint = Command::new("xmllint");
        xmllint.args(["--nonet", "--noout", "--schema"]).arg(&schema).arg(folder().join(file));
        let ended = xmllint.output().expect("xmllint runs: Debian's libxml2-utils has it");
        let told = String::from_utf8_lossy(&ended.stderr);
        match ended.status.code() {
            Some(0) => true,
            // Not well-formed; not valid.
            Some(1 | 3) => false,
            other => panic!("xmllint ended with {other:?} for {file}: {told}"),
        }
    };
    files.iter().map(one).collect()
}

#[test]
fn the_schema_refuses_nothing_that_the_parser_takes_and_all_that_a_schema_can() {
    let cases = cases();
    let files: Vec<&str> = cases.iter().map(file).collect();
    for (case, valid) in cases.iter().zip(validated(&files)) {
        let wanted = match text(case, "xsd") {
            None => true,
            Some("refuses") => false,
            Some(reason) if reason.starts_with("cannot: needs ") => true,
            Some(other) => panic!("{}: what is {other:?}?", file(case)),
        };
        assert_eq!(valid, wanted, "whether the schema takes {}", file(case));
    }
}
