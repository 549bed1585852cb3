//! The parts of the page that are lists: score and test of two players, faults, and the setup,
//! which suffices to replay the arena.

use sandboard_builder::command::shell_quote;
use serde_json::Value;

use super::super::lookup::{games_of, player};
use super::super::phrases;
use super::super::sanitize::{escape_html, sanitize};
use super::plots::test;
use super::{figure, heads, named, player_head, score_interval, table, terms, words_of};
use sandboard_arena_plan::{MatchStatistics, View};

pub(super) fn match_statistics(view: &View, stats: &MatchStatistics) -> String {
    let tally = player(view, 0).map(games_of).unwrap_or_default();
    let [a, b] = [0, 1].map(|number| named(view, number));
    if tally.games() == 0 {
        return format!("<p>{a} has not played {b} yet.</p>\n");
    }
    let (points, games) = (phrases::points(tally.half_points()), tally.games());
    let percent = phrases::percent(stats.score.value);
    let between = score_interval(stats).map(|text| format!(", {text}")).unwrap_or_default();
    let pairs = phrases::PAIR_POINTS.iter().zip(stats.pairs);
    let pairs: Vec<String> =
        pairs.map(|(points, number)| format!("{points} points {number}×")).collect();
    let mut list = vec![
        ("Score", format!("{a} <strong>{points}</strong> of {games} against {b}")),
        ("Share", format!("{percent}{between}")),
        ("Games", phrases::tally(&tally)),
        ("Pairs", pairs.join(", ")),
        ("Elo", format!("<strong>{}</strong> with 95 % confidence", phrases::elo(stats))),
    ];
    if let Some(superiority) = stats.superiority {
        let percent = phrases::percent(superiority);
        list.push(("LOS", format!("{percent}: the probability that {a} is stronger")));
    }
    if let Some(normalized) = &stats.normalized {
        list.push(("Normalised Elo", phrases::interval(normalized)));
    }
    let Some(sprt) = &stats.sprt else { return terms(&list) };
    list.push(("Test (SPRT)", phrases::hypotheses(sprt)));
    list.push(("Verdict", format!("<strong>{}</strong>", phrases::verdict(sprt))));
    list.push(("Statistic", phrases::llr(sprt)));
    terms(&list) + &test(sprt)
}

pub(super) fn faults(view: &View) -> String {
    let Some(first) = view.faults.first() else {
        return "<p>None.</p>\n".to_owned();
    };
    let mut rows = String::new();
    for fault in &view.faults {
        rows += &format!("<tr>{}{}", player_head(view, fault.player), words_of(&fault.code));
        rows += &words_of(&fault.first);
        rows += &words_of(&fault.sentence);
        rows += &figure(fault.at_ply);
        rows += &figure(fault.games);
        rows += "</tr>\n";
    }
    let head = heads(&["player", "kind", "first in", "how it ended"], &["after moves", "games"]);
    let [folder, game] = [&view.name, &first.first].map(|word| escape_html(&shell_quote(word)));
    let command = format!("<code>sandboard arena game {folder} {game}</code>");
    table("Faults", &head, &rows)
        + &format!(
            "<p class=\"note\">To show a game, run in the folder that contains the arena: \
             {command}.</p>\n"
        )
}

pub(super) fn setup(view: &View) -> String {
    let code = |text: &str| format!("<code>{}</code>", escape_html(text));
    let mut list = vec![
        ("Arena", code(&view.id)),
        ("Created", escape_html(&view.created_at)),
        ("Game", format!("{} {}", escape_html(&view.game), escape_html(&view.variant))),
        ("Format", escape_html(&phrases::format(&view.format, view.seats))),
        ("Seed", code(&view.seed.to_string())),
    ];
    match &view.openings {
        None => list.push(("Openings", "no file".to_owned())),
        Some(openings) => {
            let file = escape_html(&openings.file);
            let count = phrases::count(openings.count.into(), "opening");
            list.push(("Openings", format!("<bdi>{file}</bdi>, {count}")));
            list.push(("SHA-256 of openings", code(&openings.sha256)));
        }
    }
    let mut text = terms(&list) + "<h3>Players</h3>\n";
    let mut rows = String::new();
    for player in &view.players {
        rows += &format!("<tr>{}", player_head(view, player.number));
        rows += &words_of(&player.engine);
        rows += &words_of(&player.version);
        let options: Vec<String> =
            player.options.iter().map(|(name, value)| format!("{name}={value}")).collect();
        rows += &words_of(
            if options.is_empty() { phrases::NONE.to_owned() } else { options.join(" ") }.as_str(),
        );
        rows += &words_of(&player.budget);
        rows += &format!("<td class=\"hash\">{}</td></tr>\n", code(&player.module_sha256));
    }
    let head =
        heads(&["player", "engine", "version", "options", "budget", "SHA-256 of module"], &[]);
    text += &table("Players", &head, &rows);
    text += "<h3>Bout settings</h3>\n";
    text + &settings(view)
}

/// The settings with the names of their JSON, so that none is missing.
fn settings(view: &View) -> String {
    let mut list = Vec::new();
    flatten("", &serde_json::to_value(view.settings).unwrap_or_default(), &mut list);
    let rows: String = list
        .iter()
        .map(|(name, value)| {
            format!("<tr><th scope=\"row\">{}</th>{}</tr>\n", escape_html(name), words_of(value))
        })
        .collect();
    table("Bout settings", &heads(&["setting", "value"], &[]), &rows)
}

/// The values of a JSON object by their paths: `grace.us`.
fn flatten(path: &str, value: &Value, list: &mut Vec<(String, String)>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                flatten(&path, value, list);
            }
        }
        Value::Null => list.push((path.to_owned(), phrases::NONE.to_owned())),
        Value::String(text) => list.push((path.to_owned(), sanitize(text))),
        value => list.push((path.to_owned(), value.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_by_their_paths() {
        let mut list = Vec::new();
        let value =
            serde_json::json!({"a": {"b": {"c": 1}, "d": null}, "e": "x\u{202e}", "f": [1]});
        flatten("", &value, &mut list);
        let list: Vec<String> =
            list.iter().map(|(path, value)| format!("{path}={value}")).collect();
        assert_eq!(list, ["a.b.c=1", "a.d=–", "e=x\\u{202e}", "f=[1]"]);
    }
}
