//! `sandboard contest check` by the real binary: which entries are accepted or refused, at which
//! stage and why.

mod rules;
pub(crate) mod run;

use std::path::PathBuf;
use std::process::{Command, Output};
use std::time::Duration;

use sandboard_analysis::check::StepOutcome;
use sandboard_contest::{Bounds, Pipeline, Report};
use sandboard_contest_rules::Contest;
use sandboard_games::Games;
use sandboard_packs::loader::Loader;
use sandboard_tests::{binary, built, data_variables, engine_processes, root};
use serde_json::Value;
use tempfile::TempDir;

use crate::hostile::guest::Guest;

const CONTEST: &str = "name = \"Autumn\"\ngame = \"gomoku\"\nvariant = \"freestyle-9\"\n\
                       budget = \"fuel:1e8/move\"\nmemory_bytes = 8388608\n";

struct TestHome(TempDir);

impl TestHome {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn file(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.0.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }

    /// Runs `contest check` on an entry, with the sample engines as house engines.
    fn check(&self, entry: &[u8], contest: &str, words: &[&str]) -> Output {
        let (entry, contest) =
            (self.file("entry.wasm", entry), self.file("contest.toml", contest.as_bytes()));
        let mut command = Command::new(binary());
        command.args(["contest", "check"]).arg(entry).arg("--contest").arg(contest).args(words);
        // Other tests check the jail of this machine.
        command.args(["--below-minimum", "--engines-dir"]).arg(root().join("engines-dir"));
        command.envs(data_variables(self.0.path())).env_remove("RUST_LOG");
        command.output().unwrap()
    }

    fn report(&self, entry: &[u8], contest: &str) -> (Option<i32>, Value) {
        let output = self.check(entry, contest, &["--json"]);
        let output_text = String::from_utf8_lossy(&output.stdout);
        let errors = String::from_utf8_lossy(&output.stderr);
        let object: Value =
            serde_json::from_str(&output_text).unwrap_or_else(|_| panic!("{errors}"));
        (output.status.code(), object["report"].clone())
    }

    /// The entry fails at `stage`, with `expected` in its findings.
    fn check_refused(&self, entry: &[u8], contest: &str, stage: &str, expected: &str) {
        let (code, report) = self.report(entry, contest);
        assert_eq!((code, &report["accepted"]), (Some(1), &false.into()), "{report}");
        assert_eq!(report["undecided"], false, "{report}");
        let stages = report["stages"].as_array().unwrap();
        let at = stages.iter().position(|it| it["outcome"] == "failed").unwrap();
        assert_eq!(stages[at]["name"], stage, "{report}");
        let findings = stages[at]["findings"].to_string();
        assert!(findings.contains(expected), "{expected}: {findings}");
        assert!(!stages[at]["findings"][0]["advice"].as_str().unwrap().is_empty());
        // Later stages are skipped.
        assert!(stages[at + 1..].iter().all(|it| it["outcome"] == "skipped"), "{report}");
    }
}

#[test]
fn sound_entries_are_accepted() {
    let home = TestHome::new();
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
    let home = TestHome::new();
    let random = std::fs::read(built("random-mover.wasm")).unwrap();
    let without_times = || {
        let (_, mut report) = home.report(&random, CONTEST);
        for stage in report["stages"].as_array_mut().unwrap() {
            stage["duration_ms"] = 0.into();
        }
        report
    };
    assert_eq!(without_times(), without_times());
}

