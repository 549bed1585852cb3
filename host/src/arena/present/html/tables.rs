//! The tables of the page: standings, who took what of whom, seats, openings. Text says everything; colour
//! only repeats it.

use sandboard_tournament::stats::Tally;

use super::super::lookup::{Meetings, ranked, share};
use super::super::shown::{cut, escaped};
use super::super::{standings, words};
use super::{figure, heads, table, who, words_of};
use crate::arena::view::{PlayerView, View};

/// So many players are in the table of who took what of whom: it has the square of that many cells.
const CROSSTABLE_PLAYERS_MAX: usize = 60;
/// So many openings are listed.
const OPENINGS_MAX: usize = 1_000;
/// So much of an opening's text is shown, in columns of a terminal.
const OPENING_WIDTH: usize = 200;

pub(super) fn standings(view: &View) -> String {
    let players: Vec<&PlayerView> = ranked(view).collect();
    let columns = standings::table(view, players.clone());
    let mut head = String::new();
    let mut rows = vec![String::new(); players.len()];
    for (i, column) in columns.iter().enumerate() {
        // The names are the heads of the rows.
        let is_name = i == 1;
        let title = [escaped(column.head())];
        let title = title.each_ref().map(String::as_str);
        head += &if is_name { heads(&title, &[]) } else { heads(&[], &title) };
        for ((row, player), cell) in rows.iter_mut().zip(&players).zip(column.cells()) {
            *row += &if is_name { who(view, player.number) } else { figure(escaped(cell)) };
        }
    }
    let left = |player: &PlayerView| if player.withdrawn { " class=\"left\"" } else { "" };
    let rows: String = rows
        .iter()
        .zip(&players)
        .map(|(row, player)| format!("<tr{}>{row}</tr>\n", left(player)))
        .collect();
    let mut text = table("Standings", &head, &rows);
    for note in standings::notes(view) {
        text += &format!("<p class=\"note\">{}</p>\n", escaped(&note));
    }
    text
}

/// Of three players and more, two of whom met; of two the score says it all.
pub(super) fn crosstable(view: &View, meetings: &Meetings<'_>) -> Option<String> {
    let players: Vec<u32> =
        ranked(view).map(|player| player.number).take(CROSSTABLE_PLAYERS_MAX).collect();
    if players.len() < 3 || view.meetings.is_empty() {
        return None;
    }
    let numbers: Vec<String> = (1..=players.len()).map(|number| number.to_string()).collect();
    let numbers: Vec<&str> = numbers.iter().map(String::as_str).collect();
    let mut rows = String::new();
    for (number, player) in numbers.iter().zip(&players) {
        rows += &format!("<tr>{}{}", figure(number), who(view, *player));
        rows.extend(players.iter().map(|opponent| cell(meetings, *player, *opponent)));
        rows += "</tr>\n";
    }
    let head = format!("<th scope=\"col\" class=\"n\">no.</th>{}", heads(&["player"], &numbers));
    let mut text = table("Who took what of whom", &head, &rows);
    text += "<p class=\"note\">Points of the player of the row against that of the column, and of how many \
             games. The deeper the shade, the further from even: blue above, orange below.</p>\n";
    let more = view.ranking.len().saturating_sub(CROSSTABLE_PLAYERS_MAX);
    if more > 0 {
        text += &format!("<p class=\"note\">The last {more} by place are left out.</p>\n");
    }
    Some(text)
}

fn cell(meetings: &Meetings<'_>, player: u32, opponent: u32) -> String {
    if player == opponent {
        return "<td class=\"self\">·</td>".to_owned();
    }
    let Some(meeting) = meetings.between(player, opponent) else {
        return "<td></td>".to_owned();
    };
    let tally = meeting.games();
    let share = share(&tally).unwrap_or(0.5);
    let side = if share < 0.5 { "down" } else { "up" };
    // At most this deep, that text stays easy to read.
    let depth = 60.0 * (2.0 * share - 1.0).abs();
    let stronger = meetings.superiority(player, opponent);
    let stronger =
        stronger.map(|likely| format!("; the stronger one with {}", words::percent(likely)));
    format!(
        "<td class=\"n {side}\" style=\"--depth:{depth:.0}%\" title=\"{}{}\">{}<small>/{}</small></td>",
        words::tally(&tally),
        stronger.unwrap_or_default(),
        words::points(tally.half_points()),
        tally.games(),
    )
}

