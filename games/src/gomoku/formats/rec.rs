//! Gomotur's `.rec`: the player names, first mover first, then moves as in `.psq` but counted from
//! 0, then the end code. The file does not contain the board size; the default is Piskvork's, 20.

use super::psq::{Body, check_code, name, write_code, write_moves, write_names};
use super::{size_of, unsupported_start};
use crate::formats::{FormatError, GameTree, Location, LocationUnit, lines};
use crate::info::Variant;

/// Default board size, as in Gomotur.
const SIZE: u8 = 20;

/// Reads a file for a board of the requested size.
pub(super) fn read(bytes: &[u8], asked: Option<&Variant>) -> Result<Vec<GameTree>, FormatError> {
    let mut lines = lines(bytes);
    let size = asked.and_then(|variant| variant.size).unwrap_or(SIZE);
    let mut tree = GameTree::new(LocationUnit::Lines);
    tree.size = Some(size);
    tree.names = lines.by_ref().take(2).map(|line| name(&line)).collect();
    let mut body = Body { size, first: 0, rest: Vec::new() };
    for (line, text) in lines {
        body.read_line(line, text, &mut tree)?;
        if let [_, (line, _), ..] = body.rest[..] {
            return Err(FormatError::line(line, "a line after the end code"));
        }
    }
    for code in body.rest {
        check_code(code)?;
    }
    if tree.is_empty() {
        return Err(FormatError::new(Location::Whole, "no moves follow the two lines of names"));
    }
    Ok(vec![tree])
}

/// Writes a game.
pub(super) fn write(tree: &GameTree, variant: &Variant) -> Result<Vec<u8>, FormatError> {
    if tree.start.is_some() {
        return Err(unsupported_start("rec"));
    }
    if tree.is_empty() {
        return Err(FormatError::new(Location::Whole, "rec cannot store a game without moves"));
    }
    let mut text = String::new();
    write_names(tree, &mut text);
    write_moves(tree, size_of(variant), 0, &mut text)?;
    write_code(tree, &mut text);
    Ok(text.into_bytes())
}
