//! Matches by the real binary: finished, killed and resumed, refused.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use sandboard_tests::{built, root};
use serde_json::Value;
use tempfile::TempDir;

/// The binary beside the tests.
fn binary() -> PathBuf {
    let tests = std::env::current_exe().expect("a test knows its file");
    let name = format!("sandboard{}", std::env::consts::EXE_SUFFIX);
    let found = tests.ancestors().map(|folder| folder.join(&name)).find(|path| path.is_file());
    found.unwrap_or_else(|| panic!("{name} is missing: run `cargo build -p sandboard-host`"))
}

/// A data folder of its own for each test.
struct Home(TempDir);

impl Home {
    fn new() -> Self {
        for stem in ["random-mover", "faulty", "gomoku-simple"] {
            built(&format!("{stem}.wasm"));
        }
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn command(&self, words: &str) -> Command {
        let mut command = Command::new(binary());
        command.env("SANDBOARD_HOME", self.0.path()).current_dir(self.0.path());
        command.env("SANDBOARD_ENGINES", root().join("engines-dir")).env_remove("RUST_LOG");
        command.args(["arena", "match"]).args(words.split_whitespace());
        command
    }

    fn run(&self, words: &str) -> Output {
        self.command(words).output().unwrap()
    }

    /// The JSON of a match that ends well, less what differs from run to run.
    fn play(&self, words: &str) -> Value {
        let output = self.run(&format!("{words} --json"));
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{words}: {errors}");
        let mut json: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(json["complete"], true, "{json}");
        let fields = json.as_object_mut().unwrap();
        assert!(fields.remove("timing").is_some() && fields.remove("folder").is_some());
        json
    }

    /// What a match that fails writes on standard error.
    fn fail(&self, words: &str, code: i32) -> String {
        let output = self.run(words);
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{words}: {errors}");
        errors
    }
}

/// The records of a match's folder: how many, and by name their moves.
fn moves(dir: &Path) -> BTreeMap<String, Vec<String>> {
    let record = |path: PathBuf| {
        let json: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        assert!(json["result"].is_object(), "{} is unfinished", path.display());
        let plies = json["plies"].as_array().unwrap().iter();
        plies.map(|ply| ply["move"].as_str().unwrap().to_owned()).collect()
    };
    let entries = std::fs::read_dir(dir.join("games")).unwrap().map(|entry| entry.unwrap());
    let named = |entry: std::fs::DirEntry| entry.file_name().into_string().unwrap();
    entries.map(|entry| (entry.path(), named(entry))).map(|(p, n)| (n, record(p))).collect()
}

#[test]
fn a_match_is_counted_and_kept() {
    let home = Home::new();
    let json = home.play("random-mover random-mover --pairs 6 --seed 7 --dir m");
    let score = &json["score"];
    let count = |name: &str| score[name].as_u64().unwrap();
    assert_eq!(count("wins") + count("draws") + count("losses"), 12);
    let pairs: Vec<u64> =
        score["pairs"].as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).collect();
    assert_eq!(pairs.iter().sum::<u64>(), 6);
    let by_pairs: u64 = pairs.iter().zip(0..).map(|(n, half_points)| n * half_points).sum();
    assert_eq!(by_pairs as f64 / 2.0, score["points"].as_f64().unwrap());
    assert!(json["elo"]["superiority"].is_f64());
    assert_eq!(json["players"][0]["name"], "random-mover (A)");
    assert_eq!(json["players"][1]["sides"]["white"].as_object().unwrap().len(), 3);
    let kept = moves(&home.path("m"));
    assert_eq!(kept.len(), 12);
    assert_eq!(kept.values().map(Vec::len).sum::<usize>() as u64, json["plies"].as_u64().unwrap());
    // People get a table, and the same match does not begin twice in one folder.
    let table = String::from_utf8(home.run("--resume m").stdout).unwrap();
    assert!(table.contains("  score    ") && table.contains("  Elo      "), "{table}");
    let again = home.fail("random-mover random-mover --pairs 6 --seed 7 --dir m", 1);
    assert!(again.contains("holds a match already"), "{again}");
}

#[test]
fn a_seed_is_a_match_whatever_the_concurrency() {
    let home = Home::new();
    std::fs::write(home.path("book"), "h8 i9 # two stones\nh8 h9 j8\n").unwrap();
    let words = "gomoku-simple@depth:2 random-mover@nodes:100 --pairs 3 --seed 5 --openings book";
    let one = home.play(&format!("{words} --concurrency 1 --dir one"));
    let four = home.play(&format!("{words} --concurrency 4 --dir four"));
    assert_eq!(one, four);
    let played = moves(&home.path("one"));
    assert_eq!(played, moves(&home.path("four")));
    assert_eq!(played.len(), 6);
    let other = words.replace("--seed 5", "--seed 6");
    home.play(&format!("{other} --dir other"));
    assert_ne!(played, moves(&home.path("other")));
}

/// Kills a match as soon as so many records are there; false: it was over first.
fn kill_after(mut command: Command, games: &Path, records: usize) -> bool {
    let mut child =
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the binary starts");
    let deadline = Instant::now() + Duration::from_secs(120);
    let there = || std::fs::read_dir(games).map_or(0, Iterator::count);
    while there() < records && child.try_wait().unwrap().is_none() {
        assert!(Instant::now() < deadline, "no records came");
        std::thread::yield_now();
    }
    child.kill().unwrap();
    !child.wait().unwrap().success()
}

