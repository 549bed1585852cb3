//! `sandboard solve bridge`: answers to PBN, LIN and JSON lines, their order, exit codes, and
//! Ctrl-C.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::Command;

use serde_json::{Value, json};

use super::{deals, fixture, lines, pbn, position_text, seat, solve};
use crate::cli::TestHome;

#[test]
fn an_invalid_deal_in_a_file_is_reported_by_its_board() {
    let home = TestHome::without_engines();
    let known = deals("par.json");
    let mut twice = known[1].0.clone();
    // The same card in two hands.
    let card = twice.find(['K', 'Q', '8']).expect("a card");
    let other = twice.rfind(['9', '7', '4']).expect("a card");
    let letter = twice[card..=card].to_owned();
    twice.replace_range(other..=other, &letter);
    let text = [pbn(7, &known[0].0), pbn(8, &twice), pbn(9, &known[2].0)].concat();
    std::fs::write(home.file("deals.pbn"), format!("% PBN 2.1\n{text}")).unwrap();
    let (code, answers, err) = solve(&home, &["deals.pbn"], "");
    assert_eq!((code, answers.len()), (Some(1), 3), "{err}");
    assert_eq!((&answers[0]["board"], &answers[0]["table"]), (&json!("7"), &known[0].1));
    assert_eq!((&answers[2]["board"], &answers[2]["table"]), (&json!("9"), &known[2].1));
    let error = answers[1]["error"].as_str().expect("a reason");
    assert!(error.starts_with("deals.pbn: board 2: line "), "{error}");
    assert!(answers[1].get("table").is_none());
    assert!(err.contains("1 of 3 could not be solved"), "{err}");
    // Without the invalid deal, the exit code is 0.
    std::fs::write(home.file("good.pbn"), pbn(1, &known[0].0)).unwrap();
    assert_eq!(solve(&home, &["good.pbn"], "").0, Some(0));
}

/// A deal of the list as LIN; the declarer is dealer and bids.
fn lin(deal: &Value) -> String {
    let text = deal["pbn"].as_str().expect("a deal");
    let (first, hands) = text.split_once(':').expect("the first seat");
    let hands: Vec<&str> = hands.split(' ').collect();
    let first = seat(&json!(first)).index();
    let hand = |of: usize| {
        let suits = hands[(of + 4 - first) % 4].split('.');
        ["S", "H", "D", "C"].into_iter().zip(suits).map(|(suit, ranks)| suit.to_owned() + ranks)
    };
    let from_south: Vec<String> = [2, 3, 0, 1].map(|of| hand(of).collect::<String>()).into();
    let declarer = seat(&deal["leader"]).after(3).index();
    // LIN numbers dealers from south.
    let dealer = (declarer + 2) % 4 + 1;
    let strain = deal["trump"].as_str().expect("a strain").replace("NT", "N");
    let cards = deal["play"].as_array().expect("cards").iter();
    let cards = cards.map(|card| format!("pc|{}|", card.as_str().expect("a card")));
    format!(
        "qx|o1|md|{dealer}{}|sv|o|mb|1{strain}|mb|p|mb|p|mb|p|pg||{}pg||\n",
        from_south.join(","),
        cards.collect::<String>()
    )
}

#[test]
fn played_hands_of_lin_files_have_traces() {
    let home = TestHome::without_engines();
    let list = fixture("dds_list100.json");
    let played: Vec<&Value> = list["deals"].as_array().expect("a list").iter().take(3).collect();
    let text: String = played.iter().map(|deal| lin(deal)).collect();
    std::fs::write(home.file("club.lin"), &text).unwrap();
    let words = ["club.lin", "--trace", "--cards", "--values", "NT"];
    let (code, answers, err) = solve(&home, &words, "");
    assert_eq!((code, answers.len()), (Some(0), 3), "{err}");
    for (answer, deal) in answers.iter().zip(played) {
        // The list omits the last trick, which is forced.
        let (tricks, known) = (&answer["trace"]["tricks"], deal["trace"].as_array().unwrap());
        assert_eq!(&tricks.as_array().unwrap()[..known.len()], known, "{}", deal["id"]);
        assert_eq!(answer["trace"]["cards"], deal["play"]);
        let steps = answer["trace"]["tricks"].as_array().unwrap().windows(2);
        let moved: i64 =
            steps.map(|it| (it[0].as_i64().unwrap() - it[1].as_i64().unwrap()).abs()).sum();
        let losses = answer["trace"]["losses"].as_array().unwrap().iter();
        assert_eq!(losses.map(|loss| loss.as_i64().unwrap()).sum::<i64>(), moved);
        let declarer = seat(&deal["leader"]).after(3).letter().to_string();
        let leads = &answer["leads"][&declarer][deal["trump"].as_str().unwrap()];
        assert_eq!(leads, &deal["lead_scores"], "{}", deal["id"]);
        assert_eq!(answer["table"][&declarer][4], deal["tricks"][&declarer][4]);
        assert_eq!(answer["table"][&declarer][0], Value::Null, "only notrump was requested");
    }
    // From standard input, the format is detected.
    assert_eq!(solve(&home, &["--values", "N:NT"], &text).1.len(), 3);
}

