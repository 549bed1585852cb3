//! `sandboard contest check` by the real binary: who would be accepted, who would not, at which stage, and why.

mod run;

use std::path::PathBuf;
use std::process::{Command, Output};

use sandboard_tests::{binary, built, root};
use serde_json::Value;
use tempfile::TempDir;

use crate::hostile::guest::Guest;

const CONTEST: &str = "name = \"Autumn\"\ngame = \"gomoku\"\nvariant = \"freestyle-9\"\n\
                       budget = \"fuel:1e8/move\"\nmemory_bytes = 8388608\n";

struct Home(TempDir);

impl Home {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn file(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.0.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }

    /// An entry put to a contest, with the sample engines as the house.
    fn check(&self, entry: &[u8], contest: &str, words: &[&str]) -> Output {
        let (entry, contest) =
            (self.file("entry.wasm", entry), self.file("contest.toml", contest.as_bytes()));
        let mut command = Command::new(binary());
        command.args(["contest", "check"]).arg(entry).arg("--contest").arg(contest).args(words);
        // What the jail lacks on this machine is another test's business.
        command.args(["--below-minimum", "--engines-dir"]).arg(root().join("engines-dir"));
        command.env("SANDBOARD_HOME", self.0.path()).env_remove("RUST_LOG");
        command.output().unwrap()
    }

    fn report(&self, entry: &[u8], contest: &str) -> (Option<i32>, Value) {
        let output = self.check(entry, contest, &["--json"]);
        let told = String::from_utf8_lossy(&output.stdout);
        let errors = String::from_utf8_lossy(&output.stderr);
        let told: Value = serde_json::from_str(&told).unwrap_or_else(|_| panic!("{errors}"));
        (output.status.code(), told["report"].clone())
    }

    /// The first stage that is not passed, by its name, and what it says of the entry.
    fn check_refused(&self, entry: &[u8], contest: &str, stage: &str, expected: &str) {
        let (code, report) = self.report(entry, contest);
        assert_eq!((code, &report["accepted"]), (Some(1), &false.into()), "{report}");
        assert_eq!(report["undecided"], false, "{report}");
        let stages = report["stages"].as_array().unwrap();
        let at = stages.iter().position(|it| it["outcome"] == "failed").unwrap();
        assert_eq!(stages[at]["name"], stage, "{report}");
        let findings = stages[at]["findings"].to_string();
        assert!(findings.contains(expected), "{expected}: {findings}");
        assert!(!stages[at]["findings"][0]["help"].as_str().unwrap().is_empty());
        // What comes after it is not tried.
        assert!(stages[at + 1..].iter().all(|it| it["outcome"] == "skipped"), "{report}");
    }
}

#[test]
fn sound_entries_are_accepted() {
    let home = Home::new();
    let random = std::fs::read(built("random-mover.wasm")).unwrap();
    let house = format!("{CONTEST}house = [\"random-mover\", \"gomoku-simple\"]\n");
    for (contest, against) in [(CONTEST, "itself"), (house.as_str(), "random-mover, gomoku-simple")]
    {
        let (code, report) = home.report(&random, contest);
        assert_eq!((code, &report["accepted"]), (Some(0), &true.into()), "{report}");
        let bouts = report["stages"][5]["sentence"].as_str().unwrap();
        assert!(bouts.contains(&format!(" of 3 points against {against} in ")), "{bouts}");
        assert_eq!(report["bytes"], random.len());
    }
}

#[test]
fn the_same_entry_gets_the_same_report() {
    let home = Home::new();
    let random = std::fs::read(built("random-mover.wasm")).unwrap();
    let without_times = || {
        let (_, mut report) = home.report(&random, CONTEST);
        for stage in report["stages"].as_array_mut().unwrap() {
            stage["took_ms"] = 0.into();
        }
        report
    };
    assert_eq!(without_times(), without_times());
}

#[test]
fn each_stage_refuses_with_what_to_do() {
    let home = Home::new();
    let sound = std::fs::read(built("random-mover.wasm")).unwrap();
    let short = |bytes: usize| format!("{CONTEST}entry_bytes = {bytes}\n");
    home.check_refused(&sound, &short(sound.len() - 1), "size", "1 too many");
    assert_eq!(home.report(&sound, &short(sound.len())).0, Some(0));
    home.check_refused(b"", CONTEST, "format", "is empty");
    home.check_refused(b"(component)", CONTEST, "format", "WebAssembly text");
    home.check_refused(b"\0asm\x01\0\0\0", CONTEST, "format", "wasm-tools component new");
    let component = |text: &str| wat::parse_str(format!("(component {text})")).unwrap();
    let wasi = component("(import \"wasi:cli/environment@0.2.0\" (instance))");
    home.check_refused(&wasi, CONTEST, "format", "wasm32-unknown-unknown");
    home.check_refused(&component(""), CONTEST, "format", "sandboard:engine");
    let other_game = std::fs::read(built("reversi-simple.wasm")).unwrap();
    home.check_refused(&other_game, CONTEST, "compile", "it plays reversi (standard)");
    let narrow = CONTEST.replace("8388608", "131072");
    home.check_refused(&sound, &narrow, "compile", "128 KiB of memory");
    let choose = |text: &str| Guest::with("choose", text).bytes();
    // It chooses the first move whatever is barred.
    home.check_refused(&Guest::sound().bytes(), CONTEST, "compliance", "step 8, barred");
    home.check_refused(&choose("unreachable"), CONTEST, "compliance", "step 4, answers");
    home.check_refused(
        &choose("(loop $on (br $on)) unreachable"),
        CONTEST,
        "compliance",
        "step 4, answers",
    );
    home.check_refused(
        &choose("(call $play (i32.const 3072) (i32.const 5)) (i32.const 1024)"),
        CONTEST,
        "compliance",
        "guest",
    );
}

#[test]
fn a_file_that_is_no_contest_is_named() {
    let home = Home::new();
    let sound = std::fs::read(built("random-mover.wasm")).unwrap();
    for (contest, expected) in [
        ("name = 3", "contest.toml: line 1: "),
        (&*CONTEST.replace("fuel:1e8", "5s"), "contest.toml: `budget`: `5s/move` is not fuel"),
        (&*CONTEST.replace("gomoku", "go"), "contest.toml: `game`: `go` is not known here"),
    ] {
        let output = home.check(&sound, contest, &[]);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{errors}");
        assert!(errors.contains(expected), "{errors}");
        assert!(output.stdout.is_empty());
    }
    let missing = format!("{CONTEST}house = [\"nobody\", \"reversi-simple\"]\n");
    let output = home.check(&sound, &missing, &[]);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{errors}");
    for id in ["nobody", "reversi-simple"] {
        assert!(
            errors.contains(&format!("note: `{id}`, of the house, does not play here: ")),
            "{errors}"
        );
    }
}
