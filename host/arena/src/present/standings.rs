//! The standings table, the same on a terminal and on the page. Empty columns are omitted; if the
//! width does not suffice, the least important columns are, too.

use sandboard_tournament::stats::Tally;

use super::columns::Column;
use super::lookup::{any_player, games_of, mean, name, share};
use super::phrases;
use super::sanitize::sanitize;
use sandboard_arena_plan::{PlayerView, View};

/// The table of these players; the names are in the second column.
pub(super) fn table(view: &View, players: Vec<&PlayerView>) -> Vec<Column> {
    let cells = |of: &dyn Fn(&PlayerView) -> String| players.iter().map(|p| of(p)).collect();
    let or_none = |text: Option<String>| text.unwrap_or_else(|| phrases::NONE.into());
    let per_move = |sum: u64, player: &PlayerView| mean(sum, player.totals.moves);
    let left = |player: &PlayerView| if player.withdrawn { "†" } else { "" };
    let tally = |of: fn(&Tally) -> u64| cells(&|player| of(&games_of(player)).to_string());
    let mut table = vec![
        Column::figures("#", cells(&|player| format!("{}{}", left(player), player.place))),
        Column::words("player", cells(&|player| name(view, player.number))),
        Column::figures("points", cells(&|player| phrases::points(player.half_points))),
        Column::figures("games", cells(&|player| games(view, player).to_string())),
        Column::figures("won", tally(|tally| tally.wins)).droppable(4),
        Column::figures("drawn", tally(|tally| tally.draws)).droppable(4),
        Column::figures("lost", tally(|tally| tally.losses)).droppable(4),
    ];
    if any_player(view, |player| games_of(player).games() > 0) {
        let share = |player: &PlayerView| share(&games_of(player)).map(phrases::percent);
        table.push(Column::figures("share", cells(&|player| or_none(share(player)))).droppable(8));
    }
    if any_player(view, |player| player.byes_half_points > 0) {
        let byes = cells(&|player| phrases::points(player.byes_half_points));
        table.push(Column::figures("byes", byes).droppable(5));
    }
    let is_rated = |player: &PlayerView| player.rating.is_some() || player.unrated.is_some();
    if shows_ratings(view) && any_player(view, is_rated) {
        table.push(Column::figures("Elo", cells(&rating)).droppable(1));
    }
    if any_player(view, |player| player.glicko.is_some()) {
        let glicko = cells(&|player| or_none(player.glicko.as_ref().map(phrases::glicko)));
        table.push(Column::figures("Glicko-2", glicko).droppable(1));
    }
    if any_player(view, |player| player.skill.is_some()) {
        let skill = cells(&|player| or_none(player.skill.as_ref().map(phrases::skill)));
        table.push(Column::figures("skill", skill).droppable(1));
    }
    // In a game of two players without luck, the points and the rating say it.
    if view.seats > 2 || any_player(view, |player| player.duplicate_score.is_some()) {
        let score = cells(&|player| or_none(player.mean_score.as_ref().map(phrases::interval)));
        table.push(Column::figures("mean score", score).droppable(1));
    }
    if any_player(view, |player| player.duplicate_score.is_some()) {
        let score = |p: &PlayerView| p.duplicate_score.as_ref().map(phrases::interval);
        table.push(Column::figures("duplicate", cells(&|p| or_none(score(p)))).droppable(2));
    }
    for (i, title) in tie_breaks(view).into_iter().enumerate() {
        let value = |player: &PlayerView| player.tie_breaks.get(i).map(|(_, value)| tie(*value));
        table.push(Column::figures(title, cells(&|player| or_none(value(player)))).droppable(6));
    }
    if any_player(view, |player| player.totals.faults() > 0) {
        let faults = cells(&|player| player.totals.faults().to_string());
        table.push(Column::figures("faults", faults).droppable(2));
    }
    if any_player(view, |player| player.totals.wall_us > 0) {
        let time = |p: &PlayerView| per_move(p.totals.wall_us, p).map(phrases::duration);
        table.push(Column::figures("time/move", cells(&|p| or_none(time(p)))).droppable(3));
    }
    if any_player(view, |player| player.totals.cpu_moves > 0) {
        let cpu = |p: &PlayerView| mean(p.totals.cpu_us, p.totals.cpu_moves).map(phrases::duration);
        table.push(Column::figures("CPU/move", cells(&|p| or_none(cpu(p)))).droppable(7));
    }
    if any_player(view, |player| player.totals.fuel > 0) {
        let fuel = |p: &PlayerView| per_move(p.totals.fuel, p).map(phrases::fuel);
        table.push(Column::figures("fuel/move", cells(&|p| or_none(fuel(p)))).droppable(3));
    }
    if any_player(view, |player| player.totals.memory_bytes_max > 0) {
        let memory = cells(&|player| phrases::bytes(player.totals.memory_bytes_max));
        table.push(Column::figures("memory", memory).droppable(7));
    }
    table
}

/// Whether the table has ratings. Of a match of two players their difference is shown beside the
/// score, with its own interval.
fn shows_ratings(view: &View) -> bool {
    view.match_statistics.is_none()
}

/// The rating, or why there is none, in a word.
fn rating(player: &PlayerView) -> String {
    match (&player.rating, player.unrated) {
        (Some(rating), _) => phrases::interval(rating),
        (None, Some(reason)) => phrases::unrated(reason).into(),
        (None, None) => phrases::NONE.into(),
    }
}

/// The number of games of a player.
pub(super) fn games(view: &View, player: &PlayerView) -> u64 {
    let opponents = u64::from(view.seats.saturating_sub(1)).max(1);
    games_of(player).games() / opponents
}

/// The names of the tie-breaks.
pub(super) fn tie_breaks(view: &View) -> Vec<String> {
    let first = view.players.first();
    first.map_or(Vec::new(), |player| {
        player.tie_breaks.iter().map(|(name, _)| sanitize(name)).collect()
    })
}

/// The value of a tie-break: `12`, `12.25`.
pub(super) fn tie(value: f64) -> String {
    let text = format!("{value:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// The explanations of the words and marks in the table.
pub(super) fn notes(view: &View) -> Vec<String> {
    let mut notes = Vec::new();
    if any_player(view, |player| player.withdrawn) {
        notes.push("†: withdrawn".to_owned());
    }
    if view.seats > 2 {
        let each = "points, won, drawn and lost count each opponent of a game";
        notes.push(each.to_owned());
    }
    if any_player(view, |player| player.skill.is_some()) {
        notes.push("skill: by the Plackett–Luce model; a new player has 25.0 ± 16.3".to_owned());
    }
    if any_player(view, |player| player.duplicate_score.is_some()) {
        let duplicate =
            "duplicate: the mean difference to all scores at the same seat of the same deal";
        notes.push(duplicate.to_owned());
    }
    let unrated = view.players.iter().filter_map(|player| player.unrated);
    let mut reasons: Vec<_> = unrated.filter(|_| shows_ratings(view)).collect();
    reasons.sort_by_key(|reason| *reason as u8);
    reasons.dedup();
    for reason in reasons {
        if let Some(explanation) = phrases::unrated_explanation(reason) {
            notes.push(format!("{}: {explanation}", phrases::unrated(reason)));
        }
    }
    notes
}
