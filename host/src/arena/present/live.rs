//! An arena in a few lines, while it is played: how far it is and who leads. Whoever shows them draws them
//! again and again in the same place.

use super::lookup::{games_of, name, player, ranked, share};
use super::shown::cut;
use super::text::indented;
use super::{standings, words};
use crate::arena::view::{Duel, View};

/// So many players are shown.
const LEADERS: usize = 8;

/// The lines, of so many columns of the terminal at most: one of how far it is, then the score of two
/// players, or the leaders of many, and what was done wrong. At most twelve.
pub fn live(view: &View, width_columns: usize) -> Vec<String> {
    let mut lines = vec![head(view)];
    match &view.duel {
        Some(duel) => lines.extend(duel_lines(view, duel)),
        None => lines.extend(leaders(view, width_columns)),
    }
    if let Some(faults) = faults(view) {
        lines.push(faults);
    }
    lines.into_iter().map(|line| cut(&line, width_columns)).collect()
}

fn head(view: &View) -> String {
    let pairs = words::count(view.progress.pairs.into(), "pair");
    let mut parts = vec![format!("{}: {pairs}", words::state(view.state))];
    parts.extend(words::left(&view.progress).map(|left| format!("{left} to play")));
    parts.extend(words::speed(&view.progress));
    parts.join(", ")
}

fn duel_lines(view: &View, duel: &Duel) -> Vec<String> {
    let tally = player(view, 0).map(games_of).unwrap_or_default();
    let [a, b] = [0, 1].map(|number| name(view, number));
    if share(&tally).is_none() {
        return vec![format!("  {a} against {b}: no pair yet")];
    }
    let points = words::points(tally.half_points());
    let score = format!("{points} of {} ({})", tally.games(), words::percent(duel.score.value));
    let mut figures = format!("  Elo {}", words::elo(duel));
    if let Some(superiority) = duel.superiority {
        figures += &format!(", LOS {}", words::percent(superiority));
    }
    let mut lines = vec![format!("  {score}: {a} against {b}"), figures];
    if let Some(sprt) = &duel.sprt {
        lines.push(format!("  {}: {}", words::llr(sprt), words::verdict(sprt)));
    }
    lines
}

fn leaders(view: &View, columns: usize) -> Vec<String> {
    let mut lines =
        indented(standings::table(view, ranked(view).take(LEADERS).collect()), 1, columns);
    let more = view.ranking.len().saturating_sub(LEADERS);
    if more > 0 {
        lines.push(format!("  … and {more} more"));
    }
    lines
}

/// `  2 faults of 2 players, the first: …`; none where nobody did wrong.
fn faults(view: &View) -> Option<String> {
    let first = view.faults.first()?;
    let games = view.faults.iter().fold(0_u64, |sum, fault| sum.saturating_add(fault.games));
    let code = super::shown::visible(&first.code);
    let lost = words::count(games, "game");
    Some(format!("  {lost} lost by faults, as by {code} of {}", name(view, first.player)))
}
