//! A whole contest by the real binary: made, entered, killed and gone on with, closed, decided.

use std::io::{BufRead, BufReader, Lines};
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Output, Stdio};

use sandboard_tests::{binary, built, root};
use serde_json::Value;
use sha2::{Digest, Sha256};
use tempfile::TempDir;

use crate::hostile::guest::Guest;

const CONTEST: &str = "name = \"Autumn\"\ngame = \"gomoku\"\nvariant = \"freestyle-9\"\nbudget = \"fuel:2e6/move\"\n\
                       house = [\"random-mover\", \"gomoku-simple\"]\nfinal_folds = 2\npublish_modules = true\nentries_per_day = 4\n";

struct Contest {
    home: TempDir,
}

/// Whoever runs a contest: a process, which is killed with this value.
struct Run {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Drop for Run {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Run {
    /// The next line that says so.
    fn until(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
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

    /// The next note with these words in it.
    fn note(&mut self, words: &str) {
        self.until(|event| event["text"].as_str().is_some_and(|text| text.contains(words)));
    }
}

impl Contest {
    fn new(file: &str) -> Self {
        for stem in ["random-mover", "gomoku-simple", "gomoku-rows"] {
            built(&format!("{stem}.wasm"));
        }
        let contest = Self { home: tempfile::tempdir().unwrap() };
        std::fs::write(contest.path("autumn.toml"), file).unwrap();
        contest
    }

    fn path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(binary());
        command.env("SANDBOARD_HOME", self.home.path()).current_dir(self.home.path());
        command.env("SANDBOARD_ENGINES", root().join("engines-dir")).env_remove("RUST_LOG");
        command.arg("contest").args(words);
        command
    }

    fn run(&self, words: &[&str]) -> Output {
        self.command(words).output().unwrap()
    }

    /// What is printed where all goes well, as JSON.
    fn told(&self, words: &[&str]) -> Value {
        let output = self.run(&[words, &["--json"]].concat());
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{words:?}: {errors}");
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{words:?}: {errors}"))
    }

    /// What is refused, with this exit code and these words.
    fn check_refused(&self, words: &[&str], code: i32, expected: &str) {
        let output = self.run(words);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{words:?}: {errors}");
        assert!(errors.contains(expected), "{words:?}: {errors}");
    }

    /// Somebody is let in: his token.
    fn enter(&self, name: &str) -> String {
        self.told(&["enter", "dir", name])["token"].as_str().unwrap().to_owned()
    }

