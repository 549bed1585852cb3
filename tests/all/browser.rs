//! Runs the browser tests: each file of tests/web/specs is one test here, with a server and a
//! browser of its own. The tests themselves are in those files.

use std::collections::BTreeSet;
use std::process::Command;

use sandboard_builder::node::Node;
use sandboard_builder::packages::find_browser;
use sandboard_builder::toolchain::InstallPolicy;
use sandboard_tests::{binary, built, root, shared_cache};

use crate::bundle::lies::write_lies;

/// Main file of Playwright's test runner.
const RUNNER: &str = "node_modules/@playwright/test/cli.js";

macro_rules! specs {
    ($($name:ident)*) => {
        const SPECS: &[&str] = &[$(stringify!($name)),*];
        $(#[test] fn $name() { play(stringify!($name)); })*
    };
}

specs! {
    absent_player
    accessibility
    analysis
    analysis_board
    arena
    board_themes
    clocks
    contest
    contest_games
    described_boards
    device_engine
    drawings
    engine_crash
    engine_page
    engine_usage
    engines
    exact_values
    exported_page
    first_page
    first_visit
    guest
    hearts
    hidden_game
    hostile_text
    illegal_clicks
    invitation
    keyboard
    language
    looking_back
    low_windows
    missing_room
    new_arena
    no_engines
    offers
    offline_move
    opening_names
    pause_and_takeback
    piece_glyphs
    play_from_here
    premove
    published_page
    registration
    renju_opening
    replay_files
    restart
    room_layout
    shortcuts
    sounds
    test_engines
    token_link
    two_people
    two_taps
    verify_page
    wide_windows
}

#[test]
fn every_spec_file_has_a_test() {
    let folder = std::fs::read_dir(root().join("tests/web/specs")).expect("it can be listed");
    let files: BTreeSet<String> = folder
        .map(|entry| entry.expect("it can be listed").file_name().to_string_lossy().into_owned())
        .collect();
    let listed: BTreeSet<String> = SPECS.iter().map(|name| format!("{name}.spec.ts")).collect();
    assert_eq!(files, listed);
}

fn play(name: &str) {
    let folder = root().join("tests/web");
    assert!(folder.join(RUNNER).is_file(), "Playwright is missing: run `cargo xtask web`");
    // If one engine is built, `cargo xtask engines` has built all.
    built("random-mover.wasm");
    let node = Node::find(&root().join("target/node"), InstallPolicy::Never)
        .unwrap_or_else(|error| panic!("{error}; `cargo xtask web` finds or fetches one"));
    let browser = find_browser().expect("Chromium is missing: run `cargo xtask setup`");
    let results = root().join("target/browser-tests").join(name);
    let mut command: Command = node.node();
    command.arg(RUNNER).args(["test", "--project=specs", &format!("specs/{name}.spec.ts")]);
    command.env("SANDBOARD_BINARY", binary()).env("SANDBOARD_BROWSER", browser);
    command.env("SANDBOARD_RESULTS", &results).env("SANDBOARD_CACHE", shared_cache());
    command.current_dir(&folder);
    let lies = tempfile::tempdir().expect("a temporary folder can be created");
    if name == "verify_page" {
        write_lies(lies.path());
        command.env("SANDBOARD_LIES", lies.path());
    }
    let output = command.output().expect("Node.js runs");
    let out = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    println!("{out}");
    assert!(output.status.success(), "{out}\n{errors}\nscreenshots: {}", results.display());
}
