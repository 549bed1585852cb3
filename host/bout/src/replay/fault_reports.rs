//! The faults of engines in a bout, for people: kind, sentence, usage, and the command that repeats
//! the call.

use std::path::Path;

use sandboard_engine::{CallName, FaultCode, Usage};
use serde::Serialize;

use crate::record::Record;
use crate::referee::{EventKind, EventRecord, Termination};

/// A fault of an engine.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FaultReport {
    /// The index of the player.
    pub player: usize,
    /// The player's name.
    pub name: String,
    /// The kind of fault.
    pub code: FaultCode,
    /// One sentence, with the engine as its implied subject.
    pub sentence: String,
    /// The call that ended in the fault.
    pub call: CallName,
    /// The number of moves played before the call.
    pub at_ply: u32,
    /// The usage of the call.
    pub spent: Usage,
    /// The command that repeats the call; empty without a file, and for pondering.
    pub replay: String,
}

/// The faults of a bout in order, including the illegal move that lost it. `file` is the file of
/// the record.
pub fn fault_reports(record: &Record, file: Option<&Path>) -> Vec<FaultReport> {
    let report = |event: &EventRecord, code, sentence: String, call, spent, player: usize| {
        let at_ply = event.at_ply;
        FaultReport {
            player,
            name: record.players.get(player).map(|it| it.name.clone()).unwrap_or_default(),
            code,
            sentence,
            call,
            at_ply,
            spent,
            // Pondering lasts as long as the opponent takes: no replay can repeat that.
            replay: match (file, call) {
                (None, _) | (_, CallName::Think) => String::new(),
                (Some(file), _) => super::replay_command(file, at_ply, player),
            },
        }
    };
    let lost_by_illegal_move =
        record.result.as_ref().is_some_and(|it| it.termination == Termination::IllegalMove);
    let refused = |event: &&EventRecord| matches!(event.kind, EventKind::Refused { .. });
    let last = record.events.iter().rposition(|it| refused(&it)).filter(|_| lost_by_illegal_move);
    let all = record.events.iter().enumerate().filter_map(|(index, it)| match &it.kind {
        EventKind::Fault { player, code, sentence, call, spent } => {
            let call = call.unwrap_or(CallName::Choose);
            Some(report(it, *code, sentence.clone(), call, *spent, *player))
        }
        EventKind::Refused { player, r#move, reason, spent, .. } if Some(index) == last => {
            let sentence = format!("chose the illegal move `{}`: {reason}", r#move);
            let spent = spent.unwrap_or_default();
            Some(report(it, FaultCode::IllegalMove, sentence, CallName::Choose, spent, *player))
        }
        _ => None,
    });
    all.collect()
}
