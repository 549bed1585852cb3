//! Renders a running arena in a few lines: its progress and the leaders. The caller redraws them in
//! place.

use super::lookup::{games_of, name, player, ranked, share};
use super::sanitize::cut;
use super::text::indented;
use super::{phrases, standings};
use sandboard_arena_plan::{MatchStatistics, View};

/// The most players shown.
const LEADERS_MAX: usize = 8;

/// At most thirteen lines of at most `width_columns`: the progress, the score of two players or the
/// leaders of several, the faults, and a game that lasts long.
pub fn live(view: &View, width_columns: usize) -> Vec<String> {
    let mut lines = vec![head(view)];
    match &view.match_statistics {
        Some(stats) => lines.extend(match_lines(view, stats)),
        None => lines.extend(leaders(view, width_columns)),
    }
    if let Some(faults) = faults(view) {
        lines.push(faults);
    }
    lines.extend(view.progress.long_game.as_ref().map(|game| format!("  {}", phrases::long(game))));
    lines.into_iter().map(|line| cut(&line, width_columns)).collect()
}

fn head(view: &View) -> String {
    let pairs = phrases::count(view.progress.pairs.into(), phrases::unit(view.seats));
    let mut parts = vec![format!("{}: {pairs}", phrases::state(view.state))];
    parts.extend(phrases::left(&view.progress).map(|left| format!("{left} to play")));
    parts.extend(phrases::speed(&view.progress));
    parts.join(", ")
}

fn match_lines(view: &View, stats: &MatchStatistics) -> Vec<String> {
    let tally = player(view, 0).map(games_of).unwrap_or_default();
    let [a, b] = [0, 1].map(|number| name(view, number));
    if share(&tally).is_none() {
        return vec![format!("  {a} against {b}: no pair yet")];
    }
    let points = phrases::points(tally.half_points());
    let score = format!("{points} of {} ({})", tally.games(), phrases::percent(stats.score.value));
    let mut figures = format!("  Elo {}", phrases::elo(stats));
    if let Some(superiority) = stats.superiority {
        figures += &format!(", LOS {}", phrases::percent(superiority));
    }
    let mut lines = vec![format!("  {score}: {a} against {b}"), figures];
    if let Some(sprt) = &stats.sprt {
        lines.push(format!("  {}: {}", phrases::llr(sprt), phrases::verdict(sprt)));
    }
    lines
}

fn leaders(view: &View, columns: usize) -> Vec<String> {
    let mut lines =
        indented(standings::table(view, ranked(view).take(LEADERS_MAX).collect()), 1, columns);
    let more = view.ranking.len().saturating_sub(LEADERS_MAX);
    if more > 0 {
        lines.push(format!("  … and {more} more"));
    }
    lines
}

/// `  2 games lost by faults, as by timeout of …`; none without faults.
fn faults(view: &View) -> Option<String> {
    let first = view.faults.first()?;
    let games = view.faults.iter().fold(0_u64, |sum, fault| sum.saturating_add(fault.games));
    let code = super::sanitize::sanitize(&first.code);
    let lost = phrases::count(games, "game");
    Some(format!("  {lost} lost by faults, as by {code} of {}", name(view, first.player)))
}
