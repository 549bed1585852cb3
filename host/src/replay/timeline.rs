//! The moves of a record in the order in which they were made, undone ones in
//! their place.

use crate::record::{PlyRecord, Record};
use crate::referee::What;

/// A move that was made.
#[derive(Clone, Copy, Debug)]
pub struct Made<'a> {
    pub mv: &'a str,
    /// What the record knows of it: nothing, if it was undone later.
    pub ply: Option<&'a PlyRecord>,
}

/// The move that was made when `ply` moves stood and `events` incidents had
/// happened; none: the record ends there.
pub fn next(record: &Record, ply: usize, events: usize) -> Option<Made<'_>> {
    // The first undo from here on that reaches down to this ply took the move back.
    for event in record.events.get(events..).unwrap_or_default() {
        let What::Undone { moves, .. } = &event.what else { continue };
        let first = (event.at_ply as usize).checked_sub(moves.len())?;
        if first <= ply {
            return moves.get(ply - first).map(|mv| Made { mv, ply: None });
        }
    }
    record.plies.get(ply).map(|ply| Made { mv: &ply.r#move, ply: Some(ply) })
}
