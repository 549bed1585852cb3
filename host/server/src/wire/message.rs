//! Texts for people as codes with parameters. The texts come from tables of templates
//! ([`TABLES`]), many of them by way of engines, records and stores, which keep texts only. So code
//! and parameters are found by matching the text with the templates; a text that none of them
//! gives, such as that of a plugged-in game, has no code.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use sandboard_bout::referee::BoutResult;
use serde::Serialize;
use utoipa::ToSchema;

use crate::messages::TABLES;

/// How deep messages are nested: a result, its cause, a refusal, and what it names.
const DEPTH_MAX: usize = 4;
/// Longer texts have no code.
const TEXT_BYTES_MAX: usize = 4096;

/// A text for people, as a code and parameters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct Message {
    /// The code, which does not change when the English text does.
    code: &'static str,
    /// The parameters by name: texts, or messages again.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[schema(value_type = Object)]
    params: BTreeMap<&'static str, Param>,
    /// The English text.
    text: String,
}

/// The value of a parameter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
enum Param {
    Message(Box<Message>),
    Text(String),
}

impl Message {
    /// Returns the message with this text; none: the text has no code.
    pub(crate) fn of(text: &str) -> Option<Self> {
        Self::at_depth(text, DEPTH_MAX)
    }

    fn at_depth(text: &str, depth: usize) -> Option<Self> {
        if text.len() > TEXT_BYTES_MAX || depth == 0 {
            return None;
        }
        let (template, values) =
            TEMPLATES.iter().find_map(|it| it.values_in(text).map(|values| (it, values)))?;
        let param = |value: &str| match Self::at_depth(value, depth - 1) {
            Some(message) => Param::Message(Box::new(message)),
            None => Param::Text(value.to_owned()),
        };
        let params = template.params().zip(values).map(|(name, value)| (name, param(value)));
        Some(Self { code: &template.code, params: params.collect(), text: text.to_owned() })
    }
}

/// Returns the message of a log entry. What engines print has no code.
pub(crate) fn log_message(kind: &str, text: &str) -> Option<Message> {
    (kind != "engine").then(|| Message::of(text)).flatten()
}

/// The result of a bout, with its sentence as code and parameters.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct ResultView {
    #[serde(flatten)]
    result: BoutResult,
    message: Option<Message>,
}

impl From<BoutResult> for ResultView {
    fn from(result: BoutResult) -> Self {
        Self { message: Message::of(&result.sentence), result }
    }
}

/// A template, taken apart.
struct Template {
    code: String,
    /// What is before the first parameter.
    start: &'static str,
    /// The parameters, each with the text that follows it.
    parts: Vec<(&'static str, &'static str)>,
    literal_bytes: usize,
}

/// All templates. Those with more literal text come first: they say more about a text.
static TEMPLATES: LazyLock<Vec<Template>> = LazyLock::new(|| {
    let rows = TABLES.into_iter().flatten();
    let mut templates: Vec<_> =
        rows.map(|row| Template::new(row.code.to_ascii_lowercase(), row.template)).collect();
    templates.sort_by_key(|it| std::cmp::Reverse(it.literal_bytes));
    templates
});

impl Template {
    fn new(code: String, text: &'static str) -> Self {
        let mut pieces = text.split('{');
        let start = pieces.next().unwrap_or_default();
        let parts: Vec<_> = pieces.filter_map(|piece| piece.split_once('}')).collect();
        let literal_bytes =
            start.len() + parts.iter().map(|(_, literal)| literal.len()).sum::<usize>();
        Self { code, start, parts, literal_bytes }
    }

    fn params(&self) -> impl Iterator<Item = &'static str> {
        self.parts.iter().map(|(name, _)| *name)
    }

    /// Returns the values of the parameters with which the template gives this text.
    fn values_in<'a>(&self, text: &'a str) -> Option<Vec<&'a str>> {
        let rest = text.strip_prefix(self.start)?;
        let mut values = Vec::with_capacity(self.parts.len());
        match_parts(&self.parts, rest, &mut values).then_some(values)
    }
}

