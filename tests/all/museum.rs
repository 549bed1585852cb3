//! The museum: engines and records of earlier versions. Every later version must replay them bit
//! for bit. `tests/museum/README.md` says what they are.

use std::path::PathBuf;

use sandboard_builder::node::Node;
use sandboard_builder::toolchain::InstallPolicy;
use sandboard_tests::root;
use serde_json::{Value, json};

use crate::cli::{CommandOutput, TestHome};

fn museum(name: &str) -> PathBuf {
    root().join("tests/museum").join(name)
}

/// Verifies records with the engines of the museum; the JSON lines and the exit code.
fn verify(records: &str, more: &[&str]) -> (Vec<Value>, Option<i32>) {
    let home = TestHome::new();
    let engines = museum("engines").to_string_lossy().into_owned();
    let arguments = ["verify", records, "--engines-dir", &engines, "--strict", "--json"];
    let CommandOutput { code, out, err } = home.run(&[&arguments, more].concat(), "");
    let lines = out.lines().map(serde_json::from_str);
    (lines.collect::<Result<_, _>>().unwrap_or_else(|error| panic!("{error}\n{out}\n{err}")), code)
}

#[test]
fn frozen_records_are_replayed_bit_for_bit() {
    for folder in std::fs::read_dir(museum("records")).unwrap() {
        let folder = folder.unwrap().path();
        let files = std::fs::read_dir(&folder).unwrap().count();
        assert!(files > 0);
        let (lines, code) = verify(&folder.to_string_lossy(), &[]);
        assert_eq!(code, Some(0), "{lines:#?}");
        assert_eq!(lines.len(), files);
    }
}

#[test]
fn an_interpreter_replays_what_modules_counted() {
    for record in std::fs::read_dir(museum("records/counted-by-modules")).unwrap() {
        let path = record.unwrap().path();
        // An interpreter takes minutes for the five thousand million units of this loop.
        if path.ends_with("faulty-loop-in-start.json") && std::env::var_os("SLOW").is_none() {
            continue;
        }
        let (lines, code) = verify(&path.to_string_lossy(), &["--runtime", "wasmi"]);
        assert_eq!(code, Some(0), "{lines:#?}");
    }
    // What another runtime counted it cannot count.
    let path = museum("records/counted-by-runtime/faulty-error.json");
    let (lines, code) = verify(&path.to_string_lossy(), &["--runtime", "wasmi"]);
    assert_eq!(code, Some(2), "{lines:#?}");
    let expected = "wasmi runs only modules that count their fuel themselves";
    assert!(lines[0]["messages"].to_string().contains(expected), "{lines:#?}");
}

/// Replays records of the museum under V8, in Node.js, with the program of the page that verifies
/// bundles.
fn verify_under_v8(records: &[PathBuf]) -> Vec<Value> {
    let verifier = root().join("target/verifier");
    let program = verifier.join("verifier.wasm");
    assert!(program.is_file(), "the verifier is missing: run `cargo xtask web`");
    let node = Node::find(&root().join("target/node"), InstallPolicy::Never)
        .unwrap_or_else(|error| panic!("{error}; `cargo xtask web` finds or fetches one"));
    let output = node
        .node()
        // A little less than the system gives the main thread; a browser has about 1,000.
        .arg("--stack-size=7000")
        .arg(root().join("tests/v8/replay_records.mjs"))
        .args([verifier, museum("engines")])
        .args(records)
        .output()
        .unwrap();
    let [out, err] = [output.stdout, output.stderr].map(|it| String::from_utf8(it).unwrap());
    let lines = out.lines().map(serde_json::from_str);
    let lines: Vec<Value> =
        lines.collect::<Result<_, _>>().unwrap_or_else(|error| panic!("{error}\n{out}\n{err}"));
    assert_eq!(lines.len(), records.len(), "{out}\n{err}");
    lines
}

#[test]
fn v8_replays_what_modules_counted() {
    let records = std::fs::read_dir(museum("records/counted-by-modules")).unwrap();
    let records: Vec<PathBuf> = records.map(|record| record.unwrap().path()).collect();
    for line in verify_under_v8(&records) {
        assert_eq!(line["verdict"], "verified", "{line:#}");
    }
    let lines = verify_under_v8(&[museum("records/counted-by-runtime/faulty-error.json")]);
    assert_eq!(lines[0]["verdict"], "unverifiable");
    let expected = "a browser runs only modules that count their fuel themselves";
    assert!(lines[0]["messages"].to_string().contains(expected), "{lines:#?}");
}

#[test]
fn a_changed_record_is_found() {
    let home = TestHome::new();
    let changed = home.file("changed.json");
    let check = |record: &Value, expected: i32| {
        std::fs::write(&changed, record.to_string()).unwrap();
        let (lines, code) = verify(&changed.to_string_lossy(), &[]);
        assert_eq!(code, Some(expected), "{lines:#?}");
    };
    for folder in ["counted-by-runtime", "counted-by-modules"] {
        let path = museum(&format!("records/{folder}/c-minimal-zig-simple.json"));
        let text = std::fs::read_to_string(path).unwrap();
        let mut record: Value = serde_json::from_str(&text).unwrap();
        check(&record, 0);
        record["plies"][1]["spent"]["transcript_hash"] = json!("00".repeat(16));
        check(&record, 1);
        if folder == "counted-by-modules" {
            assert_eq!(verify_under_v8(std::slice::from_ref(&changed))[0]["verdict"], "differs");
        }
    }
}
