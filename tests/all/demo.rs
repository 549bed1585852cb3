//! `sandboard` without arguments, and `sandboard demo`.

use crate::cli::{CommandOutput, TestHome};

#[test]
fn without_arguments_the_first_steps_are_printed() {
    let CommandOutput { code, out, err } = TestHome::new().run(&[], "");
    assert_eq!((code, err.as_str()), (Some(0), ""));
    for command in ["sandboard serve", "sandboard play gomoku", "sandboard demo", "sandboard help"]
    {
        assert!(out.contains(command), "{command}: {out}");
    }
}

#[test]
fn the_demo_plays_a_game_and_verifies_it() {
    let home = TestHome::new();
    let out = home.succeed(&["demo"], "");
    for part in [
        "$ sandboard list",
        "$ sandboard play gomoku --seat gomoku-alpha --seat gomoku-simple --budget fuel:1e7/move",
        "gomoku-alpha verified: ",
        "gomoku-simple verified: ",
        "Sandboard works",
    ] {
        assert!(out.contains(part), "{part}: {out}");
    }
    // The commands that it prints can be typed afterwards.
    let verify = out.lines().find_map(|line| line.strip_prefix("$ sandboard verify ")).unwrap();
    home.succeed(&["verify", verify], "");
    // A second demo replaces the record.
    home.succeed(&["demo"], "");
}

#[test]
fn a_demo_without_engines_says_what_is_missing() {
    let home = TestHome::new();
    let empty = home.file("empty");
    std::fs::create_dir(&empty).unwrap();
    let CommandOutput { code, err, .. } =
        home.run(&["demo", "--engines-dir", empty.to_str().unwrap()], "");
    assert_eq!(code, Some(1), "{err}");
    assert!(err.contains("fewer than two usable engines for gomoku"), "{err}");
}
