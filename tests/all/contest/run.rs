//! A whole contest by the real binary: created, entered, killed and resumed, closed, decided.

use std::io::{BufRead, BufReader, Lines};
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Output, Stdio};

use sandboard_tests::{binary, built, data_variables, root};
use serde_json::Value;
use sha2::{Digest, Sha256};
use tempfile::TempDir;

use crate::hostile::guest::Guest;

const CONTEST: &str = "name = \"Autumn\"\ngame = \"gomoku\"\nvariant = \"freestyle-9\"\nbudget = \"fuel:2e6/move\"\n\
                       house = [\"random-mover\", \"gomoku-simple\"]\nfinal_cycles = 2\npublish_modules = true\nentries_per_day = 4\n";

/// A folder with a contest file, and commands in it.
pub(crate) struct Contest {
    home: TempDir,
}

/// The process of `contest run`, killed on drop.
pub(crate) struct Run {
    pub(crate) child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Drop for Run {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Run {
    /// The next event for which `wanted` is true.
    pub(crate) fn until(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        let mut before = Vec::new();
        for line in self.lines.by_ref() {
            let event: Value = serde_json::from_str(&line.unwrap()).unwrap();
            if wanted(&event) {
                return event;
            }
            before.push(event.to_string());
        }
        panic!("{}", before.join("\n"))
    }

    /// Waits for a note that contains `words`.
    pub(crate) fn note(&mut self, words: &str) {
        self.until(|event| event["text"].as_str().is_some_and(|text| text.contains(words)));
    }
}

impl Contest {
    pub(crate) fn new(file: &str) -> Self {
        for stem in ["random-mover", "gomoku-simple", "gomoku-rows"] {
            built(&format!("{stem}.wasm"));
        }
        let contest = Self { home: tempfile::tempdir().unwrap() };
        std::fs::write(contest.path("autumn.toml"), file).unwrap();
        contest
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    pub(crate) fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(binary());
        command.envs(data_variables(self.home.path())).current_dir(self.home.path());
        command.env("SANDBOARD_ENGINES", root().join("engines-dir")).env_remove("RUST_LOG");
        command.arg("contest").args(words);
        command
    }

    pub(crate) fn run(&self, words: &[&str]) -> Output {
        self.command(words).output().unwrap()
    }

    /// Runs the command with `--json`, which must succeed; its output.
    pub(crate) fn run_json(&self, words: &[&str]) -> Value {
        let output = self.run(&[words, &["--json"]].concat());
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{words:?}: {errors}");
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{words:?}: {errors}"))
    }

    /// The command fails with `code` and `expected` on standard error.
    pub(crate) fn check_refused(&self, words: &[&str], code: i32, expected: &str) {
        let output = self.run(words);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{words:?}: {errors}");
        assert!(errors.contains(expected), "{words:?}: {errors}");
    }

    /// Adds an entrant; returns its token.
    pub(crate) fn add_entrant(&self, name: &str) -> String {
        self.run_json(&["add-entrant", "dir", name])["token"].as_str().unwrap().to_owned()
    }

    pub(crate) fn start(&self) -> Run {
        self.start_with(&[])
    }

    /// Starts `contest run` with more arguments.
    pub(crate) fn start_with(&self, more: &[&str]) -> Run {
        let words = ["run", "dir", "--json", "--below-minimum", "--concurrency", "2"];
        let words = [&words, more].concat();
        let mut child = self.command(&words).stdout(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Run { child, lines }
    }

    /// Submits an entry and waits for its test: state and report.
    pub(crate) fn submit(&self, entry: &[u8], token: &str) -> Value {
        std::fs::write(self.path("entry.wasm"), entry).unwrap();
        let words = ["submit", "entry.wasm", "--dir", "dir", "--wait", "300", "--json"];
        let output = self.command(&words).env("SANDBOARD_ENTRANT_TOKEN", token).output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{errors}"))
    }

    pub(crate) fn show(&self) -> Value {
        self.run_json(&["show", "dir"])
    }
}

fn sha256(bytes: &[u8]) -> String {
    sandboard_common::hex::hex(&Sha256::digest(bytes))
}

/// The bytes of a sample engine.
pub(crate) fn module(stem: &str) -> Vec<u8> {
    std::fs::read(built(&format!("{stem}.wasm"))).unwrap()
}

#[test]
fn a_contest_from_creation_to_final() {
    let contest = Contest::new(CONTEST);
    let made = contest.run_json(&["create", "autumn.toml", "--dir", "dir"]);
    assert_eq!(made["commitment"].as_str().unwrap().len(), 64);
    contest.check_refused(&["create", "autumn.toml", "--dir", "dir"], 1, "already holds a contest");
    let (ann, bob) = (contest.add_entrant("Ann"), contest.add_entrant("Bob"));
    // An unknown token and the organiser's token cannot submit.
    let organiser = made["token"].as_str().unwrap();
    std::fs::write(contest.path("entry.wasm"), b"1").unwrap();
    for (token, expected) in
        [("sbt-00", "not known in this contest"), (organiser, "the organiser's")]
    {
        let words = ["submit", "entry.wasm", "--dir", "dir", "--token", token];
        contest.check_refused(&words, 2, expected);
    }

    let mut run = contest.start();
    let refused = contest.submit(&Guest::with("choose", "unreachable").bytes(), &bob);
    assert_eq!((&refused["state"], &refused["entry"]), (&"refused".into(), &1.into()));
    let findings = &refused["report"]["stages"][3]["findings"];
    assert!(findings.to_string().contains("step 4, answers"), "{refused}");
    assert_eq!(contest.submit(&module("random-mover"), &ann)["state"], "accepted");
    run.note("Ann v1 has joined");
    // A later entry replaces an earlier one.
    assert_eq!(contest.submit(&module("gomoku-rows"), &ann)["state"], "accepted");
    run.note("Ann v2 has joined");
    run.note("Ann v1 is withdrawn");
    assert_eq!(contest.submit(&module("gomoku-rows"), &bob)["state"], "accepted");
    run.note("Bob v2 has joined");
    let words = ["trial", "gomoku-simple", "--dir", "dir", "--side", "1", "--token", &ann];
    assert!(contest.run(&words).status.success());
    run.until(|event| event["event"] == "trial");
    contest.check_refused(
        &["run", "dir", "--below-minimum"],
        1,
        "another process is running the contest",
    );

    // A kill loses nothing: the roster is the same afterwards.
    drop(run);
    let before = contest.show();
    let mut run = contest.start();
    run.until(|event| event["event"] == "games" && event["arena"] == "ladder");
    let shown = contest.show();
    assert_eq!(shown["entries"], before["entries"]);
    let names = |shown: &Value| {
        let rows = shown["standings"].as_array().unwrap().iter();
        let mut names: Vec<String> =
            rows.map(|row| row["name"].as_str().unwrap().to_owned()).collect();
        names.sort();
        names.join(", ")
    };
    assert_eq!(names(&shown), "Ann v2, Bob v2, gomoku-simple, random-mover");
    assert_eq!(shown["arena"], "ladder");
    // Similar entries are reported to the organiser.
    assert_eq!(shown["flags"][0]["entries"], serde_json::json!([3, 4]), "{shown}");
    assert_eq!(shown["flags"][0]["identical"], true);
    // Ann's first entry is a house engine; the others are none.
    let copies = shown["house_copies"].as_array().unwrap();
    let copies: Vec<(&Value, &Value)> =
        copies.iter().map(|copy| (&copy["entry"], &copy["house"])).collect();
    assert_eq!(copies, [(&2.into(), &"random-mover".into())], "{shown}");

    assert!(contest.run(&["close", "dir"]).status.success());
    let words = ["submit", "entry.wasm", "--dir", "dir", "--token", &ann];
    contest.check_refused(&words, 2, "entries were taken until");
    run.note("the contest is over");
    assert!(run.child.wait().unwrap().success());
    let shown = contest.show();
    assert_eq!((&shown["arena"], names(&shown).as_str()), (&"final".into(), "Ann v2, Bob v2"));
    let games: Vec<&Value> =
        shown["standings"].as_array().unwrap().iter().map(|row| &row["games"]).collect();
    assert_eq!(games, [4, 4]);

    // A disqualified entrant has no rank, and the activity log has the reason.
    let words = ["disqualify", "dir", "Bob", "--reason", "a copy of entry 3"];
    assert!(contest.run(&words).status.success());
    let shown = contest.show();
    let rows = shown["standings"].as_array().unwrap();
    assert_eq!((&rows[0]["name"], &rows[0]["place"]), (&"Ann v2".into(), &1.into()));
    assert_eq!((&rows[1]["name"], &rows[1]["place"]), (&"Bob v2".into(), &Value::Null));
    assert!(shown["audit_log"].to_string().contains("Bob is disqualified: a copy of entry 3"));
    contest.check_refused(&["close", "dir", "--at", "2100-01-01T00:00:00Z"], 2, "is closed");

    // Anyone can replay the published bundle; it has the entries if the contest file says so.
    let bundled = contest.run_json(&["bundle", "dir", "-o", "autumn.zip"]);
    assert_eq!((&bundled["modules"], &bundled["omitted"]), (&3.into(), &0.into()), "{bundled}");
    let mut verify = Command::new(binary());
    verify.envs(data_variables(contest.path("elsewhere"))).env_remove("RUST_LOG");
    verify.args(["verify", "--json", "--sample", "20%", "--bundle"]);
    let verified = verify.arg(contest.path("autumn.zip")).output().unwrap();
    let errors = String::from_utf8_lossy(&verified.stderr);
    assert!(verified.status.success(), "{errors}");
    let exported = contest.run_json(&["export", "dir", "-o", "files"]);
    assert_eq!((&exported["entries"], &exported["trials"]), (&4.into(), &1.into()), "{exported}");
    let all = std::fs::read_to_string(contest.path("files/contest.json")).unwrap();
    assert!(!all.contains("token") && !all.contains(&ann), "{all}");

    // A rerun is a second final beside the first; Ann plays the house engines alone.
    assert!(contest.run(&["rerun", "dir", "--final"]).status.success());
    let mut run = contest.start();
    run.note("the contest is over");
    let shown = contest.show();
    assert_eq!(shown["arena"], "final-2");
    assert_eq!(names(&shown), "Ann v2, gomoku-simple, random-mover");
    assert!(contest.path("dir/final/arena.db").is_file());
}

/// Chance and hidden cards: the cards of a game follow from the seed that the contest keeps secret.
#[test]
fn a_contest_of_a_plugged_in_game_is_verified() {
    let contest = Contest::new(
        "name = \"Cards\"\ngame = \"kuhn-poker\"\nbudget = \"fuel:2e6/move\"\n\
         house = [\"kuhn-equilibrium\"]\nladder = false\nfinal_cycles = 3\n\
         publish_modules = true\n",
    );
    built("kuhn-equilibrium.wasm");
    let made = contest.run_json(&["create", "autumn.toml", "--dir", "dir"]);
    let entrants = [("Ann", "general-mcts"), ("Bob", "random-legal")];
    let tokens = entrants.map(|(name, _)| contest.add_entrant(name));
    let mut run = contest.start();
    for ((_, stem), token) in entrants.iter().zip(&tokens) {
        let entry = contest.submit(&module(stem), token);
        assert_eq!(entry["state"], "accepted", "{entry}");
    }
    assert!(contest.run(&["close", "dir"]).status.success());
    run.note("the contest is over");
    assert!(run.child.wait().unwrap().success());
    let shown = contest.show();
    let rows = shown["standings"].as_array().unwrap().iter();
    assert_eq!(rows.map(|row| row["games"].clone()).collect::<Vec<_>>(), [6, 6], "{shown}");
    contest.run_json(&["bundle", "dir", "-o", "cards.zip"]);
    let verify = |engines: PathBuf| {
        let mut verify = Command::new(binary());
        verify.envs(data_variables(contest.path("elsewhere"))).env_remove("RUST_LOG");
        verify.env("SANDBOARD_ENGINES", engines).args(["verify", "--commitment"]);
        let commitment = made["commitment"].as_str().unwrap();
        let output = verify.arg(commitment).arg("--bundle").arg(contest.path("cards.zip"));
        let Output { status, stdout, stderr } = output.output().unwrap();
        let text = [stdout, stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
        (status.code(), text.concat())
    };
    let (code, text) = verify(root().join("engines-dir"));
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("verified: 6 games of 1 arena are identical"), "{text}");
    // A reader without the game learns what is missing.
    std::fs::create_dir(contest.path("none")).unwrap();
    let (code, text) = verify(contest.path("none"));
    assert_eq!(code, Some(2), "{text}");
    let missing = "it plays `kuhn-poker`, which this host does not know; put the game into the ";
    assert!(text.contains(missing), "{text}");
}

#[test]
fn an_entry_that_the_host_cannot_load_does_not_block_the_contest() {
    let contest = Contest::new(CONTEST);
    contest.run_json(&["create", "autumn.toml", "--dir", "dir"]);
    let ann = contest.add_entrant("Ann");
    let mut run = contest.start();
    let random = module("random-mover");
    assert_eq!(contest.submit(&random, &ann)["state"], "accepted");
    run.note("Ann v1 has joined");
    run.until(|event| event["event"] == "games" && event["arena"] == "ladder");
    drop(run);
    // A damaged file is written again. If that fails, the machine is at fault, not the entry.
    let file = contest.path(&format!("dir/modules/{}.wasm", sha256(&random)));
    std::fs::write(&file, b"damaged").unwrap();
    let mut run = contest.start();
    run.until(|event| event["event"] == "games" && event["arena"] == "ladder");
    drop(run);
    assert_eq!(std::fs::read(&file).unwrap(), random);
    std::fs::remove_file(&file).unwrap();
    std::fs::create_dir_all(file.join("in the way")).unwrap();
    let mut run = contest.start();
    run.note("is void, because pair-");
    run.note("Ann v1 is suspended until it is tested again");
    run.note("Ann v1 is withdrawn");
    // Organiser and entrant can see the state.
    let shown = contest.show();
    assert!(shown["audit_log"].to_string().contains("entry 1 of Ann is suspended"), "{shown}");
    let shown = contest.run_json(&["show", "dir", "--entry", "1"]);
    assert_eq!(shown["entries"][0]["state"], "undecided", "{shown}");
    let stages = shown["report"]["stages"].as_array().unwrap();
    assert_eq!((stages.len(), &stages[6]["name"]), (7, &"games".into()));
    // The house engines continue; the entry continues after the disk is repaired.
    run.until(|event| event["event"] == "games" && event["arena"] == "ladder");
    std::fs::remove_dir_all(&file).unwrap();
    assert!(contest.run(&["rerun", "dir", "--entry", "1"]).status.success());
    run.note("Ann v1 (2) has joined");
    run.until(|event| event["event"] == "games" && event["arena"] == "ladder");
}

#[test]
fn invalid_contests_and_entrants_are_reported() {
    let contest = Contest::new(&format!("{CONTEST}openings = \"book.txt\"\n"));
    contest.check_refused(&["create", "autumn.toml", "--dir", "dir"], 2, "book.txt cannot be read");
    assert!(!contest.path("dir").exists());
    std::fs::write(contest.path("book.txt"), "h8\nz99\n").unwrap();
    contest.check_refused(&["create", "autumn.toml", "--dir", "dir"], 2, "book.txt:2: ");
    std::fs::write(contest.path("book.txt"), "e5\ne4\n").unwrap();
    contest.check_refused(&["show", "dir"], 1, "holds no contest");
    contest.run_json(&["create", "autumn.toml", "--dir", "dir"]);
    contest.check_refused(&["add-entrant", "dir", "a/b"], 2, "is not a valid name");
    let words = ["add-entrant", "dir", "gomoku-simple"];
    contest.check_refused(&words, 2, "the name of a house engine");
    // A second admission keeps the token; a new one is explicit.
    let ann = contest.add_entrant("Ann");
    contest.check_refused(&["add-entrant", "dir", "Ann"], 2, "`Ann` is an entrant already");
    std::fs::write(contest.path("entry.wasm"), b"1").unwrap();
    let submit = |token: &str| {
        contest.run(&["submit", "entry.wasm", "--dir", "dir", "--wait", "0", "--token", token])
    };
    assert!(String::from_utf8_lossy(&submit(&ann).stdout).contains("entry 1 is submitted"));
    let renewed = contest.run_json(&["add-entrant", "dir", "Ann", "--new-token"]);
    let renewed = renewed["token"].as_str().unwrap();
    assert!(String::from_utf8_lossy(&submit(renewed).stdout).contains("entry 2 is submitted"));
    assert!(String::from_utf8_lossy(&submit(&ann).stderr).contains("the token is not known"));
    contest.check_refused(&["withdraw", "dir", "Eve"], 2, "no entrant is called `Eve`");
    contest.check_refused(&["rerun", "dir", "--entry", "9"], 2, "there is no entry 9");
    contest.check_refused(&["rerun", "dir", "--final"], 1, "this contest has no final yet");
    contest.check_refused(&["close", "dir", "--at", "soon"], 2, "`soon` is not a valid date");
    let words = ["run", "dir", "--below-minimum", "--engines-dir", "."];
    contest.check_refused(&words, 1, "house engine `random-mover` cannot play");
}
