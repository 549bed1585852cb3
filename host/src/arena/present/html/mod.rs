//! An arena as one page that can be read anywhere, printed and kept: no script, nothing from elsewhere, and
//! a policy in its head that forbids both. It is well-formed as XML, too. Written as it comes: of the games
//! only the listed ones are held.

mod facts;
mod games;
mod plots;
mod scale;
mod tables;

use std::io::{self, Write};

use super::lookup::{Meetings, name};
use super::shown::escaped;
use super::words;
use crate::arena::view::{Duel, GameRow, View};
use facts::{duel, faults, setup};
use games::listed;
use plots::{history, ratings};
use tables::{crosstable, openings, seats, standings};

/// So many games are listed at most: the last ones that come.
pub const GAMES_LISTED_MAX: usize = 1_000;

/// Writes the page. The games come in the order of the schedule. `out` is written to in small pieces, and
/// is best a buffer; fails where that does.
pub fn html(
    view: &View,
    games: &mut dyn Iterator<Item = GameRow>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let meetings = Meetings::of(view);
    let sections = [
        ("duel", "Score and test", view.duel.as_ref().map(|told| duel(view, told))),
        ("standings", "Standings", Some(standings(view))),
        ("ratings", "Ratings", ratings(view)),
        ("history", "Ratings over time", history(view)),
        ("crosstable", "Who took what of whom", crosstable(view, &meetings)),
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
    let [title, game, variant] = [&view.name, &view.game, &view.variant].map(|text| escaped(text));
    let style = include_str!("report.css");
    writeln!(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\" />\n\
         <meta http-equiv=\"Content-Security-Policy\" \
         content=\"default-src 'none'; style-src 'unsafe-inline'\" />\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\" />\n\
         <meta name=\"color-scheme\" content=\"light dark\" />\n\
         <title>{title}: {game} {variant}</title>\n<style>\n{style}</style>\n</head>\n<body>"
    )?;
    let (format, progress) = (escaped(&words::format(&view.format)), words::progress(view));
    let speed = words::speed(&view.progress).map(|speed| format!("; {speed}")).unwrap_or_default();
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

/// A table that can be moved aside where it is wider than the page; `head` is the cells of its first row.
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

/// Heads of columns: those of figures stand at the right.
fn heads(words: &[&str], figures: &[&str]) -> String {
    let words = words.iter().map(|head| format!("<th scope=\"col\">{head}</th>"));
    let figures = figures.iter().map(|head| format!("<th scope=\"col\" class=\"n\">{head}</th>"));
    words.chain(figures).collect()
}

/// A cell of a figure, which is no text of others.
fn figure(text: impl std::fmt::Display) -> String {
    format!("<td class=\"n\">{text}</td>")
}

/// A cell of a text of others.
fn words_of(text: &str) -> String {
    format!("<td class=\"t\"><bdi>{}</bdi></td>", escaped(text))
}

/// The name of a player as the head of a row.
fn who(view: &View, player: u32) -> String {
    format!("<th scope=\"row\"><bdi>{}</bdi></th>", escaped(&name(view, player)))
}

/// The name of a player within a text.
fn named(view: &View, player: u32) -> String {
    format!("<bdi>{}</bdi>", escaped(&name(view, player)))
}

/// Pairs of a term and what it is, in a list. The second is HTML.
fn terms(terms: &[(&str, String)]) -> String {
    let mut list = String::from("<dl>\n");
    for (term, text) in terms {
        list += &format!("<div><dt>{}</dt><dd>{text}</dd></div>\n", escaped(term));
    }
    list + "</dl>\n"
}

/// The interval of the score, as percents.
fn share_between(duel: &Duel) -> Option<String> {
    let (low, high) = (duel.score.low?, duel.score.high?);
    Some(format!("{:.1} to {} with 95 % confidence", 100.0 * low, words::percent(high)))
}
