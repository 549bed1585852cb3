//! `sandboard tune` by the real binary: repeated, killed, resumed, refused; and its results are
//! used.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use sandboard_tests::{binary, built, data_variables, root};
use serde_json::Value;
use tempfile::TempDir;

/// A temporary data folder, one for each test.
struct TestHome(TempDir);

const RUN: &str = "tune gomoku-rows:depth=1 --variant freestyle-9 --plies-max 24 --budget fuel:1e7/move \
                   --seed 7 --json";

impl TestHome {
    fn new() -> Self {
        for stem in ["gomoku-rows", "random-mover"] {
            built(&format!("{stem}.wasm"));
        }
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn command(&self, words: &str) -> Command {
        let mut command = Command::new(binary());
        command.envs(data_variables(self.0.path())).current_dir(self.0.path());
        command.env("SANDBOARD_ENGINES", root().join("engines-dir")).env_remove("RUST_LOG");
        command.args(words.split_whitespace());
        command
    }

    fn succeed(&self, words: &str) -> String {
        let output = self.command(words).output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{words}: {errors}");
        String::from_utf8(output.stdout).unwrap()
    }

    fn check_refused(&self, words: &str, code: i32, expected: &str) {
        let output = self.command(words).output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{words}: {errors}");
        assert!(errors.contains(expected), "{words}: {errors}");
    }

    /// The last event of a run, without its folder.
    fn end(&self, words: &str) -> Value {
        let output = self.succeed(words);
        let mut last: Value = serde_json::from_str(output.lines().last().unwrap()).unwrap();
        assert_eq!(last["event"], "end", "{last}");
        assert!(last.as_object_mut().unwrap().remove("folder").is_some());
        last
    }

    /// The results in the journal of a run, in the order of the requests.
    fn results(&self, dir: &str) -> Vec<Value> {
        let text = std::fs::read_to_string(self.path(dir).join("journal.jsonl")).unwrap();
        let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let mut results: Vec<Value> =
            lines.filter(|line| line["measurement"].is_object()).collect();
        results.sort_by_key(|line| line["measurement"]["request"]["number"].as_u64());
        results
    }
}

#[test]
fn the_same_seed_gives_the_same_run_after_kills() {
    let home = TestHome::new();
    let words =
        format!("{RUN} --set population=3 --measurements 7 --pairs 2 --final-pairs 2 --race 0");
    let whole = home.end(&format!("{words} --concurrency 2 --dir whole"));
    assert_eq!((&whole["complete"], &whole["measurements"]), (&true.into(), &7.into()));
    let pairs: u64 =
        whole["final_pairs"].as_array().unwrap().iter().filter_map(Value::as_u64).sum();
    assert_eq!((pairs, &whole["games"]), (2, &28.into()));
    assert_eq!(home.end(&format!("{words} --concurrency 1 --dir again")), whole);
    assert_eq!(home.results("again"), home.results("whole"));
    let other = words.replace("--seed 7", "--seed 8");
    home.end(&format!("{other} --dir other"));
    assert_ne!(home.results("other"), home.results("whole"));
    let mut next = format!("{words} --dir killed");
    for _ in 0..3 {
        let mut child = home.command(&next).stdout(Stdio::piped()).spawn().unwrap();
        // Killed during the second measurement.
        let read = BufReader::new(child.stdout.take().unwrap()).lines().take(1).count();
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(read, 1);
        next = "tune --resume killed --json".into();
    }
    assert_eq!(home.end(&next), whole);
    assert_eq!(home.results("killed"), home.results("whole"));
    // A complete run has nothing to do.
    assert_eq!(home.end("tune --resume killed --json"), whole);
}

#[test]
fn the_found_weights_can_be_used() {
    let home = TestHome::new();
    let words =
        "--option open-three=0..200 --method cma-es --measurements 8 --pairs 1 --final-pairs 0";
    let end = home.end(&format!("{RUN} {words} --dir found"));
    let weights = end["weights"].as_object().unwrap();
    assert_eq!(weights.keys().collect::<Vec<_>>(), ["open-three"]);
    let file = std::fs::read_to_string(home.path("found/weights.options")).unwrap();
    let value = weights["open-three"].as_f64().unwrap();
    assert!(file.contains(&format!("\nopen-three = {value}\n")), "{file}");
    assert!(home.path("found/report.html").is_file());
    let file = home.path("other.options");
    std::fs::write(&file, "# mine\nopen-three = 77\n").unwrap();
    let shown = home.succeed(
        "arena match gomoku-rows:options=other.options:depth=1 random-mover --pairs 1 \
         --variant freestyle-9 --budget fuel:1e7/move --plies-max 4 --dir m --json",
    );
    let last: Value = serde_json::from_str(shown.lines().last().unwrap()).unwrap();
    let options = &last["view"]["players"][0]["options"];
    assert_eq!((&options["open-three"], &options["depth"]), (&"77".into(), &"1".into()));
    std::fs::write(&file, "open-threee = 77\n").unwrap();
    let play = "play gomoku --seat gomoku-rows:options=other.options --seat random-mover";
    home.check_refused(play, 2, "unknown option `open-threee`; did you mean `open-three`?");
    std::fs::write(&file, "open-three\n").unwrap();
    home.check_refused(play, 2, "other.options, line 1: `open-three` is not an option");
    home.check_refused(
        &play.replace("other.options", "none"),
        2,
        "cannot read the option file none",
    );
}

#[test]
fn weights_are_tuned_by_agreement_with_given_games() {
    let home = TestHome::new();
    let moves = "e5 e6 d5 f5 d6 d4 f6 c5 g5 c4 e4 c6 c3 b5 g7";
    std::fs::write(home.path("masters.moves"), format!("{moves}\n")).unwrap();
    home.succeed(
        "convert masters.moves masters.sgf --from moves --variant freestyle-9 --game gomoku",
    );
    let words =
        "--agree masters.sgf --measurements 5 --positions 8 --final-pairs 0 --set population=2";
    let end = home.end(&format!("{RUN} {words} --dir a"));
    assert_eq!(end["measurements"], 5);
    for line in home.results("a") {
        assert_eq!(line["measurement"]["result"]["games"], 4, "{line}");
    }
    // The run has its own copy of the games.
    std::fs::remove_file(home.path("masters.sgf")).unwrap();
    assert_eq!(home.end("tune --resume a --json"), end);
    std::fs::write(home.path("a/games"), "other").unwrap();
    home.check_refused("tune --resume a", 1, "the hash of a/games is");
}

/// How often an engine with these weights agrees with games of the engine with default weights.
fn agreement(home: &TestHome, weights: &str) -> f64 {
    let words = "--variant freestyle-9 --agree own.sgf --positions 40 --measurements 1 --final-pairs 0 --race 0 \
                 --seed 3 --json --dir";
    let output = home.succeed(&format!("tune gomoku-rows:depth=1{weights} {words} run{weights}"));
    let first: Value = serde_json::from_str(output.lines().next().unwrap()).unwrap();
    first["result"]["share"].as_f64().unwrap()
}

#[test]
fn an_engine_agrees_with_its_own_games() {
    let home = TestHome::new();
    home.succeed(
        "arena match gomoku-rows:depth=1 gomoku-rows:depth=1 --pairs 1 --variant freestyle-9 \
         --budget fuel:1e7/move --dir m",
    );
    home.succeed("convert m own.sgf");
    let own = agreement(&home, "");
    assert!((own - 1.0).abs() < 1e-9, "{own}");
    let other = agreement(&home, ":open-three=0:open-four=0");
    assert!((0.1..0.95).contains(&other), "{other}");
}

#[test]
fn invalid_game_files_are_reported() {
    let home = TestHome::new();
    let moves = "e5 e6 d5 f5 d6 d4 f6 c5 g5 c4 e4 c6 c3 b5 g7";
    let check = |moves: &str, words: &str, expected: &[&str]| {
        let dir = tempfile::tempdir_in(home.0.path()).unwrap();
        std::fs::write(home.path("own.txt"), format!("{moves}\n")).unwrap();
        let words = format!(
            "{RUN} --agree own.txt {words} --measurements 1 --final-pairs 0 --dir {}",
            dir.path().display()
        );
        let output = home.command(&words).output().unwrap();
        let errors = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{errors}");
        let notes: Vec<&str> =
            errors.lines().filter_map(|line| line.strip_prefix("note: own.txt: ")).collect();
        assert_eq!(notes.len(), expected.len(), "{errors}");
        for (note, expected) in notes.iter().zip(expected) {
            assert!(note.starts_with(expected), "{note}");
        }
    };
    check(moves, "--positions 12", &[]);
    check(
        moves,
        "--positions 13",
        &["a measurement uses 12 positions instead of 13: the games have 15 "],
    );
    check(moves, "", &["a measurement uses 12 positions instead of 256: the games have 15 "]);
    let refused = format!("{moves} a1 g7 a2");
    check(&refused, "--positions 12", &["left out: 1 illegal move, and all later moves"]);
}

#[test]
fn weak_weights_cost_fewer_games() {
    let home = TestHome::new();
    let words = "--set population=2 --set remeasure-interval=0 --measurements 10 --pairs 12 --final-pairs 0";
    let games = |race: &str| {
        let end = home.end(&format!("{RUN} {words} --race {race} --dir race-{race}"));
        end["games"].as_u64().unwrap()
    };
    assert_eq!(games("0"), 10 * 24);
    assert!(games("0.5") < 10 * 24);
}

#[test]
fn runs_started_in_one_second_have_separate_folders() {
    let home = TestHome::new();
    let words = format!("{RUN} --measurements 1 --pairs 1 --final-pairs 0");
    let runs: Vec<_> = (0..4)
        .map(|_| home.command(&words).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap())
        .collect();
    for run in runs {
        let output = run.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    assert_eq!(std::fs::read_dir(home.path("tune")).unwrap().count(), 4);
}

#[test]
fn engines_that_cannot_be_tuned_are_refused() {
    let home = TestHome::new();
    for (words, code, expected) in [
        ("tune random-mover", 2, "engine `random-mover` has no tunable option"),
        ("tune gomoku-rows --option depth", 2, "has no tunable option `depth`"),
        ("tune gomoku-rows --option open-three=0..1e9", 2, "the engine accepts"),
        ("tune gomoku-rows --set popolation=3", 2, "unknown field `popolation`"),
        ("tune gomoku-rows --set population=0", 2, "`population` is 0"),
        ("tune gomoku-rows --race 2", 2, "race"),
        ("tune gomoku-rows --game xiangqi", 2, "does not play"),
        ("tune gomoku-rows --openings none.txt", 2, "none.txt"),
        ("tune gomoku-rows --agree none.sgf", 1, "cannot read none.sgf"),
        ("tune human", 2, "an engine is needed here"),
        ("tune", 2, "Usage"),
        ("tune --resume none", 1, "cannot open none/journal.jsonl"),
        ("tune --resume none --pairs 3", 2, "cannot be used with"),
        ("tune --resume none --seed 3", 2, "cannot be used with"),
        (
            "tune gomoku-rows --method spsa --against random-mover",
            2,
            "leave out --agree and --against",
        ),
        ("tune gomoku-rows --method spsa --agree none.sgf", 2, "leave out --agree and --against"),
    ] {
        home.check_refused(words, code, expected);
    }
    assert!(!home.path("tune").exists(), "a refused run leaves nothing");
}
