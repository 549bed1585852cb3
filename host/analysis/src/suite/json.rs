//! Reads suites in JSON: an object with a list `records` or `positions`, or the list itself.
//! Ignores unknown fields, and does not apply the rules of the game.

use serde_json::{Map, Value};

use super::fault::{FileLocation, SuiteFault};
use super::raw_position::{MoveList, RawPosition};
use super::read::{POSITIONS_MAX, SuiteFile};
use super::solution::{KnownScore, WIN_IN_MAX};

/// The possible names of the list.
const LISTS: &[&str] = &["records", "positions"];
const IDS: &[&str] = &["id", "name"];
const BEST: &[&str] = &["best", "best_moves", "bm"];
const AVOID: &[&str] = &["avoid", "am"];
const SCORE: &[&str] = &["score", "ce"];
/// The possible fields of a position. The values of one group are joined by spaces; a list is
/// written with commas, an empty list as `-`.
const POSITIONS: &[&[&str]] =
    &[&["position"], &["fen"], &["board", "side"], &["hands", "trump", "leader", "trick"]];

type Fields = Map<String, Value>;

/// Reads the records. Err: the file is not a suite.
pub(super) fn read(text: &str) -> Result<SuiteFile, String> {
    let value: Value =
        serde_json::from_str(text).map_err(|error| format!("it is not valid JSON: {error}"))?;
    let mut top = match value {
        Value::Array(list) => return positions(&list, &Fields::new()),
        Value::Object(top) => top,
        _ => return Err(expected("it is neither an object nor a list")),
    };
    let mut lists = LISTS.iter().filter(|name| top.contains_key(**name));
    match (lists.next(), lists.next()) {
        (Some(name), None) => match top.remove(*name) {
            Some(Value::Array(list)) => positions(&list, &top),
            _ => Err(format!("`{name}` is not a list")),
        },
        (Some(_), Some(_)) => Err("it has both `records` and `positions`; keep one of them".into()),
        (None, _) => Err(expected("it has neither `records` nor `positions`")),
    }
}

fn expected(reason: &str) -> String {
    format!("{reason}; expected a list, or an object with a list `records` or `positions`")
}

fn positions(list: &[Value], top: &Fields) -> Result<SuiteFile, String> {
    if list.len() > POSITIONS_MAX {
        return Err(format!("it has {} positions, more than {POSITIONS_MAX}", list.len()));
    }
    let mut positions = SuiteFile::default();
    for (index, value) in list.iter().enumerate() {
        let draft = RawPosition::new(FileLocation::Record(index + 1), index + 1);
        match value {
            Value::Object(own) => {
                positions.add(Record { own, top, draft, faults: Vec::new() }.read())
            }
            other => {
                let reason = format!("it is {}, not an object with fields", kind(other));
                positions.add(Err(vec![draft.fault("", reason)]));
            }
        }
    }
    Ok(positions)
}

/// A record that is being read.
struct Record<'a> {
    own: &'a Fields,
    top: &'a Fields,
    draft: RawPosition,
    faults: Vec<(String, String)>,
}

