//! Questions as JSON lines: `{"deal": …}` or `{"position": …}`, with what else there is to
//! know.

use sandboard_games::bridge::{Card, Compass, Strain, Vulnerability};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::task::{Deal, Named, Played, Position, Task, read_hands, read_position};

/// A line as it stands.
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

/// Cards as a list of texts, or as one text with blanks between.
#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "cards are a list of texts, or one text with blanks between them")]
enum Texts {
    List(Vec<String>),
    Text(String),
}

/// What is wrong with a deal or a line, in place of its answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Wrong {
    /// As the line had it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<Value>,
    /// The name of the board.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub board: Option<String>,
    /// Where and what.
    pub error: String,
}

/// Reads a line: what it asks, or what is wrong with it, and how to name either.
pub(super) fn read(text: &str) -> (Named, Result<Task, String>) {
    if !text.trim_start().starts_with('{') {
        return (Named::default(), Err("a line is a JSON object: {\"deal\": \"N:…\"}".to_owned()));
    }
    match serde_json::from_str::<Line>(text) {
        Ok(line) => {
            let named = Named { id: line.id.clone(), ..Named::default() };
            (named, line.task())
        }
        Err(error) => {
            let error = error.to_string().replace(" at line 1 column ", " at column ");
            (Named::default(), Err(format!("the line cannot be read: {error}")))
        }
    }
}

impl Line {
    fn task(&self) -> Result<Task, String> {
        match (&self.deal, &self.position) {
            (Some(deal), None) => self.deal(deal).map(Box::new).map(Task::Deal),
            (None, Some(position)) => self.position(position).map(Box::new).map(Task::Position),
            _ => Err("a line has either a `deal` or a `position`".to_owned()),
        }
    }

    fn deal(&self, text: &str) -> Result<Deal, String> {
        if self.moves.is_some() {
            return Err("`moves` go with a position; those of a deal are `play`".to_owned());
        }
        let hands = read_hands(text).map_err(|error| format!("deal: {error}"))?;
        let dealer = read_field("dealer", &self.dealer, "N, E, S or W", seat)?;
        let vulnerable = "none, both, NS or EW";
        let vulnerable = read_field("vulnerable", &self.vulnerable, vulnerable, side)?;
        let declarer = read_field("declarer", &self.declarer, "N, E, S or W", seat)?;
        let strain = read_field("strain", &self.strain, "S, H, D, C or NT", Strain::of_text)?;
        let played = match (declarer, strain) {
            (Some(declarer), Some(strain)) => Some(Played { declarer, strain }),
            (None, None) => None,
            _ => return Err("`declarer` and `strain` go together".to_owned()),
        };
        let play = cards("play", self.play.as_ref())?;
        if !play.is_empty() && played.is_none() {
            return Err("`play` needs `declarer` and `strain`".to_owned());
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
            return Err(format!("`{name}` goes with a deal, not with a position"));
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
        None => Err(format!("{name}: `{}` is none of {known}", text.escape_debug())),
    }
}

fn seat(text: &str) -> Option<Compass> {
    let mut letters = text.chars();
    let seat = Compass::of_letter(letters.next()?)?;
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
        let wrong =
            || format!("{field}: `{}`, number {}, is no card", text.escape_debug(), index + 1);
        Card::of_text(text).ok_or_else(wrong)
    };
    texts.into_iter().enumerate().map(card).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEAL: &str = "N:A2... K3... Q4... J5...";

    fn check(line: &str, expected: Result<&str, &str>) {
        let line = line.replace("DEAL", DEAL);
        let told = |task: Task| match task {
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
        match (read(&line).1.map(told), expected) {
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
        check(r#"{"deal": "DEAL", "dealer": "ne"}"#, Err("dealer: `ne` is none of N, E, S or W"));
        check(r#"{"deal": "DEAL", "vulnerable": "x"}"#, Err("`x` is none of none, both, NS or EW"));
        check(r#"{"deal": "DEAL", "strain": "S"}"#, Err("`declarer` and `strain` go together"));
        check(r#"{"deal": "DEAL", "play": "SJ"}"#, Err("`play` needs `declarer` and `strain`"));
        check(
            r#"{"deal": "DEAL", "declarer": "S", "strain": "S", "play": ["SJ", "S1"]}"#,
            Err("play: `S1`, number 2, is no card"),
        );
        check(r#"{"deal": "N:A2... K3..."}"#, Err("deal: the deal has 2 hands instead of four"));
        check(
            r#"{"deal": "N:A2... K2... Q4... J5..."}"#,
            Err("deal: at byte 9: S2 is there twice"),
        );
        check(r#"{"deal": "N:... ... ... ..."}"#, Err("deal: "));
    }

    #[test]
    fn positions() {
        check(r#"{"position": "DEAL NT W -"}"#, Ok("West to move, []"));
        check(r#"{"position": "DEAL NT W -", "moves": ["SJ"]}"#, Ok("West to move, [SJ]"));
        check(r#"{"position": "DEAL NT W"}"#, Err("position: at byte "));
        check(r#"{"position": "DEAL NT W -", "play": "SJ"}"#, Err("`play` goes with a deal"));
        check(r#"{"position": "DEAL NT W -", "deal": "DEAL"}"#, Err("either a `deal` or a `pos"));
        check("{}", Err("either a `deal` or a `position`"));
    }

    #[test]
    fn lines_that_are_none() {
        check("nonsense", Err("a line is a JSON object"));
        check(r#"{"deal": 1}"#, Err("the line cannot be read: "));
        check(r#"{"deals": ""}"#, Err("unknown field `deals`"));
    }

    #[test]
    fn an_id_is_kept_where_the_rest_is_wrong() {
        let (named, task) = read(r#"{"id": [1, "a"], "deal": "x"}"#);
        assert_eq!(named.id, Some(serde_json::json!([1, "a"])));
        assert!(task.is_err());
    }
}
