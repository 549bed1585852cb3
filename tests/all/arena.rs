//! Arenas by the real binary: played, killed and resumed, refused, and controlled by other
//! processes.

mod events;
mod formats;
mod guard;
mod hostile;
mod kills;
mod nats;
mod postgres;
mod previous;
mod requests;
pub(crate) mod store;
mod tables;
mod testers;

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use sandboard_tests::{binary, built, data_variables, root};
use serde_json::Value;
use tempfile::TempDir;

/// A temporary data folder, one for each test.
struct TestHome(TempDir);

impl TestHome {
    fn new() -> Self {
        for stem in ["random-mover", "faulty", "gomoku-simple"] {
            built(&format!("{stem}.wasm"));
        }
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// The command `sandboard arena` with these arguments.
    fn command(&self, words: &str) -> Command {
        let mut command = Command::new(binary());
        command.envs(data_variables(self.0.path())).current_dir(self.0.path());
        command.env("SANDBOARD_ENGINES", root().join("engines-dir")).env_remove("RUST_LOG");
        command.arg("arena").args(words.split_whitespace());
        command
    }

    fn run(&self, words: &str) -> Output {
        self.command(words).output().unwrap()
    }

    /// Runs the command, which must succeed; its standard output.
    fn succeed(&self, words: &str) -> String {
        let output = self.run(words);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{words}: {errors}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// Plays an arena to its end; its view without the fields that differ between runs.
    fn play(&self, words: &str) -> Value {
        let output = self.succeed(&format!("{words} --json"));
        let mut last: Value = serde_json::from_str(output.lines().last().unwrap()).unwrap();
        assert_eq!(last["event"], "end", "{last}");
        assert_eq!(last["view"]["state"], "complete", "{last}");
        without_run_details(last["view"].take())
    }

    /// Runs the command, which must fail with `code`; its standard error.
    fn fail(&self, words: &str, code: i32) -> String {
        let output = self.run(words);
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{words}: {errors}");
        errors
    }

    /// The rows of the counted games, ordered by name.
    fn games(&self, dir: &str) -> Vec<Value> {
        let output = self.succeed(&format!("games {dir} --limit 100000 --json"));
        let mut games: Vec<Value> =
            output.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        games.reverse();
        for game in &mut games {
            assert!(game.as_object_mut().unwrap().remove("stored_ms").is_some());
        }
        games
    }

    fn record(&self, dir: &str, name: &str) -> Value {
        serde_json::from_str(&self.succeed(&format!("game {dir} {name}"))).unwrap()
    }
}

/// Removes what differs between runs: the arena's identity and measured times.
fn without_run_details(mut view: Value) -> Value {
    let fields = view.as_object_mut().unwrap();
    for name in ["id", "name", "created_at"] {
        assert!(fields.remove(name).is_some(), "{name}");
    }
    for player in view["players"].as_array_mut().unwrap() {
        for name in ["wall_us", "cpu_us", "cpu_moves", "cpu_fuel"] {
            assert!(player["totals"].as_object_mut().unwrap().remove(name).is_some(), "{name}");
        }
    }
    for fault in view["faults"].as_array_mut().unwrap() {
        fault.as_object_mut().unwrap().remove("replay");
    }
    view
}

#[test]
fn a_match_is_counted_and_stored() {
    let home = TestHome::new();
    let view = home.play("match random-mover random-mover --pairs 6 --seed 7 --dir m");
    let statistics = &view["match_statistics"];
    let pairs: Vec<u64> =
        statistics["pairs"].as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).collect();
    assert_eq!(pairs.iter().sum::<u64>(), 6);
    let half_points: u64 = pairs.iter().zip(0..).map(|(n, half_points)| n * half_points).sum();
    assert_eq!(view["players"][0]["half_points"], half_points);
    assert_eq!(statistics["score"]["value"], half_points as f64 / 24.0);
    assert!(statistics["superiority"].is_f64() && statistics["sprt"].is_null());
    assert_eq!(view["players"][0]["name"], "random-mover (1)");
    let games = home.games("m");
    assert_eq!(games.len(), 12);
    let mut plies = 0;
    for game in &games {
        let record = home.record("m", game["name"].as_str().unwrap());
        assert_eq!(
            record["plies"].as_array().unwrap().len(),
            game["plies"].as_u64().unwrap() as usize
        );
        assert_eq!(record["result"]["sentence"], game["sentence"]);
        plies += game["plies"].as_u64().unwrap();
    }
    assert_eq!(view["progress"]["plies"], plies);
    // `show` prints the final view, and no second arena starts in the same folder.
    let shown: Value = serde_json::from_str(&home.succeed("show m --json")).unwrap();
    assert_eq!(without_run_details(shown), view);
    let table = home.succeed("--resume m");
    assert!(table.contains("Elo") && table.contains("random-mover (2)"), "{table}");
    let again = home.fail("match random-mover random-mover --pairs 6 --seed 7 --dir m", 1);
    assert!(again.contains("holds an arena already"), "{again}");
    assert!(home.fail("game m pair-000007-1", 1).contains("no finished game `pair-000007-1`"));
    assert!(home.fail("show nowhere", 1).contains("nowhere is not the folder of an arena"));
}

#[test]
fn players_have_the_names_they_are_given_and_logs_have_tables() {
    let home = TestHome::new();
    let words = "match random-mover:name=old random-mover:name=new --pairs 3 --seed 7 \
                 --variant freestyle-9 --table-every 2 --dir m";
    let output = home.run(words);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    // After 2, 4 and 6 games.
    assert_eq!(errors.matches("old against new").count(), 3, "{errors}");
    let table = home.succeed("show m");
    assert!(table.contains("of 6 against new"), "{table}");
    let head = table.lines().find(|line| line.contains("  points  games")).unwrap();
    assert!(table.contains("  Elo  ") && !head.contains("Elo"), "{table}");
    let record = home.record("m", "pair-000001-1");
    assert_eq!(record["players"][0]["name"], "old");
    assert_eq!(record["players"][0]["engine"]["id"], "random-mover");
    // The same name twice gets numbers, as ids do.
    let words = "match random-mover:name=x random-mover:name=x --pairs 1 --variant freestyle-9 \
                 --budget 100ms --dir n";
    let output = home.run(words);
    let errors = String::from_utf8_lossy(&output.stderr);
    let note = "note: `100ms` is the time of a player for a whole game; for each move, write \
                `100ms/move`";
    assert!(errors.contains(note), "{errors}");
    let table = String::from_utf8_lossy(&output.stdout);
    assert!(table.contains("x (1)") && table.contains("x (2)"), "{table}");
}

#[test]
fn a_complete_arena_is_extended() {
    let home = TestHome::new();
    let own = "--seed 7 --variant freestyle-9 --budget nodes:100";
    let short = home.play(&format!("match random-mover gomoku-simple --pairs 2 {own} --dir m"));
    assert_eq!(short["progress"]["pairs"], 2);
    let before = home.games("m");
    let longer = home.play("--resume m --pairs 5");
    assert_eq!(longer["format"]["pairs"], 5);
    // The same games as of an arena that was as long from the beginning.
    let whole = home.play(&format!("match random-mover gomoku-simple --pairs 5 {own} --dir w"));
    assert_eq!(longer["match_statistics"], whole["match_statistics"]);
    assert_eq!(home.games("m")[..4], before[..]);
    assert!(home.succeed("show m").contains("match of 5 pairs"));
    let check = |words: &str, expected: &str| {
        let refused = home.fail(words, 2);
        assert!(refused.contains(expected), "{words}: {refused}");
    };
    check("--resume m --pairs 5", "it has 5 pairs already, so 5 pairs are no extension");
    check("--resume m --cycles 9", "--cycles 9: this arena counts pairs: --pairs N");
    check("--resume m --pairs 9 --rounds 9", "cannot be used with");
    check("--pairs 9", "--resume <DIR>");
    home.play(&format!("swiss random-mover random-mover random-mover --rounds 2 {own} --dir s"));
    check("--resume s --rounds 4", "3 players can play at most 3 rounds of a Swiss system");
    assert_eq!(home.play("--resume s --rounds 3")["progress"]["pairs"], 3);
    home.play(&format!("knockout random-mover random-mover {own} --dir k"));
    check("--resume k --rounds 3", "a knockout cannot be extended");
}

#[test]
fn openings_are_games_in_any_order() {
    let home = TestHome::new();
    let games = "(;FF[4]GM[4]SZ[15];B[hh];W[ih];B[jh])(;FF[4]GM[4]SZ[15];B[gh];W[fh];B[eh])";
    fs::write(home.path("games.sgf"), games).unwrap();
    fs::write(home.path("lines.txt"), "h8 i8\ng8 f8\n").unwrap();
    let play = |openings: &str, dir: &str| {
        let own = "--pairs 2 --seed 7 --variant freestyle-15 --budget nodes:10";
        home.play(&format!(
            "match random-mover random-mover {own} --openings {openings} --dir {dir}"
        ));
        ["pair-000001-1", "pair-000002-1"].map(|name| home.record(dir, name)["start"].clone())
    };
    let lines = play("lines.txt", "a");
    assert_ne!(lines[0], lines[1]);
    assert_eq!(play("games.sgf --opening-plies 2", "b"), lines);
    let turned = [lines[1].clone(), lines[0].clone()];
    assert_eq!(play("lines.txt --opening-start 2", "c"), turned);
    let random = play("lines.txt --opening-order random", "d");
    assert!(random == lines || random == turned);
    // A resumed arena has its openings from its store.
    fs::remove_file(home.path("games.sgf")).unwrap();
    home.play("--resume b --pairs 3");
    assert_eq!(home.record("b", "pair-000003-1")["start"], lines[0]);
    let refused = home.fail("match random-mover random-mover --pairs 1 --opening-start 2", 2);
    assert!(refused.contains("--openings <FILE>"), "{refused}");
}

#[test]
fn the_seed_determines_the_arena_at_any_concurrency() {
    let home = TestHome::new();
    std::fs::write(home.path("book"), "h8 i9 # two stones\nh8 h9 j8\n").unwrap();
    let words =
        "match gomoku-simple@depth:2 random-mover@nodes:100 --pairs 3 --seed 5 --openings book";
    let one = home.play(&format!("{words} --concurrency 1 --dir one"));
    let four = home.play(&format!("{words} --concurrency 4 --dir four"));
    assert_eq!(one, four);
    let moves = |dir: &str| -> Vec<Value> {
        let games = home.games(dir);
        assert_eq!(games.len(), 6);
        let record = |game: &Value| home.record(dir, game["name"].as_str().unwrap());
        let move_of = |ply: &Value| ply["move"].clone();
        let of =
            |game| record(game)["plies"].as_array().unwrap().iter().map(move_of).collect::<Value>();
        games.iter().map(of).collect()
    };
    let played = moves("one");
    assert_eq!(played, moves("four"));
    assert_eq!(one["by_opening"][1]["text"], "h8 h9 j8");
    home.play(&format!("{} --dir other", words.replace("--seed 5", "--seed 6")));
    assert_ne!(played, moves("other"));
}

#[test]
fn faults_lose_games_and_are_listed_by_code() {
    let home = TestHome::new();
    let view = home.play("match random-mover faulty:fault=panic:at=2 --pairs 2 --seed 1 --dir m");
    let statistics = &view["match_statistics"];
    assert_eq!(statistics["pairs"], serde_json::json!([0, 0, 0, 0, 2]));
    assert_eq!(statistics["elo"], Value::Null);
    assert!(statistics["elo_low"].is_f64() && statistics["elo_high"].is_null());
    let crash = &view["faults"][0];
    assert_eq!((&crash["code"], &crash["player"]), (&"crash".into(), &1.into()));
    assert_eq!((&crash["games"], &crash["first"]), (&4.into(), &"pair-000001-1".into()));
    assert!(crash["sentence"].as_str().unwrap().contains("asked to panic"), "{crash}");
    assert_eq!(view["players"][1]["totals"]["faults"], serde_json::json!({"crash": 4}));
    let without: Value = serde_json::from_str(&home.succeed("show m --json --no-faults")).unwrap();
    assert!(
        without["match_statistics"].is_null() && without["progress"]["games"] == 4,
        "{without}"
    );
    let view = home.play("match faulty:fault=occupied-point random-mover --pairs 1 --seed 1");
    assert_eq!(view["faults"][0]["code"], "illegal-move");
    assert_eq!(view["players"][0]["half_points"], 0);
}

#[test]
fn all_invalid_openings_are_reported_and_nothing_is_played() {
    let home = TestHome::new();
    std::fs::write(home.path("book"), "h8 h8\n\n# fine\nzz\na1 b2 a2 b3 a3 b4 a4 b5 a5\n").unwrap();
    let errors = home.fail("match random-mover random-mover --pairs 1 --openings book --dir m", 2);
    for part in [
        "book:1: move 2 `h8` is refused: ",
        "\nbook:4: is neither a line of moves (`zz` is refused: ",
        "\nbook:5: the game is over there: five in a row",
    ] {
        assert!(errors.contains(part), "{part:?} is not in {errors}");
    }
    assert!(!home.path("m").exists());
    let errors = home.fail("match random-mover random-mover --pairs 1 --openings nowhere", 2);
    assert!(errors.contains("the openings nowhere cannot be read"), "{errors}");
}

#[test]
fn an_arena_resumes_only_with_the_same_engines() {
    let home = TestHome::new();
    let engines = home.path("engines");
    std::fs::create_dir(&engines).unwrap();
    let manifest = r#"<EngineConfigs abi="1">
        <Engine id="r" name="R" author="A" version="1.0.0" kind="wasm" module="r.wasm">
        <Game id="gomoku" variants="freestyle"/></Engine></EngineConfigs>"#;
    std::fs::write(engines.join("EngineConfigs.xml"), manifest).unwrap();
    let mut module = std::fs::read(built("random-mover.wasm")).unwrap();
    std::fs::write(engines.join("r.wasm"), &module).unwrap();
    std::fs::write(home.path("book"), "h8\n").unwrap();
    let words = "match r r --pairs 1 --seed 1 --openings book --engines-dir engines";
    let first_run = home.play(&format!("{words} --dir m"));
    // The store keeps the opening book of the setup.
    std::fs::write(home.path("book"), "h9\n").unwrap();
    assert_eq!(home.play("--resume m --engines-dir engines"), first_run);
    assert!(home.fail(&format!("{words} --resume m"), 2).contains("--resume"));
    // A custom section `x`: the same engine with another hash.
    module.extend([0, 2, 1, b'x']);
    std::fs::write(engines.join("r.wasm"), &module).unwrap();
    let errors = home.fail("--resume m --engines-dir engines", 1);
    assert!(errors.contains("the module's hash of r (1) was "), "{errors}");
    assert!(home.fail("--resume nowhere", 1).contains("nowhere is not the folder of an arena"));
}

#[test]
fn games_are_converted_into_game_files() {
    let home = TestHome::new();
    home.play("match random-mover random-mover --pairs 2 --seed 1 --dir m");
    let convert = |words: &str| {
        let mut command = home.command("");
        command = Command::new(command.get_program());
        command.current_dir(home.0.path()).arg("convert").args(words.split(' '));
        let output = command.output().unwrap();
        assert!(output.status.success(), "{words}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(convert("m game-%d.sgf").lines().count(), 4);
    let one = convert("m/pair-000001-2 - --to sgf");
    assert!(
        one.starts_with("(;") && one == std::fs::read_to_string(home.path("game-2.sgf")).unwrap()
    );
}