impl Record<'_> {
    fn read(mut self) -> Result<RawPosition, Vec<SuiteFault>> {
        if let Some(field) = self.one_of(IDS)
            && let Some(id) = self.word(field)
        {
            self.draft.id = id;
        }
        self.draft.game = self.shared("game");
        self.draft.variant = self.variant();
        self.draft.position = self.position();
        self.draft.moves = self.moves("moves");
        self.draft.best = self.first_moves(BEST);
        self.draft.avoid = self.first_moves(AVOID);
        self.move_scores();
        self.draft.target = self.target();
        let sizes = self.draft.check_sizes();
        self.faults.extend(sizes.into_iter().map(|(field, reason)| (field.to_owned(), reason)));
        if self.faults.is_empty() && !self.draft.has_solution() {
            let answers = "`best` (or `best_moves`, `bm`), `avoid` (or `am`), `move_scores`, \
                           `score` (or `ce`) or `dm`";
            self.faults.push((String::new(), format!("it has no solution; expected {answers}")));
        }
        let Self { draft, faults, .. } = self;
        match faults.is_empty() {
            true => Ok(draft),
            false => Err(faults.iter().map(|(field, why)| draft.fault(field, why)).collect()),
        }
    }

    fn add_fault(&mut self, field: &str, reason: impl ToString) {
        self.faults.push((field.to_owned(), reason.to_string()));
    }

    /// A field of the record; null counts as absent.
    fn own(&self, field: &str) -> Option<&Value> {
        self.own.get(field).filter(|value| !value.is_null())
    }

    /// The name that the record uses, of several names for one field.
    fn one_of(&mut self, names: &[&'static str]) -> Option<&'static str> {
        let used: Vec<_> = names.iter().copied().filter(|name| self.own(name).is_some()).collect();
        if let [first, second, ..] = used.as_slice() {
            self.add_fault(
                second,
                format!("it has the same meaning as `{first}`; keep one of them"),
            );
        }
        used.first().copied()
    }

    /// A text or a number.
    fn word(&mut self, field: &str) -> Option<String> {
        let value = self.own(field)?;
        let word = word(value);
        if word.is_none() {
            let found = kind(value);
            self.add_fault(field, format!("it is {found}, not a text or a whole number"));
        }
        word
    }

    /// A field that may also be set once for all records.
    fn shared(&mut self, field: &str) -> Option<String> {
        if self.own(field).is_some() {
            return self.word(field);
        }
        let value = self.top.get(field).filter(|value| !value.is_null())?;
        let word = word(value);
        if word.is_none() {
            let found = kind(value);
            self.add_fault(field, format!("for all records it is {found}, not a text or a number"));
        }
        word
    }

    /// `variant`, or `rule` and `board_size`. Fields of the record take precedence.
    fn variant(&mut self) -> Option<String> {
        let own_rule = self.own("rule").is_some() || self.own("board_size").is_some();
        if self.own("variant").is_some() || (!own_rule && self.top.contains_key("variant")) {
            return self.shared("variant");
        }
        match (self.shared("rule"), self.shared("board_size")) {
            (Some(rule), Some(size)) => Some(format!("{rule}-{size}")),
            (None, Some(_)) => {
                self.add_fault("board_size", "it requires `rule`; or use `variant` instead");
                None
            }
            (rule, None) => rule,
        }
    }

    fn position(&mut self) -> Option<String> {
        let form = POSITIONS.iter().find(|form| self.own(form[0]).is_some())?;
        let mut parts = Vec::new();
        for field in *form {
            match self.own(field).map(part) {
                Some(Some(part)) => parts.push(part),
                Some(None) => self.add_fault(field, "it is neither a text nor a list of texts"),
                None => {
                    self.add_fault(field, format!("it is missing, but required with `{}`", form[0]))
                }
            }
        }
        Some(parts.join(" "))
    }

    fn first_moves(&mut self, names: &[&'static str]) -> MoveList {
        let Some(field) = self.one_of(names) else { return MoveList::default() };
        let texts = self.moves(field);
        if texts.is_empty() && self.faults.iter().all(|(faulty, _)| faulty != field) {
            self.add_fault(field, "it has no move");
        }
        MoveList { field, texts }
    }

    /// A list of texts, or one text with spaces between the moves.
    fn moves(&mut self, field: &'static str) -> Vec<String> {
        let moves = match self.own(field) {
            None => Some(Vec::new()),
            Some(Value::String(text)) => {
                Some(text.split_ascii_whitespace().map(str::to_owned).collect())
            }
            Some(Value::Array(list)) => {
                list.iter().map(|mv| mv.as_str().map(str::to_owned)).collect()
            }
            Some(_) => None,
        };
        moves.unwrap_or_else(|| {
            self.add_fault(
                field,
                "moves must be a list of texts, or one text with spaces between them",
            );
            Vec::new()
        })
    }

    /// Reads the scores of all moves. The best of them solve the position, unless best moves are
    /// named.
    fn move_scores(&mut self) {
        let Some(value) = self.own("move_scores") else { return };
        let scores = value.as_object().and_then(|scores| {
            scores.iter().map(|(mv, score)| Some((mv.clone(), score.as_f64()?))).collect()
        });
        let scores: Vec<(String, f64)> = match scores {
            Some(scores) => scores,
            None => {
                return self.add_fault("move_scores", "it is not an object of moves and numbers");
            }
        };
        let top = scores.iter().map(|(_, score)| *score).fold(f64::NEG_INFINITY, f64::max);
        if self.draft.best.texts.is_empty() {
            let best = scores.iter().filter(|(_, score)| *score == top).map(|(mv, _)| mv.clone());
            self.draft.best = MoveList { field: "move_scores", texts: best.collect() };
        }
        let texts = scores.into_iter().map(|(mv, _)| mv).collect();
        self.draft.legal = MoveList { field: "move_scores", texts };
    }

    fn target(&mut self) -> Option<KnownScore> {
        let score = self.one_of(SCORE).and_then(|field| {
            self.number(field, i32::MIN.into(), i32::MAX.into()).and_then(|n| n.try_into().ok())
        });
        let win_in = self.number("dm", 1, WIN_IN_MAX.into()).and_then(|n| n.try_into().ok());
        win_in.map(KnownScore::WinIn).or(score.map(KnownScore::Score))
    }

    fn number(&mut self, field: &str, min: i64, max: i64) -> Option<i64> {
        let value = self.own(field)?;
        let number = value.as_i64().filter(|number| (min..=max).contains(number));
        if number.is_none() {
            self.add_fault(field, format!("it is not a whole number from {min} to {max}"));
        }
        number
    }
}

fn word(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) if !number.is_f64() => Some(number.to_string()),
        _ => None,
    }
}

fn part(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Array(list) if list.is_empty() => Some("-".into()),
        Value::Array(list) => {
            let texts: Option<Vec<&str>> = list.iter().map(Value::as_str).collect();
            texts.map(|texts| texts.join(","))
        }
        _ => None,
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
