//! The steps of a game's author without a clone: `sandboard new --game-plugin`, `sandboard build`,
//! and playing.

use std::fs;
use std::process::Command;

use crate::cli::{CommandOutput, TestHome};

/// The home of an author, with an engines folder that is empty at first.
struct Author(TestHome);

impl Author {
    fn new() -> Self {
        let home = TestHome::new();
        fs::create_dir(home.file("engines")).unwrap();
        Self(home)
    }

    fn run(&self, arguments: &[&str]) -> CommandOutput {
        let mut command = self.0.command(arguments);
        command.env("SANDBOARD_ENGINES", self.0.file("engines")).env("CARGO_NET_OFFLINE", "true");
        TestHome::finish(command, "")
    }

    fn succeed(&self, arguments: &[&str]) -> String {
        let CommandOutput { code, out, err } = self.run(arguments);
        assert_eq!(code, Some(0), "sandboard {arguments:?}\n{out}\n{err}");
        assert!(!err.contains("warning"), "{err}");
        out
    }

    /// The command fails with this exit code and error.
    fn check_refused(&self, arguments: &[&str], code: i32, expected: &str) {
        let ended = self.run(arguments);
        assert_eq!(ended.code, Some(code), "{arguments:?}\n{}\n{}", ended.out, ended.err);
        assert!(ended.err.contains(expected), "no {expected:?} in\n{}", ended.err);
    }

    /// Replaces a part of a file of the game.
    fn change(&self, file: &str, from: &str, to: &str) {
        let file = self.0.file("tiny").join(file);
        let text = fs::read_to_string(&file).unwrap();
        assert!(text.contains(from), "no {from:?} in\n{text}");
        fs::write(file, text.replace(from, to)).unwrap();
    }
}

#[test]
fn a_new_game_is_built_and_played() {
    let author = Author::new();
    let made = author.succeed(&["new", "tiny", "--game-plugin"]);
    assert!(made.contains("next: sandboard build tiny\n"), "{made}");
    let play = "sandboard play tiny --seat human --seat human\n";
    assert!(made.contains(play), "{made}");

    let built = author.succeed(&["build", "tiny"]);
    assert!(built.contains("  tiny 0.1.0: a game, wasm, sandboxed, "), "{built}");
    assert!(built.contains(&format!("play: {play}")), "{built}");
    let pack = author.0.file("engines/tiny");
    let files = fs::read_dir(&pack).unwrap().map(|file| file.unwrap().file_name());
    let mut files: Vec<_> = files.collect();
    files.sort();
    assert_eq!(files, [".made-by-sandboard-build", "EngineConfigs.xml", "tiny.wasm"]);
    let counted = author.succeed(&["perft", "tiny", "--depth", "3"]);
    assert!(counted.contains("tiny standard, depth 3: 343 nodes"), "{counted}");

    // What cannot be built leaves the pack as it is.
    author.check_refused(&["build", "tiny", "--kind", "native"], 1, "component only");
    author.check_refused(&["build", "tiny", "--debug"], 1, "component only");
    author.check_refused(&["dev", "tiny"], 1, "has a game; use `sandboard build`");
    let rules = "sandboard_game_sdk::export_game!(Tiny);";
    author.change("src/lib.rs", rules, "");
    author.check_refused(&["build", "tiny"], 1, "does the source have `export_game!(…);` at the");
    author.change("EngineConfigs.xml", "sides=\"red yellow\"", "sides=\"red yellow\" seats=\"3\"");
    author.check_refused(&["build", "tiny"], 1, "GameRules/@seats: 3 is no multiple of 2 sides");
    let engine = "<Engine id=\"e\" version=\"1\" kind=\"wasm\" module=\"e.wasm\"><Game id=\"tiny\"/>\
                  </Engine></EngineConfigs>";
    author.change("EngineConfigs.xml", "sides=\"red yellow\" seats=\"3\"", "sides=\"red yellow\"");
    author.change("EngineConfigs.xml", "</EngineConfigs>", engine);
    author.check_refused(&["build", "tiny"], 1, "cannot be built by this command");
    assert!(author.succeed(&["perft", "tiny", "--depth", "1"]).contains(" 7 nodes"));
}

#[test]
fn a_new_game_in_c_is_built_and_played() {
    let author = Author::new();
    let made = author.succeed(&["new", "tiny", "--game-plugin", "--lang", "c"]);
    assert!(made.contains("write the rules in tiny/game.c\n"), "{made}");
    let checked = author.succeed(&["check", "tiny"]);
    assert!(checked.contains("12 passed, 0 warned, 0 failed, 0 skipped"), "{checked}");
    let built = author.succeed(&["build", "tiny"]);
    assert!(built.contains("  tiny 0.1.0: a game, wasm, sandboxed, "), "{built}");
    // Two rolls, and the bids of the first player.
    let counted = author.succeed(&["perft", "tiny", "--depth", "3"]);
    assert!(counted.contains("tiny one, depth 3: 432 nodes"), "{counted}");

    author.change("game.c", "void game_play(", "void game_plays(");
    author.check_refused(&["build", "tiny"], 1, "undefined symbol: game_play");
}

#[test]
fn the_tests_of_a_new_game_pass() {
    let author = Author::new();
    author.succeed(&["new", "my-game_2", "--game-plugin", "--dir", "folder"]);
    let tested = Command::new(env!("CARGO"))
        .args(["test", "--offline"])
        .current_dir(author.0.file("folder"))
        .env("RUSTFLAGS", "--deny warnings")
        .env_remove("CARGO_TARGET_DIR")
        .output()
        .unwrap();
    let [out, err] = [tested.stdout, tested.stderr].map(|text| String::from_utf8(text).unwrap());
    assert!(tested.status.success(), "{out}\n{err}");
    assert!(out.contains(" passed; 0 failed;"), "{out}");
}

#[test]
fn requests_that_no_template_can_fulfil_are_usage_errors() {
    let author = Author::new();
    author.check_refused(
        &["new", "tiny", "--game-plugin", "--lang", "cpp"],
        2,
        "games are written in Rust or C",
    );
    author.check_refused(
        &["new", "tiny", "--game-plugin", "--game", "reversi"],
        2,
        "cannot be used with",
    );
    author.check_refused(&["new", "gomoku", "--game-plugin"], 2, "is a built-in game");

    // The folder of the sample engines has a plugged-in game.
    let of_plugged_in = |lang| ["new", "mine", "--game", "connect-four", "--lang", lang];
    let refused = author.0.run(&of_plugged_in("rust"), "");
    assert_eq!(refused.code, Some(2), "{}", refused.err);
    assert!(refused.err.contains("`connect-four` is plugged in, and"), "{}", refused.err);
    assert!(!author.0.file("mine").exists());
    author.0.succeed(&of_plugged_in("c"), "");
    let text = fs::read_to_string(author.0.file("mine/engine.c")).unwrap();
    assert!(text.contains("\"connect-four\""), "{text}");
}
