//! Reads suites as lines similar to EPD (S. J. Edwards, *Standard: Portable Game Notation
//! Specification and Implementation Guide*, 1994, section 16.2): a position, then operations
//! `opcode operand …;`. The position is the text before the first known opcode, so that every
//! game's position texts are possible. Does not apply the rules of the game.

use super::fault::{FileLocation, SuiteFault};
use super::raw_position::{MoveList, RawPosition};
use super::read::{POSITIONS_MAX, SuiteFile};
use super::solution::{KnownScore, WIN_IN_MAX};

/// The supported opcodes.
const USED: &[&str] = &["moves", "bm", "am", "id", "dm", "ce", "variant", "game"];
/// Other opcodes of the standard. They end a position, and are ignored.
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

/// Reads the lines, except blank ones and those that begin with `#`. Err: there are too many.
pub(super) fn read(text: &str) -> Result<SuiteFile, String> {
    let mut positions = SuiteFile::default();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let number = positions.count + 1;
        if number > POSITIONS_MAX {
            return Err(format!("it has more than {POSITIONS_MAX} positions"));
        }
        positions.add(Line::new(FileLocation::Line(index + 1), number).read(line));
    }
    Ok(positions)
}

/// A token of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Word(String),
    /// A text in quotes.
    Quoted(String),
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

/// Whether an operation begins with this token. Comments `c0` to `c9` count only before a quoted
/// text, because these words may also be moves.
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
                    rest[1..].split_once('"').ok_or("a quotation mark is not closed")?;
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

/// A line that is being read.
struct Line {
    draft: RawPosition,
    seen: Vec<String>,
    faults: Vec<(String, String)>,
}

impl Line {
    fn new(location: FileLocation, number: usize) -> Self {
        Self { draft: RawPosition::new(location, number), seen: Vec::new(), faults: Vec::new() }
    }

    fn read(mut self, line: &str) -> Result<RawPosition, Vec<SuiteFault>> {
        match tokens(line) {
            Err(reason) => self.add_fault("", reason),
            Ok(tokens) => self.tokens(&tokens),
        }
        let sizes = self.draft.check_sizes();
        self.faults.extend(sizes.into_iter().map(|(field, reason)| (field.to_owned(), reason)));
        if self.faults.is_empty() && !self.draft.has_solution() {
            let unknown = self.seen.iter().find(|opcode| !USED.contains(&opcode.as_str()));
            let beside = unknown.map_or(String::new(), |opcode| format!(", not only `{opcode}`"));
            self.add_fault("", format!("it has no solution; expected bm, am, dm or ce{beside}"));
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

    fn tokens(&mut self, tokens: &[Token]) {
        let begins = |at: &usize| is_opcode(&tokens[*at], tokens.get(at + 1));
        let begin = (0..tokens.len()).find(begins).unwrap_or(tokens.len());
        let (position, mut rest) = tokens.split_at(begin);
        if position.contains(&Token::End) {
            let word = position.split(|token| *token == Token::End).next();
            let word = word.and_then(<[Token]>::last).map_or("", Token::text).to_owned();
            let known = USED.join(", ");
            return self
                .add_fault("", format!("there is no opcode before `{word};`; known: {known}"));
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

    /// Reads one operation; returns the tokens after it.
    fn operation<'a>(&mut self, opcode: &str, after: &'a [Token]) -> &'a [Token] {
        let mut end = after.iter().position(|t| *t == Token::End).unwrap_or(after.len());
        let next = (0..end).find(|at| is_opcode(&after[*at], after.get(at + 1)));
        match (opcode, next) {
            // `moves` may end at the next opcode without a `;`.
            ("moves", Some(at)) => end = at,
            ("bm" | "am", Some(at)) => {
                self.add_fault(opcode, format!("a `;` is missing before `{}`", after[at].text()));
            }
            _ => (),
        }
        let (operands, rest) = after.split_at(end);
        if self.seen.iter().any(|seen| seen == opcode) && USED.contains(&opcode) {
            self.add_fault(opcode, "it is given twice");
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
                self.draft.target = moves.map(KnownScore::WinIn).or(self.draft.target);
            }
            "ce" => {
                let score = self.number("ce", &words, i32::MIN.into(), i32::MAX.into());
                let score = score.and_then(|score| score.try_into().ok());
                self.draft.target = self.draft.target.or(score.map(KnownScore::Score));
            }
            _ => (),
        }
        rest
    }

    fn moves(&mut self, field: &'static str, texts: Vec<String>) -> MoveList {
        if texts.is_empty() {
            self.add_fault(field, "it has no move");
        }
        MoveList { field, texts }
    }

    fn one(&mut self, field: &str, words: &[String]) -> Option<String> {
        match words {
            [word] => Some(word.clone()),
            _ => {
                let count = words.len();
                self.add_fault(
                    field,
                    format!("it takes one operand, not {count}; put a text with spaces in quotes"),
                );
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
            self.add_fault(field, format!("it is not one whole number from {min} to {max}"));
        }
        number
    }
}
