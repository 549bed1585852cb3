//! Writes an arena as CSV for spreadsheets and programs: RFC 4180, UTF-8. The first line has the
//! names of the columns, with units. No text can be evaluated as a formula. `docs/arena-reports.md`
//! lists the columns.

use std::io::{self, Write};
use std::time::{Duration, SystemTime};

use super::lookup::{games_of, mean, name, ranked};
use super::sanitize::sanitize;
use super::standings::{games, tie_breaks};
use sandboard_arena_plan::{GameRow, Interval, PlayerView, Unrated, View};
use sandboard_common::date::rfc3339;

/// Writes the players in the order of their places. Each line is one write to `out`, which should
/// be buffered.
pub fn standings_csv(view: &View, out: &mut dyn Write) -> io::Result<()> {
    let mut head = Line::default();
    for title in STANDINGS {
        head.text(title);
    }
    let titles = tie_breaks(view);
    for title in &titles {
        head.text(&format!("tie_{title}"));
    }
    head.write(out)?;
    for player in ranked(view) {
        let mut line = player_line(view, player);
        for i in 0..titles.len() {
            line.figure(player.tie_breaks.get(i).map(|(_, value)| *value));
        }
        line.write(out)?;
    }
    Ok(())
}

/// Writes the games in the given order. Each line is one write to `out`, which should be buffered.
pub fn games_csv(
    view: &View,
    games: &mut dyn Iterator<Item = GameRow>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut head = Line::default();
    for title in GAMES {
        head.text(title);
    }
    for title in ["player", "points"] {
        (1..=view.seats).for_each(|place| head.text(&format!("{title}_{place}")));
    }
    GAME_ENDS.iter().for_each(|title| head.text(title));
    head.write(out)?;
    for game in games {
        let mut line = Line::default();
        line.text(&game.name);
        line.number(u64::from(game.pair) + 1);
        line.number(u64::from(game.round) + 1);
        line.figure(game.opening.map(|opening| f64::from(opening) + 1.0));
        for place in 0..usize::from(view.seats) {
            let player = game.players.get(place);
            line.text(&player.map_or(String::new(), |player| name(view, *player)));
        }
        for place in 0..usize::from(view.seats) {
            line.figure(game.half_points.get(place).map(|points| f64::from(*points) / 2.0));
        }
        line.number(game.plies);
        line.text(game.fault.as_deref().unwrap_or_default());
        line.text(&game.sentence);
        line.text(&stored_at(game.stored_ms));
        line.write(out)?;
    }
    Ok(())
}

/// The columns of the players, without the tie-breaks.
const STANDINGS: [&str; 39] = [
    "place",
    "player",
    "engine",
    "version",
    "module_sha256",
    "options",
    "budget",
    "withdrawn",
    "points",
    "byes_points",
    "games",
    "wins",
    "draws",
    "losses",
    "first_seat_wins",
    "first_seat_draws",
    "first_seat_losses",
    "rating_elo",
    "rating_low_elo",
    "rating_high_elo",
    "unrated",
    "glicko",
    "glicko_low",
    "glicko_high",
    "mean_score",
    "mean_score_low",
    "mean_score_high",
    "duplicate_score",
    "duplicate_score_low",
    "duplicate_score_high",
    "skill_mu",
    "skill_sigma",
    "faults_games",
    "moves",
    "wall_us_per_move",
    "cpu_us_per_move",
    "fuel_per_move",
    "memory_max_bytes",
    "faults",
];

/// The columns of the games before those of their players.
const GAMES: [&str; 4] = ["game", "pair_from_1", "round_from_1", "opening_from_1"];

/// The columns of the games after those of their players.
const GAME_ENDS: [&str; 4] = ["moves", "fault", "end", "stored_at_utc"];

