//! Xiangqi by the real binary: the claims of `docs/xiangqi.md`, typed moves in every notation, and
//! legal moves after a draw.

use sandboard_tests::root;
use serde_json::{Value, json};

use crate::cli::TestHome;

const PERFT: &str = include_str!("../fixtures/xiangqi/perft.json");
const START: &str = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1";

fn docs() -> String {
    std::fs::read_to_string(root().join("docs/xiangqi.md")).expect("the page is there")
}

#[test]
fn the_page_has_the_fixture_s_perft_counts() {
    let fixture: Value = serde_json::from_str(PERFT).expect("the fixture is JSON");
    let counts = &fixture["records"][0]["perft"];
    let list: Vec<String> = (1..=6).map(|depth| counts[depth.to_string()].to_string()).collect();
    let text = docs().split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains(&format!("{} lines of 1 to 6 plies", list.join(", "))), "{list:?}");
    let home = TestHome::without_engines();
    let perft = home.succeed(&["perft", "xiangqi", "--depth", "4", "--json"], "");
    assert_eq!(perft, format!("{{\"nodes\":{}}}\n", list[3]));
}

#[test]
fn rules_answers_have_checks_repetitions_and_draws() {
    let docs = docs();
    let chase = docs.lines().find(|line| line.starts_with("3k5/9/R8")).expect("a position");
    let position = |text: &str| json!({ "position": text }).to_string();
    let input = [
        json!({"moves": "炮二平五 H8+7"}).to_string(),
        position(chase),
        position("3k5/9/9/9/9/9/9/9/9/4K4 w"),
        position("4k4/9/9/9/9/9/9/9/9/4K4 w"),
        json!({"position": chase, "moves": "a7a6"}).to_string(),
        json!({"variant": "asian"}).to_string(),
    ];
    let answers = TestHome::without_engines().succeed(&["rules", "xiangqi"], &input.join("\n"));
    let answers: Vec<Value> =
        answers.lines().map(|line| serde_json::from_str(line).expect("it is JSON")).collect();
    assert_eq!(answers[0]["position"], format!("{START} moves h2e2 h9g7"));
    assert_eq!(answers[0]["in_check"], false);
    assert_eq!(answers[0]["plies_since_capture"], 2);
    assert_eq!(answers[0]["repetition"], Value::Null);
    let reason = "red loses: perpetual chase of a horse";
    assert!(docs.contains(reason));
    assert_eq!(answers[1]["position"], chase);
    assert_eq!(
        answers[1]["outcome"],
        json!({"winner": "black", "scores": [-1, 1], "reason": reason})
    );
    assert_eq!(answers[1]["repetition"], json!({"loser": "red", "reason": reason}));
    assert_eq!(answers[1]["occurrences"], 3);
    // The position has legal moves although the game is drawn.
    let drawn = json!({"winner": null, "scores": [0, 0], "reason": "insufficient material"});
    assert_eq!((&answers[2]["outcome"], &answers[2]["legal"]), (&drawn, &json!(["e0e1", "e0f0"])));
    let error = |index: usize| answers[index]["error"].as_str().unwrap_or_default();
    assert!(error(3).contains("the kings face each other with nothing between"), "{}", error(3));
    assert!(error(4).contains(&format!("the game is over: {reason}")), "{}", error(4));
    assert!(error(5).contains("xiangqi has no variant `asian`; it has computer"), "{}", error(5));
}

#[test]
fn people_can_type_every_notation() {
    let home = TestHome::without_engines();
    let game = ["play", "xiangqi", "--seat", "human", "--seat", "human"];
    let ended = home.run(&game, "炮二平五\nC2=9\nH8+7\nquit\n");
    let output = format!("{}{}", ended.out, ended.err);
    assert!(output.contains("no legal move has this name"), "{output}");
    let page = docs();
    let begin = page.find("   a b c d e f g h i").expect("a diagram");
    let diagram = page[begin..].split("```").next().expect("its end");
    assert!(output.contains(diagram), "{output}");
    let mate = ["--position", "4k4/1R7/9/9/9/9/9/9/R8/3K5 w"];
    let ended = home.run(&[&game[..], &mate].concat(), "a1a9\n");
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    let output = format!("{}{}", ended.out, ended.err);
    assert!(output.contains("human (red) wins: checkmate"), "{output}");
}
