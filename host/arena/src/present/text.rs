//! Renders an arena as text for a terminal, a log or a pipe.
//! `phrases` formats the figures, `columns` aligns tables. Prints nothing.

use sandboard_builder::command::shell_quote;

use super::columns::{self, Column};
use super::lookup::{HeadToHeadIndex, games_of, name, player, ranked, share};
use super::sanitize::{sanitize, wrapped};
use super::{phrases, standings};
use sandboard_arena_plan::{MatchStatistics, View};

/// With more players than this the text has no cross table.
pub(super) const CROSSTABLE_PLAYERS_MAX: usize = 12;
/// The least width of a name, in columns.
const NAME_WIDTH_MIN: usize = 8;
/// The column at which the texts of rows begin.
const TEXT_COLUMN: usize = 11;

/// The whole arena, in lines of at most `width_columns`. To fit, words are broken, columns of
/// tables omitted and names cut; commands stay whole. `folder` is the arena's folder for use in
/// commands. Ends with a line feed.
pub fn text(view: &View, folder: &str, width_columns: usize) -> String {
    let mut page = Page { lines: Vec::new(), columns: width_columns.max(20) };
    page.title(view);
    if let Some(stats) = &view.match_statistics {
        page.match_statistics(view, stats);
    }
    page.standings(view);
    if (3..=CROSSTABLE_PLAYERS_MAX).contains(&view.ranking.len()) && !view.head_to_head.is_empty() {
        page.crosstable(view);
    }
    page.faults(view, folder);
    page.lines.join("\n") + "\n"
}

struct Page {
    lines: Vec<String>,
    columns: usize,
}

impl Page {
    /// `  score    12½ of 24`; further lines are indented like the text.
    fn row(&mut self, head: &str, text: &str) {
        for (i, line) in wrapped(text, self.columns - TEXT_COLUMN).into_iter().enumerate() {
            let head = if i == 0 { head } else { "" };
            self.lines.push(format!("  {head:<9}{line}").trim_end().to_owned());
        }
    }

    fn title(&mut self, view: &View) {
        let [name, game, variant] =
            [&view.name, &view.game, &view.variant].map(|text| sanitize(text));
        let title =
            format!("{name}: {game} {variant}, {}", phrases::format(&view.format, view.seats));
        self.lines.extend(wrapped(&title, self.columns));
        self.row("state", &phrases::progress(view));
        if let Some(speed) = phrases::speed(&view.progress) {
            self.row("speed", &speed);
        }
    }

    fn match_statistics(&mut self, view: &View, stats: &MatchStatistics) {
        let tally = player(view, 0).map(games_of).unwrap_or_default();
        let [a, b] = [0, 1].map(|number| name(view, number));
        let points = phrases::points(tally.half_points());
        if share(&tally).is_none() {
            self.row("score", &format!("{a} has not played {b} yet"));
            return;
        }
        self.row("score", &format!("{a} {points} of {} against {b}", tally.games()));
        let percent = phrases::percent(stats.score.value);
        self.row("", &format!("{}: {percent}{}", phrases::tally(&tally), confidence(stats)));
        let pairs = phrases::PAIR_POINTS.iter().zip(stats.pairs);
        let pairs: Vec<String> =
            pairs.map(|(points, number)| format!("{points} points {number}×")).collect();
        self.row("pairs", &pairs.join(", "));
        self.row("Elo", &format!("{} with 95 % confidence", phrases::elo(stats)));
        if let Some(superiority) = stats.superiority {
            let percent = phrases::percent(superiority);
            self.row("LOS", &format!("{percent}: the probability that {a} is stronger"));
        }
        if let Some(normalized) = &stats.normalized {
            self.row("nElo", &format!("{} (normalised Elo)", phrases::interval(normalized)));
        }
        if let Some(sprt) = &stats.sprt {
            self.row("SPRT", &phrases::hypotheses(sprt));
            self.row("", &format!("{}: {}", phrases::llr(sprt), phrases::verdict(sprt)));
        }
    }

    fn standings(&mut self, view: &View) {
        self.lines.push(String::new());
        let table = standings::table(view, ranked(view).collect());
        self.lines.extend(indented(table, 1, self.columns));
        for note in standings::notes(view) {
            let lines = wrapped(&note, self.columns - 2);
            self.lines.extend(lines.into_iter().map(|line| format!("  {line}")));
        }
    }

    fn crosstable(&mut self, view: &View) {
        let results = HeadToHeadIndex::of(view);
        let number = |i: usize| (i + 1).to_string();
        let players: Vec<u32> = ranked(view).map(|player| player.number).collect();
        let rows = 0..players.len();
        let mut table = vec![
            Column::figures("", rows.map(number).collect()),
            Column::words("points", players.iter().map(|player| name(view, *player)).collect()),
        ];
        for (i, opponent) in players.iter().enumerate() {
            let cell = |player: &u32| match results.between(*player, *opponent) {
                _ if player == opponent => "·".to_owned(),
                None => String::new(),
                Some(meeting) => phrases::points(meeting.games().half_points()),
            };
            table.push(Column::figures(number(i), players.iter().map(cell).collect()));
        }
        self.lines.push(String::new());
        match columns::excess(&table, 1, NAME_WIDTH_MIN, self.columns - 2) {
            0 => self.lines.extend(indented(table, 1, self.columns)),
            more => {
                let needed = self.columns + more;
                self.row("", &format!("the cross table needs {needed} columns"));
            }
        }
    }

    fn faults(&mut self, view: &View, folder: &str) {
        if view.faults.is_empty() {
            return;
        }
        self.lines.push(String::new());
        for fault in &view.faults {
            let [code, first, sentence] =
                [&fault.code, &fault.first, &fault.sentence].map(|text| sanitize(text));
            let games = phrases::count(fault.games, "game");
            let plies = phrases::count(fault.at_ply.into(), "move");
            let player = name(view, fault.player);
            self.row("fault", &format!("{player}: {code} in {games}"));
            self.row("", &format!("first in {first} after {plies}: {sentence}"));
            let [folder, first] = [folder, &fault.first].map(|word| sanitize(&shell_quote(word)));
            self.lines.push(format!("{:TEXT_COLUMN$}sandboard arena game {folder} {first}", ""));
        }
    }
}

/// `, 41.0 to 63.2 % with 95 % confidence`.
fn confidence(stats: &MatchStatistics) -> String {
    match (stats.score.low, stats.score.high) {
        (Some(low), Some(high)) => {
            let (low, high) = (100.0 * low, phrases::percent(high));
            format!(", {low:.1} to {high} with 95 % confidence")
        }
        _ => String::new(),
    }
}

/// The lines of a table, indented by two columns.
pub(super) fn indented(table: Vec<Column>, cuttable: usize, columns: usize) -> Vec<String> {
    let lines = columns::lines(table, cuttable, NAME_WIDTH_MIN, columns.saturating_sub(2));
    lines.into_iter().map(|line| format!("  {line}")).collect()
}

#[cfg(test)]
mod tests;