    fn begin(&self) -> Run {
        let words = ["run", "dir", "--json", "--below-minimum", "--concurrency", "2"];
        let mut child = self.command(&words).stdout(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Run { child, lines }
    }

    /// An entry, as it ends: its state and its report.
    fn submit(&self, entry: &[u8], token: &str) -> Value {
        std::fs::write(self.path("entry.wasm"), entry).unwrap();
        let words = ["submit", "entry.wasm", "--dir", "dir", "--wait", "300", "--json"];
        let output = self.command(&words).env("SANDBOARD_ENTRANT_TOKEN", token).output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{errors}"))
    }

    fn show(&self) -> Value {
        self.told(&["show", "dir"])
    }
}

fn sha256(bytes: &[u8]) -> String {
    sandboard_host::hex(&Sha256::digest(bytes))
}

fn module(stem: &str) -> Vec<u8> {
    std::fs::read(built(&format!("{stem}.wasm"))).unwrap()
}

#[test]
fn a_contest_from_its_making_to_its_final() {
    let contest = Contest::new(CONTEST);
    let made = contest.told(&["create", "autumn.toml", "--dir", "dir"]);
    assert_eq!(made["commitment"].as_str().unwrap().len(), 64);
    contest.check_refused(&["create", "autumn.toml", "--dir", "dir"], 1, "holds a contest already");
    let (ann, bob) = (contest.enter("Ann"), contest.enter("Bob"));
    // Whoever is nobody, or the organiser, submits nothing.
    let organiser = made["token"].as_str().unwrap();
    std::fs::write(contest.path("entry.wasm"), b"1").unwrap();
    for (token, expected) in [("sbt-00", "nobody in this contest"), (organiser, "the organiser's")]
    {
        let words = ["submit", "entry.wasm", "--dir", "dir", "--token", token];
        contest.check_refused(&words, 2, expected);
    }

    let mut run = contest.begin();
    let refused = contest.submit(&Guest::with("choose", "unreachable").bytes(), &bob);
    assert_eq!((&refused["state"], &refused["entry"]), (&"refused".into(), &1.into()));
    let findings = &refused["report"]["stages"][3]["findings"];
    assert!(findings.to_string().contains("step 4, answers"), "{refused}");
    assert_eq!(contest.submit(&module("random-mover"), &ann)["state"], "accepted");
    run.note("Ann v1 is in");
    // A later entry takes the place of an earlier one.
    assert_eq!(contest.submit(&module("gomoku-rows"), &ann)["state"], "accepted");
    run.note("Ann v2 is in");
    run.note("Ann v1 has left");
    assert_eq!(contest.submit(&module("gomoku-rows"), &bob)["state"], "accepted");
    run.note("Bob v2 is in");
    let words = ["ask", "gomoku-simple", "--dir", "dir", "--side", "1", "--token", &ann];
    assert!(contest.run(&words).status.success());
    run.until(|event| event["event"] == "tried");
    contest.check_refused(&["run", "dir", "--below-minimum"], 1, "is run by another process");

    // A kill at any moment loses nothing: whoever is in plays on.
    drop(run);
    let before = contest.show();
    let mut run = contest.begin();
    run.until(|event| event["event"] == "games" && event["arena"] == "ladder");
    let told = contest.show();
    assert_eq!(told["entries"], before["entries"]);
    let names = |told: &Value| {
        let rows = told["standings"].as_array().unwrap().iter();
        let mut names: Vec<String> =
            rows.map(|row| row["name"].as_str().unwrap().to_owned()).collect();
        names.sort();
        names.join(", ")
    };
    assert_eq!(names(&told), "Ann v2, Bob v2, gomoku-simple, random-mover");
    assert_eq!(told["arena"], "ladder");
    // Two entries of one piece of work are told to the organiser.
    assert_eq!(told["flags"][0]["entries"], serde_json::json!([3, 4]), "{told}");
    assert_eq!(told["flags"][0]["identical"], true);

    assert!(contest.run(&["close", "dir"]).status.success());
    let words = ["submit", "entry.wasm", "--dir", "dir", "--token", &ann];
    contest.check_refused(&words, 2, "entries were taken until");
    run.note("everything is played");
    assert!(run.child.wait().unwrap().success());
    let told = contest.show();
    assert_eq!((&told["arena"], names(&told).as_str()), (&"final".into(), "Ann v2, Bob v2"));
    let games: Vec<&Value> =
        told["standings"].as_array().unwrap().iter().map(|row| &row["games"]).collect();
    assert_eq!(games, [4, 4]);

    // Who is disqualified has no place, and why is in the book.
    let words = ["disqualify", "dir", "Bob", "--reason", "a copy of entry 3"];
    assert!(contest.run(&words).status.success());
    let told = contest.show();
    let rows = told["standings"].as_array().unwrap();
    assert_eq!((&rows[0]["name"], &rows[0]["place"]), (&"Ann v2".into(), &1.into()));
    assert_eq!((&rows[1]["name"], &rows[1]["place"]), (&"Bob v2".into(), &Value::Null));
    assert!(told["acts"].to_string().contains("Bob is disqualified: a copy of entry 3"));
    contest.check_refused(&["close", "dir", "--at", "2100-01-01T00:00:00Z"], 2, "is closed");

    // What is published is replayed by anybody; entries are in it where the file says so.
    let bundled = contest.told(&["bundle", "dir", "-o", "autumn.zip"]);
    assert_eq!((&bundled["modules"], &bundled["left_out"]), (&3.into(), &0.into()), "{bundled}");
    let mut verify = Command::new(binary());
    verify.env("SANDBOARD_HOME", contest.path("elsewhere")).env_remove("RUST_LOG");
    verify.args(["verify", "--json", "--sample", "20%", "--bundle"]);
    let verified = verify.arg(contest.path("autumn.zip")).output().unwrap();
    let errors = String::from_utf8_lossy(&verified.stderr);
    assert!(verified.status.success(), "{errors}");
    let exported = contest.told(&["export", "dir", "-o", "files"]);
    assert_eq!((&exported["entries"], &exported["trials"]), (&4.into(), &1.into()), "{exported}");
    let all = std::fs::read_to_string(contest.path("files/contest.json")).unwrap();
    assert!(!all.contains("token") && !all.contains(&ann), "{all}");

    // The final again: another one, beside the first; Ann alone plays the house.
    assert!(contest.run(&["rerun", "dir", "--final"]).status.success());
    let mut run = contest.begin();
    run.note("everything is played");
    let told = contest.show();
    assert_eq!(told["arena"], "final-2");
    assert_eq!(names(&told), "Ann v2, gomoku-simple, random-mover");
    assert!(contest.path("dir/final/arena.db").is_file());
}

#[test]
fn an_entry_that_the_host_cannot_play_holds_up_nobody() {
    let contest = Contest::new(CONTEST);
    contest.told(&["create", "autumn.toml", "--dir", "dir"]);
    let ann = contest.enter("Ann");
    let mut run = contest.begin();
    let random = module("random-mover");
    assert_eq!(contest.submit(&random, &ann)["state"], "accepted");
    run.note("Ann v1 is in");
    run.until(|event| event["event"] == "games" && event["arena"] == "ladder");
    drop(run);
    // A damaged file is written again; a disk that does not let it be is the machine's fault.
    let file = contest.path(&format!("dir/modules/{}.wasm", sha256(&random)));
    std::fs::write(&file, b"damaged").unwrap();
    let mut run = contest.begin();
    run.until(|event| event["event"] == "games" && event["arena"] == "ladder");
    drop(run);
    assert_eq!(std::fs::read(&file).unwrap(), random);
    std::fs::remove_file(&file).unwrap();
    std::fs::create_dir_all(file.join("in the way")).unwrap();
    let mut run = contest.begin();
    run.note("is void, since pair-");
    run.note("Ann v1 plays no more until it is tried again");
    run.note("Ann v1 has left");
    // Its organiser and its entrant are told.
    let told = contest.show();
    assert!(told["acts"].to_string().contains("entry 1 of Ann plays no more"), "{told}");
    let told = contest.told(&["show", "dir", "--entry", "1"]);
    assert_eq!(told["entries"][0]["state"], "undecided", "{told}");
    let stages = told["report"]["stages"].as_array().unwrap();
    assert_eq!((stages.len(), &stages[6]["name"]), (7, &"games".into()));
    // The house plays on, and when the disk is sound again, so does the entry.
    run.until(|event| event["event"] == "games" && event["arena"] == "ladder");
    std::fs::remove_dir_all(&file).unwrap();
    assert!(contest.run(&["rerun", "dir", "--entry", "1"]).status.success());
    run.note("Ann v1 (2) is in");
    run.until(|event| event["event"] == "games" && event["arena"] == "ladder");
}

#[test]
fn what_is_no_contest_or_no_entrant_is_named() {
    let contest = Contest::new(&format!("{CONTEST}openings = \"book.txt\"\n"));
    contest.check_refused(&["create", "autumn.toml", "--dir", "dir"], 2, "book.txt cannot be read");
    assert!(!contest.path("dir").exists());
    std::fs::write(contest.path("book.txt"), "h8\nz99\n").unwrap();
    contest.check_refused(&["create", "autumn.toml", "--dir", "dir"], 2, "book.txt:2: ");
    std::fs::write(contest.path("book.txt"), "e5\ne4\n").unwrap();
    contest.check_refused(&["show", "dir"], 1, "holds no contest");
    contest.told(&["create", "autumn.toml", "--dir", "dir"]);
    contest.check_refused(&["enter", "dir", "a/b"], 2, "is no name of an entrant");
    contest.check_refused(&["enter", "dir", "gomoku-simple"], 2, "of the house");
    contest.check_refused(&["withdraw", "dir", "Eve"], 2, "nobody here is called `Eve`");
    contest.check_refused(&["rerun", "dir", "--entry", "9"], 2, "there is no entry 9");
    contest.check_refused(&["rerun", "dir", "--final"], 1, "no final of this contest");
    contest.check_refused(&["close", "dir", "--at", "soon"], 2, "`soon` is no moment");
    let words = ["run", "dir", "--below-minimum", "--engines-dir", "."];
    contest.check_refused(&words, 1, "`random-mover`, of the house, does not play here");
}
