//! Forbidden points: records whose answers several programs agree on, and
//! hand-made cases, each with its near miss.

use std::fs;

use serde_json::Value;

use super::read;
use crate::gomoku::Gomoku;
use crate::rules::Rules;

fn records() -> Vec<Value> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/fixtures/gomoku/forbidden.json");
    let text = fs::read_to_string(path).expect(path);
    let fixture: Value = serde_json::from_str(&text).expect(path);
    fixture["records"].as_array().expect("records").clone()
}

/// `k3: double-three, l3: double-three`, in the order of points.
fn forbidden_of(game: &Gomoku) -> String {
    let text = |(point, foul): (_, crate::gomoku::Foul)| format!("{point}: {}", foul.name());
    game.forbidden_points().map(text).collect::<Vec<_>>().join(", ")
}

fn expected_of(game: &Gomoku, record: &Value) -> String {
    let kinds = record["kinds"].as_object().expect("kinds");
    let text = |point| {
        let kind = kinds.get(&format!("{point}"))?.as_str()?;
        Some(format!("{point}: {kind}"))
    };
    let all: Vec<String> = game.empty_points().filter_map(text).collect();
    assert_eq!(all.len(), kinds.len(), "{record}");
    all.join(", ")
}

#[test]
fn the_records_are_met() {
    let records = records();
    assert_eq!(records.len(), 600);
    for record in &records {
        let game = read("renju", record["position"].as_str().expect("a position"));
        assert_eq!(forbidden_of(&game), expected_of(&game, record), "{}", record["id"]);
        for (trap, why) in record["legal_traps"].as_object().into_iter().flatten() {
            let point = game.parse_move(trap).expect(trap).point().expect(trap);
            assert_eq!(game.forbidden(point), None, "{trap} of {}: {why}", record["id"]);
        }
    }
}
