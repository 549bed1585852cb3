//! Compares the JSON lines of arenas with docs/arena-events.schema.json.

use jsonschema::Validator;
use serde_json::{Value, json};

use super::TestHome;

const SCHEMA: &str = include_str!("../../../docs/arena-events.schema.json");

/// The validator of a line, or of the part with this name.
fn schema(part: Option<&str>) -> Validator {
    let mut schema: Value = serde_json::from_str(SCHEMA).unwrap();
    jsonschema::draft202012::meta::validate(&schema).unwrap_or_else(|error| panic!("{error}"));
    if let Some(part) = part {
        let fields = schema.as_object_mut().unwrap();
        fields.remove("oneOf");
        fields.insert("$ref".into(), format!("#/$defs/{part}").into());
    }
    jsonschema::draft202012::new(&schema).unwrap()
}

#[track_caller]
fn check(schema: &Validator, value: &Value) {
    let faults: Vec<String> = schema.iter_errors(value).map(|it| it.to_string()).collect();
    assert_eq!(faults, [""; 0], "{value}");
}

#[test]
fn every_line_of_an_arena_fits_the_schema() {
    let home = TestHome::new();
    let schema = schema(None);
    let mut events = Vec::new();
    for words in [
        "match random-mover gomoku-simple --pairs 2 --budget depth:1 --variant freestyle-9 --seed 7",
        "match random-mover random-mover --sprt 0,50 --pairs 3 --variant freestyle-9 --seed 7",
        "round-robin random-mover random-mover faulty:fault=panic:at=2 --variant freestyle-9 --seed 7",
    ] {
        let output = home.succeed(&format!("{words} --dir m{} --json", events.len()));
        for line in output.lines() {
            let line: Value = serde_json::from_str(line).unwrap();
            check(&schema, &line);
            events.push(line);
        }
    }
    let kinds = |kind: &str| events.iter().filter(|event| event["event"] == kind).count();
    assert_eq!((kinds("begin"), kinds("end")), (3, 3));
    assert!(events.iter().any(|event| event["fault"] == "crash"), "{events:?}");
    // A stored arena has the same view.
    let view: Value = serde_json::from_str(&home.succeed("show m0 --json")).unwrap();
    check(&self::schema(Some("view")), &view);
    // Lines that are not those of an arena are refused.
    let game = events.iter().find(|event| event["event"] == "game").unwrap();
    for (field, value) in [
        ("event", json!("games")),
        ("name", json!("pair-1-1")),
        ("pair", json!(-1)),
        ("plies", json!("12")),
        ("more", json!(1)),
    ] {
        let mut wrong = game.clone();
        wrong[field] = value;
        assert!(!schema.is_valid(&wrong), "{wrong}");
    }
    let mut less = game.clone();
    less.as_object_mut().unwrap().remove("sentence");
    assert!(!schema.is_valid(&less), "{less}");
}

/// Events that the arenas above do not have.
#[test]
fn rare_lines_fit_the_schema() {
    let schema = schema(None);
    for line in [
        json!({"event": "replayed", "game": "pair-000001-1", "reason": "the host failed"}),
        json!({"event": "void", "pair": 1, "game": "pair-000001-2", "reason": "no result"}),
        json!({"event": "request", "answer": "the tournament ends with pair 3"}),
    ] {
        check(&schema, &line);
    }
    assert!(!schema.is_valid(&json!({"event": "void", "pair": 0, "game": "x", "reason": ""})));
}
