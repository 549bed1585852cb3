//! Engines in every language: each sample engine, which is also its language's template, passes
//! every step of `sandboard check`, and new engines can be created and built without a clone of the
//! repository. Engines that need other tools are built by `cargo xtask engines --lang all`.
//! `java.rs` has more tests of Java engines, which are programs.

use sandboard_analysis::check::STEPS;
use sandboard_builder::LANGUAGES;
use sandboard_tests::in_language;

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
