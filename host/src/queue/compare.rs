//! Whether two records tell of the same play: on fuel two hosts of one kind write the same but for times, dates and what
//! keeps an engine in. Pure.

use sandboard_abi::Unit;

use crate::bout::{BoutSetup, Mover, player_seed};
use crate::engine::Spent;
use crate::record::{EngineRecord, PlayerRecord, PlyRecord, Record};

/// What the first record says that the second does not, in a sentence; none: they tell of the same play.
pub fn difference(one: &Record, other: &Record) -> Option<String> {
    let (one, other) = (timeless(one), timeless(other));
    for (ply, (first, second)) in one.plies.iter().zip(&other.plies).enumerate() {
        if first != second {
            return Some(format!("move {}: {}", ply + 1, of_plies(first, second)));
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
    (one != other).then(|| "what was begun, logged or left of clocks is not the same".into())
}

/// In what a record is not one of this bout, in a few words; none: it is.
pub fn foreign(record: &Record, setup: &BoutSetup) -> Option<&'static str> {
    let start = &setup.start;
    let same_start = record.game == start.game.id
        && record.variant == start.variant.text()
        && record.start == start.position;
    if !same_start {
        return Some("it begins elsewhere");
    }
    if record.seed != setup.seed || record.settings != setup.settings {
        return Some("its seed or its settings are others");
    }
    if record.host != env!("CARGO_PKG_VERSION") {
        return Some("another host wrote it");
    }
    if record.players.len() != setup.players.len() {
        return Some("it has another number of players");
    }
    for (index, (told, wanted)) in record.players.iter().zip(&setup.players).enumerate() {
        let Mover::Engine(engine) = &wanted.mover else { return Some("a person plays") };
        let expected = engine.to_record(engine.seed.unwrap_or(player_seed(setup.seed, index)));
        let same = told.name == wanted.name
            && told.seats == wanted.seats
            && told.budget == wanted.budget
            && told.ponders == wanted.ponders;
        if !same {
            return Some("a player is another one");
        }
        let told = told.engine.as_ref().map(anywhere);
        if told != Some(anywhere(&expected)) {
            return Some("an engine, or what counts its fuel, is another one");
        }
    }
    None
}

/// Whether all that a bout depends on is counted in fuel, so that whoever plays it again writes the same.
pub fn is_repeatable(setup: &BoutSetup) -> bool {
    setup.players.iter().all(|player| {
        let alone = matches!(&player.mover, Mover::Engine(engine) if engine.threads <= 1);
        alone && player.budget.unit() == Unit::Fuel
    })
}

/// An engine wherever it runs.
fn anywhere(engine: &EngineRecord) -> EngineRecord {
    EngineRecord { jail: None, ..engine.clone() }
}

/// A record without what a clock of time measured.
fn timeless(record: &Record) -> Record {
    let spent = |spent: Spent| Spent { wall_us: 0, cpu_us: None, ..spent };
    let ply = |ply: &PlyRecord| PlyRecord { spent: spent(ply.spent), ..ply.clone() };
    let player = |player: &PlayerRecord| PlayerRecord {
        engine: player.engine.as_ref().map(anywhere),
        ..player.clone()
    };
    Record {
        started_at: String::new(),
        saved_at: String::new(),
        turn_us: 0,
        events: Vec::new(),
        players: record.players.iter().map(player).collect(),
        plies: record.plies.iter().map(ply).collect(),
        ..record.clone()
    }
}

fn of_plies(one: &PlyRecord, other: &PlyRecord) -> String {
    let told = |what: &str, one: &dyn std::fmt::Display, other: &dyn std::fmt::Display| {
        format!("{what} {one}, not {other}")
    };
    if one.r#move != other.r#move {
        return told("the move is", &one.r#move, &other.r#move);
    }
    match (one.spent.fuel, other.spent.fuel) {
        (Some(first), Some(second)) if first != second => told("fuel", &first, &second),
        _ => "the same move, but what was said over the border or held in memory is not the same"
            .to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::tests::eventful;

    /// A record against one that was changed: a part of what is said; none: they tell of the same play.
    fn check(change: impl FnOnce(&mut Record), expected: Option<&str>) {
        let (one, mut other) = (eventful(), eventful());
        change(&mut other);
        let found = difference(&one, &other);
        match (&found, expected) {
            (None, None) => {}
            (Some(found), Some(expected)) => assert!(found.contains(expected), "{found}"),
            _ => panic!("{found:?}, not {expected:?}"),
        }
    }

    #[test]
    fn times_and_machines_make_no_difference() {
        check(|_| (), None);
        check(|it| it.started_at = "1999-01-01T00:00:00Z".into(), None);
        check(|it| it.plies[0].spent.wall_us += 1, None);
        check(|it| it.plies[0].spent.cpu_us = Some(5), None);
        check(|it| it.players[0].engine.iter_mut().for_each(|it| it.jail = None), None);
    }

    #[test]
    fn what_was_played_does() {
        check(|it| it.plies[0].r#move = "2".into(), Some("move 1: the move is 3, not 2"));
        check(|it| it.plies[0].spent.fuel = Some(8), Some("move 1: fuel 7, not 8"));
        check(|it| it.plies[0].spent.border = None, Some("move 1: the same move, but"));
        check(|it| it.plies[0].spent.peak_memory_bytes = None, Some("move 1: the same move, but"));
        check(|it| it.plies[1].line = it.plies[0].line.clone(), Some("move 2: "));
        check(|it| drop(it.plies.pop()), Some("3 moves, not 2"));
        check(|it| it.result = None, Some("not \"none\""));
        check(|it| it.logs.clear(), Some("what was begun, logged or left of clocks"));
        check(|it| it.seed = 1, Some("what was begun"));
    }
}
