//! The plots of the page. Coordinates are percentages, so that the text keeps its size at any page
//! width. Each plot has a title and a description, and a table or list with the same figures.

use super::super::lookup::{name, player, ranked};
use super::super::phrases;
use super::super::sanitize::{cut, escape_html};
use super::scale::Scale;
use super::{figure, heads, named, table};
use sandboard_arena_plan::{Interval, PlayerView, SprtView, View};

/// The most players with a bar.
const BARS_MAX: usize = 50;
/// The most players with a line: the number of distinguishable colours.
const LINES_MAX: usize = 8;
/// The height of a player's bar, with its name above it, in pixels.
const ROW: usize = 40;
/// The height of the plot of lines, in pixels.
const HEIGHT: f64 = 260.0;
/// Where the lines begin, in percent of the width; the axis labels are to the left.
const EDGE: f64 = 8.0;

/// A bar for each rated player; none without rated players.
pub(super) fn ratings(view: &View) -> Option<String> {
    let rated: Vec<(&PlayerView, &Interval)> = ranked(view)
        .filter_map(|player| Some((player, player.rating.as_ref()?)))
        .take(BARS_MAX)
        .collect();
    if rated.is_empty() {
        return None;
    }
    let ends = |rating: &Interval| [Some(rating.value), rating.low, rating.high];
    let values = rated.iter().flat_map(|(_, rating)| ends(rating)).flatten();
    let scale = Scale::of(values, 20.0);
    let height = ROW * rated.len();
    let desc = "For each player a dot at its rating in Elo, and a line over the 95 % interval. \
                The table of standings has the same figures.";
    let mut drawing = drawing("ratings", "Ratings with 95 % intervals", desc, height + 24);
    for tick in scale.ticks(7, 0.1) {
        let (x, zero) = (scale.position(tick), if tick == 0.0 { " zero" } else { "" });
        drawing += &format!(
            "<line class=\"grid{zero}\" x1=\"{x:.2}%\" x2=\"{x:.2}%\" y1=\"0\" y2=\"{height}\" />\n"
        );
        drawing += &tick_text(x, height + 17, tick);
    }
    for (i, (player, rating)) in rated.iter().enumerate() {
        drawing += &bar(view, player, rating, &scale, i * ROW);
    }
    drawing += "</svg>\n";
    let all = ranked(view).filter(|player| player.rating.is_some()).count();
    if all > rated.len() {
        let more = all - rated.len();
        drawing += &format!("<p class=\"note\">The last {more} by place are left out.</p>\n");
    }
    Some(drawing)
}

/// One player: name and rating, and the bar below them; `top` is in pixels.
fn bar(view: &View, player: &PlayerView, rating: &Interval, scale: &Scale, top: usize) -> String {
    let name = escape_html(&cut(&name(view, player.number), 26));
    let text = phrases::interval(rating);
    let (head, middle) = (top + 14, top + 27);
    let x = scale.position(rating.value);
    let low = scale.position(rating.low.unwrap_or(scale.low()));
    let high = scale.position(rating.high.unwrap_or(scale.high()));
    let mut drawn = format!(
        "<text class=\"who\" x=\"0\" y=\"{head}\">{name}</text>\n\
         <text class=\"value\" x=\"100%\" y=\"{head}\">{text}</text>\n\
         <line class=\"bar\" x1=\"{low:.2}%\" x2=\"{high:.2}%\" y1=\"{middle}\" y2=\"{middle}\" />\n"
    );
    // An unbounded end has no cap.
    for (bound, x) in [(rating.low, low), (rating.high, high)] {
        if bound.is_some() {
            let (from, to) = (middle - 5, middle + 5);
            drawn += &format!(
                "<line class=\"bar\" x1=\"{x:.2}%\" x2=\"{x:.2}%\" y1=\"{from}\" y2=\"{to}\" />\n"
            );
        }
    }
    drawn + &format!("<circle class=\"dot\" cx=\"{x:.2}%\" cy=\"{middle}\" r=\"4.5\" />\n")
}