/// Matches a text with the rest of a template: the shortest values, none of them empty.
fn match_parts<'a>(parts: &[(&str, &str)], text: &'a str, values: &mut Vec<&'a str>) -> bool {
    let Some(((name, literal), later)) = parts.split_first() else { return text.is_empty() };
    // The name of a player may have brackets, that of a side has none.
    let fits = |value: &str| *name != "side" || !value.contains(['(', ')']);
    if later.is_empty() {
        let value = text.strip_suffix(literal).filter(|it| !it.is_empty() && fits(it));
        values.extend(value);
        return value.is_some();
    }
    for (at, _) in text.match_indices(literal).filter(|(at, _)| *at > 0) {
        if !fits(&text[..at]) {
            break;
        }
        values.push(&text[..at]);
        if match_parts(later, &text[at + literal.len()..], values) {
            return true;
        }
        values.pop();
    }
    false
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use sandboard_bout::start::StartPosition;
    use serde_json::{Value, json};

    use super::*;

    fn params_of(text: &str) -> Value {
        fn plain(param: &Param) -> Value {
            match param {
                Param::Text(text) => json!(text),
                Param::Message(message) => json!([message.code, params(message)]),
            }
        }
        fn params(message: &Message) -> Value {
            message.params.iter().map(|(name, value)| (name.to_string(), plain(value))).collect()
        }
        Message::of(text).map_or(Value::Null, |message| json!([message.code, params(&message)]))
    }

    #[test]
    fn texts_have_codes_and_parameters() {
        let check = |text: &str, expected: Value| assert_eq!(params_of(text), expected, "{text}");
        let on_h8 = json!(["stone_on_point", { "color": "black", "point": "h8" }]);
        check("a black stone is on h8", on_h8.clone());
        check("a black stone is on", Value::Null);
        check("checkmate", json!(["checkmate", {}]));
        check("checkmate!", Value::Null);
        check(
            "the game is over: checkmate",
            json!(["game_is_over", { "rule": ["checkmate", {}] }]),
        );
        check(
            "the game is over: a fine attack",
            json!(["game_is_over", { "rule": "a fine attack" }]),
        );
        let sentence = "Ada (black) loses: the move `h8` is illegal: a black stone is on h8";
        let illegal = json!(["illegal_move", { "mv": "h8", "reason": on_h8 }]);
        check(sentence, json!(["lost", { "player": "Ada", "side": "black", "reason": illegal }]));
        let spent = json!(["took_too_long", { "spent": "1.5s", "allowed": "1s" }]);
        let late = json!(["lost_on_time", { "player": "Bo (2)", "side": "white", "how": spent }]);
        check("Bo (2) (white) loses on time: it took 1.5s and was allowed 1s", late);
        let cpu = json!(["took_too_much_cpu", { "spent": "1.5s", "allowed": "1s" }]);
        check("took 1.5s and was allowed 1s of CPU time", cpu);
        let crash = json!(["gave_up", { "text": "index 9" }]);
        let lost = json!(["lost_by_fault", { "player": "Ada", "side": "red", "fault": crash }]);
        check("Ada (red) loses: it gave up: index 9", lost);
        check("", Value::Null);
    }

    /// The rules write these sentences themselves, without the rows of a table.
    #[test]
    fn errors_of_a_setup_have_codes() {
        let info = sandboard_games::Games::default().find("gomoku").unwrap();
        let set_up = |position: &str| (info.new)(&info.default_variant(), Some(position));
        let check = |text: String, code: &str| {
            let found = Message::of(&text).map(|message| message.code);
            assert_eq!(found, Some(code), "{text}");
        };
        check(info.variant("sideways").unwrap_err().to_string(), "no_variant");
        check(set_up("no position").err().unwrap().to_string(), "not_a_position");
        let start = StartPosition::new(info, info.default_variant(), None);
        let moves = ["h8", "h8"].map(String::from).to_vec();
        let illegal = StartPosition { moves, ..start }.set_up();
        check(illegal.err().unwrap().to_string(), "move_before_start");
        let mut game = (info.new)(&info.default_variant(), None).unwrap();
        game.play("h8").unwrap();
        check(game.play("h8").unwrap_err().to_string(), "move_refused");
    }

    #[test]
    fn every_row_gives_its_own_code_and_parameters() {
        let mut codes = BTreeSet::new();
        for row in TABLES.into_iter().flatten() {
            let template = Template::new(row.code.to_ascii_lowercase(), row.template);
            let names: Vec<_> = template.params().collect();
            let text = names.iter().fold(row.template.to_owned(), |text, name| {
                text.replace(&format!("{{{name}}}"), &format!("<{name}>"))
            });
            let expected = names.iter().map(|name| (*name, Param::Text(format!("<{name}>"))));
            let found = Message::of(&text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!((found.code, found.params), (&*template.code, expected.collect()), "{text}");
            assert!(codes.insert(template.code), "two rows have the code of {}", row.code);
        }
    }

    /// The client reads records itself, and translates by this list.
    #[test]
    fn the_client_has_the_same_list() {
        let rows = TABLES.into_iter().flatten();
        let list: BTreeMap<_, _> =
            rows.map(|row| (row.code.to_ascii_lowercase(), row.template)).collect();
        let expected = serde_json::to_string_pretty(&list).unwrap() + "\n";
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/web/src/text/codes.json");
        if std::env::var_os("SANDBOARD_BLESS").is_some() {
            std::fs::write(path, &expected).unwrap();
        }
        let found = std::fs::read_to_string(path).unwrap_or_default();
        assert!(
            found == expected,
            "web/src/text/codes.json is out of date: run with SANDBOARD_BLESS=1"
        );
    }
}
