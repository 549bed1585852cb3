//! Test cases for LIN: files of Bridge Base Online, and faults.

use super::describe;
use crate::bridge::read_lin;

#[track_caller]
fn check(text: impl AsRef<[u8]>, expected: &str) {
    let text = text.as_ref();
    assert_eq!(describe(read_lin(text)), expected, "{}", text.escape_ascii());
}

const MD: &str = "3SAKQJHAKQDAKQCAKQ,ST987HJT9DJT9CJT9,S6543H876D876C876,";
const DEAL: &str = "N:6543.876.876.876 2.5432.5432.5432 AKQJ.AKQ.AKQ.AKQ T987.JT9.JT9.JT9";

#[test]
fn boards_of_bridge_base_online_are_read() {
    let text = format!(
        "vg|Cup, final,I,1,2|\npn|Sue,Wim,Nora,Ed,S2,W2,N2,E2|pg||\n\
         qx|o1|md|{MD}|rh||ah|Board 1|sv|o|mb|p|mb|p|mb|7N!|an|to play|mb|d|mb|p|mb|p|mb|p|pg||\n\
         pc|ST|pc|s3|pc|S2|pc|SJ|pg||mc|13|pg||\n\
         qx|c1|md|{MD}|ah|Board 1|sv|b|mb|1N|mb|p|mb|p|mb|p|pg||\n"
    );
    check(
        &text,
        &format!(
            "#1 (Cup) Nora-Ed-Sue-Wim N None {DEAL} [Pass Pass 7NT X Pass Pass Pass] 7NTX by S ST \
             S3 S2 SJ =13 | #1 (Cup) N2-E2-S2-W2 N All {DEAL} [1NT Pass Pass Pass] 1NT by N"
        ),
    );
    // One line per board, names before the deal; four hands, and four passes.
    let whole = format!("{}S2H5432D5432C5432", &MD.replacen('3', "1", 1));
    check(
        format!(
            "pn|Sue,Wim,Nora,Ed|st||md|{MD}|sv|n|\npn|a,b,c,d|st||md|{whole}|sv|e|mb|p|mb|ppp|"
        ),
        &format!(
            "Nora-Ed-Sue-Wim N NS {DEAL} | c-d-a-b S EW {DEAL} [Pass Pass Pass Pass] passed out"
        ),
    );
    check(format!("md|{}|", MD.to_lowercase()), &format!("N {DEAL}"));
    check("md|2SQ4,SJ5,SA2,SK3|sv||", "W N:A2... K3... Q4... J5...");
}

#[test]
fn unfinished_auctions_have_a_contract_if_there_is_play() {
    let start = format!("md|{MD}|mb|1S|mb|2H|");
    check(&start, &format!("N {DEAL} [1S 2H]"));
    check(format!("{start}pc|S2|"), &format!("N {DEAL} [1S 2H] 2H by E S2"));
    check(format!("{start}mc|8|"), &format!("N {DEAL} [1S 2H] 2H by E =8"));
}

#[test]
fn faults_are_reported_and_reading_continues() {
    let good = format!("N {DEAL}");
    let wrong = |value: &str, expected: &str| {
        let bad = format!("qx|o1|\n{value}|md|{MD}|");
        // A valid deal comes first.
        check(
            format!("md|{MD}|{bad}\nqx|o2|md|{MD}|"),
            &format!("{good} | line 2: {expected} | #2 {good}"),
        );
    };
    wrong("sv|x", "`x` is not a vulnerability: expected o, n, e or b");
    wrong("mb|1", "`1` is not a call");
    wrong("mb|8S", "`8S` is not a call");
    wrong("mb|q", "`q` is not a call");
    wrong("pc|S", "`S` is not a card");
    wrong("pc|S1", "`S1` is not a card");
    wrong("mc|14", "`14` is not a number of tricks");
    wrong("mc|x", "`x` is not a number of tricks");
    let md = |value: &str, expected: &str| {
        check(format!("\nmd|{value}|"), &format!("line 2: {expected}"))
    };
    md("", "an empty text does not start with a dealer, 1 to 4");
    md("5SA,SK,SQ,SJ", "`5SA,SK,SQ,SJ` does not start with a dealer, 1 to 4");
    md("1A,SK,SQ,SJ", "south's hand: no suit before `A`");
    md("1SAA,SK,SQ,SJ", "south's hand: SA occurs twice");
    md("1SA,SK1,SQ,SJ", "west's hand: `1` is neither a suit nor a rank");
    md("1SA,SK,SQ,SA", "SA is in south's hand and in another");
    md("1SA,SK,SQ,SJ,S2", "more than four hands");
    md("1SA,SK,SQ,", "east's hand is missing, and the others do not have 39 cards");
    md("1SA,SK,,", "2 hands are missing");
    md("1SA,SK,SQ,SJ2", "the hands have 1, 2, 1 and 1 cards; all must have the same number");
    check("", "line 1: the file has no deal (`md|`)");
    check("qx|o1|pn|a,b|\nah|x", "line 2: the file has no deal (`md|`)");
    let calls = "p".repeat(320);
    check(format!("md|{MD}|mb|{calls}|"), "line 1: more than 319 calls");
    let cards = "S2".repeat(53);
    check(format!("md|{MD}|pc|{cards}|"), "line 1: more than 52 cards are played");
}
