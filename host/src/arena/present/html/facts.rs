//! What the page says in lists: score and test of two players, faults, and all that a reader needs to play
//! the arena again.

use sandboard_forge::run::quoted;
use serde_json::Value;

use super::super::lookup::{games_of, player};
use super::super::shown::{escaped, visible};
use super::super::words;
use super::plots::test;
use super::{figure, heads, named, share_between, table, terms, who, words_of};
use crate::arena::view::{Duel, View};

pub(super) fn duel(view: &View, duel: &Duel) -> String {
    let tally = player(view, 0).map(games_of).unwrap_or_default();
    let [a, b] = [0, 1].map(|number| named(view, number));
    if tally.games() == 0 {
        return format!("<p>{a} has not played {b} yet.</p>\n");
    }
    let (points, games) = (words::points(tally.half_points()), tally.games());
    let percent = words::percent(duel.score.value);
    let between = share_between(duel).map(|text| format!(", {text}")).unwrap_or_default();
    let pairs = words::PAIR_POINTS.iter().zip(duel.pairs);
    let pairs: Vec<String> =
        pairs.map(|(points, number)| format!("{points} points {number}×")).collect();
    let mut list = vec![
        ("Score", format!("{a} <strong>{points}</strong> of {games} against {b}")),
        ("Share", format!("{percent}{between}")),
        ("Games", words::tally(&tally)),
        ("Pairs", pairs.join(", ")),
        ("Elo", format!("<strong>{}</strong> with 95 % confidence", words::elo(duel))),
    ];
    if let Some(superiority) = duel.superiority {
        let percent = words::percent(superiority);
        list.push(("LOS", format!("{percent}: how likely {a} is the stronger one")));
    }
    if let Some(normalized) = &duel.normalized {
        list.push(("Normalised Elo", words::interval(normalized)));
    }
    let Some(sprt) = &duel.sprt else { return terms(&list) };
    list.push(("Test (SPRT)", words::question(sprt)));
    list.push(("It says", format!("<strong>{}</strong>", words::verdict(sprt))));
    list.push(("From", words::llr(sprt)));
    terms(&list) + &test(sprt)
}

pub(super) fn faults(view: &View) -> String {
    let Some(first) = view.faults.first() else {
        return "<p>None.</p>\n".to_owned();
    };
    let mut rows = String::new();
    for fault in &view.faults {
        rows += &format!("<tr>{}{}", who(view, fault.player), words_of(&fault.code));
        rows += &words_of(&fault.first);
        rows += &words_of(&fault.sentence);
        rows += &figure(fault.at_ply);
        rows += &figure(fault.games);
        rows += "</tr>\n";
    }
    let head = heads(&["player", "kind", "first in", "how it ended"], &["after moves", "games"]);
    let [folder, game] = [&view.name, &first.first].map(|word| escaped(&quoted(word)));
    let command = format!("<code>sandboard arena game {folder} {game}</code>");
    table("Faults", &head, &rows)
        + &format!(
            "<p class=\"note\">Beside the arena's folder, a game is shown by {command}.</p>\n"
        )
}

pub(super) fn setup(view: &View) -> String {
    let code = |text: &str| format!("<code>{}</code>", escaped(text));
    let mut list = vec![
        ("Arena", code(&view.id)),
        ("Begun", escaped(&view.created_at)),
        ("Game", format!("{} {}", escaped(&view.game), escaped(&view.variant))),
        ("Format", escaped(&words::format(&view.format))),
        ("Seed", code(&view.seed.to_string())),
    ];
    match &view.openings {
        None => list.push(("Openings", "no file".to_owned())),
        Some(openings) => {
            let file = escaped(&openings.file);
            let count = words::count(openings.count.into(), "opening");
            list.push(("Openings", format!("<bdi>{file}</bdi>, {count}")));
            list.push(("SHA-256 of openings", code(&openings.sha256)));
        }
    }
    let mut text = terms(&list) + "<h3>Players</h3>\n";
    let mut rows = String::new();
    for player in &view.players {
        rows += &format!("<tr>{}", who(view, player.number));
        rows += &words_of(&player.engine);
        rows += &words_of(&player.version);
        let options: Vec<String> =
            player.options.iter().map(|(name, value)| format!("{name}={value}")).collect();
        rows += &words_of(
            if options.is_empty() { words::NONE.to_owned() } else { options.join(" ") }.as_str(),
        );
        rows += &words_of(&player.budget);
        rows += &format!("<td class=\"hash\">{}</td></tr>\n", code(&player.module_sha256));
    }
    let head =
        heads(&["player", "engine", "version", "options", "budget", "SHA-256 of module"], &[]);
    text += &table("Players", &head, &rows);
    text += "<h3>Rules of the games that are not the game's</h3>\n";
    text + &settings(view)
}

/// The settings as their JSON names them, so that none is forgotten.
fn settings(view: &View) -> String {
    let mut list = Vec::new();
    flatten("", &serde_json::to_value(view.settings).unwrap_or_default(), &mut list);
    let rows: String = list
        .iter()
        .map(|(name, value)| {
            format!("<tr><th scope=\"row\">{}</th>{}</tr>\n", escaped(name), words_of(value))
        })
        .collect();
    table("Rules of the games", &heads(&["setting", "value"], &[]), &rows)
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
        Value::Null => list.push((path.to_owned(), words::NONE.to_owned())),
        Value::String(text) => list.push((path.to_owned(), visible(text))),
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
