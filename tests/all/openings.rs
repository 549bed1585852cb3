//! `arena openings` by the real binary: the same result at any concurrency, fair by the engine's
//! scores, and usable in a match.

use std::collections::HashSet;
use std::path::PathBuf;
use std::process::{Command, Output};

use sandboard_arena::read_openings;
use sandboard_bout::start::StartPosition;
use sandboard_games::gomoku::INFO;
use sandboard_games::{reversi, xiangqi};
use sandboard_tests::{binary, built, data_variables, root};
use tempfile::TempDir;

struct TestHome(TempDir);

impl TestHome {
    fn new() -> Self {
        for stem in ["random-mover", "gomoku-alpha"] {
            built(&format!("{stem}.wasm"));
        }
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn arena(&self, words: &str) -> Output {
        let mut command = Command::new(binary());
        command.envs(data_variables(self.0.path())).current_dir(self.0.path());
        command.env("SANDBOARD_ENGINES", root().join("engines-dir")).env_remove("RUST_LOG");
        command.arg("arena").args(words.split_whitespace()).output().unwrap()
    }

    /// Finds openings; the header lines and the openings of the file.
    fn find(&self, words: &str) -> (Vec<String>, Vec<String>) {
        let output = self.arena(&format!("openings {words} --out found.txt"));
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{words}: {errors}");
        let text = std::fs::read_to_string(self.path("found.txt")).unwrap();
        text.lines().map(str::to_owned).partition(|line| line.starts_with('#'))
    }

    #[track_caller]
    fn check_refused(&self, words: &str, code: i32, expected: &str) {
        let output = self.arena(&format!("openings {words} --out refused.txt"));
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{words}: {errors}");
        assert!(errors.contains(expected), "{words}: {errors}");
        assert!(!self.path("refused.txt").exists(), "{words}");
    }
}

const CRITERIA: &str = "gomoku-alpha:table-mib=1 --game gomoku --variant standard-11 --count 6 --seed 5 \
    --plies 3-6 --begin f6 --draw nodes:60 --budget nodes:2000 --margin 120";

#[test]
fn the_same_criteria_find_the_same_openings_at_any_concurrency() {
    let home = TestHome::new();
    let (head, found) = home.find(&format!("{CRITERIA} --concurrency 1"));
    assert_eq!(home.find(&format!("{CRITERIA} --concurrency 4")), (head.clone(), found.clone()));
    assert!(head[0].contains("6 openings of Gomoku, standard-11"), "{head:?}");
    assert!(head.iter().any(|line| line.contains("--plies 3-6 --margin 120")), "{head:?}");
    assert_eq!(found.len(), 6);
    let variant = INFO.variant("standard-11").unwrap();
    let mut positions = HashSet::new();
    for line in &found {
        let (moves, score) = line.split_once(" # ").unwrap();
        let score: i32 = score.split(' ').next().unwrap().parse().unwrap();
        assert!(score.abs() <= 120, "{line}");
        let mut game = (INFO.new)(&variant, None).unwrap();
        for mv in moves.split(' ') {
            game.play(mv).unwrap();
        }
        assert!(moves.starts_with("f6 "), "{line}");
        assert!((3..=6).contains(&game.plies()) && !game.is_over(), "{line}");
        assert!(positions.insert(game.position()), "twice: {line}");
    }
    let other = home.find(&CRITERIA.replace("--seed 5", "--seed 6"));
    assert_ne!(other.1, found);
    let played = home.arena(
        "match random-mover random-mover --variant standard-11 --pairs 6 --openings found.txt --seed 1",
    );
    assert!(played.status.success(), "{}", String::from_utf8_lossy(&played.stderr));
}

#[test]
fn failures_are_reported_and_leave_no_file() {
    let home = TestHome::new();
    home.check_refused("random-mover --count 1", 1, "engine `random-mover` gives no scores");
    let impossible = "gomoku-alpha:table-mib=1 --game gomoku --variant freestyle-5 --count 1 --seed 1 \
        --plies 0 --margin 0 --draw nodes:20 --budget depth:1";
    let two = impossible.replace("--count 1", "--count 2");
    home.check_refused(&two, 1, "of 120 candidates only");
    home.check_refused("gomoku-alpha --begin z9 --seed 1", 1, "`z9` is refused");
    home.check_refused("gomoku-alpha --plies 8-4", 2, "a range such as 4-8");
    home.check_refused("gomoku-alpha --draw 1s/move", 2, "must be in the same unit");
    home.check_refused("missing", 2, "missing");
}

#[test]
fn every_variant_without_a_procedure_has_200_openings_that_differ() {
    let gomoku = ["freestyle", "standard", "caro", "renju"].map(|id| (&INFO, id, "-15"));
    let others = [(&reversi::INFO, "standard", "-8"), (&xiangqi::INFO, "computer", "")];
    for (info, id, size) in gomoku.into_iter().chain(others) {
        let path = root().join("openings").join(info.id).join(id).with_extension("txt");
        let variant = info.variant(id).unwrap();
        let openings = read_openings(&path, info, &variant).unwrap_or_else(|e| panic!("{e}"));
        let positions: HashSet<u64> = openings.starts.iter().map(position_of).collect();
        assert_eq!(positions.len(), openings.starts.len(), "{id}: some are symmetric to others");
        assert!(positions.len() >= 200, "{id}: {}", positions.len());
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.contains(&format!("--variant {id}{size}")), "{id}");
    }
}

fn position_of(start: &StartPosition) -> u64 {
    let game = (start.game.new)(&start.variant, start.position.as_deref()).unwrap();
    game.symmetric_hash()
}
