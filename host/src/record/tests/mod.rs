//! Records: what is written reads back, what is wrong is named, and no bytes
//! make the reader panic.

mod files;

use proptest::prelude::*;
use sandboard_abi::{Choice, Decision, Line, Score};
use serde_json::Value;

use super::*;
use crate::engine::{BorderHash, Fault, FaultCode};
use crate::referee::counting::{COUNTING, games};
use crate::referee::{Event, OnTimeout, PlayerSetup};

/// A bout in which everything happens that a record can hold.
pub(crate) fn eventful() -> Record {
    let player = |seat: u8, kind, budget: &str| PlayerSetup {
        name: format!("n{seat}"),
        seats: vec![seat, seat + 2],
        budget: budget.parse().unwrap(),
        kind,
        ponder_threads: None,
    };
    let players =
        vec![player(0, PlayerKind::Engine, "3m+2s"), player(1, PlayerKind::Person, "none")];
    let game = (COUNTING.new)(&COUNTING.variant("").unwrap(), None).unwrap();
    let settings = Settings { on_timeout: OnTimeout::PlayReported, ..Settings::default() };
    let mut referee = Referee::new(game, players, settings).unwrap();
    let mut out = Vec::new();
    let mut now_us = 0;
    let mut handle = |referee: &mut Referee, event| {
        now_us += 1_000;
        referee.handle(now_us, event, &mut out);
    };
    let answer = |player, call, mv: &str, line, offers_draw| {
        let decision = Decision::Play(mv.into());
        let spent = Spent {
            wall_us: 1_500,
            cpu_us: Some(1_400),
            fuel: Some(7),
            peak_memory_bytes: Some(9),
            logged_bytes: 3,
            border: Some(BorderHash([0xab; 16])),
            stopped: true,
        };
        let choice = Choice { decision, offers_draw, line };
        Event::Chosen { player, call, choice, spent, reported: Vec::new() }
    };
    let score = Some(Score { value: -30, bound: Bound::AtMost });
    let line = Line { rank: 1, score, depth: 4, nodes: 99, spent: 5, moves: "3 1".into() };
    handle(&mut referee, Event::Begin);
    handle(&mut referee, answer(0, 1, "x", None, false));
    handle(&mut referee, answer(0, 2, "3", Some(line), true));
    handle(&mut referee, Event::DeclineDraw { player: 1 });
    handle(&mut referee, answer(1, 3, "2", None, false));
    handle(&mut referee, Event::Undo { plies: Some(1), by: None });
    handle(&mut referee, Event::Pause);
    handle(&mut referee, Event::Resume);
    let call = referee.to_move().and_then(|(_, call)| call).unwrap();
    handle(&mut referee, answer(1, call, "1", None, false));
    let spent = Spent { wall_us: 200_000_000, ..Spent::default() };
    let fault = Fault { spent, ..Fault::new(FaultCode::Timeout, "did not answer") };
    let (call, reported) = (Some(call + 1), vec!["2".into()]);
    handle(&mut referee, Event::Fault { player: 0, call, fault, reported });
    handle(&mut referee, Event::Resign { player: 1 });
    let engine = EngineRecord {
        id: "e".into(),
        version: "1".into(),
        module_sha256: Some("ab".into()),
        options: [("depth".to_owned(), "3".to_owned())].into(),
        seed: u64::MAX,
        memory_bytes: 1 << 26,
        threads: 1,
        start_ms: 5_000,
        assets: [("book".to_owned(), "cd".to_owned())].into(),
        fuel_clock: Some(FuelClock {
            runtime: "wasmtime 1.2.3".into(),
            prices: 1,
            opt_level: "speed".into(),
        }),
        jail: Some(Confinement {
            layers: vec!["seccomp".into(), "rlimits".into()],
            below_minimum: Some("no landlock".into()),
        }),
    };
    let header = Header {
        start: Some("0 0 0".into()),
        seed: u64::MAX,
        started_at: "2026-07-01T12:34:56Z".into(),
        engines: vec![Some(engine), None],
    };
    let mut record = Record::of(&referee, &header, now_us, "2026-07-01T12:35:00Z".into());
    let (level, text) = ("info".into(), "hello".into());
    record.logs.push(LogRecord { player: 0, at_ply: 1, level, text });
    record
}

fn parse(text: &str) -> Result<Record, RecordError> {
    Record::parse(text.as_bytes(), games)
}

fn text_of(record: &Record) -> String {
    String::from_utf8(record.to_json()).unwrap()
}

