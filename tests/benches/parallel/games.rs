//! The positions of each game with the engine that searches them.

use sandboard_abi::Setup;
use sandboard_tests::{gomoku as freestyle, root};
use serde_json::Value;

/// Positions of a game, an engine for them, and the search depth.
pub(crate) struct Game {
    pub engine: &'static str,
    pub setups: Vec<Setup>,
    /// Search depth in plies; `None` for a search until the result is proved.
    pub depth: Option<u32>,
}

/// Step between the used openings of a file.
const STEP: usize = 18;
/// Empty squares of the reversi endings.
const EMPTIES: u64 = 14;

/// Openings of matches.
pub(crate) fn gomoku() -> Game {
    let setups = openings("gomoku/freestyle.txt", gomoku_after);
    Game { engine: "gomoku-alpha", setups, depth: Some(13) }
}

/// Endings of the fixtures, solved by an engine with a simple evaluation.
pub(crate) fn reversi() -> Game {
    let json = fixture("tests/fixtures/reversi/endgame.json");
    let positions = json["positions"].as_array().expect("there are positions");
    let setup = |record: &Value| Setup {
        game: "reversi".into(),
        variant: "standard".into(),
        start: format!("{} {}", text(record, "board"), text(record, "side")),
        options: vec![("depth".into(), "0".into())],
        ..gomoku_after("")
    };
    let chosen = positions.iter().filter(|record| record["empties"] == EMPTIES);
    Game { engine: "reversi-simple", setups: chosen.take(12).map(setup).collect(), depth: None }
}

/// Openings of matches.
pub(crate) fn xiangqi() -> Game {
    let setup = |moves: &str| Setup {
        game: "xiangqi".into(),
        variant: "computer".into(),
        ..gomoku_after(moves)
    };
    let setups = openings("xiangqi/computer.txt", setup);
    Game { engine: "xiangqi-mt", setups, depth: Some(14) }
}

/// The positions after every n-th opening of a file.
fn openings(file: &str, setup: impl Fn(&str) -> Setup) -> Vec<Setup> {
    let path = root().join("openings").join(file);
    let text = std::fs::read_to_string(path).expect("the openings are there");
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
    lines.filter(|line| !line.is_empty()).step_by(STEP).map(setup).collect()
}

/// A setup in which the engine has both seats after these moves, so that helpers search for the
/// side to move.
fn gomoku_after(moves: &str) -> Setup {
    Setup { seats: vec![0, 1], moves: moves.into(), ..freestyle(&[]) }
}

fn fixture(name: &str) -> Value {
    let text = std::fs::read_to_string(root().join(name)).expect("the fixtures are there");
    serde_json::from_str(&text).expect("the fixtures are JSON")
}

fn text<'a>(record: &'a Value, name: &str) -> &'a str {
    record[name].as_str().expect("a text")
}
