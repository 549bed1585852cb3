//! Whether the record of a game is that of the game which setup and seed give: its players, its start, its seeds. Pure.

use std::fmt;

use sandboard_abi::limits::{ID_BYTES, LABEL_BYTES};

use super::index::ArenaIndex;
use crate::arena::{Conditions, Contestant, Job};
use crate::bout::player_seed;
use crate::exact;
use crate::record::{PlayerRecord, Record};
use crate::referee::{Incident, Settings, What, tidy};

/// What an instance may be given to start, in milliseconds: more would let a stranger's record keep a machine busy.
const START_MS_MAX: u64 = 60_000;

/// What the games of an arena are held against.
pub struct Setting<'a> {
    /// The arena, as the index has it.
    pub arena: &'a ArenaIndex,
    /// Who played in it.
    pub players: &'a [Contestant],
    /// What its games have in common.
    pub conditions: &'a Conditions,
}

impl Setting<'_> {
    /// Whether this is the record of this job. Err: the first thing that is another one.
    pub fn fits(&self, job: &Job, record: &Record) -> Result<(), String> {
        let setup = &self.arena.setup;
        let start = exact::marked(&self.conditions.start_of(job), &|| true);
        let start = start.map_err(|error| format!("where it begins cannot be told: {error}"))?;
        same("game", &setup.game, &record.game)?;
        same("variant", &start.variant.text(), &record.variant)?;
        same("start", &shown(start.position.as_ref()), &shown(record.start.as_ref()))?;
        same("seed", &job.seed, &record.seed)?;
        if record.settings != setup.settings {
            return Err("its settings are not those of the setup".into());
        }
        straight(&record.settings, &record.events)?;
        same("number of players", &2, &record.players.len())?;
        for (index, told) in record.players.iter().enumerate() {
            let number = job.pair.players[index] as usize;
            let begun = self.players.get(number);
            let begun = begun.ok_or_else(|| format!("there is no player {number}"))?;
            let seats = &self.conditions.seats[usize::from(job.side_of(index))];
            let sealed = self.conditions.plan.engine_seed(job, index);
            let seed = sealed.unwrap_or_else(|| player_seed(job.seed, index));
            player(begun, seats, seed, told).map_err(|why| format!("player {index}: {why}"))?;
        }
        Ok(())
    }
}

/// Whether a game was played from its first move to its last, as an arena plays all of them: who may take moves back or go
/// on from a record has his engines asked until the answer is the one that he likes.
fn straight(settings: &Settings, events: &[Incident]) -> Result<(), String> {
    if settings.undo {
        return Err("its moves may be taken back, which no arena allows".into());
    }
    for (index, event) in events.iter().enumerate() {
        let what = match event.what {
            What::Undone { .. } => "takes moves back",
            What::Reloaded => "goes on from a record",
            What::Paused => "stops the clocks",
            What::Resumed => "has the clocks run again",
            _ => continue,
        };
        return Err(format!("events[{index}] {what}, which no arena does"));
    }
    Ok(())
}

/// Whether the player of a record is this one.
fn player(begun: &Contestant, seats: &[u8], seed: u64, told: &PlayerRecord) -> Result<(), String> {
    same("name", &tidy(&begun.name, LABEL_BYTES), &told.name)?;
    same("seats", &format!("{seats:?}"), &format!("{:?}", told.seats))?;
    same("budget", &begun.budget, &told.budget)?;
    same("pondering", &begun.ponders, &told.ponders)?;
    let engine = told.engine.as_ref().ok_or("it is a person")?;
    let module = engine.module_sha256.as_deref().unwrap_or_default();
    same("module", &begun.module_sha256.as_str(), &module)?;
    same("engine", &tidy(&begun.engine, ID_BYTES), &engine.id)?;
    same("version", &tidy(&begun.version, LABEL_BYTES), &engine.version)?;
    same("options", &format!("{:?}", begun.options), &format!("{:?}", engine.options))?;
    same("assets", &format!("{:?}", begun.assets), &format!("{:?}", engine.assets))?;
    same("seed of the engine", &seed, &engine.seed)?;
    same("memory", &begun.memory_bytes, &engine.memory_bytes)?;
    same("threads", &begun.threads, &engine.threads)?;
    let counted = |clock: Option<&crate::engine::FuelClock>| shown(clock);
    same(
        "count of fuel",
        &counted(begun.fuel_clock.as_ref()),
        &counted(engine.fuel_clock.as_ref()),
    )?;
    match engine.start_ms {
        ..=START_MS_MAX => Ok(()),
        ms => Err(format!("it may take {ms} ms to start; {START_MS_MAX} is the most")),
    }
}

fn same<T: PartialEq + fmt::Display>(what: &str, given: &T, told: &T) -> Result<(), String> {
    match given == told {
        true => Ok(()),
        false => Err(format!("its {what} is {told}, and setup and seed give {given}")),
    }
}

fn shown(value: Option<&impl ToString>) -> String {
    value.map_or("none".into(), ToString::to_string)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is said of incidents; none: an arena may have played so.
    fn check(undo: bool, events: &[What], expected: Option<&str>) {
        let settings = Settings { undo, ..Settings::default() };
        let incident = |what: &What| Incident { at_ply: 0, what: what.clone() };
        let events: Vec<Incident> = events.iter().map(incident).collect();
        let told = straight(&settings, &events).err();
        assert_eq!(told.as_deref(), expected, "{events:?}");
    }

    #[test]
    fn an_arena_plays_straight_on() {
        let (begun, settled) = (What::Started { player: 0 }, What::Settled { score: 3 });
        let undone = What::Undone { moves: vec!["3".into()], thinking: false };
        check(false, &[], None);
        check(false, &[begun.clone(), settled], None);
        check(true, &[], Some("its moves may be taken back, which no arena allows"));
        let taken = "events[1] takes moves back, which no arena does";
        check(false, &[begun, undone], Some(taken));
        let resumed = "events[0] goes on from a record, which no arena does";
        check(false, &[What::Reloaded], Some(resumed));
        check(false, &[What::Paused], Some("events[0] stops the clocks, which no arena does"));
        let again = "events[0] has the clocks run again, which no arena does";
        check(false, &[What::Resumed], Some(again));
    }
}
