//! Bouts of engines that end early, by the real binary: recorded, verified, changed and found out.

use serde_json::{Value, json};

use crate::cli::{Ended, Home};

/// A bout of reversi on fuel under these rules for its end, if any; its JSON line and its record.
fn bout(home: &Home, rules: Option<&str>) -> (Value, Value) {
    let words = "play reversi --seat reversi-ponder --seat reversi-simple --budget fuel:2e7/move \
                 --seed 7 --record b.json --json";
    let words: Vec<&str> = words.split_whitespace().collect();
    let rules: Vec<&str> =
        rules.map(|rules| ["--adjudicate", rules]).into_iter().flatten().collect();
    let line = home.succeed(&[words, rules].concat(), "");
    let record = std::fs::read(home.file("b.json")).expect("the bout is kept");
    (serde_json::from_str(&line).expect("a line"), serde_json::from_slice(&record).expect("JSON"))
}

fn moves(record: &Value) -> Vec<&str> {
    let plies = record["plies"].as_array().expect("a list");
    plies.iter().map(|ply| ply["move"].as_str().expect("a text")).collect()
}

fn discs(record: &Value) -> usize {
    moves(record).iter().filter(|mv| **mv != "pass").count()
}

/// What `verify` says of a record and with which code it ends.
fn check(home: &Home, record: &Value, code: i32, expected: &str) {
    std::fs::write(home.file("t.json"), record.to_string()).expect("there is room");
    let Ended { code: found, out, err } = home.run(&["verify", "t.json"], "");
    assert!(format!("{out}{err}").contains(expected), "no {expected:?} in {out}{err}");
    assert_eq!(found, Some(code), "{out}{err}");
}

/// The same of a record that is changed before.
fn changed(home: &Home, record: &Value, expected: &str, change: impl FnOnce(&mut Value)) {
    let mut record = record.clone();
    change(&mut record);
    check(home, &record, 1, expected);
}

#[test]
fn perfect_play_ends_a_bout_and_is_found_out_again() {
    let home = Home::new();
    let (line, whole) = bout(&home, None);
    assert!(whole["settings"].get("adjudication").is_none(), "{}", whole["settings"]);
    assert_eq!(line["result"]["termination"], "rules");
    check(&home, &whole, 0, "reversi-ponder verified");

    let (line, record) = bout(&home, Some("exact=12"));
    assert_eq!(record["settings"]["adjudication"], "exact=12");
    // The same bout until twelve squares are empty, and not a move more.
    assert_eq!(moves(&whole)[..moves(&record).len()], moves(&record));
    assert_eq!((discs(&record), line["plies"].as_u64()), (48, Some(moves(&record).len() as u64)));
    let result = &line["result"];
    assert_eq!((&result["termination"], &result["by"]), (&"adjudicated".into(), &"exact".into()));
    let score = result["score"].as_i64().expect("a score");
    assert_ne!(score, 0, "a level end would tell less");
    let told = |score: i64| {
        let (black, white) = ((64 + score) / 2, (64 - score) / 2);
        format!(
            "wins by adjudication: perfect play from here gives black {black} and white {white}"
        )
    };
    let sentence = result["sentence"].as_str().expect("a sentence").to_owned();
    assert!(sentence.ends_with(&told(score)), "{sentence}");
    let last = record["events"].as_array().and_then(|events| events.last()).expect("an event");
    let settled = json!({ "at_ply": moves(&record).len(), "event": "settled", "score": score });
    assert_eq!(last, &settled);
    check(&home, &record, 0, &format!("perfect play ends the bout with the score of {score}"));

    let events = record["events"].as_array().expect("a list").len();
    // Another score with the same winner.
    let other = if score.abs() > 2 { score - 2 * score.signum() } else { 2 * score };
    let differs = format!(
        "ply {} differs: perfect play from there gives a score of {score}, and the record says {other}",
        moves(&record).len()
    );
    changed(&home, &record, &differs, |record| {
        record["events"][events - 1]["score"] = other.into();
        record["result"]["score"] = other.into();
        record["result"]["sentence"] = sentence.replace(&told(score), &told(other)).into();
    });
    changed(&home, &record, "the game cannot end with a score of 66", |record| {
        record["events"][events - 1]["score"] = 66.into();
    });
    changed(&home, &record, "nothing was to be settled there", |record| {
        record["settings"]["adjudication"] = "exact=11".into();
    });
    changed(&home, &record, "the moves do not lead to an end", |record| {
        record["events"].as_array_mut().expect("a list").pop();
    });
    changed(&home, &record, "`exact=17`: at most 16 empty squares of reversi", |record| {
        record["settings"]["adjudication"] = "exact=17".into();
    });
    // A bout that was played to its end under such rules cannot have been.
    changed(&home, &whole, "nobody was asked for a move", |record| {
        record["settings"]["adjudication"] = "exact=12".into();
    });
}

#[test]
fn what_both_engines_say_ends_a_bout_and_is_found_out_again() {
    let home = Home::new();
    let (line, record) = bout(&home, Some("win=8/6"));
    let result = &line["result"];
    assert_eq!((&result["termination"], &result["by"]), (&"adjudicated".into(), &"win".into()));
    let sentence = result["sentence"].as_str().expect("a sentence");
    let told = " wins by adjudication: both sides saw it ahead by 8 or more for 6 plies";
    assert!(sentence.ends_with(told), "{sentence}");
    assert!(result.get("score").is_none(), "nobody knows the discs at the end");
    check(&home, &record, 0, "reversi-simple verified");
    let plies = moves(&record).len();
    let ahead = |ply: usize| -> i64 {
        let value = record["plies"][ply]["line"]["score"].as_i64().expect("a score");
        let seat = record["plies"][ply]["seat"].as_u64();
        if seat == result["winner"].as_u64() { value } else { -value }
    };
    assert!((plies - 6..plies).all(|ply| ahead(ply) >= 8), "the last six say so");
    // One that says less, and one that says more than it did.
    changed(&home, &record, "the moves do not lead to an end", |record| {
        record["plies"][plies - 3]["line"]["score"] = 0.into();
    });
    changed(&home, &record, "of its move, the record has a", |record| {
        let score = &mut record["plies"][plies - 2]["line"]["score"];
        *score = (2 * score.as_i64().expect("a score")).into();
    });
    // What is said of a move is nobody's business where no end depends on it.
    let (_, mut whole) = bout(&home, None);
    whole["plies"][plies - 2]["line"]["score"] = 0.into();
    check(&home, &whole, 0, "reversi-ponder verified");
}

#[test]
fn rules_that_cannot_be_are_refused() {
    let home = Home::new();
    let check = |words: &str, expected: &str| {
        let words: Vec<&str> = words.split_whitespace().collect();
        let Ended { code, err, .. } = home.run(&words, "");
        assert!(err.contains(expected), "no {expected:?} in {err}");
        assert_eq!(code, Some(2), "{err}");
    };
    let random = "play gomoku --seat random-mover --seat random-mover --budget depth:1 --seed 1";
    check(
        &format!("{random} --adjudicate exact=9"),
        "--adjudicate: `exact=9`: no ending of gomoku freestyle-15 is solved here, but of bridge",
    );
    check(&format!("{random} --adjudicate win=600"), "it does not say for how many plies");
    check(
        "play gomoku --seat random-mover --seat human --adjudicate win=600/8",
        "--adjudicate is for engines among themselves, and human is a person",
    );
}
