//! Compares a record with the referee that was given the same bout. An error names the place of the
//! first difference.

use sandboard_abi::Unit;
use sandboard_abi::limits::REASON_BYTES;

use super::call_script::{CallScriptError, incoherent};
use crate::clock::Clock;
use crate::record::{PlayerRecord, Record};
use crate::referee::{EventKind, EventRecord, Referee};
use crate::text::sanitize;

/// Compares moves, clocks and the end of a record with the referee.
pub(super) fn compare_end(record: &Record, referee: &Referee) -> Result<(), CallScriptError> {
    compare_plies(record, referee)?;
    for (index, player) in record.players.iter().enumerate() {
        let left = referee.clock(index).and_then(Clock::left);
        if !agree(player, player.clock_left, left) {
            let recorded = player.clock_left;
            let reason = clock_difference(recorded, left);
            return Err(incoherent(format!("players[{index}].clock_left"), reason));
        }
    }
    match (referee.result(), record.result.as_ref()) {
        (found, recorded) if found == recorded => Ok(()),
        // The sentence contains the reason of a refusal, which depends on the whole text.
        (Some(found), Some(recorded))
            if last_refusal_is_cut(record)
                && (found.winner, &found.scores, &found.termination)
                    == (recorded.winner, &recorded.scores, &recorded.termination) =>
        {
            Ok(())
        }
        (Some(found), _) => {
            Err(incoherent("result", format!("the bout ends with: {}", found.sentence)))
        }
        (None, _) => Err(incoherent("result", "the moves do not lead to an end")),
    }
}

/// Whether a recorded clock fits the recorded usage. Under wall time the host's own reading may
/// have been charged, which can be longer than the engine's.
fn agree(player: &PlayerRecord, recorded: Option<i64>, left: Option<i64>) -> bool {
    let may_be_less = player.engine.is_some() && player.budget.unit() == Unit::Wall;
    match (recorded, left) {
        (Some(recorded), Some(left)) if may_be_less => recorded <= left,
        _ => recorded == left,
    }
}

fn compare_plies(record: &Record, referee: &Referee) -> Result<(), CallScriptError> {
    let played = referee.plies();
    for (index, (recorded, ply)) in record.plies.iter().zip(played).enumerate() {
        let left = ply.clock.left();
        let agrees = match ply.player {
            Some(player) => {
                let player = record.players.get(player);
                player.is_some_and(|player| agree(player, recorded.clock_left, left))
            }
            None => recorded.clock_left == left,
        };
        if !agrees {
            let recorded = recorded.clock_left;
            let reason = clock_difference(recorded, left);
            return Err(incoherent(format!("plies[{index}].clock_left"), reason));
        }
        if ply.player.is_none() && *recorded.r#move != *ply.mv {
            let reason = format!("chance gave `{}` there, by the seed of the bout", ply.mv);
            return Err(incoherent(format!("plies[{index}].move"), reason));
        }
        let recorded_move = (recorded.seat, &*recorded.r#move);
        let expected = (recorded_move, recorded.spent, recorded.origin, recorded.offers_draw);
        if expected != ((ply.seat, &*ply.mv), ply.spent, ply.origin, ply.offers_draw) {
            let reason = "the bout has another move there, or another usage for it";
            return Err(incoherent(format!("plies[{index}]"), reason));
        }
    }
    match played.len() < record.plies.len() {
        true => Err(incoherent(format!("plies[{}]", played.len()), "the bout was already over")),
        false => Ok(()),
    }
}

fn last_refusal_is_cut(record: &Record) -> bool {
    let last = record.events.last().map(|last| &last.kind);
    matches!(last, Some(EventKind::Refused { r#move, .. }) if !is_whole(r#move))
}

fn clock_difference(recorded: Option<i64>, left: Option<i64>) -> String {
    let text = |left: Option<i64>| left.map_or("null".into(), |left| left.to_string());
    format!("{} is recorded, but the moves give {}", text(recorded), text(left))
}

/// An event as the record would contain it.
pub(super) fn event_json(event: &EventRecord) -> String {
    sanitize(&serde_json::to_string(event).unwrap_or_default(), REASON_BYTES)
}

/// Whether a recorded event equals the referee's. The reason of a refusal is ignored if the refused
/// text was cut or sanitized, because it depends on the whole text.
pub(super) fn same_event(recorded: &EventRecord, noted: &EventRecord) -> bool {
    match (&recorded.kind, &noted.kind) {
        (EventKind::Refused { r#move, reason, .. }, EventKind::Refused { .. })
            if !is_whole(r#move) =>
        {
            let mut noted = noted.clone();
            if let EventKind::Refused { reason: other, .. } = &mut noted.kind {
                other.clone_from(reason);
            }
            *recorded == noted
        }
        _ => recorded == noted,
    }
}

/// Whether a recorded text was neither cut nor sanitized.
fn is_whole(text: &str) -> bool {
    !text.ends_with('…') && !text.contains('\u{fffd}')
}