#[test]
fn answers_keep_the_input_order_with_any_number_of_threads() {
    let home = TestHome::without_engines();
    let fixture = fixture("endplay.json");
    let positions = fixture["positions"].as_array().expect("a list");
    let line = |position: &Value| {
        json!({"position": position_text(position), "id": position["id"]}).to_string() + "\n"
    };
    let input: String = positions.iter().map(line).collect();
    let one = solve(&home, &["--threads", "1", "--table-bytes", "64KiB"], &input);
    let four = solve(&home, &["--threads", "4"], &input);
    assert_eq!(one.0, Some(0), "{}", one.2);
    assert_eq!(one.1, four.1);
    assert_eq!(one.1.len(), positions.len());
    for (answer, position) in one.1.iter().zip(positions) {
        assert_eq!(answer["id"], position["id"]);
        assert_eq!(answer["scores"], position["scores"], "{}", position["id"]);
        assert_eq!(answer["tricks"], position["tricks_side_to_move"], "{}", position["id"]);
    }
}

#[test]
fn invalid_lines_do_not_stop_the_run() {
    let home = TestHome::without_engines();
    let good = json!({"deal": "N:A2... K3... Q4... J5..."}).to_string();
    let input = [
        &good,
        "nonsense",
        r#"{"deal": "N:A2... A3... Q4... J5...", "id": "x"}"#,
        r#"{"position": "N:A2... K3... Q4... J5... NT W -", "moves": "SJ SK S5"}"#,
        r#"{"position": "N:A2... K3... Q4... J5... NT W -", "moves": "SJ SA"}"#,
        r#"{"position": "N:... ... ... ... NT W - won=1-0"}"#,
        "",
        r#"{"deal": "N:A2... K3... Q4... J5...", "declarer": "S", "strain": "NT", "play": "SJ SA SK S4"}"#,
        &good,
    ];
    let (code, answers, err) = solve(&home, &["--trace"], &input.join("\n"));
    assert_eq!((code, answers.len()), (Some(1), 8), "{err}");
    assert!(err.contains("4 of 8 could not be solved"), "{err}");
    let rows = json!({"N": [2, 2, 2, 2, 2], "E": [1, 1, 1, 1, 1], "S": [1, 1, 1, 1, 1], "W": [1, 1, 1, 1, 1]});
    assert_eq!(answers[0]["table"], rows);
    assert_eq!(answers[0], answers[7]);
    let error = |index: usize| answers[index]["error"].as_str().unwrap_or_default().to_owned();
    assert!(error(1).contains("a line is a JSON object"), "{}", error(1));
    assert!(error(2).contains("SA occurs twice"), "{}", error(2));
    assert_eq!(answers[2]["id"], "x");
    let third = "card 2, SK, cannot be played: north is to play and does not have SK";
    assert!(error(3).contains(third), "{}", error(3));
    assert_eq!(answers[4]["scores"], json!({"S3": 1, "SK": 0}));
    assert!(error(5).contains("no tricks are left"), "{}", error(5));
    let trace = &answers[6]["trace"];
    assert_eq!((&trace["side"], &trace["cards"][1]), (&json!("NS"), &json!("SA")));
}

