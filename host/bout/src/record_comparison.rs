//! Compares records that different hosts wrote of the same bout. On fuel, hosts of one kind write
//! equal records except for times, dates and jails. Pure.

use sandboard_abi::Unit;
use sandboard_engine::Usage;

use crate::driver::{BoutSetup, player_seed};
use crate::record::{EngineRecord, PlayerRecord, PlyRecord, Record, RulesRecord};
use crate::referee::{EventKind, EventRecord};

/// The first difference between two records of the same play, in one sentence; none: they are
/// equal except for times, dates and jails.
pub fn find_difference(one: &Record, other: &Record) -> Option<String> {
    let (one, other) = (without_times(one), without_times(other));
    for (ply, (first, second)) in one.plies.iter().zip(&other.plies).enumerate() {
        if first != second {
            return Some(format!("move {}: {}", ply + 1, ply_difference(first, second)));
        }
    }
    if one.plies.len() != other.plies.len() {
        return Some(format!("{} moves, not {}", one.plies.len(), other.plies.len()));
    }
    let result = |record: &Record| {
        record.result.as_ref().map_or("none".to_owned(), |result| result.sentence.clone())
    };
    if one.result != other.result {
        return Some(format!("the result is {:?}, not {:?}", result(&one), result(&other)));
    }
    if one.events != other.events {
        let (first, second) = (one.events.iter(), other.events.iter());
        let same = first.zip(second).take_while(|(one, other)| one == other).count();
        let number = same + 1;
        return Some(format!("event {number} of {} and {}", one.events.len(), other.events.len()));
    }
    (one != other).then(|| "the setups, logs or clocks differ".into())
}

/// Why a record is not one of this bout, in a few words; none: it is.
pub fn find_mismatch(record: &Record, setup: &BoutSetup) -> Option<&'static str> {
    let start = &setup.start;
    let same_start = record.game == start.game.id
        && record.variant == start.variant.text()
        && record.start == start.position
        && record.opening.iter().map(|it| &it.r#move).eq(&start.moves);
    if !same_start {
        return Some("it has another start position");
    }
    if record.rules != RulesRecord::of(start.game) {
        return Some("it has other rules of the game");
    }
    if record.seed != setup.seed || record.settings != setup.settings {
        return Some("it has another seed or other settings");
    }
    if record.host != env!("CARGO_PKG_VERSION") {
        return Some("another version of the host wrote it");
    }
    if record.players.len() != setup.players.len() {
        return Some("it has another number of players");
    }
    for (index, (recorded, player)) in record.players.iter().zip(&setup.players).enumerate() {
        let Some(engine) = &player.engine else { return Some("a person plays") };
        let expected = engine.to_record(engine.seed.unwrap_or(player_seed(setup.seed, index)));
        let same = recorded.name == player.name
            && recorded.seats == player.seats
            && recorded.budget == player.budget
            && recorded.ponders == player.ponders;
        if !same {
            return Some("it has another player");
        }
        let recorded = recorded.engine.as_ref().map(without_jail);
        if recorded != Some(without_jail(&expected)) {
            return Some("it has another engine, or another fuel meter");
        }
    }
    None
}

/// Whether every player is an engine on fuel with one thread, so that each replay of the bout
/// leaves an equal record.
pub fn is_repeatable(setup: &BoutSetup) -> bool {
    setup.players.iter().all(|player| {
        let one_thread = player.engine.as_ref().is_some_and(|engine| engine.threads <= 1);
        one_thread && player.budget.unit() == Unit::Fuel
    })
}

fn without_jail(engine: &EngineRecord) -> EngineRecord {
    EngineRecord { jail: None, ..engine.clone() }
}

