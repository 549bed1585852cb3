//! Reversi by the real binary: the claims of `docs/reversi.md`, and passes.

use sandboard_tests::root;
use serde_json::Value;

use crate::cli::TestHome;

const FIXTURE: &str = include_str!("../fixtures/reversi/perft.json");

fn docs() -> String {
    std::fs::read_to_string(root().join("docs/reversi.md")).expect("the page is there")
}

#[test]
fn the_page_has_the_fixture_s_perft_counts() {
    let fixture: Value = serde_json::from_str(FIXTURE).expect("the fixture is JSON");
    let counts = &fixture["records"][0]["perft"];
    let list: Vec<String> = (1..=12).map(|depth| counts[depth.to_string()].to_string()).collect();
    let text = docs().split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains(&format!("{} games of 1 to 12 plies", list.join(", "))), "{list:?}");
    let home = TestHome::without_engines();
    let perft = home.succeed(&["perft", "reversi", "--depth", "6", "--json"], "");
    assert_eq!(perft, format!("{{\"nodes\":{}}}\n", list[5]));
    let small = ["perft", "reversi", "--variant", "standard-4", "--depth", "14"];
    let text = home.succeed(&small, "");
    assert!(text.starts_with("reversi standard-4, depth 14: 59980 nodes\n"), "{text}");
}

#[test]
fn rules_answers_have_discs_and_passes() {
    let input = [
        r#"{"moves": "F5"}"#,
        r#"{"position": "XO-------------O O"}"#,
        r#"{"position": "XO-------------O O", "moves": "pass c1"}"#,
        r#"{"moves": "f5 pass"}"#,
        r#"{"variant": "standard-7"}"#,
    ];
    let home = TestHome::without_engines();
    let answers = home.succeed(&["rules", "reversi"], &input.join("\n"));
    let answers: Vec<Value> =
        answers.lines().map(|line| serde_json::from_str(line).expect("it is JSON")).collect();
    let page = docs();
    let after_f5 = "---------------------------OX------XXX-------------------------- O";
    for (answer, position) in answers.iter().zip([after_f5, "XO-------------O O"]) {
        assert_eq!(answer["position"], position);
        assert!(page.contains(position), "{position}");
    }
    let legal = |index: usize| answers[index]["legal"].to_string();
    assert_eq!((legal(0).as_str(), legal(1).as_str()), (r#"["f4","d6","f6"]"#, r#"["pass"]"#));
    assert_eq!(answers[0]["discs"], serde_json::json!({"black": 4, "white": 1}));
    assert_eq!((&answers[0]["empties"], &answers[0]["must_pass"]), (&59.into(), &false.into()));
    assert_eq!(answers[1]["mobility"], serde_json::json!({"black": 1, "white": 0}));
    assert_eq!(answers[1]["must_pass"], true);
    let outcome = &answers[2]["outcome"];
    assert_eq!(
        (&outcome["winner"], &outcome["reason"]),
        (&"black".into(), &"neither side can move".into())
    );
    let error = |index: usize| answers[index]["error"].as_str().unwrap_or_default();
    assert!(error(3).contains("white can place a disc and must not pass"), "{}", error(3));
    assert!(error(4).contains("reversi has no variant `standard-7`"), "{}", error(4));
}

#[test]
fn people_can_play_and_pass() {
    let home = TestHome::without_engines();
    let seats = ["--seat", "human", "--seat", "human"];
    let game = ["play", "reversi", "--variant", "standard-4", "--position", "XO-------------O O"];
    let ended = home.run(&[&game[..], &seats].concat(), "a4\npass\nc1\n");
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    let output = format!("{}{}", ended.out, ended.err);
    assert!(output.contains("white cannot place a disc and must pass"), "{output}");
    assert!(output.contains("human (black) wins: neither side can move"), "{output}");

    let ended = home.run(&[&["play", "reversi"], &seats[..]].concat(), "f5\nquit\n");
    let page = docs();
    let begin = page.find("   a b c d").expect("a diagram");
    let diagram = page[begin..].split("```").next().expect("its end");
    assert!(format!("{}{}", ended.out, ended.err).contains(diagram), "{}", ended.out);
}
