//! Engines in every language: each sample engine, which is also its language's template, passes
//! every step of `sandboard check`, and new engines can be created and built without a clone of the
//! repository. Engines that need other tools are built by `cargo xtask engines --lang all`.
//! `java.rs` has more tests of Java engines, which are programs.

use std::sync::Arc;

use sandboard_abi::{Decision, Limits};
use sandboard_analysis::check::STEPS;
use sandboard_builder::LANGUAGES;
use sandboard_builder::component::{self, CoreModuleOptions, WIT};
use sandboard_engine::{Assets, Caps, EngineSource, Fault, NullListener};
use sandboard_engine_wasm::{Metering, WasmModule};
use sandboard_tests::{gomoku, in_language, runtime};

use crate::cli::TestHome;

/// A test home with the sample engine of a language in its engines folder.
fn home_with(id: &str) -> TestHome {
    let home = TestHome::without_engines();
    let folder = home.file("engines");
    std::fs::create_dir(&folder).unwrap();
    let name = format!("{id}-simple");
    let file = folder.join(format!("{name}-0.1.0.gomoku.wasm"));
    std::fs::copy(in_language(&name), file).unwrap();
    home
}

/// The engine passes every step except pondering, which no template supports; warnings of a busy
/// machine are allowed.
pub(crate) fn check_sound(home: &TestHome, id: &str) {
    let name = format!("{id}-simple");
    let arguments =
        ["check", &name, "--variant", "freestyle-5", "--engines-dir", "engines", "--json"];
    let object: serde_json::Value =
        serde_json::from_str(&home.succeed(&arguments, "")).expect("it is JSON");
    assert_eq!(object["failed"], 0, "{object}");
    let steps = object["steps"].as_array().expect("steps are a list");
    assert_eq!(steps.len(), STEPS.len());
    let skipped = steps.iter().filter(|step| step["outcome"] == "skipped");
    let skipped: Vec<_> = skipped.map(|step| step["name"].as_str().unwrap_or_default()).collect();
    assert_eq!(skipped, ["pondering"], "{object}");
    // It finds a winning move and reports all values of its line.
    let arguments = ["analyse", &name, "--variant", "freestyle-9", "--engines-dir", "engines"];
    let moves = r#"{"moves": ["a1", "a9", "b1", "b9", "c1", "c9", "d1", "d9"]}"#;
    let answer: serde_json::Value =
        serde_json::from_str(&home.succeed(&arguments, moves)).expect("it is JSON");
    let found = (&answer["move"], &answer["score"], &answer["bound"]);
    assert_eq!(found, (&"e1".into(), &29999.into(), &"exact".into()), "{answer}");
}

#[test]
fn an_engine_in_cpp_is_sound() {
    check_sound(&home_with("cpp"), "cpp");
}

#[test]
fn an_engine_in_zig_is_sound() {
    check_sound(&home_with("zig"), "zig");
}

#[test]
fn an_engine_in_assemblyscript_is_sound() {
    check_sound(&home_with("assemblyscript"), "assemblyscript");
}

#[test]
fn an_engine_in_go_is_sound() {
    check_sound(&home_with("go"), "go");
}

#[test]
fn an_engine_in_javascript_is_sound() {
    check_sound(&home_with("javascript"), "javascript");
}

#[test]
fn an_engine_in_python_is_sound() {
    check_sound(&home_with("python"), "python");
}

#[test]
fn new_engines_in_every_language_need_no_clone() {
    let home = TestHome::without_engines();
    for row in LANGUAGES {
        let name = format!("my-{}", row.id);
        let answer = home.succeed(&["new", &name, "--lang", row.id, "--game", "reversi"], "");
        assert!(answer.contains(&format!("next: sandboard check {name}")), "{answer}");
        let text = std::fs::read_to_string(home.file(&name).join(row.main_file)).unwrap();
        assert!(text.contains("reversi") && !text.contains("gomoku"), "{text}");
        let again = home.run(&["new", &name, "--lang", row.id], "");
        assert_eq!(again.code, Some(1), "{}", again.err);
        assert!(again.err.contains("already exists"), "{}", again.err);
    }
    for (arguments, expected) in [
        (["new", "mine", "--lang", "cobol"], "cobol"),
        (["new", "mine", "--game", "gomokuu"], "did you mean `gomoku`?"),
    ] {
        let ended = home.run(&arguments, "");
        assert_eq!(ended.code, Some(2), "{}", ended.err);
        assert!(ended.err.contains(expected), "{}", ended.err);
    }
}

