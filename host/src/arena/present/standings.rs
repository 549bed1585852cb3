//! The table of the players, the same on a terminal and on the page: columns that nobody has anything in are
//! left out, and where there is no room those that are missed least.

use sandboard_tournament::stats::Tally;

use super::columns::Column;
use super::lookup::{games_of, mean, name, share, somebody};
use super::shown::visible;
use super::words;
use crate::arena::view::{PlayerView, View};

/// The table of these players; the second column is the names.
pub(super) fn table(view: &View, players: Vec<&PlayerView>) -> Vec<Column> {
    let cells = |of: &dyn Fn(&PlayerView) -> String| players.iter().map(|p| of(p)).collect();
    let or_none = |text: Option<String>| text.unwrap_or_else(|| words::NONE.into());
    let per_move = |sum: u64, player: &PlayerView| mean(sum, player.totals.moves);
    let left = |player: &PlayerView| if player.withdrawn { "†" } else { "" };
    let tally = |of: fn(&Tally) -> u64| cells(&|player| of(&games_of(player)).to_string());
    let mut table = vec![
        Column::figures("#", cells(&|player| format!("{}{}", left(player), player.place))),
        Column::words("player", cells(&|player| name(view, player.number))),
        Column::figures("points", cells(&|player| words::points(player.half_points))),
        Column::figures("games", cells(&|player| games_of(player).games().to_string())),
        Column::figures("won", tally(|tally| tally.wins)).spare(4),
        Column::figures("drawn", tally(|tally| tally.draws)).spare(4),
        Column::figures("lost", tally(|tally| tally.losses)).spare(4),
    ];
    if somebody(view, |player| games_of(player).games() > 0) {
        let share = |player: &PlayerView| share(&games_of(player)).map(words::percent);
        table.push(Column::figures("share", cells(&|player| or_none(share(player)))).spare(8));
    }
    if somebody(view, |player| player.byes_half_points > 0) {
        let byes = cells(&|player| words::points(player.byes_half_points));
        table.push(Column::figures("byes", byes).spare(5));
    }
    if somebody(view, |player| player.rating.is_some() || player.unrated.is_some()) {
        table.push(Column::figures("Elo", cells(&rating)).spare(1));
    }
    if somebody(view, |player| player.glicko.is_some()) {
        let glicko = cells(&|player| or_none(player.glicko.as_ref().map(words::glicko)));
        table.push(Column::figures("Glicko-2", glicko).spare(1));
    }
    for (i, title) in tie_breaks(view).into_iter().enumerate() {
        let value = |player: &PlayerView| player.ties.get(i).map(|(_, value)| tie(*value));
        table.push(Column::figures(title, cells(&|player| or_none(value(player)))).spare(6));
    }
    if somebody(view, |player| player.totals.faults() > 0) {
        let faults = cells(&|player| player.totals.faults().to_string());
        table.push(Column::figures("faults", faults).spare(2));
    }
    if somebody(view, |player| player.totals.wall_us > 0) {
        let time = |p: &PlayerView| per_move(p.totals.wall_us, p).map(words::duration);
        table.push(Column::figures("time/move", cells(&|p| or_none(time(p)))).spare(3));
    }
    if somebody(view, |player| player.totals.cpu_moves > 0) {
        let cpu = |p: &PlayerView| mean(p.totals.cpu_us, p.totals.cpu_moves).map(words::duration);
        table.push(Column::figures("CPU/move", cells(&|p| or_none(cpu(p)))).spare(7));
    }
    if somebody(view, |player| player.totals.fuel > 0) {
        let fuel = |p: &PlayerView| per_move(p.totals.fuel, p).map(words::fuel);
        table.push(Column::figures("fuel/move", cells(&|p| or_none(fuel(p)))).spare(3));
    }
    if somebody(view, |player| player.totals.memory_bytes_max > 0) {
        let memory = cells(&|player| words::bytes(player.totals.memory_bytes_max));
        table.push(Column::figures("memory", memory).spare(7));
    }
    table
}

/// A rating, or in a word why there is none.
fn rating(player: &PlayerView) -> String {
    match (&player.rating, player.unrated) {
        (Some(rating), _) => words::interval(rating),
        (None, Some(reason)) => words::unrated(reason).into(),
        (None, None) => words::NONE.into(),
    }
}

/// The names of the tie-breaks, as the first player has them.
pub(super) fn tie_breaks(view: &View) -> Vec<String> {
    let first = view.players.first();
    first.map_or(Vec::new(), |player| player.ties.iter().map(|(name, _)| visible(name)).collect())
}

/// The value of a tie-break: `12`, `12.25`.
pub(super) fn tie(value: f64) -> String {
    let text = format!("{value:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// What the words and marks of the table mean, those that are in it.
pub(super) fn notes(view: &View) -> Vec<String> {
    let mut notes = Vec::new();
    if somebody(view, |player| player.withdrawn) {
        notes.push("†: left".to_owned());
    }
    let mut reasons: Vec<_> = view.players.iter().filter_map(|player| player.unrated).collect();
    reasons.sort_by_key(|reason| *reason as u8);
    reasons.dedup();
    for reason in reasons {
        if let Some(because) = words::unrated_because(reason) {
            notes.push(format!("{}: {because}", words::unrated(reason)));
        }
    }
    notes
}
