//! What can be said of a record without the rules of its game: every text is
//! fit for a screen, every number within its bounds, every index meets something.

use sandboard_abi::limits;

use super::load::RecordError;
use super::{PlayerRecord, Record};
use crate::budget::AMOUNT_MAX;
use crate::referee::{LINE_KEPT_BYTES, PlayerKind, What};

/// What a cut text may be longer than its limit: the sign that it is cut.
const CUT_BYTES: usize = '…'.len_utf8();

type Checked = Result<(), RecordError>;

impl Record {
    pub(super) fn check(&self) -> Checked {
        if self.players.is_empty() || self.players.len() > limits::SEATS {
            return wrong("players", "there are none, or more than a game has seats");
        }
        text("started_at", &self.started_at, limits::ID_BYTES)?;
        text("saved_at", &self.saved_at, limits::ID_BYTES)?;
        text("host", &self.host, limits::LABEL_BYTES)?;
        for (index, player) in self.players.iter().enumerate() {
            check_player(&format!("players[{index}]"), player)?;
        }
        for (index, ply) in self.plies.iter().enumerate() {
            let place = |field| format!("plies[{index}].{field}");
            amount(&place("clock_left"), ply.clock_left)?;
            text(&place("move"), &ply.r#move, limits::MOVE_BYTES)?;
            if ply.loss > 0 && self.exact.is_none() {
                return wrong(&place("loss"), "there is no `exact` to go with it");
            }
            if let Some(line) = &ply.line {
                text(&place("line.pv"), &line.pv, LINE_KEPT_BYTES)?;
            }
        }
        for (index, event) in self.events.iter().enumerate() {
            self.check_event(&format!("events[{index}]"), &event.what)?;
        }
        for (index, log) in self.logs.iter().enumerate() {
            let place = format!("logs[{index}]");
            self.player_exists(&place, log.player)?;
            text(&place, &log.level, limits::ID_BYTES)?;
            text(&place, &log.text, limits::LOG_TEXT_BYTES)?;
        }
        if self.exact.is_some() && self.result.is_none() {
            return wrong("exact", "the bout is unfinished, and nothing is known of its end");
        }
        if let Some(result) = &self.result {
            // A sentence holds a reason, a move, and the names of one side.
            let most = limits::REASON_BYTES + limits::SEATS * limits::LABEL_BYTES;
            text("result.sentence", &result.sentence, most)?;
            if result.winner.is_some_and(|winner| winner > 1) {
                return wrong("result.winner", "a side is 0 or 1");
            }
        }
        Ok(())
    }

    fn player_exists(&self, place: &str, player: usize) -> Checked {
        match player < self.players.len() {
            true => Ok(()),
            false => wrong(place, &format!("there is no player {player}")),
        }
    }

    fn check_event(&self, place: &str, what: &What) -> Checked {
        match what {
            What::Refused { player, r#move, reason, position, .. } => {
                self.player_exists(place, *player)?;
                text(place, position, limits::LINE_BYTES)?;
                text(place, r#move, limits::MOVE_BYTES)?;
                text(place, reason, limits::REASON_BYTES)
            }
            What::Fault { player, sentence, .. } => {
                self.player_exists(place, *player)?;
                text(place, sentence, limits::REASON_BYTES)
            }
            What::Started { player }
            | What::Late { player, .. }
            | What::DrawOffered { player }
            | What::Resigned { player, .. }
            | What::DrawAccepted { player, .. }
            | What::DrawDeclined { player } => self.player_exists(place, *player),
            What::Undone { moves, .. } => {
                moves.iter().try_for_each(|mv| text(place, mv, limits::MOVE_BYTES))
            }
            What::Settled { .. } | What::Paused | What::Resumed | What::Reloaded => Ok(()),
        }
    }
}

fn check_player(place: &str, player: &PlayerRecord) -> Checked {
    text(&format!("{place}.name"), &player.name, limits::LABEL_BYTES)?;
    amount(&format!("{place}.clock_left"), player.clock_left)?;
    if player.budget.game().is_some() != player.clock_left.is_some() {
        return wrong(place, "`clock_left` and `budget` do not fit each other");
    }
    if player.engine.is_some() != (player.kind == PlayerKind::Engine) {
        return wrong(place, "an engine has a field `engine`, and a person has none");
    }
    let Some(engine) = &player.engine else { return Ok(()) };
    let place = format!("{place}.engine");
    text(&place, &engine.id, limits::ID_BYTES)?;
    text(&place, &engine.version, limits::LABEL_BYTES)?;
    text(&place, engine.module_sha256.as_deref().unwrap_or_default(), limits::ID_BYTES)?;
    if let Some(clock) = &engine.fuel_clock {
        text(&format!("{place}.fuel_clock"), &clock.runtime, limits::LABEL_BYTES)?;
        text(&format!("{place}.fuel_clock"), &clock.opt_level, limits::ID_BYTES)?;
    }
    if let Some(jail) = &engine.jail {
        if jail.layers.len() > limits::OPTIONS {
            return wrong(&place, "its jail has more layers than there can be");
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
        return wrong(&place, "it has more options than an engine can offer");
    }
    // Values of options are shown to no person, and may hold any character.
    match engine.options.values().any(|value| value.len() > limits::OPTION_VALUE_BYTES) {
        true => wrong(&place, "the value of an option is too long"),
        false => Ok(()),
    }
}

fn wrong(place: &str, reason: &str) -> Checked {
    Err(RecordError::field(place, reason))
}

fn text(place: &str, text: &str, most: usize) -> Checked {
    if text.len() > most + CUT_BYTES {
        return wrong(place, &format!("the text has {} bytes, more than {most}", text.len()));
    }
    match text.chars().any(char::is_control) {
        true => wrong(place, "the text has control characters"),
        false => Ok(()),
    }
}

fn amount(place: &str, value: Option<i64>) -> Checked {
    match value {
        Some(value) if value.unsigned_abs() > AMOUNT_MAX => wrong(place, "the amount is too large"),
        _ => Ok(()),
    }
}
