//! Gomotur's `.rec`: the names of the players, first mover first, then moves as in
//! `.psq` but from 0, then the code. It does not say the size of the board;
//! Piskvork takes 20, and so does this reader where no other is asked for.

use super::psq::{Body, check_code, name, write_code, write_moves, write_names};
use super::{no_start, size_of};
use crate::formats::{FormatError, GameTree, Place, Unit, lines};
use crate::info::Variant;

/// The board of Gomotur.
const SIZE: u8 = 20;

/// Reads a file on a board of the size asked for.
pub(super) fn read(bytes: &[u8], asked: Option<&Variant>) -> Result<Vec<GameTree>, FormatError> {
    let mut lines = lines(bytes);
    let size = asked.and_then(|variant| variant.size).unwrap_or(SIZE);
    let mut tree = GameTree::new(Unit::Lines);
    tree.size = Some(size);
    tree.names = lines.by_ref().take(2).map(|line| name(&line)).collect();
    let mut body = Body { size, first: 0, rest: Vec::new() };
    for (line, text) in lines {
        body.read_line(line, text, &mut tree)?;
        if let [_, (line, _), ..] = body.rest[..] {
            return Err(FormatError::line(line, "a line after the code of how it ended"));
        }
    }
    for code in body.rest {
        check_code(code)?;
    }
    if tree.is_empty() {
        return Err(FormatError::new(Place::Whole, "two lines of names are followed by no move"));
    }
    Ok(vec![tree])
}

/// Writes a game.
pub(super) fn write(tree: &GameTree, variant: &Variant) -> Result<Vec<u8>, FormatError> {
    if tree.start.is_some() {
        return Err(no_start("rec"));
    }
    if tree.is_empty() {
        return Err(FormatError::new(Place::Whole, "rec holds no game without moves"));
    }
    let mut text = String::new();
    write_names(tree, &mut text);
    write_moves(tree, size_of(variant), 0, &mut text)?;
    write_code(tree, &mut text);
    Ok(text.into_bytes())
}