#[test]
fn a_record_reads_back_equal() {
    let record = eventful();
    let read = parse(&text_of(&record)).unwrap();
    assert_eq!(read, record);
    let moves: Vec<_> = read.plies.iter().map(|ply| ply.r#move.as_str()).collect();
    assert_eq!(moves, ["3", "1", "2"]);
    assert_eq!(read.result.unwrap().sentence, "n1 (even) resigns");
}

#[test]
fn a_line_of_the_file_is_a_field_or_an_element() {
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

/// Every key of a record in which everything occurs has its words in the docs.
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
    found.extend(["rule", "fault", "score"].map(str::to_owned));
    assert!(found.len() > 50, "{found:?}");
    let missing: Vec<_> = found.iter().filter(|key| !docs.contains(&format!("`{key}`"))).collect();
    assert!(missing.is_empty(), "docs/records.md says nothing of {missing:?}");
    let words = eventful()
        .events
        .iter()
        .map(|event| serde_json::to_value(event).unwrap())
        .collect::<Vec<_>>();
    for word in words.iter().map(|event| event["event"].as_str().unwrap()) {
        assert!(docs.contains(&format!("`{word}`")), "docs/records.md says nothing of `{word}`");
    }
}

/// Replaces one text in the record's file; the error is as expected.
fn check(replace: &str, with: &str, expected: &str) {
    let text = text_of(&eventful());
    assert!(text.contains(replace), "no `{replace}` in\n{text}");
    let error = parse(&text.replacen(replace, with, 1)).expect_err(with).to_string();
    assert!(error.contains(expected), "`{with}`: {error}");
}

#[test]
fn what_is_wrong_is_named() {
    check(
        "\"version\": 1,",
        "\"version\": 2,",
        "it is of version 2, and this host reads version 1",
    );
    check("  \"version\": 1,\n", "", "version: it is missing");
    check("sandboard-record", "other", "no record of a bout");
    check("\"game\": \"counting\"", "\"game\": \"chess\"", "game: there is no game `chess`");
    check(
        "\"game\": \"counting\"",
        "\"game\": \"\\u001b[2J\"",
        "game: there is no game `\u{fffd}[2J`",
    );
    check("\"kind\": \"person\"", "\"kind\": \"\\u001b[2J\"", "unknown variant `\u{fffd}[2J`");
    check("\"variant\": \"to-21\"", "\"variant\": \"to-9\"", "variant: counting has no variant");
    check("\"start\": \"0 0 0\"", "\"start\": \"x\"", "start: the position is not one of counting");
    check("\"budget\": \"3m+2s\"", "\"budget\": \"5x\"", "`5x` is no budget");
    check("\"budget\": \"3m+2s\"", "\"budget\": \"5s/move\"", "players[0]: `clock_left`");
    check("\"seats\": [0, 2]", "\"seats\": [0, 4]", "players: player 0 is to play seat 4");
    check("\"seats\": [0, 2]", "\"seats\": [0, 3]", "players: ");
    check("\"kind\": \"person\"", "\"kind\": \"ghost\"", "unknown variant `ghost`");
    check("\"kind\": \"person\"", "\"kind\": \"engine\"", "players[1]: an engine has a field");
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
    check("\"winner\": 0", "\"winner\": 3", "result.winner: a side is 0 or 1");
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

#[test]
fn unknown_fields_and_absent_settings_are_no_errors() {
    let text = text_of(&eventful());
    let more = text.replacen("\"version\": 1,", "\"version\": 1, \"weather\": [1, {}],", 1);
    assert_eq!(parse(&more), Ok(eventful()));
    let mut value: Value = serde_json::from_str(&text).unwrap();
    value["settings"] = serde_json::json!({"grace": {"us": 7}});
    value.as_object_mut().unwrap().remove("logs");
    let read = parse(&value.to_string()).unwrap();
    assert_eq!((read.settings.grace.us, read.settings.requests), (7, 2));
}

#[test]
fn a_new_bout_starts_after_any_ply() {
    let record = eventful();
    let check = |ply, expected: Option<&str>| {
        let start = record.start_after(ply, games).unwrap();
        assert_eq!(start.position.as_deref(), expected);
        start.set_up().unwrap();
    };
    check(Some(0), Some("0 0 0"));
    check(Some(1), Some("3 1 0"));
    check(Some(3), Some("6 3 0"));
    check(None, Some("6 3 0"));
    let error = record.start_after(Some(4), games).unwrap_err();
    assert_eq!(error.to_string(), "plies: there are 3 of them, not 4");
}

#[test]
fn clocks_go_on_where_the_record_left_them() {
    let record = eventful();
    let referee = record.referee(games).unwrap();
    assert_eq!(referee.game().position(), "6 3 0");
    assert_eq!(referee.clock(0).unwrap().left(), record.plies[2].clock_left);
    assert!(record.plies[2].clock_left.unwrap() < 0, "it was late");
    assert_eq!(referee.plies()[0].line.as_ref().unwrap().moves, "3 1");
    assert_eq!(referee.incidents(), record.events);
}

#[test]
fn dates_are_those_of_the_calendar() {
    let check = |seconds, expected| {
        let time = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(seconds);
        assert_eq!(rfc3339(time), expected);
    };
    check(0, "1970-01-01T00:00:00Z");
    check(951_782_400, "2000-02-29T00:00:00Z");
    check(951_868_799, "2000-02-29T23:59:59Z");
    check(951_868_800, "2000-03-01T00:00:00Z");
    check(1_735_689_599, "2024-12-31T23:59:59Z");
    check(4_107_542_400, "2100-03-01T00:00:00Z");
    let before = std::time::SystemTime::UNIX_EPOCH - std::time::Duration::from_secs(1);
    assert_eq!(rfc3339(before), "1970-01-01T00:00:00Z");
}

proptest! {
    #[test]
    fn no_mutation_of_a_record_makes_the_reader_panic(
        edits in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..4u8), 1..6)
    ) {
        let mut bytes = eventful().to_json();
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
        if let Ok(record) = Record::parse(&bytes, games) {
            prop_assert_eq!(Record::parse(&record.to_json(), games), Ok(record));
        }
    }

    #[test]
    fn no_value_in_any_place_makes_the_reader_panic(place in 0..200usize, value in values()) {
        let mut record: Value = serde_json::from_slice(&eventful().to_json()).unwrap();
        let mut count = place;
        replace(&mut record, &mut count, &value);
        let _ = Record::parse(record.to_string().as_bytes(), games);
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

/// Replaces the `count`-th value of the tree.
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
