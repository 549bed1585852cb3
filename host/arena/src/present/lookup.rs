//! Finds players and head-to-head results in a view, for all outputs. An unknown number gives a
//! placeholder name, never a panic.

use sandboard_tournament::stats::{HeadToHead, Tally};

use super::sanitize;
use sandboard_arena_plan::{HeadToHeadView, PlayerView, View};

/// The players in the order of their places.
pub(super) fn ranked(view: &View) -> impl Iterator<Item = &PlayerView> {
    view.ranking.iter().filter_map(|number| player(view, *number))
}

/// The player with this number.
pub(super) fn player(view: &View, number: u32) -> Option<&PlayerView> {
    view.players.get(usize::try_from(number).ok()?)
}

/// The sanitized name of this player.
pub(super) fn name(view: &View, number: u32) -> String {
    match player(view, number) {
        Some(player) => sanitize::sanitize(&player.name),
        None => format!("player {}", u64::from(number) + 1),
    }
}

/// The tally of all games of a player; a game of more than two players counts once for each
/// opponent.
pub(super) fn games_of(player: &PlayerView) -> Tally {
    player.by_seat.iter().fold(Tally::default(), |sum, seat| sum.plus(*seat))
}

/// The head-to-head results, indexed by both players.
pub(super) struct HeadToHeadIndex<'a>(std::collections::BTreeMap<[u32; 2], &'a HeadToHeadView>);

impl<'a> HeadToHeadIndex<'a> {
    pub(super) fn of(view: &'a View) -> Self {
        Self(view.head_to_head.iter().map(|results| (results.players, results)).collect())
    }

    /// The results of the player against the opponent, from the player's view; none if they did not
    /// meet.
    pub(super) fn between(&self, player: u32, opponent: u32) -> Option<HeadToHead> {
        let results = |players: [u32; 2]| {
            let HeadToHeadView { first_seat, second_seat, pairs, .. } = **self.0.get(&players)?;
            Some(HeadToHead { first_seat, second_seat, pairs })
        };
        results([player, opponent])
            .or_else(|| results([opponent, player]).map(HeadToHead::reversed))
    }

    /// The probability that the player is stronger than the opponent, from 0 to 1.
    pub(super) fn superiority(&self, player: u32, opponent: u32) -> Option<f64> {
        let of = |players: [u32; 2]| self.0.get(&players)?.superiority;
        of([player, opponent]).or_else(|| of([opponent, player]).map(|share| 1.0 - share))
    }
}

/// Whether a table needs a column: some player has a value for it.
pub(super) fn any_player(view: &View, has: impl Fn(&PlayerView) -> bool) -> bool {
    view.players.iter().any(has)
}

/// The mean; none if the count is 0.
pub(super) fn mean(sum: u64, count: u64) -> Option<f64> {
    (count > 0).then(|| sum as f64 / count as f64)
}

/// The share of all points, from 0 to 1; none without games.
pub(super) fn share(tally: &Tally) -> Option<f64> {
    mean(tally.half_points(), 2 * tally.games())
}
