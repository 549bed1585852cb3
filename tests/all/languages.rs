//! Engines in every language: each sample engine, which is its language's template, passes every step of
//! `sandboard check`, whole games against itself included; new ones are made without a clone, and built.
//! What needs tools of other languages was built by `cargo xtask engines --lang all`.

use sandboard_forge::LANGUAGES;
use sandboard_host::check::STEPS;
use sandboard_tests::in_language;

use crate::cli::Home;

/// A home whose engines folder holds the sample engine of a language.
fn home_with(id: &str) -> Home {
    let home = Home::without_engines();
    let folder = home.file("engines");
    std::fs::create_dir(&folder).unwrap();
    let name = format!("{id}-simple");
    let file = folder.join(format!("{name}-0.1.0.gomoku.wasm"));
    std::fs::copy(in_language(&name), file).unwrap();
    home
}

/// Every step but the one on pondering, which none of them does, and what a busy machine says.
fn check_sound(id: &str) {
    let home = home_with(id);
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
    // A winning move is found and told of: a report with all its numbers.
    let arguments = ["analyse", &name, "--variant", "freestyle-9", "--engines-dir", "engines"];
    let moves = r#"{"moves": ["a1", "a9", "b1", "b9", "c1", "c9", "d1", "d9"]}"#;
    let told: serde_json::Value =
        serde_json::from_str(&home.succeed(&arguments, moves)).expect("it is JSON");
    let found = (&told["move"], &told["score"], &told["bound"]);
    assert_eq!(found, (&"e1".into(), &29999.into(), &"exact".into()), "{told}");
}

#[test]
fn an_engine_in_cpp_is_sound() {
    check_sound("cpp");
}

#[test]
fn an_engine_in_zig_is_sound() {
    check_sound("zig");
}

#[test]
fn an_engine_in_assemblyscript_is_sound() {
    check_sound("assemblyscript");
}

#[test]
fn an_engine_in_go_is_sound() {
    check_sound("go");
}

#[test]
fn an_engine_in_javascript_is_sound() {
    check_sound("javascript");
}

#[test]
fn an_engine_in_python_is_sound() {
    check_sound("python");
}

#[test]
fn a_new_engine_in_every_language_needs_no_clone() {
    let home = Home::without_engines();
    for row in LANGUAGES {
        let name = format!("my-{}", row.id);
        let told = home.succeed(&["new", &name, "--lang", row.id, "--game", "reversi"], "");
        assert!(told.contains(&format!("next: sandboard check {name}")), "{told}");
        let text = std::fs::read_to_string(home.file(&name).join(row.main)).unwrap();
        assert!(text.contains("reversi") && !text.contains("gomoku"), "{text}");
        let again = home.run(&["new", &name, "--lang", row.id], "");
        assert_eq!(again.code, Some(1), "{}", again.err);
        assert!(again.err.contains("is there already"), "{}", again.err);
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
fn a_new_engine_is_built_under_its_own_name_for_its_game() {
    let home = Home::without_engines();
    std::fs::create_dir(home.file("engines")).unwrap();
    // C++ for both kinds; Rust by the SDK that the program brings, natively, which needs no target.
    for (lang, kind, expected) in [
        ("cpp", "both", &["mine 0.1.0: wasm, sandboxed", "mine-native 0.1.0: native"][..]),
        ("rust", "native", &["ours-native 0.1.0: native"]),
    ] {
        let name = if lang == "cpp" { "mine" } else { "ours" };
        home.succeed(&["new", name, "--lang", lang, "--game", "reversi"], "");
        let build = ["build", name, "--kind", kind, "--engines-dir", "engines"];
        let told = home.succeed(&build, "");
        for words in expected {
            assert!(told.contains(words), "no {words:?} in {told}");
        }
    }
    let game = ["play", "reversi", "--variant", "standard-6", "--seat", "mine", "--seat"];
    let game = [&game[..], &["mine-native", "--engines-dir", "engines", "--json"]].concat();
    let line: serde_json::Value =
        serde_json::from_str(&home.succeed(&game, "")).expect("it is JSON");
    assert!(line["record"].is_string(), "{line}");
}

#[test]
fn a_language_without_native_builds_says_so() {
    let home = Home::without_engines();
    home.succeed(&["new", "mine", "--lang", "go"], "");
    let ended = home.run(&["build", "mine", "--kind", "native", "--into", "packs"], "");
    assert_eq!(ended.code, Some(1), "{}", ended.err);
    assert!(
        ended.err.contains("an engine in Go becomes a WebAssembly component only"),
        "{}",
        ended.err
    );
}
