//! Tests of xiangqi: fixture positions, repetition, texts, random games.

mod chases;
mod endings;
mod properties;
mod reference;
mod texts;

use std::fs;

use serde_json::Value;

use super::{INFO, Move, RepetitionCause, Xiangqi};
use crate::info::Variant;
use crate::perft;
use crate::rules::{MoveSet, Rules, Side};

fn variant() -> Variant {
    INFO.variant("computer").expect("a variant")
}

fn read(position: &str) -> Xiangqi {
    Xiangqi::parse_position(&variant(), position).unwrap_or_else(|e| panic!("{position}: {e}"))
}

fn text_of(game: &Xiangqi) -> String {
    let mut text = String::new();
    game.write_position(&mut text);
    text
}

fn generated(game: &Xiangqi, set: MoveSet) -> Vec<String> {
    let mut moves = Vec::new();
    game.generate(set, &mut moves);
    moves.iter().map(Move::to_string).collect()
}

/// A fixture of this game.
fn fixture(name: &str) -> Value {
    let path = format!("{}/../tests/fixtures/xiangqi/{name}.json", env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn list<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value[name].as_array().unwrap_or_else(|| panic!("no list `{name}`"))
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_else(|| panic!("no text `{name}` in {value}"))
}

/// Positions that are draws by insufficient material here; the fixture does not have that rule.
const INSUFFICIENT_MATERIAL: [u64; 3] = [54, 206, 224];

#[test]
fn positions_have_their_moves_checks_and_results() {
    let fixture = fixture("rules");
    let positions = list(&fixture, "positions");
    assert_eq!(positions.len(), 400);
    for position in positions {
        let game = read(text(position, "fen"));
        let mut found = generated(&game, MoveSet::All);
        found.sort();
        let expected: Vec<&str> =
            list(position, "legal_moves").iter().filter_map(Value::as_str).collect();
        assert_eq!(found, expected, "{position}");
        assert_eq!(game.in_check(), position["in_check"] == true, "{position}");
        let outcome = game.outcome();
        let result = match outcome.map(|outcome| outcome.winner) {
            None => "ongoing",
            Some(None) => "draw",
            Some(Some(Side(0))) => "red_wins",
            Some(Some(_)) => "black_wins",
        };
        let lacks = position["id"].as_u64().is_some_and(|id| INSUFFICIENT_MATERIAL.contains(&id));
        let expected = if lacks { "draw" } else { text(position, "result") };
        assert_eq!(result, expected, "{position}");
        if let Some(reason) = position["reason"].as_str() {
            assert_eq!(outcome.map(|outcome| outcome.reason), Some(reason), "{position}");
        }
    }
}

#[test]
fn repetition_verdicts_match_the_fixture() {
    let fixture = fixture("repetition");
    let mut compared = 0;
    for case in list(&fixture, "cases") {
        let mut game = read(text(case, "fen"));
        let moves = list(case, "moves");
        for (index, mv) in moves.iter().filter_map(Value::as_str).enumerate() {
            assert_eq!(game.repetition(), None, "after {index} of {case}");
            let mv = super::position::read_move(mv).expect("a move");
            assert!(game.is_move(mv), "{mv} of {case}");
            game.make(mv);
        }
        let verdict = game.repetition().unwrap_or_else(|| panic!("no third time: {case}"));
        let loses = match verdict.loser {
            None => "draw".to_owned(),
            Some(color) => format!("{}_loses", color.name()),
        };
        assert_eq!(loses, text(case, "pikafish"), "{case}");
        let expected = text(case, "verdict");
        // Where the two rule sets of the fixture differ, only Pikafish's verdict applies.
        if expected != "differs" {
            let found = match (verdict.loser, verdict.cause) {
                (None, _) => loses,
                (Some(color), RepetitionCause::Check) => {
                    format!("loss_checking_side:{}", color.name())
                }
                (Some(color), _) => format!("loss_chasing_side:{}", color.name()),
            };
            assert_eq!(found, expected, "{case}");
            compared += 1;
        }
    }
    assert_eq!(compared, 44);
}

#[test]
fn perft_matches_published_tables() {
    let slow = std::env::var_os("SLOW").is_some();
    for record in list(&fixture("perft"), "records") {
        let mut game = read(text(record, "position"));
        for (depth, count) in record["perft"].as_object().expect("counts") {
            let (depth, count) =
                (depth.parse().expect("a depth"), count.as_u64().expect("a count"));
            if slow || count < 1_000_000 {
                assert_eq!(perft(&mut game, depth), count, "{record}");
            }
        }
    }
}

#[test]
fn position_texts_round_trip() {
    for position in list(&fixture("rules"), "positions") {
        let game = read(text(position, "fen"));
        assert_eq!(text_of(&game), text(position, "fen"));
    }
}

#[test]
fn wxf_notation_matches_the_fixture() {
    let fixture = fixture("notation");
    for case in list(&fixture, "cases") {
        let game = read(text(case, "fen"));
        // One of the positions lacks material, so no move can be played there.
        let mv = super::position::read_move(text(case, "move")).expect("a move");
        assert!(game.is_move(mv), "{case}");
        let mut found = String::new();
        game.write_styled(mv, super::Style::Wxf, &mut found);
        assert_eq!(found, text(case, "wxf"), "{case}");
    }
}

#[test]
fn every_notation_of_a_move_reads_back() {
    use super::Style::*;
    for position in list(&fixture("rules"), "positions") {
        let game = read(text(position, "fen"));
        if game.outcome().is_some() {
            continue;
        }
        let mut moves = Vec::new();
        game.generate(MoveSet::All, &mut moves);
        for mv in moves {
            for style in [Iccs, Wxf, Chinese] {
                let mut written = String::new();
                game.write_styled(mv, style, &mut written);
                assert_eq!(game.parse_move(&written), Ok(mv), "{written} in {position}");
            }
        }
    }
}
