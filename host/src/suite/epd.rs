//! Suites as lines in the manner of EPD (S. J. Edwards, *Standard: Portable
//! Game Notation Specification and Implementation Guide*, 1994, section 16.2):
//! a position, then operations `opcode operand …;`. The position is whatever
//! stands before the first known opcode, so that every game's texts fit. No
//! rule of a game here.

use super::answer::{Target, WIN_IN_MAX};
use super::draft::{Draft, Moves};
use super::fault::{Place, SuiteFault};
use super::read::{Drafts, POSITIONS_MAX};

/// The opcodes that say something here.
const USED: &[&str] = &["moves", "bm", "am", "id", "dm", "ce", "variant", "game"];
/// The standard's other words: they end a position, and are not looked at.
const KNOWN: &[&str] = &[
    "acd",
    "acn",
    "acs",
    "draw_accept",
    "draw_claim",
    "draw_offer",
    "draw_reject",
    "eco",
    "fmvn",
    "hmvc",
    "nic",
    "noop",
    "pm",
    "pv",
    "rc",
    "resign",
    "sm",
    "tcgs",
    "tcri",
    "tcsi",
];

/// Reads the lines; blank ones and those that begin with `#` are skipped. Err:
/// the file is none of positions.
pub(super) fn read(text: &str) -> Result<Drafts, String> {
    let mut drafts = Drafts::default();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let number = drafts.count + 1;
        if number > POSITIONS_MAX {
            return Err(format!("it has more than {POSITIONS_MAX} positions"));
        }
        drafts.add(Line::new(Place::Line(index + 1), number).read(line));
    }
    Ok(drafts)
}

/// A piece of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Word(String),
    /// A text in quotes.
    Quoted(String),
    /// `;`
    End,
}

impl Token {
    fn text(&self) -> &str {
        match self {
            Token::Word(text) | Token::Quoted(text) => text,
            Token::End => ";",
        }
    }
}

/// Whether an operation begins with this token. A comment `c0` to `c9` does
/// only before a quote: on many boards these are moves, too.
fn is_opcode(token: &Token, next: Option<&Token>) -> bool {
    let Token::Word(word) = token else { return false };
    let is_comment = matches!(word.as_bytes(), [b'c', b'0'..=b'9']);
    USED.contains(&word.as_str())
        || KNOWN.contains(&word.as_str())
        || (is_comment && matches!(next, Some(Token::Quoted(_))))
}

fn tokens(line: &str) -> Result<Vec<Token>, String> {
    let mut tokens = Vec::new();
    let mut rest = line.trim_start();
    while let Some(first) = rest.chars().next() {
        let after = match first {
            ';' => {
                tokens.push(Token::End);
                &rest[1..]
            }
            '"' => {
                let (text, after) =
                    rest[1..].split_once('"').ok_or("a quote is opened and not closed")?;
                tokens.push(Token::Quoted(text.to_owned()));
                after
            }
            _ => {
                let is_end = |c: char| c.is_whitespace() || c == ';' || c == '"';
                let (word, after) = rest.split_at(rest.find(is_end).unwrap_or(rest.len()));
                tokens.push(Token::Word(word.to_owned()));
                after
            }
        };
        rest = after.trim_start();
    }
    Ok(tokens)
}

/// A line while it is read.
struct Line {
    draft: Draft,
    seen: Vec<String>,
    faults: Vec<(String, String)>,
}

impl Line {
    fn new(place: Place, number: usize) -> Self {
        Self { draft: Draft::new(place, number), seen: Vec::new(), faults: Vec::new() }
    }

    fn read(mut self, line: &str) -> Result<Draft, Vec<SuiteFault>> {
        match tokens(line) {
            Err(reason) => self.wrong("", reason),
            Ok(tokens) => self.tokens(&tokens),
        }
        let sizes = self.draft.check_sizes();
        self.faults.extend(sizes.into_iter().map(|(field, reason)| (field.to_owned(), reason)));
        if self.faults.is_empty() && !self.draft.has_answer() {
            let unknown = self.seen.iter().find(|opcode| !USED.contains(&opcode.as_str()));
            let beside = unknown.map_or(String::new(), |opcode| format!(", not just `{opcode}`"));
            self.wrong("", format!("it has no answer: bm, am, dm or ce is expected{beside}"));
        }
        let Self { draft, faults, .. } = self;
        match faults.is_empty() {
            true => Ok(draft),
            false => Err(faults.iter().map(|(field, why)| draft.fault(field, why)).collect()),
        }
    }