/// The ratings of the leading players over time; none with fewer than two entries.
pub(super) fn history(view: &View) -> Option<String> {
    let entries = &view.history;
    let at = |entry: usize, player: u32| entries.get(entry)?.ratings.get(player as usize)?.as_ref();
    let has = |player: u32| (0..entries.len()).any(|entry| at(entry, player).is_some());
    let players: Vec<u32> = ranked(view)
        .map(|player| player.number)
        .filter(|player| has(*player))
        .take(LINES_MAX)
        .collect();
    let (first, last) = (entries.first()?, entries.last()?);
    if players.is_empty() || entries.len() < 2 {
        return None;
    }
    let across = Scale::between(first.pairs.into(), last.pairs.into());
    let values = |of: fn(&Interval) -> Option<f64>| {
        let all = players.iter().flat_map(|player| (0..entries.len()).map(|m| at(m, *player)));
        all.flatten().filter_map(of).collect::<Vec<f64>>()
    };
    let up = Scale::of(values(|rating| Some(rating.value)).into_iter(), 20.0);
    let desc = "A line for each player: its rating in Elo by the number of pairs. The table below \
                it has the same figures.";
    let mut plot = drawing("history", "Ratings by pairs counted", desc, HEIGHT as usize + 24);
    for tick in up.ticks(8, 0.1) {
        let y = HEIGHT * (100.0 - up.position(tick)) / 100.0;
        let zero = if tick == 0.0 { " zero" } else { "" };
        plot += &format!(
            "<line class=\"grid{zero}\" x1=\"{EDGE}%\" x2=\"100%\" y1=\"{y:.1}\" y2=\"{y:.1}\" />\n\
             <text class=\"tick right\" x=\"{}%\" y=\"{:.1}\">{}</text>\n",
            EDGE - 1.0,
            y + 4.0,
            number(tick),
        );
    }
    for tick in across.ticks(6, 1.0) {
        let x = EDGE + across.position(tick) * (100.0 - EDGE) / 100.0;
        plot += &tick_text(x, HEIGHT as usize + 17, tick);
    }
    plot += &format!(
        "<svg x=\"{EDGE}%\" y=\"0\" width=\"{}%\" height=\"{HEIGHT}\" viewBox=\"0 0 100 100\" \
         preserveAspectRatio=\"none\" overflow=\"visible\">\n",
        100.0 - EDGE,
    );
    for (line, player) in players.iter().enumerate() {
        let points = (0..entries.len()).map(|entry| {
            let rating = at(entry, *player)?;
            Some((
                across.position(entries.get(entry)?.pairs.into()),
                100.0 - up.position(rating.value),
            ))
        });
        plot += &format!("<path class=\"line line{line}\" d=\"{}\" />\n", path(points));
    }
    plot += "</svg>\n</svg>\n";
    plot += &legend(view, &players);
    let more = ranked(view).filter(|player| has(player.number)).count() - players.len();
    if more > 0 {
        plot += &format!(
            "<p class=\"note\">The first {LINES_MAX} by place; {more} are left out.</p>\n"
        );
    }
    Some(plot + &entries_table(view, &players))
}

/// A line through the points, interrupted at missing ones. An isolated point is a dot.
fn path(points: impl Iterator<Item = Option<(f64, f64)>>) -> String {
    let mut path = String::new();
    let mut drawn = false;
    for point in points {
        match point {
            Some((x, y)) if drawn => path += &format!(" L{x:.2} {y:.2}"),
            Some((x, y)) => path += &format!(" M{x:.2} {y:.2}h0"),
            None => {}
        }
        drawn = point.is_some();
    }
    path.trim_start().to_owned()
}

fn legend(view: &View, players: &[u32]) -> String {
    let mut list = String::from("<ul class=\"legend\">\n");
    for (line, number) in players.iter().enumerate() {
        let rating = player(view, *number).and_then(|player| player.rating.as_ref());
        let rating =
            rating.map_or(String::new(), |rating| format!(" {}", phrases::interval(rating)));
        list += &format!(
            "<li><svg width=\"34\" height=\"10\" aria-hidden=\"true\"><line class=\"line line{line}\" \
             x1=\"1\" x2=\"33\" y1=\"5\" y2=\"5\" /></svg> {}{rating}</li>\n",
            named(view, *number)
        );
    }
    list + "</ul>\n"
}