#[test]
fn a_new_engine_is_built_under_its_name_for_its_game() {
    let home = TestHome::without_engines();
    std::fs::create_dir(home.file("engines")).unwrap();
    // C++ for both kinds; Rust natively with the SDK in the binary, which needs no wasm target.
    for (lang, kind, expected) in [
        ("cpp", "both", &["mine 0.1.0: wasm, sandboxed", "mine-native 0.1.0: native"][..]),
        ("rust", "native", &["ours-native 0.1.0: native"]),
    ] {
        let name = if lang == "cpp" { "mine" } else { "ours" };
        home.succeed(&["new", name, "--lang", lang, "--game", "reversi"], "");
        let build = ["build", name, "--kind", kind, "--engines-dir", "engines"];
        let answer = home.succeed(&build, "");
        for words in expected {
            assert!(answer.contains(words), "no {words:?} in {answer}");
        }
    }
    let game = ["play", "reversi", "--variant", "standard-6", "--seat", "mine", "--seat"];
    let game = [&game[..], &["mine-native", "--engines-dir", "engines", "--json"]].concat();
    let line: serde_json::Value =
        serde_json::from_str(&home.succeed(&game, "")).expect("it is JSON");
    assert!(line["record"].is_string(), "{line}");
}

#[test]
fn unsupported_build_kinds_are_reported() {
    let home = TestHome::without_engines();
    home.succeed(&["new", "mine", "--lang", "go"], "");
    let ended = home.run(&["build", "mine", "--kind", "native", "--into", "packs"], "");
    assert_eq!(ended.code, Some(1), "{}", ended.err);
    assert!(
        ended.err.contains("an engine in Go is built to a WebAssembly component only"),
        "{}",
        ended.err
    );
    home.succeed(&["new", "yours", "--lang", "java"], "");
    let ended = home.run(&["build", "yours", "--kind", "wasm", "--into", "packs"], "");
    assert_eq!(ended.code, Some(1), "{}", ended.err);
    assert!(ended.err.contains("is built to a program, which runs in a jail"), "{}", ended.err);
}

/// An engine that calls WASI in `choose`, traps on an unexpected answer, and resigns.
fn run_with_wasi(choose: &str) -> Result<Decision, Fault> {
    let ok = "(param i32) (result i32) (i32.const 16)";
    let text = format!(
        r#"(module
        (import "wasi_snapshot_preview1" "args_sizes_get" (func $args (param i32 i32) (result i32)))
        (import "wasi_snapshot_preview1" "clock_time_get" (func $clock (param i32 i64 i32) (result i32)))
        (import "wasi_snapshot_preview1" "random_get" (func $random (param i32 i32) (result i32)))
        (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
        (import "wasi_snapshot_preview1" "fd_close" (func $close (param i32) (result i32)))
        (import "wasi_snapshot_preview1" "poll_oneoff" (func $poll (param i32 i32 i32 i32) (result i32)))
        (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
        (memory (export "memory") 4)
        (global $top (mut i32) (i32.const 65536))
        ;; 1024 holds a choice to resign.
        (data (i32.const 1032) "\01")
        (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32)
          (global.set $top (i32.and (i32.add (global.get $top) (i32.const 15)) (i32.const -16)))
          (global.get $top)
          (global.set $top (i32.add (global.get $top) (local.get 3))))
        (func $is (param i64 i64) (if (i64.ne (local.get 0) (local.get 1)) (then (unreachable))))
        (func $ok (param i32) (call $is (i64.extend_i32_u (local.get 0)) (i64.const 0)))
        (func (export "sandboard:engine/engine@1.0.0#describe") (result i32) (i32.const 2048))
        (func (export "sandboard:engine/engine@1.0.0#start") {ok})
        (func (export "sandboard:engine/engine@1.0.0#played") (param i32 i32) (result i32) (i32.const 16))
        (func (export "sandboard:engine/engine@1.0.0#taken-back") {ok})
        (func (export "sandboard:engine/engine@1.0.0#think") (result i32) (i32.const 16))
        (func (export "sandboard:engine/engine@1.0.0#choose") (param i32) (result i32)
          {choose} (i32.const 1024)))"#
    );
    let core = wat::parse_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
    let options = CoreModuleOptions { wasi: true, ..CoreModuleOptions::default() };
    let bytes = component::wrap_with(core, WIT, options).expect("the stub defines all imports");
    let caps = Caps::default();
    let module =
        WasmModule::load(runtime(), &bytes, Metering::Deadline, caps, Assets::default()).unwrap();
    let mut engine = module.open(Arc::new(NullListener), 1)?;
    engine.start(&gomoku(&[]))?;
    engine.choose(&Limits::default(), &[]).map(|answer| answer.choice.decision)
}

