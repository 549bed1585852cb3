//! PGN (S. J. Edwards, "Standard: Portable Game Notation Specification and Implementation Guide",
//! 1994): tags, then numbered moves, comments in braces or after a semicolon, variations in
//! parentheses, a result. Knows no notation of moves: the rules of a game read them.

mod branches;
mod scan;
mod write;

use std::borrow::Cow;
use std::ops::Range;

use super::{
    FormatError, GAMES_MAX, GameTree, LocationUnit, Mark, RecordedResult, ResultCause, decode,
    excerpt, one_line,
};
use crate::rules::Side;
use branches::{Branches, Cursor};
use scan::{Item, Scanner};
pub(crate) use write::{MoveNames, result_text, write};

/// Length limit of a move, in bytes.
const MAX_MOVE_BYTES: usize = 24;

/// What the files of a game have of their own.
pub(crate) struct Dialect {
    /// The game's name for errors, and what the tag `Game` may say, in lower case. `None`: the tag
    /// is not read.
    pub(crate) game: Option<(&'static str, &'static [&'static str])>,
    /// Whether the tag `Variant` names the variant.
    pub(crate) has_variants: bool,
    /// The position text of a value of the tag `FEN`; `None` if it is the game's own start.
    pub(crate) start_of: fn(&str) -> Option<String>,
}

/// Reads all games of a file.
pub(crate) fn read(bytes: &[u8], dialect: &Dialect) -> Result<Vec<GameTree>, FormatError> {
    let text = decode(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes));
    let mut scanner = Scanner::new(&text);
    let mut games = Vec::new();
    let mut draft = GameDraft::new(dialect);
    while let Some((line, item)) = scanner.next()? {
        // A tag after moves or a result starts the next game.
        if matches!(item, Item::Tag(..)) && draft.has_moves {
            games.push(std::mem::replace(&mut draft, GameDraft::new(dialect)).finish(&text)?);
        }
        if games.len() == GAMES_MAX {
            return Err(FormatError::line(line, format!("more than {GAMES_MAX} games")));
        }
        draft.add_item(item, line, &text)?;
    }
    if draft.has_items {
        games.push(draft.finish(&text)?);
    }
    match games.is_empty() {
        true => Err(FormatError::line(scanner.line(), "the file has no game")),
        false => Ok(games),
    }
}

/// A game while it is read.
struct GameDraft<'a> {
    dialect: &'a Dialect,
    tree: GameTree,
    branches: Branches,
    cursor: Cursor,
    /// The position before [`cursor`](Self::cursor), where a variation branches off.
    previous: Cursor,
    /// For each open variation: cursor and previous position outside it, and its first line.
    open: Vec<(Cursor, Cursor, usize)>,
    has_items: bool,
    has_moves: bool,
}

impl<'a> GameDraft<'a> {
    fn new(dialect: &'a Dialect) -> Self {
        Self {
            dialect,
            tree: GameTree::new(LocationUnit::Lines),
            branches: Branches::default(),
            cursor: Cursor::START,
            previous: Cursor::START,
            open: Vec::new(),
            has_items: false,
            has_moves: false,
        }
    }

    fn add_item(&mut self, item: Item, line: usize, text: &str) -> Result<(), FormatError> {
        self.has_items = true;
        match item {
            Item::Tag(name, value) => self.tag(name, value, line)?,
            Item::Comment(range) => self.branches.comment(self.cursor, range),
            Item::Glyph(number) => {
                let mark = Mark::from_number(number);
                mark.into_iter().for_each(|mark| self.branches.mark(self.cursor, mark));
            }
            Item::Open => {
                if self.cursor == Cursor::START {
                    return Err(FormatError::line(line, "a variation before the first move"));
                }
                self.open.push((self.cursor, self.previous, line));
                self.cursor = self.previous;
            }
            Item::Close => {
                let Some((cursor, previous, _)) = self.open.pop() else {
                    return Err(FormatError::line(line, "`)` without a variation"));
                };
                (self.cursor, self.previous) = (cursor, previous);
            }
            Item::Word(range) => self.word(range, line, text)?,
        }
        Ok(())
    }

    fn tag(&mut self, name: &str, value: Cow<str>, line: usize) -> Result<(), FormatError> {
        let known = one_line(&value).filter(|value| value.chars().any(|sign| sign != '?'));
        match name {
            "Game" => {
                let Some((name, accepted)) = self.dialect.game else { return Ok(()) };
                let game = value.trim().to_lowercase();
                if !accepted.contains(&game.as_str()) {
                    let reason = format!("the game is {}, not {name}", excerpt(value.as_bytes()));
                    return Err(FormatError::line(line, reason));
                }
            }
            "Variant" if self.dialect.has_variants => self.tree.variant = known,
            "Red" | "White" => self.name(0, known),
            "Black" => self.name(1, known),
            "FEN" => self.tree.start = (self.dialect.start_of)(&value),
            "Result" => self.tree.result = result(value.trim()).flatten(),
            _ => (),
        }
        Ok(())
    }

    fn name(&mut self, seat: usize, name: Option<String>) {
        self.tree.names.resize(2, None);
        self.tree.names[seat] = name;
    }

    /// Handles a result, a move number or a move.
    fn word(&mut self, range: Range<usize>, line: usize, text: &str) -> Result<(), FormatError> {
        let word = text.get(range.clone()).unwrap_or_default();
        if let Some(result) = result(word) {
            // In a variation, a result is only a comment on it.
            if self.open.is_empty() {
                self.has_moves = true;
                self.tree.result = self.tree.result.or(result);
            }
            return Ok(());
        }
        // A move number with its dots.
        let digits = word.bytes().take_while(u8::is_ascii_digit).count();
        let rest = word[digits..].trim_start_matches(['.', '…', '。', '、']);
        let is_number = digits > 0 && (rest.len() < word.len() - digits || rest.is_empty());
        let mv = if is_number || digits == 0 { rest } else { word };
        let begin = range.end - mv.len();
        let with_mark = mv;
        let mv = mv.trim_end_matches(['!', '?']);
        let mark = Mark::from_text(&with_mark[mv.len()..]);
        if mv.is_empty() {
            // Signs apart from their move.
            mark.into_iter().for_each(|mark| self.branches.mark(self.cursor, mark));
            return Ok(());
        }
        if mv.len() > MAX_MOVE_BYTES {
            return Err(FormatError::line(
                line,
                format!("{} is not a move", excerpt(mv.as_bytes())),
            ));
        }
        self.has_moves = true;
        self.previous = self.cursor;
        self.cursor = self.branches.add(self.cursor, begin..begin + mv.len(), line);
        mark.into_iter().for_each(|mark| self.branches.mark(self.cursor, mark));
        Ok(())
    }

    fn finish(mut self, text: &str) -> Result<GameTree, FormatError> {
        if let Some((_, _, line)) = self.open.first() {
            return Err(FormatError::line(
                *line,
                "the variation that starts here is not closed: `)` is missing",
            ));
        }
        self.branches.write_to(text, &mut self.tree)?;
        Ok(self.tree)
    }
}

/// The result that a word stands for: `Some(None)` for an unfinished game, `None` if the word is
/// not a result.
fn result(word: &str) -> Option<Option<RecordedResult>> {
    let winner_is = |winner| Some(RecordedResult { winner, cause: ResultCause::Unspecified });
    match word {
        "1-0" => Some(winner_is(Some(Side(0)))),
        "0-1" => Some(winner_is(Some(Side(1)))),
        "1/2-1/2" => Some(winner_is(None)),
        "*" => Some(None),
        _ => None,
    }
}
