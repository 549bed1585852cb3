//! PBN, Portable Bridge Notation 2.1: games of tags and sections, separated by empty lines, in
//! Latin-1.

mod draft;
mod scan;
mod sections;
mod write;

use super::{ReadBoards, too_many};
use crate::formats::{FormatError, GAMES_MAX, decode};
use draft::{BoardDraft, Inherited};
use scan::{Item, Scanner};
pub(super) use write::write;

/// Reads the boards of a file.
pub(super) fn read(bytes: &[u8]) -> ReadBoards {
    let text = decode(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes));
    let mut scanner = Scanner::new(&text);
    let mut inherited = Inherited::default();
    let mut found = Vec::new();
    let mut draft: Option<BoardDraft> = None;
    while let Some((line, item)) = scanner.next() {
        if let Item::Blank = item {
            found.extend(draft.take().map(|draft| draft.finish(&mut inherited)));
            continue;
        }
        if draft.is_none() && found.len() == GAMES_MAX {
            found.push(Err(too_many(line)));
            return found;
        }
        let draft = draft.get_or_insert_with(|| BoardDraft::new(line));
        match item {
            Item::Tag(name, value) => draft.tag(name, value, line, &inherited),
            Item::Word(word) => draft.word(word, line),
            Item::Wrong(reason) => draft.wrong(line, reason),
            Item::Blank => (),
        }
    }
    found.extend(draft.take().map(|draft| draft.finish(&mut inherited)));
    if found.is_empty() {
        let reason = "the file has no game: expected tags such as [Deal \"N:…\"]";
        found.push(Err(FormatError::line(scanner.line(), reason)));
    }
    found
}
