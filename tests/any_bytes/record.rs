//! Arbitrary bytes as a record: errors can be displayed; a valid record is written as bytes that
//! read as the same record, and its queries succeed.

use std::path::Path;

use sandboard_bout::record::Record;
use sandboard_bout::replay::{CallScript, fault_reports};
use sandboard_games::Games;

/// Reads the bytes as a record.
pub fn record(bytes: &[u8]) {
    let games = &Games::default();
    let record = match Record::parse(bytes, games) {
        Ok(record) => record,
        Err(error) => return super::check_displayable(&error.to_string()),
    };
    let written = record.to_json();
    let again = Record::parse(&written, games).expect("a written record can be read");
    assert_eq!(again, record);
    assert_eq!(again.to_json(), written);

    let referee = record.restore_referee(games).expect("a parsed record has a valid game");
    assert_eq!(referee.plies().len(), record.plies.len());
    let plies = record.plies.len() as u32;
    for ply in [0, plies / 2, plies, plies.saturating_add(1), u32::MAX] {
        if let Err(error) = record.start_position_after(Some(ply), games) {
            super::check_displayable(&error.to_string());
            assert!(ply > plies, "after ply {ply} of {plies}: {error}");
        }
    }
    if let Err(error) = CallScript::from_record(&record, games) {
        super::check_displayable(&error.to_string());
    }
    for fault in fault_reports(&record, Some(Path::new("record.json"))) {
        super::check_displayable(&fault.sentence);
    }
}
