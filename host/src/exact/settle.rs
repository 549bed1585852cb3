//! A bout that was ended by the value of perfect play, held against perfect play once more.

use super::{ExactError, GoOn, ending_of};
use crate::record::{GameTable, Record};
use crate::referee::What;

/// With which score a bout was ended for perfect play's sake, and which it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settled {
    /// After so many moves.
    pub at_ply: u32,
    /// What the record says, as side 0 sees it.
    pub recorded: i32,
    /// What perfect play gives.
    pub found: i32,
}

/// Solves again where a record says that its bout was ended by perfect play. None: it was not.
pub fn settled(
    record: &Record,
    games: GameTable,
    go_on: GoOn<'_>,
) -> Result<Option<Settled>, ExactError> {
    let told = record.events.iter().rev().find_map(|event| match event.what {
        What::Settled { score } => Some((event.at_ply, score)),
        _ => None,
    });
    let Some((at_ply, recorded)) = told else { return Ok(None) };
    let wrong = |error: &dyn std::fmt::Display| ExactError::Wrong(error.to_string());
    let row = ending_of(&record.game)
        .ok_or_else(|| wrong(&format_args!("no ending of {} can be solved", record.game)))?;
    let start = record.start_after(Some(at_ply), games).map_err(|error| wrong(&error))?;
    let game = start.set_up().map_err(|error| wrong(&error))?;
    let found = row.solve(&*game, go_on)?;
    Ok(Some(Settled { at_ply, recorded, found }))
}
