//! `sandboard deal`, and games with random starts in `play`.

use serde_json::{Value, json};

use super::lines;
use crate::cli::TestHome;

const SMALL: [&str; 4] = ["deal", "bridge", "--variant", "double-dummy-4"];

#[test]
fn a_seed_determines_the_deal() {
    let home = TestHome::without_engines();
    let deal = |more: &[&str]| home.succeed(&[&SMALL[..], more].concat(), "");
    let five = lines(&deal(&["--seed", "7", "--count", "5", "--json"]));
    assert_eq!(five.len(), 5);
    for (line, seed) in five.iter().zip(7..) {
        assert_eq!((&line["seed"], &line["game"]), (&json!(seed), &json!("bridge")));
        assert_eq!(line["variant"], "double-dummy-4");
        let alone = lines(&deal(&["--seed", &seed.to_string(), "--json"]));
        assert_eq!(&alone[0], line);
    }
    let text = deal(&["--seed", "7", "--count", "5"]);
    assert!(text.starts_with("# 5 deals of Bridge, double-dummy-4, seed 7\n"), "{text}");
    for (line, deal) in text.lines().skip(1).zip(&five) {
        let position = deal["position"].as_str().unwrap();
        assert_eq!(line, format!("{position} # seed {}", deal["seed"]));
    }
    // Every `dd=` mark equals the solver's value.
    let questions: String =
        five.iter().map(|it| json!({"position": it["position"]}).to_string() + "\n").collect();
    for (answer, deal) in lines(&home.succeed(&["solve", "bridge"], &questions)).iter().zip(&five) {
        let words: Vec<&str> = deal["position"].as_str().unwrap().split(' ').collect();
        let (leader, mark) = (words[5], words[7].strip_prefix("dd=").unwrap());
        let of_leader = answer["tricks"].as_u64().unwrap();
        let expected = if "NS".contains(leader) { of_leader } else { 4 - of_leader };
        assert_eq!(mark, expected.to_string(), "{words:?}");
    }
    let seedless = lines(&deal(&["--json"]));
    assert!(seedless[0]["seed"].is_u64());
}

#[test]
fn games_without_random_starts_are_refused() {
    let home = TestHome::without_engines();
    let ended = home.run(&["deal", "gomoku"], "");
    assert_eq!(ended.code, Some(2));
    assert!(
        ended.err.contains("gomoku has no random starts; games that have: bridge"),
        "{}",
        ended.err
    );
    let ended = home.run(&["deal", "bridge", "--variant", "double-dummy-14"], "");
    assert_eq!(ended.code, Some(2), "{}", ended.err);
    let ended = home.run(&["deal", "bridge", "--count", "0"], "");
    assert_eq!(ended.code, Some(2), "{}", ended.err);
}

#[test]
fn the_result_of_a_bout_of_people_lists_lost_tricks() {
    let home = TestHome::without_engines();
    let deal = lines(&home.succeed(&[&SMALL[..], &["--seed", "3", "--json"]].concat(), ""));
    let seats =
        ["--seat", "human", "--seat", "human", "--seed", "3", "--variant", "double-dummy-4"];
    let quit = home.run(&[&["play", "bridge"], &seats[..]].concat(), "quit\n");
    assert_eq!(quit.code, Some(0), "{}", quit.err);
    let from = format!("from {}", deal[0]["position"].as_str().unwrap());
    assert!(quit.out.contains(&from), "no {from} in {}", quit.out);

    // Neither side can do better. Two people play four hands.
    let position = ["--position", "N:32... 54... 76... A8... NT W -"];
    let seats = ["--seat", "human:name=ann", "--seat", "human:name=bob", "--record", "b.json"];
    let typed = "S8\nS3\nS4\nS7\nSA\nS2\nS5\nS6\n";
    let ended = home.run(&[&["play", "bridge"], &position[..], &seats].concat(), typed);
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    let output = format!("{}{}", ended.out, ended.err);
    assert!(output.contains("NS took 0 tricks, EW 2; with perfect play NS has 0"), "{output}");
    assert!(output.contains("EW gave nothing away"), "{output}");
    let record: Value =
        serde_json::from_slice(&std::fs::read(home.file("b.json")).unwrap()).unwrap();
    assert_eq!(record["start"], "N:32... 54... 76... A8... NT W - dd=0");
    assert_eq!(record["perfect_play"], json!({"value": 0, "taken": [0, 2], "lost": [0, 0]}));
    assert_eq!(record["result"]["winner"], Value::Null, "as many as perfect play gives");

    // South holds the king and plays low.
    let position = ["--position", "N:A2... 54... K3... 76... NT N -"];
    let typed = "S2\nS4\nS3\nS6\nS7\nSA\nS5\nSK\n";
    let ended = home.run(&[&["play", "bridge"], &position[..], &seats].concat(), typed);
    let output = format!("{}{}", ended.out, ended.err);
    assert!(output.contains("NS took 1 trick, EW 1; with perfect play NS has 2"), "{output}");
    assert!(output.contains("NS gave away 1 trick: 3. S3\nEW gave nothing away"), "{output}");
    assert!(output.contains("bob (EW) wins"), "{output}");
}
