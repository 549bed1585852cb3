//! Bridge by the real binary: deals generated, solved and played, and bouts compared with perfect
//! play.

mod bouts;
mod deals;
mod solve;

use sandboard_games::bridge::Compass;
use serde_json::Value;

use crate::cli::TestHome;

/// A fixture of `tests/fixtures/bridge`.
pub(crate) fn fixture(name: &str) -> Value {
    let path = sandboard_tests::root().join("tests/fixtures/bridge").join(name);
    let text = std::fs::read_to_string(&path).expect("the fixture is there");
    serde_json::from_str(&text).expect("it is JSON")
}

/// The position text of an entry of `endplay.json`.
pub(crate) fn position_text(position: &Value) -> String {
    let field = |name: &str| position[name].as_str().expect("a text");
    let trick = position["trick"].as_array().expect("a list").iter();
    let trick: Vec<&str> = trick.filter_map(Value::as_str).collect();
    let trick = if trick.is_empty() { "-".to_owned() } else { trick.join(",") };
    format!("{} {} {} {trick}", field("hands"), field("trump"), field("leader"))
}

/// The deals of a fixture: PBN text and table of tricks.
fn deals(name: &str) -> Vec<(String, Value)> {
    let fixture = fixture(name);
    let deals = fixture["deals"].as_array().expect("a list").iter();
    let text = |deal: &Value| deal["pbn"].as_str().expect("a deal").to_owned();
    deals.map(|deal| (text(deal), deal["tricks"].clone())).collect()
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).expect("each line is JSON")).collect()
}

/// Runs `solve bridge`: exit code, answers, standard error.
fn solve(home: &TestHome, words: &[&str], input: &str) -> (Option<i32>, Vec<Value>, String) {
    let ended = home.run(&[&["solve", "bridge"], words].concat(), input);
    (ended.code, lines(&ended.out), ended.err)
}

/// A board as text of a PBN file.
fn pbn(number: usize, deal: &str) -> String {
    format!("[Board \"{number}\"]\n[Deal \"{deal}\"]\n\n")
}

/// The seat of a JSON letter.
fn seat(value: &Value) -> Compass {
    let letter = value.as_str().and_then(|text| text.chars().next());
    letter.and_then(Compass::from_letter).expect("the letter of a seat")
}
