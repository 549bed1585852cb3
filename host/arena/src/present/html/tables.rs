//! The tables of the page: standings, cross table, seats, openings. Colours only repeat what the
//! text says.

use sandboard_tournament::stats::Tally;

use super::super::lookup::{HeadToHeadIndex, ranked, share};
use super::super::sanitize::{cut, escape_html};
use super::super::{phrases, standings};
use super::{figure, heads, player_head, table, words_of};
use sandboard_arena_plan::{PlayerView, View};

/// The most players in the cross table, whose size is quadratic.
const CROSSTABLE_PLAYERS_MAX: usize = 60;
/// The most openings listed.
const OPENINGS_MAX: usize = 1_000;
/// The most terminal columns of an opening's text.
const OPENING_WIDTH: usize = 200;

pub(super) fn standings(view: &View) -> String {
    let players: Vec<&PlayerView> = ranked(view).collect();
    let columns = standings::table(view, players.clone());
    let mut head = String::new();
    let mut rows = vec![String::new(); players.len()];
    for (i, column) in columns.iter().enumerate() {
        // The names are row headers.
        let is_name = i == 1;
        let title = [escape_html(column.head())];
        let title = title.each_ref().map(String::as_str);
        head += &if is_name { heads(&title, &[]) } else { heads(&[], &title) };
        for ((row, player), cell) in rows.iter_mut().zip(&players).zip(column.cells()) {
            *row +=
                &if is_name { player_head(view, player.number) } else { figure(escape_html(cell)) };
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
        text += &format!("<p class=\"note\">{}</p>\n", escape_html(&note));
    }
    text
}

/// The cross table of three or more players; none if no two have met. With two players the score
/// suffices.
pub(super) fn crosstable(view: &View, results: &HeadToHeadIndex<'_>) -> Option<String> {
    let players: Vec<u32> =
        ranked(view).map(|player| player.number).take(CROSSTABLE_PLAYERS_MAX).collect();
    if players.len() < 3 || view.head_to_head.is_empty() {
        return None;
    }
    let numbers: Vec<String> = (1..=players.len()).map(|number| number.to_string()).collect();
    let numbers: Vec<&str> = numbers.iter().map(String::as_str).collect();
    let mut rows = String::new();
    for (number, player) in numbers.iter().zip(&players) {
        rows += &format!("<tr>{}{}", figure(number), player_head(view, *player));
        rows.extend(players.iter().map(|opponent| cell(results, *player, *opponent)));
        rows += "</tr>\n";
    }
    let head = format!("<th scope=\"col\" class=\"n\">no.</th>{}", heads(&["player"], &numbers));
    let mut text = table("Cross table", &head, &rows);
    text += "<p class=\"note\">Points of the row's player against the column's player, and the number of \
             games. Deeper shades are further from an even score: blue above, orange below.</p>\n";
    let more = view.ranking.len().saturating_sub(CROSSTABLE_PLAYERS_MAX);
    if more > 0 {
        text += &format!("<p class=\"note\">The last {more} by place are left out.</p>\n");
    }
    Some(text)
}

fn cell(results: &HeadToHeadIndex<'_>, player: u32, opponent: u32) -> String {
    if player == opponent {
        return "<td class=\"self\">·</td>".to_owned();
    }
    let Some(meeting) = results.between(player, opponent) else {
        return "<td></td>".to_owned();
    };
    let tally = meeting.games();
    let share = share(&tally).unwrap_or(0.5);
    let side = if share < 0.5 { "down" } else { "up" };
    // A deeper shade would make the text hard to read.
    let depth = 60.0 * (2.0 * share - 1.0).abs();
    let stronger = results.superiority(player, opponent);
    let stronger =
        stronger.map(|likely| format!("; stronger with probability {}", phrases::percent(likely)));
    format!(
        "<td class=\"n {side}\" style=\"--depth:{depth:.0}%\" title=\"{}{}\">{}<small>/{}</small></td>",
        phrases::tally(&tally),
        stronger.unwrap_or_default(),
        phrases::points(tally.half_points()),
        tally.games(),
    )
}

/// The results of each player by seat; none before the first game.
pub(super) fn seats(view: &View) -> Option<String> {
    let places = 0..usize::from(view.seats);
    let sides: Vec<String> =
        places.clone().map(|place| escape_html(&view.place_name(place))).collect();
    // With more than two seats, a column for each figure would be wider than a screen.
    let cells = if view.seats > 2 { seat_cell } else { seat_cells };
    let mut totals = vec![Tally::default(); places.len()];
    let mut rows = String::new();
    for player in ranked(view) {
        rows += &format!("<tr>{}", player_head(view, player.number));
        for (total, seat) in totals.iter_mut().zip(&player.by_seat) {
            *total = total.plus(*seat);
            rows += &cells(seat);
        }
        rows += "</tr>\n";
    }
    if totals.iter().all(|total| total.games() == 0) {
        return None;
    }
    let totals: String = totals.iter().map(cells).collect();
    rows += &format!("<tr class=\"total\"><th scope=\"row\">all</th>{totals}</tr>\n");
    let columns = |side: &String| match view.seats > 2 {
        true => vec![side.clone()],
        false => ["won", "drawn", "lost", "share"].map(|what| format!("{side}: {what}")).to_vec(),
    };
    let head: Vec<String> = sides.iter().flat_map(columns).collect();
    let head: Vec<&str> = head.iter().map(String::as_str).collect();
    let mut text = table("Seats", &heads(&["player"], &head), &rows);
    if view.seats > 2 {
        text += "<p class=\"note\">The share of the points; in brackets won, drawn and lost against \
                 each opponent.</p>\n";
    }
    if let Some(advantage) = &view.first_seat {
        let advantage = phrases::interval(advantage);
        let side = sides.first().map_or("", String::as_str);
        text += &format!("<p>The advantage of the first seat ({side}) is {advantage} Elo.</p>\n");
    }
    Some(text)
}

fn seat_cells(tally: &Tally) -> String {
    let share = share(tally).map_or(phrases::NONE.into(), phrases::percent);
    let counts = [tally.wins, tally.draws, tally.losses];
    counts.map(figure).concat() + &figure(share)
}

/// The share, and won, drawn and lost, in one cell.
fn seat_cell(tally: &Tally) -> String {
    let share = share(tally).map_or(phrases::NONE.into(), phrases::percent);
    let Tally { wins, draws, losses } = tally;
    figure(format!("{share} <small>({wins}, {draws}, {losses})</small>"))
}

/// The results by opening; none if all games began at the start position.
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
    let side = escape_html(&view.sides[0]);
    let head: Vec<String> =
        ["won", "drawn", "lost", "share"].map(|what| format!("{side}: {what}")).to_vec();
    let mut figures: Vec<&str> = head.iter().map(String::as_str).collect();
    figures.extend(["pairs even", "pairs 1½:½", "pairs 2:0"]);
    let head = format!("<th scope=\"col\" class=\"n\">no.</th>{}", heads(&["opening"], &figures));
    let mut text = table("Openings", &head, &rows);
    text += "<p class=\"note\">Openings that were never played are not listed. An opening whose pairs are \
             all even does not distinguish the players.</p>\n";
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
        assert_eq!(cell(&HeadToHeadIndex::of(&view), player, opponent), expected);
    }

    #[test]
    fn cells_of_the_cross_table() {
        let up = "<td class=\"n up\" style=\"--depth:6%\" title=\"";
        let down = "<td class=\"n down\" style=\"--depth:6%\" title=\"";
        let won =
            "5 won, 1 drawn, 4 lost; stronger with probability 40.0 %\">5½<small>/10</small></td>";
        let lost =
            "4 won, 1 drawn, 5 lost; stronger with probability 60.0 %\">4½<small>/10</small></td>";
        check(0, 1, &format!("{up}{won}"));
        check(1, 0, &format!("{down}{lost}"));
        check(1, 1, "<td class=\"self\">·</td>");
        check(1, 9, "<td></td>");
    }

    #[test]
    fn seats_are_four_columns_each_or_one_of_many() {
        let two = seats(&many(2)).unwrap();
        assert!(two.contains(": won</th>") && !two.contains("in brackets"), "{two}");
        let mut view = many(2);
        (view.seats, view.sides) = (4, ["south", "west", "north", "east"].map(Into::into).to_vec());
        let tally = |wins, draws, losses| Tally { wins, draws, losses };
        view.players[0].by_seat =
            vec![tally(1, 1, 0), tally(0, 0, 0), tally(0, 2, 0), tally(1, 0, 3)];
        view.players[1].by_seat = vec![tally(0, 0, 0); 4];
        let four = seats(&view).unwrap();
        assert!(four.contains(">north</th>") && !four.contains(": won"), "{four}");
        for cell in ["75.0 % <small>(1, 1, 0)<", "– <small>(0, 0, 0)<", "25.0 % <small>(1, 0, 3)<"]
        {
            assert!(four.contains(cell), "no {cell} in {four}");
        }
    }
}
