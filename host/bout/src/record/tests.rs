//! Tests of records: what is written can be read again, errors name their place, and no bytes make
//! the reader panic.

mod files;

use proptest::prelude::*;
use sandboard_games::{Games, NO_TRANSLATIONS, bridge};
use serde_json::Value;

use super::samples::eventful;
use super::*;
use crate::referee::counting_game::{COUNTING, games};
use crate::referee::guessing_game::GUESSING;
use crate::start::StartPosition;

fn parse(text: &str) -> Result<Record, RecordError> {
    Record::parse(text.as_bytes(), &games())
}

fn text_of(record: &Record) -> String {
    String::from_utf8(record.to_json()).unwrap()
}

#[test]
fn a_record_that_was_written_is_read_back() {
    let record = eventful();
    let read = parse(&text_of(&record)).unwrap();
    assert_eq!(read, record);
    let moves: Vec<_> = read.plies.iter().map(|ply| ply.r#move.as_str()).collect();
    assert_eq!(moves, ["3", "1", "2"]);
    assert_eq!(read.result.unwrap().sentence, "n1 (even) resigns");
}

#[test]
fn each_line_is_a_field_or_an_element() {
    let text = text_of(&eventful());
    for line in ["{", "  \"version\": 1,", "  \"plies\": [", "  ],", "}"] {
        assert!(text.lines().any(|l| l == line), "no line `{line}` in\n{text}");
    }
    let ply = r#"    {"seat": 1, "move": "1", "spent": {"wall_us": 2000, "logged_bytes": 0}},"#;
    assert!(text.lines().any(|line| line == ply), "{text}");
    let empty = Record { events: Vec::new(), plies: Vec::new(), ..eventful() };
    assert!(text_of(&empty).contains("\"plies\": [],\n"));
    assert!(text.ends_with("}\n"));
}

/// `docs/records.md` mentions every key of a record that has them all.
#[test]
fn every_field_is_documented() {
    fn keys(value: &Value, found: &mut std::collections::BTreeSet<String>) {
        match value {
            Value::Object(fields) => {
                for (key, value) in fields {
                    found.insert(key.clone());
                    if key != "options" && key != "assets" {
                        keys(value, found);
                    }
                }
            }
            Value::Array(values) => values.iter().for_each(|value| keys(value, found)),
            _ => (),
        }
    }
    let docs = include_str!("../../../../docs/records.md");
    let mut found = std::collections::BTreeSet::new();
    keys(&serde_json::from_str(&text_of(&eventful())).unwrap(), &mut found);
    found.extend(["opening", "rule", "fault", "score"].map(str::to_owned));
    assert!(found.len() > 50, "{found:?}");
    let missing: Vec<_> = found.iter().filter(|key| !docs.contains(&format!("`{key}`"))).collect();
    assert!(missing.is_empty(), "docs/records.md does not mention {missing:?}");
    let events = eventful()
        .events
        .iter()
        .map(|event| serde_json::to_value(event).unwrap())
        .collect::<Vec<_>>();
    for kind in events.iter().map(|event| event["event"].as_str().unwrap()) {
        assert!(docs.contains(&format!("`{kind}`")), "docs/records.md does not mention `{kind}`");
    }
}

/// Replaces one text in the record's file, and checks the reader's error.
fn check(replace: &str, with: &str, expected: &str) {
    check_in(&eventful(), replace, with, expected);
}

fn check_in(record: &Record, replace: &str, with: &str, expected: &str) {
    let text = text_of(record);
    assert!(text.contains(replace), "no `{replace}` in\n{text}");
    let error = parse(&text.replacen(replace, with, 1)).expect_err(with).to_string();
    assert!(error.contains(expected), "`{with}`: {error}");
}

#[test]
fn errors_name_their_place() {
    check(
        "\"version\": 1,",
        "\"version\": 2,",
        "the record has version 2, but this host reads version 1",
    );
    check("  \"version\": 1,\n", "", "version: the field is missing");
    check("sandboard-record", "other", "not a record of a bout");
    check("\"game\": \"counting\"", "\"game\": \"chess\"", "game: there is no game `chess`");
    check(
        "\"game\": \"counting\"",
        "\"game\": \"\\u001b[2J\"",
        "game: there is no game `\u{fffd}[2J`",
    );
    check("\"kind\": \"person\"", "\"kind\": \"\\u001b[2J\"", "unknown variant `\u{fffd}[2J`");
    check("\"variant\": \"to-21\"", "\"variant\": \"to-9\"", "variant: counting has no variant");
    check("\"start\": \"0 0 0\"", "\"start\": \"x\"", "start: not a position of counting");
    check("\"budget\": \"3m+2s\"", "\"budget\": \"5x\"", "`5x` is not a valid budget");
    check("\"budget\": \"3m+2s\"", "\"budget\": \"5s/move\"", "players[0]: `clock_left`");
    check("\"seats\": [0, 2]", "\"seats\": [0, 4]", "players: player 0 has seat 4");
    check("\"seats\": [0, 2]", "\"seats\": [0, 3]", "players: ");
    check("\"kind\": \"person\"", "\"kind\": \"ghost\"", "unknown variant `ghost`");
    check("\"kind\": \"person\"", "\"kind\": \"engine\"", "players[1]: an engine needs the field");
    check(
        "\"seat\": 1, \"move\": \"1\"",
        "\"seat\": 1, \"move\": \"99\"",
        "plies[1].move: `99` is refused",
    );
    check("\"seat\": 1, \"move\": \"1\"", "\"seat\": 3, \"move\": \"1\"", "plies[1].seat: seat 1");
    check("\"move\": \"1\"", "\"move\": \"\\u001b[2J\"", "plies[1].move: the text has control");
    check("\"text\": \"hello\"", "\"text\": \"\\n\"", "logs[0]: the text has control");
    check("\"name\": \"n0\"", &format!("\"name\": \"{}\"", "n".repeat(300)), "300 bytes");
    check("\"player\": 0", "\"player\": 7", "events[0]: there is no player 7");
    check("\"winner\": 0", "\"winner\": 3", "result.winner: the last side is 1");
    check("\"scores\": [1, -1, 1, -1]", "\"scores\": [1, -1]", "result.scores: there are 4 seats");
    check("\"seat\": 1, \"move\"", "\"seat\": null, \"move\"", "plies[1].seat: seat 1 was");
    check("\"wall_us\": 2000", "\"wall_us\": -1", "line ");
    check("\"requests\": 2", "\"requests\": 0", "settings: `requests` is 0");
    check("\"plies\": [", "\"plies\": [[", "line ");
    let spent = "\"clock_left\": -";
    check(spent, "\"clock_left\": -19999999999", "amount is too large");
    assert!(parse("").is_err() && parse("[]").is_err() && parse("{}").is_err());
    assert_eq!(parse("{}"), Err(RecordError::NotARecord));
    let deep = "[".repeat(100_000);
    assert!(matches!(parse(&deep), Err(RecordError::Json { .. })));
}

/// The record of a bout that began after four moves: each seat has made one.
fn after_moves() -> Record {
    let opening_move = |seat: u8| OpeningMove { seat: Some(seat), r#move: "1".into() };
    Record { opening: (0..4).map(opening_move).collect(), ..eventful() }
}

#[test]
fn a_bout_that_began_after_moves_is_read_back() {
    let record = after_moves();
    let text = text_of(&record);
    let line = r#"    {"seat": 3, "move": "1"}"#;
    assert!(text.lines().any(|found| found == line), "{text}");
    assert_eq!(parse(&text).as_ref(), Ok(&record));
    assert!(!text_of(&eventful()).contains("opening"), "absent if there are no moves");
    let referee = record.restore_referee(&games()).unwrap();
    assert_eq!((referee.game().position().as_str(), referee.plies().len()), ("10 7 0", 3));
}

#[test]
fn faults_of_the_moves_before_the_bout_name_their_place() {
    let check = |replace: &str, with: &str, expected: &str| {
        check_in(&after_moves(), replace, with, expected);
    };
    let last = r#"{"seat": 3, "move": "1"}"#;
    let twice = format!("{last}, {last}");
    check(last, &twice, "opening[4].seat: seat 0 was to move, not seat 3");
    check(last, r#"{"seat": 0, "move": "1"}"#, "opening[3].seat: seat 3 was to move, not seat 0");
    check(
        last,
        r#"{"seat": null, "move": "1"}"#,
        "opening[3].seat: seat 3 was to move, not chance",
    );
    check(last, r#"{"seat": 3, "move": "0"}"#, "opening[3].move: `0` is refused");
    let canonical = "opening[3].move: the canonical text of the move is `1`";
    check(last, r#"{"seat": 3, "move": "1 "}"#, canonical);
    check(last, r#"{"seat": 3, "move": "\n"}"#, "opening[3].move: the text has control");
    let long = format!(r#"{{"seat": 3, "move": "{}"}}"#, "1".repeat(80));
    check(last, &long, "opening[3].move: the text has 80 bytes");
    check(last, r#"{"seat": 3}"#, "missing field `move`");
    // The bout's own moves follow: one seat too early is not theirs.
    let shorter = Record { opening: after_moves().opening[..3].to_vec(), ..eventful() };
    let error = parse(&text_of(&shorter)).unwrap_err().to_string();
    assert_eq!(error, "plies[0].seat: seat 3 was to move, not seat 0");
}

#[test]
fn a_bout_begins_after_a_limited_number_of_moves() {
    let check = |count: usize, expected: Result<(), &str>| {
        let opening_move =
            |index: usize| OpeningMove { seat: Some(index as u8 % 4), r#move: "1".into() };
        let opening: Vec<_> = (0..count).map(opening_move).collect();
        let record = Record { opening, variant: "endless".into(), ..eventful() };
        let read = parse(&text_of(&record)).map(drop).map_err(|error| error.to_string());
        assert_eq!(read, expected.map_err(str::to_owned), "{count}");
    };
    check(20_000, Ok(()));
    check(20_004, Err("opening: there are 20004 moves, more than 20000"));
}

/// Where seats see or choose different things, and in a solved game, a bout begins in a position.
#[test]
fn some_games_keep_no_moves() {
    let games = games().with([&GUESSING]);
    let check = |id: &str, keeps: bool| {
        assert_eq!(StartPosition::keeps_moves(games.find(id).unwrap()), keeps, "{id}");
    };
    for id in ["gomoku", "reversi", "xiangqi", "counting"] {
        check(id, true);
    }
    check("bridge", false);
    check(GUESSING.id, false);
    let deal = (bridge::INFO.deal.unwrap())(&bridge::INFO.default_variant(), 1);
    let game = (bridge::INFO.new)(&bridge::INFO.default_variant(), Some(&deal)).unwrap();
    let mut legal = String::new();
    game.write_legal(&mut legal);
    let mv = OpeningMove {
        seat: Some(game.to_move().0),
        r#move: legal.split(' ').next().unwrap().into(),
    };
    let record = Record {
        game: "bridge".into(),
        variant: game.variant().text(),
        start: Some(deal),
        opening: vec![mv],
        ..eventful()
    };
    let error = Record::parse(&record.to_json(), &games).unwrap_err().to_string();
    assert_eq!(error, "opening: a bout of bridge begins in a position, without moves");
}

#[test]
fn unknown_fields_and_absent_settings_are_allowed() {
    let text = text_of(&eventful());
    let extended = text.replacen("\"version\": 1,", "\"version\": 1, \"weather\": [1, {}],", 1);
    assert_eq!(parse(&extended), Ok(eventful()));
    let mut value: Value = serde_json::from_str(&text).unwrap();
    value["settings"] = serde_json::json!({"grace": {"us": 7}});
    value.as_object_mut().unwrap().remove("logs");
    let read = parse(&value.to_string()).unwrap();
    assert_eq!((read.settings.grace.us, read.settings.requests), (7, 2));
}

#[test]
fn a_new_bout_can_start_after_any_ply() {
    let record = eventful();
    let check = |record: &Record, ply, expected: (&str, &str)| {
        let start = record.start_position_after(ply, &games()).unwrap();
        assert_eq!(start.position.as_deref(), Some("0 0 0"));
        assert_eq!(
            (start.moves.join(" ").as_str(), &*start.set_up().unwrap().position()),
            expected
        );
    };
    check(&record, Some(0), ("", "0 0 0"));
    check(&record, Some(1), ("3", "3 1 0"));
    check(&record, Some(3), ("3 1 2", "6 3 0"));
    check(&record, None, ("3 1 2", "6 3 0"));
    check(&after_moves(), Some(0), ("1 1 1 1", "4 4 0"));
    check(&after_moves(), Some(2), ("1 1 1 1 3 1", "8 6 0"));
    let error = record.start_position_after(Some(4), &games()).unwrap_err();
    assert_eq!(error.to_string(), "plies: there are 3 plies, not 4");
}

#[test]
fn a_restored_referee_has_the_recorded_clocks() {
    let record = eventful();
    let referee = record.restore_referee(&games()).unwrap();
    assert_eq!(referee.game().position(), "6 3 0");
    assert_eq!(referee.clock(0).unwrap().left(), record.plies[2].clock_left);
    assert!(record.plies[2].clock_left.unwrap() < 0, "an overrun");
    assert_eq!(referee.plies()[0].line.as_ref().unwrap().moves, "3 1");
    assert_eq!(referee.events(), record.events);
}

/// The place of an edit in the file, a byte, and the kind of edit.
fn edit() -> impl Strategy<Value = (prop::sample::Index, u8, u8)> {
    (any::<prop::sample::Index>(), any::<u8>(), 0..4u8)
}

proptest! {
    #[test]
    fn no_mutation_of_a_record_makes_the_reader_panic(
        edits in proptest::collection::vec(edit(), 1..6)
    ) {
        let mut bytes = after_moves().to_json();
        for (at, byte, kind) in edits {
            let at = at.index(bytes.len().max(1)).min(bytes.len().saturating_sub(1));
            match kind {
                0 => bytes[at] = byte,
                1 => bytes.insert(at, b"0123456789\"{}[],:-e."[usize::from(byte) % 20]),
                2 => bytes.truncate(at + 1),
                _ => drop(bytes.remove(at)),
            }
            if bytes.is_empty() {
                bytes.push(b'{');
            }
        }
        if let Ok(record) = Record::parse(&bytes, &games()) {
            prop_assert_eq!(Record::parse(&record.to_json(), &games()), Ok(record));
        }
    }

    #[test]
    fn no_value_in_any_place_makes_the_reader_panic(index in 0..200usize, value in values()) {
        let mut record: Value = serde_json::from_slice(&after_moves().to_json()).unwrap();
        let mut count = index;
        replace(&mut record, &mut count, &value);
        let _ = Record::parse(record.to_string().as_bytes(), &games());
    }
}

fn values() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        Just(Value::Bool(true)),
        any::<u64>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        Just(Value::from(1e300)),
        "\\PC{0,70}".prop_map(Value::from),
        Just(serde_json::json!([])),
        Just(serde_json::json!({})),
    ]
}

/// Replaces the value with index `count` in the tree, in depth-first order.
fn replace(tree: &mut Value, count: &mut usize, value: &Value) {
    if *count == 0 {
        *tree = value.clone();
    }
    *count = count.wrapping_sub(1);
    match tree {
        Value::Array(values) => values.iter_mut().for_each(|tree| replace(tree, count, value)),
        Value::Object(fields) => fields.values_mut().for_each(|tree| replace(tree, count, value)),
        _ => (),
    }
}

/// The counting game, as if it was plugged in.
static PLUGGED_IN: GameInfo = GameInfo {
    id: "plugged-counting",
    plugged_in: Some(PluggedIn { version: "1.0", sha256: "ab", translations: &NO_TRANSLATIONS }),
    ..COUNTING
};

#[test]
fn a_record_names_the_rules_that_were_plugged_in() {
    let rules = |version: &str, sha256: &str| {
        Some(RulesRecord { version: version.into(), module_sha256: sha256.into() })
    };
    assert_eq!(RulesRecord::of(&COUNTING), None);
    assert_eq!(RulesRecord::of(&PLUGGED_IN), rules("1.0", "ab"));
    let games = games().with([&PLUGGED_IN]);
    let check = |game: &str, rules: Option<RulesRecord>, expected: Option<&str>| {
        let record = Record { game: game.into(), rules, ..eventful() };
        let read = Record::parse(&record.to_json(), &games).unwrap();
        assert_eq!(read, record);
        assert_eq!(read.rules_difference(&games).as_deref(), expected);
    };
    let (own, counting) = (PLUGGED_IN.id, COUNTING.id);
    check(counting, None, None);
    check(own, rules("1.0", "ab"), None);
    let here = "but this host has version 1.0 of the rules (SHA-256 ab)";
    let older = format!("was played by version 0.9 of the rules (SHA-256 cd), {here}");
    check(own, rules("0.9", "cd"), Some(&older));
    check(own, None, Some(&format!("was played by built-in rules, {here}")));
    let built_in = "was played by version 1.0 of the rules (SHA-256 ab), but this host has \
                    built-in rules";
    check(counting, rules("1.0", "ab"), Some(built_in));
    let record = Record { game: own.into(), rules: rules("1.0", "ab"), ..eventful() };
    let error = Record::parse(&record.to_json(), &Games::default()).unwrap_err().to_string();
    assert!(error.contains("it was plugged in: the engines folder needs its pack"), "{error}");
    let hidden = Record { rules: rules("1\u{1b}", "ab"), ..eventful() };
    let error = Record::parse(&hidden.to_json(), &games).unwrap_err().to_string();
    assert!(error.contains("rules.version"), "{error}");
}
