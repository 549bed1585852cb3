//! An arena as text: for a terminal, for a log, for a pipe. The words are in `words`, the alignment in
//! `columns`; prints nothing.

use sandboard_forge::run::quoted;

use super::columns::{self, Column};
use super::lookup::{Meetings, games_of, name, player, ranked, share};
use super::shown::{visible, wrapped};
use super::{standings, words};
use crate::arena::view::{Duel, View};

/// With more players than this the table of who took what of whom is left to the other looks.
pub(super) const CROSSTABLE_PLAYERS_MAX: usize = 12;
/// The least room for a name, in columns.
const NAME_LEAST: usize = 8;
/// Where the texts of rows begin.
const HEAD: usize = 11;

/// All that there is to tell, in lines of so many columns at most (where they can be: words are
/// broken, columns of tables left out and names cut; what is to be typed stays whole). `folder` is what to
/// type for the arena's folder. Ends with a line feed.
pub fn text(view: &View, folder: &str, width_columns: usize) -> String {
    let mut page = Page { lines: Vec::new(), columns: width_columns.max(20) };
    page.title(view);
    if let Some(duel) = &view.duel {
        page.duel(view, duel);
    }
    page.standings(view);
    if (3..=CROSSTABLE_PLAYERS_MAX).contains(&view.ranking.len()) && !view.meetings.is_empty() {
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
    /// `  score    12½ of 24`, what follows below the text.
    fn row(&mut self, head: &str, text: &str) {
        for (i, line) in wrapped(text, self.columns - HEAD).into_iter().enumerate() {
            let head = if i == 0 { head } else { "" };
            self.lines.push(format!("  {head:<9}{line}").trim_end().to_owned());
        }
    }

    fn title(&mut self, view: &View) {
        let [name, game, variant] =
            [&view.name, &view.game, &view.variant].map(|text| visible(text));
        let title = format!("{name}: {game} {variant}, {}", words::format(&view.format));
        self.lines.extend(wrapped(&title, self.columns));
        self.row("state", &words::progress(view));
        if let Some(speed) = words::speed(&view.progress) {
            self.row("speed", &speed);
        }
    }

    fn duel(&mut self, view: &View, duel: &Duel) {
        let tally = player(view, 0).map(games_of).unwrap_or_default();
        let [a, b] = [0, 1].map(|number| name(view, number));
        let points = words::points(tally.half_points());
        if share(&tally).is_none() {
            self.row("score", &format!("{a} has not played {b} yet"));
            return;
        }
        self.row("score", &format!("{a} {points} of {} against {b}", tally.games()));
        let percent = words::percent(duel.score.value);
        self.row("", &format!("{}: {percent}{}", words::tally(&tally), between(duel)));
        let pairs = words::PAIR_POINTS.iter().zip(duel.pairs);
        let pairs: Vec<String> =
            pairs.map(|(points, number)| format!("{points} points {number}×")).collect();
        self.row("pairs", &pairs.join(", "));
        self.row("Elo", &format!("{} with 95 % confidence", words::elo(duel)));
        if let Some(superiority) = duel.superiority {
            let percent = words::percent(superiority);
            self.row("LOS", &format!("{percent}: how likely {a} is the stronger one"));
        }
        if let Some(normalized) = &duel.normalized {
            self.row("nElo", &format!("{} (normalised Elo)", words::interval(normalized)));
        }
        if let Some(sprt) = &duel.sprt {
            self.row("SPRT", &words::question(sprt));
            self.row("", &format!("{}: {}", words::llr(sprt), words::verdict(sprt)));
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
        let meetings = Meetings::of(view);
        let number = |i: usize| (i + 1).to_string();
        let players: Vec<u32> = ranked(view).map(|player| player.number).collect();
        let rows = 0..players.len();
        let mut table = vec![
            Column::figures("", rows.map(number).collect()),
            Column::words("points", players.iter().map(|player| name(view, *player)).collect()),
        ];
        for (i, opponent) in players.iter().enumerate() {
            let cell = |player: &u32| match meetings.between(*player, *opponent) {
                _ if player == opponent => "·".to_owned(),
                None => String::new(),
                Some(meeting) => words::points(meeting.games().half_points()),
            };
            table.push(Column::figures(number(i), players.iter().map(cell).collect()));
        }
        self.lines.push(String::new());
        match columns::over(&table, 1, NAME_LEAST, self.columns - 2) {
            0 => self.lines.extend(indented(table, 1, self.columns)),
            more => {
                let needed = self.columns + more;
                self.row(
                    "",
                    &format!("who took what of whom needs {needed} columns of a terminal"),
                );
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
                [&fault.code, &fault.first, &fault.sentence].map(|text| visible(text));
            let games = words::count(fault.games, "game");
            let plies = words::count(fault.at_ply.into(), "move");
            let who = name(view, fault.player);
            self.row("fault", &format!("{who}: {code} in {games}"));
            self.row("", &format!("first in {first} after {plies}: {sentence}"));
            let [folder, first] = [folder, &fault.first].map(|word| visible(&quoted(word)));
            self.lines.push(format!("{:HEAD$}sandboard arena game {folder} {first}", ""));
        }
    }
}

/// `, 41.0 to 63.2 % with 95 % confidence`.
fn between(duel: &Duel) -> String {
    match (duel.score.low, duel.score.high) {
        (Some(low), Some(high)) => {
            let (low, high) = (100.0 * low, words::percent(high));
            format!(", {low:.1} to {high} with 95 % confidence")
        }
        _ => String::new(),
    }
}

/// The lines of a table, two columns from the edge.
pub(super) fn indented(table: Vec<Column>, cuttable: usize, columns: usize) -> Vec<String> {
    let lines = columns::lines(table, cuttable, NAME_LEAST, columns.saturating_sub(2));
    lines.into_iter().map(|line| format!("  {line}")).collect()
}
