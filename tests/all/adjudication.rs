//! Adjudicated bouts by the real binary: recorded and verified. `verify` must report every change
//! of the record.

use serde_json::{Value, json};

use crate::cli::{CommandOutput, TestHome};

/// Plays a reversi bout on a fuel budget, with optional adjudication rules. Returns its JSON line
/// and its record.
fn bout(home: &TestHome, rules: Option<&str>) -> (Value, Value) {
    let words = "play reversi --seat reversi-ponder --seat reversi-simple --budget fuel:2e7/move \
                 --seed 7 --record b.json --json";
    let words: Vec<&str> = words.split_whitespace().collect();
    let rules: Vec<&str> =
        rules.map(|rules| ["--adjudicate", rules]).into_iter().flatten().collect();
    let line = home.succeed(&[words, rules].concat(), "");
    let record = std::fs::read(home.file("b.json")).expect("the bout is recorded");
    (serde_json::from_str(&line).expect("a line"), serde_json::from_slice(&record).expect("JSON"))
}

fn moves(record: &Value) -> Vec<&str> {
    let plies = record["plies"].as_array().expect("a list");
    plies.iter().map(|ply| ply["move"].as_str().expect("a text")).collect()
}

fn discs(record: &Value) -> usize {
    moves(record).iter().filter(|mv| **mv != "pass").count()
}

/// `verify` prints `expected` for this record and exits with `code`.
fn check(home: &TestHome, record: &Value, code: i32, expected: &str) {
    std::fs::write(home.file("t.json"), record.to_string()).expect("the record can be written");
    let CommandOutput { code: found, out, err } = home.run(&["verify", "t.json"], "");
    assert!(format!("{out}{err}").contains(expected), "no {expected:?} in {out}{err}");
    assert_eq!(found, Some(code), "{out}{err}");
}

/// `verify` reports a difference, which contains `expected`, after `change` to the record.
fn check_changed(home: &TestHome, record: &Value, expected: &str, change: impl FnOnce(&mut Value)) {
    let mut record = record.clone();
    change(&mut record);
    check(home, &record, 1, expected);
}

#[test]
fn adjudication_by_a_solver_is_verified() {
    let home = TestHome::new();
    let (line, whole) = bout(&home, None);
    assert!(whole["settings"].get("adjudication").is_none(), "{}", whole["settings"]);
    assert_eq!(line["result"]["termination"], "rules");
    check(&home, &whole, 0, "reversi-ponder verified");

    let (line, record) = bout(&home, Some("solver=12"));
    assert_eq!(record["settings"]["adjudication"], "solver=12");
    // The same bout up to the position with twelve empty squares, where it ends.
    assert_eq!(moves(&whole)[..moves(&record).len()], moves(&record));
    assert_eq!((discs(&record), line["plies"].as_u64()), (48, Some(moves(&record).len() as u64)));
    let result = &line["result"];
    assert_eq!((&result["termination"], &result["by"]), (&"adjudicated".into(), &"solver".into()));
    let score = result["scores"][0].as_i64().expect("a score");
    assert_ne!(score, 0, "a draw would not show the sign of the score");
    let reason = |score: i64| {
        let (black, white) = ((64 + score) / 2, (64 - score) / 2);
        format!(
            "wins by adjudication: perfect play from here gives black {black} and white {white}"
        )
    };
    let sentence = result["sentence"].as_str().expect("a sentence").to_owned();
    assert!(sentence.ends_with(&reason(score)), "{sentence}");
    let last = record["events"].as_array().and_then(|events| events.last()).expect("an event");
    let settled = json!({ "at_ply": moves(&record).len(), "event": "solved", "score": score });
    assert_eq!(last, &settled);
    check(&home, &record, 0, &format!("perfect play ended the bout with the score {score}"));

    let events = record["events"].as_array().expect("a list").len();
    // Another score with the same winner.
    let other = if score.abs() > 2 { score - 2 * score.signum() } else { 2 * score };
    let differs = format!(
        "ply {} differs: the score of perfect play is {score}, but the record has {other}",
        moves(&record).len()
    );
    check_changed(&home, &record, &differs, |record| {
        record["events"][events - 1]["score"] = other.into();
        record["result"]["scores"] = json!([other, -other]);
        record["result"]["sentence"] = sentence.replace(&reason(score), &reason(other)).into();
    });
    check_changed(&home, &record, "the game cannot end with a score of 66", |record| {
        record["events"][events - 1]["score"] = 66.into();
    });
    check_changed(&home, &record, "no position was to be solved here", |record| {
        record["settings"]["adjudication"] = "solver=11".into();
    });
    check_changed(&home, &record, "the moves do not lead to an end", |record| {
        record["events"].as_array_mut().expect("a list").pop();
    });
    check_changed(&home, &record, "`solver=17`: at most 16 empty squares of reversi", |record| {
        record["settings"]["adjudication"] = "solver=17".into();
    });
    // With such rules, a bout cannot have been played to its end.
    check_changed(&home, &whole, "no move was requested", |record| {
        record["settings"]["adjudication"] = "solver=12".into();
    });
}

