//! The header's memory rules under sanitizers: `tests/c/drive` is a host, built together with an
//! engine's C file by the system's compiler.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use sandboard_abi::{Barred, Limits};
use sandboard_builder::c;
use sandboard_builder::rust::NativeProfile;
use sandboard_engine::{Caps, EngineSource, NullListener, Resources};
use sandboard_engine_native::{CallMode, NativeModule};
use sandboard_engine_wasm::Metering;
use sandboard_tests::{gomoku, root, wasm};

use super::minimal::{minimal, whole_game};
use super::{faulty, folder};
use crate::engines::lenient_limits;

/// Whether leaks are detected: only on Linux, since the sanitizer aborts elsewhere.
const LEAKS: bool = cfg!(target_os = "linux");

/// Builds an engine into the driver and runs it with each set of engine options; the first line of
/// a sanitizer's report, or nothing.
fn drive(engine: &Path, defines: &[&str], runs: &[&[&str]]) -> String {
    let scratch = tempfile::tempdir().unwrap();
    let program = scratch.path().join("drive");
    let built = Command::new("cc")
        .args(["-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-g", "-O1", "-pthread"])
        .args(["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-I"])
        .arg(root().join("abi/include"))
        .args(defines)
        .args([engine.join("engine.c"), folder("drive/drive.c")])
        .arg("-o")
        .arg(&program)
        .output()
        .unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    for options in runs {
        let ended = Command::new(&program)
            .args(*options)
            .env("ASAN_OPTIONS", format!("detect_leaks={}", u8::from(LEAKS)))
            .output()
            .unwrap();
        if !ended.status.success() {
            let words = String::from_utf8_lossy(&ended.stderr).into_owned();
            let report_line =
                words.lines().find(|line| line.contains("ERROR") || line.contains("broke"));
            return report_line.unwrap_or(&words).to_owned();
        }
    }
    String::new()
}

#[test]
fn engines_keep_the_memory_rules() {
    assert_eq!(drive(&root().join("sample-engines/c-minimal"), &[], &[&[]]), "");
    let words = [
        "fault=none",
        "fault=echo",
        "fault=query-host",
        "fault=heap",
        "fault=strings",
        "fault=long-log",
        "fault=error",
        "fault=error-in-think",
        "fault=crash",
        "fault=crash-in-played",
        "fault=crash-in-start",
        "fault=refuse-start",
        "fault=refuse-start-as-null",
    ];
    let runs: Vec<&[&str]> = words.iter().map(std::slice::from_ref).collect();
    assert_eq!(drive(&folder("faulty"), &[], &runs), "");
}

#[test]
fn each_violated_memory_rule_is_detected() {
    let check = |broken: u32, expected: &str| {
        let found = drive(&folder("broken"), &[&format!("-DBROKEN={broken}")], &[&[]]);
        assert!(found.contains(expected), "{broken}: {found:?}, not {expected:?}");
        assert_eq!(found.is_empty(), expected.is_empty(), "{broken}: {found:?}");
    };
    check(0, "");
    check(1, "heap-use-after-free");
    check(2, if LEAKS { "detected memory leaks" } else { "" });
    check(3, "heap-buffer-overflow");
    check(4, "heap-use-after-free");
    check(5, "heap-use-after-free");
}

/// Compiles an engine's file with strict warnings under a language standard.
fn compile_as(compiler: &str, standard: &[&str], out: &Path) {
    let built = Command::new(compiler)
        .args(["-Wall", "-Wextra", "-pedantic", "-Werror", "-O1", "-fPIC", "-shared", "-I"])
        .arg(root().join("abi/include"))
        .args(standard)
        .arg(root().join("sample-engines/c-minimal/engine.c"))
        .arg("-o")
        .arg(out)
        .output()
        .unwrap();
    assert!(built.status.success(), "{compiler}: {}", String::from_utf8_lossy(&built.stderr));
}

#[test]
fn the_same_file_compiles_as_c99_cpp11_and_in_debug_mode() {
    let scratch = tempfile::tempdir().unwrap();
    let scratch = scratch.path();
    let (c99, cpp11) = (scratch.join("c99"), scratch.join("cpp11"));
    compile_as("cc", &["-std=c99"], &c99);
    compile_as("c++", &["-x", "c++", "-std=c++11"], &cpp11);
    let source = root().join("sample-engines/c-minimal");
    let debug = c::build_library(&source, scratch, NativeProfile::Debug).unwrap();
    let [_, (_, default)] = minimal();
    let game = whole_game(&*default, "freestyle-7", 9);
    for library in [c99, cpp11, debug] {
        let resources = Resources::default();
        let module =
            NativeModule::load(&library, CallMode::Inline, Caps::default(), resources).unwrap();
        let module: &dyn EngineSource = &module;
        assert_eq!(whole_game(module, "freestyle-7", 9), game, "{}", library.display());
    }
}

/// The memory of a component, in bytes, after this number of rounds of a game.
fn memory_after(source: &dyn EngineSource, options: &[(&str, &str)], rounds: u32) -> u64 {
    let mut engine = source.open(Arc::new(NullListener), 1).unwrap();
    engine.start(&gomoku(options)).unwrap();
    let barred = Barred { r#move: "a1".into(), reason: "not now".into() };
    let limits = Limits { others_left: vec![(1, 5)], ..lenient_limits() };
    let mut held = 0;
    for _ in 0..rounds {
        engine.played("h8").unwrap();
        engine.taken_back(1).unwrap();
        let answer = engine.choose(&limits, std::slice::from_ref(&barred)).unwrap();
        held = answer.spent.peak_memory_bytes.unwrap();
    }
    held
}

#[test]
fn a_component_frees_all_memory_of_a_call() {
    let minimal = wasm("c-minimal", Metering::Deadline, Caps::default()).unwrap();
    let faulty = &faulty().wasm;
    // The smallest block is 32 bytes, a page of memory 65536: a leak of one block in
    // a round shows after 2049 rounds, one of large texts and copies earlier.
    let check_options = |source: &dyn EngineSource, options: &[(&str, &str)], rounds| {
        let (few, many) = (memory_after(source, options, 3), memory_after(source, options, rounds));
        assert_eq!(few, many, "{options:?}");
    };
    check_options(&minimal, &[], 2500);
    let check = |source, word, rounds| check_options(source, &[("fault", word)], rounds);
    check(faulty, "none", 2500);
    check(faulty, "query-host", 2500);
    check(faulty, "echo", 2500);
    check(faulty, "no-utf8", 2500);
    check(faulty, "heap", 100);
    check(faulty, "pieces", 100);
    check(faulty, "long-log", 100);
}