#[test]
fn a_killed_match_ends_as_an_undisturbed_one() {
    const MATCH: &str =
        "random-mover random-mover --pairs 200 --seed 11 --budget nodes:100 --concurrency 2";
    let home = Home::new();
    let undisturbed = home.play(&format!("{MATCH} --dir whole"));
    let games = home.path("killed/games");
    let begin = home.command(&format!("{MATCH} --dir killed"));
    assert!(kill_after(begin, &games, 20), "the match was over before it was killed");
    // Again in the middle of resuming, where more is there already.
    let finished = std::fs::read_dir(&games).unwrap().count();
    kill_after(home.command("--resume killed"), &games, finished + 20);
    let before = moves_of_finished(&games);
    assert!(before.len() >= 20, "{} records", before.len());
    assert_eq!(home.play("--resume killed"), undisturbed);
    let (killed, whole) = (moves(&home.path("killed")), moves(&home.path("whole")));
    assert_eq!(whole.len(), 400);
    assert_eq!(killed, whole);
    // No finished game was played a second time.
    let after = moves_of_finished(&games);
    assert!(before.iter().all(|(name, bytes)| after[name] == *bytes));
}

/// The records as they are on the disk, temporary files left out.
fn moves_of_finished(games: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = std::fs::read_dir(games).unwrap().map(|entry| entry.unwrap());
    let named = entries.map(|entry| (entry.file_name().into_string().unwrap(), entry.path()));
    let finished = named.filter(|(name, _)| name.ends_with(".json"));
    finished.map(|(name, path)| (name, std::fs::read(path).unwrap())).collect()
}

#[test]
fn faults_are_lost_games_with_a_name() {
    let home = Home::new();
    let json = home.play("random-mover faulty:fault=panic:at=2 --pairs 2 --seed 1");
    assert_eq!(json["score"]["pairs"], serde_json::json!([0, 0, 0, 0, 2]));
    assert_eq!(json["elo"]["difference"], Value::Null);
    assert!(json["elo"]["low"].is_f64() && json["elo"]["high"].is_null());
    let crash = &json["players"][1]["faults"]["crash"];
    assert_eq!((&crash["games"], &crash["first"]), (&4.into(), &"pair-000001-1".into()));
    assert!(crash["sentence"].as_str().unwrap().contains("asked to panic"), "{crash}");
    let replay = crash["replay"].as_str().unwrap();
    assert!(replay.ends_with("pair-000001-1.json --ply 3 --player 1"), "{replay}");
    assert_eq!(json["players"][0]["faults"], serde_json::json!({}));
    let json = home.play("faulty:fault=occupied random-mover --pairs 1 --seed 1");
    assert_eq!(json["players"][0]["faults"]["illegal-move"]["games"], 2, "{json}");
    assert_eq!(json["score"]["points"], 0.0);
}

#[test]
fn wrong_openings_are_all_named_and_nothing_is_played() {
    let home = Home::new();
    std::fs::write(home.path("book"), "h8 h8\n\n# fine\nzz\na1 b2 a2 b3 a3 b4 a4 b5 a5\n").unwrap();
    let errors = home.fail("random-mover random-mover --pairs 1 --openings book --dir m", 2);
    for part in [
        "book:1: move 2 `h8` is refused: ",
        "\nbook:4: is neither a line of moves (`zz` is refused: ",
        "\nbook:5: the game is over there: five in a row",
    ] {
        assert!(errors.contains(part), "{part:?} is not in {errors}");
    }
    assert!(!home.path("m").exists());
    let errors = home.fail("random-mover random-mover --pairs 1 --openings nowhere", 2);
    assert!(errors.contains("the openings nowhere cannot be read"), "{errors}");
}

#[test]
fn only_the_identical_match_is_resumed() {
    let home = Home::new();
    let engines = home.path("engines");
    std::fs::create_dir(&engines).unwrap();
    let manifest = r#"<EngineConfigs abi="1">
        <Engine id="r" name="R" author="A" version="1.0.0" kind="wasm" module="r.wasm">
        <Game id="gomoku" variants="freestyle"/></Engine></EngineConfigs>"#;
    std::fs::write(engines.join("EngineConfigs.xml"), manifest).unwrap();
    let mut module = std::fs::read(built("random-mover.wasm")).unwrap();
    std::fs::write(engines.join("r.wasm"), &module).unwrap();
    std::fs::write(home.path("book"), "h8\n").unwrap();
    let words = "r r --pairs 1 --seed 1 --openings book --engines-dir engines";
    let begun = home.play(&format!("{words} --dir m"));
    assert_eq!(home.play(&format!("{words} --resume m")), begun);
    let other = "r r@2s/move --pairs 2 --seed 3 --variant freestyle-9 --engines-dir engines";
    let errors = home.fail(&format!("{other} --resume m"), 1);
    for part in [
        "the variant was freestyle-15 and is freestyle-9; ",
        "the seed was 1 and is 3; the number of pairs was 1 and is 2; ",
        "the budget of player B was 1s/move and is 2s/move",
    ] {
        assert!(errors.contains(part), "{part:?} is not in {errors}");
    }
    // A custom section `x`: the same engine by another hash.
    module.extend([0, 2, 1, b'x']);
    std::fs::write(engines.join("r.wasm"), &module).unwrap();
    let errors = home.fail("--resume m --engines-dir engines", 1);
    assert!(errors.contains("the module's hash of player A was "), "{errors}");
    std::fs::write(home.path("m/openings.txt"), "h9\n").unwrap();
    let errors = home.fail("--resume m --engines-dir engines", 1);
    assert!(errors.contains("the file of openings was those with the hash "), "{errors}");
}
