//! Any bytes as a record: a refusal can be shown; what is taken is written as bytes
//! that read alike, and every question that is put to a record has an answer.

use std::path::Path;

use sandboard_games::game;
use sandboard_host::record::Record;
use sandboard_host::replay::{Script, faults};

/// Reads the bytes as a record.
pub fn record(bytes: &[u8]) {
    let record = match Record::parse(bytes, game) {
        Ok(record) => record,
        Err(error) => return super::can_be_shown(&error.to_string()),
    };
    let written = record.to_json();
    let again = Record::parse(&written, game).expect("what a host writes it reads");
    assert_eq!(again, record);
    assert_eq!(again.to_json(), written);

    let referee = record.referee(game).expect("it was played through");
    assert_eq!(referee.plies().len(), record.plies.len());
    let plies = record.plies.len() as u32;
    for ply in [0, plies / 2, plies, plies.saturating_add(1), u32::MAX] {
        if let Err(error) = record.start_after(Some(ply), game) {
            super::can_be_shown(&error.to_string());
            assert!(ply > plies, "after ply {ply} of {plies}: {error}");
        }
    }
    if let Err(error) = Script::of(&record, game) {
        super::can_be_shown(&error.to_string());
    }
    for fault in faults(&record, Some(Path::new("record.json"))) {
        super::can_be_shown(&fault.sentence);
    }
}