/// What each player did with each seat; nothing before the first game.
pub(super) fn seats(view: &View) -> Option<String> {
    let sides: Vec<String> = view.sides.iter().map(|side| escaped(side)).collect();
    let mut total = Tally::default();
    let mut rows = String::new();
    for player in ranked(view) {
        let [first, _] = player.by_seat;
        total = total.and(first);
        rows += &format!("<tr>{}", who(view, player.number));
        rows.extend(player.by_seat.iter().map(seat_cells));
        rows += "</tr>\n";
    }
    if total.games() == 0 {
        return None;
    }
    let [first, second] = [seat_cells(&total), seat_cells(&total.turned())];
    rows += &format!("<tr class=\"total\"><th scope=\"row\">all</th>{first}{second}</tr>\n");
    let head: Vec<String> = sides
        .iter()
        .flat_map(|side| ["won", "drawn", "lost", "share"].map(|what| format!("{side}: {what}")))
        .collect();
    let head: Vec<&str> = head.iter().map(String::as_str).collect();
    let mut text = table("Seats", &heads(&["player"], &head), &rows);
    if let Some(worth) = &view.first_seat {
        let worth = words::interval(worth);
        let side = sides.first().map_or("", String::as_str);
        text += &format!("<p>To have the first seat ({side}) is worth {worth} Elo.</p>\n");
    }
    Some(text)
}

fn seat_cells(tally: &Tally) -> String {
    let share = share(tally).map_or(words::NONE.into(), words::percent);
    let counts = [tally.wins, tally.draws, tally.losses];
    counts.map(figure).concat() + &figure(share)
}

/// What openings did; nothing where there is none but the start position.
pub(super) fn openings(view: &View) -> Option<String> {
    if view.openings.is_none() || view.by_opening.is_empty() {
        return None;
    }
    let mut rows = String::new();
    for opening in view.by_opening.iter().take(OPENINGS_MAX) {
        rows += &format!("<tr>{}", figure(u64::from(opening.opening) + 1));
        rows += &match opening.text.as_str() {
            "" => "<td>start position</td>".to_owned(),
            text => words_of(&cut(text, OPENING_WIDTH)),
        };
        rows += &seat_cells(&opening.first_seat);
        rows.extend(opening.pairs_by_margin.map(figure));
        rows += "</tr>\n";
    }
    let side = escaped(&view.sides[0]);
    let head: Vec<String> =
        ["won", "drawn", "lost", "share"].map(|what| format!("{side}: {what}")).to_vec();
    let mut figures: Vec<&str> = head.iter().map(String::as_str).collect();
    figures.extend(["pairs even", "pairs 1½:½", "pairs 2:0"]);
    let head = format!("<th scope=\"col\" class=\"n\">no.</th>{}", heads(&["opening"], &figures));
    let mut text = table("Openings", &head, &rows);
    text += "<p class=\"note\">Openings that were never played are not here. One of which all pairs are \
             even tells no two players apart.</p>\n";
    let more = view.by_opening.len().saturating_sub(OPENINGS_MAX);
    if more > 0 {
        text += &format!("<p class=\"note\">{more} more are left out.</p>\n");
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::super::super::samples::many;
    use super::*;

    /// The cell of two of five players.
    fn check(player: u32, opponent: u32, expected: &str) {
        let view = many(5);
        assert_eq!(cell(&Meetings::of(&view), player, opponent), expected);
    }

    #[test]
    fn a_cell_says_who_took_what() {
        let up = "<td class=\"n up\" style=\"--depth:6%\" title=\"";
        let down = "<td class=\"n down\" style=\"--depth:6%\" title=\"";
        let won =
            "5 won, 1 drawn, 4 lost; the stronger one with 40.0 %\">5½<small>/10</small></td>";
        let lost =
            "4 won, 1 drawn, 5 lost; the stronger one with 60.0 %\">4½<small>/10</small></td>";
        check(0, 1, &format!("{up}{won}"));
        check(1, 0, &format!("{down}{lost}"));
        check(1, 1, "<td class=\"self\">·</td>");
        check(1, 9, "<td></td>");
    }
}
