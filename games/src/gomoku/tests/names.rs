//! Facts of a position, the 26 openings, and variant texts.

use std::collections::BTreeMap;
use std::fs;

use serde_json::Value;

use super::procedures::after;
use super::{legal_moves, read, variant};
use crate::gomoku::{Gomoku, INFO, OPENINGS};
use crate::rules::Rules;

fn fact(game: &Gomoku, name: &str) -> String {
    let facts = game.facts().into_iter().find(|(known, _)| *known == name);
    facts.map_or("-".to_owned(), |(_, json)| json)
}

#[test]
fn facts_have_phase_and_offers() {
    let check = |variant_text: &str, moves: &str, name: &str, expected: &str| {
        let game = after(variant_text, moves);
        let json = fact(&game, name);
        assert_eq!(json, expected, "{name} after {moves}");
        assert!(json == "-" || serde_json::from_str::<Value>(&json).is_ok(), "{json}");
    };
    check("yamaguchi", "h8 h9 i10", "phase", "\"announce\"");
    check("yamaguchi", "h8 h9 i10", "fifths", "-");
    check("yamaguchi", "h8 h9 i10 fifths-2", "fifths", "2");
    check("yamaguchi", "h8 h9 i10 fifths-2 keep c3 d4 a1", "offers", r#"["a1","d4"]"#);
    check("yamaguchi", "h8 h9 i10 fifths-2 keep c3 d4 a1 d4", "offers", "-");
    check("yamaguchi", "h8 h9 i10 fifths-2 keep c3 d4 a1 d4", "phase", "\"play\"");
    check("freestyle", "h8", "phase", "-");
    check("renju", "h8", "forbidden", "[]");
    check("freestyle", "h8", "forbidden", "-");
    let crossed = read("renju", "15/15/15/15/15/15/8x6/8x6/6xx7/15/15/15/15/15/15 w");
    assert_eq!(fact(&crossed, "forbidden"), r#"[{"point":"i7","kind":"double-three"}]"#);
}

#[test]
fn openings_match_the_fixture() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/fixtures/gomoku/openings26.json");
    let text = fs::read_to_string(path).expect(path);
    let fixture: Value = serde_json::from_str(&text).expect(path);
    let records = fixture["openings"].as_array().expect("openings");
    assert_eq!(records.len(), OPENINGS.len());
    for (record, opening) in records.iter().zip(&OPENINGS) {
        let names = ["id", "name_zh", "name_romaji"].map(|name| record[name].as_str());
        assert_eq!(names, [opening.id, opening.chinese, opening.romaji].map(Some));
        let mut game = Gomoku::start(&variant("renju"));
        for mv in record["moves"].as_array().expect("moves") {
            game.play(mv.as_str().expect("a move")).expect("legal");
        }
        assert_eq!(game.renju_opening(), Some(opening), "{record}");
    }
}

#[test]
fn every_possible_opening_has_a_name() {
    let mut seen = BTreeMap::new();
    let mut game = Gomoku::start(&variant("yamaguchi"));
    game.play("h8").expect("the centre");
    for second in legal_moves(&game) {
        let (_, undo) = game.play(&second).expect("legal");
        for third in legal_moves(&game) {
            let (_, undo) = game.play(&third).expect("legal");
            *seen.entry(game.renju_opening().expect("a name").id).or_insert(0) += 1;
            game.unmake(undo);
        }
        game.unmake(undo);
    }
    assert_eq!((seen.len(), seen.values().sum::<i32>()), (26, 8 * 23));
}

#[test]
fn variants_are_read_with_size_and_setting() {
    let check = |text: &str, expected: &str| {
        let found = INFO.variant(text).map(|v| format!("{} {:?} {:?}", v.id, v.size, v.setting));
        let known = found.unwrap_or_else(|_| "unknown".to_owned());
        assert_eq!(known.replace("Setting { name: \"fifths\", number: ", "{"), expected, "{text}");
    };
    check("soosorv-8", "soosorv-8 None None");
    check("soosorv-8-15", "soosorv-8 Some(15) None");
    check("soosorv", "unknown");
    check("soosorv-8-14", "unknown");
    check("taraguchi-10", "taraguchi-10 None None");
    check("renju-15", "renju Some(15) None");
    check("renju-contest", "renju-contest None None");
    check("renju-contest:fifths=6", "renju-contest None Some({6 })");
    check("renju-contest-15:fifths=12", "renju-contest Some(15) Some({12 })");
    for wrong in [":fifths=0", ":fifths=13", ":fifths=06", ":fifths=", ":fifths", ":six=6", ":"] {
        check(&format!("renju-contest{wrong}"), "unknown");
    }
    check("renju-rif:fifths=2", "unknown");
    check("freestyle-05", "unknown");
    check("swap2-5", "swap2 Some(5) None");
    check("swap-2", "unknown");
    let covers = |declared: &str, text: &str| INFO.covers(declared, &variant(text));
    assert!(covers("renju-contest", "renju-contest:fifths=3"));
    assert!(covers("renju-contest:fifths=12", "renju-contest-15"));
    assert!(!covers("renju-contest:fifths=3", "renju-contest"));
    assert!(!covers("renju", "renju-contest"));
}

#[test]
fn an_even_board_has_no_named_opening() {
    let even = read("renju-16", &("16/".repeat(5) + "8x7/9o6/8x7/" + &"16/".repeat(7) + "16 w"));
    assert_eq!(even.renju_opening(), None);
}
