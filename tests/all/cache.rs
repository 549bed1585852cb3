//! The cache folder of compiled code, shared by several host processes at once. Damaged or missing
//! cache files must not change what engines play.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use sandboard_bout::record::load;
use sandboard_games::Games;
use sandboard_tests::built;

use crate::cli::{CommandOutput, TestHome};

/// The cached code files of everyday use, sorted.
fn cached_files(home: &TestHome) -> Vec<PathBuf> {
    cached_files_of(home, "everyday")
}

/// The cached code files of a profile, sorted.
fn cached_files_of(home: &TestHome, profile: &str) -> Vec<PathBuf> {
    code_files(&home.path().join("cache").join(profile))
}

/// The files with compiled code in a folder, found by their extension, sorted.
fn code_files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let is_code = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "code");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(is_code).collect();
    paths.sort();
    paths
}

const PLAY: [&str; 11] = [
    "play",
    "--json",
    "gomoku",
    "--variant",
    "freestyle-5",
    "--seed",
    "7",
    "--seat",
    "random-mover",
    "--seat",
    "c-minimal",
];

/// The bout of [`PLAY`], with a cache in the home, which no other test uses.
fn play(home: &TestHome) -> Command {
    let mut command = home.command(&PLAY);
    command.env_remove("SANDBOARD_CACHE").stdin(Stdio::null());
    command
}

/// Starts a bout of two engines; `capacity` is the value of `SANDBOARD_CACHE_BYTES`.
fn start(home: &TestHome, capacity: &str) -> Child {
    let mut command = play(home);
    command.env("SANDBOARD_CACHE_BYTES", capacity);
    command.spawn().expect("the binary runs")
}

