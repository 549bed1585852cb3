//! The folder of compiled code under several hosts at once, each a process of its own:
//! whatever lies in it and whatever happens to it, engines play the same.

use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};

use sandboard_host::record::load;
use sandboard_tests::built;

use crate::cli::{Ended, Home};

/// The files of compiled code, by their ending.
fn kept(home: &Home) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(home.path().join("cache")).into_iter().flatten().flatten();
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

/// Two engines play; `most` is what the cache may hold.
fn begin(home: &Home, most: &str) -> Child {
    let mut command = home.command(&PLAY);
    command.env("SANDBOARD_CACHE_BYTES", most).stdin(Stdio::null());
    command.spawn().expect("the binary runs")
}

fn ended(child: Child) -> Ended {
    let output = child.wait_with_output().expect("it ends");
    let text = |bytes| String::from_utf8(bytes).expect("it prints UTF-8");
    Ended { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
}

/// The moves of a bout that was played with `--json`.
fn moves(out: &str) -> Vec<String> {
    let line: serde_json::Value = serde_json::from_str(out).expect("it is one line of JSON");
    let path = line["record"].as_str().expect("it names the record");
    let record = load(Path::new(path), sandboard_games::game).expect("the record is sound");
    record.plies.into_iter().map(|ply| ply.r#move).collect()
}

fn damage(path: &Path, round: usize) {
    // It may have been replaced or removed by now.
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
fn hosts_that_share_a_cache_play_the_same_whatever_happens_to_it() {
    built("c-minimal.wasm");
    let home = Home::new();
    let undisturbed = ended(begin(&home, ""));
    assert_eq!(undisturbed.code, Some(0), "{}{}", undisturbed.out, undisturbed.err);
    let wanted = moves(&undisturbed.out);
    assert!(wanted.len() >= 9, "{}", undisturbed.out);
    assert_eq!(kept(&home).len(), 2, "one for each engine");
    for round in 0..7 {
        // Room for all, for one of two, for nothing.
        let hosts: Vec<Child> =
            ["", "1GiB", "300KiB", "0", ""].map(|most| begin(&home, most)).into();
        for (index, path) in kept(&home).iter().enumerate() {
            damage(path, round + index);
        }
        // What one module's code is called, another's is.
        if let [first, second] = &kept(&home)[..] {
            drop(std::fs::copy(first, second));
        }
        for host in hosts {
            let Ended { code, out, err } = ended(host);
            assert_eq!(code, Some(0), "{out}{err}");
            assert_eq!(moves(&out), wanted, "{out}{err}");
            assert!(!err.contains("error"), "{err}");
        }
    }
    let left: Vec<_> = std::fs::read_dir(home.path().join("cache")).unwrap().flatten().collect();
    let half = |name: &str| name.starts_with(".compiled-");
    assert!(left.iter().all(|entry| !half(&entry.file_name().to_string_lossy())), "{left:?}");
}

#[test]
fn a_damaged_file_is_told_of_and_made_anew() {
    built("c-minimal.wasm");
    let home = Home::new();
    let loud = |most: &str| {
        let mut command = home.command(&PLAY);
        command.env("RUST_LOG", "warn").env("SANDBOARD_CACHE_BYTES", most).stdin(Stdio::null());
        let Ended { code, out, err } = ended(command.spawn().expect("the binary runs"));
        assert_eq!(code, Some(0), "{out}{err}");
        err
    };
    let again = "; it is removed, and the engine compiled anew";
    assert!(!loud("").contains(again));
    let files = kept(&home);
    let whole: Vec<_> = files.iter().map(|path| std::fs::read(path).unwrap()).collect();
    let code = [&whole[0][..whole[0].len() - 1], &[!whole[0][whole[0].len() - 1]]].concat();
    std::fs::write(&files[0], code).unwrap();
    let err = loud("");
    let why =
        format!("{} holds code that was changed since it was written{again}", files[0].display());
    assert!(err.contains(&why), "{err}");
    // Wasmtime's output is the same each time, and so is the file.
    assert!(kept(&home) == files && std::fs::read(&files[0]).unwrap() == whole[0]);
    assert!(!loud("").contains(again), "it is whole again");
    // Room for nothing: nothing is kept, and nothing is wrong.
    let err = loud("0");
    assert!(err.contains("compiled code is not kept: it has "), "{err}");
    let err = loud("much");
    assert!(err.contains("SANDBOARD_CACHE_BYTES is no number of bytes"), "{err}");
}
