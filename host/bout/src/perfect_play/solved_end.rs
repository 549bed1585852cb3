//! Checks a bout that was ended by solving its last position: solves that position again.

use sandboard_games::Games;

use crate::record::Record;
use crate::referee::EventKind;
use crate::solver::{ContinueCheck, SolverError, endgame_solver};

/// The recorded and the repeated solution of a position that ended a bout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SolvedEndCheck {
    /// The number of moves played before the position was solved.
    pub at_ply: u32,
    /// The score in the record, from side 0's view.
    pub recorded: i32,
    /// The score of perfect play, from side 0's view.
    pub found: i32,
}

/// Solves the last position of a bout that was ended by perfect play. None: the bout ended in
/// another way.
pub fn check_solved_end(
    record: &Record,
    games: &Games,
    keep_going: ContinueCheck<'_>,
) -> Result<Option<SolvedEndCheck>, SolverError> {
    let solved = record.events.iter().rev().find_map(|event| match event.kind {
        EventKind::Solved { score } => Some((event.at_ply, score)),
        _ => None,
    });
    let Some((at_ply, recorded)) = solved else { return Ok(None) };
    let invalid = |error: &dyn std::fmt::Display| SolverError::Invalid(error.to_string());
    let row = endgame_solver(&record.game).ok_or_else(|| {
        invalid(&format_args!("the last part of {} cannot be solved", record.game))
    })?;
    let start =
        record.start_position_after(Some(at_ply), games).map_err(|error| invalid(&error))?;
    let game = start.set_up().map_err(|error| invalid(&error))?;
    let found = row.solve(&*game, keep_going)?;
    Ok(Some(SolvedEndCheck { at_ply, recorded, found }))
}