#[test]
fn each_stage_refuses_with_advice() {
    let home = TestHome::new();
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
    // This guest chooses the first move even if it is excluded.
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
fn an_invalid_contest_file_is_reported() {
    let home = TestHome::new();
    let sound = std::fs::read(built("random-mover.wasm")).unwrap();
    for (contest, expected) in [
        ("name = 3", "contest.toml: line 1: "),
        (
            &*CONTEST.replace("fuel:1e8", "5s"),
            "contest.toml: `budget`: `5s/move` is not a fuel budget",
        ),
        (&*CONTEST.replace("gomoku", "go"), "contest.toml: `game`: unknown game `go`; "),
    ] {
        let output = home.check(&sound, contest, &[]);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{errors}");
        assert!(errors.contains(expected), "{errors}");
        assert!(output.stdout.is_empty());
    }
    let missing = format!("{CONTEST}house = [\"missing\", \"reversi-simple\"]\n");
    let output = home.check(&sound, &missing, &[]);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{errors}");
    for id in ["missing", "reversi-simple"] {
        assert!(errors.contains(&format!("note: house engine `{id}` cannot play: ")), "{errors}");
    }
    let output = home.check(&sound, &missing, &["--json"]);
    let object: Value = serde_json::from_slice(&output.stdout).unwrap();
    let named = |at: usize| object["missing_house"][at]["engine"].as_str().unwrap();
    assert_eq!([named(0), named(1)], ["missing", "reversi-simple"], "{object}");
    assert!(!object["missing_house"][0]["reason"].as_str().unwrap().is_empty(), "{object}");
}

const HOUR: Duration = Duration::from_secs(3600);

/// Runs an entry through all stages within these bounds.
fn report(guest: &Guest, bounds: Bounds) -> Report {
    let contest = Contest::parse(CONTEST, &Games::default()).unwrap();
    let loader = Loader::for_contest(engine_processes().clone());
    let pipeline =
        Pipeline { contest: &contest, loader: &loader, house: Vec::new(), seed: 1, bounds };
    pipeline.run(&guest.bytes(), &mut ()).unwrap()
}

/// An entry with practically unlimited time fails at `stage`, with `words` in a finding.
#[track_caller]
fn check_fuel_refusal(guest: &Guest, fuel_beside: u64, (stage, words): (&str, &str)) {
    let bounds = Bounds { fuel_per_move: 100_000, fuel_beside, time_limit: HOUR };
    let report = report(guest, bounds);
    let refused = report.stages.iter().find(|stage| stage.outcome == StepOutcome::Failed);
    assert!(!report.undecided, "{report:?}");
    let refused = refused.unwrap();
    assert_eq!(refused.name, stage, "{report:?}");
    let found = refused.findings.iter().any(|finding| finding.sentence.contains(words));
    assert!(found, "{words}: {refused:?}");
}

/// Burns some million units of fuel, then evaluates `answer`.
fn burning(answer: &str) -> String {
    format!(
        "(local $n i32) (local.set $n (i32.const 2000000))
         (loop $on (br_if $on (local.tee $n (i32.sub (local.get $n) (i32.const 1))))) {answer}"
    )
}

#[test]
fn fuel_outside_of_budgets_is_limited() {
    let beside = ("compliance", "units of fuel outside of its move budgets");
    // With enough fuel every guest fails here, because it ignores excluded moves.
    let barred = ("compliance", "although it is barred");
    let done = "(i32.const 16)";
    for (part, answer) in [
        ("begin", ""),
        ("start", done),
        ("played", done),
        // Within the grace of each move, but beyond its budget.
        ("choose", "(call $pick) (i32.const 1024)"),
    ] {
        let guest = Guest::with(part, &burning(answer));
        check_fuel_refusal(&guest, 20_000_000, beside);
        check_fuel_refusal(&guest, 1 << 40, barred);
    }
    // `describe` is called only a few times.
    check_fuel_refusal(&Guest::with("describe", &burning("(i32.const 2048)")), 20_000_000, barred);
    check_fuel_refusal(&Guest::sound(), 20_000_000, barred);
}

#[test]
fn an_entry_that_hangs_is_refused_by_its_fuel() {
    let forever = "(loop $on (br $on)) unreachable";
    for (part, stage, words) in [
        ("begin", "compile", "units of fuel"),
        ("describe", "compile", "units of fuel"),
        ("start", "compliance", "step 3, starts: it"),
        ("played", "compliance", "step 6, positions: it"),
        ("choose", "compliance", "step 4, answers: it"),
    ] {
        let text = if part == "begin" { "(loop $on (br $on))" } else { forever };
        check_fuel_refusal(&Guest::with(part, text), 1 << 40, (stage, words));
    }
}

#[test]
fn an_entry_stopped_by_the_clock_is_undecided() {
    // Each start is within its limit; only their sum takes too long.
    let guest = Guest::with("start", &burning("(i32.const 16)").replace("2000000", "900000000"));
    let time_limit = Duration::from_millis(1500);
    let report = report(&guest, Bounds { time_limit, fuel_beside: 1 << 40, ..Bounds::default() });
    assert_eq!((report.accepted, report.undecided), (false, true), "{report:?}");
    let refused = report.stages.iter().find(|stage| stage.outcome == StepOutcome::Failed).unwrap();
    // The test can be stopped at any point.
    let sentences = ["takes more than 1 s", "the time for its whole test is up"];
    assert!(sentences.iter().any(|words| refused.sentence.contains(words)), "{refused:?}");
}
