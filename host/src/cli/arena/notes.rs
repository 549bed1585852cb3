//! What people should know before they wait for hours for an arena. Values alone.

use sandboard_abi::Unit;
use sandboard_games::GameInfo;

use crate::arena::{ArenaSetup, Contestant, usual_concurrency};
use crate::cli::{ponder, threads};

/// In sentences; `pairs` is how many are left to be played.
pub fn notes(
    setup: &ArenaSetup,
    players: &[Contestant],
    game: &GameInfo,
    pairs: u64,
    concurrency: usize,
) -> Vec<String> {
    let mut notes = Vec::new();
    let openings = u64::from(setup.openings.as_ref().map_or(0, |openings| openings.count));
    // Every opening is a deal of its own.
    let dealt = openings == 0 && game.deal.is_some();
    // Each two players meet so often.
    let meetings = match players.len() as u64 {
        many if many > 2 => pairs / (many * (many - 1) / 2).max(1),
        _ => pairs,
    };
    if meetings > openings.max(1) && !dealt {
        notes.push(repeated(openings, meetings));
    }
    notes.extend(of_players(players, concurrency));
    notes
}

/// So many pairs on so few openings.
pub fn repeated(openings: u64, pairs: u64) -> String {
    let begin = match openings {
        0 => "without --openings all pairs begin alike".to_owned(),
        count => format!("{count} openings for {pairs} pairs come up again"),
    };
    format!(
        "{begin}: engines that draw nothing from their seed will repeat the same games, and the error bars then \
         promise too much"
    )
}

/// What these players mean for games of which so many are played at once.
pub fn of_players(players: &[Contestant], concurrency: usize) -> Vec<String> {
    let mut notes = Vec::new();
    if players.iter().any(|player| player.budget.is_none()) {
        notes.push("an engine without a limit may think for ever".into());
    }
    let cores = usual_concurrency();
    let timed = players.iter().any(|player| player.budget.unit() == Unit::Wall);
    if timed && concurrency > cores {
        notes.push(format!(
            "{concurrency} games at once on {cores} cores take time from each other"
        ));
    }
    if players.iter().any(|player| player.threads > 1) {
        notes.extend(threads::shared_cores(concurrency, busy_cores(players), cores));
    } else if players.iter().any(|player| player.ponders) {
        notes.extend(ponder::shared_cores(concurrency, cores));
    }
    notes
}

/// Cores that one of its games keeps busy.
pub fn busy_cores(players: &[Contestant]) -> usize {
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
