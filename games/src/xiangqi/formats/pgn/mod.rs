//! PGN for xiangqi, as the ElephantEye project settled it: tags, then moves with their
//! numbers, comments in braces or behind a semicolon, variations in parentheses, a result.
//! Moves are in Chinese, WXF or ICCS; since no move is called the same in two of them, the
//! reader needs not be told which.

mod scan;
mod write;

use std::borrow::Cow;
use std::ops::Range;

use super::branches::{Behind, Branches};
use super::start_of;
use crate::formats::{By, FormatError, GAMES_MAX, GameTree, Told, Unit, decoded, one_line, shown};
use crate::info::Variant;
use crate::rules::Side;
use scan::{Item, Scanner};
pub(super) use write::{write_chinese, write_iccs, write_wxf};

/// No move has a longer name.
const LONGEST_MOVE: usize = 24;

/// Reads all games of a file.
pub(super) fn read(bytes: &[u8], _: Option<&Variant>) -> Result<Vec<GameTree>, FormatError> {
    let text = decoded(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes));
    let mut scanner = Scanner::new(&text);
    let mut games = Vec::new();
    let mut draft = Draft::new();
    while let Some((line, item)) = scanner.next()? {
        // Tags behind moves or a result are those of the next game.
        if matches!(item, Item::Tag(..)) && draft.has_moves {
            games.push(std::mem::replace(&mut draft, Draft::new()).finish(&text)?);
        }
        if games.len() == GAMES_MAX {
            return Err(FormatError::line(line, format!("there are more than {GAMES_MAX} games")));
        }
        draft.take(item, line, &text)?;
    }
    if draft.begun {
        games.push(draft.finish(&text)?);
    }
    match games.is_empty() {
        true => Err(FormatError::line(scanner.line(), "the file ends, and nowhere was a game")),
        false => Ok(games),
    }
}

/// A game that is being read.
struct Draft {
    tree: GameTree,
    branches: Branches,
    behind: Behind,
    /// What is before [`behind`](Self::behind): where a variation goes off.
    before: Behind,
    /// Where the variations that are open went off, and with which line they began.
    open: Vec<(Behind, Behind, usize)>,
    begun: bool,
    has_moves: bool,
}

impl Draft {
    fn new() -> Draft {
        Draft {
            tree: GameTree::new(Unit::Lines),
            branches: Branches::default(),
            behind: Behind::START,
            before: Behind::START,
            open: Vec::new(),
            begun: false,
            has_moves: false,
        }
    }

    fn take(&mut self, item: Item, line: usize, text: &str) -> Result<(), FormatError> {
        self.begun = true;
        match item {
            Item::Tag(name, value) => self.tag(name, value, line)?,
            Item::Comment(range) => self.branches.comment(self.behind, range),
            Item::Open => {
                if self.behind == Behind::START {
                    return Err(FormatError::line(line, "a variation of no move"));
                }
                self.open.push((self.behind, self.before, line));
                self.behind = self.before;
            }
            Item::Close => {
                let Some((behind, before, _)) = self.open.pop() else {
                    return Err(FormatError::line(line, "`)` ends no variation"));
                };
                (self.behind, self.before) = (behind, before);
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
                    let reason = format!("the game is {}, not xiangqi", shown(value.as_bytes()));
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

    /// A result, a number or a move.
    fn word(&mut self, range: Range<usize>, line: usize, text: &str) -> Result<(), FormatError> {
        let word = text.get(range.clone()).unwrap_or_default();
        if let Some(result) = result(word) {
            // In a variation it says how that would have ended.
            if self.open.is_empty() {
                self.has_moves = true;
                self.tree.result = self.tree.result.or(result);
            }
            return Ok(());
        }
        // The number of a move, with its dots.
        let digits = word.bytes().take_while(u8::is_ascii_digit).count();
        let rest = word[digits..].trim_start_matches(['.', '…', '。', '、']);
        let is_number = digits > 0 && (rest.len() < word.len() - digits || rest.is_empty());
        let mv = if is_number || digits == 0 { rest } else { word };
        let begin = range.end - mv.len();
        // What somebody thought of it.
        let mv = mv.trim_end_matches(['!', '?']);
        if mv.is_empty() {
            return Ok(());
        }
        if mv.len() > LONGEST_MOVE {
            return Err(FormatError::line(line, format!("{} is no move", shown(mv.as_bytes()))));
        }
        self.has_moves = true;
        self.before = self.behind;
        self.behind = self.branches.add(self.behind, begin..begin + mv.len(), line);
        Ok(())
    }

    fn finish(mut self, text: &str) -> Result<GameTree, FormatError> {
        if let Some((_, _, line)) = self.open.first() {
            return Err(FormatError::line(*line, "the variation that begins here has no end: `)`"));
        }
        self.branches.put(text, &mut self.tree)?;
        Ok(self.tree)
    }
}

/// What a word says of the end of a game: how it ended, or that it has not; none: it is no
/// such word.
fn result(word: &str) -> Option<Option<Told>> {
    let told = |winner| Some(Told { winner, by: By::Unsaid });
    match word {
        "1-0" => Some(told(Some(Side(0)))),
        "0-1" => Some(told(Some(Side(1)))),
        "1/2-1/2" => Some(told(None)),
        "*" => Some(None),
        _ => None,
    }
}
