//! Named pipes in place of files: every command that reads a file refuses them at once, with the
//! name and the reason. Opening one would wait for its other end.

use std::path::Path;
use std::process::Command;

use sandboard_tests::binary;

use crate::cli::TestHome;

/// Ends a command that waits, in seconds. Longer than any machine needs for a refusal.
const TIMEOUT_S: &str = "120";
/// The exit code of `timeout` if the time was over.
const TIMED_OUT: i32 = 124;

fn make_pipe(path: &Path) {
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("it is made");
    let made = Command::new("mkfifo").arg(path).status().expect("mkfifo of coreutils is there");
    assert!(made.success(), "{}", path.display());
}

/// The command names the pipe at `path` and what it is, and does not wait for its other end.
fn check(arguments: &[&str], path: &str) {
    let home = TestHome::new();
    make_pipe(&home.file(path));
    let planned = home.command(arguments);
    let mut command = Command::new("timeout");
    command.arg(TIMEOUT_S).arg(binary()).args(arguments).current_dir(home.path());
    for (name, value) in planned.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    let output = command.output().expect("timeout of coreutils is there");
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text);
    assert_ne!(output.status.code(), Some(TIMED_OUT), "{arguments:?} waited: {text}");
    let name = Path::new(path).file_name().expect("a name").to_string_lossy();
    assert!(text.contains(&*name) && text.contains("regular file"), "{arguments:?}: {text}");
}

#[test]
fn a_named_pipe_is_refused_by_every_command_that_reads_a_file() {
    check(&["verify", "pipe"], "pipe");
    check(&["verify", "--bundle", "pipe"], "pipe");
    check(&["verify", "--bundle", "unpacked"], "unpacked/bundle.json");
    check(&["replay", "pipe", "--ply", "1"], "pipe");
    check(&["convert", "pipe.sgf", "-"], "pipe.sgf");
    check(&["solve", "bridge", "pipe.pbn"], "pipe.pbn");
    check(&["suite", "random-mover", "pipe"], "pipe");
    check(&["contest", "create", "pipe", "--dir", "contest"], "pipe");
    check(&["list", "--engines-dir", "engines"], "engines/pack/EngineConfigs.xml");
    check(&["list", "--engines-dir", "engines"], "engines/pipe-1.0.0.gomoku.wasm");
    let players = ["arena", "match", "random-mover", "random-mover"];
    let openings = ["--openings", "pipe", "--pairs", "2", "--dir", "arena"];
    check(&[&players[..], &openings].concat(), "pipe");
}

#[test]
fn a_named_pipe_in_a_folder_is_no_lock_and_no_record() {
    let home = TestHome::new();
    make_pipe(&home.file("records/pipe.json"));
    let found = home.run(&["verify", "records"], "");
    assert!(found.err.contains("there are no records in records"), "{}", found.err);
}
