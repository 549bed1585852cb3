//! Renders an arena as one self-contained HTML page: no scripts, no external resources, and a
//! content security policy that forbids both. The page is well-formed XML, too. It is written as a
//! stream; only the listed games are held in memory.

mod facts;
mod games;
mod plots;
mod scale;
mod tables;

use std::io::{self, Write};

use super::lookup::{HeadToHeadIndex, name};
use super::phrases;
use super::sanitize::escape_html;
use facts::{faults, match_statistics, setup};
use games::listed;
use plots::{history, ratings};
use sandboard_arena_plan::{GameRow, MatchStatistics, View};
use tables::{crosstable, openings, seats, standings};

/// The most games listed: the latest ones.
pub const GAMES_LISTED_MAX: usize = 1_000;

/// Writes the page. `games` must be in the order of the schedule. `out` should be buffered, since
/// the page is written in small pieces.
pub fn html(
    view: &View,
    games: &mut dyn Iterator<Item = GameRow>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let results = HeadToHeadIndex::of(view);
    let sections = [
        (
            "match",
            "Score and test",
            view.match_statistics.as_ref().map(|stats| match_statistics(view, stats)),
        ),
        ("standings", "Standings", Some(standings(view))),
        ("ratings", "Ratings", ratings(view)),
        ("history", "Ratings over time", history(view)),
        ("crosstable", "Cross table", crosstable(view, &results)),
        ("seats", "Seats", seats(view)),
        ("openings", "Openings", openings(view)),
        ("faults", "Faults", Some(faults(view))),
        ("setup", "Setup", Some(setup(view))),
    ];
    let there = sections.iter().filter(|(.., body)| body.is_some());
    let titles: Vec<(&str, &str)> =
        there.map(|(id, title, _)| (*id, *title)).chain([("games", "Games")]).collect();
    head(view, &titles, out)?;
    for (id, title, body) in &sections {
        if let Some(body) = body {
            writeln!(out, "{}{body}</section>", section(id, title))?;
        }
    }
    writeln!(out, "{}", section("games", "Games"))?;
    listed(view, games, out)?;
    out.write_all(b"</section>\n</main>\n")?;
    let version = env!("CARGO_PKG_VERSION");
    writeln!(out, "<footer><p>Written by Sandboard {version}.</p></footer>\n</body>\n</html>")
}

fn head(view: &View, sections: &[(&str, &str)], out: &mut dyn Write) -> io::Result<()> {
    let [title, game, variant] =
        [&view.name, &view.game, &view.variant].map(|text| escape_html(text));
    let style = include_str!("html/report.css");
    writeln!(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\" />\n\
         <meta name=\"generator\" content=\"Sandboard\" />\n\
         <meta http-equiv=\"Content-Security-Policy\" \
         content=\"default-src 'none'; style-src 'unsafe-inline'\" />\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\" />\n\
         <meta name=\"color-scheme\" content=\"light dark\" />\n\
         <title>{title}: {game} {variant}</title>\n<style>\n{style}</style>\n</head>\n<body>"
    )?;
    let (format, progress) =
        (escape_html(&phrases::format(&view.format, view.seats)), phrases::progress(view));
    let speed =
        phrases::speed(&view.progress).map(|speed| format!("; {speed}")).unwrap_or_default();
    writeln!(
        out,
        "<header>\n<h1><bdi>{title}</bdi></h1>\n<p class=\"lead\">{game} {variant}, {format}</p>\n\
         <p>{progress}{speed}</p>"
    )?;
    let links = sections.iter().map(|(id, title)| format!("<a href=\"#{id}\">{title}</a>"));
    let links = links.collect::<Vec<_>>().join("\n");
    writeln!(out, "<nav aria-label=\"Parts of this page\">\n{links}\n</nav>\n</header>\n<main>")
}

fn section(id: &str, title: &str) -> String {
    format!(
        "<section id=\"{id}\" aria-labelledby=\"{id}-title\">\n<h2 id=\"{id}-title\">{title}</h2>\n"
    )
}

/// A table that scrolls sideways if it is wider than the page; `head` has the cells of its first
/// row.
fn table(label: &str, head: &str, rows: &str) -> String {
    format!("{}{rows}{TABLE_END}", table_start(label, head))
}

fn table_start(label: &str, head: &str) -> String {
    format!(
        "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"{label}\">\n\
         <table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n"
    )
}

const TABLE_END: &str = "</tbody>\n</table>\n</div>\n";

/// Heads of columns; those of figures are aligned right.
fn heads(words: &[&str], figures: &[&str]) -> String {
    let words = words.iter().map(|head| format!("<th scope=\"col\">{head}</th>"));
    let figures = figures.iter().map(|head| format!("<th scope=\"col\" class=\"n\">{head}</th>"));
    words.chain(figures).collect()
}

/// A cell with a figure, which needs no escaping.
fn figure(text: impl std::fmt::Display) -> String {
    format!("<td class=\"n\">{text}</td>")
}

/// A cell with an untrusted text.
fn words_of(text: &str) -> String {
    format!("<td class=\"t\"><bdi>{}</bdi></td>", escape_html(text))
}

/// A row head with the name of a player.
fn player_head(view: &View, player: u32) -> String {
    format!("<th scope=\"row\"><bdi>{}</bdi></th>", escape_html(&name(view, player)))
}

/// The name of a player for use in a text.
fn named(view: &View, player: u32) -> String {
    format!("<bdi>{}</bdi>", escape_html(&name(view, player)))
}

/// A list of terms and descriptions. The descriptions are HTML.
fn terms(terms: &[(&str, String)]) -> String {
    let mut list = String::from("<dl>\n");
    for (term, text) in terms {
        list += &format!("<div><dt>{}</dt><dd>{text}</dd></div>\n", escape_html(term));
    }
    list + "</dl>\n"
}

/// The confidence interval of the score, in percent.
fn score_interval(stats: &MatchStatistics) -> Option<String> {
    let (low, high) = (stats.score.low?, stats.score.high?);
    Some(format!("{:.1} to {} with 95 % confidence", 100.0 * low, phrases::percent(high)))
}

#[cfg(test)]
mod tests;
