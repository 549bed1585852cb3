//! The list of games, the latest first.

use std::collections::VecDeque;
use std::io::{self, Write};

use super::super::csv::stored_at;
use super::super::phrases;
use super::super::sanitize::escape_html;
use super::{GAMES_LISTED_MAX, TABLE_END, figure, heads, named, table_start, words_of};
use sandboard_arena_plan::{GameRow, View};

/// Writes the last games of the iterator, the latest first, and the number of all.
pub(super) fn listed(
    view: &View,
    games: &mut dyn Iterator<Item = GameRow>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut last = VecDeque::new();
    let mut count: u64 = 0;
    for game in games {
        count += 1;
        if last.len() == GAMES_LISTED_MAX {
            last.pop_front();
        }
        last.push_back(game);
    }
    if last.is_empty() {
        return out.write_all(b"<p>None yet.</p>\n");
    }
    if count > last.len() as u64 {
        writeln!(out, "<p>The latest {} of {count} games.</p>", last.len())?;
    }
    let places = (0..usize::from(view.seats)).map(|place| escape_html(&view.place_name(place)));
    let titles: Vec<String> =
        ["game".to_owned()].into_iter().chain(places).chain(["result".to_owned()]).collect();
    let titles: Vec<&str> = titles.iter().map(String::as_str).collect();
    let head = heads(&titles, &["opening", "round", "moves"]);
    let head = head + &heads(&["how it ended", "fault", "stored"], &[]);
    out.write_all(table_start("Games", &head).as_bytes())?;
    for game in last.iter().rev() {
        writeln!(out, "{}", row(view, game))?;
    }
    out.write_all(TABLE_END.as_bytes())
}

fn row(view: &View, game: &GameRow) -> String {
    let points = game.half_points.iter().map(|points| phrases::points(u64::from(*points)));
    let result = points.collect::<Vec<_>>().join("–");
    let players: String =
        game.players.iter().map(|player| format!("<td>{}</td>", named(view, *player))).collect();
    let opening =
        game.opening.map_or(phrases::NONE.into(), |opening| (u64::from(opening) + 1).to_string());
    let fault = if game.fault.is_some() { " class=\"fault\"" } else { "" };
    format!(
        "<tr{fault}><th scope=\"row\">{}</th>{players}<td>{result}</td>{}{}{}{}{}<td>{}</td></tr>",
        escape_html(&game.name),
        figure(opening),
        figure(u64::from(game.round) + 1),
        figure(game.plies),
        words_of(&game.sentence),
        words_of(game.fault.as_deref().unwrap_or_default()),
        stored_at(game.stored_ms),
    )
}