fn entries_table(view: &View, players: &[u32]) -> String {
    let names: Vec<String> = players.iter().map(|player| named(view, *player)).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let head = format!("<th scope=\"col\" class=\"n\">pairs</th>{}", heads(&[], &names));
    let mut rows = String::new();
    for entry in &view.history {
        rows += &format!("<tr>{}", figure(entry.pairs));
        for player in players {
            let rating = entry.ratings.get(*player as usize).and_then(Option::as_ref);
            rows += &figure(rating.map_or(phrases::NONE.into(), phrases::interval));
        }
        rows += "</tr>\n";
    }
    let table = table("Ratings by pairs counted", &head, &rows);
    format!("<details><summary>As a table</summary>\n{table}</details>\n")
}

/// The statistic of a test between its bounds.
pub(super) fn test(sprt: &SprtView) -> String {
    let scale = Scale::of([sprt.lower, sprt.upper, sprt.llr].into_iter(), 1.0);
    let [lower, upper, llr, zero] =
        [sprt.lower, sprt.upper, sprt.llr, 0.0].map(|value| scale.position(value));
    let desc = "A line from the lower to the upper bound of the test, and a dot at the statistic.";
    let mut plot = drawing("test", "The test between its bounds", desc, 44);
    plot += &format!(
        "<line class=\"bar\" x1=\"{lower:.2}%\" x2=\"{upper:.2}%\" y1=\"14\" y2=\"14\" />\n\
         <line class=\"bar\" x1=\"{zero:.2}%\" x2=\"{zero:.2}%\" y1=\"10\" y2=\"18\" />\n"
    );
    for (x, elo) in [(lower, sprt.elo0), (upper, sprt.elo1)] {
        plot += &format!(
            "<line class=\"bar\" x1=\"{x:.2}%\" x2=\"{x:.2}%\" y1=\"5\" y2=\"23\" />\n\
             <text class=\"tick{}\" x=\"{x:.2}%\" y=\"39\">{} {}</text>\n",
            edge(x),
            phrases::signed(elo),
            phrases::model(sprt.model),
        );
    }
    plot + &format!("<circle class=\"dot\" cx=\"{llr:.2}%\" cy=\"14\" r=\"6\" />\n</svg>\n")
}

/// The start of a plot as wide as the page.
fn drawing(id: &str, title: &str, desc: &str, height: usize) -> String {
    format!(
        "<svg class=\"plot\" role=\"img\" aria-labelledby=\"{id}-plot-title {id}-plot-desc\" \
         width=\"100%\" height=\"{height}\">\n<title id=\"{id}-plot-title\">{title}</title>\n\
         <desc id=\"{id}-plot-desc\">{desc}</desc>\n"
    )
}

fn tick_text(x: f64, y: usize, tick: f64) -> String {
    format!("<text class=\"tick{}\" x=\"{x:.2}%\" y=\"{y}\">{}</text>\n", edge(x), number(tick))
}

/// The alignment that keeps a label at the edge within the plot.
fn edge(x: f64) -> &'static str {
    match x {
        x if x < 3.0 => " left",
        x if x > 97.0 => " right",
        _ => "",
    }
}

/// A round value: `−50`, `0`, `0.5`.
fn number(value: f64) -> String {
    let text = format!("{:.1}", value.abs());
    let text = text.trim_end_matches(".0");
    if value < 0.0 && text != "0" { format!("−{text}") } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_interrupted_at_missing_points() {
        let check = |points: &[Option<(f64, f64)>], expected: &str| {
            assert_eq!(path(points.iter().copied()), expected, "{points:?}");
        };
        let (a, b, c) = (Some((0.0, 50.0)), Some((10.0, 40.0)), Some((20.0, 45.5)));
        check(&[a, b, c], "M0.00 50.00h0 L10.00 40.00 L20.00 45.50");
        check(&[a, None, c], "M0.00 50.00h0 M20.00 45.50h0");
        check(&[None, b, c], "M10.00 40.00h0 L20.00 45.50");
        check(&[None, None], "");
    }
}
