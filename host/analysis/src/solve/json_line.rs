//! Parses tasks from JSON lines: `{"deal": …}` or `{"position": …}`, with further fields.

use sandboard_games::bridge::{Card, Compass, Strain, Vulnerability};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::task::{Contract, Deal, Position, Task, TaskLabel, read_hands, read_position};

/// The fields of a line.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    id: Option<Value>,
    deal: Option<String>,
    dealer: Option<String>,
    vulnerable: Option<String>,
    declarer: Option<String>,
    strain: Option<String>,
    play: Option<Texts>,
    position: Option<String>,
    moves: Option<Texts>,
}

/// Cards as a list of texts, or as one text with spaces.
#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "cards are a list of texts, or one text with spaces between them")]
enum Texts {
    List(Vec<String>),
    Text(String),
}

/// The error of a task, in place of its result.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct TaskError {
    /// The `id` of the line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<Value>,
    /// The name of the board.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub board: Option<String>,
    /// The error with its location.
    pub error: String,
}

/// Parses a line: its label, and its task or an error.
pub(super) fn read(text: &str) -> (TaskLabel, Result<Task, String>) {
    if !text.trim_start().starts_with('{') {
        return (
            TaskLabel::default(),
            Err("a line is a JSON object: {\"deal\": \"N:…\"}".to_owned()),
        );
    }
    match serde_json::from_str::<Line>(text) {
        Ok(line) => {
            let named = TaskLabel { id: line.id.clone(), ..TaskLabel::default() };
            (named, line.task())
        }
        Err(error) => {
            let error = error.to_string().replace(" at line 1 column ", " at column ");
            (TaskLabel::default(), Err(format!("the line cannot be read: {error}")))
        }
    }
}

impl Line {
    fn task(&self) -> Result<Task, String> {
        match (&self.deal, &self.position) {
            (Some(deal), None) => self.deal(deal).map(Box::new).map(Task::Deal),
            (None, Some(position)) => self.position(position).map(Box::new).map(Task::Position),
            _ => Err("a line must have either a `deal` or a `position`".to_owned()),
        }
    }

    fn deal(&self, text: &str) -> Result<Deal, String> {
        if self.moves.is_some() {
            return Err("`moves` requires a position; use `play` with a deal".to_owned());
        }
        let hands = read_hands(text).map_err(|error| format!("deal: {error}"))?;
        let dealer = read_field("dealer", &self.dealer, "N, E, S or W", seat)?;
        let vulnerable = "none, both, NS or EW";
        let vulnerable = read_field("vulnerable", &self.vulnerable, vulnerable, side)?;
        let declarer = read_field("declarer", &self.declarer, "N, E, S or W", seat)?;
        let strain = read_field("strain", &self.strain, "S, H, D, C or NT", Strain::from_text)?;
        let played = match (declarer, strain) {
            (Some(declarer), Some(strain)) => Some(Contract { declarer, strain }),
            (None, None) => None,
            _ => return Err("`declarer` and `strain` are required together".to_owned()),
        };
        let play = cards("play", self.play.as_ref())?;
        if !play.is_empty() && played.is_none() {
            return Err("`play` requires `declarer` and `strain`".to_owned());
        }
        Ok(Deal { hands, dealer, vulnerable, played, play })
    }

    fn position(&self, text: &str) -> Result<Position, String> {
        let fields = [
            ("dealer", self.dealer.is_some()),
            ("vulnerable", self.vulnerable.is_some()),
            ("declarer", self.declarer.is_some()),
            ("strain", self.strain.is_some()),
            ("play", self.play.is_some()),
        ];
        if let Some((name, _)) = fields.into_iter().find(|(_, there)| *there) {
            return Err(format!("`{name}` requires a deal, not a position"));
        }
        let position = read_position(text).map_err(|error| format!("position: {error}"))?;
        Ok(Position { table: *position.table(), moves: cards("moves", self.moves.as_ref())? })
    }
}

fn read_field<T>(
    name: &str,
    text: &Option<String>,
    known: &str,
    read: impl Fn(&str) -> Option<T>,
) -> Result<Option<T>, String> {
    let Some(text) = text else { return Ok(None) };
    match read(text) {
        Some(value) => Ok(Some(value)),
        None => Err(format!("{name}: `{}` is not one of {known}", text.escape_debug())),
    }
}

fn seat(text: &str) -> Option<Compass> {
    let mut letters = text.chars();
    let seat = Compass::from_letter(letters.next()?)?;
    letters.next().is_none().then_some(seat)
}

