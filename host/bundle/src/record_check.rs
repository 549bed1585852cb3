//! Whether a record belongs to the game that setup and seed give: its players, start and seeds.
//! Pure.

use std::fmt;

use sandboard_abi::limits::{ID_BYTES, LABEL_BYTES};

use super::index::ArenaIndex;
use sandboard_arena_plan::{Conditions, Contestant, Job};
use sandboard_bout::driver::player_seed;
use sandboard_bout::record::{PlayerRecord, Record};
use sandboard_bout::referee::{BoutSettings, EventKind, EventRecord};
use sandboard_bout::solver;
use sandboard_bout::text::sanitize;

/// What the records of an arena must match.
pub(super) struct ArenaContext<'a> {
    /// The arena in the index.
    pub arena: &'a ArenaIndex,
    /// The arena's players.
    pub players: &'a [Contestant],
    /// The common conditions of its games.
    pub conditions: &'a Conditions,
}

impl ArenaContext<'_> {
    /// Checks that the record belongs to the job. The error names the first difference.
    pub(super) fn check(&self, job: &Job, record: &Record) -> Result<(), String> {
        let setup = &self.arena.setup;
        let start = solver::with_mark(&self.conditions.start_of(job), &|| true);
        let start =
            start.map_err(|error| format!("its start position has no exact value: {error}"))?;
        same("game", &setup.game, &record.game)?;
        if record.rules != setup.rules {
            return Err("its rules are not those of the setup".into());
        }
        same("variant", &start.variant.text(), &record.variant)?;
        same("start", &text_of(start.position.as_ref()), &text_of(record.start.as_ref()))?;
        same("number of moves before the bout", &0, &record.opening.len())?;
        same("seed", &job.seed, &record.seed)?;
        if record.settings != setup.settings.for_game(self.conditions.game(), &start.variant) {
            return Err("its settings are not those of the setup".into());
        }
        check_uninterrupted(&record.settings, &record.events)?;
        same("number of players", &job.pair.players.len(), &record.players.len())?;
        for (index, recorded) in record.players.iter().enumerate() {
            let number = job.pair.players.get(index).copied();
            let expected = number.and_then(|number| self.players.get(number as usize));
            let expected =
                expected.ok_or_else(|| format!("there is no player {index} of the pair"))?;
            let seats = self.conditions.seats.get(usize::from(job.side_of(index)));
            let seats = seats.ok_or_else(|| format!("player {index} has no place at the board"))?;
            let keyed = self.conditions.plan.engine_seed(job, index);
            let seed = keyed.unwrap_or_else(|| player_seed(job.seed, index));
            check_player(expected, seats, seed, recorded)
                .map_err(|why| format!("player {index}: {why}"))?;
        }
        Ok(())
    }
}

/// Checks that a game was played without interruption, as arenas do. Taking moves back or resuming
/// from a record would allow repeating a call until its answer suits.
fn check_uninterrupted(settings: &BoutSettings, events: &[EventRecord]) -> Result<(), String> {
    if settings.undo {
        return Err("it allows taking moves back, which no arena does".into());
    }
    for (index, event) in events.iter().enumerate() {
        let what = match event.kind {
            EventKind::Undone { .. } => "takes moves back",
            EventKind::Reloaded => "resumes from a record",
            EventKind::Paused => "stops the clocks",
            EventKind::Resumed => "restarts the clocks",
            _ => continue,
        };
        return Err(format!("events[{index}] {what}, which no arena does"));
    }
    Ok(())
}

/// Checks that the player of a record is the expected one.
fn check_player(
    expected: &Contestant,
    seats: &[u8],
    seed: u64,
    recorded: &PlayerRecord,
) -> Result<(), String> {
    same("name", &sanitize(&expected.name, LABEL_BYTES), &recorded.name)?;
    same("seats", &format!("{seats:?}"), &format!("{:?}", recorded.seats))?;
    same("budget", &expected.budget, &recorded.budget)?;
    same("pondering", &expected.ponders, &recorded.ponders)?;
    let engine = recorded.engine.as_ref().ok_or("it is a person")?;
    let module = engine.module_sha256.as_deref().unwrap_or_default();
    same("module", &expected.module_sha256.as_str(), &module)?;
    same("engine", &sanitize(&expected.engine, ID_BYTES), &engine.id)?;
    same("version", &sanitize(&expected.version, LABEL_BYTES), &engine.version)?;
    same("options", &format!("{:?}", expected.options), &format!("{:?}", engine.options))?;
    same("assets", &format!("{:?}", expected.assets), &format!("{:?}", engine.assets))?;
    same("seed of the engine", &seed, &engine.seed)?;
    for ((what, given), (_, found)) in expected.limits.named().iter().zip(engine.limits.named()) {
        same(what, given, &found)?;
    }
    same("threads", &expected.threads, &engine.threads)?;
    let counted = |meter: Option<&sandboard_engine::FuelMeter>| text_of(meter);
    same(
        "count of fuel",
        &counted(expected.fuel_meter.as_ref()),
        &counted(engine.fuel_meter.as_ref()),
    )
}

fn same<T: PartialEq + fmt::Display>(what: &str, expected: &T, recorded: &T) -> Result<(), String> {
    match expected == recorded {
        true => Ok(()),
        false => Err(format!("its {what} is {recorded}, but setup and seed give {expected}")),
    }
}

fn text_of(value: Option<&impl ToString>) -> String {
    value.map_or("none".into(), ToString::to_string)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the error for a record with these events; `None`: no error.
    fn check(undo: bool, events: &[EventKind], expected: Option<&str>) {
        let settings = BoutSettings { undo, ..BoutSettings::default() };
        let event = |kind: &EventKind| EventRecord { at_ply: 0, kind: kind.clone() };
        let events: Vec<EventRecord> = events.iter().map(event).collect();
        let error = check_uninterrupted(&settings, &events).err();
        assert_eq!(error.as_deref(), expected, "{events:?}");
    }

    #[test]
    fn an_arena_plays_without_interruption() {
        let (started, solved) = (EventKind::Started { player: 0 }, EventKind::Solved { score: 3 });
        let undone = EventKind::Undone { moves: vec!["3".into()], thinking: false };
        check(false, &[], None);
        check(false, &[started.clone(), solved], None);
        check(true, &[], Some("it allows taking moves back, which no arena does"));
        let taken = "events[1] takes moves back, which no arena does";
        check(false, &[started, undone], Some(taken));
        let resumed = "events[0] resumes from a record, which no arena does";
        check(false, &[EventKind::Reloaded], Some(resumed));
        check(false, &[EventKind::Paused], Some("events[0] stops the clocks, which no arena does"));
        let again = "events[0] restarts the clocks, which no arena does";
        check(false, &[EventKind::Resumed], Some(again));
    }
}