fn ended(child: Child) -> CommandOutput {
    let output = child.wait_with_output().expect("it ends");
    let text = |bytes| String::from_utf8(bytes).expect("it prints UTF-8");
    CommandOutput { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
}

/// The moves of a bout that was played with `--json`.
fn moves(out: &str) -> Vec<String> {
    let line: serde_json::Value = serde_json::from_str(out).expect("it is one line of JSON");
    let path = line["record"].as_str().expect("it names the record");
    let record = load(Path::new(path), &Games::default()).expect("the record is sound");
    record.plies.into_iter().map(|ply| ply.r#move).collect()
}

fn damage(path: &Path, round: usize) {
    // Another process may have replaced or removed the file.
    let Ok(bytes) = std::fs::read(path) else { return };
    let at = [3, 10, 20, 60, 80, 500, bytes.len() - 1][round % 7].min(bytes.len() - 1);
    let written = match round % 3 {
        0 => std::fs::write(path, &bytes[..at]),
        1 => {
            let mut changed = bytes;
            changed[at] ^= 0x40;
            std::fs::write(path, changed)
        }
        _ => std::fs::remove_file(path),
    };
    drop(written);
}

#[test]
fn hosts_that_share_a_damaged_cache_play_the_same_moves() {
    built("c-minimal.wasm");
    let home = TestHome::new();
    let undisturbed = ended(start(&home, ""));
    assert_eq!(undisturbed.code, Some(0), "{}{}", undisturbed.out, undisturbed.err);
    let wanted = moves(&undisturbed.out);
    assert!(wanted.len() >= 9, "{}", undisturbed.out);
    assert_eq!(cached_files(&home).len(), 2, "one for each engine");
    for round in 0..7 {
        // Cache capacity for all files, for one of two, and for none.
        let hosts: Vec<Child> =
            ["", "1GiB", "300KiB", "0", ""].map(|capacity| start(&home, capacity)).into();
        for (index, path) in cached_files(&home).iter().enumerate() {
            damage(path, round + index);
        }
        // A file under the name of another module's code.
        if let [first, second] = &cached_files(&home)[..] {
            drop(std::fs::copy(first, second));
        }
        for host in hosts {
            let CommandOutput { code, out, err } = ended(host);
            assert_eq!(code, Some(0), "{out}{err}");
            assert_eq!(moves(&out), wanted, "{out}{err}");
            assert!(!err.contains("error"), "{err}");
        }
    }
    let left: Vec<_> =
        std::fs::read_dir(home.path().join("cache/everyday")).unwrap().flatten().collect();
    let half = |name: &str| name.starts_with(".compiled-");
    assert!(left.iter().all(|entry| !half(&entry.file_name().to_string_lossy())), "{left:?}");
}

#[test]
fn the_cache_can_be_in_another_folder() {
    built("c-minimal.wasm");
    let home = TestHome::new();
    let elsewhere = home.file("elsewhere");
    let played = ended(play(&home).env("SANDBOARD_CACHE", &elsewhere).spawn().unwrap());
    assert_eq!(played.code, Some(0), "{}{}", played.out, played.err);
    assert!(cached_files(&home).is_empty());
    assert_eq!(code_files(&elsewhere.join("everyday")).len(), 2, "one for each engine");
}

#[test]
fn a_damaged_cache_file_is_reported_and_compiled_again() {
    built("c-minimal.wasm");
    let home = TestHome::new();
    let run_with_warnings = |capacity: &str| {
        let mut command = play(&home);
        command.env("RUST_LOG", "warn").env("SANDBOARD_CACHE_BYTES", capacity);
        let CommandOutput { code, out, err } = ended(command.spawn().expect("the binary runs"));
        assert_eq!(code, Some(0), "{out}{err}");
        err
    };
    let again = "; it is removed, and the engine compiled again";
    assert!(!run_with_warnings("").contains(again));
    let files = cached_files(&home);
    let whole: Vec<_> = files.iter().map(|path| std::fs::read(path).unwrap()).collect();
    let code = [&whole[0][..whole[0].len() - 1], &[!whole[0][whole[0].len() - 1]]].concat();
    std::fs::write(&files[0], code).unwrap();
    let err = run_with_warnings("");
    let why = format!(
        "{} contains code that was changed since it was written{again}",
        files[0].display()
    );
    assert!(err.contains(&why), "{err}");
    // Wasmtime's output is deterministic, and so is the file.
    assert!(cached_files(&home) == files && std::fs::read(&files[0]).unwrap() == whole[0]);
    assert!(!run_with_warnings("").contains(again), "the file was replaced");
    // With capacity 0, nothing is cached, and that is no error.
    let err = run_with_warnings("0");
    assert!(err.contains("compiled code is not cached: it has "), "{err}");
    let err = run_with_warnings("much");
    assert!(err.contains("SANDBOARD_CACHE_BYTES must be a number of bytes"), "{err}");
}

/// Plays the bout of [`PLAY`] with this profile and warnings: its moves and what it printed.
#[cfg(target_os = "linux")]
fn play_in(home: &TestHome, contest: bool) -> (Vec<String>, String) {
    let mut command = play(home);
    command.args(contest.then_some("--contest")).env("RUST_LOG", "warn");
    let CommandOutput { code, out, err } = ended(command.spawn().expect("the binary runs"));
    assert_eq!(code, Some(0), "{out}{err}");
    (moves(&out), err)
}

#[test]
#[cfg(target_os = "linux")]
fn a_contest_never_loads_code_that_was_compiled_for_everyday_use() {
    built("c-minimal.wasm");
    let home = TestHome::new();
    let (everyday, _) = play_in(&home, false);
    let files = cached_files(&home);
    assert_eq!((files.len(), cached_files_of(&home, "contest").len()), (2, 0));
    // Code of another engine under the name of each file: everyday use would notice and repair it.
    let whole: Vec<_> = files.iter().map(|path| std::fs::read(path).unwrap()).collect();
    std::fs::write(&files[0], &whole[1]).unwrap();
    std::fs::write(&files[1], &whole[0]).unwrap();
    let (moves, err) = play_in(&home, true);
    assert_eq!(moves, everyday);
    assert!(!err.contains("it is removed"), "{err}");
    assert!(std::fs::read(&files[0]).unwrap() == whole[1], "it was not even looked at");
    let contest = cached_files_of(&home, "contest");
    assert_eq!(contest.len(), 2, "the contest has compiled both engines itself");
    // Everyday code in the folder of contests is refused by its header.
    for file in &contest {
        let name = file.file_name().unwrap();
        let at = files.iter().position(|it| it.file_name() == Some(name)).unwrap();
        std::fs::write(file, &whole[at]).unwrap();
        let (moves, err) = play_in(&home, true);
        assert_eq!(moves, everyday);
        let why = format!("{} belongs to another profile; it is removed", file.display());
        assert!(err.contains(&why), "{err}");
        assert!(std::fs::read(file).unwrap() != whole[at], "it was compiled again");
    }
}