fn player_line(view: &View, player: &PlayerView) -> Line {
    let mut line = Line::default();
    line.number(player.place.into());
    for text in [&player.name, &player.engine, &player.version, &player.module_sha256] {
        line.text(text);
    }
    line.text(
        &player.options.iter().map(|(k, v)| format!("{k}={v}")).collect::<Vec<_>>().join(":"),
    );
    line.text(&player.budget);
    line.text(if player.withdrawn { "true" } else { "false" });
    line.figure(Some(player.half_points as f64 / 2.0));
    line.figure(Some(player.byes_half_points as f64 / 2.0));
    let (all, first) = (games_of(player), player.by_seat.first().copied().unwrap_or_default());
    line.number(games(view, player));
    for tally in [all, first] {
        for number in [tally.wins, tally.draws, tally.losses] {
            line.number(number);
        }
    }
    line.interval(player.rating.as_ref());
    line.text(player.unrated.map_or("", |reason| match reason {
        Unrated::Above => "above",
        Unrated::Below => "below",
        Unrated::Unconnected => "unconnected",
        Unrated::NoGames => "no-games",
    }));
    line.interval(player.glicko.as_ref());
    line.interval(player.mean_score.as_ref());
    line.interval(player.duplicate_score.as_ref());
    line.figure(player.skill.map(|skill| skill.mu));
    line.figure(player.skill.map(|skill| skill.sigma));
    let totals = &player.totals;
    line.number(totals.faults());
    line.number(totals.moves);
    line.figure(mean(totals.wall_us, totals.moves));
    line.figure(mean(totals.cpu_us, totals.cpu_moves));
    line.figure(mean(totals.fuel, totals.moves).filter(|fuel| *fuel > 0.0));
    line.number(totals.memory_bytes_max);
    let faults: Vec<String> =
        totals.faults.iter().map(|(code, games)| format!("{code}={games}")).collect();
    line.text(&faults.join(":"));
    line
}

/// The time as RFC 3339; empty for a time before 1970.
pub(super) fn stored_at(ms: i64) -> String {
    let since = u64::try_from(ms).ok().map(Duration::from_millis);
    let time = since.and_then(|since| SystemTime::UNIX_EPOCH.checked_add(since));
    time.map_or(String::new(), rfc3339)
}

/// Builds a line.
#[derive(Default)]
struct Line {
    text: String,
    fields: usize,
}

impl Line {
    fn field(&mut self, text: &str) {
        if self.fields > 0 {
            self.text.push(',');
        }
        self.fields += 1;
        self.text.push_str(text);
    }

    /// Adds a text, quoted if necessary. Spreadsheets would evaluate a formula, so it is guarded by
    /// an apostrophe.
    fn text(&mut self, text: &str) {
        let text = sanitize(text);
        let guard = if text.starts_with(FORMULA) { "'" } else { "" };
        match text.contains([',', '"']) {
            true => self.field(&format!("\"{guard}{}\"", text.replace('"', "\"\""))),
            false => self.field(&format!("{guard}{text}")),
        }
    }

    fn number(&mut self, number: u64) {
        self.field(&number.to_string());
    }

    /// Adds a figure, or an empty field.
    fn figure(&mut self, value: Option<f64>) {
        match value.filter(|value| value.is_finite()) {
            Some(value) => self.field(&figure(value)),
            None => self.field(""),
        }
    }

    fn interval(&mut self, interval: Option<&Interval>) {
        self.figure(interval.map(|interval| interval.value));
        self.figure(interval.and_then(|interval| interval.low));
        self.figure(interval.and_then(|interval| interval.high));
    }

    fn write(mut self, out: &mut dyn Write) -> io::Result<()> {
        self.text.push_str("\r\n");
        out.write_all(self.text.as_bytes())
    }
}

/// The first characters of formulas, also in full width.
const FORMULA: [char; 8] = ['=', '+', '-', '@', '＝', '＋', '－', '＠'];

/// At most three decimals, without trailing zeros, and never −0.
fn figure(value: f64) -> String {
    let text = format!("{value:.3}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".into() } else { text.to_owned() }
}

#[cfg(test)]
mod tests;
