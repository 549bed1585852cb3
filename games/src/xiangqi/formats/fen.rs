//! Lines of positions: FEN, optionally followed by moves.

use super::{fen_of, start, start_of};
use crate::formats::{FormatError, GameTree, fen};
use crate::info::Variant;

/// Reads one game per line.
pub(super) fn read(bytes: &[u8], _: Option<&Variant>) -> Result<Vec<GameTree>, FormatError> {
    fen::read(bytes, start_of)
}

/// Writes the start position and the main line.
pub(super) fn write(tree: &GameTree, variant: &Variant) -> Result<Vec<u8>, FormatError> {
    Ok(fen::write(&fen_of(&start(tree, variant)?), tree))
}