/// A record without measured times, dates and jails.
fn without_times(record: &Record) -> Record {
    let spent = |spent: Usage| Usage { wall_us: 0, cpu_us: None, ..spent };
    let ply = |ply: &PlyRecord| PlyRecord { spent: spent(ply.spent), ..ply.clone() };
    let event = |event: &EventRecord| {
        let mut event = event.clone();
        match &mut event.kind {
            EventKind::Refused { spent: usage, .. }
            | EventKind::Resigned { spent: usage, .. }
            | EventKind::DrawAccepted { spent: usage, .. } => *usage = usage.map(spent),
            EventKind::Fault { spent: usage, .. } => *usage = spent(*usage),
            _ => {}
        }
        event
    };
    let player = |player: &PlayerRecord| PlayerRecord {
        engine: player.engine.as_ref().map(without_jail),
        ..player.clone()
    };
    Record {
        started_at: String::new(),
        saved_at: String::new(),
        turn_us: 0,
        events: record.events.iter().map(event).collect(),
        players: record.players.iter().map(player).collect(),
        plies: record.plies.iter().map(ply).collect(),
        ..record.clone()
    }
}

fn ply_difference(one: &PlyRecord, other: &PlyRecord) -> String {
    if one.r#move != other.r#move {
        return format!("the move is {}, not {}", one.r#move, other.r#move);
    }
    match (one.spent.fuel, other.spent.fuel) {
        (Some(first), Some(second)) if first != second => format!("fuel {first}, not {second}"),
        _ => "the same move, but another transcript, line or memory usage".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::OpeningMove;
    use crate::record::samples::eventful;

    /// Compares a record with a changed copy. `expected`: a part of the difference; none: there is
    /// no difference.
    fn check(change: impl FnOnce(&mut Record), expected: Option<&str>) {
        let (one, mut other) = (eventful(), eventful());
        change(&mut other);
        let found = find_difference(&one, &other);
        match (&found, expected) {
            (None, None) => {}
            (Some(found), Some(expected)) => assert!(found.contains(expected), "{found}"),
            _ => panic!("{found:?}, not {expected:?}"),
        }
    }

    #[test]
    fn times_and_jails_are_ignored() {
        check(|_| (), None);
        check(|it| it.started_at = "1999-01-01T00:00:00Z".into(), None);
        check(|it| it.plies[0].spent.wall_us += 1, None);
        check(|it| it.plies[0].spent.cpu_us = Some(5), None);
        check(|it| it.players[0].engine.iter_mut().for_each(|it| it.jail = None), None);
        check(|it| usage_of_a_fault(it).wall_us += 1, None);
        check(|it| usage_of_a_fault(it).cpu_us = Some(5), None);
    }

    /// The usage of the first fault among the events.
    fn usage_of_a_fault(record: &mut Record) -> &mut Usage {
        let mut events = record.events.iter_mut();
        let usage = events.find_map(|event| match &mut event.kind {
            EventKind::Fault { spent, .. } => Some(spent),
            _ => None,
        });
        usage.unwrap()
    }

    #[test]
    fn events_are_compared() {
        let count = eventful().events.len();
        let last = format!("event {count} of {count} and {}", count - 1);
        check(|it| drop(it.events.pop()), Some(&last));
        check(|it| it.events[1].at_ply += 1, Some("event 2 of"));
        check(|it| it.events.clear(), Some("event 1 of"));
        check(|it| usage_of_a_fault(it).fuel = Some(1), Some("event "));
        let refused = |event: &EventRecord| matches!(event.kind, EventKind::Refused { .. });
        check(|it| it.events.retain(|event| !refused(event)), Some("event "));
    }

    #[test]
    fn moves_results_and_setups_are_compared() {
        check(|it| it.plies[0].r#move = "2".into(), Some("move 1: the move is 3, not 2"));
        check(|it| it.plies[0].spent.fuel = Some(8), Some("move 1: fuel 7, not 8"));
        check(|it| it.plies[0].spent.transcript_hash = None, Some("move 1: the same move, but"));
        check(|it| it.plies[0].spent.peak_memory_bytes = None, Some("move 1: the same move, but"));
        check(|it| it.plies[1].line = it.plies[0].line.clone(), Some("move 2: "));
        check(|it| drop(it.plies.pop()), Some("3 moves, not 2"));
        check(|it| it.result = None, Some("not \"none\""));
        check(|it| it.logs.clear(), Some("the setups, logs or clocks differ"));
        check(|it| it.seed = 1, Some("the setups, logs or clocks differ"));
        let opening_move = OpeningMove { seat: Some(0), r#move: "1".into() };
        check(|it| it.opening.push(opening_move), Some("the setups, logs or clocks differ"));
    }
}
