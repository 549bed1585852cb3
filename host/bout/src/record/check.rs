//! Checks a record without the rules of its game: texts can be shown on a screen, numbers are in
//! their ranges, and indices exist.

use sandboard_abi::limits;
use sandboard_engine::{AMOUNT_MAX, FuelCounter, FuelMeter};

use super::load::RecordError;
use super::{PlayerRecord, Record};
use crate::referee::{EventKind, PlayerKind};
use crate::start::OPENING_MOVES_MAX;
use crate::text::LINE_KEPT_BYTES;

/// A cut text exceeds its limit by the sign `…` that it is cut.
const CUT_BYTES: usize = '…'.len_utf8();

type CheckResult = Result<(), RecordError>;

impl Record {
    pub(super) fn check(&self) -> CheckResult {
        if self.players.is_empty() || self.players.len() > limits::SEATS {
            return invalid("players", "there are no players, or more than a game has seats");
        }
        text("started_at", &self.started_at, limits::ID_BYTES)?;
        text("saved_at", &self.saved_at, limits::ID_BYTES)?;
        text("host", &self.host, limits::LABEL_BYTES)?;
        if let Some(rules) = &self.rules {
            text("rules.version", &rules.version, limits::LABEL_BYTES)?;
            text("rules.module_sha256", &rules.module_sha256, limits::ID_BYTES)?;
        }
        for (index, player) in self.players.iter().enumerate() {
            check_player(&format!("players[{index}]"), player)?;
        }
        if self.opening.len() > OPENING_MOVES_MAX {
            let count = self.opening.len();
            let reason = format!("there are {count} moves, more than {OPENING_MOVES_MAX}");
            return invalid("opening", &reason);
        }
        for (index, mv) in self.opening.iter().enumerate() {
            text(&format!("opening[{index}].move"), &mv.r#move, limits::MOVE_BYTES)?;
        }
        for (index, ply) in self.plies.iter().enumerate() {
            let place = |field| format!("plies[{index}].{field}");
            amount(&place("clock_left"), ply.clock_left)?;
            text(&place("move"), &ply.r#move, limits::MOVE_BYTES)?;
            if ply.loss > 0 && self.perfect_play.is_none() {
                return invalid(&place("loss"), "the record has no `perfect_play`");
            }
            if let Some(line) = &ply.line {
                text(&place("line.pv"), &line.pv, LINE_KEPT_BYTES)?;
            }
        }
        for (index, event) in self.events.iter().enumerate() {
            self.check_event(&format!("events[{index}]"), &event.kind)?;
        }
        for (index, log) in self.logs.iter().enumerate() {
            let place = format!("logs[{index}]");
            self.player_exists(&place, log.player)?;
            text(&place, &log.level, limits::ID_BYTES)?;
            text(&place, &log.text, limits::LOG_TEXT_BYTES)?;
        }
        if self.perfect_play.is_some() && self.result.is_none() {
            return invalid("perfect_play", "the bout is unfinished");
        }
        if let Some(result) = &self.result {
            // A sentence contains a reason, a move, and the names of some sides.
            let limit = limits::REASON_BYTES + limits::SEATS * limits::LABEL_BYTES;
            text("result.sentence", &result.sentence, limit)?;
            if result.winner.is_some_and(|winner| usize::from(winner) >= limits::SEATS) {
                return invalid("result.winner", "there is no such side");
            }
            if result.scores.len() > limits::SEATS {
                return invalid("result.scores", "there are more scores than a game has seats");
            }
        }
        Ok(())
    }

    fn player_exists(&self, place: &str, player: usize) -> CheckResult {
        match player < self.players.len() {
            true => Ok(()),
            false => invalid(place, &format!("there is no player {player}")),
        }
    }

    fn check_event(&self, place: &str, kind: &EventKind) -> CheckResult {
        match kind {
            EventKind::Refused { player, r#move, reason, position, .. } => {
                self.player_exists(place, *player)?;
                text(place, position, limits::LINE_BYTES)?;
                text(place, r#move, limits::MOVE_BYTES)?;
                text(place, reason, limits::REASON_BYTES)
            }
            EventKind::Fault { player, sentence, .. } => {
                self.player_exists(place, *player)?;
                text(place, sentence, limits::REASON_BYTES)
            }
            EventKind::Started { player }
            | EventKind::Overrun { player, .. }
            | EventKind::DrawOffered { player }
            | EventKind::Resigned { player, .. }
            | EventKind::DrawAccepted { player, .. }
            | EventKind::DrawDeclined { player } => self.player_exists(place, *player),
            EventKind::Undone { moves, .. } => {
                moves.iter().try_for_each(|mv| text(place, mv, limits::MOVE_BYTES))
            }
            EventKind::Solved { .. }
            | EventKind::Paused
            | EventKind::Resumed
            | EventKind::Reloaded => Ok(()),
        }
    }
}

fn check_player(place: &str, player: &PlayerRecord) -> CheckResult {
    text(&format!("{place}.name"), &player.name, limits::LABEL_BYTES)?;
    amount(&format!("{place}.clock_left"), player.clock_left)?;
    if player.budget.game_clock().is_some() != player.clock_left.is_some() {
        return invalid(place, "`clock_left` does not fit `budget`");
    }
    if player.engine.is_some() != (player.kind == PlayerKind::Engine) {
        return invalid(place, "an engine needs the field `engine`, and a person has none");
    }
    let Some(engine) = &player.engine else { return Ok(()) };
    let place = format!("{place}.engine");
    text(&place, &engine.id, limits::ID_BYTES)?;
    text(&place, &engine.version, limits::LABEL_BYTES)?;
    text(&place, engine.module_sha256.as_deref().unwrap_or_default(), limits::ID_BYTES)?;
    if let Some(FuelMeter { counter: FuelCounter::Runtime { name, opt_level }, .. }) =
        &engine.fuel_meter
    {
        text(&format!("{place}.fuel_meter"), name, limits::LABEL_BYTES)?;
        text(&format!("{place}.fuel_meter"), opt_level, limits::ID_BYTES)?;
    }
    if let Some(jail) = &engine.jail {
        if jail.layers.len() > limits::OPTIONS {
            return invalid(&place, "the jail has too many layers");
        }
        for layer in &jail.layers {
            text(&format!("{place}.jail"), layer, limits::ID_BYTES)?;
        }
        let missing = jail.below_minimum.as_deref().unwrap_or_default();
        text(&format!("{place}.jail"), missing, limits::REASON_BYTES)?;
    }
    for (name, sha256) in &engine.assets {
        text(&format!("{place}.assets"), name, limits::LABEL_BYTES)?;
        text(&format!("{place}.assets"), sha256, limits::ID_BYTES)?;
    }
    if engine.options.len() > limits::OPTIONS {
        return invalid(&place, "there are more options than an engine can have");
    }
    // Option values are never shown on a screen, and can contain any character.
    match engine.options.values().any(|value| value.len() > limits::OPTION_VALUE_BYTES) {
        true => invalid(&place, "the value of an option is too long"),
        false => Ok(()),
    }
}

fn invalid(place: &str, reason: &str) -> CheckResult {
    Err(RecordError::field(place, reason))
}

fn text(place: &str, text: &str, limit: usize) -> CheckResult {
    if text.len() > limit + CUT_BYTES {
        return invalid(place, &format!("the text has {} bytes, more than {limit}", text.len()));
    }
    match text.chars().any(char::is_control) {
        true => invalid(place, "the text has control characters"),
        false => Ok(()),
    }
}

fn amount(place: &str, value: Option<i64>) -> CheckResult {
    match value {
        Some(value) if value.unsigned_abs() > AMOUNT_MAX => {
            invalid(place, "the amount is too large")
        }
        _ => Ok(()),
    }
}
