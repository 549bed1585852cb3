//! What all looks of an arena find in its view: who is where, who met whom. A number that the view does not
//! have gives a name that says so, never a panic.

use sandboard_tournament::stats::{Meeting, Tally};

use super::shown;
use crate::arena::view::{MeetingView, PlayerView, View};

/// The players in the order of their places.
pub(super) fn ranked(view: &View) -> impl Iterator<Item = &PlayerView> {
    view.ranking.iter().filter_map(|number| player(view, *number))
}

/// The player of that number.
pub(super) fn player(view: &View, number: u32) -> Option<&PlayerView> {
    view.players.get(usize::try_from(number).ok()?)
}

/// The name of that player, with nothing invisible in it.
pub(super) fn name(view: &View, number: u32) -> String {
    match player(view, number) {
        Some(player) => shown::visible(&player.name),
        None => format!("player {}", u64::from(number) + 1),
    }
}

/// All games of a player.
pub(super) fn games_of(player: &PlayerView) -> Tally {
    let [first, second] = player.by_seat;
    first.and(second)
}

/// Who met whom, found by both players.
pub(super) struct Meetings<'a>(std::collections::BTreeMap<[u32; 2], &'a MeetingView>);

impl<'a> Meetings<'a> {
    pub(super) fn of(view: &'a View) -> Self {
        Self(view.meetings.iter().map(|meeting| (meeting.players, meeting)).collect())
    }

    /// What the player had against the opponent, as the player sees it; none where they did not meet.
    pub(super) fn between(&self, player: u32, opponent: u32) -> Option<Meeting> {
        let seen = |players: [u32; 2]| {
            let MeetingView { first_seat, second_seat, pairs, .. } = **self.0.get(&players)?;
            Some(Meeting { first_seat, second_seat, pairs })
        };
        seen([player, opponent]).or_else(|| seen([opponent, player]).map(Meeting::turned))
    }

    /// How likely the player is the stronger of the two, from 0 to 1.
    pub(super) fn superiority(&self, player: u32, opponent: u32) -> Option<f64> {
        let of = |players: [u32; 2]| self.0.get(&players)?.superiority;
        of([player, opponent]).or_else(|| of([opponent, player]).map(|share| 1.0 - share))
    }
}

/// A column of a table that is only there where somebody has something in it.
pub(super) fn somebody(view: &View, has: impl Fn(&PlayerView) -> bool) -> bool {
    view.players.iter().any(has)
}

/// A sum by its count; none where nothing was counted.
pub(super) fn mean(sum: u64, count: u64) -> Option<f64> {
    (count > 0).then(|| sum as f64 / count as f64)
}

/// A share of all points, from 0 to 1; none where there was no game.
pub(super) fn share(tally: &Tally) -> Option<f64> {
    mean(tally.half_points(), 2 * tally.games())
}
