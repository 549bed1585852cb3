//! What engines did wrong in a bout, for people: kind, sentence, receipt, and
//! the command that shows it again.

use std::path::Path;

use serde::Serialize;

use crate::engine::{CallName, FaultCode, Spent};
use crate::record::Record;
use crate::referee::{Incident, Termination, What};

/// Something that an engine did wrong.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FaultReport {
    /// Who, by index.
    pub player: usize,
    /// Its name.
    pub name: String,
    /// What kind of thing.
    pub code: FaultCode,
    /// One sentence of which the engine is the unnamed subject.
    pub sentence: String,
    /// In which call.
    pub call: CallName,
    /// How many moves had been played.
    pub at_ply: u32,
    /// What the call had taken.
    pub spent: Spent,
    /// The command that makes the call again; empty where there is no file, and for thinking on
    /// the opponent's time.
    pub replay: String,
}

/// The faults of a bout in their order, the refused move that lost it included;
/// `file` is where its record is.
pub fn faults(record: &Record, file: Option<&Path>) -> Vec<FaultReport> {
    let report = |incident: &Incident, code, sentence: String, call, spent, player: usize| {
        let at_ply = incident.at_ply;
        FaultReport {
            player,
            name: record.players.get(player).map(|it| it.name.clone()).unwrap_or_default(),
            code,
            sentence,
            call,
            at_ply,
            spent,
            // As long as its opponent took: nothing can repeat that.
            replay: match (file, call) {
                (None, _) | (_, CallName::Think) => String::new(),
                (Some(file), _) => super::command(file, at_ply, player),
            },
        }
    };
    let lost_by_a_move =
        record.result.as_ref().is_some_and(|it| it.termination == Termination::IllegalMove);
    let refused = |incident: &&Incident| matches!(incident.what, What::Refused { .. });
    let last = record.events.iter().rposition(|it| refused(&it)).filter(|_| lost_by_a_move);
    let all = record.events.iter().enumerate().filter_map(|(index, it)| match &it.what {
        What::Fault { player, code, sentence, call, spent } => {
            let call = call.unwrap_or(CallName::Choose);
            Some(report(it, *code, sentence.clone(), call, *spent, *player))
        }
        What::Refused { player, r#move, reason, spent, .. } if Some(index) == last => {
            let sentence = format!("chose the illegal move `{}`: {reason}", r#move);
            let spent = spent.unwrap_or_default();
            Some(report(it, FaultCode::IllegalMove, sentence, CallName::Choose, spent, *player))
        }
        _ => None,
    });
    all.collect()
}
