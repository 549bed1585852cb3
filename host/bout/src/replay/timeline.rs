//! The moves of a record in the order in which they were played, including undone ones.

use crate::record::{PlyRecord, Record};
use crate::referee::EventKind;

/// A move that was played.
#[derive(Clone, Copy, Debug)]
pub(super) struct RecordedMove<'a> {
    pub(super) mv: &'a str,
    /// Its ply in the record; none: it was undone later.
    pub(super) ply: Option<&'a PlyRecord>,
}

/// The move that was played after `ply` standing moves and `events` events; none: the record ends
/// there.
pub(super) fn next_move(record: &Record, ply: usize, events: usize) -> Option<RecordedMove<'_>> {
    // The first later undo that reaches down to this ply took the move back.
    for event in record.events.get(events..).unwrap_or_default() {
        let EventKind::Undone { moves, .. } = &event.kind else { continue };
        let first = (event.at_ply as usize).checked_sub(moves.len())?;
        if first <= ply {
            return moves.get(ply - first).map(|mv| RecordedMove { mv, ply: None });
        }
    }
    record.plies.get(ply).map(|ply| RecordedMove { mv: &ply.r#move, ply: Some(ply) })
}