#[test]
fn par_and_pbn_output_use_whole_tables() {
    let home = TestHome::without_engines();
    let fixture = fixture("par.json");
    let known: Vec<&Value> = fixture["deals"].as_array().expect("a list").iter().take(4).collect();
    let text: String = known
        .iter()
        .zip(1..)
        .map(|(deal, number)| pbn(number, deal["pbn"].as_str().unwrap()))
        .collect();
    std::fs::write(home.file("deals.pbn"), &text).unwrap();
    let (code, answers, err) = solve(&home, &["deals.pbn", "--par", "--pbn", "out.pbn"], "");
    assert_eq!(code, Some(0), "{err}");
    for (answer, deal) in answers.iter().zip(&known) {
        for vulnerable in ["none", "both", "ns", "ew"] {
            for dealer in ["N", "E", "S", "W"] {
                let par = &answer["par"][vulnerable][dealer];
                assert_eq!(par["score"], deal["par_ns"][vulnerable][dealer], "{}", deal["id"]);
                let set = |list: &Value| {
                    let mut texts: Vec<String> =
                        list.as_array().unwrap().iter().map(Value::to_string).collect();
                    texts.sort();
                    texts
                };
                let contracts = &deal["par_contracts"][vulnerable][dealer];
                assert_eq!(set(&par["contracts"]), set(contracts), "{}", deal["id"]);
            }
        }
    }
    // The written file can be read again and equals the printed output.
    let written = std::fs::read_to_string(home.file("out.pbn")).unwrap();
    let printed = home.succeed(&["solve", "bridge", "deals.pbn", "--to", "pbn"], "");
    assert_eq!(printed, written);
    assert_eq!(written.matches("[OptimumResultTable").count(), 4, "{written}");
    let again = solve(&home, &["out.pbn", "--par"], "");
    assert_eq!((again.0, again.1), (Some(0), answers));
    // The text output has the same values.
    let people = home.succeed(&["solve", "bridge", "deals.pbn", "--to", "text", "--par"], "");
    assert!(people.starts_with("board 1  N:"), "{people}");
    assert_eq!(people.matches("par, vulnerable both").count(), 4, "{people}");
}

#[test]
fn usage_errors_exit_with_code_2() {
    let home = TestHome::without_engines();
    std::fs::write(home.file("deals.txt"), "").unwrap();
    let check = |words: &[&str], expected: &str| {
        let ended = home.run(&[&["solve"], words].concat(), "");
        assert_eq!(ended.code, Some(2), "{words:?}: {}", ended.err);
        assert!(ended.err.contains(expected), "{words:?}: {}", ended.err);
    };
    check(&["gomoku"], "gomoku has no solver");
    check(&["bridge", "deals.txt"], "or --from");
    check(&["bridge", "nowhere.pbn"], "nowhere.pbn cannot be read");
    check(&["bridge", "--values", "Z"], "`Z` is not a value");
    check(&["bridge", "--par", "--values", "NT"], "--par needs all twenty values");
    check(&["bridge", "--to", "pbn", "--values", "NT"], "PBN needs all twenty values");
    check(&["bridge", "--table-bytes", "0"], "a number of bytes");
    let empty = home.run(&["solve", "bridge", "deals.txt", "--from", "json"], "");
    assert_eq!((empty.code, empty.out.as_str()), (Some(0), ""), "{}", empty.err);
}

/// Interrupted while it waits for the next line: printed answers are complete, and the process
/// exits.
#[cfg(unix)]
#[test]
fn ctrl_c_stops_after_complete_answers() {
    let home = TestHome::without_engines();
    let mut child = home.command(&["solve", "bridge", "--threads", "2"]).spawn().expect("it runs");
    let mut input = child.stdin.take().expect("it is piped");
    let mut output = BufReader::new(child.stdout.take().expect("it is piped"));
    writeln!(input, "{}", json!({"deal": "N:A2... K3... Q4... J5..."})).unwrap();
    let mut first = String::new();
    output.read_line(&mut first).unwrap();
    assert_eq!(lines(&first)[0]["table"]["N"].as_array().map(Vec::len), Some(5));
    // The hard deal may or may not have been started; either way it has no answer.
    let hard = fixture("dd_hard.json")["deals"][0]["pbn"].clone();
    writeln!(input, "{}", json!({"deal": hard})).unwrap();
    input.flush().unwrap();
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    let (mut rest, mut err) = (String::new(), String::new());
    output.read_to_string(&mut rest).unwrap();
    child.stderr.take().expect("it is piped").read_to_string(&mut err).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(1), "{err}");
    assert_eq!(rest, "", "{err}");
    assert!(err.contains("interrupted after 1 answer"), "{err}");
    drop(input);
}
