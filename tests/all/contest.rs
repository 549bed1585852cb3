//! `sandboard contest check` by the real binary: who would be accepted, who would not, at which stage, and why.

mod run;

use std::path::PathBuf;
use std::process::{Command, Output};
use std::time::Duration;

use sandboard_host::check::Outcome;
use sandboard_host::contest::{Bounds, Contest, Pipeline, Report};
use sandboard_host::loader::Loader;
use sandboard_tests::{binary, built, root, workers};
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
    home.check_refused(b"\0asm\x01\0\0\0", CONTEST, "format", "names that a core module needs");
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
    let output = home.check(&sound, &missing, &["--json"]);
    let told: Value = serde_json::from_slice(&output.stdout).unwrap();
    let named = |at: usize| told["missing_house"][at]["engine"].as_str().unwrap();
    assert_eq!([named(0), named(1)], ["nobody", "reversi-simple"], "{told}");
    assert!(!told["missing_house"][0]["reason"].as_str().unwrap().is_empty(), "{told}");
}

const HOUR: Duration = Duration::from_secs(3600);

/// An entry put through the stages within these bounds.
fn report(guest: &Guest, bounds: Bounds) -> Report {
    let contest = Contest::parse(CONTEST).unwrap();
    let loader = Loader::for_contest(workers().clone());
    let pipeline =
        Pipeline { contest: &contest, loader: &loader, house: Vec::new(), seed: 1, bounds };
    pipeline.run(&guest.bytes(), &mut ()).unwrap()
}

/// What an entry is refused for on a machine that has all the time in the world: the stage, and a part of what it is told.
#[track_caller]
fn check_held(guest: &Guest, fuel_beside: u64, (stage, words): (&str, &str)) {
    let bounds = Bounds { fuel_per_move: 100_000, fuel_beside, patience: HOUR };
    let report = report(guest, bounds);
    let refused = report.stages.iter().find(|stage| stage.outcome == Outcome::Failed);
    assert!(!report.undecided, "{report:?}");
    let refused = refused.unwrap();
    assert_eq!(refused.name, stage, "{report:?}");
    let said = refused.findings.iter().any(|finding| finding.sentence.contains(words));
    assert!(said, "{words}: {refused:?}");
}

/// Burns some million units of fuel, then answers with this.
fn burning(answer: &str) -> String {
    format!(
        "(local $n i32) (local.set $n (i32.const 2000000))
         (loop $on (br_if $on (local.tee $n (i32.sub (local.get $n) (i32.const 1))))) {answer}"
    )
}

#[test]
fn fuel_that_no_budget_covers_decides_on_any_machine() {
    let beside = ("compliance", "units of fuel that no move's budget covers");
    // What every guest is told that is given enough: it does not look at what is barred.
    let barred = ("compliance", "although it is barred");
    let done = "(i32.const 16)";
    for (part, answer) in [
        ("begin", ""),
        ("start", done),
        ("played", done),
        // Within the grace of each, but beyond every budget.
        ("choose", "(call $pick) (i32.const 1024)"),
    ] {
        let guest = Guest::with(part, &burning(answer));
        check_held(&guest, 20_000_000, beside);
        check_held(&guest, 1 << 40, barred);
    }
    // What it says of itself is asked a few times only.
    check_held(&Guest::with("describe", &burning("(i32.const 2048)")), 20_000_000, barred);
    check_held(&Guest::sound(), 20_000_000, barred);
}

#[test]
fn an_entry_that_hangs_is_told_by_its_fuel() {
    let forever = "(loop $on (br $on)) unreachable";
    for (part, stage, words) in [
        ("begin", "compile", "units of fuel"),
        ("describe", "compile", "units of fuel"),
        ("start", "compliance", "step 3, starts: it"),
        ("played", "compliance", "step 6, positions: it"),
        ("choose", "compliance", "step 4, answers: it"),
    ] {
        let text = if part == "begin" { "(loop $on (br $on))" } else { forever };
        check_held(&Guest::with(part, text), 1 << 40, (stage, words));
    }
}

#[test]
fn what_only_the_time_ends_is_undecided() {
    // Each start keeps its limit: only all of them together take too long.
    let guest = Guest::with("start", &burning("(i32.const 16)").replace("2000000", "900000000"));
    let patience = Duration::from_millis(1500);
    let report = report(&guest, Bounds { patience, fuel_beside: 1 << 40, ..Bounds::default() });
    assert_eq!((report.accepted, report.undecided), (false, true), "{report:?}");
    let refused = report.stages.iter().find(|stage| stage.outcome == Outcome::Failed).unwrap();
    // Wherever it was just then.
    let said = ["takes more than 1 s", "the time for all of its test is over"];
    assert!(said.iter().any(|words| refused.sentence.contains(words)), "{refused:?}");
}
