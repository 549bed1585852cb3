//! Notes that a user should read before a long arena starts. Works on values alone.

use sandboard_abi::Unit;
use sandboard_games::GameInfo;

use crate::{ponder, threads};
use sandboard_arena::default_concurrency;
use sandboard_arena_plan::{ArenaSetup, Contestant};
use sandboard_engine::{Budget, GameClock};

/// A clock for a whole game with less than this is more likely meant for each move, in
/// microseconds.
const GAME_US_MIN: u64 = 5_000_000;

/// The notes; `pairs` is the number of pairs that are still to be played.
pub(super) fn notes(
    setup: &ArenaSetup,
    players: &[Contestant],
    game: &GameInfo,
    pairs: u64,
    concurrency: usize,
) -> Vec<String> {
    let mut notes = Vec::new();
    let openings = u64::from(setup.openings.as_ref().map_or(0, |openings| openings.count));
    // Every opening is a separate deal.
    let dealt = openings == 0 && game.deal.is_some();
    // The number of pairs of each two players.
    let pairs_of_two = match players.len() as u64 {
        many if many > 2 && setup.seats == 2 => pairs / (many * (many - 1) / 2).max(1),
        _ => pairs,
    };
    if pairs_of_two > openings.max(1) && !dealt && !game.features.chance {
        notes.push(repeated_openings(openings, pairs_of_two));
    }
    notes.extend(player_notes(players, concurrency));
    notes
}

/// The note that openings repeat.
pub(crate) fn repeated_openings(openings: u64, pairs: u64) -> String {
    let begin = match openings {
        0 => "without --openings, all pairs start from the same position".to_owned(),
        count => format!("{pairs} pairs use the {count} openings more than once"),
    };
    format!(
        "{begin}: engines that do not vary their moves by the seed repeat the same games, and the \
         error bars are then too small"
    )
}

/// The notes about the players, if `concurrency` games are played at once.
pub(crate) fn player_notes(players: &[Contestant], concurrency: usize) -> Vec<String> {
    let mut notes = Vec::new();
    if players.iter().any(|player| player.budget.is_none()) {
        notes.push("an engine without a limit may think forever".into());
    }
    if let Some(short) = players.iter().map(|player| player.budget).find(is_short_game) {
        notes.push(format!(
            "`{short}` is the time of a player for a whole game; for each move, write `{short}/move`"
        ));
    }
    let cores = default_concurrency();
    let timed = players.iter().any(|player| player.budget.unit() == Unit::Wall);
    if timed && concurrency > cores {
        notes.push(format!("{concurrency} games at once on {cores} cores compete for time"));
    }
    if players.iter().any(|player| player.threads > 1) {
        notes.extend(threads::shared_cores(concurrency, busy_cores(players), cores));
    } else if players.iter().any(|player| player.ponders) {
        notes.extend(ponder::shared_cores(concurrency, cores));
    }
    notes
}

/// Whether a budget is nothing but a short time for a whole game.
fn is_short_game(budget: &Budget) -> bool {
    let alone = budget.per_move().is_none() && budget.depth().is_none() && budget.nodes().is_none();
    let is_short = |clock: GameClock| {
        clock.base < GAME_US_MIN && clock.increment == 0 && clock.moves.is_none()
    };
    alone
        && matches!(budget.unit(), Unit::Wall | Unit::Cpu)
        && budget.game_clock().is_some_and(is_short)
}

/// The number of cores that one game of these players keeps busy.
pub(super) fn busy_cores(players: &[Contestant]) -> usize {
    let mut busiest: Vec<usize> = players
        .iter()
        .map(|player| threads::busy_cores([(player.threads, player.ponders)]))
        .collect();
    busiest.sort_unstable();
    let pondering = players.iter().any(|player| player.ponders);
    match busiest.as_slice() {
        [.., second, first] if pondering => first + second,
        [.., first] => *first,
        [] => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_time_for_a_whole_game_is_noted() {
        let check = |budget: &str, expected: bool| {
            assert_eq!(is_short_game(&budget.parse().unwrap()), expected, "{budget}");
        };
        check("100ms", true);
        check("cpu:4s", true);
        check("4999ms", true);
        check("5s", false);
        check("3m", false);
        check("100ms/move", false);
        check("100ms+10ms", false);
        check("40/1s", false);
        check("100ms,depth:8", false);
        check("fuel:1000", false);
        check("none", false);
    }
}