fn side(text: &str) -> Option<Vulnerability> {
    let known = [
        ("none", Vulnerability::None),
        ("both", Vulnerability::Both),
        ("all", Vulnerability::Both),
        ("ns", Vulnerability::NorthSouth),
        ("ew", Vulnerability::EastWest),
    ];
    known.into_iter().find(|(name, _)| text.eq_ignore_ascii_case(name)).map(|(_, it)| it)
}

fn cards(field: &str, texts: Option<&Texts>) -> Result<Vec<Card>, String> {
    let texts: Vec<&str> = match texts {
        None => return Ok(Vec::new()),
        Some(Texts::List(list)) => list.iter().map(String::as_str).collect(),
        Some(Texts::Text(text)) => text.split_ascii_whitespace().collect(),
    };
    let card = |(index, text): (usize, &str)| {
        let invalid =
            || format!("{field}: `{}`, number {}, is not a card", text.escape_debug(), index + 1);
        Card::from_text(text).ok_or_else(invalid)
    };
    texts.into_iter().enumerate().map(card).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEAL: &str = "N:A2... K3... Q4... J5...";

    fn check(line: &str, expected: Result<&str, &str>) {
        let line = line.replace("DEAL", DEAL);
        let text = |task: Task| match task {
            Task::Deal(deal) => format!(
                "{} cards, {:?}, {:?}, {:?}, {:?}",
                deal.hands[0].len(),
                deal.dealer,
                deal.vulnerable,
                deal.played.map(|contract| contract.strain.text()),
                deal.play
            ),
            Task::Position(position) => {
                format!("{:?} to move, {:?}", position.table.to_move(), position.moves)
            }
        };
        match (read(&line).1.map(text), expected) {
            (Ok(found), Ok(expected)) => assert_eq!(found, expected, "{line}"),
            (Err(found), Err(expected)) => assert!(found.contains(expected), "{line}: {found}"),
            (found, _) => panic!("{line}: {found:?}"),
        }
    }

    #[test]
    fn deals() {
        check(r#"{"deal": "DEAL"}"#, Ok("2 cards, None, None, None, []"));
        check(
            r#"{"deal": "DEAL", "dealer": "e", "vulnerable": "NS", "declarer": "S", "strain": "N", "play": "SJ SA"}"#,
            Ok("2 cards, Some(East), Some(NorthSouth), Some(\"NT\"), [SJ, SA]"),
        );
        check(
            r#"{"deal": "DEAL", "dealer": "ne"}"#,
            Err("dealer: `ne` is not one of N, E, S or W"),
        );
        check(
            r#"{"deal": "DEAL", "vulnerable": "x"}"#,
            Err("`x` is not one of none, both, NS or EW"),
        );
        check(
            r#"{"deal": "DEAL", "strain": "S"}"#,
            Err("`declarer` and `strain` are required together"),
        );
        check(r#"{"deal": "DEAL", "play": "SJ"}"#, Err("`play` requires `declarer` and `strain`"));
        check(
            r#"{"deal": "DEAL", "declarer": "S", "strain": "S", "play": ["SJ", "S1"]}"#,
            Err("play: `S1`, number 2, is not a card"),
        );
        check(r#"{"deal": "N:A2... K3..."}"#, Err("deal: the deal has 2 hands instead of four"));
        check(r#"{"deal": "N:A2... K2... Q4... J5..."}"#, Err("deal: at byte 9: S2 occurs twice"));
        check(r#"{"deal": "N:... ... ... ..."}"#, Err("deal: "));
    }

    #[test]
    fn positions() {
        check(r#"{"position": "DEAL NT W -"}"#, Ok("West to move, []"));
        check(r#"{"position": "DEAL NT W -", "moves": ["SJ"]}"#, Ok("West to move, [SJ]"));
        check(r#"{"position": "DEAL NT W"}"#, Err("position: at byte "));
        check(r#"{"position": "DEAL NT W -", "play": "SJ"}"#, Err("`play` requires a deal"));
        check(r#"{"position": "DEAL NT W -", "deal": "DEAL"}"#, Err("either a `deal` or a `pos"));
        check("{}", Err("either a `deal` or a `position`"));
    }

    #[test]
    fn invalid_lines_are_refused() {
        check("nonsense", Err("a line is a JSON object"));
        check(r#"{"deal": 1}"#, Err("the line cannot be read: "));
        check(r#"{"deals": ""}"#, Err("unknown field `deals`"));
    }

    #[test]
    fn the_id_of_an_invalid_line_is_kept() {
        let (named, task) = read(r#"{"id": [1, "a"], "deal": "x"}"#);
        assert_eq!(named.id, Some(serde_json::json!([1, "a"])));
        assert!(task.is_err());
    }
}
