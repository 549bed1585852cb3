//! Sandboard in a real browser: each file of tests/web/specs is one test here, with a server and a
//! browser of its own. Starts them and shows what they say; what is tested stands in those files.

use std::collections::BTreeSet;
use std::process::Command;

use sandboard_forge::node::Node;
use sandboard_forge::packages::browser;
use sandboard_forge::toolchain::Install;
use sandboard_tests::{binary, built, root};

/// Where Playwright's runner begins.
const RUNNER: &str = "node_modules/@playwright/test/cli.js";

macro_rules! specs {
    ($($name:ident)*) => {
        const SPECS: &[&str] = &[$(stringify!($name)),*];
        $(#[test] fn $name() { play(stringify!($name)); })*
    };
}

specs! {
    access
    arena
    away
    contest
    crash
    engines
    guest
    hostile_words
    keyboard
    receipts
    renju_opening
    restart
    stranger
    study
    two_people
    values
}

#[test]
fn no_file_is_forgotten() {
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
    // An engines folder that is built has them all.
    built("random-mover.wasm");
    let node = Node::find(&root().join("target/node"), Install::Never)
        .unwrap_or_else(|error| panic!("{error}; `cargo xtask web` finds or fetches one"));
    let browser =
        browser().expect("no Chromium is here: `cargo xtask setup` installs it or says what does");
    let results = root().join("target/browser-tests").join(name);
    let mut command: Command = node.node();
    command.arg(RUNNER).args(["test", "--project=specs", &format!("specs/{name}.spec.ts")]);
    command.env("SANDBOARD_BINARY", binary()).env("SANDBOARD_BROWSER", browser);
    command.env("SANDBOARD_RESULTS", &results).current_dir(&folder);
    let output = command.output().expect("Node.js runs");
    let said = String::from_utf8_lossy(&output.stdout);
    let complaints = String::from_utf8_lossy(&output.stderr);
    println!("{said}");
    assert!(output.status.success(), "{said}\n{complaints}\npictures: {}", results.display());
}
