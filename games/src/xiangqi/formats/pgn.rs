//! PGN for xiangqi, as defined by the ElephantEye project: tags, then numbered moves, comments in
//! braces or after a semicolon, variations in parentheses, a result. Moves are in Chinese, WXF or
//! ICCS. The reader detects the notation, because no text is valid in two of them.

mod scan;
mod write;

use std::borrow::Cow;
use std::ops::Range;

use super::branches::{Branches, Cursor};
use super::start_of;
use crate::formats::{
    FormatError, GAMES_MAX, GameTree, LocationUnit, RecordedResult, ResultCause, decode, excerpt,
    one_line,
};
use crate::info::Variant;
use crate::rules::Side;
use scan::{Item, Scanner};
pub(super) use write::{write_chinese, write_iccs, write_wxf};

/// Length limit of a move, in bytes.
const MAX_MOVE_BYTES: usize = 24;

/// Reads all games of a file.
pub(super) fn read(bytes: &[u8], _: Option<&Variant>) -> Result<Vec<GameTree>, FormatError> {
    let text = decode(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes));
    let mut scanner = Scanner::new(&text);
    let mut games = Vec::new();
    let mut draft = GameDraft::new();
    while let Some((line, item)) = scanner.next()? {
        // A tag after moves or a result starts the next game.
        if matches!(item, Item::Tag(..)) && draft.has_moves {
            games.push(std::mem::replace(&mut draft, GameDraft::new()).finish(&text)?);
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
struct GameDraft {
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

impl GameDraft {
    fn new() -> GameDraft {
        GameDraft {
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
                let games = ["chinese chess", "xiangqi", "xiang qi", "中国象棋", "象棋"];
                let game = value.trim().to_lowercase();
                if !games.contains(&game.as_str()) {
                    let reason = format!("the game is {}, not xiangqi", excerpt(value.as_bytes()));
                    return Err(FormatError::line(line, reason));
                }
            }
            "Red" | "White" => self.name(0, known),
            "Black" => self.name(1, known),
            "FEN" => self.tree.start = start_of(&value),
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
        // Removes annotation signs.
        let mv = mv.trim_end_matches(['!', '?']);
        if mv.is_empty() {
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
