//! The museum: engines and records of earlier versions. Every later version must replay them bit
//! for bit. `tests/museum/README.md` says what they are.

use std::path::PathBuf;
use std::process::Command;

#[cfg(not(target_arch = "aarch64"))]
use sandboard_builder::emulator;
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

/// For which processor V8 makes machine code.
#[derive(Clone, Copy)]
enum Processor {
    Own,
    /// 64-bit ARM, in an emulator.
    #[cfg(not(target_arch = "aarch64"))]
    Aarch64,
}

/// Node.js for this processor.
fn node(processor: Processor) -> Command {
    let folder = root().join("target/node");
    let command = match processor {
        Processor::Own => Node::find(&folder, InstallPolicy::Never).map(|node| node.node()),
        #[cfg(not(target_arch = "aarch64"))]
        Processor::Aarch64 => Node::for_aarch64(&folder, InstallPolicy::Never)
            .and_then(|program| emulator::aarch64(&program)),
    };
    command.unwrap_or_else(|error| panic!("{error}; `cargo xtask test` finds or fetches one"))
}

/// Replays records of the museum under V8, in Node.js, with the program of the page that verifies
/// bundles.
fn verify_under_v8(records: &[PathBuf], processor: Processor) -> Vec<Value> {
    let verifier = root().join("target/verifier");
    let program = verifier.join("verifier.wasm");
    assert!(program.is_file(), "the verifier is missing: run `cargo xtask web`");
    let output = node(processor)
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
    for line in verify_under_v8(&records, Processor::Own) {
        assert_eq!(line["verdict"], "verified", "{line:#}");
    }
    let record = museum("records/counted-by-runtime/faulty-error.json");
    let lines = verify_under_v8(&[record], Processor::Own);
    assert_eq!(lines[0]["verdict"], "unverifiable");
    let expected = "a browser runs only modules that count their fuel themselves";
    assert!(lines[0]["messages"].to_string().contains(expected), "{lines:#?}");
}

/// A record of the museum, as it is and with one wrong hash.
fn true_and_changed(folder: &str) -> [Value; 2] {
    let path = museum(&format!("records/{folder}/c-minimal-zig-simple.json"));
    let text = std::fs::read_to_string(path).unwrap();
    let record: Value = serde_json::from_str(&text).unwrap();
    let mut changed = record.clone();
    changed["plies"][1]["spent"]["transcript_hash"] = json!("00".repeat(16));
    [record, changed]
}

#[cfg(not(target_arch = "aarch64"))]
#[test]
fn another_processor_replays_what_modules_counted() {
    let is_slow = |path: &PathBuf| path.to_string_lossy().contains("faulty-loop");
    let records = std::fs::read_dir(museum("records/counted-by-modules")).unwrap();
    let mut records: Vec<PathBuf> = records.map(|record| record.unwrap().path()).collect();
    // The emulator takes minutes for endless loops, which end when their fuel is used up.
    if std::env::var_os("SLOW").is_none() {
        records.retain(|path| !is_slow(path));
    }
    let home = TestHome::new();
    let changed = home.file("changed.json");
    std::fs::write(&changed, true_and_changed("counted-by-modules")[1].to_string()).unwrap();
    records.push(changed);
    let mut lines = verify_under_v8(&records, Processor::Aarch64);
    assert_eq!(lines.pop().unwrap()["verdict"], "differs");
    assert!(!lines.is_empty());
    for line in lines {
        assert_eq!(line["verdict"], "verified", "{line:#}");
    }
}

#[test]
fn a_changed_record_is_found() {
    let home = TestHome::new();
    let file = home.file("record.json");
    for folder in ["counted-by-runtime", "counted-by-modules"] {
        for (record, expected) in true_and_changed(folder).into_iter().zip([0, 1]) {
            std::fs::write(&file, record.to_string()).unwrap();
            let (lines, code) = verify(&file.to_string_lossy(), &[]);
            assert_eq!(code, Some(expected), "{lines:#?}");
        }
    }
    // It is the changed one.
    let lines = verify_under_v8(std::slice::from_ref(&file), Processor::Own);
    assert_eq!(lines[0]["verdict"], "differs");
}