#[test]
fn adjudication_by_engine_scores_is_verified() {
    let home = TestHome::new();
    let (line, record) = bout(&home, Some("win=8/6"));
    let result = &line["result"];
    assert_eq!((&result["termination"], &result["by"]), (&"adjudicated".into(), &"win".into()));
    let sentence = result["sentence"].as_str().expect("a sentence");
    let reason = " wins by adjudication: both sides saw it ahead by 8 or more for 6 plies";
    assert!(sentence.ends_with(reason), "{sentence}");
    let win = if result["winner"] == 0 { json!([1, -1]) } else { json!([-1, 1]) };
    assert_eq!(result["scores"], win, "the final disc count is unknown");
    check(&home, &record, 0, "reversi-simple verified");
    let plies = moves(&record).len();
    let ahead = |ply: usize| -> i64 {
        let value = record["plies"][ply]["line"]["score"].as_i64().expect("a score");
        let seat = record["plies"][ply]["seat"].as_u64();
        if seat == result["winner"].as_u64() { value } else { -value }
    };
    assert!((plies - 6..plies).all(|ply| ahead(ply) >= 8), "the last six scores are at least 8");
    // A changed score: first too low for the rule, then higher than the engine reported.
    check_changed(&home, &record, "the moves do not lead to an end", |record| {
        record["plies"][plies - 3]["line"]["score"] = 0.into();
    });
    check_changed(&home, &record, "the replay gives its move ", |record| {
        let score = &mut record["plies"][plies - 2]["line"]["score"];
        *score = (2 * score.as_i64().expect("a score")).into();
    });
    // Without adjudication rules, `verify` ignores the reported scores.
    let (_, mut whole) = bout(&home, None);
    whole["plies"][plies - 2]["line"]["score"] = 0.into();
    check(&home, &whole, 0, "reversi-ponder verified");
}

#[test]
fn invalid_adjudication_rules_are_refused() {
    let home = TestHome::new();
    let check = |words: &str, expected: &str| {
        let words: Vec<&str> = words.split_whitespace().collect();
        let CommandOutput { code, err, .. } = home.run(&words, "");
        assert!(err.contains(expected), "no {expected:?} in {err}");
        assert_eq!(code, Some(2), "{err}");
    };
    let random = "play gomoku --seat random-mover --seat random-mover --budget depth:1 --seed 1";
    check(
        &format!("{random} --adjudicate solver=9"),
        "--adjudicate: `solver=9`: no solver solves the last part of gomoku freestyle-15; it can be solved in bridge",
    );
    check(&format!("{random} --adjudicate win=600"), "the number of plies is missing");
    check(
        "play gomoku --seat random-mover --seat human --adjudicate win=600/8",
        "--adjudicate applies to bouts between engines, and human is a person",
    );
}