    fn wrong(&mut self, field: &str, reason: impl ToString) {
        self.faults.push((field.to_owned(), reason.to_string()));
    }

    fn tokens(&mut self, tokens: &[Token]) {
        let begins = |at: &usize| is_opcode(&tokens[*at], tokens.get(at + 1));
        let begin = (0..tokens.len()).find(begins).unwrap_or(tokens.len());
        let (position, mut rest) = tokens.split_at(begin);
        if position.contains(&Token::End) {
            let word = position.split(|token| *token == Token::End).next();
            let word = word.and_then(<[Token]>::last).map_or("", Token::text).to_owned();
            let known = USED.join(", ");
            return self.wrong("", format!("before `{word};` stands none of {known}"));
        }
        let words: Vec<&str> = position.iter().map(Token::text).collect();
        self.draft.position = (!words.is_empty()).then(|| words.join(" "));
        while let Some((opcode, after)) = rest.split_first() {
            rest = match opcode {
                Token::End => after,
                _ => self.operation(opcode.text(), after),
            };
        }
    }

    /// Reads one operation; gives back what follows it.
    fn operation<'a>(&mut self, opcode: &str, after: &'a [Token]) -> &'a [Token] {
        let mut end = after.iter().position(|t| *t == Token::End).unwrap_or(after.len());
        let next = (0..end).find(|at| is_opcode(&after[*at], after.get(at + 1)));
        match (opcode, next) {
            // `moves` may go on to the next opcode.
            ("moves", Some(at)) => end = at,
            ("bm" | "am", Some(at)) => {
                self.wrong(opcode, format!("a `;` is missing before `{}`", after[at].text()));
            }
            _ => (),
        }
        let (operands, rest) = after.split_at(end);
        if self.seen.iter().any(|seen| seen == opcode) && USED.contains(&opcode) {
            self.wrong(opcode, "it is given twice");
        }
        self.seen.push(opcode.to_owned());
        let words: Vec<String> = operands.iter().map(|token| token.text().to_owned()).collect();
        match opcode {
            "moves" => self.draft.moves = words,
            "bm" => self.draft.best = self.moves("bm", words),
            "am" => self.draft.avoid = self.moves("am", words),
            "id" => {
                if let Some(id) = self.one("id", &words) {
                    self.draft.id = id;
                }
            }
            "variant" => self.draft.variant = self.one("variant", &words),
            "game" => self.draft.game = self.one("game", &words),
            "dm" => {
                let moves = self.number("dm", &words, 1, WIN_IN_MAX.into());
                let moves = moves.and_then(|moves| moves.try_into().ok());
                self.draft.target = moves.map(Target::WinIn).or(self.draft.target);
            }
            "ce" => {
                let score = self.number("ce", &words, i32::MIN.into(), i32::MAX.into());
                let score = score.and_then(|score| score.try_into().ok());
                self.draft.target = self.draft.target.or(score.map(Target::Score));
            }
            _ => (),
        }
        rest
    }

    fn moves(&mut self, field: &'static str, texts: Vec<String>) -> Moves {
        if texts.is_empty() {
            self.wrong(field, "it names no move");
        }
        Moves { field, texts }
    }

    fn one(&mut self, field: &str, words: &[String]) -> Option<String> {
        match words {
            [word] => Some(word.clone()),
            _ => {
                let count = words.len();
                self.wrong(field, format!("it takes one operand, not {count}; mind the quotes"));
                None
            }
        }
    }

    fn number(&mut self, field: &str, words: &[String], min: i64, max: i64) -> Option<i64> {
        let number = match words {
            [word] => word.parse().ok().filter(|number| (min..=max).contains(number)),
            _ => None,
        };
        if number.is_none() {
            self.wrong(field, format!("it is not one whole number from {min} to {max}"));
        }
        number
    }
}
