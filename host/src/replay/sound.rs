//! Whether what a record says of a bout is what its referee comes to, told the
//! same bout. Names the place where they part.

use sandboard_abi::Unit;
use sandboard_abi::limits::REASON_BYTES;

use super::script::{ScriptError, incoherent};
use crate::clock::Clock;
use crate::record::{PlayerRecord, Record};
use crate::referee::{Incident, Referee, What, tidy};

/// Holds what a record says of moves, clocks and the end of a bout against the
/// referee that was told the same bout.
pub(super) fn compare_end(record: &Record, referee: &Referee) -> Result<(), ScriptError> {
    compare_plies(record, referee)?;
    for (index, player) in record.players.iter().enumerate() {
        let left = referee.clock(index).and_then(Clock::left);
        if !agree(player, player.clock_left, left) {
            let recorded = player.clock_left;
            let reason = clocks(recorded, left);
            return Err(incoherent(format!("players[{index}].clock_left"), reason));
        }
    }
    match (referee.result(), record.result.as_ref()) {
        (found, recorded) if found == recorded => Ok(()),
        // The sentence has the reason, which a text that was cut does not give again.
        (Some(found), Some(recorded))
            if last_refusal_is_cut(record)
                && (found.winner, &found.termination)
                    == (recorded.winner, &recorded.termination) =>
        {
            Ok(())
        }
        (Some(found), _) => {
            Err(incoherent("result", format!("the bout ends with: {}", found.sentence)))
        }
        (None, _) => Err(incoherent("result", "the moves do not lead to an end")),
    }
}

/// Whether a recorded clock can be what the receipts give. An engine on wall time
/// may have been charged more: the host's own reading, where that was far longer.
fn agree(player: &PlayerRecord, recorded: Option<i64>, left: Option<i64>) -> bool {
    let may_be_less = player.engine.is_some() && player.budget.unit() == Unit::Wall;
    match (recorded, left) {
        (Some(recorded), Some(left)) if may_be_less => recorded <= left,
        _ => recorded == left,
    }
}

fn compare_plies(record: &Record, referee: &Referee) -> Result<(), ScriptError> {
    let played = referee.plies();
    for (index, (recorded, ply)) in record.plies.iter().zip(played).enumerate() {
        let left = ply.after.left();
        let player = record.players.get(ply.player);
        if !player.is_some_and(|player| agree(player, recorded.clock_left, left)) {
            let recorded = recorded.clock_left;
            let reason = clocks(recorded, left);
            return Err(incoherent(format!("plies[{index}].clock_left"), reason));
        }
        let told = (&*recorded.r#move, recorded.spent, recorded.mark, recorded.offers_draw);
        if told != (&*ply.mv, ply.spent, ply.mark, ply.offers_draw) {
            let reason = "the bout has another move there, or another receipt of it";
            return Err(incoherent(format!("plies[{index}]"), reason));
        }
    }
    match played.len() < record.plies.len() {
        true => Err(incoherent(format!("plies[{}]", played.len()), "the bout was over before")),
        false => Ok(()),
    }
}

fn last_refusal_is_cut(record: &Record) -> bool {
    let last = record.events.last().map(|last| &last.what);
    matches!(last, Some(What::Refused { r#move, .. }) if !is_whole(r#move))
}

fn clocks(recorded: Option<i64>, left: Option<i64>) -> String {
    let told = |left: Option<i64>| left.map_or("null".into(), |left| left.to_string());
    format!("{} is recorded, {} is what the moves give", told(recorded), told(left))
}

/// As it would stand in the record.
pub(super) fn in_json(incident: &Incident) -> String {
    tidy(&serde_json::to_string(incident).unwrap_or_default(), REASON_BYTES)
}

/// Whether the referee notes what the record says. Why a text was refused that is
/// recorded cut and cleared cannot be told from what is left of it.
pub(super) fn alike(recorded: &Incident, noted: &Incident) -> bool {
    match (&recorded.what, &noted.what) {
        (What::Refused { r#move, reason, .. }, What::Refused { .. }) if !is_whole(r#move) => {
            let mut noted = noted.clone();
            if let What::Refused { reason: other, .. } = &mut noted.what {
                other.clone_from(reason);
            }
            *recorded == noted
        }
        _ => recorded == noted,
    }
}

/// Whether a recorded text is what was said, neither cut nor cleared.
fn is_whole(text: &str) -> bool {
    !text.ends_with('…') && !text.contains('\u{fffd}')
}