#[test]
fn the_wasi_stub_answers_without_a_system() {
    let check = |choose: &str, expected: Result<Decision, &str>| {
        let found = run_with_wasi(choose);
        let answer = found.as_ref().map_err(|fault| fault.sentence.as_str());
        assert_eq!(answer.cloned(), expected, "{choose}");
    };
    let clock = "(call $ok (call $clock (i32.const 1) (i64.const 0) (i32.const 3000)))";
    let is =
        |at: u32, value: u64| format!("(call $is (i64.load (i32.const {at})) (i64.const {value}))");
    // There are no arguments; the count is written as 0.
    let arguments = "(i64.store (i32.const 3000) (i64.const -1))
        (call $ok (call $args (i32.const 3000) (i32.const 3004)))";
    check(&format!("{arguments} {}", is(3000, 0)), Ok(Decision::Resign));
    // The clock advances by 1 µs per read and by the time slept: 5 µs.
    let twice = format!("{clock} {} {clock} {}", is(3000, 1000), is(3000, 2000));
    let sleep =
        "(i64.store (i32.const 4000) (i64.const 77)) (i64.store (i32.const 4024) (i64.const 5000))
        (call $ok (call $poll (i32.const 4000) (i32.const 5000) (i32.const 1) (i32.const 3000)))";
    let slept = format!("{sleep} {} {clock} {}", is(5000, 77), is(3000, 8000));
    check(&format!("{twice} {slept}"), Ok(Decision::Resign));
    // Waiting for a file is not supported.
    let file = "(i32.store8 (i32.const 4008) (i32.const 1))
        (call $is (i64.extend_i32_u (call $poll (i32.const 4000) (i32.const 5000) (i32.const 1) (i32.const 3000)))
          (i64.const 58))";
    check(file, Ok(Decision::Resign));
    // Output is discarded; there is no file to close.
    let write =
        "(i32.store (i32.const 4004) (i32.const 3)) (i32.store (i32.const 4012) (i32.const 4))
        (call $ok (call $write (i32.const 1) (i32.const 4000) (i32.const 2) (i32.const 3000)))
        (call $is (i64.extend_i32_u (call $close (i32.const 3))) (i64.const 8))";
    check(&format!("{write} {}", is(3000, 7)), Ok(Decision::Resign));
    // Random bytes are the same sequence in each instance, and no more bytes are written than
    // requested.
    let random = "(call $ok (call $random (i32.const 3000) (i32.const 7)))";
    let first = 0x004e_3dc3_98cd_c9e1;
    check(&format!("{random} {}", is(3000, first)), Ok(Decision::Resign));
    check(
        &format!("{random} {random} {}", is(3000, first)),
        Err("trapped: wasm `unreachable` instruction executed"),
    );
    check("(call $exit (i32.const 0))", Err("trapped: wasm `unreachable` instruction executed"));
}
